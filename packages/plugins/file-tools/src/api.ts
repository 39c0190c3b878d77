/** What other plugins of tools may use: what was read, how files are changed, and how paths, targets and results are written. */
import { service } from '@tenon/kernel';

/** Files as sessions have seen them. Edits that name lines by anchor are checked against these. */
export interface FileViews {
  /** Remembers the whole content that a session was shown a part of. The bytes are not copied. */
  record(session: string, path: string, content: Uint8Array): void;
  /** What the session saw last, if it is still known. */
  find(session: string, path: string): Uint8Array | undefined;
}

/** Files as sessions have seen them. */
export const fileViews = service<FileViews>('file-views');

/** One file's new content. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** What the file must still hold; undefined when it must not exist yet, `any` when that does not matter. */
  readonly before: Uint8Array | undefined | 'any';
  /** The new content, in pieces or as a whole. */
  readonly after: Uint8Array | readonly Uint8Array[];
}

/** Changes files: all of a call's files or none. Scan caches and views follow by themselves. */
export interface FileChanges {
  /** Throws an error that says what to do next when a file is not what it should be or cannot be written. */
  apply(session: string, changes: readonly FileChange[]): Promise<void>;
}

/** Changes files. */
export const fileChanges = service<FileChanges>('file-changes');

export { contentForView } from './content-for-view.ts';
export { cleanPath, displayPath, resolvePath } from './paths.ts';
export { renderPrompt } from './prompt.ts';
export { scopeOf } from './scope.ts';
export { resolveTargets, type Target, type Targets } from './targets.ts';
export {
  byteText,
  cutText,
  explainFailures,
  fitLines,
  MAX_OUTPUT_BYTES,
  type OutputMeta,
  textResult,
  type TruncationMeta,
} from './tool-output.ts';
