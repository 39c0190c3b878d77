/** What other plugins may use of undo: what is kept, what taking it back would change, and taking it back. */
import { service } from '@tenon/kernel';
import type { GitNote } from './git-facts.ts';

export type { GitNote };
export { errors } from './errors.ts';
export { callsAfter } from './session-calls.ts';
export { entryLine, outcomeText } from './texts.ts';

/** A call that changed files, or an undo. */
export interface UndoEntry {
  readonly id: number;
  readonly kind: 'call' | 'undo' | 'redo';
  /** `interrupted` when its process ended before the call did: somebody else's changes may be among its own. */
  readonly state: 'open' | 'done' | 'interrupted';
  readonly tool: string;
  /** One line that says what the call did. */
  readonly title: string;
  readonly session?: string;
  readonly callId?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly counts: { readonly created: number; readonly changed: number; readonly deleted: number };
  /** Files that were there before and are not kept. */
  readonly notKept: number;
  /** True when another call ran at the same time. */
  readonly shared?: boolean;
  /** The calls that this undo took back. */
  readonly undoes?: readonly number[];
  /** The undo that took this call back. */
  readonly undoneBy?: number;
}

/** What is to be taken back. Without anything it is the last call. */
export interface UndoRequest {
  /** The folder whose workspace is meant. */
  readonly cwd: string;
  /** The last calls, so many. */
  readonly count?: number;
  /** This call and all after it. */
  readonly to?: number;
  /** Only calls of this session and its subagents; the first letters of its id are enough. */
  readonly session?: string;
  /** Exactly these calls and what subagents did for them, by the ids that their session has for them; `session` decides where two have the same. */
  readonly calls?: readonly string[];
  /** Takes undos back instead of calls. */
  readonly redo?: boolean;
  /** Also what somebody else changed since. It is kept, and comes back with a redo. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** One path that will be different. */
export interface UndoChange {
  readonly path: string;
  /** `restore`: it is gone and comes back. `revert`: it gets its old content or kind. `mode`: only its permissions. */
  readonly action: 'restore' | 'revert' | 'mode' | 'delete';
  readonly kind: 'file' | 'link' | 'folder' | 'other';
  /** Permissions that it will have, in octal. */
  readonly mode?: string;
  readonly size?: number;
}

/** A path that stays as it is. */
export interface UndoHeld {
  readonly path: string;
  readonly reason: 'changed-since' | 'not-kept' | 'in-the-way' | 'unsafe' | 'failed';
  /** In words. */
  readonly text: string;
}

/** What taking calls back would change. */
export interface UndoPreview {
  readonly workspace: string;
  /** The calls, newest first. */
  readonly entries: readonly UndoEntry[];
  readonly changes: readonly UndoChange[];
  readonly held: readonly UndoHeld[];
  /** What the calls did to the repository, which Tenon never touches. */
  readonly git: readonly GitNote[];
}

/** What was taken back. */
export interface UndoOutcome extends UndoPreview {
  /** The record of the undo itself; absent when nothing was changed. */
  readonly id?: number;
}

/** Takes back what calls changed. */
export interface Undo {
  /** What is kept for a folder, newest first. */
  list(request: { readonly cwd: string; readonly session?: string }): Promise<readonly UndoEntry[]>;
  /** What `restore` would do. Nothing is changed. */
  preview(request: UndoRequest): Promise<UndoPreview>;
  /** Puts files back. The present state is kept first, so that it can be taken back as well. */
  restore(request: UndoRequest): Promise<UndoOutcome>;
}

/** Takes back what calls changed. */
export const undo = service<Undo>('undo');
