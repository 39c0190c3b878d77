import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { definePlugin, Type } from '@tenon/kernel';
import { tools } from '@tenon/tools/api';
import type { BrowserRunner } from './browser-runner.ts';
import { createBrowserTool } from './browser-tool.ts';
import { errors } from './errors.ts';
import type { BrowserSettings } from './generated/settings.ts';

/** A real browser for the model: pages, their accessibility tree, clicks, screenshots. */
export default definePlugin({
  id: 'browser',
  config: Type.Unsafe<BrowserSettings>({}),
  needs: { folders },
  activate(ctx) {
    const { config, log } = ctx;
    const places = ctx.needs.folders;
    // Playwright and all that drives pages are loaded with the first call.
    let made: Promise<BrowserRunner> | undefined;
    const runner = (): Promise<BrowserRunner> => {
      if (ctx.signal.aborted) throw errors.create('BROWSER_CLOSED', { reason: 'the plugin is being unloaded' });
      const load = async () => (await import('./browser-runner.ts')).createBrowserRunner;
      made ??= load().then((create) => create({ kernel: ctx, config, folders: places, log }));
      return made;
    };
    ctx.defer(async () => (await made)?.close());
    ctx.contribute(
      tools,
      'browser',
      createBrowserTool(config, places, async (input, call) => (await runner()).runCall(input, call)),
    );
    ctx.on(sessionShutdown, async ({ session }) => (await made)?.endSession(session));
    ctx.on(sessionSwitch, async ({ previous }) => (await made)?.endSession(previous));
  },
});
