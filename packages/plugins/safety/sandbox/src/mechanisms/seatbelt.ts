/** Confinement by macOS' sandbox-exec: a profile in its own language. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Accelerators } from '@tenon/native';
import type { ExtraPaths } from '../api.ts';
import { proxyVariables } from '../network/bridge.ts';
import { extraPaths, hiddenBeside } from '../paths.ts';
import { limitScript, type WrapOptions, type Wrapping } from './mechanism.ts';
import { nodeFiles } from './node-files.ts';

/** Makes the words that start a program in Seatbelt. */
export function seatbelt(sandbox: Accelerators['sandbox'], { policy, folder, proxy }: WrapOptions): Wrapping {
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { mode: 0o700 });
  const { programs, system, emptyHome } = policy;
  const isWhole = system === 'all';
  const reservedFiles = (policy.reservedFiles ?? []).map(({ path }) => path);
  const argv = (extra: ExtraPaths): string[] => {
    const more = extraPaths(extra);
    const { argv: words } = sandbox.seatbelt(
      {
        read: [
          ...(isWhole ? ['/'] : nodeFiles()),
          ...policy.read,
          ...policy.protect,
          ...policy.reserved,
          ...reservedFiles,
          ...more.read,
        ],
        write: [...policy.write, ...more.write, scratch, ...(isWhole ? ['/dev/tty', '/dev/ptmx'] : [])],
        deny: isWhole ? [...hiddenBeside(policy.hidden, [...more.read, ...more.write]), ...sharedFolders()] : [],
        ...(programs !== 'any' && { exec: [process.execPath, ...programs] }),
        tmp: false,
        dieWithParent: !isWhole,
      },
      ['true'],
    );
    const [flag = '-p', profile = '', ...rest] = words;
    // The last rule that fits decides, so this one opens exactly the proxy's port.
    const proxied = proxy?.port === undefined ? '' : `(allow network-outbound (remote ip "localhost:${proxy.port}"))\n`;
    const line = ['/usr/bin/sandbox-exec', flag, profile + proxied, ...rest.slice(0, -1)];
    const limits = limitScript(policy);
    return limits === '' ? line : ['/bin/sh', '-c', `${limits}exec "$@"`, 'sh', ...line];
  };
  return {
    argv,
    env: {
      TMPDIR: scratch,
      TMP: undefined,
      TEMP: undefined,
      ...(emptyHome !== undefined && { HOME: scratch }),
      ...(proxy?.port !== undefined && proxyVariables(proxy.port)),
    },
    cwd: policy.cwd === '/tmp' ? scratch : policy.cwd,
    notes: [`temporary files belong in ${scratch}`],
    canRestart: false,
  };
}

/** Everybody's temporary files, which Seatbelt cannot replace by private ones. */
function sharedFolders(): { path: string; directory: boolean }[] {
  return ['/private/tmp', '/private/var/tmp'].map((path) => ({ path, directory: true }));
}
