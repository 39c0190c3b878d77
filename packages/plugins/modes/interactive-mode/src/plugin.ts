import { BUILT_IN_THEMES } from '@tenon/components';
import { definePlugin, Type } from '@tenon/kernel';
import { modes } from '@tenon/modes/api';
import { renderers, screenThemes, statusItems } from '@tenon/screen-slots/api';
import { builtInRenderers } from './cards/index.ts';
import type { InteractiveModeSettings } from './generated/settings.ts';
import { builtInItems } from './status/items.ts';
import { StatusWatch } from './status/status-watch.ts';

/** The mode in which a person works with the agent on a terminal. */
export default definePlugin({
  id: 'interactive-mode',
  config: Type.Unsafe<InteractiveModeSettings>({}),
  activate(ctx) {
    const watch = new StatusWatch(ctx);
    ctx.contribute(modes, 'interactive', {
      run: async (call) => (await import('./interactive.ts')).runInteractive(call, ctx, watch),
    });
    for (const [name, file] of Object.entries(BUILT_IN_THEMES)) ctx.contribute(screenThemes, name, file);
    for (const [tool, renderer] of Object.entries(builtInRenderers)) ctx.contribute(renderers, tool, renderer);
    for (const [name, item] of Object.entries(builtInItems(watch))) ctx.contribute(statusItems, name, item);
  },
});
