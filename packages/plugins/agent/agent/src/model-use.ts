import type { Model } from '@tenon/models/api';
import type { LoopSession } from './agent-session.ts';
import { modelSelect } from './api.ts';

/** Which model one agent uses, and what its sessions say about that. */
export class ModelUse {
  readonly #agent: LoopSession;

  constructor(agent: LoopSession) {
    this.#agent = agent;
  }

  /** Uses another model from the next call on. */
  async use(model: Model, reason: 'set' | 'promotion'): Promise<void> {
    const told = this.#change(model, reason);
    await this.#agent.session.append('model_change', { model: nameOf(model) });
    await told;
  }

  /** Goes on with the model that the session used. */
  async restore(): Promise<void> {
    const agent = this.#agent;
    const { models, thinkingLevel } = agent.session.context();
    const wanted = models['default'];
    const found = wanted === undefined ? undefined : await agent.host.models.find(wanted);
    if (agent.session.path().some(({ type }) => type === 'thinking_level_change')) agent.thinking = thinkingLevel;
    if (found) return this.#change(found.model, 'restore');
    if (wanted === undefined) return;
    const text = `Model "${wanted}" is not available; ${nameOf(agent.model)} is used.`;
    agent.emit({ type: 'notice', level: 'warning', text });
  }

  /** Notes model and thinking in a session that does not know them. */
  async note(): Promise<void> {
    const { session, model, thinking } = this.#agent;
    const { models, thinkingLevel } = session.context();
    if (models['default'] !== nameOf(model)) await session.append('model_change', { model: nameOf(model) });
    if (thinkingLevel !== thinking) await session.append('thinking_level_change', { thinkingLevel: thinking });
  }

  async #change(model: Model, reason: 'set' | 'restore' | 'promotion'): Promise<void> {
    const agent = this.#agent;
    const previous = nameOf(agent.model);
    agent.model = model;
    const { place, thinking } = agent;
    if (previous === nameOf(model)) return;
    await agent.host.run(modelSelect, { ...place, model: nameOf(model), previous, thinking, reason });
  }
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
