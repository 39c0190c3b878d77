import type { AssistantMessage, Model, ModelRequest, StreamEvent, ThinkingLevel, ToolChoice } from '@tenon/models/api';
import { Accounts } from './accounts.ts';
import { modelSelect, modelUsed } from './api.ts';
import { storedModel } from './first-model.ts';
import type { AgentParts } from './host.ts';
import type { LoopModel, TurnCall, TurnRequest } from './loop-config.ts';

/** Which model one agent uses, what its sessions say about that, and what it has cost. */
export class ModelUse implements LoopModel {
  model: Model;
  thinking: ThinkingLevel;
  /** Whether a failed call is made again after a wait. */
  mayWait = true;
  /** Ends the wait that was told last; without effect once that is over. */
  stopWaiting: () => void = () => undefined;
  /** The tool choices of coming turns. */
  readonly toolChoices: ToolChoice[] = [];
  readonly accounts = new Accounts();
  readonly #parts: AgentParts;

  constructor(parts: AgentParts, { model, thinking }: Pick<ModelUse, 'model' | 'thinking'>) {
    this.#parts = parts;
    this.model = model;
    this.thinking = thinking;
    this.accounts.startWith(parts.conversation.messages);
  }

  /** How many tokens the model in use takes. */
  get window(): number {
    return this.#parts.conversation.gauge.window(this.model);
  }

  current(): Pick<ModelRequest, 'model' | 'thinking'> {
    return { model: this.model, thinking: this.thinking };
  }

  stream(request: TurnRequest, { signal, onRetry }: TurnCall): AsyncIterable<StreamEvent> {
    const { host, conversation } = this.#parts;
    const { serviceTier, session, gauge } = conversation;
    const toolChoice = this.toolChoices.shift();
    gauge.sent(request);
    const maxTokens = gauge.answerLimit(request.model);
    return host.needs.models.stream(
      {
        sessionId: session.id,
        ...request,
        ...(toolChoice && { toolChoice }),
        ...(maxTokens !== undefined && { maxTokens }),
        ...(serviceTier !== undefined && { serviceTier }),
      },
      {
        signal,
        mayWait: () => this.mayWait,
        onRetry: (notice, stopWaiting) => {
          this.stopWaiting = stopWaiting;
          onRetry(notice);
        },
      },
    );
  }

  /** Counts what a call used. */
  used(message: AssistantMessage, purpose: 'turn' | 'summary' = 'turn'): void {
    const { host, conversation } = this.#parts;
    if (purpose === 'turn') conversation.gauge.answered(message);
    this.accounts.add(message.usage, host.run(modelUsed, { ...conversation.place, purpose, message }));
    this.#parts.used?.(message.usage);
  }

  /** Uses another model from the next call on. */
  async use(model: Model, reason: 'set' | 'promotion'): Promise<void> {
    const notification = this.#change(model, reason);
    await this.#parts.conversation.session.append('model_change', { model: nameOf(model) });
    await notification;
  }

  /** Thinks as hard as this from the next call on. */
  async think(level: ThinkingLevel): Promise<void> {
    this.thinking = level;
    await this.#parts.conversation.session.append('thinking_level_change', { thinkingLevel: level });
  }

  /** Goes on with the model that the session used. */
  async restore(): Promise<void> {
    const { host, conversation, emit } = this.#parts;
    const { session } = conversation;
    const { models, thinkingLevel } = session.context();
    const wanted = models['default'];
    const match = wanted === undefined ? undefined : await storedModel(host.needs.models, wanted);
    if (session.path().some(({ type }) => type === 'thinking_level_change')) this.thinking = thinkingLevel;
    if (match) return this.#change(match.model, 'restore');
    if (wanted === undefined) return;
    const text = `Model "${wanted}" is not available; ${nameOf(this.model)} is used.`;
    emit({ type: 'notice', level: 'warning', text });
  }

  /** Notes model and thinking in a session that does not know them. */
  async note(): Promise<void> {
    const { session } = this.#parts.conversation;
    const { models, thinkingLevel } = session.context();
    const model = nameOf(this.model);
    if (models['default'] !== model) await session.append('model_change', { model });
    if (thinkingLevel !== this.thinking)
      await session.append('thinking_level_change', { thinkingLevel: this.thinking });
  }

  async #change(model: Model, reason: 'set' | 'restore' | 'promotion'): Promise<void> {
    const { host, conversation } = this.#parts;
    const previous = nameOf(this.model);
    this.model = model;
    if (previous === nameOf(model)) return;
    const { thinking } = this;
    await host.run(modelSelect, { ...conversation.place, model: nameOf(model), previous, thinking, reason });
  }
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
