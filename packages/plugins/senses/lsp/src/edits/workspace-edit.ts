/** What a workspace edit of a server makes of the files, worked out before anything is written. */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { FileChange } from '@tenon/file-tools/api';
import { isBelow, isInside } from '@tenon/host';
import { hasCode } from '../fault-codes.ts';
import { errors } from '../errors.ts';
import { pathOfUri } from '../uris.ts';
import { EditProblem, editBytes, type TextEdit } from './text-edits.ts';

/** The most files that one edit may change. */
const MAX_FILES = 1_000;

/** What an edit needs to know. */
export interface EditPlace {
  readonly server: string;
  /** Real paths; nothing outside of them is changed. */
  readonly workspace: readonly string[];
  /** The version of an open document, as the server knows it. */
  versionOf(path: string): number | undefined;
}

/** A file that changes. */
export interface PlannedFile {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
  /** Where the content was before. */
  readonly from?: string;
  readonly edits: number;
}

/** Everything that changes, with the count of text edits. */
export interface EditPlan {
  readonly files: readonly PlannedFile[];
  readonly edits: number;
}

interface State {
  readonly before: Buffer | undefined;
  now: Buffer | undefined;
  from?: string;
  edits: number;
}

/** Works out a workspace edit. Throws an error that says what is wrong; nothing is written here. */
export function planWorkspaceEdit(edit: unknown, place: EditPlace): Promise<EditPlan> {
  return planOperations(() => operationsOf(edit), place);
}

async function planOperations(operations: () => readonly Operation[], place: EditPlace): Promise<EditPlan> {
  const files = new Map<string, State>();
  try {
    for (const operation of operations()) await carryOut(operation, files, place);
  } catch (fault) {
    if (fault instanceof EditProblem)
      throw errors.create('LSP_EDIT_INVALID', { server: place.server, reason: fault.message }, fault);
    throw fault;
  }
  const changed = [...files].filter(([, { before, now }]) => !same(before, now));
  const planned = changed.map(([path, { before, now, from, edits }]): PlannedFile => ({
    path,
    before,
    after: now,
    edits,
    ...(from !== undefined && now !== undefined && before === undefined && { from }),
  }));
  return { files: planned, edits: planned.reduce((sum, { edits }) => sum + edits, 0) };
}

/** The changes for the service that writes files. New files come first, so that a move never loses a mode. */
export function changesOf({ files }: EditPlan): FileChange[] {
  const rank = ({ after }: PlannedFile) => (after === undefined ? 1 : 0);
  return [...files]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ path, before, after, from }) => ({ path, before, after, ...(from !== undefined && { modeFrom: from }) }));
}

/** Plans the move of a file, or of all files below a folder, after edits that speak of the old places. */
export function planMove(from: string, to: string, edits: readonly unknown[], place: EditPlace): Promise<EditPlan> {
  return planOperations(() => [...edits.flatMap(operationsOf), { kind: 'rename', path: from, to, options: {} }], place);
}

interface Operation {
  readonly kind: string;
  readonly path: string;
  readonly to?: string;
  readonly edits?: readonly TextEdit[];
  readonly version?: number;
  readonly options: {
    readonly overwrite?: unknown;
    readonly ignoreIfExists?: unknown;
    readonly ignoreIfNotExists?: unknown;
  };
}

function operationsOf(edit: unknown): Operation[] {
  const { changes, documentChanges } = (edit ?? {}) as { changes?: unknown; documentChanges?: unknown };
  if (Array.isArray(documentChanges)) return documentChanges.map(operationOf);
  if (typeof changes !== 'object' || changes === null) return [];
  return Object.entries(changes).map(([uri, edits]) => ({
    kind: 'edit',
    path: pathOf(uri),
    edits: editsOf(edits),
    options: {},
  }));
}

function operationOf(change: unknown): Operation {
  const record = (change ?? {}) as Record<string, unknown>;
  const options = (record['options'] ?? {}) as Operation['options'];
  const { kind } = record;
  if (kind === 'create' || kind === 'delete') return { kind, path: pathOf(record['uri']), options };
  if (kind === 'rename') return { kind, path: pathOf(record['oldUri']), to: pathOf(record['newUri']), options };
  const { uri, version } = (record['textDocument'] ?? {}) as { uri?: unknown; version?: unknown };
  return {
    kind: 'edit',
    path: pathOf(uri),
    edits: editsOf(record['edits']),
    ...(typeof version === 'number' && { version }),
    options,
  };
}

function editsOf(edits: unknown): TextEdit[] {
  if (!Array.isArray(edits)) throw new EditProblem('the edits of a file are no list');
  return edits as TextEdit[];
}

function pathOf(uri: unknown): string {
  const path = typeof uri === 'string' ? pathOfUri(uri) : undefined;
  if (path === undefined) throw new EditProblem(`${JSON.stringify(uri) ?? 'nothing'} is not a file`);
  return path;
}

async function carryOut(operation: Operation, files: Map<string, State>, place: EditPlace): Promise<void> {
  const { kind, path, to, edits = [], version, options } = operation;
  if (kind === 'rename' && to !== undefined) return move(path, to, options, files, place);
  if (kind === 'delete' && (await isFolder(path, files))) {
    for (const inner of await filesBelow(path)) (await stateOf(inner, files, place)).now = undefined;
    return;
  }
  const state = await stateOf(path, files, place);
  if (kind === 'create') {
    if (state.now !== undefined && options.ignoreIfExists && !options.overwrite) return;
    if (state.now !== undefined && !options.overwrite) throw new EditProblem(`${path} exists already`);
    state.now = Buffer.alloc(0);
  } else if (kind === 'delete') {
    if (state.now === undefined && !options.ignoreIfNotExists) throw new EditProblem(`${path} does not exist`);
    state.now = undefined;
  } else {
    if (state.now === undefined) throw new EditProblem(`${path} does not exist`);
    const known = place.versionOf(path);
    if (version !== undefined && known !== undefined && version !== known)
      throw new EditProblem(`${path} has changed since the server looked at it`);
    state.now = editBytes(state.now, edits);
    state.edits += edits.length;
  }
}

async function move(
  from: string,
  to: string,
  options: Operation['options'],
  files: Map<string, State>,
  place: EditPlace,
): Promise<void> {
  if (from === to) return;
  if (await isFolder(from, files)) {
    if (isBelow(to, from)) throw new EditProblem(`${from} cannot be moved into itself`);
    const inner = new Set([...(await filesBelow(from)), ...[...files.keys()].filter((path) => isBelow(path, from))]);
    for (const path of inner)
      if ((await stateOf(path, files, place)).now !== undefined)
        await move(path, join(to, relative(from, path)), options, files, place);
    return;
  }
  const [source, target] = [await stateOf(from, files, place), await stateOf(to, files, place)];
  if (source.now === undefined) throw new EditProblem(`${from} does not exist`);
  if (target.now !== undefined && !options.overwrite) {
    if (options.ignoreIfExists) return;
    throw new EditProblem(`${to} exists already`);
  }
  target.now = source.now;
  target.from = source.from ?? from;
  target.edits += source.edits;
  source.now = undefined;
  source.edits = 0;
}

async function stateOf(path: string, files: Map<string, State>, place: EditPlace): Promise<State> {
  const known = files.get(path);
  if (known) return known;
  if (files.size >= MAX_FILES) throw new EditProblem(`it changes more than ${MAX_FILES} files`);
  await checkPlace(path, place);
  const content = await contentOf(path);
  const state: State = { before: content, now: content, edits: 0 };
  files.set(path, state);
  return state;
}

/** Neither the name nor what a link on the way leads to may be outside of the workspace, nor inside of git's own folder. */
async function checkPlace(path: string, { server, workspace }: EditPlace): Promise<void> {
  const real = await realOf(path);
  const home = workspace.find((folder) => isInside(path, folder) && isInside(real, folder));
  if (home === undefined || relative(home, real).split('/').includes('.git'))
    throw errors.create('LSP_EDIT_OUTSIDE', { server, path });
}

/** Where a path leads, also when its last parts do not exist yet. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (fault) {
    const parent = dirname(path);
    if (!hasCode(fault, 'ENOENT') || parent === path) throw new EditProblem(`${path} cannot be looked at`);
    return join(await realOf(parent), relative(parent, path));
  }
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new EditProblem(`${path} is not a file`);
    return await readFile(path);
  } catch (fault) {
    if (hasCode(fault, 'ENOENT')) return undefined;
    throw fault instanceof EditProblem ? fault : new EditProblem(`${path} cannot be read`);
  }
}

async function isFolder(path: string, files: ReadonlyMap<string, State>): Promise<boolean> {
  if (files.has(path)) return false;
  // A link to a folder is no folder here: what is behind it is not the server's to move.
  const stats = await lstat(path).catch(() => undefined); // What cannot be looked at is told when it is read.
  return stats?.isDirectory() ?? false;
}

/** The files below a folder; links and devices are refused, because they would not survive. */
export async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else if (entry.isFile()) found.push(path);
    else throw new EditProblem(`${path} is neither a file nor a folder`);
    if (found.length > MAX_FILES) throw new EditProblem(`${folder} holds more than ${MAX_FILES} files`);
  }
  return found;
}

function same(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
