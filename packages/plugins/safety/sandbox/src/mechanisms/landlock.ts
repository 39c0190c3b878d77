/**
 * Confinement by Landlock and seccomp: a short program restricts itself for good and then becomes the program that was asked
 * for. Landlock only allows, beneath a folder and all of it. What is hidden is therefore left out by naming everything beside
 * it, and a writable workspace with protected parts becomes a list of its other entries.
 */
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Accelerators, findAddon } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { extraPaths, isInside } from '../policy.ts';
import type { WrapOptions, Wrapping } from './mechanism.ts';

/** Devices that programs open for writing. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/tty', '/dev/ptmx', '/dev/pts'];

/** Makes the words that start a program under Landlock. */
export function landlock(sandbox: Accelerators['sandbox'], { policy, folder }: WrapOptions): Wrapping {
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { mode: 0o700 });
  const { path: addon } = findAddon();
  // The folder of everybody's temporary files is not private here, so it is not shown at all; nor is shared memory.
  // In /proc folders come and go, so it is shown as a whole; Landlock keeps what belongs to other processes closed by itself.
  const away = policy.hidden.map(({ path }) => path).filter((path) => !isInside(path, '/proc'));
  const hidden = [...away, '/tmp', '/var/tmp', '/dev/shm', folder];
  const write = policy.write.flatMap((root) => beside(root, [...policy.protect, ...hidden]));
  const visible = beside('/', hidden);
  let count = 0;
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const policyFile = join(folder, `policy-${count++}.json`);
    const words = sandbox.selfRestrictingCommand(
      {
        // Protected parts are read as parts of the workspace: a name inside of it could be a link by now.
        read: [...visible, ...policy.read, policy.workspace, ...more.read],
        write: [...write, ...more.write, scratch, ...DEVICES],
        exec: 'any',
        net: 'off',
        limits: { coreBytes: 0 },
        dieWithParent: true,
      },
      { addon: addon ?? '', policyFile },
    );
    writeFileSync(policyFile, words.policy, { mode: 0o600 });
    return [...words.argv];
  };
  const roots = policy.write.filter((root) => policy.protect.some((path) => isInside(path, root)));
  return {
    argv,
    env: { TMPDIR: scratch, TMP: undefined, TEMP: undefined },
    notes: [
      `temporary files belong in ${scratch}`,
      'modes and times of files can be changed everywhere',
      ...roots.map((root) => `nothing can be added directly in ${root}, because parts of it are protected`),
    ],
    dispose: async () => undefined,
  };
}

/** Everything in `root` that is neither one of `apart` nor holds one; links count where they lead. */
function beside(root: string, apart: readonly string[]): string[] {
  const inner = apart.filter((path) => isInside(path, root));
  if (inner.length === 0) return [root];
  if (inner.includes(root)) return [];
  return entriesOf(root)
    .map((name) => join(root, name))
    .filter((path) => !inner.includes(path) && !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    .flatMap((path) => (inner.some((one) => isInside(one, path)) ? beside(path, inner) : [path]));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // What cannot be listed by us cannot be shown to the program either.
  }
}
