/** The program of a process that runs modules of OpenCode. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  fetchThrough,
  type HostLink,
  importForeignModule,
  restrictHost,
  serveHost,
  unmarshal,
  type Wire,
} from '@tenon/pack-host/api';
import type { CallPlace, HostStart, Loaded } from './protocol.ts';
import { ForeignModule } from './runtime/module.ts';

function answers({ peer }: HostLink): Record<string, (params: Wire[]) => unknown> {
  /** By file, which comes first in every message in both directions. */
  const modules = new Map<string, ForeignModule>();
  const running = new AsyncLocalStorage<string>();
  const tell =
    (file: string) =>
    (method: string, ...args: readonly unknown[]) =>
      peer.request(method, [file, ...args]);
  // What a module forgot to catch is reported, and the rest goes on. When Tenon is gone there is nobody to tell.
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const owner = [...modules.keys()].find((file) => error.stack?.includes(file)) ?? [...modules.keys()][0] ?? '';
    tell(owner)('fault', 'a promise that nobody waits for', error.message).catch(() => undefined);
  });
  const serve = (work: (module: ForeignModule, args: unknown[]) => unknown) => (params: Wire[]) =>
    peer.serveArguments(params, ([file, ...args]) => {
      const module = modules.get(String(file));
      if (!module) throw new Error('it was asked before it was loaded');
      return running.run(String(file), () => work(module, args));
    });
  return {
    load: () => ({ tokens: [] }),
    activate: async ([config = null]) => {
      const start = unmarshal(config, peer.references.importer('result')) as HostStart;
      if (start.trusted) process.chdir(start.cwd);
      else
        globalThis.fetch = fetchThrough(
          (request, signal) => peer.request('fetch', [running.getStore() ?? '', request, signal]) as never,
        );
      const load = async (given: HostStart['modules'][number]): Promise<Loaded> => {
        const { file } = given;
        const module = new ForeignModule(given, start, tell(file));
        try {
          const shape = await running.run(file, () => module.load((path, shared) => importForeignModule(path, shared)));
          modules.set(file, module);
          return { file, shape };
        } catch (fault) {
          return { file, failure: fault instanceof Error ? fault.message : String(fault) };
        }
      };
      // One after the other: plugins of OpenCode rely on their order.
      const loaded: Loaded[] = [];
      for (const module of start.modules) loaded.push(await load(module));
      await peer.request('loaded', [loaded]);
    },
    dispose: () => undefined,
    hook: serve((module, [name, input, output]) => module.call(String(name), input, output)),
    tool: serve((module, [name, args, place, signal]) =>
      module.runTool(String(name), args, place as CallPlace, signal as AbortSignal),
    ),
  };
}

await restrictHost();
serveHost(answers);
