/** Confinement by macOS' sandbox-exec: a profile in its own language. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Accelerators } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { proxyVariables } from '../network/bridge.ts';
import { extraPaths, hiddenBeside } from '../policy.ts';
import type { WrapOptions, Wrapping } from './mechanism.ts';

/** Makes the words that start a program in Seatbelt. */
export function seatbelt(sandbox: Accelerators['sandbox'], { policy, folder, proxy }: WrapOptions): Wrapping {
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { mode: 0o700 });
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const { argv: words } = sandbox.seatbelt(
      {
        read: ['/', ...policy.read, ...policy.protect, ...(policy.reserved ? [policy.reserved] : []), ...more.read],
        write: [...policy.write, ...more.write, scratch, '/dev/tty', '/dev/ptmx'],
        deny: [...hiddenBeside(policy, [...more.read, ...more.write]), ...sharedFolders()],
        tmp: false,
        dieWithParent: false,
      },
      ['true'],
    );
    const [flag = '-p', profile = '', ...rest] = words;
    // The last rule that fits decides, so this one opens exactly the proxy's port.
    const proxied = proxy?.port === undefined ? '' : `(allow network-outbound (remote ip "localhost:${proxy.port}"))\n`;
    return ['/usr/bin/sandbox-exec', flag, profile + proxied, ...rest.slice(0, -1)];
  };
  return {
    argv,
    env: {
      TMPDIR: scratch,
      TMP: undefined,
      TEMP: undefined,
      ...(proxy?.port !== undefined && proxyVariables(proxy.port)),
    },
    notes: [`temporary files belong in ${scratch}`],
    dispose: async () => undefined,
  };
}

/** Everybody's temporary files, which Seatbelt cannot replace by private ones. */
function sharedFolders(): { path: string; directory: boolean }[] {
  return ['/private/tmp', '/private/var/tmp'].map((path) => ({ path, directory: true }));
}
