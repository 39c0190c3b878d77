import type { HostFinder, KnownHost } from '@tenon/ssh/api';
import { type Discovered, type Discovery, type SshHost, sshHosts } from './api.ts';

/**
 * Gives the hosts that discovery finds to the plugin `ssh`. The user's own hosts that a project shadows come last: they count where the
 * project is not trusted.
 */
export function sshHostFinder(finder: Discovery, home: string): HostFinder {
  return {
    async find(cwd, signal) {
      const { items, ignored } = await finder.load(sshHosts, cwd, signal);
      const shadowed = ignored.filter(({ level, reason }) => level === 'user' && reason.startsWith('shadowed by '));
      // A pack must not decide where commands go.
      return [...items, ...shadowed].filter(({ pack }) => pack === undefined).map((item) => hostOf(item, home));
    },
  };
}

function hostOf({ value, file, project }: Discovered<SshHost>, home: string): KnownHost {
  const { name, host, user, port, identityFile, description } = value;
  return {
    name,
    file,
    host,
    // Files of OpenSSH are not JSON: OpenSSH itself reads the rest of them.
    ...(!file.endsWith('.json') && { isAlias: true }),
    ...(user !== undefined && { user }),
    ...(port !== undefined && { port }),
    ...(identityFile !== undefined && { identityFile: identityFile.replace(/^~(?=\/)/, () => home) }),
    ...(description !== undefined && { description }),
    ...(project !== undefined && { project }),
  };
}
