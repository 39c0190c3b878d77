import { approvals } from '@tenon/approval/api';
import { definePlugin, TenonError } from '@tenon/kernel';
import { modes } from '@tenon/modes/api';

/** The modes that answer once: `text` and `json`. */
export default definePlugin({
  id: 'print-mode',
  activate(ctx) {
    const held = async () => {
      try {
        return await (await ctx.find(approvals)).held();
      } catch (fault) {
        // Without the plugin nothing is held.
        if (fault instanceof TenonError && fault.code === 'KERNEL_SERVICE_MISSING') return [];
        throw fault;
      }
    };
    for (const format of ['text', 'json'] as const) {
      ctx.contribute(modes, format, {
        run: async (launch) => (await import('./print.ts')).print(launch, format, { held }),
      });
    }
  },
});
