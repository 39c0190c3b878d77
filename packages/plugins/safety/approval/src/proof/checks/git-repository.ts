/**
 * git runs what the configuration and the hooks of a repository name, even for `git status`. Those of the workspace are protected;
 * a repository elsewhere counts as harmless only if it has no hooks and its configuration holds nothing but these keys.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Check, Meaning } from '../language.ts';

const HARMLESS =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|preloadindex|untrackedcache|sharedrepository)|extensions\.(objectformat|refstorage)|remote\..+\.(url|pushurl|fetch|push|tagopt|prune|gh-resolved)|branch\..+|user\.(name|email)|init\.defaultbranch|pull\..+|push\..+|color\..+|fetch\..+|submodule\..+\.(url|active|path|branch)|submodule\.active|rerere\.enabled|lfs\.repositoryformatversion|maintenance\.(auto|strategy)|gc\.auto)$/;

/** How the index says that an entry is a repository of its own. */
const GITLINK = Buffer.from([0, 0, 0xe0, 0]);

/** A repository: what belongs to this folder alone, and what all its worktrees share. */
interface Repository {
  readonly own: string;
  readonly common: string;
}

/** What cannot bring a repository from elsewhere, nor change one so that it runs something. */
const TAME = /^(mkdir|touch|echo|printf)$/;
const TAME_GIT = new Set(['add', 'branch', 'checkout', 'commit', 'diff', 'log', 'mv', 'rm', 'status', 'switch', 'tag']);
/** A template would bring hooks. */
const TAME_INIT = /^(-q|--quiet|-b|--bare|--initial-branch(=.*)?|[^-].*)$/;

function isTame([program, ...words]: readonly (string | undefined)[]): boolean {
  if (program !== 'git') return TAME.test(program ?? '');
  const [command = '', ...rest] = words[0] === '-C' ? words.slice(2) : words;
  return TAME_GIT.has(command) || (command === 'init' && rest.every((word = '--') => TAME_INIT.test(word)));
}

/** Whether git would run nothing that the repository around a folder names, after these changes. */
function isHarmless(folder: string, changes: Meaning['changes']): boolean {
  if (!changes.every(isTame)) return false;
  try {
    const place = repositoryAround(folder);
    // There is none yet: it is the one that was made here, or git stops.
    if (place === undefined) return changes.some(([program, ...words]) => program === 'git' && words.includes('init'));
    if (mayHoldOthers(place)) return false;
    const { common } = place;
    const hooks = join(common, 'hooks');
    const hasHooks = existsSync(hooks) && readdirSync(hooks).some((name) => !name.endsWith('.sample'));
    return (
      !hasHooks && keysOf(readFileSync(join(common, 'config'), 'utf8'))?.every((key) => HARMLESS.test(key)) === true
    );
  } catch {
    return false; // What cannot be read is not known.
  }
}

/** git looks into the submodules of a repository, and runs what their configuration names. */
function mayHoldOthers({ own, common }: Repository): boolean {
  if (existsSync(join(common, 'modules'))) return true;
  if (readdirSync(own).some((name) => name.startsWith('sharedindex.'))) return true;
  const index = join(own, 'index');
  return existsSync(index) && readFileSync(index).includes(GITLINK);
}

/** The repository that git would find from here: `.git`, what a `.git` file leads to, or the folder itself. */
function repositoryAround(folder: string): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const own = join(at, '.git');
    if (existsSync(own)) return existsSync(join(own, 'HEAD')) ? { own, common: own } : linked(own);
    if (existsSync(join(at, 'HEAD')) && existsSync(join(at, 'objects'))) return { own: at, common: at };
    if (dirname(at) === at) return undefined;
  }
}

/** Where a worktree's `.git` file leads. */
function linked(file: string): Repository | undefined {
  const [, to] = /^gitdir: (.+)\n?$/.exec(readFileSync(file, 'utf8')) ?? [];
  if (to === undefined) return undefined;
  const own = resolve(dirname(file), to);
  const common = join(own, 'commondir');
  return { own, common: existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own };
}

/** The keys of a configuration; undefined for a form that git itself does not write. */
function keysOf(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  let section = '';
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue;
    const head = /^\[([\w.-]+)(?: "([^"\\]*)")?\]$/.exec(line);
    const key = /^([a-z][a-z\d-]*)\s*(?:=.*[^\\]|=)?$/i.exec(line);
    if (head) section = [head[1]?.toLowerCase(), head[2]].filter((part) => part !== undefined).join('.');
    else if (key) keys.push(`${section}.${key[1]?.toLowerCase()}`);
    else return undefined;
  }
  return keys;
}

/** A repository that is not the workspace's. */
export const check: Check = {
  check({ path, flags }, meaning) {
    if (path[1] === 'clone' || path[1] === 'init' || path[1] === 'help' || path[1] === 'version') return;
    const [folder] = flags.get('-C') ?? [];
    const place = resolve(meaning.cwd, folder?.value ?? '.');
    if (!isHarmless(place, meaning.changes)) meaning.text('folder-of-code', place);
  },
};
