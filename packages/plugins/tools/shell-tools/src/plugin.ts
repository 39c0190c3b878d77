import { liveAgents, sessionShutdown, sessionSwitch, userBash } from '@tenon/agent/api';
import { approvals } from '@tenon/approval/api';
import { cliCommands } from '@tenon/command-line/api';
import { folders, userInterface } from '@tenon/host';
import { jobs } from '@tenon/jobs/api';
import { definePlugin, Type } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { secretMasks } from '@tenon/secrets/api';
import { sandboxes } from '@tenon/sandbox/api';
import { toolCall, type ToolCallEvent, toolInput, toolLeave, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { createBashTool, leavingCall } from './bash-tool.ts';
import { readyInput } from './call-input.ts';
import { Confiner } from './confinement.ts';
import { shellEnvironment } from './environment.ts';
import { ShellPool } from './shell-pool.ts';
import { StartFiles } from './start-files.ts';
import type { ShellToolsSettings } from './generated/settings.ts';

/** Everyone else sees the command as it would run. */
const FIRST = 100;
/** Whoever wants to carry out the user's command in another way comes before. */
const LAST = -100;

/** The tool that runs shell commands, and the user's own commands in the same shells. */
export default definePlugin({
  id: 'shell-tools',
  config: Type.Unsafe<ShellToolsSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { timeoutSeconds, backgroundAfterSeconds, bash, ci, startFiles, intercept, interceptRules } = ctx.config;
    const { log } = ctx;
    const env = shellEnvironment(process.env, { ci });
    const shell = () => loadAccelerator('shell');
    const cacheFolder = ctx.needs.folders.cache;
    const pool = new ShellPool({
      env,
      bash,
      log,
      shell,
      confiner: new Confiner(() => ctx.findOptional(sandboxes)),
      readable: async (session, cwd) => {
        const { sessionFolders } = await import('./session-files.ts');
        return sessionFolders(await ctx.findOptional(urlRouter), { session, cwd }, ctx.needs.folders.state);
      },
      startFiles: startFiles ? new StartFiles({ cacheFolder, env, bash, log, shell }) : undefined,
    });
    ctx.defer(() => pool.close());
    const host = {
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
      masks: () => ctx.findOptional(secretMasks),
      ui: () => ctx.findOptional(userInterface),
      urls: () => ctx.findOptional(urlRouter),
      agents: () => ctx.findOptional(liveAgents),
      approvals: () => ctx.findOptional(approvals),
      gate: (event: ToolCallEvent, signal: AbortSignal) => ctx.run(toolCall, event, signal),
      async isActive(session: string) {
        const agent = (await host.agents())?.get(session);
        const names =
          agent?.state.tools.map(({ name }) => name) ??
          ctx
            .read(tools)
            .list()
            .map(({ key }) => key);
        return (name: string) => names.includes(name);
      },
      filesMayHaveChanged: async () => void (await loadAccelerator('scan')).invalidate(),
    };
    ctx.contribute(tools, 'bash', createBashTool(host));
    ctx.contribute(cliCommands, 'shell', {
      run: async (call) => (await import('./console.ts')).runConsole(host, call),
    });
    ctx.on(toolInput, (event, call) => readyInput(host, event, call), { priority: FIRST });
    ctx.on(toolLeave, (event, { signal }) =>
      event.tool === 'bash' && event.origin === undefined ? leavingCall(host, event, signal) : undefined,
    );
    ctx.on(
      userBash,
      async (command) => ({ result: await (await import('./user-bash.ts')).runUserBash(host, command) }),
      { priority: LAST },
    );
    ctx.on(sessionShutdown, ({ session }) => pool.end(session));
    ctx.on(sessionSwitch, ({ previous }) => pool.end(previous));
  },
});
