import { definePlugin, Type } from '@tenon/kernel';
import { type Endpoint, endpoints, models, providers } from '@tenon/models/api';
import manifest from '../package.json' with { type: 'json' };
import { localServers } from './local-servers.ts';
import { createProvider } from './protocols.ts';
import type { ProvidersSettings } from './generated/settings.ts';

/** Speaks the wire protocols, names the endpoints, and finds local servers. */
export default definePlugin({
  id: 'providers',
  config: Type.Unsafe<ProvidersSettings>({}),
  activate(ctx) {
    const { stallTimeoutMs, probeLocal, probeTimeoutMs } = ctx.config;
    const { contributes } = manifest.tenon;
    for (const api of Object.keys(contributes.providers))
      ctx.contribute(providers, api, createProvider(api, { stallMs: stallTimeoutMs }));
    for (const [id, endpoint] of Object.entries(contributes.endpoints))
      ctx.contribute(endpoints, id, endpoint as Endpoint);
    const list = () =>
      new Map(
        ctx
          .read(endpoints)
          .list()
          .map(({ key, data }) => [key, data as unknown as Endpoint]),
      );
    ctx.source(
      models,
      localServers({ endpoints: probeLocal ? list : () => new Map(), env: process.env, timeoutMs: probeTimeoutMs }),
    );
  },
});
