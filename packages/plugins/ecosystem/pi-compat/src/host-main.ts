/** The program of a process that runs one extension. */
import {
  importForeignModule,
  type HostLink,
  restrictHost,
  serveHost,
  unmarshal,
  type Wire,
} from '@tenon/pack-host/api';
import type { Bridge, RuntimeStart } from './protocol.ts';
import { Runtime } from './runtime/runtime.ts';

const METHODS = [
  'event',
  'tool',
  'command',
  'completions',
  'shortcut',
  'bus',
  'action',
  'stream',
  'message',
  'drawing',
];

function answers({ peer, ask, fetch }: HostLink): Record<string, (params: Wire[]) => unknown> {
  const bridge: Bridge = {
    ask: (method, ...args) => ask(method, args),
    call: (method, ...args) => peer.request(method, args),
  };
  let runtime: Runtime | undefined;
  // What an extension forgot to catch is reported, and the rest of it goes on. When Tenon is gone there is nobody to tell.
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    bridge.call('fault', 'a promise that nobody waits for', error.message, error.stack).catch(() => undefined);
  });
  const serve = (method: string) => (params: Wire[]) =>
    peer.serveArguments(params, async (values) => {
      if (!runtime) throw new Error(`${method} came before the extension was loaded`);
      return runtime.answer(method, values);
    });
  return {
    load: () => ({ tokens: [] }),
    activate: async ([config = null]) => {
      const start = unmarshal(config, peer.references.importer('result')) as RuntimeStart;
      process.env['TENON_EXTENSION'] = start.name;
      if (start.trusted) process.chdir(start.cwd);
      else globalThis.fetch = fetch;
      runtime = new Runtime(start, bridge);
      await runtime.load(importForeignModule);
    },
    dispose: () => undefined,
    ...Object.fromEntries(METHODS.map((method) => [method, serve(method)])),
    // What it gives is read after the call: its arguments must live as long.
    stream: (params) =>
      runtime?.answer(
        'stream',
        params.map((param) => unmarshal(param, peer.references.importer('result'))),
      ),
  };
}

await restrictHost();
serveHost(answers);
