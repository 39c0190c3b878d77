/** The agent that the host drives at the moment, and what stays when it is exchanged for another. */
import type { AgentEvent, AgentSession } from '@tenon/agent/api';
import type { Launch } from '@tenon/modes/api';
import type { Session } from '@tenon/sessions/api';
import type { Tool } from '@tenon/tools/api';

/** Holds one agent at a time. */
export class Seat {
  readonly #launch: Launch;
  readonly #onEvent: (event: AgentEvent) => void;
  #agent: AgentSession | undefined;
  #hostTools: Readonly<Record<string, Tool>> = {};
  #isWaitingForRetry = false;
  /** Whether failed model calls are tried again. */
  autoRetry = true;

  constructor(launch: Launch, onEvent: (event: AgentEvent) => void) {
    this.#launch = launch;
    this.#onEvent = onEvent;
  }

  /** The agent in the seat. */
  get agent(): AgentSession {
    if (!this.#agent) throw new Error('the seat is empty: open() comes first');
    return this.#agent;
  }

  /** True while the agent waits to ask a model again. */
  get isWaitingForRetry(): boolean {
    return this.#isWaitingForRetry;
  }

  /** Opens the session that the command line asked for. Gives a message when the model is not the wanted one. */
  async open(): Promise<string | undefined> {
    const { agent, modelFallbackMessage } = await this.#launch.open();
    this.#take(agent);
    return modelFallbackMessage;
  }

  /** Exchanges the agent for one over another session. If that cannot be made, the old one stays. */
  async exchange(session: Session, options: { readonly keepModel: boolean }): Promise<void> {
    const old = this.agent;
    const { model, thinking, steeringMode, followUpMode, interruptMode, autoCompaction } = old.state;
    const { agent } = await this.#launch.agentFor(session);
    await old.dispose();
    agent.setQueueModes({ steering: steeringMode, followUp: followUpMode, interrupt: interruptMode });
    agent.setAutoCompaction(autoCompaction);
    const { state } = agent;
    const isSame =
      state.model.provider === model.provider && state.model.id === model.id && state.thinking === thinking;
    if (options.keepModel && !isSame) await agent.setModel(model, thinking);
    this.#take(agent);
  }

  /** Tools of the host; they stay when the session changes. */
  setHostTools(tools: Readonly<Record<string, Tool>>): void {
    this.#hostTools = tools;
    this.agent.setHostTools(tools);
  }

  #take(agent: AgentSession): void {
    this.#agent = agent;
    this.#isWaitingForRetry = false;
    agent.setHostTools(this.#hostTools);
    agent.subscribe((event) => {
      if (event.type === 'auto_retry_start') {
        this.#isWaitingForRetry = true;
        if (!this.autoRetry) return void agent.abort();
      } else if (event.type !== 'notice') this.#isWaitingForRetry = false;
      this.#onEvent(event);
    });
  }

  /** Stops and closes what is open. */
  async dispose(): Promise<void> {
    await this.#agent?.dispose();
  }
}
