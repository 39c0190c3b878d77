/** The plugin value that stands for a pack in another process: the kernel cannot tell it from one in this process. */
import { join } from 'node:path';
import { definePlugin, type NeedsSpec, type Plugin, type PluginContext, service, type TSchema } from '@tenon/kernel';
import { guardedService } from './boundary/services.ts';
import { boundaryRow } from './boundary/table.ts';
import { contextMethods, type ContextParts, contextQuestions } from './context-methods.ts';
import { errors } from './errors.ts';
import { createFetchBroker } from './fetch-broker.ts';
import type { Connection } from './connection.ts';
import type { PackHost } from './pack-host.ts';
import { Registrations } from './registrations.ts';

/** How long a host may outlive an activation that failed: its registrations are gone by then. */
const LINGER_MS = 5_000;

/** Makes the stand-in. Only packs that define tokens are started for it; the others start when they are activated. */
export async function isolatedPlugin(host: PackHost): Promise<Plugin> {
  const { manifest, permissions } = host.pack;
  const { id, settings, needs = [] } = manifest;
  const tokens = manifest.defines === undefined ? [] : (await host.shape()).tokens;
  return definePlugin({
    id,
    ...(settings && { config: settings as unknown as TSchema }),
    needs: Object.fromEntries(needs.map((need) => [need, service(need)])) as NeedsSpec,
    defines: tokens,
    async activate(ctx: PluginContext<unknown, Record<string, unknown>>) {
      for (const need of needs) {
        const { access } = await ctx.token('service', need);
        if (access !== 'packs')
          throw errors.create('PACK_HOST_TOKEN_INTERNAL', { plugin: id, kind: 'service', id: need });
        const consent = boundaryRow('service', need)?.consent;
        if (consent !== undefined && !permissions.uses?.includes(need))
          throw errors.create('PACK_HOST_USE_REFUSED', { plugin: id, kind: 'service', id: need, consent });
      }
      const registrations = new Registrations<Connection>(id, (isBound) => host.use(isBound));
      const fetch = createFetchBroker(id, permissions.net ?? []);
      const owner = { plugin: id, permissions, file: join(host.pack.folder, 'package.json') };
      const parts: ContextParts = { ctx, ownTokens: tokens, registrations, fetch, owner };
      const methods = contextMethods(parts);
      const questions = new WeakMap<Connection, ReturnType<typeof contextQuestions>>();
      stopAfterFailure(ctx, host);
      await host.activate({
        config: ctx.config,
        needs: Object.fromEntries(needs.map((need) => [need, guardedService(need, ctx.needs[need], id)])),
        methods: () => methods,
        questions: (connection) => {
          const known = questions.get(connection) ?? contextQuestions(parts, connection);
          questions.set(connection, known);
          return known;
        },
        onRestart: () => registrations.restart(),
        report: (error) => ctx.report(error),
      });
      ctx.defer(() => host.stop());
    },
  });
}

/** When the kernel gives an activation up, clean-ups of it do not run; the host must end all the same. */
function stopAfterFailure(ctx: PluginContext, host: PackHost): void {
  const stop = () => {
    const timer = setTimeout(() => {
      host.stop().catch((fault: unknown) => ctx.log.warn('the host did not stop cleanly', { fault }));
    }, LINGER_MS);
    timer.unref();
  };
  ctx.signal.addEventListener('abort', stop, { once: true });
}
