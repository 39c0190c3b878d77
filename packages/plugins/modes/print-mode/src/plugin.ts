import { approvals } from '@tenon/approval/api';
import { definePlugin } from '@tenon/kernel';
import { mcpHub } from '@tenon/mcp/api';
import { authStore } from '@tenon/models/api';
import { modes } from '@tenon/modes/api';
import { planMode } from '@tenon/planning-tools/api';
import { slashCommands } from '@tenon/slash-commands/api';
import type { PrintHost } from './print.ts';

/** The modes that answer and exit: as text, as events, and in the shape of Claude Code. */
export default definePlugin({
  id: 'print-mode',
  activate(ctx) {
    const host: PrintHost = {
      approvals: () => ctx.findOptional(approvals),
      credentials: () => ctx.findOptional(authStore),
      mcp: () => ctx.findOptional(mcpHub),
      plans: () => ctx.findOptional(planMode),
      slashCommands: () => ctx.findOptional(slashCommands),
    };
    for (const format of ['text', 'json', 'result', 'stream-json'] as const) {
      ctx.contribute(modes, format, {
        run: async (call) => (await import('./print.ts')).print(call, format, host),
      });
    }
  },
});
