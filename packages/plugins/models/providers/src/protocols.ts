import type { Provider } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';

/** Each protocol is a file by its name, imported when it is first spoken: together they are megabytes. */
async function dialectOf(api: string): Promise<Dialect> {
  return ((await import(`./dialects/${api}.ts`)) as { dialect: Dialect }).dialect;
}

/** Speaks one protocol. A connection on which nothing comes for `stallMs` is given up. */
export function createProvider(api: string, options: { readonly stallMs: number }): Provider {
  let adapter: Promise<Provider> | undefined;
  const load = async () => {
    const [dialect, { adapterFor }] = await Promise.all([dialectOf(api), import('./adapter.ts')]);
    return adapterFor(dialect, options);
  };
  return {
    async *stream(request, call) {
      yield* (await (adapter ??= load())).stream(request, call);
    },
  };
}
