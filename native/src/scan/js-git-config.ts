/** What git's configuration says about ignore files, as in crates/scan/src/git_config.rs. Paths are in js-names' form. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readConfigFile } from './js-config-file.ts';
import { bytesAsText, nameOf, systemPath } from './js-names.ts';
import { lower, wildcards } from './js-wildmatch.ts';

/** Where a repository keeps its files. In a work tree the two differ. */
export interface Repository {
  readonly gitDir: string;
  readonly commonDir: string;
}

/** The settings that matter for ignore files. */
export interface GitConfig {
  /** The user's own ignore file. */
  readonly excludesFile: string | undefined;
  readonly ignoreCase: boolean;
}

/** Told about a file that cannot be used: a failure of the file system, or a reason in words. */
export type OnProblem = (path: string, problem: unknown) => void;

/** The repository whose top is `folder`; nothing where `.git` is something else, as for git. */
export function repositoryAt(folder: string): Repository | undefined {
  const dotGit = join(folder, '.git');
  const link = contentOf(dotGit);
  if (link !== undefined && !link.startsWith('gitdir:')) return undefined;
  const gitDir = link === undefined ? dotGit : resolve(folder, named(link.slice('gitdir:'.length).trim()));
  const common = contentOf(join(gitDir, 'commondir'));
  const commonDir = common === undefined ? gitDir : resolve(gitDir, named(common.trim()));
  const isWhole =
    isThere(join(gitDir, 'HEAD')) &&
    existsSync(systemPath(join(commonDir, 'objects'))) &&
    existsSync(systemPath(join(commonDir, 'refs')));
  return isWhole ? { gitDir, commonDir } : undefined;
}

/** Reads the configuration for a repository whose top is `folder`, or for a folder without one. */
export function readGitConfig(repository: Repository | undefined, folder: string, onProblem: OnProblem): GitConfig {
  const values = new Reader(repository, onProblem).all();
  const set = values.excludesFile;
  if (set === undefined) {
    const user = userFolder();
    return { excludesFile: user && join(user, 'git', 'ignore'), ignoreCase: values.ignoreCase };
  }
  return { excludesFile: set === '' ? undefined : resolve(folder, named(set)), ignoreCase: values.ignoreCase };
}

/** Files that include files that include files… */
const DEEPEST = 10;

class Reader {
  excludesFile: string | undefined;
  ignoreCase = false;
  urls: string[] = [];
  #hasWorktreeFile = false;
  /** Git would have given up; files that include each other several times would take long. */
  #isTooDeep = false;
  readonly #repository: Repository | undefined;
  readonly #onProblem: OnProblem;
  readonly #isGathering: boolean;

  constructor(repository: Repository | undefined, onProblem: OnProblem, isGathering = false) {
    this.#repository = repository;
    this.#onProblem = onProblem;
    this.#isGathering = isGathering;
  }

  /** Reads everything in git's order; the last value wins. */
  all(): this {
    const { env } = process;
    if (env['GIT_CONFIG_NOSYSTEM'] === undefined || !isTrue(env['GIT_CONFIG_NOSYSTEM'])) {
      this.#file(env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig', 0);
    }
    const user = userFolder();
    const home = env['HOME'];
    const global = env['GIT_CONFIG_GLOBAL'];
    if (global !== undefined) {
      this.#file(global, 0);
    } else {
      if (user !== undefined) this.#file(join(user, 'git', 'config'), 0);
      if (home !== undefined) this.#file(join(home, '.gitconfig'), 0);
    }
    if (this.#repository) {
      this.#file(join(this.#repository.commonDir, 'config'), 0);
      if (this.#hasWorktreeFile) this.#file(join(this.#repository.gitDir, 'config.worktree'), 0);
    }
    const count = Number(/^\d+$/u.exec(env['GIT_CONFIG_COUNT'] ?? '')?.[0] ?? 0);
    for (let index = 0; index < count; index += 1) {
      const key = env[`GIT_CONFIG_KEY_${index}`];
      const value = env[`GIT_CONFIG_VALUE_${index}`];
      if (key === undefined || value === undefined) break;
      this.#set(lower(key), bytesAsText(value), 'GIT_CONFIG_COUNT');
    }
    return this;
  }

  #file(path: string, depth: number): void {
    let content: Buffer;
    try {
      content = readFileSync(systemPath(path));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      // Git goes on without the files of the user and the machine that it may not read.
      const isAbsent = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code);
      if (!isAbsent && !this.#isGathering) this.#onProblem(path, error);
      return;
    }
    const { entries, wrongLine } = readConfigFile(content);
    for (const { key, value } of entries) {
      const condition = /^includeif\.(.*)\.path$/su.exec(key)?.[1];
      if (condition === undefined ? key !== 'include.path' : !this.#holds(condition, path)) {
        this.#set(key, value, path);
        continue;
      }
      const target = this.#expanded(value, 'an included path', path);
      if (target === undefined || this.#isTooDeep) continue;
      const included = resolve(dirname(path), named(target));
      if (depth < DEEPEST) this.#file(included, depth + 1);
      else if (isThere(included)) {
        this.#isTooDeep = true;
        this.#refuse(path, 'files include each other too deeply');
      }
    }
    if (wrongLine !== undefined) this.#refuse(path, `line ${wrongLine} is no git configuration`);
  }

  /** Tells about something that git would not work with. */
  #refuse(path: string, what: string): void {
    if (!this.#isGathering) this.#onProblem(path, `${what}; git config --list says more`);
  }

  #expanded(value: string | undefined, what: string, path: string): string | undefined {
    const target = value === undefined ? undefined : expanded(value);
    if (target === undefined) this.#refuse(path, `${what} leads nowhere`);
    return target;
  }

  #set(key: string, value: string | undefined, path: string): void {
    if (key === 'core.excludesfile') this.excludesFile = this.#expanded(value, 'core.excludesFile', path);
    else if (key === 'core.ignorecase') this.ignoreCase = isTrue(value);
    else if (key === 'extensions.worktreeconfig') this.#hasWorktreeFile = isTrue(value);
    else if (this.#isGathering && value !== undefined && /^remote\..*\.url$/su.test(key)) this.urls.push(value);
  }

  /** True when an `includeIf` in the file at `path` applies. */
  #holds(condition: string, path: string): boolean {
    const repository = this.#repository;
    if (!repository) return false;
    const [, kind = '', pattern = ''] =
      /^(gitdir|gitdir\/i|onbranch|hasconfig:remote\.\*\.url):(.*)$/su.exec(condition) ?? [];
    if (kind === 'gitdir' || kind === 'gitdir/i') return isGitDir(repository, pattern, path, kind === 'gitdir/i');
    if (kind === 'onbranch') {
      const name = /^ref:\s*refs\/heads\/(.*?)\s*$/su.exec(contentOf(join(repository.gitDir, 'HEAD')) ?? '')?.[1];
      return name !== undefined && matches(withEverythingBelow(pattern), name, false);
    }
    if (kind === '' || this.#isGathering) return false;
    const { urls } = new Reader(repository, this.#onProblem, true).all();
    return urls.some((url) => matches(pattern, url, false));
  }
}

function isGitDir(repository: Repository, condition: string, path: string, fold: boolean): boolean {
  const home = process.env['HOME'];
  let pattern = expanded(condition) ?? '';
  if (/^~(?:\/|$)/u.test(condition)) {
    if (home === undefined) return false;
    pattern = bytesAsText(real(home)) + condition.slice(1);
  }
  // What the dot stands for is compared letter by letter: its folders may have names with asterisks.
  let plain = 0;
  if (pattern.startsWith('./')) {
    const folder = bytesAsText(dirname(real(path)));
    plain = folder.length + 1;
    pattern = folder + pattern.slice(1);
  } else if (!pattern.startsWith('/')) {
    pattern = `**/${pattern}`;
  }
  pattern = withEverythingBelow(pattern);
  const same = fold ? lower : (text: string): string => text;
  return [real(repository.gitDir), repository.gitDir].map(bytesAsText).some((text) => {
    if (text.length < plain || same(text.slice(0, plain)) !== same(pattern.slice(0, plain))) return false;
    return matches(pattern.slice(plain), text.slice(plain), fold);
  });
}

function matches(pattern: string, text: string, fold: boolean): boolean {
  return wildcards(pattern, fold)?.(text) ?? false;
}

function withEverythingBelow(pattern: string): string {
  return pattern.endsWith('/') ? `${pattern}**` : pattern;
}

/** A path with its `~` or `~name` replaced; nothing when that home is not known. */
function expanded(path: string): string | undefined {
  const [whole, user] = /^~([^/]*)/u.exec(path) ?? [];
  if (whole === undefined) return path;
  const home = user === '' ? process.env['HOME'] : homeOf(user ?? '');
  return home === undefined ? undefined : bytesAsText(home) + path.slice(whole.length);
}

function homeOf(user: string): string | undefined {
  const lines = contentOf('/etc/passwd')?.split('\n') ?? [];
  return lines.map((line) => line.split(':')).find(([name]) => name === user)?.[5];
}

function userFolder(): string | undefined {
  const home = process.env['HOME'];
  return process.env['XDG_CONFIG_HOME'] || (home === undefined ? undefined : join(home, '.config'));
}

/** A key alone is true; so are `true`, `yes`, `on` and every number but zero. */
function isTrue(value: string | undefined): boolean {
  return value === undefined || /^(?:true|yes|on|[-+]?(?=\d).*[1-9].*)$/isu.test(value);
}

/** The name for a path with one character per byte. */
function named(path: string): string {
  return nameOf(Buffer.from(path, 'latin1'));
}

function real(path: string): string {
  try {
    return nameOf(realpathSync(systemPath(path), 'buffer'));
  } catch {
    // It does not exist: the path as it is serves as well.
    return path;
  }
}

/** The bytes of a small file as characters, or nothing where there is none or it cannot be read, as for git. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(systemPath(file), 'latin1');
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not allowed to look: nothing that could be read lies there either.
    return false;
  }
}
