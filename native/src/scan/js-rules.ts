/** The ignore rules of the walk; the same sources and precedence as in crates/scan/src/rules.rs, on the `ignore` package. */
import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { systemPath } from './js-names.ts';

/** `true` hides, `false` shows, `undefined` leaves it to the next source. */
type Verdict = boolean | undefined;

interface Rules {
  verdict(path: string, isDirectory: boolean): Verdict;
}

/** The rule files of one folder, linked to those of the folders above. */
export interface Layer {
  readonly folder: string;
  readonly dotIgnore: Rules | undefined;
  readonly gitignore: Rules | undefined;
  /** Set where a repository starts. */
  readonly repository: { readonly exclude: Rules | undefined } | undefined;
  readonly parent: Layer | undefined;
}

/** Told about a rule file that exists but cannot be read. */
export type OnProblem = (path: string, error: unknown) => void;

/** Everything about rules that a walk knows before it reads its root. */
export interface Outside {
  readonly layer: Layer | undefined;
  readonly global: Rules | undefined;
  readonly globalFolder: string;
}

/** Reads the global excludes and the rule files between the repository's top and `root`. */
export function outsideRules(root: string, onProblem: OnProblem): Outside {
  const globalFile = globalExcludes();
  const global = globalFile === undefined ? undefined : readRules(globalFile, onProblem);
  const above = ancestors(root);
  const top = exists(join(root, '.git')) ? -1 : above.findIndex((folder) => exists(join(folder, '.git')));
  let layer: Layer | undefined;
  for (const folder of above.slice(0, top + 1).toReversed()) {
    const has = (name: string): boolean => exists(join(folder, name));
    layer = folderRules(folder, has, layer, onProblem);
  }
  return { layer, global, globalFolder: above[top] ?? root };
}

/** The layer of a folder, or its parent's when it has no rule files. */
export function folderRules(
  folder: string,
  has: (name: string) => boolean,
  parent: Layer | undefined,
  onProblem: OnProblem,
): Layer | undefined {
  const repository = has('.git');
  if (!repository && !has('.ignore') && !has('.gitignore')) return parent;
  const read = (name: string): Rules | undefined => (has(name) ? readRules(join(folder, name), onProblem) : undefined);
  return {
    folder,
    dotIgnore: read('.ignore'),
    gitignore: read('.gitignore'),
    repository: repository ? { exclude: readRules(excludeFile(folder), onProblem) } : undefined,
    parent,
  };
}

/** True when the rules hide the entry at an absolute path. */
export function hides(outside: Outside, layer: Layer | undefined, path: string, isDirectory: boolean): boolean {
  const judge = (rules: Rules | undefined, folder: string): Verdict =>
    rules?.verdict(bytesAsText(path.slice(folder.endsWith('/') ? folder.length : folder.length + 1)), isDirectory);
  for (let at = layer; at; at = at.parent) {
    const verdict = judge(at.dotIgnore, at.folder);
    if (verdict !== undefined) return verdict;
  }
  for (let at = layer; at; at = at.parent) {
    const verdict = judge(at.gitignore, at.folder) ?? judge(at.repository?.exclude, at.folder);
    if (verdict !== undefined) return verdict;
    if (at.repository) break;
  }
  return judge(outside.global, outside.globalFolder) ?? false;
}

/** One path against the rules, without its parents: the walk has already decided about those, with all sources. */
interface SinglePathTest {
  test(path: string, mode: 'regex'): { readonly ignored: boolean; readonly unignored: boolean };
}

function singlePathTest(rules: Ignore): SinglePathTest['test'] {
  const manager: unknown = Reflect.get(rules, '_rules');
  if (typeof manager === 'object' && manager !== null && 'test' in manager && typeof manager.test === 'function') {
    return (path, mode) => (manager as SinglePathTest).test(path, mode);
  }
  // A release without that method: the public test differs only where another source shows a parent again.
  return (path) => rules.test(path);
}

// oxlint-disable-next-line no-control-regex -- the whole ASCII range is meant
const ASCII = /^[\0-\x7f]*$/u;

/** One character per byte: git matches bytes, so its `?` is one byte and not one character. */
function bytesAsText(path: string): string {
  return ASCII.test(path) ? path : Buffer.from(systemPath(path)).toString('latin1');
}

function readRules(file: string, onProblem: OnProblem): Rules | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'EISDIR' && code !== 'ENOTDIR') onProblem(file, error);
    return undefined;
  }
  const text = content.toString('latin1').replace(/^\u00ef\u00bb\u00bf/u, '');
  const lines = text.split('\n').map((line) => line.replace(/\r$/u, ''));
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(lines);
  const test = singlePathTest(rules);
  return {
    verdict(path, isDirectory) {
      const { ignored, unignored } = test(isDirectory ? `${path}/` : path, 'regex');
      return ignored ? true : unignored ? false : undefined;
    },
  };
}

/** `info/exclude` of a repository. In a work tree `.git` is a file that leads to the main one. */
function excludeFile(folder: string): string {
  const dotGit = join(folder, '.git');
  const link = readText(dotGit)?.split('\n')[0];
  if (link === undefined || !link.startsWith('gitdir:')) return join(dotGit, 'info', 'exclude');
  const gitDir = resolve(folder, link.slice('gitdir:'.length).trim());
  const common = readText(join(gitDir, 'commondir'));
  return join(common === undefined ? gitDir : resolve(gitDir, common.trim()), 'info', 'exclude');
}

/** The user's excludes file: as configured, or at git's default path. */
function globalExcludes(): string | undefined {
  const home = process.env['HOME'] ?? homedir();
  const configHome = process.env['XDG_CONFIG_HOME'] || join(home, '.config');
  for (const config of [join(home, '.gitconfig'), join(configHome, 'git', 'config')]) {
    const set = readText(config)?.match(/^[ \t]*excludesfile[ \t]*=[ \t]*"?[ \t]*(\S+?)[ \t]*"?[ \t]*$/imu)?.[1];
    if (set !== undefined) return set.startsWith('~') ? set.replace('~', home) : set;
  }
  return join(configHome, 'git', 'ignore');
}

/** A small text file, or nothing where there is none or it cannot be read, as for git. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not allowed to look: nothing that could be read lies there either.
    return false;
  }
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestors(parent)];
}
