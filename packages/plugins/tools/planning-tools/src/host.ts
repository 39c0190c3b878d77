import type { LiveAgents } from '@tenon/agent/api';
import type { Folders, UserInterface } from '@tenon/host';
import type { Logger } from '@tenon/kernel';
import type { TodoStore } from './todo-store.ts';
import type { PlanningToolsSettings } from './generated/settings.ts';

/** What the tools need from the rest of Tenon. */
export interface PlanningHost {
  readonly config: PlanningToolsSettings;
  readonly folders: Pick<Folders, 'cwd'>;
  readonly agents: LiveAgents;
  readonly store: TodoStore;
  readonly log: Logger;
  /** The user interface of the running mode, found when it is needed. */
  userInterface(): Promise<UserInterface>;
}
