import { definePlugin, messageOf, Type } from '@tenon/kernel';
import { type WorkerAdapter, workerRegistry, workers } from './api.ts';
import type { WorkersSettings } from './generated/settings.ts';
import { createRegistry } from './registry.ts';

/** The built-in adapters. Their code is loaded when one is first used. */
const ADAPTERS: Readonly<Record<string, () => Promise<{ readonly adapter: WorkerAdapter }>>> = {
  claude: () => import('./adapters/claude.ts'),
  codex: () => import('./adapters/codex.ts'),
  gemini: () => import('./adapters/gemini.ts'),
  pi: () => import('./adapters/pi.ts'),
  tenon: () => import('./adapters/tenon.ts'),
};

/** Other coding CLIs as workers: how each is started, resumed and understood. */
export default definePlugin({
  id: 'workers',
  config: Type.Unsafe<WorkersSettings>({}),
  defines: [workerRegistry, workers],
  activate(ctx) {
    for (const [id, load] of Object.entries(ADAPTERS))
      ctx.contribute(workers, id, { load: async () => (await load()).adapter });
    ctx.provide(
      workerRegistry,
      createRegistry({
        slot: ctx.read(workers),
        prefer: ctx.config.prefer,
        custom: async () => [],
        diagnose: async (...call) => (await import('./probe/diagnose.ts')).diagnose(...call),
        report: (fault) => ctx.log.error(messageOf(fault)),
      }),
    );
  },
});
