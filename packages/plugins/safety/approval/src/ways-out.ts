/** How far calls were let out of the sandbox, from the answer until they run. */
import type { ToolCallEvent, WayOut } from '@tenon/tools/api';
import { digestOf } from './tool-calls.ts';

/** Models choose the ids of calls, and may use one again: a way out holds for what was judged, not for an id. */
export class WaysOut {
  readonly #folder: string;
  readonly #ways = new Map<string, { readonly way: WayOut | 'sandbox'; readonly digest: string }>();

  /** `folder` is that of calls without a session. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Forgets what an earlier call with the same id was allowed. */
  forget(callId: string): void {
    this.#ways.delete(callId);
  }

  /** Lets out a call that will run as this event says. */
  letOut(event: ToolCallEvent, way: WayOut | 'sandbox'): void {
    this.#ways.set(event.callId, { way, digest: this.#digestOf(event) });
  }

  has(callId: string): boolean {
    return this.#ways.has(callId);
  }

  /** How far a call may go; undefined when it is not the one that was let out. */
  take(event: ToolCallEvent): WayOut | 'sandbox' | undefined {
    const known = this.#ways.get(event.callId);
    this.#ways.delete(event.callId);
    return known?.digest === this.#digestOf(event) ? known.way : undefined;
  }

  #digestOf(event: ToolCallEvent): string {
    return digestOf(event, event.scope?.cwd ?? this.#folder);
  }
}
