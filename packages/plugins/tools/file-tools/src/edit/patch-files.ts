/** What the modes with hunks do to files: create, update, delete, move. */
import type { Accelerators } from '@tenon/native';
import { TenonError } from '@tenon/kernel';
import type { EditCall, EditFile, PlannedEdit } from '../api.ts';
import { errors } from '../errors.ts';
import { EditedText } from './carry.ts';
import type { Hunk } from './hunks.ts';
import { placeHunks } from './place-hunks.ts';
import { applyLineEdits, overlapOf, type TextLines, withClosedEnd } from './text-lines.ts';

/** One file's part of a patch. */
export type FilePatch =
  | { readonly op: 'create'; readonly path: string; readonly content: string }
  | { readonly op: 'delete'; readonly path: string }
  | {
      readonly op: 'update';
      readonly path: string;
      readonly hunks: readonly Hunk[];
      readonly moveTo?: string;
      /** How many of the hunks stand in the file's first section, if it has several. */
      readonly firstSection?: number;
    };

/** How patches are read. */
export interface PatchManners {
  /** As Codex does: a last line without a line ending is closed, and new lines are written as they are. */
  readonly asCodex?: boolean;
}

/** Works out all files. */
export async function planPatches(
  patches: readonly FilePatch[],
  call: EditCall,
  hashline: Accelerators['hashline'],
  manners: PatchManners = {},
): Promise<PlannedEdit[]> {
  const edits: PlannedEdit[] = [];
  for (const patch of patches) edits.push(await planPatch(patch, call, hashline, manners));
  return edits;
}

async function planPatch(
  patch: FilePatch,
  call: EditCall,
  hashline: Accelerators['hashline'],
  manners: PatchManners,
): Promise<PlannedEdit> {
  const file = await call.file(patch.path);
  if (patch.op === 'create') {
    if (file.content) throw errors.create('FILE_TOOLS_TARGET_EXISTS', { path: file.shownPath });
    return { file, after: Buffer.from(patch.content) };
  }
  if (!file.content) {
    const code = patch.op === 'delete' ? 'FILE_TOOLS_DELETE_MISSING' : 'FILE_TOOLS_NOT_FOUND';
    throw errors.create(code, { path: file.shownPath });
  }
  if (patch.op === 'delete') {
    const [view] = file.seen;
    if (view && Buffer.compare(view, file.content) !== 0) {
      const details = {
        path: file.shownPath,
        what: 'deleting it would lose that;',
        reason: 'read it again first',
        now: '',
      };
      throw errors.create('FILE_TOOLS_EDIT_STALE', details);
    }
    return { file, after: undefined };
  }
  const target = patch.moveTo === undefined ? undefined : await call.file(patch.moveTo);
  const moveTo = target && target.path !== file.path ? target : undefined;
  if (moveTo?.content) throw errors.create('FILE_TOOLS_TARGET_EXISTS', { path: moveTo.shownPath });
  const { after, warnings } = planHunks(file, file.content, patch, hashline, manners);
  if (!moveTo && after.equals(file.content)) throw errors.create('FILE_TOOLS_NO_CHANGE', { path: file.shownPath });
  return { file, after, warnings, ...(moveTo && { moveTo }) };
}

function planHunks(
  file: EditFile,
  content: Uint8Array,
  { hunks, firstSection }: { readonly hunks: readonly Hunk[]; readonly firstSection?: number },
  hashline: Accelerators['hashline'],
  { asCodex = false }: PatchManners,
): { after: Buffer; warnings: readonly string[] } {
  if (hunks.length === 0) return { after: Buffer.from(content), warnings: [] };
  const text = new EditedText(file, content, hashline);
  const placed = place(text, hunks, asCodex);
  const overlap = overlapOf(placed.edits);
  if (overlap) {
    const lines = overlap.map(({ start }) => start + 1);
    throw errors.create('FILE_TOOLS_HUNK_OVERLAP', {
      first: `at ${lines[0]}`,
      second: `at ${lines[1]}`,
      path: file.shownPath,
    });
  }
  const closed = asCodex ? withClosedEnd(text.now) : text.now;
  // For Codex the next section begins with an empty file, which does not show how lines end.
  const isEmptied =
    asCodex &&
    firstSection !== undefined &&
    planHunks(file, content, { hunks: hunks.slice(0, firstSection) }, hashline, { asCodex }).after.length === 0;
  const now: TextLines = isEmptied ? { ...closed, endings: closed.endings.map(() => '\n') } : closed;
  return { after: text.encode(applyLineEdits(now, placed.edits)), warnings: placed.warnings };
}

/** In what was read, then carried over; hunks that fit only the file as it is now come from a newer look at it. */
function place(text: EditedText, hunks: readonly Hunk[], asCodex: boolean): ReturnType<typeof placeHunks> {
  const path = text.file.shownPath;
  const inSeen = (placing: 'close' | 'fuzzy') => {
    const { edits, warnings } = placeHunks(text.seen.texts, hunks, {
      path,
      isKnown: text.isKnown,
      placing,
      asCodex,
    });
    const carried = text.carry(edits);
    return { edits: carried.edits, warnings: [...warnings, ...carried.warnings] };
  };
  const close = attempt(() => inSeen('close'));
  if (close.ok) return close.value;
  if (text.hasDrifted && close.fault.code === 'FILE_TOOLS_HUNK_NOT_FOUND') {
    const fresh = attempt(() => placeHunks(text.now.texts, hunks, { path, isKnown: false, placing: 'close', asCodex }));
    if (fresh.ok) return fresh.value;
  }
  if (close.fault.code !== 'FILE_TOOLS_HUNK_NOT_FOUND') throw close.fault;
  return inSeen('fuzzy');
}

function attempt<T>(work: () => T): { ok: true; value: T } | { ok: false; fault: TenonError } {
  try {
    return { ok: true, value: work() };
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    return { ok: false, fault };
  }
}
