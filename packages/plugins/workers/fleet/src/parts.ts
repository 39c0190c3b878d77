/** What the parts of this plugin share. */
import type { Folders } from '@tenon/host';
import type { Logger } from '@tenon/kernel';
import type { RunKeeping } from '@tenon/runs/api';
import type { Worktrees } from '@tenon/worktrees/api';
import type { FleetSettings } from './generated/settings.ts';

/** Services are looked up when they are used. */
export interface FleetParts {
  readonly folders: Folders;
  readonly settings: FleetSettings;
  readonly log: Logger;
  /** Tenon's own version. */
  version(): Promise<string>;
  keeping(): Promise<RunKeeping>;
  worktrees(): Promise<Worktrees | undefined>;
}
