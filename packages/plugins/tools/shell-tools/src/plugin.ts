import { liveAgents, sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { jobs } from '@tenon/jobs/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { sandboxes } from '@tenon/sandbox/api';
import { scopeOf, toolCall, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { createBashTool } from './bash-tool.ts';
import { Confiner } from './confinement.ts';
import { shellEnvironment } from './environment.ts';
import type { InterceptionRule } from './interception.ts';
import { touchedCommand } from './prepare.ts';
import { ShellPool } from './shell-pool.ts';
import { StartFiles } from './start-files.ts';

/** The plugin's settings. */
interface ShellToolsConfig {
  readonly timeoutSeconds: number;
  readonly backgroundAfterSeconds: number;
  readonly bash?: string;
  readonly startFiles: boolean;
  readonly intercept: boolean;
  readonly interceptRules: readonly InterceptionRule[];
}

/** The tool that runs shell commands. */
export default definePlugin({
  id: 'shell-tools',
  config: Type.Unsafe<ShellToolsConfig>({}),
  needs: { folders },
  activate(ctx) {
    const { timeoutSeconds, backgroundAfterSeconds, bash, startFiles, intercept, interceptRules } = ctx.config;
    const { log } = ctx;
    const env = shellEnvironment(process.env);
    const shell = () => loadAccelerator('shell');
    const cacheFolder = ctx.needs.folders.cache;
    const pool = new ShellPool({
      env,
      bash,
      log,
      shell,
      confiner: new Confiner(() => ctx.findOptional(sandboxes)),
      startFiles: startFiles ? new StartFiles({ cacheFolder, env, bash, log, shell }) : undefined,
    });
    ctx.defer(() => pool.close());
    const tool = createBashTool({
      folders: ctx.needs.folders,
      pool,
      log,
      bash,
      timeoutSeconds,
      backgroundAfterSeconds,
      rules: intercept ? interceptRules : [],
      shell,
      text: () => loadAccelerator('text'),
      syntax: () => loadAccelerator('syntax'),
      jobs: () => ctx.findOptional(jobs),
      urls: () => ctx.findOptional(urlRouter),
      async isActive(session) {
        const agent = (await ctx.findOptional(liveAgents))?.get(session);
        const names =
          agent?.state.tools.map(({ name }) => name) ??
          ctx
            .read(tools)
            .list()
            .map(({ key }) => key);
        return (name) => names.includes(name);
      },
      async judge({ id: callId, scope }, input) {
        const at = scope && { session: scope.session, cwd: scope.cwd };
        const touched = touchedCommand(
          { pool, timeoutSeconds },
          input,
          scopeOf({ ...(scope && { scope }) }, ctx.needs.folders),
        );
        const verdict = await ctx.run(toolCall, {
          tool: 'bash',
          callId,
          input,
          touches: { commands: [touched] },
          risk: 'exec',
          ...(at && { scope: at }),
        });
        return verdict.allowed ? undefined : { by: verdict.by, reason: verdict.reason };
      },
      filesMayHaveChanged: async () => void (await loadAccelerator('scan')).invalidate(),
    });
    ctx.contribute(tools, 'bash', tool);
    ctx.on(sessionShutdown, ({ session }) => pool.end(session));
    ctx.on(sessionSwitch, ({ previous }) => pool.end(previous));
  },
});
