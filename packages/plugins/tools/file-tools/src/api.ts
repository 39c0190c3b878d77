/** What other plugins of tools may use: what was read, how files are changed, and how paths, targets and results are written. */
import { hook, type JsonSchema, service, slot } from '@tenon/kernel';
import type { Tool } from '@tenon/tools/api';

/** Files as sessions have seen them. Edits that name lines by anchor are checked against these. */
export interface FileViews {
  /** Remembers the whole content that a session was shown a part of. The bytes are not copied. */
  record(session: string, path: string, content: Uint8Array): void;
  /** What the session saw last, if it is still known. */
  find(session: string, path: string): Uint8Array | undefined;
  /** What the session saw, newest first: anchors of an older view can be carried over. */
  history(session: string, path: string): readonly Uint8Array[];
  /** Forgets all but the newest view: the session was shown the file as it is now. */
  settle(session: string, path: string): void;
  /** The editor that shows the files of sessions, if there is one. */
  readonly editor: EditorFiles | undefined;
  /** Lets tools read what an editor has not saved, and tells it what they write, until the returned function is called. */
  useEditor(editor: EditorFiles): () => void;
}

/** An editor that has files of sessions open. */
export interface EditorFiles {
  /** What it shows of a file, when that is not what is on disk. */
  unsaved(session: string, path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Saves what it shows, because a tool is about to change the file. */
  save(session: string, path: string, content: Uint8Array): Promise<void>;
  /** Writes what a tool wants in a file, in place of the tool; false when it did not, or not as it should be. */
  write(session: string, path: string, content: Uint8Array): Promise<boolean>;
  /** Shows what a tool has changed; gives the files as they are then. */
  written(session: string, files: readonly WrittenFile[]): Promise<readonly WrittenFile[]>;
}

/** Files as sessions have seen them. */
export const fileViews = service<FileViews>('file-views');

/** One file's new content, or its end. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** What the file must still hold; undefined when it must not exist yet, `any` when that does not matter. */
  readonly before: Uint8Array | undefined | 'any';
  /** The new content, in pieces or as a whole; undefined deletes the file. */
  readonly after: Uint8Array | readonly Uint8Array[] | undefined;
  /** A new file gets the mode bits of this one: for moves. */
  readonly modeFrom?: string;
}

/** Changes files: all of a call's files or none. Scan caches and views follow by themselves. */
export interface FileChanges {
  /** Throws an error that says what to do next when a file is not what it should be or cannot be written. */
  apply(session: string, changes: readonly FileChange[]): Promise<void>;
}

/** Changes files. */
export const fileChanges = service<FileChanges>('file-changes');

/** A file that a tool has written. */
export interface WrittenFile {
  /** Absolute. */
  readonly path: string;
  /** What it held before; undefined when it is new, or too big to be compared. */
  readonly before: Uint8Array | undefined;
  /** What it holds now; undefined when it was deleted. */
  readonly after: Uint8Array | undefined;
}

/** What `write` or `edit` has written. */
export interface FilesWritten {
  readonly session: string;
  readonly cwd: string;
  readonly files: readonly WrittenFile[];
  /** Lines for the end of the tool's result. */
  readonly notices: readonly string[];
}

/** Handlers may take seconds, because they ask other programs; they keep to limits of their own. */
const WRITTEN_DEADLINE_MS = 60_000;

/**
 * Runs when `write` or `edit` has written its files, before the result is made. A handler may add notices. One that changes a file once
 * more, by the service `file-changes`, puts what it now holds into `after`: the result shows that.
 */
export const filesWritten = hook<'reduce', FilesWritten>('file.written', 'reduce', { deadlineMs: WRITTEN_DEADLINE_MS });

/** A file that an edit speaks about, as it is now and as the session has seen it. */
export interface EditFile {
  /** Absolute. */
  readonly path: string;
  /** As results show it. */
  readonly shownPath: string;
  /** Undefined when there is no such file. */
  readonly content: Uint8Array | undefined;
  /** What the session saw of it, newest first. For a call by hand it is what is there now: the caller can see it. */
  readonly seen: readonly Uint8Array[];
}

/** What a mode gets with an input. */
export interface EditCall {
  readonly session: string;
  readonly cwd: string;
  /** Opens a file for editing; refuses folders, devices and generated files with an error that says what to do. */
  file(path: string): Promise<EditFile>;
  /** The session is being shown the file as it is now (in a refusal): older views of it count no more. */
  shown(file: EditFile): void;
}

/** What a mode gets to declare its files. */
export interface EditTouchCall {
  readonly cwd: string;
  /** True while a model still writes the input. */
  readonly partial?: boolean;
}

/** The files of an edit, as the input names them. */
export interface EditTouches {
  /** Files that it only looks at. */
  readonly reads?: readonly string[];
  readonly writes: readonly string[];
}

/** What becomes of one file. */
export interface PlannedEdit {
  readonly file: EditFile;
  /** The new content; undefined deletes the file. */
  readonly after: Uint8Array | readonly Uint8Array[] | undefined;
  /** Where the content goes when the file is moved. */
  readonly moveTo?: EditFile;
  readonly warnings?: readonly string[];
}

/** What an input comes to. */
export interface EditPlan {
  readonly edits: readonly PlannedEdit[];
  /** Rows under the report of the changes; without edits, the whole answer. */
  readonly rows?: readonly string[];
  /** Files that the rows show as they are now. */
  readonly shown?: readonly EditFile[];
  /** Called once all files are written. */
  written?(): void;
}

/** One way to write edits down. */
export interface EditMode {
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonSchema;
  /**
   * Declares the files that an input edits, deletes, makes or moves, before anything is approved. A plan that opens or
   * changes others is refused.
   */
  touches(input: Readonly<Record<string, unknown>>, call: EditTouchCall): EditTouches | Promise<EditTouches>;
  /** Works out the new content of all files, or throws what is wrong; nothing is written here. */
  plan(input: Readonly<Record<string, unknown>>, call: EditCall): Promise<EditPlan>;
  /** The part of an unfinished input that can be planned already; undefined when there is none. */
  completePart?(
    input: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>> | undefined | Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** Ways to write edits down; the setting `file-tools.edit.mode` chooses one. The data of an entry is `{ summary }`. */
export const editModes = slot<EditMode>('edit-modes', { access: 'packs' });

/** The `edit` tool in a mode other than the one that is set, e.g. for `ToolRunner.run('edit', input, { tool })`. */
export interface EditTools {
  /** The modes there are, with their summaries. */
  modes(): readonly { readonly name: string; readonly summary: string }[];
  /** The mode that the settings choose. */
  readonly mode: string;
  /** The tool in a mode; throws an error that lists the modes for an unknown one. */
  tool(mode: string): Promise<Tool>;
}

/** The `edit` tool by mode. */
export const editTools = service<EditTools>('edit-tools');

/** What an unfinished edit would do to a file so far. */
export interface PreviewedEdit {
  /** As results show it. */
  readonly path: string;
  /** Absolute. */
  readonly resolvedPath: string;
  readonly op: 'create' | 'update' | 'delete' | 'move';
  /** What the file holds; undefined when it is new. */
  readonly before: Uint8Array | undefined;
  /** What it would hold; undefined when it would be deleted. */
  readonly after: Uint8Array | undefined;
  /** Unified; absent when the change is too large to be compared. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
}

/** Diffs for user interfaces while a model is still writing the arguments. Nothing is written, nothing waits for it. */
export interface EditPreview {
  /** `argumentsSoFar` is the JSON text as far as it has come, or the input object. A part that makes no sense yet gives the reason in `problem`. */
  preview(
    argumentsSoFar: string | Readonly<Record<string, unknown>>,
    scope: { readonly session: string; readonly cwd: string; readonly mode?: string },
  ): Promise<{ readonly files: readonly PreviewedEdit[]; readonly problem?: string }>;
}

/** Diffs of edits that are still being written. */
export const editPreview = service<EditPreview>('edit-preview');

export { contentForView } from './content-for-view.ts';
export { foreignForm } from './edit/editable-text.ts';
export { decoded, encodingOf } from './text-encoding.ts';
export { resolveTargets, type Target, type Targets, touchedTargets } from './targets.ts';
