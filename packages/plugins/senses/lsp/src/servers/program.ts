/** Finds the program of a server: in the project when it is trusted, in PATH, or in Tenon's own packages. */
import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { findInPath, isInside } from '@tenon/host';
import type { LanguageServerData } from '../api.ts';

/** A program that can be started. */
export interface FoundProgram {
  /** The words that start it, without the server's arguments. */
  readonly words: readonly string[];
  readonly path: string;
  /** Folders that it must be able to read. */
  readonly reads: readonly string[];
  /** True when the project itself brings it. */
  readonly ofProject: boolean;
}

/** Where programs are looked for. */
export interface ProgramPlace {
  readonly root: string;
  /** The top of the workspace. */
  readonly top: string;
  /** Whether programs of the workspace may run. */
  readonly trusted: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where projects keep programs. */
const PROJECT_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin', 'env/bin', 'vendor/bin'];

/** Finds the program; undefined when it is not there, may not run, or is too old. */
export function findProgram(
  { command, npm }: Pick<LanguageServerData, 'command' | 'npm'>,
  place: ProgramPlace,
): FoundProgram | undefined {
  const candidates = [...inProject(command, place), ...inPath(command, place), ...ofOurs(command, npm)];
  return candidates.find(({ path }) => npm === undefined || isNewEnough(path, npm));
}

function* inProject(command: string, { root, top, trusted }: ProgramPlace): Generator<FoundProgram> {
  if (!trusted) return;
  if (command.includes('/')) {
    const path = findInPath(command, {}, root);
    if (path !== undefined && isInside(path, top)) yield program(path, true);
    return;
  }
  for (let folder = root; isInside(folder, top); folder = dirname(folder)) {
    for (const name of PROJECT_FOLDERS) {
      const path = findInPath(join(folder, name, command), {});
      if (path !== undefined) yield program(path, true);
    }
    if (folder === top) return;
  }
}

function* inPath(command: string, { top, trusted, env }: ProgramPlace): Generator<FoundProgram> {
  const path = command.startsWith('/') || !command.includes('/') ? findInPath(command, env) : undefined;
  if (path === undefined) return;
  const ofProject = isInside(realpathSync(path), top) || isInside(path, top);
  if (!ofProject || trusted) yield program(path, ofProject);
}

/** Tenon's own copy, where it runs from a checkout. */
function* ofOurs(command: string, npm: LanguageServerData['npm']): Generator<FoundProgram> {
  if (npm === undefined) return;
  for (const base of createRequire(import.meta.url).resolve.paths(npm.name) ?? []) {
    const path = findInPath(join(base, '.bin', command), {});
    if (path !== undefined && existsSync(join(base, npm.name, 'package.json'))) yield program(path, false);
  }
}

function program(path: string, ofProject: boolean): FoundProgram {
  const real = realpathSync(path);
  // A script for Node is started with the Node that runs: another one may be first in PATH, or none.
  const words = isNodeScript(real) ? [process.execPath, real] : [path];
  const packages = real.lastIndexOf('/node_modules/');
  const reads = packages < 0 ? [dirname(real)] : [real.slice(0, packages + '/node_modules'.length)];
  return { words, path, reads, ofProject };
}

function isNodeScript(path: string): boolean {
  if (['.js', '.mjs', '.cjs'].includes(extname(path))) return true;
  const start = Buffer.alloc(40);
  const file = openSync(path, 'r');
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return /^#!\S*(?:\/env (?:-S )?|\/)node\b/.test(start.toString('latin1'));
}

function isNewEnough(path: string, { name, atLeast }: NonNullable<LanguageServerData['npm']>): boolean {
  const real = realpathSync(path);
  const at = real.lastIndexOf(`/${name}/`);
  if (at < 0) return false;
  try {
    const text = readFileSync(join(real.slice(0, at), name, 'package.json'), 'utf8');
    const { version } = JSON.parse(text) as { version?: unknown };
    return Number.parseInt(String(version), 10) >= atLeast;
  } catch {
    return false; // Not the package that it should be.
  }
}
