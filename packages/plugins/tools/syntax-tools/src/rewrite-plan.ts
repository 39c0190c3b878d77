/** A structural rewrite that was previewed: which bytes become which, and the files it was worked out for. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FileChange } from '@tenon/file-tools/api';
import { displayPath } from '@tenon/tools/api';
import type { Accelerators } from '@tenon/native';
import { errors } from './errors.ts';

type FileRewrite = Awaited<ReturnType<Accelerators['syntax']['rewrite']>>['files'][number];

/** The edits of one file, bound to the content they were worked out for. */
export interface PlannedFile {
  /** Absolute. */
  readonly path: string;
  readonly hash: string;
  readonly edits: FileRewrite['edits'];
}

/** Binds edits to the files as they are; edits that change nothing are dropped. */
export async function planFile(
  { path, edits }: FileRewrite,
  cwd: string,
): Promise<(PlannedFile & { content: Buffer }) | undefined> {
  const real = edits.filter(({ before, after }) => before !== after);
  if (real.length === 0) return undefined;
  const content = await readFile(path);
  const fits = real.every(({ range, before }) => content.toString('utf8', range.byteStart, range.byteEnd) === before);
  if (!fits) throw errors.create('SYNTAX_TOOLS_CHANGED', { path: displayPath(cwd, path) });
  return { path, hash: hashOf(content), edits: real, content };
}

/** The files' new contents, or an error when one of them is not what was previewed. */
export async function changesOf(files: readonly PlannedFile[], cwd: string): Promise<FileChange[]> {
  const stale: string[] = [];
  const changes: FileChange[] = [];
  for (const { path, hash, edits } of files) {
    const before = await readFile(path).catch(() => undefined);
    if (!before || hashOf(before) !== hash) stale.push(displayPath(cwd, path));
    else changes.push({ path, before, after: splice(before, edits) });
  }
  if (stale.length > 0) throw errors.create('SYNTAX_TOOLS_STALE', { paths: stale });
  return changes;
}

/** Edits are in order and free of overlaps. */
function splice(content: Buffer, edits: FileRewrite['edits']): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { range, after } of edits) {
    pieces.push(content.subarray(from, range.byteStart), Buffer.from(after));
    from = range.byteEnd;
  }
  return [...pieces, content.subarray(from)];
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
