/** The plugin context inside a host process: the same interface as in process, answered by Tenon across the boundary. */
import {
  type Disposable,
  disposable,
  type Hook,
  type HookMode,
  joinFaults,
  kernelErrors,
  type Logger,
  type PluginContext,
  type Registry,
  type Service,
  type Slot,
} from '@tenon/kernel';
import { LOG_LEVELS } from '@tenon/log';
import { marshal, type Wire } from '../wire/marshal.ts';
import type { Peer } from '../wire/peer.ts';

/** Asks Tenon and waits for the answer. */
export type Ask = (method: string, args: readonly unknown[]) => unknown;

/** A context and how to end it. */
export interface HostContext {
  readonly context: PluginContext;
  /** Ends the context: clean-ups run, newest first, and from then on it throws. */
  end(): Promise<void>;
}

/** Makes the context of the one pack that this process runs. */
export function createHostContext(parts: {
  plugin: string;
  config: unknown;
  needs: Readonly<Record<string, unknown>>;
  ask: Ask;
  peer: Peer;
}): HostContext {
  const { plugin, ask, peer } = parts;
  const controller = new AbortController();
  const cleanups: (() => void | Promise<void>)[] = [];
  const open = <Args extends unknown[], Result>(use: string, method: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      if (controller.signal.aborted) throw kernelErrors.create('KERNEL_CONTEXT_UNLOADED', { plugin, use });
      return method(...args);
    };
  };
  const register = (method: string, ...args: unknown[]): Disposable => {
    const key = ask(method, args);
    return disposable(() => void ask('drop', [key]));
  };
  const context: PluginContext = {
    id: plugin,
    config: parts.config,
    needs: parts.needs,
    log: createHostLogger(peer, plugin),
    signal: controller.signal,
    contribute: open('contribute', (slot, key, value, options) => register('contribute', slot.id, key, value, options)),
    source: open('source', (slot, source) => register('source', slot.id, source)),
    provide: open('provide', (service, value) => register('provide', service.id, value)),
    on: open('on', (hook, handler, options) => register('on', hook.id, handler, options)),
    read: open('read', (slot) => createHostRegistry(slot, ask, peer, register)) as PluginContext['read'],
    run: open('run', (hook: Hook<HookMode, unknown, unknown>, input: unknown, signal?: AbortSignal) =>
      peer.request('run', [hook.id, input, signal]),
    ) as PluginContext['run'],
    find: open('find', (service: Service<unknown>, signal?: AbortSignal) =>
      peer.request('find', [service.id, signal]),
    ) as PluginContext['find'],
    findOptional: open('findOptional', (service: Service<unknown>, signal?: AbortSignal) =>
      peer.request('findOptional', [service.id, signal]),
    ) as PluginContext['findOptional'],
    token: open('token', (kind, id) => peer.request('token', [kind, id])) as PluginContext['token'],
    report: open('report', (error, severity) => {
      peer
        .request('report', [error, severity ?? 'error'])
        .catch((fault: unknown) => context.log.error('a report was refused', { fault: String(fault) }));
    }),
    defer: open('defer', (cleanup) => void cleanups.push(cleanup)),
  };
  return {
    context: Object.freeze(context),
    async end() {
      controller.abort(kernelErrors.create('KERNEL_CONTEXT_UNLOADED', { plugin, use: 'signal' }));
      const faults: unknown[] = [];
      for (const cleanup of cleanups.splice(0).reverse()) {
        try {
          await cleanup();
        } catch (fault) {
          faults.push(fault);
        }
      }
      const joined = joinFaults(faults, 'several clean-ups failed');
      if (joined) throw joined;
    },
  };
}

function createHostRegistry<V>(
  slot: Slot<V>,
  ask: Ask,
  peer: Peer,
  register: (method: string, ...args: unknown[]) => Disposable,
): Registry<V> {
  const { id } = slot;
  return {
    get: (key) => ask('get', [id, key]) as ReturnType<Registry<V>['get']>,
    list: () => ask('list', [id]) as ReturnType<Registry<V>['list']>,
    all: () => ask('all', [id]) as ReturnType<Registry<V>['all']>,
    resolve: (key) => peer.request('resolve', [id, key]) as Promise<V>,
    resolveAll: () => peer.request('resolveAll', [id]) as ReturnType<Registry<V>['resolveAll']>,
    watch: (listener) => register('watch', id, listener),
    load: (context, signal) => peer.request('load', [id, context, signal]) as ReturnType<Registry<V>['load']>,
    // What sources found is Tenon's to keep; a pack that could empty it could make everybody search again and again.
    invalidate: () => undefined,
  };
}

function createHostLogger(peer: Peer, owner: string): Logger {
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    const params: Wire[] = [level, String(message)];
    if (fields) params.push(loggable(fields));
    peer.notify('log', params);
  };
  const [debug, info, warn, error] = LOG_LEVELS.map(write) as [
    Logger['debug'],
    Logger['info'],
    Logger['warn'],
    Logger['error'],
  ];
  const logger: Logger = {
    debug,
    info,
    warn,
    error,
    withOwner: (other) => createHostLogger(peer, `${owner}/${other}`),
  };
  return logger;
}

/** A log record must not fail because of what is in it. */
function loggable(fields: Record<string, unknown>): Wire {
  try {
    return marshal(JSON.parse(JSON.stringify(fields)), {
      exportFunction: () => 0,
      exportSignal: () => 0,
      stacks: true,
    });
  } catch (fault) {
    return { unloggable: String(fault) };
  }
}
