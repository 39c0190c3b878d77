/**
 * Confinement by Landlock and seccomp: a short program restricts itself for good and then becomes the program that was asked
 * for. Landlock only allows, beneath a folder and all of it. What is hidden is therefore left out by naming everything beside
 * it, and a writable workspace with protected parts becomes a list of its other entries.
 */
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Accelerators, findAddon } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { errors } from '../errors.ts';
import { extraPaths, isInside } from '../paths.ts';
import type { LaunchPolicy } from './launch-policy.ts';
import { dataLimitKb, type WrapOptions, type Wrapping } from './mechanism.ts';
import { nodeFiles, systemFolders } from './node-files.ts';

/** Devices that programs open for writing. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/tty', '/dev/ptmx', '/dev/pts'];

/** Makes the words that start a program under Landlock. */
export function landlock(sandbox: Accelerators['sandbox'], { policy, folder }: WrapOptions): Wrapping {
  if (policy.whenPartial === 'refuse') refusePartial(policy);
  if (policy.tracing) throw errors.create('SANDBOX_NO_TRACING', { mechanism: 'Landlock' });
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { mode: 0o700 });
  const addon = findAddon().path ?? '';
  const { programs, limits, emptyHome } = policy;
  // The folder of everybody's temporary files is not private here, so it is not shown at all; nor is shared memory.
  // In /proc folders come and go, so it is shown as a whole; Landlock keeps what belongs to other processes closed by itself.
  const away = policy.hidden.map(({ path }) => path).filter((path) => !isInside(path, '/proc'));
  const hidden = [...away, '/tmp', '/var/tmp', '/dev/shm', folder];
  const write = policy.write.flatMap((root) => beside(root, [...policy.protect, ...hidden]));
  const visible = policy.system === 'all' ? [...beside('/', hidden), policy.workspace] : systemFor(policy, addon);
  let count = 0;
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const policyFile = join(folder, `policy-${count++}.json`);
    const words = sandbox.selfRestrictingCommand(
      {
        // Protected parts are read as parts of the workspace: a name inside of it could be a link by now.
        read: [...visible, ...policy.read, ...more.read],
        write: [...write, ...more.write, scratch, ...(policy.system === 'all' ? DEVICES : ['/dev/null'])],
        exec: programs === 'any' ? 'any' : programs.length > 0 ? [...programs, ...systemFolders()] : 'off',
        net: 'off',
        limits: { coreBytes: 0, ...(limits && { dataBytes: dataLimitKb(limits.memoryMb) * 1024 }) },
        dieWithParent: true,
      },
      { addon, policyFile },
    );
    writeFileSync(policyFile, words.policy, { mode: 0o600 });
    return [...words.argv];
  };
  const roots = policy.write.filter((root) => policy.protect.some((path) => isInside(path, root)));
  return {
    argv,
    env: {
      TMPDIR: scratch,
      TMP: undefined,
      TEMP: undefined,
      ...(emptyHome !== undefined && { HOME: scratch }),
      // OpenSSL forgives a configuration that is absent, but not one that it may not read.
      ...(policy.system === 'node' && { OPENSSL_CONF: '/dev/null' }),
    },
    cwd: policy.cwd === '/tmp' ? scratch : policy.cwd,
    notes: [
      `temporary files belong in ${scratch}`,
      'modes and times of files can be changed everywhere',
      ...roots.map((root) => `nothing can be added directly in ${root}, because parts of it are protected`),
    ],
    // The program must be startable once, by the one that restricted itself.
    canRestart: programs !== 'any' && programs.length === 0,
  };
}

function refusePartial({ protect, reserved }: LaunchPolicy): void {
  const [path] = [...protect, ...reserved];
  const what = protect.length > 0 ? 'unchanged' : 'from being made';
  if (path !== undefined) throw errors.create('SANDBOX_PART_OPEN', { mechanism: 'landlock', path, what });
}

/** What Node and the programs need, and the addon, with which a process gives up the rest. */
function systemFor({ programs }: LaunchPolicy, addon: string): string[] {
  const libraries = programs.length > 0 ? [...systemFolders(), ...programs] : [];
  return [...nodeFiles(), ...libraries, addon, '/dev/null', '/dev/urandom', '/dev/random'];
}

/** Everything in `root` that is neither one of `apart` nor holds one; links count where they lead. */
function beside(root: string, apart: readonly string[]): string[] {
  const inner = apart.filter((path) => isInside(path, root));
  if (inner.length === 0) return [root];
  if (inner.includes(root)) return [];
  return entriesOf(root)
    .map((name) => join(root, name))
    .filter((path) => !inner.includes(path) && !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    .flatMap((path) => (inner.some((innerPath) => isInside(innerPath, path)) ? beside(path, inner) : [path]));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // What cannot be listed by us cannot be shown to the program either.
  }
}
