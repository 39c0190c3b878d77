/** Finds programs as a shell would. */
import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** What is asked of the system; tests look at others than this one. */
export interface ProgramSight {
  readonly platform: NodeJS.Platform;
  /** Whether there is a file that can be run. */
  isProgram(path: string): boolean;
}

const HERE: ProgramSight = { platform: process.platform, isProgram };
/** What Windows can start without a shell's help. `.cmd` and `.bat` need one, but they are what npm installs. */
const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

/** Where a program is: its path as it is, or the first match in PATH; undefined when it is not there or cannot be run. Relative entries of PATH never count. */
export function findInPath(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string = process.cwd(),
  sight: ProgramSight = HERE,
): string | undefined {
  if (program === '') return undefined;
  const isWindows = sight.platform === 'win32';
  const { delimiter, isAbsolute, join, resolve } = isWindows ? win32 : posix;
  const names = isWindows ? windowsNames(program, env) : [program];
  const isPath = program.includes('/') || (isWindows && program.includes('\\'));
  const folders = isPath ? [cwd] : (variable('PATH', env, isWindows) ?? '').split(delimiter).filter(isAbsolute);
  const place = isPath ? resolve : join;
  return folders.flatMap((folder) => names.map((name) => place(folder, name))).find((path) => sight.isProgram(path));
}

/** A program of Windows is mostly named without its ending. */
function windowsNames(program: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const endings = (variable('PATHEXT', env, true) || WINDOWS_ENDINGS).split(';').filter(Boolean);
  const isWhole = endings.some((ending) => program.toLowerCase().endsWith(ending.toLowerCase()));
  return isWhole ? [program] : endings.map((ending) => `${program}${ending.toLowerCase()}`);
}

/** Windows does not tell the letters of variables apart, and writes `Path`; a copy of its environment does. */
function variable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isWindows: boolean,
): string | undefined {
  if (!isWindows || env[name] !== undefined) return env[name];
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Not there, or not for us.
  }
}
