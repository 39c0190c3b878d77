/** A kernel with the web tools and what they need. */
import { type Documents, documents } from '@tenon/documents/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { authStore } from '@tenon/models/api';
import { urlRouter } from '@tenon/urls/api';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import { webReader } from '../src/api.ts';

export { textOf };

/** What tests of the web work with. */
export interface WebBench extends Workbench {
  readonly router: Awaited<ReturnType<typeof routerOf>>;
  readonly reader: Awaited<ReturnType<typeof readerOf>>;
}

const routerOf = (bench: Workbench) => bench.kernel.find(urlRouter);
const readerOf = (bench: Workbench) => bench.kernel.find(webReader);

/** Opens one with settings of the plugin; `keys` are those that the credential store has. */
export async function openWebBench(
  settings: Readonly<Record<string, unknown>> = {},
  { keys = {}, converter }: { keys?: Record<string, string[]>; converter?: Documents } = {},
): Promise<WebBench> {
  const bench = await openWorkbench(['web-tools'], { settings: { 'web-tools': settings } });
  bench.kernel.install(
    inlineCandidate(
      {
        id: 'test-keys',
        activate: (ctx) => void ctx.provide(authStore, { keys: async (id: string) => keys[id] ?? [] } as never),
      },
      { provides: ['auth-store'] },
    ),
    ...(converter
      ? [
          inlineCandidate(
            { id: 'test-documents', activate: (ctx) => void ctx.provide(documents, converter) },
            { provides: ['documents'] },
          ),
        ]
      : []),
  );
  return Object.assign(bench, { router: await routerOf(bench), reader: await readerOf(bench) });
}

/** Removes variables that could reach a real service, and gives the way back. */
export function withoutKeys(): () => void {
  const names = new Set(
    Object.values(source.tenon.contributes['search-engines']).flatMap((engine) => engineVariables(engine)),
  );
  for (const name of ['GITHUB_TOKEN', 'GH_TOKEN', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])
    names.add(name);
  const before = [...names].map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

function engineVariables(engine: {
  env?: string[];
  alsoNeeds?: string[];
  baseUrlEnv?: string[];
  modelEnv?: string;
}): string[] {
  return [engine.env, engine.alsoNeeds, engine.baseUrlEnv, engine.modelEnv].flat().filter((name) => name !== undefined);
}
