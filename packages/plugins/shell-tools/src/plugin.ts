import { folders } from '@tenon/command-line/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { tools } from '@tenon/tools/api';
import { createBashTool } from './bash-tool.ts';
import { shellEnvironment } from './environment.ts';
import { ShellPool } from './shell-pool.ts';

/** The plugin's settings. */
interface ShellToolsConfig {
  readonly timeoutSeconds: number;
  readonly bash?: string;
}

/** The tool that runs shell commands. */
export default definePlugin({
  id: 'shell-tools',
  config: Type.Unsafe<ShellToolsConfig>({}),
  needs: { folders },
  activate(ctx) {
    const { timeoutSeconds, bash } = ctx.config;
    const env = shellEnvironment(process.env);
    const pool = new ShellPool(() => loadAccelerator('shell'), { env, ...(bash !== undefined && { bash }) });
    ctx.defer(() => pool.close());
    const tool = createBashTool({
      folders: ctx.needs.folders,
      pool,
      log: ctx.log,
      timeoutSeconds,
      text: () => loadAccelerator('text'),
      filesMayHaveChanged: async () => void (await loadAccelerator('scan')).invalidate(),
    });
    ctx.contribute(tools, 'bash', tool);
  },
});
