import { kernelErrors } from './kernel-errors.ts';
import type { Manifest } from './manifest.ts';
import { didYouMean } from '@tenon/wording';
import type { PluginRecord, RegistrationInfo } from './plugin-record.ts';
import type { Plugin } from './plugin.ts';
import type { Token } from './tokens.ts';

/** The key under which a manifest says that more entries come at run time. */
export const DYNAMIC = '*';

/** What the installed plugins say about themselves as data: who declares, needs, provides and handles what. */
export class Declarations {
  readonly records = new Map<string, PluginRecord>();
  /** Hook -> the plugins that declare a handler. Asked for at every event, so it is looked up once. */
  readonly #handlers = new Map<string, readonly PluginRecord[]>();

  /** To be called when a plugin was added or removed. */
  changed(): void {
    this.#handlers.clear();
  }

  *#usable(): Iterable<PluginRecord> {
    for (const record of this.records.values()) if (record.state !== 'disabled') yield record;
  }

  *#ids(pick: (manifest: Manifest) => unknown): Iterable<string> {
    for (const { id, state, manifest } of this.records.values()) if (state !== 'disabled' && pick(manifest)) yield id;
  }

  /** The record of an installed plugin. */
  require(id: string): PluginRecord {
    const record = this.records.get(id);
    if (record) return record;
    throw kernelErrors.create('KERNEL_PLUGIN_UNKNOWN', { plugin: id, hint: didYouMean(id, this.records.keys()) });
  }

  /** The plugin that provides a service. */
  providerOf(service: string, needer?: string): string {
    const [provider] = this.#ids(({ provides = [] }) => provides.includes(service));
    if (provider !== undefined) return provider;
    const hint = didYouMean(
      service,
      [...this.#usable()].flatMap(({ manifest }) => manifest.provides ?? []),
    );
    throw needer === undefined
      ? kernelErrors.create('KERNEL_SERVICE_MISSING', { service, hint })
      : kernelErrors.create('KERNEL_NEED_MISSING', { plugin: needer, service, hint });
  }

  /** True when some plugin provides a service. */
  provides(service: string): boolean {
    return [...this.#ids(({ provides = [] }) => provides.includes(service))].length > 0;
  }

  /** Running plugins that need a service of `record`. */
  dependentsOf({ manifest: { provides = [] } }: PluginRecord): PluginRecord[] {
    return [...this.#usable()].filter(
      ({ manifest, scope, activation }) =>
        (scope || activation) && manifest.needs?.some((need) => provides.includes(need)),
    );
  }

  /** All that would stop with a plugin, nearest first. */
  activeDependents(id: string, dependents = new Set<string>()): Set<string> {
    const fresh = this.dependentsOf(this.require(id)).filter((dependent) => !dependents.has(dependent.id));
    for (const dependent of fresh) this.activeDependents(dependent.id, dependents.add(dependent.id));
    return dependents;
  }

  /** A circle of needs that `id` is part of. */
  cycleThrough(id: string, path: readonly string[] = [id]): readonly string[] | undefined {
    for (const need of this.records.get(path.at(-1) ?? id)?.manifest.needs ?? []) {
      const [next] = this.#ids(({ provides = [] }) => provides.includes(need));
      if (next === id) return [...path, id];
      const cycle = next !== undefined && !path.includes(next) && this.cycleThrough(id, [...path, next]);
      if (cycle) return cycle;
    }
    return undefined;
  }

  /** Plugins that handle a hook: those that it starts, and those that run or are starting already. */
  handlersOf(hook: string): readonly PluginRecord[] {
    const all = [...this.records.values()];
    const handlers = this.#handlers.get(hook) ?? all.filter(({ manifest }) => hooksOf(manifest).includes(hook));
    this.#handlers.set(hook, handlers);
    return handlers.filter(
      ({ state, scope, unloading, manifest }) =>
        state !== 'disabled' && ((scope && !unloading) || manifest.handles?.includes(hook)),
    );
  }

  /** Plugins that contribute to a slot. */
  contributors(slot: string): Iterable<string> {
    return this.#ids(({ contributes = {} }) => contributes[slot]);
  }

  /** Plugins that contribute to a slot what only their code knows. */
  dynamicContributors(slot: string): Iterable<string> {
    return this.#ids(({ contributes = {} }) => contributes[slot]?.[DYNAMIC]);
  }

  /** Plugins that discover entries for a slot. */
  sourcesOf(slot: string): Iterable<string> {
    return this.#ids(({ sources = [] }) => sources.includes(slot));
  }

  /** True when a plugin may contribute entries that its manifest does not name, to other slots than these. */
  isDynamic({ manifest }: PluginRecord, known: ReadonlySet<string>): boolean {
    return Object.entries(manifest.contributes ?? {}).some(([slot, entries]) => entries[DYNAMIC] && !known.has(slot));
  }

  /** The plugin that defines a token. */
  definerOf(kind: Token['kind'], id: string): PluginRecord | undefined {
    return [...this.#usable()].find(({ manifest }) => manifest.defines?.[`${kind}s`]?.includes(id));
  }

  /** The names of all tokens of a kind. */
  definedIds(kind: Token['kind']): string[] {
    return [...this.#usable()].flatMap(({ manifest }) => manifest.defines?.[`${kind}s`] ?? []);
  }

  /** Refuses a registration that the manifest does not declare. */
  assertDeclared(
    { id, manifest, candidate }: PluginRecord,
    kind: RegistrationInfo['kind'],
    target: string,
    key?: string,
  ): void {
    const declared = {
      entry: () => manifest.contributes?.[target]?.[key ?? ''] ?? manifest.contributes?.[target]?.[DYNAMIC],
      source: () => manifest.sources?.includes(target),
      service: () => manifest.provides?.includes(target),
      handler: () => hooksOf(manifest).includes(target),
      cleanup: () => true,
    }[kind]();
    if (declared) return;
    const entry = describe({ plugin: id, kind, target, ...(key !== undefined && { key }) });
    throw kernelErrors.create('KERNEL_KEY_UNDECLARED', { plugin: id, file: candidate.file, entry });
  }

  /** Refuses a plugin that did not register what its manifest declares. */
  checkRegistered({ id, manifest, candidate }: PluginRecord, registered: readonly RegistrationInfo[]): void {
    const done = new Set(registered.map(describe));
    const expect = (kind: RegistrationInfo['kind'], targets: readonly string[] = []) =>
      targets.map((target): RegistrationInfo => ({ plugin: id, kind, target }));
    const entries = Object.entries(manifest.contributes ?? {}).flatMap(([target, keys]) =>
      Object.keys(keys)
        .filter((key) => key !== DYNAMIC)
        .map((key): RegistrationInfo => ({ plugin: id, kind: 'entry', target, key })),
    );
    const sources = (manifest.sources ?? []).filter(
      (target) => !registered.some((info) => info.kind === 'source' && info.target === target),
    );
    const declared = [
      ...entries,
      ...expect('service', manifest.provides),
      ...expect('handler', hooksOf(manifest)),
      ...expect('source', sources),
    ];
    const missing = declared.map(describe).find((text) => !done.has(text));
    if (missing === undefined) return;
    throw kernelErrors.create('KERNEL_KEY_NOT_CONTRIBUTED', { plugin: id, file: candidate.file, entry: missing });
  }

  /** Where a plugin's code and its manifest disagree. */
  mismatches(manifest: Manifest, { id, spec }: Plugin): string[] {
    const compare = (name: string, inCode: readonly string[], inManifest: readonly string[] = []) =>
      [...inCode].sort().join() === [...inManifest].sort().join()
        ? []
        : [`${name} are [${inCode.join(', ')}] in the code and [${inManifest.join(', ')}] in the manifest`];
    const defined = (kind: Token['kind']) =>
      (spec.defines ?? []).filter((token) => token.kind === kind).map((token) => token.id);
    return [
      ...(id === manifest.id ? [] : [`its id is "${id}" in the code and "${manifest.id}" in the manifest`]),
      ...compare(
        'needs',
        Object.values(spec.needs ?? {}).map((token) => token.id),
        manifest.needs,
      ),
      ...compare('defined slots', defined('slot'), manifest.defines?.slots),
      ...compare('defined services', defined('service'), manifest.defines?.services),
      ...compare('defined hooks', defined('hook'), manifest.defines?.hooks),
    ];
  }
}

function hooksOf({ handles = [], handlesWhenActive = [] }: Manifest): string[] {
  return [...handles, ...handlesWhenActive];
}

function describe({ kind, target, key }: RegistrationInfo): string {
  return kind === 'entry' ? `the entry "${key}" of slot "${target}"` : `the ${kind} for "${target}"`;
}
