import { messageOf } from '@tenon/kernel';
import type { LoopSession } from '../agent-session.ts';

/** Makes room some minutes after the last run, so that the next prompt need not wait for it. */
export class IdleTimer {
  readonly #agent: LoopSession;
  #timer: NodeJS.Timeout | undefined;
  #isWorking = false;

  constructor(agent: LoopSession) {
    this.#agent = agent;
  }

  start(): void {
    this.stop();
    const { idleMinutes } = this.#agent.host.config.compaction;
    if (idleMinutes <= 0) return;
    this.#timer = setTimeout(() => void this.#work(), idleMinutes * 60_000);
    // A process that has nothing else to do may end.
    this.#timer.unref();
  }

  /** Stops the clock, and the work if it has begun: whoever calls this has something better to do. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isWorking) this.#agent.compactor.abort();
  }

  async #work(): Promise<void> {
    const agent = this.#agent;
    this.#isWorking = true;
    try {
      await agent.whileIdle(() => agent.compactor.whenIdle());
    } catch (fault) {
      agent.host.log.error(`a summary in an idle moment failed: ${messageOf(fault)}`);
    } finally {
      this.#isWorking = false;
    }
  }
}
