/** Packages of npm that the command line names: `-e npm:NAME` or `npm:NAME@VERSION`. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';

const SPEC = /^npm:((?:@[\w.-]+\/)?\w[\w.-]*)(?:@([\w.^~*+-]+))?$/;
/** What a package brings may not run while it is installed; peers are Tenon's own modules. */
const FLAGS = ['--ignore-scripts', '--omit=dev', '--omit=peer', '--legacy-peer-deps', '--no-audit', '--no-fund'];

/** Whether a word of the command line names a package and not a path. */
export function isNpmPackage(word: string): boolean {
  return word.startsWith('npm:');
}

/** The folder of a package: where pi or oh-my-pi has installed it, else in Tenon's cache, where it is installed first. */
export async function npmPackage(
  word: string,
  { home, cache }: { readonly home: string; readonly cache: string },
): Promise<string> {
  const [, name, version] = SPEC.exec(word) ?? [];
  if (name === undefined) throw new Error('it is not the name of an npm package; write npm:NAME or npm:NAME@VERSION');
  const installed = [join(home, '.pi', 'agent', 'npm'), join(home, '.omp', 'plugins')]
    .map((root) => join(root, 'node_modules', name))
    .find((folder) => existsSync(folder) && (version === undefined || versionOf(folder) === version));
  if (installed !== undefined) return installed;
  const wanted = version === undefined ? name : `${name}@${version}`;
  const folder = join(cache, 'extensions', wanted.replaceAll(/[^\w.@-]/g, '+'));
  if (!existsSync(folder)) await install(wanted, folder);
  return join(folder, 'node_modules', name);
}

async function install(wanted: string, folder: string): Promise<void> {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  // Beside its place first: another Tenon must not find half of it.
  const draft = mkdtempSync(join(parent, '.installing-'));
  try {
    writeFileSync(join(draft, 'package.json'), '{"private": true}\n');
    await promisify(execFile)('npm', ['install', ...FLAGS, '--', wanted], { cwd: draft });
    renameSync(draft, folder);
  } catch (fault) {
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(folder)) return; // another Tenon was quicker
    const said = String((fault as { stderr?: unknown }).stderr ?? messageOf(fault));
    const reason = /npm (?:error|ERR!) (?!code)(.+)/.exec(said)?.[1] ?? messageOf(fault).split('\n')[0];
    throw errors.create('PI_COMPAT_NPM', { package: wanted, reason }, fault);
  }
}

function versionOf(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string }).version;
  } catch {
    return undefined; // A broken install is none: another one is made.
  }
}
