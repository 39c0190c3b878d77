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
  /** Question -> the plugins whose manifests say yes. Asked at every event and many times in a start, so it is looked up once. */
  readonly #answers = new Map<string, readonly PluginRecord[]>();

  /** To be called when a plugin was added or removed. */
  changed(): void {
    this.#answers.clear();
  }

  #usable(): PluginRecord[] {
    return [...this.records.values()].filter(({ state }) => state !== 'disabled');
  }

  #saying(question: string, isTrue: (manifest: Manifest) => unknown): PluginRecord[] {
    const found = this.#answers.get(question) ?? [...this.records.values()].filter(({ manifest }) => isTrue(manifest));
    this.#answers.set(question, found);
    return found.filter(({ state }) => state !== 'disabled');
  }

  #providers(service: string): PluginRecord[] {
    return this.#saying(`provides ${service}`, ({ provides = [] }) => provides.includes(service));
  }

  /** The record of an installed plugin. */
  require(id: string): PluginRecord {
    const record = this.records.get(id);
    if (record) return record;
    throw kernelErrors.create('KERNEL_PLUGIN_UNKNOWN', { plugin: id, hint: didYouMean(id, this.records.keys()) });
  }

  /** The plugin that provides a service. */
  providerOf(service: string, needer?: string): string {
    const [provider] = this.#providers(service);
    if (provider) return provider.id;
    const provided = this.#usable().flatMap(({ manifest }) => manifest.provides ?? []);
    const hint = didYouMean(service, provided);
    throw needer === undefined
      ? kernelErrors.create('KERNEL_SERVICE_MISSING', { service, hint })
      : kernelErrors.create('KERNEL_NEED_MISSING', { plugin: needer, service, hint });
  }

  /** True when some plugin provides a service. */
  provides(service: string): boolean {
    return this.#providers(service).length > 0;
  }

  /** Running plugins that need a service of `record`. */
  dependentsOf({ manifest: { provides = [] } }: PluginRecord): PluginRecord[] {
    return this.#usable().filter(
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
      const next = this.#providers(need)[0]?.id;
      if (next === id) return [...path, id];
      const cycle = next !== undefined && !path.includes(next) && this.cycleThrough(id, [...path, next]);
      if (cycle) return cycle;
    }
    return undefined;
  }

  /** Plugins that handle a hook: those that it starts, and those that run or are starting already. */
  handlersOf(hook: string): readonly PluginRecord[] {
    return this.#saying(`handles ${hook}`, (manifest) => hooksOf(manifest).includes(hook)).filter(
      ({ scope, unloading, manifest }) => (scope && !unloading) || manifest.handles?.includes(hook),
    );
  }

  /** Plugins that contribute to a slot. */
  contributors(slot: string): string[] {
    return idsOf(this.#saying(`contributes ${slot}`, ({ contributes = {} }) => contributes[slot]));
  }

  /** Plugins that contribute to a slot what only their code knows. */
  dynamicContributors(slot: string): string[] {
    return idsOf(this.#saying(`adds to ${slot}`, ({ contributes = {} }) => contributes[slot]?.[DYNAMIC]));
  }

  /** Plugins that discover entries for a slot. */
  sourcesOf(slot: string): string[] {
    return idsOf(this.#saying(`discovers ${slot}`, ({ sources = [] }) => sources.includes(slot)));
  }

  /** True when a plugin may contribute entries that its manifest does not name, to other slots than these. */
  isDynamic({ manifest }: PluginRecord, known: ReadonlySet<string>): boolean {
    return Object.entries(manifest.contributes ?? {}).some(([slot, entries]) => entries[DYNAMIC] && !known.has(slot));
  }

  /** The plugin that defines a token. */
  definerOf(kind: Token['kind'], id: string): PluginRecord | undefined {
    return this.#usable().find(({ manifest }) => manifest.defines?.[`${kind}s`]?.includes(id));
  }

  /** The names of all tokens of a kind. */
  definedIds(kind: Token['kind']): string[] {
    return this.#usable().flatMap(({ manifest }) => manifest.defines?.[`${kind}s`] ?? []);
  }

  /** Refuses a registration that the manifest does not declare. */
  assertDeclared(
    { id, manifest, candidate }: PluginRecord,
    kind: RegistrationInfo['kind'],
    target: string,
    key?: string,
  ): void {
    const { contributes, sources, provides } = manifest;
    let declared: unknown = true;
    if (kind === 'entry') declared = contributes?.[target]?.[key ?? ''] ?? contributes?.[target]?.[DYNAMIC];
    else if (kind === 'source') declared = sources?.includes(target);
    else if (kind === 'service') declared = provides?.includes(target);
    else if (kind === 'handler') declared = hooksOf(manifest).includes(target);
    if (declared) return;
    const entry = describe({ plugin: id, kind, target, ...(key !== undefined && { key }) });
    throw kernelErrors.create('KERNEL_KEY_UNDECLARED', { plugin: id, file: candidate.file, entry });
  }

  /** Refuses a plugin that did not register what its manifest declares. */
  checkRegistered({ id, manifest, candidate }: PluginRecord, registered: readonly RegistrationInfo[]): void {
    const missing: RegistrationInfo[] = [];
    const expect = (kind: RegistrationInfo['kind'], target: string, key?: string) => {
      const isDone = registered.some(
        (info) => info.kind === kind && info.target === target && (key === undefined || info.key === key),
      );
      if (!isDone) missing.push({ plugin: id, kind, target, ...(key !== undefined && { key }) });
    };
    for (const [target, keys] of Object.entries(manifest.contributes ?? {}))
      for (const key in keys) if (key !== DYNAMIC) expect('entry', target, key);
    for (const service of manifest.provides ?? []) expect('service', service);
    for (const hook of hooksOf(manifest)) expect('handler', hook);
    for (const slot of manifest.sources ?? []) expect('source', slot);
    const [first] = missing;
    if (!first) return;
    throw kernelErrors.create('KERNEL_KEY_NOT_CONTRIBUTED', {
      plugin: id,
      file: candidate.file,
      entry: describe(first),
    });
  }

  /** Where a plugin's code and its manifest disagree. */
  mismatches(manifest: Manifest, { id, spec }: Plugin): string[] {
    const compare = (name: string, inCode: readonly string[], inManifest: readonly string[] = []) =>
      inCode.join() === inManifest.join() || [...inCode].sort().join() === [...inManifest].sort().join()
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

function idsOf(records: readonly PluginRecord[]): string[] {
  return records.map(({ id }) => id);
}

function hooksOf({ handles = [], handlesWhenActive = [] }: Manifest): string[] {
  return [...handles, ...handlesWhenActive];
}

function describe({ kind, target, key }: RegistrationInfo): string {
  return kind === 'entry' ? `the entry "${key}" of slot "${target}"` : `the ${kind} for "${target}"`;
}
