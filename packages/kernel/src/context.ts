import { disposable } from './disposable.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { PluginRecord, RegistrationInfo } from './plugin-record.ts';
import type { PluginContext } from './plugin.ts';
import type { Scope } from './scope.ts';

/** The context of one activation: what the plugin registers belongs to `scope` and ends with it. */
export function createContext(
  host: Lifecycle,
  record: PluginRecord,
  scope: Scope,
  resolved: { config: unknown; needs: unknown },
): PluginContext {
  const plugin = record.id;
  const info = (kind: RegistrationInfo['kind'], target: string, key: { key?: string } = {}) => ({
    plugin,
    kind,
    target,
    ...key,
  });
  const open = <Args extends unknown[], Result>(use: string, method: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      scope.assertOpen(use);
      return method(...args);
    };
  };
  const caller = (signal?: AbortSignal) => ({ plugin, signal, within: scope.allowance });
  const context: PluginContext = {
    id: plugin,
    config: resolved.config,
    needs: resolved.needs,
    log: host.log.withOwner(plugin),
    signal: scope.controller.signal,
    contribute: open('contribute', (slot, key, value, options = {}) =>
      scope.register(info('entry', slot.id, { key }), () => host.publishEntry(record, slot, key, value, options)),
    ),
    source: open('source', (slot, source) =>
      scope.register(info('source', slot.id, { key: source.id }), () => host.publishSource(record, slot, source)),
    ),
    provide: open('provide', (service, value) =>
      scope.register(info('service', service.id), () => host.publishService(record, service, value)),
    ),
    on: open('on', (hook, handler, options) =>
      scope.register(info('handler', hook.id), () => host.publishHandler(record, hook, handler as never, options)),
    ),
    read: open('read', (slot) => host.read(slot, caller)),
    run: open('run', (hook, input, signal) => host.run(hook, input, caller(signal))),
    find: open('find', (service, signal) => host.find(service, caller(signal))),
    findOptional: open('findOptional', (service, signal) => host.findOptional(service, caller(signal))),
    token: open('token', (kind, id) => host.token(kind, id)),
    report: open('report', (error, severity) => host.diagnostics.report(error, severity)),
    defer: open('defer', (cleanup) => {
      scope.register(info('cleanup', 'defer'), () => disposable(cleanup));
    }),
  };
  return Object.freeze(context);
}
