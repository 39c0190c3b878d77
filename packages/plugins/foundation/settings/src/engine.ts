import {
  checkValue,
  type Disposable,
  disposable,
  type JsonSchema,
  type LayerContent,
  loadSchemaCompiler,
  type Manifest,
  messageOf,
  type Settings,
  type SettingsChange,
  type SettingsLayer,
  settingsLayers,
  type SettingValue,
  type TenonError,
} from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import { errors } from './errors.ts';
import { defaultsOf, flatten, getPath, isPlainObject, mergeInto, propertyAt, removePath, setPath } from './values.ts';
import { judgeSection, type Ruling } from './scopes.ts';

interface LoadedLayer {
  readonly layer: SettingsLayer;
  readonly content: LayerContent;
  /** Whether all that a project says counts that is not the user's alone. */
  readonly isTrusted: boolean;
}

/** A layer with those of its values that count. */
interface LayerView extends LoadedLayer {
  readonly values: Record<string, unknown>;
}

const WARNINGS = {
  'user-only': 'SETTINGS_NOT_FOR_PROJECTS',
  'needs-trust': 'SETTINGS_NEED_TRUST',
  looser: 'SETTINGS_ONLY_STRICTER',
  unfit: 'SETTINGS_PROJECT_INVALID',
} as const satisfies Partial<Record<Ruling['verdict'], keyof typeof errors.catalogue>>;

/** Merges layers of settings, checks each plugin's section and tells who asked when something changed. */
export class SettingsStore implements Settings {
  readonly #manifests: () => Iterable<Manifest>;
  readonly #trusts: (layer: SettingsLayer) => Promise<boolean>;
  readonly #resolveLayers: () => Promise<readonly SettingsLayer[]>;
  readonly #report: (error: TenonError, severity?: 'error' | 'warning') => void;
  readonly #onChange: (change: SettingsChange) => void;
  readonly #watchers = new Set<{ key: string; listener: (value: unknown) => void }>();
  #loading: Promise<void> | undefined;
  #loaded: readonly LoadedLayer[] = [];
  #known: { loaded: readonly LoadedLayer[]; manifests: readonly Manifest[]; views: readonly LayerView[] } = {
    loaded: [],
    manifests: [],
    views: [],
  };
  #unreadable: TenonError | undefined;

  constructor(options: {
    manifests: () => Iterable<Manifest>;
    resolveLayers: () => Promise<readonly SettingsLayer[]>;
    /** Whether the user trusts the project that a layer comes from. */
    trusts: (layer: SettingsLayer) => Promise<boolean>;
    report: (error: TenonError, severity?: 'error' | 'warning') => void;
    onChange: (change: SettingsChange) => void;
  }) {
    this.#manifests = options.manifests;
    this.#resolveLayers = options.resolveLayers;
    this.#trusts = options.trusts;
    this.#report = options.report;
    this.#onChange = options.onChange;
  }

  async layers(): Promise<readonly SettingsLayer[]> {
    return [...(await this.#resolveLayers())].sort((a, b) => a.rank - b.rank);
  }

  async load(): Promise<void> {
    const before = this.#loading ? flatten(this.#merged()) : undefined;
    this.#loading = this.#readLayers();
    await this.#loading;
    if (before) this.#tell(before);
  }

  /** Reads the layers unless they were read before. */
  ensureLoaded(): Promise<void> {
    return (this.#loading ??= this.#readLayers());
  }

  async #readLayers(): Promise<void> {
    this.#unreadable = undefined;
    const read = async (layer: SettingsLayer): Promise<LoadedLayer[]> => {
      try {
        const content = await layer.read();
        return [{ layer, content, isTrusted: await this.#isTrusted(layer, content) }];
      } catch (fault) {
        const [said, file = layer.name] = [messageOf(fault), layer.file];
        // With the line, so that terminals and editors can open it there; once is enough.
        const details = { layer: layer.name, file, reason: said.includes(file) ? said : `${file}: ${said}` };
        this.#unreadable = errors.create('SETTINGS_UNREADABLE', details, fault);
        this.#report(this.#unreadable);
        return [];
      }
    };
    this.#loaded = (await Promise.all((await this.layers()).map(read))).flat();
  }

  /** Nobody is asked about a project that says nothing for which it would matter. */
  async #isTrusted(layer: SettingsLayer, { values }: LayerContent): Promise<boolean> {
    if (layer.fromProject !== true) return true;
    const sections = [...this.#manifests()].filter(({ id, settings }) => settings && values[id] !== undefined);
    if (sections.length === 0) return false;
    await loadSchemaCompiler();
    const matters = sections.some(({ id, settings = {} }) =>
      judgeSection(settings, values[id], undefined, false).some(
        ({ verdict }) => verdict === 'needs-trust' || verdict === 'unfit',
      ),
    );
    return matters && (await this.#trusts(layer));
  }

  /** Forgets what was read, because the set of layers or plugins has changed. */
  forget(): void {
    this.#loading = undefined;
  }

  /** The layers as they count with the plugins that are installed now. Every plugin that starts asks for them, and they seldom change. */
  #views(): readonly LayerView[] {
    const manifests = [...this.#manifests()];
    const isKnown =
      this.#known.loaded === this.#loaded &&
      this.#known.manifests.length === manifests.length &&
      manifests.every((manifest, at) => manifest === this.#known.manifests[at]);
    if (isKnown) return this.#known.views;
    const views: LayerView[] = [];
    // What a project may tighten depends on what lies below it.
    for (const loaded of this.#loaded) views.push({ ...loaded, values: this.#usable(loaded, manifests, views) });
    this.#known = { loaded: this.#loaded, manifests, views };
    return views;
  }

  /** The values of all layers over the defaults. */
  #merged(views: readonly LayerView[] = this.#views()): Record<string, unknown> {
    const merged: Record<string, unknown> = {};
    for (const { id, settings } of this.#manifests()) if (settings) merged[id] = defaultsOf(settings);
    for (const { values } of views) mergeInto(merged, structuredClone(values));
    return merged;
  }

  /** The same for one plugin alone: its start asks only for that, and there are many. */
  #mergedSection({ id, settings }: Manifest, views: readonly LayerView[] = this.#views()): unknown {
    const merged: Record<string, unknown> = settings ? { [id]: defaultsOf(settings) } : {};
    for (const { values } of views)
      if (Object.hasOwn(values, id)) mergeInto(merged, { [id]: structuredClone(values[id]) });
    return merged[id];
  }

  /** A layer's values as they count: renamed settings under their new names, without what the layer may not set. */
  #usable(loaded: LoadedLayer, manifests: readonly Manifest[], below: readonly LayerView[]): Record<string, unknown> {
    const values = structuredClone(loaded.content.values) as Record<string, unknown>;
    for (const { id, renamedSettings = {} } of manifests) {
      for (const [from, to] of Object.entries(renamedSettings))
        this.#rename(values, loaded, `${id}.${from}`, `${id}.${to}`);
    }
    for (const key of Object.keys(values)) {
      const manifest = manifests.find(({ id }) => id === key);
      if (!manifest?.settings) this.#stray(loaded, key, manifests);
      else if (loaded.layer.fromProject) this.#judge(values, loaded, manifest, below);
    }
    return values;
  }

  #rename(values: Record<string, unknown>, loaded: LoadedLayer, key: string, renamed: string): void {
    const value = getPath(values, key.split('.'));
    if (value === undefined) return;
    removePath(values, key.split('.'));
    if (getPath(values, renamed.split('.')) === undefined) setPath(values, renamed.split('.'), value);
    this.#report(
      errors.create('SETTINGS_RENAMED', { key, renamed, where: position(loaded, key.split('.')) }),
      'warning',
    );
  }

  #stray(loaded: LoadedLayer, key: string, manifests: readonly Manifest[]): void {
    const hint = didYouMean(
      key,
      manifests.filter(({ settings }) => settings).map(({ id }) => id),
    );
    this.#report(errors.create('SETTINGS_STRAY', { key, hint, where: position(loaded, [key]) }), 'warning');
  }

  /** Leaves of a project's section what its class lets it say. */
  #judge(
    values: Record<string, unknown>,
    loaded: LoadedLayer,
    { id, settings = {} }: Manifest,
    below: readonly LayerView[],
  ): void {
    const base = this.#merged(below)[id];
    const rulings = judgeSection(settings, values[id], base, loaded.isTrusted);
    const taken: Record<string, unknown> = {};
    for (const { path, verdict, value } of rulings) if (verdict === 'taken') setPath(taken, [id, ...path], value);
    values[id] = taken[id] ?? {};
    for (const [verdict, code] of Object.entries(WARNINGS)) {
      const keys = rulings.filter((ruling) => ruling.verdict === verdict).map(({ path }) => [id, ...path]);
      const [first] = keys;
      if (!first) continue;
      const details = {
        key: first.join('.'),
        keys: keys.map((key) => `"${key.join('.')}"`),
        where: position(loaded, first),
      };
      this.#report(errors.create(code, details), 'warning');
    }
  }

  /** The checked section of a plugin. Throws when it, or a whole layer, cannot be trusted. */
  async section(
    manifest: Manifest,
    migrate?: (section: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<unknown> {
    if (!manifest.settings) return {};
    // A plugin that brings a layer starts before the layers can be read, so it runs on its defaults.
    if (manifest.contributes?.[settingsLayers.id]) return defaultsOf(manifest.settings);
    await this.ensureLoaded();
    if (this.#unreadable) throw this.#unreadable;
    const raw = this.#mergedSection(manifest) ?? {};
    const section = migrate && isPlainObject(raw) ? migrate(raw) : raw;
    const problem = await this.#problemIn(manifest, section);
    if (problem) throw problem;
    return section;
  }

  async #problemIn(manifest: Manifest, section: unknown, location?: string): Promise<TenonError | undefined> {
    const [first] = await checkValue(manifest.settings ?? {}, section);
    if (!first) return undefined;
    const path = [manifest.id, ...(first.path ? first.path.split('.') : [])];
    const details = {
      key: path.join('.'),
      plugin: manifest.id,
      where: location ?? this.#where(path),
      problem: first.message,
    };
    return errors.create('SETTINGS_INVALID', details);
  }

  /** Where the value that decides stands, or the nearest object around it. */
  #where(path: readonly string[]): string {
    const views = this.#views();
    for (let length = path.length; length > 0; length--) {
      const view = decider(views, path.slice(0, length));
      if (view) return position(view, path.slice(0, length));
    }
    return 'default';
  }

  async get<T = unknown>(key: string): Promise<T> {
    const { manifest } = this.#require(key);
    await this.ensureLoaded();
    if (this.#unreadable) throw this.#unreadable;
    return getPath({ [manifest.id]: this.#mergedSection(manifest) }, key.split('.')) as T;
  }

  #require(key: string): { manifest: Manifest; property: JsonSchema } {
    const manifests = [...this.#manifests()].filter(({ settings }) => settings);
    const manifest = manifests.find(({ id }) => key === id || key.startsWith(`${id}.`));
    const property =
      manifest &&
      propertyAt(
        manifest.settings ?? {},
        key
          .slice(manifest.id.length + 1)
          .split('.')
          .filter(Boolean),
      );
    if (manifest && property) return { manifest, property };
    const all = manifests.flatMap(({ id, settings }) =>
      Object.keys(flatten({ [id]: defaultsOf(settings ?? {}, true) })),
    );
    throw errors.create('SETTINGS_UNKNOWN', { key, hint: didYouMean(key, all) });
  }

  watch(key: string, listener: (value: unknown) => void): Disposable {
    this.#require(key);
    const watcher = { key, listener };
    this.#watchers.add(watcher);
    return disposable(() => void this.#watchers.delete(watcher));
  }

  async list(): Promise<readonly SettingValue[]> {
    await this.ensureLoaded();
    const views = this.#views();
    const merged = this.#merged(views);
    return [...this.#manifests()].flatMap(({ id, settings }) => {
      if (!settings) return [];
      const defaults = flatten({ [id]: defaultsOf(settings, true) });
      const keys = new Set([...Object.keys(defaults), ...Object.keys(flatten({ [id]: merged[id] ?? {} }))]);
      return [...keys].map((key): SettingValue => {
        const path = key.split('.');
        const view = decider(views, path);
        const { description = '' } = (propertyAt(settings, path.slice(1)) ?? {}) as { description?: string };
        return {
          key,
          plugin: id,
          value: getPath(merged, path),
          default: defaults[key],
          layer: view?.layer.name ?? 'default',
          where: view ? position(view, path) : 'default',
          description,
        };
      });
    });
  }

  async set(key: string, value: unknown, options: { layer?: string } = {}): Promise<void> {
    const { manifest } = this.#require(key);
    await this.ensureLoaded();
    const next = this.#merged();
    setPath(next, key.split('.'), value);
    const problem = await this.#problemIn(manifest, structuredClone(next[manifest.id]), 'the given value');
    if (problem) throw problem;
    await this.#write({ path: key.split('.'), value }, options.layer);
  }

  async unset(key: string, options: { layer?: string } = {}): Promise<void> {
    this.#require(key);
    await this.ensureLoaded();
    await this.#write({ path: key.split('.') }, options.layer);
  }

  async #write(edit: { path: string[]; value?: unknown }, name: string | undefined): Promise<void> {
    const layers = await this.layers();
    const writable = layers.filter((layer) => layer.write);
    const layer = name === undefined ? writable[0] : writable.find((candidate) => candidate.name === name);
    if (!layer?.write) {
      const details = { layer: name ?? 'none', writable: writable.map((candidate) => candidate.name) };
      throw errors.create('SETTINGS_READONLY', details);
    }
    await layer.write([edit]);
    await this.load();
  }

  #tell(before: Record<string, unknown>): void {
    const merged = this.#merged();
    const after = flatten(merged);
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    );
    if (keys.length === 0) return;
    for (const { key, listener } of [...this.#watchers]) {
      if (keys.some((changed) => changed === key || changed.startsWith(`${key}.`)))
        listener(getPath(merged, key.split('.')));
    }
    const plugins = [...this.#manifests()]
      .map(({ id }) => id)
      .filter((id) => keys.some((key) => key.startsWith(`${id}.`)));
    this.#onChange({ keys, plugins });
  }

  schema(): JsonSchema {
    const sections = [...this.#manifests()].filter(({ settings }) => settings);
    return {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Tenon settings',
      type: 'object',
      properties: Object.fromEntries(
        sections.map(({ id, description, settings }) => [id, { ...(description && { description }), ...settings }]),
      ),
    };
  }
}

/** The layer whose value for a path wins. */
function decider(views: readonly LayerView[], path: readonly string[]): LayerView | undefined {
  return views.findLast(({ values }) => getPath(values, path) !== undefined);
}

function position({ content }: LoadedLayer, path: readonly string[]): string {
  const at = content.locate?.(path);
  return at ? `${content.origin}:${at.line}:${at.column}` : content.origin;
}
