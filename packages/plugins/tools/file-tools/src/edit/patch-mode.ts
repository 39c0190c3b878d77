import type { Accelerators } from '@tenon/native';
import { errors } from '../errors.ts';
import type { ModeWork } from './modes.ts';
import { type Hunk, parseHunks } from './hunks.ts';
import { type FilePatch, planPatches } from './patch-files.ts';
import { payloadLines } from './text-lines.ts';

interface PatchEntry {
  readonly path?: string;
  readonly op?: 'create' | 'delete' | 'update';
  readonly rename?: string;
  readonly diff?: string;
}

/** Edits as one diff for each file. */
export function createPatchMode(hashline: () => Promise<Accelerators['hashline']>): ModeWork {
  return {
    touches: (input) => ({ writes: pathsOfEdits(input) }),
    async plan(input, call) {
      const { path, edits } = input as unknown as { path: string; edits: readonly PatchEntry[] };
      const patches = edits.map((entry, index) => readEntry({ path, ...entry }, index + 1));
      return { edits: await planPatches(joinUpdates(patches), call, await hashline()) };
    },
    completePart(input) {
      const entries = Array.isArray(input['edits']) ? (input['edits'] as PatchEntry[]) : [];
      const edits = entries
        .filter(
          (entry) =>
            typeof entry === 'object' && entry !== null && (typeof entry.diff === 'string' || entry.op === 'delete'),
        )
        .map((entry) => (entry.diff === undefined ? entry : { ...entry, diff: wholeHunks(entry.diff) }))
        .filter((entry) => entry.diff !== '');
      return typeof input['path'] === 'string' && edits.length > 0 ? { ...input, edits } : undefined;
    },
  };
}

/** The files of a list of edits, also of one that is still being written. */
export function pathsOfEdits({ path, edits }: Readonly<Record<string, unknown>>): string[] {
  const entries = (Array.isArray(edits) ? edits : []) as readonly (PatchEntry | null)[];
  const named = entries.flatMap((entry) => [entry?.path ?? path, entry?.rename]);
  return (entries.length > 0 ? named : [path]).filter((name) => typeof name === 'string');
}

/** All lines but the last, which may be half of one. A change without what follows it may not be unique yet: that shows as a problem. */
export function wholeHunks(diff: string): string {
  return diff.slice(0, diff.lastIndexOf('\n') + 1);
}

function readEntry({ path = '', op = 'update', rename, diff = '' }: PatchEntry, number: number): FilePatch {
  const fail = (reason: string) => errors.create('FILE_TOOLS_PATCH', { reason: `edit ${number}: ${reason}.` });
  if (op === 'delete') return { op, path };
  if (op === 'create') {
    const lines = payloadLines(diff);
    const stray = lines.findIndex((line) => !line.startsWith('+'));
    if (stray >= 0) throw fail(`line ${stray + 1} of a new file must start with "+"`);
    return { op, path, content: lines.map((line) => `${line.slice(1)}\n`).join('') };
  }
  if (diff.trim() === '' && rename !== undefined) return { op, path, hunks: [], moveTo: rename };
  const parsed = parseHunks(diff);
  if ('problem' in parsed) throw fail(parsed.problem);
  return { op, path, hunks: parsed.hunks, ...(rename !== undefined && { moveTo: rename }) };
}

/** All updates of a file speak about the same file. */
export function joinUpdates(patches: readonly FilePatch[]): FilePatch[] {
  const joined: FilePatch[] = [];
  for (const patch of patches) {
    const index = joined.findIndex((other) => other.op === 'update' && other.path === patch.path);
    const known = joined[index];
    if (patch.op !== 'update' || known?.op !== 'update') joined.push(patch);
    else {
      const hunks: readonly Hunk[] = [...known.hunks, ...patch.hunks];
      const moveTo = patch.moveTo ?? known.moveTo;
      const firstSection = known.firstSection ?? known.hunks.length;
      joined[index] = { ...known, hunks, firstSection, ...(moveTo !== undefined && { moveTo }) };
    }
  }
  return joined;
}
