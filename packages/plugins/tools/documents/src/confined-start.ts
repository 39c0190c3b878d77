/** The words that start a helper where it sees Node, its library, and the files it was given. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { chooseMechanism, type MechanismChoice, type PreparedLaunch, prepareLaunch } from '@tenon/sandbox/api';

/** Files and folders that a helper can see. Absolute, existing, and through no links. */
export interface HelperView {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

const MEMORY_MB = 768;
const SCRATCH_MB = 64;

let choice: Promise<MechanismChoice> | undefined;

/** How to start it, or nothing where no sandbox works. */
export async function confinedStart(library: string, view: HelperView): Promise<PreparedLaunch | undefined> {
  const found = await (choice ??= chooseMechanism('auto'));
  const { mechanism } = found;
  if (mechanism === undefined) return undefined;
  try {
    return await prepareLaunch(
      { ...found, mechanism },
      {
        system: 'node',
        programs: [],
        read: [libraryFolder(library), ...systemLibraries(), ...view.read],
        write: view.write,
        protect: [],
        reserved: [],
        hidden: [],
        workspace: tmpdir(),
        emptyHome: existsSync(homedir()) ? realpathSync(homedir()) : undefined,
        cwd: '/tmp',
        limits: { memoryMb: MEMORY_MB, scratchMb: SCRATCH_MB },
        whenPartial: 'refuse',
      },
    );
  } catch {
    return undefined; // A mechanism that cannot hold this view is as good as none; what runs is checked in any case.
  }
}

/** Parts of the C library that Node itself has not loaded. */
function systemLibraries(): string[] {
  if (process.platform !== 'linux') return [];
  const [, folder] = /\s(\/.*)\/libc\.so[.\d]*$/m.exec(readFileSync('/proc/self/maps', 'utf8')) ?? [];
  if (folder === undefined) return [];
  const names = ['librt.so.1', 'libdl.so.2', 'libpthread.so.0', 'libm.so.6', 'libgcc_s.so.1'];
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

/** The outermost `node_modules`: a library finds its parts there, whoever installed it. */
function libraryFolder(library: string): string {
  const path = realpathSync(library);
  const at = path.indexOf(`${sep}node_modules${sep}`);
  if (at >= 0) return path.slice(0, at + `${sep}node_modules`.length);
  return basename(dirname(path)) === 'dist' ? dirname(dirname(path)) : dirname(path);
}
