/**
 * git runs what the configuration and the hooks of a repository name, even for `git status`. Those of the workspace are protected;
 * a repository elsewhere counts as harmless only if it has no hooks and its configuration holds nothing but these keys.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Check } from '../language.ts';

const HARMLESS =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|preloadindex|untrackedcache|sharedrepository)|extensions\.(objectformat|refstorage)|remote\..+\.(url|pushurl|fetch|push|tagopt|prune|gh-resolved)|branch\..+|user\.(name|email)|init\.defaultbranch|pull\..+|push\..+|color\..+|fetch\..+|submodule\..+\.(url|active|path|branch)|submodule\.active|rerere\.enabled|lfs\.repositoryformatversion|maintenance\.(auto|strategy)|gc\.auto)$/;

/** Whether git would run nothing that the repository around a folder names. */
function isHarmless(folder: string): boolean {
  const place = repositoryAround(folder);
  if (place === undefined) return false;
  try {
    const hooks = join(place, 'hooks');
    const hasHooks = existsSync(hooks) && readdirSync(hooks).some((name) => !name.endsWith('.sample'));
    return (
      !hasHooks && keysOf(readFileSync(join(place, 'config'), 'utf8'))?.every((key) => HARMLESS.test(key)) === true
    );
  } catch {
    return false; // What cannot be read is not known.
  }
}

/** The folder of the repository that git would find from here: `.git`, what a `.git` file leads to, or the folder itself. */
function repositoryAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const own = join(at, '.git');
    if (existsSync(own)) return existsSync(join(own, 'HEAD')) ? own : mainOf(own);
    if (existsSync(join(at, 'HEAD')) && existsSync(join(at, 'objects'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where a worktree's `.git` file leads. */
function mainOf(file: string): string | undefined {
  try {
    const [, to] = /^gitdir: (.+)\n?$/.exec(readFileSync(file, 'utf8')) ?? [];
    if (to === undefined) return undefined;
    const place = resolve(dirname(file), to);
    const common = join(place, 'commondir');
    return existsSync(common) ? resolve(place, readFileSync(common, 'utf8').trim()) : place;
  } catch {
    return undefined;
  }
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
    if (!isHarmless(place)) meaning.text('folder-of-code', place);
  },
};
