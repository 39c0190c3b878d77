/** What happens to a line that was typed: it goes to the model, the shell, Python, or the screen itself. */
import { type AgentSession, faultText } from '@tenon/agent/api';
import type { ImageContent } from '@tenon/models/api';
import type { ModeCall, ModeInput } from '@tenon/modes/api';
import { kindOf } from './prompt/prompt.ts';
import { screenAdvice } from './transcript/screen-advice.ts';

/** How a prompt reaches an agent that works: at once between two steps, or when it is done. */
export type Delivery = 'steer' | 'followUp';

/** What sending needs. */
export interface SendingParts {
  readonly call: ModeCall;
  /** The agent, as soon as there is one. */
  agent(): Promise<AgentSession>;
  /** Runs a command of the screen; false when there is none of this name. */
  screenCommand(name: string, args: string): Promise<boolean>;
  notify(text: string, kind: 'info' | 'warning' | 'error'): void;
  /** A draft that could not be sent comes back. */
  giveBack(text: string, images: readonly ImageContent[]): void;
  /** A command of the user begins or ends; `stop` stops it. */
  onUserCommand(running: { readonly command: string; readonly stop: () => void } | undefined): void;
  /** Shows what a command gave that the session does not keep. */
  showUnkept(command: string, result: UserCommandResult): void;
}

type UserCommandResult = Awaited<ReturnType<ModeCall['runUserCommand']>>;

/** Sends what was typed. */
export class Sending {
  readonly #parts: SendingParts;

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  /** Sends a line; nothing that was typed is lost when that fails. */
  async send(text: string, images: readonly ImageContent[], delivery: Delivery): Promise<void> {
    if (text.trim() === '' && images.length === 0) return;
    const { call, notify } = this.#parts;
    const kind = kindOf(text);
    // A slash command that failed is one arrow away, and in the way of the next line.
    const giveBack = (draft: string) => kind === 'command' || this.#parts.giveBack(draft, images);
    try {
      if (kind === 'shell' || kind === 'python') return await this.#userCommand(kind, text);
      if (kind === 'command') {
        const [, name = '', args = ''] = /^\/(\S*)\s*([^]*)$/.exec(text) ?? [];
        if (await this.#parts.screenCommand(name, args.trim())) {
          call.remember(text);
          return;
        }
      }
      const input = await call.readInput(text);
      call.remember(text);
      if (!(await this.prompt(input, images, delivery))) giveBack(text);
    } catch (fault) {
      notify(screenAdvice(faultText(fault)), 'error');
      giveBack(text);
    }
  }

  /**
   * Gives a prompt to the agent; resolves when it is done, or waits in its queue. Failures of the run are told as events.
   * False when it did not become a part of the session, so that it can be changed and sent again.
   */
  async prompt(input: ModeInput, images: readonly ImageContent[], delivery: Delivery): Promise<boolean> {
    const agent = await this.#parts.agent();
    // Files that a message names while the agent works must reach it with that message, not with the next prompt.
    if (input.mentions && agent.state.isStreaming) await agent.send(input.mentions, { deliverAs: delivery });
    else if (input.mentions) agent.nextTurn(input.mentions);
    const { leafId } = agent.session;
    let isTold = false;
    const onFailure = () => void (isTold = true);
    await agent.prompt(input.prompt, { images, streamingBehavior: delivery, onFailure }).catch((fault: unknown) => {
      // `agent_end` has said why.
      if (!isTold) throw fault;
    });
    return !isTold || agent.session.leafId !== leafId;
  }

  async #userCommand(kind: 'shell' | 'python', text: string): Promise<void> {
    const { call, onUserCommand } = this.#parts;
    const [, marks = '', rest = ''] = /^([!$]{1,2})([^]*)$/.exec(text) ?? [];
    const command = rest.trim();
    if (command === '') return;
    const agent = await this.#parts.agent();
    const controller = new AbortController();
    const stop = () => controller.abort(new DOMException('The user stopped the command.', 'AbortError'));
    call.remember(text);
    onUserCommand({ command: text, stop });
    try {
      const excludeFromContext = marks.length === 2;
      const result = await call.runUserCommand(agent, {
        kind: kind === 'shell' ? 'bash' : 'python',
        command,
        signal: controller.signal,
        excludeFromContext,
      });
      // The session has no place for Python that the model does not see: nothing else would show it.
      if (kind === 'python' && excludeFromContext) this.#parts.showUnkept(command, result);
    } finally {
      onUserCommand(undefined);
    }
  }
}
