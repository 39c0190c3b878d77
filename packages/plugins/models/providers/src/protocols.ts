import type { Provider } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';
import type { DirectProtocol } from './direct/protocol.ts';

/** The protocols that are spoken without the SDK: most calls go over them. */
const DIRECT: ReadonlySet<string> = new Set(['anthropic-messages', 'openai-completions', 'openai-responses']);

/** Each protocol is a file by its name, imported when it is first spoken: together with the SDK they are megabytes. */
async function providerOf(api: string, options: { readonly stallMs: number }): Promise<Provider> {
  const spoken: unknown = import(`./dialects/${api}.ts`);
  if (DIRECT.has(api)) {
    const { speakerFor } = await import('./direct/speaker.ts');
    return speakerFor(((await spoken) as { protocol: DirectProtocol }).protocol, options);
  }
  const { adapterFor } = await import('./adapter.ts');
  return adapterFor(((await spoken) as { dialect: Dialect }).dialect, options);
}

/** Speaks one protocol. A connection on which nothing comes for `stallMs` is given up. */
export function createProvider(api: string, options: { readonly stallMs: number }): Provider {
  let loaded: Promise<Provider> | undefined;
  return {
    joinsDeltas: DIRECT.has(api),
    async *stream(request, call) {
      yield* (await (loaded ??= providerOf(api, options))).stream(request, call);
    },
  };
}
