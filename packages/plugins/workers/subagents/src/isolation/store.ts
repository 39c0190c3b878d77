/**
 * A git folder of our own that looks at somebody else's files. It has no settings but ours and attributes that turn every conversion off, so
 * that contents are kept byte for byte and no filter, hook or monitor that a repository names is ever run.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitReason, type GitRun, runGit } from '@tenon/host';
import { errors } from './isolation-errors.ts';

/** Commits that only serve a merge are nobody's. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'tenon',
  GIT_AUTHOR_EMAIL: 'tenon@localhost',
  GIT_COMMITTER_NAME: 'tenon',
  GIT_COMMITTER_EMAIL: 'tenon@localhost',
};
const CONVERSIONS = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding'];

/** Facts about a repository whose files are looked at. */
export interface RepositoryFacts {
  readonly objects: string;
  readonly index: string;
  readonly exclude: string;
  readonly format: string;
  readonly gitFolder: string;
}

/** One run of git in a store. */
export interface StoreOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** The index; the store's own when absent. */
  readonly index?: string;
}

/** A store over one folder of files. */
export class Store {
  readonly folder: string;
  readonly files: string;
  readonly #signal: AbortSignal | undefined;

  constructor(folder: string, files: string, signal?: AbortSignal) {
    this.folder = folder;
    this.files = files;
    this.#signal = signal;
  }

  get index(): string {
    return join(this.folder, 'index');
  }

  /** Any end is an answer, except that of the whole work. */
  async try(args: readonly string[], { input, env, index = this.index }: StoreOptions = {}): Promise<GitRun> {
    const place = { GIT_DIR: this.folder, GIT_WORK_TREE: this.files, GIT_INDEX_FILE: index };
    const cwd = existsSync(this.files) ? this.files : this.folder;
    const run = await runGit(cwd, args, {
      env: { ...NOBODY, ...place, ...env },
      signal: this.#signal,
      ...(input !== undefined && { input }),
    });
    if (run.fault === 'missing') throw errors.create('SUBAGENTS_NO_GIT', {});
    if (run.fault === 'stopped') this.#signal?.throwIfAborted();
    return run;
  }

  /** What git prints; an error when it fails. */
  async run(args: readonly string[], options?: StoreOptions): Promise<GitRun> {
    const run = await this.try(args, options);
    if (run.code === 0) return run;
    throw errors.create('SUBAGENTS_WORKSPACE_GIT', {
      command: args[0] ?? '',
      reason: gitReason(run),
      folder: this.files,
    });
  }

  async text(args: readonly string[], options?: StoreOptions): Promise<string> {
    return (await this.run(args, options)).out.trim();
  }

  /** Puts every file that is not ignored into the index, except those of the repositories at `nested`; gives the tree. */
  async snapshot(nested: readonly string[], options: { readonly isLenient?: boolean } = {}): Promise<string> {
    const input = [':/', ...(await this.#notIgnored(nested)).map((path) => `:(top,exclude,literal)${path}`)].join('\0');
    const args = ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'];
    const lenient = options.isLenient === true ? ['--ignore-errors'] : [];
    const { code, err } = await this.try([...args, ...lenient], { input });
    // 1: a file could not be read. It is then in no tree, and nothing is written over it.
    if (code !== 0 && !(options.isLenient === true && code === 1))
      throw errors.create('SUBAGENTS_WORKSPACE_GIT', {
        command: 'add',
        reason: gitReason({ err, code }),
        folder: this.files,
      });
    return this.text(['write-tree', '--missing-ok']);
  }

  /** Git takes a path that is ignored anyway for a mistake. */
  async #notIgnored(paths: readonly string[]): Promise<readonly string[]> {
    if (paths.length === 0) return paths;
    const { out } = await this.try(['check-ignore', '-z', '--stdin'], { input: paths.join('\0') });
    const ignored = new Set(out.split('\0'));
    return paths.filter((path) => !ignored.has(path));
  }

  /** A commit of a tree that nobody else sees. */
  commit(tree: string, ...parents: readonly string[]): Promise<string> {
    return this.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'tenon']);
  }

  /** Makes objects of other stores readable here. */
  borrow(objects: readonly string[]): void {
    writeFileSync(join(this.folder, 'objects/info/alternates'), objects.map((path) => `${quoted(path)}\n`).join(''));
  }
}

function quoted(path: string): string {
  return /^["#]|\n/.test(path) ? JSON.stringify(path) : path;
}

/** Makes the git folder of a store. */
export function makeStore(
  folder: string,
  files: string,
  { objects, format = 'sha1', exclude }: { objects: readonly string[]; format?: string; exclude?: string },
  signal?: AbortSignal,
): Store {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  const isNewFormat = format !== 'sha1';
  const settings = [
    '[core]',
    `\trepositoryformatversion = ${isNewFormat ? 1 : 0}`,
    '\tbare = false',
    '\tlooseCompression = 0',
    '\tautocrlf = false',
    '\tfsync = none',
    '\tattributesFile = /dev/null',
    '[merge]',
    '\trenames = true',
    ...(isNewFormat ? ['[extensions]', `\tobjectFormat = ${format}`] : []),
  ];
  writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(folder, 'info/attributes'), `* ${CONVERSIONS.map((name) => `!${name}`).join(' ')} !diff\n`);
  if (exclude !== undefined) writeFileSync(join(folder, 'info/exclude'), exclude);
  const store = new Store(folder, files, signal);
  store.borrow(objects);
  return store;
}

/** Facts about the repository whose `.git` lies in a folder; nothing where there is none. Only files are read. */
export async function factsOf(files: string, signal?: AbortSignal): Promise<RepositoryFacts | undefined> {
  const paths = ['objects', 'index', 'info/exclude'].flatMap((path) => ['--git-path', path]);
  const args = ['rev-parse', '--path-format=absolute', '--show-object-format', '--absolute-git-dir', ...paths];
  // A `.git` that is none would lead git to the repository around it.
  const run = await runGit(files, args, { signal, env: { GIT_CEILING_DIRECTORIES: dirname(files) } });
  if (run.fault === 'missing') throw errors.create('SUBAGENTS_NO_GIT', {});
  if (run.code !== 0) return undefined;
  const [format = '', gitFolder = '', objects = '', index = '', exclude = ''] = run.out.split('\n');
  return { format, gitFolder, objects, index, exclude };
}

/** Copies an index with its time: git reads a file again that is as new as the index. Times are rounded, so it is made a little older. */
export function copyIndex(from: string, to: string): void {
  const { atimeMs, mtimeMs } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atimeMs / 1000, (mtimeMs - 10) / 1000);
}

/**
 * Begins a store's index with that of the repository, whose notes about sizes and times save reading every file. Entries that git converts
 * are left out, because the repository has other bytes of them than the folder, and so are repositories.
 */
export async function adoptIndex(store: Store, facts: RepositoryFacts, signal?: AbortSignal): Promise<void> {
  if (!existsSync(facts.index)) return;
  copyIndex(facts.index, store.index);
  const listed = await store.try(['ls-files', '--stage', '-z']);
  // An index that needs files beside it cannot be copied; then everything is read.
  if (listed.code !== 0) return rmSync(store.index);
  const entries = listed.bytes.toString('latin1').split('\0').filter(Boolean);
  const links = entries.flatMap((entry) => /^160000 [^\t]*\t([^]+)$/.exec(entry)?.[1] ?? []);
  const paths = entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const converted = await convertedPaths(store.files, facts, paths, signal);
  if (converted === 'all') return rmSync(store.index);
  for (const link of links) converted.add(link);
  if (converted.size === 0) return;
  const input = Buffer.from([...converted].map((path) => `${path}\0`).join(''), 'latin1');
  await store.run(['update-index', '--force-remove', '-z', '--stdin'], { input });
}

/** Of these paths (Latin-1), those of which the repository has other bytes than the folder. */
export async function convertedPaths(
  files: string,
  { gitFolder }: RepositoryFacts,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string> | 'all'> {
  const env = { GIT_DIR: gitFolder, GIT_WORK_TREE: files };
  const autocrlf = await runGit(files, ['config', '--get', 'core.autocrlf'], { signal, env });
  if (/^(?:true|input)/i.test(autocrlf.out)) return 'all';
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  const attributes = await runGit(files, ['check-attr', '-z', '--stdin', ...CONVERSIONS], { signal, env, input });
  if (attributes.code !== 0) return 'all';
  const words = attributes.bytes.toString('latin1').split('\0');
  const converted = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3) if (words[at + 2] !== 'unspecified') converted.add(words[at] ?? '');
  return converted;
}
