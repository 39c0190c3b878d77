/** The keeper for those who bring runs from elsewhere: the hosts of a fleet. */
import { service } from '@tenon/kernel';
import type { Worktrees } from '@tenon/worktrees/api';
import type { OpenRunQueue } from '../store/run-queue.ts';
import type { RunStore } from '../store/run-store.ts';

/** What is kept, and with what. */
export interface KeepingOptions {
  /** Shows only the runs that are this host's, and writes only to them. */
  readonly store: RunStore;
  /** Where runs work. */
  readonly worktrees: Worktrees;
  /** Keys that came with the runs. */
  readonly secrets: OpenRunQueue['secrets'];
  /** A state folder of its own: that of this machine's runs is cleaned up by what its own store knows. */
  readonly state: string;
  readonly slots: number;
  readonly signal: AbortSignal;
  isStillOurs(): Promise<boolean>;
  /** Told how the keeper is made to look at the list at once. */
  begun?(hurry: () => void): void;
}

/** Starts, watches and ends workers. */
export interface RunKeeping {
  /** Works on the store's active runs until none is left for a while: `idle`. `lost` when somebody else has taken one over. */
  keep(options: KeepingOptions): Promise<'idle' | 'lost'>;
  /** Ends all processes of sessions that are meant. */
  end(isMeant: (run: string, session: number) => boolean): Promise<void>;
}

/** Starts, watches and ends workers of runs that come from elsewhere. */
export const runKeeping = service<RunKeeping>('run-keeping');
