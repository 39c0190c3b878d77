import { definePlugin } from '@tenon/kernel';
import { modes } from '@tenon/modes/api';

/** The modes that answer once: `text` and `json`. */
export default definePlugin({
  id: 'print-mode',
  activate(ctx) {
    for (const format of ['text', 'json'] as const) {
      ctx.contribute(modes, format, {
        run: async (launch) => (await import('./print.ts')).print(launch, format),
      });
    }
  },
});
