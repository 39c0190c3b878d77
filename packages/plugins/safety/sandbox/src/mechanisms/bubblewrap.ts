/** Confinement by bubblewrap: mount, process and network namespaces, and a filter of system calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accelerators } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { BRIDGE_PORT, bridgeArgv, proxyVariables } from '../network/bridge.ts';
import { extraPaths, hiddenBeside, isInside } from '../policy.ts';
import { seccompFilter } from '../seccomp-filter.ts';
import type { WrapOptions, Wrapping } from './mechanism.ts';
import { mountCheckArgv } from './mount-check.ts';

/** A descriptor that POSIX shells can name and that programs rarely use. Bubblewrap closes it before the program starts. */
const FILTER_FD = 9;
/** Opens the filter and becomes bubblewrap: whoever starts the program need not know about descriptors. */
const OPEN_FILTER = `exec ${FILTER_FD}<"$0" && exec "$@"`;

/** Makes the words that start a program in bubblewrap. */
export function bubblewrap(
  sandbox: Accelerators['sandbox'],
  bwrap: string,
  { policy, folder, terminal, proxy }: WrapOptions,
): Wrapping {
  const filter = seccompFilter();
  const filterFile = join(folder, 'seccomp');
  if (filter) writeFileSync(filterFile, filter, { mode: 0o600 });
  const own = [...policy.write, ...policy.protect, ...(policy.reserved ? [policy.reserved] : [])];
  const inner = own.filter((path) => isInside(path, policy.workspace));
  const check = inner.length > 0 ? mountCheckArgv(inner) : [];
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const socket = proxy?.socket;
    const line = sandbox.bubblewrap(
      {
        read: ['/', ...policy.read, ...policy.protect, ...(policy.reserved ? [policy.reserved] : []), ...more.read],
        // A socket that can be connected to counts as written.
        write: [...policy.write, ...more.write, ...(socket === undefined ? [] : [socket])],
        deny: hiddenBeside(policy, [...more.read, ...more.write]),
        // Without the filter a session of its own is what keeps programs from typing into the user's terminal.
        newSession: !(terminal && filter !== undefined),
      },
      [...check, ...(socket === undefined ? [] : bridgeArgv(process.execPath, socket)), 'true'],
    );
    const options = ['--hostname', 'sandbox', ...(filter ? ['--seccomp', String(FILTER_FD)] : [])];
    // The last word stands for the program.
    const words = [bwrap, ...options, ...line.argv.slice(0, -1)];
    return filter ? ['/bin/sh', '-c', OPEN_FILTER, filterFile, ...words] : words;
  };
  return {
    argv,
    env: {
      TMPDIR: '/tmp',
      TMP: undefined,
      TEMP: undefined,
      ...(proxy && proxyVariables(BRIDGE_PORT)),
    },
    notes: filter ? [] : [`system calls are not filtered on ${process.arch}`],
    dispose: async () => undefined,
  };
}
