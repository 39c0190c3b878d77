import { join } from 'node:path';
import { sessionShutdown } from '@tenon/agent/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { tools } from '@tenon/tools/api';
import { workspaceTrust } from '@tenon/trust/api';
import { sshHostFinders } from './api.ts';
import type { SshSettings } from './generated/settings.ts';
import { Hosts } from './hosts.ts';
import { createSshTool, type SshParts } from './ssh-tool.ts';

/** Commands, files and mounts on other machines, through the OpenSSH of the system. */
export default definePlugin({
  id: 'ssh',
  config: Type.Unsafe<SshSettings>({}),
  needs: { folders },
  defines: [sshHostFinders],
  activate(ctx) {
    const { config } = ctx;
    const own = ctx.needs.folders;
    const hosts = new Hosts({
      folders: own,
      settings: config,
      finders: ctx.read(sshHostFinders),
      env: process.env,
      trust: () => ctx.findOptional(workspaceTrust),
    });
    let opened: Promise<SshParts> | undefined;
    const open = async (): Promise<SshParts> => {
      const [{ Connections }, { RemoteSystems }, { Mounts }] = await Promise.all([
        import('./connections.ts'),
        import('./remote-systems.ts'),
        import('./mounts.ts'),
      ]);
      const configFile = config.configFile.replace(/^~(?=\/)/, () => own.home);
      const connections = new Connections({ ...config, configFile }, process.env);
      return { connections, systems: new RemoteSystems(join(own.cache, 'ssh')), mounts: new Mounts(connections) };
    };
    ctx.defer(async () => {
      const parts = await opened;
      await parts?.mounts.close();
      await parts?.connections.close();
    });
    const parts = () => (opened ??= open());
    ctx.contribute(tools, 'ssh', createSshTool({ folders: own, hosts, timeoutSeconds: config.timeoutSeconds, parts }));
    ctx.contribute(cliCommands, 'ssh list', {
      run: async (call) => (await import('./list-command.ts')).listCommand(hosts, call),
    });
    ctx.on(sessionShutdown, async ({ session }) => {
      await (await opened)?.mounts.unmount(session);
    });
  },
});
