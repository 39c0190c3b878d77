/** Which package manager a project uses. The first sign counts: its own field, a lock file, npm. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonObject } from '../read-json.ts';

/** Package managers that Tenon can call. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** A choice, and what it follows from. */
export interface PackageManagerChoice {
  readonly manager: PackageManager;
  /** For people: `yarn.lock`. */
  readonly because: string;
}

const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['yarn.lock', 'yarn'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lockb', 'bun'],
  ['bun.lock', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

function isManager(name: string): name is PackageManager {
  return ['npm', 'pnpm', 'yarn', 'bun'].includes(name);
}

/** Finds it for a folder with a package.json. npm comes with Node, so it is what a project without any sign can be run with. */
export function detectPackageManager(folder: string): PackageManagerChoice {
  const field = readJsonObject(join(folder, 'package.json'))?.['packageManager'];
  const named = typeof field === 'string' ? field.split('@')[0] : undefined;
  if (named !== undefined && isManager(named)) return { manager: named, because: `packageManager ${String(field)}` };
  const lock = LOCK_FILES.find(([file]) => existsSync(join(folder, file)));
  if (lock) return { manager: lock[1], because: lock[0] };
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return { manager: 'pnpm', because: 'pnpm-workspace.yaml' };
  return { manager: 'npm', because: 'no lock file' };
}

/** The words that run a script of the package in the working folder. */
export function runScript(manager: PackageManager, script: string, ...rest: readonly string[]): readonly string[] {
  const more = manager === 'npm' && rest.length > 0 ? ['--', ...rest] : rest;
  return [manager, 'run', script, ...more];
}

/** The words that run a script of another package of the workspace, from its root. */
export function runScriptOf(manager: PackageManager, name: string, script: string): readonly string[] {
  if (manager === 'yarn') return ['yarn', 'workspace', name, 'run', script];
  if (manager === 'pnpm') return ['pnpm', '--filter', name, 'run', script];
  if (manager === 'bun') return ['bun', 'run', '--filter', name, script];
  return ['npm', 'run', script, '--workspace', name];
}
