import type { Token } from '@tenon/kernel';
import { errors } from './errors.ts';
import type { HostProcess } from './host-process.ts';
import type { Watchdog } from './watchdog.ts';
import type { Peer } from './wire/peer.ts';

/** What the code of a pack says about itself. */
export interface PackShape {
  readonly tokens: readonly Token[];
}

/** One running host process and the way to talk to it. */
export class Connection {
  readonly process: HostProcess;
  readonly peer: Peer;
  readonly shape: Promise<PackShape>;
  activated: Promise<void> | undefined;
  isUnused = false;
  readonly #callMs: number;
  readonly #plugin: string;
  readonly watchdog: Watchdog;

  constructor(parts: {
    process: HostProcess;
    peer: Peer;
    shape: Promise<PackShape>;
    callMs: number;
    plugin: string;
    watchdog: Watchdog;
  }) {
    this.process = parts.process;
    this.peer = parts.peer;
    this.shape = parts.shape;
    this.#callMs = parts.callMs;
    this.#plugin = parts.plugin;
    this.watchdog = parts.watchdog;
  }

  /** Ends a process that nobody needs, which is no fault of the pack. */
  stopUnused(): void {
    this.isUnused = true;
    this.process.stop('nobody needed it');
  }

  /** Calls a function of the pack, within the time that a call may take. */
  callReference(id: number, args: readonly unknown[]): Promise<unknown> {
    const details = { plugin: this.#plugin, seconds: this.#callMs / 1_000 };
    return this.peer.callReference(id, args, {
      deadlineMs: this.#callMs,
      onDeadline: () => errors.create('PACK_HOST_CALL_DEADLINE', details),
    });
  }
}
