import { cliCommands, type CommandCall } from '@tenon/command-line/api';
import { definePlugin } from '@tenon/kernel';
import { promptHistory, type SessionStore, sessionStore } from '@tenon/sessions/api';
import { sessionExporter } from './api.ts';
import { exporter } from './exporter.ts';

const COMMANDS = {
  'session list': 'listSessions',
  'session show': 'showSession',
  'session tree': 'showTree',
  'session export': 'exportSession',
  'session fork': 'forkSession',
  'session label': 'labelEntry',
  'session rename': 'renameSession',
  'session remove': 'removeSession',
} as const;

/** The commands for sessions, and the exporter. */
export default definePlugin({
  id: 'session-export',
  needs: { store: sessionStore },
  defines: [sessionExporter],
  activate(ctx) {
    ctx.provide(sessionExporter, exporter);
    for (const [key, name] of Object.entries(COMMANDS)) {
      ctx.contribute(cliCommands, key, {
        async run(call) {
          const commands: Record<string, (store: SessionStore, call: CommandCall) => Promise<void>> =
            await import('./commands.ts');
          await commands[name]?.(ctx.needs.store, call);
        },
      });
    }
    ctx.contribute(cliCommands, 'history', {
      run: async (call) => (await import('./history-command.ts')).showHistory(await ctx.find(promptHistory), call),
    });
  },
});
