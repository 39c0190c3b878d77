/** Finds programs as a shell would. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where a program is: its path as it is, or the first match in PATH; undefined when it is not there or cannot be run. Relative entries of PATH never count. */
export function findInPath(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string = process.cwd(),
): string | undefined {
  if (program === '') return undefined;
  if (program.includes('/')) return isProgram(resolve(cwd, program)) ? resolve(cwd, program) : undefined;
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Not there, or not for us.
  }
}
