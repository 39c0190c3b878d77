/**
 * Names that must not come into being inside a sandbox. Bubblewrap can keep a file or folder unchanged, but not a name unused. So
 * something harmless stands there while confinements need it (an empty folder, which git and this program do not count as
 * anything), and goes afterwards if nobody has used it. Several processes may hold the same name, and one that was killed cannot
 * clean up: each leaves a mark beside the others', and whoever comes next takes away what only the dead have held.
 */
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive, processMark, type ProcessMark, thisProcess } from '@tenon/state-files';
import { privateRoot } from './private-folders.ts';

/** A name to hold. `text` makes it a file with that content, for names that programs read; otherwise it is an empty folder. */
export interface HeldPlace {
  readonly path: string;
  readonly text?: string;
}

interface Mark extends HeldPlace {
  /** Folders around it that were made for it, the outermost first. */
  readonly made: readonly string[];
}

const PLACE = 'place.json';
/** When to look again whether others have ended; later than that, the next sandbox cleans up. */
const AGAIN_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400];
const holders = new Map<string, number>();
let isWatchingExit = false;

/** Holds a name, unless something is there that this program did not put there. Gives the function that lets it go. */
export function hold(place: HeldPlace, registry = registryFolder()): () => void {
  const key = `${registry}\0${place.path}`;
  const count = holders.get(key) ?? 0;
  if (count === 0 && !exclusively(registry, () => take(place, registry))) return () => undefined;
  holders.set(key, count + 1);
  releaseOnExit();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (holders.get(key) ?? 1) - 1;
    if (left > 0) return void holders.set(key, left);
    holders.delete(key);
    const folder = markFolder(registry, place.path);
    if (!letGo(folder, process.pid)) releaseLater(folder);
  };
}

/** Another process needs the name as well: it stays held until that one has ended, too. */
export function passOn(path: string, pid: number, registry = registryFolder()): void {
  const folder = markFolder(registry, path);
  exclusively(registry, () => {
    // Nobody holds it: something of the user's is there.
    if (readMark(folder) === undefined) return;
    writeFileSync(join(folder, String(pid)), JSON.stringify(processMark(pid)), { mode: 0o600 });
  });
}

/** Whether something stands at a path only because a sandbox of some process holds it. */
export function isHeld(path: string, registry = registryFolder()): boolean {
  return readMark(markFolder(registry, path)) !== undefined;
}

/** The same, for one who looks at the path himself: it may be let go of, or taken, while he does. */
export async function lookedAt<T>(
  path: string,
  look: () => Promise<T>,
): Promise<{ readonly found: T; readonly held: boolean }> {
  const wasHeld = isHeld(path);
  const found = await look();
  return { found, held: wasHeld || isHeld(path) };
}

/** Folders that are there only because sandboxes hold names: empty ones, and those around them that hold nothing else. */
export function heldFolders(registry = registryFolder()): string[] {
  const marks = namesIn(registry).flatMap((name) => readMark(join(registry, name)) ?? []);
  const held = new Set(marks.filter(({ text }) => text === undefined).map(({ path }) => path));
  const isBare = (path: string) => namesIn(path).every((name) => held.has(join(path, name)));
  const around = marks.flatMap(({ made }) => made.toReversed());
  for (const path of around) if (isBare(path)) held.add(path);
  return [...held].filter(isBare);
}

/** Takes away what processes have left behind that are gone. */
export function releaseAbandoned(registry = registryFolder()): void {
  for (const name of namesIn(registry)) {
    const folder = join(registry, name);
    const gone = pidsIn(folder).find((pid) => !isHolding(folder, pid));
    if (gone !== undefined) letGo(folder, gone);
  }
}

const LOCK = 'lock';
/** Taking and letting go take a millisecond; a program that is stopped in between for so long is not waited for any more. */
const LOCK_MS = 2_000;
const LOOK_MS = 1;

/**
 * One process at a time takes or lets go. Otherwise one that looks between the end of a mark and that of its folder takes the folder for somebody's own, and its
 * sandbox cannot start because the folder is gone by then.
 */
function exclusively<T>(registry: string, work: () => T): T {
  mkdirSync(registry, { recursive: true, mode: 0o700 });
  const lock = join(registry, LOCK);
  const end = performance.now() + LOCK_MS;
  while (!isLocked(lock)) {
    if (performance.now() > end || !isHolding(registry, LOCK)) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** True when this call has made the lock. */
function isLocked(lock: string): boolean {
  try {
    writeFileSync(lock, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  }
}

function letGo(folder: string, pid: number): boolean {
  return exclusively(dirname(folder), () => release(folder, pid));
}

function take({ path, text }: HeldPlace, registry: string): boolean {
  const folder = markFolder(registry, path);
  const known = readMark(folder);
  if (known === undefined && lstatSync(path, { throwIfNoEntry: false })) return false;
  // The mark first: another process that lets go at this moment sees that the name is still needed.
  markHolder(folder);
  const missing = foldersMissing(dirname(path));
  if (known === undefined) writeMark(join(folder, PLACE), { path, ...(text !== undefined && { text }), made: missing });
  try {
    for (const parent of missing) mkdirSync(parent);
    if (text === undefined) mkdirSync(path);
    else writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
  } catch {
    // It exists by now, or nobody can make it: both are as good. Bubblewrap refuses to start where neither holds.
  }
  return true;
}

/** Whoever lets go last removes the folder, perhaps between its making and the mark: then it is made again. */
function markHolder(folder: string): void {
  for (let left = 100; ; left--) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      return writeFileSync(join(folder, String(process.pid)), JSON.stringify(thisProcess()), { mode: 0o600 });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw fault;
    }
  }
}

/** Lets go for one process, and for others that are gone; false while somebody still needs the name. */
function release(folder: string, pid: number): boolean {
  rmSync(join(folder, String(pid)), { force: true });
  const others = pidsIn(folder);
  const gone = others.filter((other) => !isHolding(folder, other));
  for (const other of gone) rmSync(join(folder, String(other)), { force: true });
  if (gone.length < others.length) return false;
  const mark = readMark(folder);
  try {
    // Before its mark: what has none is somebody's own.
    if (mark && mark.text === undefined) rmdirSync(mark.path);
    else if (mark?.text !== undefined && isUntouched(mark.path, mark.text)) unlinkSync(mark.path);
  } catch {
    // Somebody has put something there, or has removed it: it is theirs now.
  }
  rmSync(folder, { recursive: true, force: true });
  if (mark) removeMade(mark.made, dirname(folder));
  return true;
}

/** A process that the name was passed on to says when it is done just before it ends, and cannot let go itself. */
function releaseLater(folder: string, waits = AGAIN_MS): void {
  const [wait, ...rest] = waits;
  if (wait === undefined) return;
  setTimeout(() => {
    if (!letGo(folder, 0)) releaseLater(folder, rest);
  }, wait).unref();
}

/** Removes folders that were made for a name, the innermost first. One that holds other held names goes with the last of those. */
function removeMade(made: readonly string[], registry: string): void {
  const left = [...made];
  try {
    for (let folder = left.at(-1); folder !== undefined; folder = left.at(-1)) {
      rmdirSync(folder);
      left.pop();
    }
  } catch {
    // Something is in it, or it is gone already. What is not held is somebody's own.
    handOver(left, registry);
  }
}

/** Notes folders with a name that is still held in the innermost of them, so that they go with it. */
function handOver(made: readonly string[], registry: string): void {
  const around = made.at(-1);
  for (const name of around === undefined ? [] : namesIn(registry)) {
    const folder = join(registry, name);
    const mark = readMark(folder);
    if (mark === undefined || !mark.path.startsWith(`${around}/`)) continue;
    try {
      // In one step: whoever reads a part of it would take the name for free.
      const fresh = join(folder, `${PLACE}.${process.pid}`);
      writeMark(fresh, { ...mark, made: [...new Set([...made, ...mark.made])] });
      renameSync(fresh, join(folder, PLACE));
      return;
    } catch {
      // Let go in this moment; there may be another.
    }
  }
}

function isUntouched(path: string, text: string): boolean {
  return lstatSync(path).isFile() && readFileSync(path, 'utf8') === text;
}

function foldersMissing(folder: string): string[] {
  const missing: string[] = [];
  for (let path = folder; !lstatSync(path, { throwIfNoEntry: false }); path = dirname(path)) missing.unshift(path);
  return missing;
}

function writeMark(file: string, mark: Mark): void {
  writeFileSync(file, JSON.stringify(mark), { mode: 0o600 });
}

function readMark(folder: string): Mark | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, PLACE), 'utf8')) as Mark;
  } catch {
    return undefined; // Nobody holds it.
  }
}

function markFolder(registry: string, path: string): string {
  return join(registry, createHash('sha256').update(path).digest('hex').slice(0, 24));
}

/** No sandbox shows it: a mark says what is to be removed. */
function registryFolder(): string {
  return join(privateRoot(), 'held');
}

/** Ids of processes are used again, after a restart of the machine at the latest. */
function isHolding(folder: string, name: number | string): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(join(folder, String(name)), 'utf8')) as ProcessMark);
  } catch {
    // It is being written just now.
    return typeof name === 'string' || isAlive({ pid: name, host: hostname(), started: '' });
  }
}

function pidsIn(folder: string): number[] {
  return namesIn(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function namesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  try {
    return readdirSync(folder);
  } catch (fault) {
    // Another program let go of it in this moment, and may have taken it again since.
    if (/^(?:ENOENT|ENOTDIR)$/.test((fault as NodeJS.ErrnoException).code ?? '')) return [];
    throw fault;
  }
}

/** A program that ends without letting go leaves nothing behind. */
function releaseOnExit(): void {
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.once('exit', () => {
    for (const key of holders.keys()) {
      const [registry = '', path = ''] = key.split('\0');
      letGo(markFolder(registry, path), process.pid);
    }
  });
}
