import { approvals } from '@tenon/approval/api';
import { definePlugin } from '@tenon/kernel';
import { modes } from '@tenon/modes/api';

/** The modes that answer and exit: as text, as events, and in the shape of Claude Code. */
export default definePlugin({
  id: 'print-mode',
  activate(ctx) {
    // Without approval nothing is held.
    const held = async () => (await (await ctx.findOptional(approvals))?.held()) ?? [];
    for (const format of ['text', 'json', 'result', 'stream-json'] as const) {
      ctx.contribute(modes, format, {
        run: async (call) => (await import('./print.ts')).print(call, format, { held }),
      });
    }
  },
});
