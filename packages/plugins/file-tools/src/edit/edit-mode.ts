import { readFile, stat } from 'node:fs/promises';
import type { JsonSchema } from '@tenon/kernel';
import type { ToolScope } from '@tenon/tools/api';
import { errors } from '../errors.ts';
import type { FileToolsHost } from '../host.ts';

/** One file's part of an edit, worked out but not written. */
export interface PlannedEdit {
  /** Absolute. */
  readonly path: string;
  readonly shownPath: string;
  /** Undefined when the edit creates the file. */
  readonly before: Buffer | undefined;
  readonly after: readonly Uint8Array[];
  readonly warnings: readonly string[];
}

/** One way to write down edits. */
export interface EditMode {
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Works out the new content of all files, or throws what is wrong; nothing is written here. */
  plan(input: Readonly<Record<string, unknown>>, scope: ToolScope, host: FileToolsHost): Promise<PlannedEdit[]>;
}

/** Files above this size are not edited by text tools. */
const MAX_EDIT_BYTES = 256 * 1024 * 1024;
const GENERATED =
  /@generated\b|\bcode generated\b[^\n]*\bdo not edit\b|\bauto-?generated\b[^\n]*\bdo not (?:edit|modify)\b/i;

/** The content of a file that is to be edited; undefined when there is none. */
export async function loadForEdit(path: string, shownPath: string, host: FileToolsHost): Promise<Buffer | undefined> {
  const stats = await stat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return undefined;
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: fault.code ?? fault.message }, fault);
  });
  if (!stats) return undefined;
  if (stats.isDirectory()) throw errors.create('FILE_TOOLS_IS_DIRECTORY', { path: shownPath });
  if (!stats.isFile()) throw errors.create('FILE_TOOLS_NOT_REGULAR', { path: shownPath, kind: 'no regular file' });
  if (stats.size > MAX_EDIT_BYTES) {
    throw errors.create('FILE_TOOLS_UNREADABLE', { path: shownPath, reason: 'it is too large to be edited as text' });
  }
  const content = await readFile(path);
  const marker = GENERATED.exec(content.toString('latin1', 0, 1024))?.[0];
  if (marker !== undefined && host.config.edit.generatedFiles === 'refuse') {
    throw errors.create('FILE_TOOLS_GENERATED', { path: shownPath, marker });
  }
  return content;
}
