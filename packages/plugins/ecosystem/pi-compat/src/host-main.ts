/** The program of a process that runs extensions. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname } from 'node:path';
import {
  fetchThrough,
  importForeignModule,
  type HostLink,
  restrictHost,
  serveHost,
  unmarshal,
  type Wire,
} from '@tenon/pack-host/api';
import type { Bridge, HostStart } from './protocol.ts';
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
  'entry',
  'drawing',
  'thought',
  'route',
  'markdown',
  'screen',
];

function answers({ peer, ask }: HostLink): Record<string, (params: Wire[]) => unknown> {
  /** By the file of the extension, which comes first in every message in both directions. */
  const runtimes = new Map<string, Runtime>();
  const running = new AsyncLocalStorage<string>();
  const bridgeOf = (file: string): Bridge => ({
    ask: (method, ...args) => ask(method, [file, ...args]),
    call: (method, ...args) => peer.request(method, [file, ...args]),
  });
  // What an extension forgot to catch is reported, and the rest goes on. When Tenon is gone there is nobody to tell.
  process.on('unhandledRejection', (reason) => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const owner = ownerOf(error.stack ?? '', [...runtimes.keys()]);
    const where =
      owner === undefined
        ? 'a promise that nobody waits for, of this or of another extension'
        : 'a promise that nobody waits for';
    const [first = ''] = runtimes.keys();
    bridgeOf(owner ?? first)
      .call('fault', where, error.message, error.stack)
      .catch(() => undefined);
  });
  const find = (method: string, file: unknown): Runtime => {
    const runtime = runtimes.get(String(file));
    if (!runtime) throw new Error(`${method} came before the extension was loaded`);
    return runtime;
  };
  const serve = (method: string) => (params: Wire[]) =>
    peer.serveArguments(params, async ([file, ...values]) =>
      running.run(String(file), () => find(method, file).answer(method, values)),
    );
  return {
    load: () => ({ tokens: [] }),
    activate: async ([config = null]) => {
      const start = unmarshal(config, peer.references.importer('result')) as HostStart;
      if (start.trusted) process.chdir(start.cwd);
      else
        globalThis.fetch = fetchThrough(
          (request, signal) => peer.request('fetch', [running.getStore() ?? '', request, signal]) as never,
        );
      const failures: [string, unknown][] = [];
      const load = async (member: HostStart['members'][number]) => {
        const runtime = new Runtime(member, bridgeOf(member.file));
        runtimes.set(member.file, runtime);
        await running.run(member.file, () => runtime.load(importForeignModule));
      };
      await Promise.all(
        start.members.map((member) => load(member).catch((fault: unknown) => failures.push([member.file, fault]))),
      );
      for (const [file] of failures) runtimes.delete(file);
      await peer.request('loaded', [failures]);
    },
    dispose: () => undefined,
    ...Object.fromEntries(METHODS.map((method) => [method, serve(method)])),
    // What it gives is read after the call: its arguments must live as long.
    stream: (params) => {
      const [file, ...values] = params.map((param) => unmarshal(param, peer.references.importer('result')));
      return running.run(String(file), () => find('stream', file).answer('stream', values));
    },
  };
}

/** The extension that a stack trace leads to: by its file, or by its folder when that is only its own. */
function ownerOf(stack: string, files: readonly string[]): string | undefined {
  const isAlone = (file: string) => files.filter((other) => dirname(other) === dirname(file)).length === 1;
  return (
    files.find((file) => stack.includes(`${file}:`)) ??
    files.find((file) => isAlone(file) && stack.includes(`${dirname(file)}/`)) ??
    (files.length === 1 ? files[0] : undefined)
  );
}

await restrictHost();
serveHost(answers);
