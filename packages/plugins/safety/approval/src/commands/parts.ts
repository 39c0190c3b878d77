import type { Folders } from '@tenon/host';
import type { Profile } from '@tenon/sandbox/api';
import type { Approvals } from '../api.ts';
import type { HeldStore } from '../held/store.ts';
import type { Surroundings } from '../judge/places.ts';
import type { Mode } from '../policy/decide.ts';
import type { Policies } from '../policy/policies.ts';

/** What the commands work with. */
export interface CommandParts {
  readonly approvals: Approvals;
  readonly store: HeldStore;
  readonly policies: Policies;
  readonly folders: Folders;
  /** What is known about the machine, with this folder as the workspace. */
  worldOf(cwd: string): Surroundings;
  readonly mode: Mode;
  /** The profile of the sandbox for a folder; full where there is no sandbox. */
  profileFor(cwd: string): Promise<Profile>;
}
