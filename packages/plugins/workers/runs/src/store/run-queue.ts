/** Where runs wait for a worker when it is not this machine that does them. */
import { slot } from '@tenon/kernel';
import type { AuthStore } from '@tenon/models/api';
import type { WorkerSpec } from '@tenon/workers/api';
import type { Run, RunRequest } from '../run.ts';
import type { RunStore } from './run-store.ts';

/** A queue of runs that other hosts do. */
export interface OpenRunQueue {
  readonly store: RunStore;
  /** Keeps the keys of who asks for hosts that may have them; nothing where none may. */
  secrets(): Promise<Pick<AuthStore, 'secret' | 'changeSecret'> | undefined>;
  /** Makes a request into one that another host can do; throws what keeps it from that. */
  prepare(request: RunRequest, spec: Pick<WorkerSpec, 'keyVariables'>): Promise<RunRequest>;
  /** Brings the work of a run into the repository that it came from. Gives its commit; nothing when there is none. */
  fetchWork(run: Run): Promise<string | undefined>;
}

/** A queue that may be there. */
export interface RunQueue {
  /** Whether it can be used on this machine. Nothing is loaded or asked for that. */
  isSetUp(): boolean;
  open(): Promise<OpenRunQueue>;
}

/** Queues by name, beside the one of this machine. */
export const runQueues = slot<RunQueue>('run-queues');
