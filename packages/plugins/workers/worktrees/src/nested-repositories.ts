/**
 * Looks for work in the repositories that a checkout contains. A program in the sandbox may have written their settings, and git would
 * run the programs that these name outside of it: filters, hooks, monitors, ways to a server. So nothing of that is in force here.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from './git.ts';

const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
/** Objects that are missing are not fetched: settings say by which program. */
const OFFLINE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };
const FILTER = String.raw`^filter\..*\.(clean|smudge|process)$`;
const MAX_DEPTH = 8;

type Settings = readonly (readonly [name: string, value: string])[];

/** Settings are given as variables: on a command line, a name with `=` in it would be another one. */
function quiet(folder: string, args: readonly string[], settings: Settings = []) {
  const entries = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const more = { ...OFFLINE, ...Object.fromEntries(entries), GIT_CONFIG_COUNT: String(settings.length) };
  return runGit(folder, [...SAFE, ...args], more);
}

/** The repositories in a folder that hold changes, as paths from it. What cannot be looked at counts as changed. */
export async function changedRepositories(folder: string, depth = 0): Promise<readonly string[]> {
  const { code, out } = await quiet(folder, ['ls-files', '--stage', '-z', '--', ':/']);
  if (code !== 0) return ['.'];
  const paths = out.split('\0').flatMap((entry) => /^160000 [^\t]*\t([^]+)$/.exec(entry)?.[1] ?? []);
  const changed: string[] = [];
  for (const path of new Set(paths)) if (await isChanged(join(folder, path), depth)) changed.push(path);
  return changed;
}

async function isChanged(folder: string, depth: number): Promise<boolean> {
  // A submodule that is not checked out.
  if (!existsSync(join(folder, '.git'))) return false;
  if (depth === MAX_DEPTH) return true;
  const names = await quiet(folder, ['config', '--name-only', '-z', '--get-regexp', FILTER]);
  // 1: there are none.
  if (names.code > 1) return true;
  const off = names.out
    .split('\0')
    .filter(Boolean)
    .flatMap((name): Settings => [
      [name, ''],
      [name.replace(/\.\w+$/, '.required'), 'false'],
    ]);
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty'];
  const { code, out } = await quiet(folder, args, off);
  return code !== 0 || out !== '' || (await changedRepositories(folder, depth + 1)).length > 0;
}
