import type { CommandCall } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import type { Hosts } from './hosts.ts';
import { addressOf } from './ssh-tool.ts';

/** `tenon ssh list`: the hosts and where they come from. */
export async function listCommand(hosts: Hosts, { io, cwd, flags, signal }: CommandCall): Promise<void> {
  const all = await hosts.list(cwd, signal);
  if (flags['json'] === true) {
    return io.json({
      hosts: all.map(({ name, host, user, port, file, description, isUntrusted = false }) => ({
        name,
        host,
        user: user ?? null,
        port: port ?? null,
        from: file,
        trusted: !isUntrusted,
        description: description ?? null,
      })),
    });
  }
  if (all.length === 0) return io.out('No SSH hosts. Add a `Host NAME` to ~/.ssh/config or set `ssh.hosts`.\n');
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const host of all) {
    const mark = host.isUntrusted ? '  (project not trusted)' : '';
    await io.out(`${plainLine(host.name).padEnd(width)}  ${addressOf(host)}  ${plainLine(host.file)}${mark}\n`);
  }
}
