/** What the parts of this plugin share. */
import type { Accounts } from '@tenon/accounts/api';
import type { Folders } from '@tenon/host';
import type { Logger } from '@tenon/kernel';
import type { AuthStore } from '@tenon/models/api';
import type { Sandboxes } from '@tenon/sandbox/api';
import type { Validation } from '@tenon/validation/api';
import type { WorkerRegistry } from '@tenon/workers/api';
import type { Worktrees } from '@tenon/worktrees/api';
import type { RunEvent, RunOutput } from './run.ts';
import type { OpenRunQueue } from './store/run-queue.ts';
import type { RunStore } from './store/run-store.ts';
import type { RunsSettings } from './generated/settings.ts';

/** What the parts of this plugin share. Services are looked up when they are used; an optional one may be missing. */
export interface RunsParts {
  readonly folders: Folders;
  readonly settings: RunsSettings;
  readonly log: Logger;
  /** The environment of this process. */
  readonly env: NodeJS.ProcessEnv;
  /** The store that the settings name, opened once. */
  store(): Promise<RunStore>;
  registry(): Promise<WorkerRegistry>;
  accounts(): Promise<Accounts | undefined>;
  /** Keeps secrets encrypted. */
  secrets(): Promise<Pick<AuthStore, 'secret' | 'changeSecret'> | undefined>;
  sandboxes(): Promise<Sandboxes | undefined>;
  validation(): Promise<Validation | undefined>;
  worktrees(): Promise<Worktrees | undefined>;
  /** Tells the hooks what was stored. */
  tell(news: { readonly outputs: readonly RunOutput[]; readonly events: readonly RunEvent[] }): Promise<void>;
  /** Makes sure that a keeper is there, or comes. */
  ensureKeeper(): Promise<void>;
  /** The queue, when it is not the one of this machine: other hosts do the work. */
  readonly queue?: OpenRunQueue;
}
