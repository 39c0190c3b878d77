/** The link in `bin` that people call: it always leads to a whole version, also while the package itself is on its way. */
import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isInside } from '@tenon/host';
import { type GlobalPlace, PACKAGE } from './place.ts';

/** Makes `tenon` start the version in a folder, at once. Nothing where npm has put a script instead of a link, or where it is not ours to change. */
export function pointTo({ command }: Pick<GlobalPlace, 'command'>, folder: string): void {
  if (targetOf(command) === undefined) return;
  const made = join(dirname(command), `.${PACKAGE}-link`);
  try {
    rmSync(made, { force: true });
    symlinkSync(relative(dirname(command), join(folder, binOf(folder))), made);
    renameSync(made, command);
  } catch (fault) {
    // The exchange works without it; only who kills it in the middle has to install Tenon anew.
    if (!['EACCES', 'EPERM', 'EROFS'].includes((fault as NodeJS.ErrnoException).code ?? '')) throw fault;
  }
}

/** Whether the link leads into a folder, or is no link. */
export function leadsTo({ command }: Pick<GlobalPlace, 'command'>, folder: string): boolean {
  const target = targetOf(command);
  return target === undefined || isInside(target, folder);
}

function targetOf(command: string): string | undefined {
  try {
    return lstatSync(command).isSymbolicLink() ? resolve(dirname(command), readlinkSync(command)) : undefined;
  } catch {
    return undefined; // There is no command: the package is called by its path.
  }
}

function binOf(folder: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin?: { tenon?: unknown } };
  return typeof bin?.tenon === 'string' ? bin.tenon : 'bin/tenon.mjs';
}
