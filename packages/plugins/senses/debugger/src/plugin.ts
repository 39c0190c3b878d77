import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { sandboxes } from '@tenon/sandbox/api';
import { tools } from '@tenon/tools/api';
import manifest from '../package.json' with { type: 'json' };
import { knownAdapters } from './adapters/known.ts';
import { dapAdapters } from './api.ts';
import { createDebugTool } from './debug-tool.ts';
import type { Debugger } from './debugger.ts';
import { errors } from './errors.ts';
import type { DebuggerSettings } from './generated/settings.ts';

/** Programs under a debugger: breakpoints, steps, variables, memory, over the Debug Adapter Protocol. */
export default definePlugin({
  id: 'debugger',
  config: Type.Unsafe<DebuggerSettings>({}),
  needs: { folders },
  defines: [dapAdapters],
  activate(ctx) {
    const { config, log } = ctx;
    const { timeoutSeconds, idleMinutes, outputKilobytes } = config;
    for (const name of Object.keys(manifest.tenon.contributes['dap-adapters'])) ctx.contribute(dapAdapters, name, {});
    const adapters = () => knownAdapters(config.adapters, ctx.read(dapAdapters).list(), log);
    // Most sessions debug nothing: what does it is loaded with the first call.
    let made: Debugger | undefined;
    const sessions = async (): Promise<Debugger> => {
      const { Debugger } = await import('./debugger.ts');
      if (ctx.signal.aborted) throw errors.create('DEBUG_CLOSED', { reason: 'the plugin is being unloaded' });
      made ??= new Debugger({
        sandboxes: () => ctx.find(sandboxes),
        log,
        idleMs: idleMinutes * 60_000,
        outputBytes: outputKilobytes * 1024,
      });
      return made;
    };
    ctx.defer(async () => made?.close());
    ctx.contribute(
      tools,
      'debug',
      createDebugTool({
        folders: ctx.needs.folders,
        timeoutSeconds,
        adapters,
        isOutside: (session) => made?.isOutside(session) ?? false,
        execute: async (input, call) => {
          const { runCall } = await import('./run-call.ts');
          const host = { folders: ctx.needs.folders, sessions: await sessions(), timeoutSeconds, adapters };
          return runCall(host, input, call);
        },
      }),
    );
    ctx.on(sessionShutdown, async ({ session }) => made?.abandon(session));
    ctx.on(sessionSwitch, async ({ previous }) => made?.abandon(previous));
  },
});
