/** The agent that the host drives. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { ModeCall } from '@tenon/modes/api';
import type { Tool } from '@tenon/tools/api';

/** Holds the agent. */
export class Seat {
  readonly #call: ModeCall;
  readonly #onEvent: (event: AgentEvent) => void;
  #agent: AgentSession | undefined;

  constructor(call: ModeCall, onEvent: (event: AgentEvent) => void) {
    this.#call = call;
    this.#onEvent = onEvent;
  }

  /** The agent in the seat. */
  get agent(): AgentSession {
    if (!this.#agent) throw new Error('the seat is empty: open() comes first');
    return this.#agent;
  }

  /** Opens the session that the command line asked for. Gives a message when the model is not the wanted one. */
  async open(): Promise<string | undefined> {
    const { agent, modelFallbackMessage } = await this.#call.open();
    this.#agent = agent;
    agent.subscribe(this.#onEvent);
    return modelFallbackMessage;
  }

  /** Tools of the host; they stay when the session changes. */
  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    this.agent.setHostTools(tools);
  }

  /** Stops and closes what is open. */
  async dispose(): Promise<void> {
    await this.#agent?.dispose();
  }
}
