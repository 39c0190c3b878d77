/** The walk of the JavaScript twin: fast-glob drives it, and our `readdir` decides what it gets to see. */
import { readdir, realpath } from 'node:fs/promises';
import fastGlob from 'fast-glob';
import { NativeError } from '../task.ts';
import type { EntryKind, ScanProblem } from './contract.ts';
import { comparePaths, nameOf, shown, systemPath } from './js-names.ts';
import { folderRules, hides, type Layer, outsideRules, type Outside } from './js-rules.ts';
import type { FullPolicy } from './request.ts';

/** One entry of a walked tree. */
export interface JsEntry {
  /** Relative to the root; see js-names.ts for names that are not UTF-8. */
  readonly path: string;
  readonly kind: EntryKind;
}

/** The outcome of one walk. */
export interface JsSnapshot {
  readonly root: string;
  /** Depth first, siblings by the bytes of their names. */
  readonly entries: readonly JsEntry[];
  readonly directories: number;
  readonly problems: readonly ScanProblem[];
  readonly problemCount: number;
}

const KEPT_PROBLEMS = 100;

/** Collects what could not be read: all counted, the first hundred by path kept. */
export class ProblemList {
  #all: ScanProblem[] = [];

  /** Adds a failure of the file system, in words. */
  add(path: string, error: unknown): void {
    this.#all.push({ path: shown(path), reason: reasonOf(error) });
  }

  /** Takes over the problems of a walk. */
  addAll(problems: readonly ScanProblem[]): void {
    this.#all.push(...problems);
  }

  get count(): number {
    return this.#all.length;
  }

  /** The kept ones, ordered by path. */
  list(): ScanProblem[] {
    const bytes = (problem: ScanProblem): Buffer => Buffer.from(problem.path);
    return this.#all.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b))).slice(0, KEPT_PROBLEMS);
  }
}

/** The same few phrases as on the native side. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'not found';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOTDIR') return 'not a directory';
  if (code === 'EISDIR') return 'is a directory';
  return error instanceof Error ? error.message : String(error);
}

/** The canonical root, or an error that says what is wrong with it. */
export async function canonicalRoot(path: string): Promise<string> {
  try {
    const root = await realpath(path);
    await readdir(root);
    return root;
  } catch (error) {
    throw new NativeError('failure', `cannot scan ${path}: ${reasonOf(error)}; give an existing directory`);
  }
}

/** What fast-glob asks of a directory entry. */
class Dirent {
  readonly name: string;
  readonly kind: EntryKind;

  constructor(name: string, kind: EntryKind) {
    this.name = name;
    this.kind = kind;
  }

  isFile(): boolean {
    return this.kind === 'file';
  }
  isDirectory(): boolean {
    return this.kind === 'directory';
  }
  isSymbolicLink(): boolean {
    return this.kind === 'symlink';
  }
  isBlockDevice(): boolean {
    return false;
  }
  isCharacterDevice(): boolean {
    return false;
  }
  isFIFO(): boolean {
    return false;
  }
  isSocket(): boolean {
    return false;
  }
}

type ReaddirCallback = (error: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

/** Walks a canonical root. `onFolder` sees the visible entries of each folder while the walk runs. */
export async function walk(
  root: string,
  policy: FullPolicy,
  signal: AbortSignal,
  onFolder?: (entries: JsEntry[]) => void,
): Promise<JsSnapshot> {
  const problems = new ProblemList();
  const onProblem = (path: string, error: unknown): void => problems.add(path, error);
  const outside: Outside | undefined = policy.gitignore ? outsideRules(root, onProblem) : undefined;
  const layers = new Map<string, Layer | undefined>();
  const prefix = root.endsWith('/') ? root : `${root}/`;
  let directories = 0;

  const list = async (folder: string): Promise<Dirent[]> => {
    signal.throwIfAborted();
    directories += 1;
    let dirents: Dirent[];
    try {
      const raw = await readdir(systemPath(folder), { withFileTypes: true, encoding: 'buffer' });
      dirents = raw.map((entry) => new Dirent(nameOf(entry.name as unknown as Buffer), kindOf(entry)));
    } catch (error) {
      const vanished = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!vanished) problems.add(folder.slice(prefix.length), error);
      return [];
    }
    const kinds = new Map(dirents.map(({ name, kind }) => [name, kind]));
    const above = folder === root ? outside?.layer : layers.get(folder.slice(0, folder.lastIndexOf('/')) || '/');
    const layer = outside && folderRules(outside, folder, (name) => kinds.get(name), above, onProblem);
    const base = folder.endsWith('/') ? folder : `${folder}/`;
    const visible = dirents.filter((entry) => {
      if (entry.name === '.git' || (!policy.hidden && entry.name.startsWith('.'))) return false;
      if (entry.kind === 'directory' && entry.name === 'node_modules' && !policy.nodeModules) return false;
      return !(outside && hides(outside, layer, base + entry.name, entry.kind === 'directory'));
    });
    layers.set(folder, layer);
    onFolder?.(visible.map((entry) => ({ path: (base + entry.name).slice(prefix.length), kind: entry.kind })));
    return visible;
  };

  const entries = await fastGlob.async('**', {
    cwd: root,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    objectMode: true,
    unique: false,
    fs: {
      // fast-glob only ever asks for the entries of a folder here; their kinds come with the listing.
      readdir: ((folder: string, _options: unknown, done: ReaddirCallback) => {
        list(folder).then(
          (visible) => done(null, visible),
          (error: NodeJS.ErrnoException) => done(error, []),
        );
      }) as never,
    },
  });
  signal.throwIfAborted();
  const ordered = entries
    .map((entry) => ({ path: entry.path, kind: (entry.dirent as unknown as Dirent).kind }))
    .sort((a, b) => comparePaths(a.path, b.path));
  return { root, entries: ordered, directories, problems: problems.list(), problemCount: problems.count };
}

/** What a listing says an entry is. */
export function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
