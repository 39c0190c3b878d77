/** Every event of the agent as a line of JSON, with the names of the RPC protocol. */
import type { AgentEvent, MadeAgent } from '@tenon/agent/api';
import type { ModeCall } from '@tenon/modes/api';
import { type Answer, type Output, problemLines } from './output.ts';

/** Writes events to standard output, and problems to standard error. */
export class EventOutput implements Output {
  readonly #call: Pick<ModeCall, 'io'>;
  readonly #writer: ReturnType<ModeCall['eventWriter']>;

  constructor(call: Pick<ModeCall, 'io' | 'eventWriter'>) {
    this.#call = call;
    this.#writer = call.eventWriter();
  }

  async begin({ agent }: MadeAgent): Promise<void> {
    this.#writer.send(agent.session.header);
  }

  event(event: AgentEvent): void {
    this.#writer.send(event);
  }

  async answer({ report }: Answer): Promise<void> {
    // A reader that went away ends the run here, and needs no words.
    await this.#writer.finish();
    await this.#call.io.err(problemLines(report));
  }

  async failed(): Promise<void> {
    // The shell says it on standard error.
  }

  finish(): Promise<void> {
    return this.#writer.finish();
  }
}
