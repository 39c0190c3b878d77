/** Gathers models and endpoints from all sides: plugins, the user's models file, the catalogue, local servers. */
import { type Entry, type LoadContext, type Registry, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { Endpoint, Model, ModelRoute, Provider } from './api.ts';
import type { KeyedEndpoint } from './auth/auth-store.ts';
import { fromEnvironment, isOn } from './endpoint-environment.ts';
import { errors } from './errors.ts';
import { readId } from './id-facts.ts';
import { type ModelsFileContent, readModelsFile } from './models-file.ts';
import { ownEndpoint, withOwn } from './own-endpoint.ts';
import { checkModelsFile, STANDARD_API } from './models-file-check.ts';
import { globOf, type ListedModel } from './selection.ts';

/** What the book is made from. */
export interface BookSources {
  readonly models: Registry<Model>;
  readonly endpoints: Registry<Endpoint>;
  readonly protocols: Registry<Provider>;
  readonly modelsFile: string;
  readonly context: LoadContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  catalogue(): Promise<Readonly<Record<string, readonly CatalogueModel[]>>>;
  hasKey(provider: string): Promise<boolean>;
  report(error: TenonError): void;
}

/** A model in the catalogue; protocol and address come from its endpoint. */
export type CatalogueModel = Omit<Model, 'provider' | 'api' | 'baseUrl'>;

const UNKNOWN = { contextWindow: 128_000, maxTokens: 16_384, input: ['text'], reasoning: false } as const;

/** All models and endpoints. */
export class ModelBook {
  readonly #sources: BookSources;
  #file: Promise<ModelsFileContent> | undefined;
  /** Asked for at every call of a model; the same as long as the same is said. */
  #merged:
    | { readonly described: readonly Entry<Endpoint>[]; readonly endpoints: ReadonlyMap<string, KeyedEndpoint> }
    | undefined;

  constructor(sources: BookSources) {
    this.#sources = sources;
  }

  /** Reads everything anew at the next question. */
  refresh(): void {
    this.#file = undefined;
    this.#merged = undefined;
    this.#sources.models.invalidate();
  }

  /** All endpoints, by provider, in order of rank. What the user's file says wins over what plugins say. */
  async endpoints(): Promise<ReadonlyMap<string, KeyedEndpoint>> {
    const { endpoints: own } = await this.#readFile();
    const described = this.#sources.endpoints.list();
    if (this.#merged?.described === described) return this.#merged.endpoints;
    const merged = new Map<string, KeyedEndpoint>();
    for (const [provider, endpoint] of [...this.#described()].sort(([, a], [, b]) => this.#rank(a) - this.#rank(b)))
      merged.set(
        provider,
        withOwn({ ...endpoint, ...fromEnvironment(endpoint, this.#sources.env) }, own.get(provider)),
      );
    for (const [provider, endpoint] of own)
      if (!merged.has(provider)) merged.set(provider, ownEndpoint(provider, endpoint));
    this.#merged = { described, endpoints: merged };
    return merged;
  }

  /** All models; the first one of a key counts. */
  async list(): Promise<readonly ListedModel[]> {
    const loaded = await this.#sources.models.load(this.#sources.context);
    for (const problem of loaded.problems) this.#sources.report(problem);
    return this.#listWith(loaded.entries);
  }

  /** The models that are known without asking around: no local server is looked for. Those of one provider are there sooner. */
  async listKnown(provider?: string): Promise<readonly ListedModel[]> {
    return this.#listWith(this.#sources.models.list(), provider);
  }

  async #listWith(entries: readonly Entry<Model>[], only?: string): Promise<readonly ListedModel[]> {
    const [endpoints, file, catalogue] = await Promise.all([
      this.endpoints(),
      this.#readFile(),
      this.#sources.catalogue(),
    ]);
    const all = new Map<string, Model>();
    const add = (model: Model) => void (all.has(keyOf(model)) || all.set(keyOf(model), model));
    const inCatalogue = (provider: string, id: string) =>
      catalogue[endpoints.get(provider)?.catalogue ?? provider]?.find((model) => model.id === id);
    const contributed = entries.map((entry) =>
      this.#contributed(entry.key, entry.data, entry.source.plugin, endpoints),
    );
    for (const [provider, endpoint] of endpoints) {
      if (only !== undefined && only !== provider) continue;
      for (const own of file.models.get(provider) ?? [])
        add(complete(provider, endpoint, { ...inCatalogue(provider, own.id), ...own }));
      for (const model of contributed) if (model.provider === provider) add(model);
      for (const model of catalogue[endpoint.catalogue ?? provider] ?? []) add(complete(provider, endpoint, model));
    }
    for (const model of contributed) if (only === undefined || only === model.provider) add(model);
    // Asked once for each provider: there are hundreds of models.
    const usable = new Map<string, boolean>();
    const keyed = new Map<string, boolean>();
    for (const { provider, needsKey } of all.values()) {
      if (!usable.has(provider)) usable.set(provider, await this.#isUsable(provider, endpoints.get(provider)));
      if (needsKey && usable.get(provider) === true && !keyed.has(provider))
        keyed.set(provider, await this.#sources.hasKey(provider));
    }
    const isOpen = ({ provider, needsKey }: Model) =>
      usable.get(provider) === true && (!needsKey || keyed.get(provider) === true);
    return [...all.values()].map((model) => ({ ...model, available: isOpen(model) }));
  }

  /** A model that no list has, of an endpoint that serves any: `openrouter/some/model`. */
  async unlisted(key: string): Promise<Model | undefined> {
    const at = key.indexOf('/');
    const [provider, id] = [key.slice(0, at), key.slice(at + 1)];
    const endpoint = at > 0 && id !== '' && !/[*?]/.test(id) ? (await this.endpoints()).get(provider) : undefined;
    return endpoint?.anyModel ? complete(provider, endpoint, { ...(await this.#facts(endpoint, id)), id }) : undefined;
  }

  /** What the catalogue knows about a model that is served by somebody else. How much it takes there is not known. */
  async #facts(endpoint: Endpoint, id: string): Promise<Pick<Model, 'name' | 'input' | 'reasoning'> | undefined> {
    const owner = routeOf(endpoint, id)?.catalogue;
    const catalogue = owner === undefined ? undefined : (await this.#sources.catalogue())[owner];
    const { name: wanted } = readId(id);
    const found =
      catalogue?.find((model) => model.id === id) ?? catalogue?.find((model) => readId(model.id).name === wanted);
    return found && { name: found.name, input: found.input, reasoning: found.reasoning };
  }

  /** The endpoint of a provider that must be there. */
  async endpoint(provider: string): Promise<KeyedEndpoint> {
    const endpoints = await this.endpoints();
    const endpoint = endpoints.get(provider);
    if (endpoint) return endpoint;
    const hint = didYouMean(provider, endpoints.keys());
    throw errors.create('MODELS_UNKNOWN_ENDPOINT', { provider, hint, file: this.#sources.modelsFile });
  }

  /** True when a model of this provider can be called. */
  async #isUsable(provider: string, endpoint: KeyedEndpoint | undefined): Promise<boolean> {
    if (!endpoint || endpoint.keyOptional) return true;
    if (endpoint.baseUrl === undefined && endpoint.baseUrlEnv !== undefined) return false;
    if (endpoint.ambient?.some((name) => this.#sources.env[name])) return true;
    return this.#sources.hasKey(provider);
  }

  #rank({ preferEnv, rank = 1000 }: Endpoint): number {
    return preferEnv !== undefined && isOn(this.#sources.env[preferEnv]) ? -1 : rank;
  }

  /** A model of a plugin. Its address counts only when no key of the user could be sent to a stranger by it. */
  #contributed(
    key: string,
    data: Readonly<Record<string, unknown>>,
    plugin: string,
    endpoints: ReadonlyMap<string, KeyedEndpoint>,
  ): Model {
    const fields = data as Partial<Model>;
    const at = key.indexOf('/');
    const provider = key.slice(0, at);
    const { baseUrl, headers, ...rest } = { ...fields, id: key.slice(at + 1) };
    const endpoint = endpoints.get(provider);
    const trusted = !endpoint || plugin === 'providers' || sameOrigin(baseUrl, endpoint.baseUrl);
    return complete(provider, endpoint, {
      ...rest,
      ...(trusted && baseUrl !== undefined && { baseUrl }),
      ...(trusted && headers && { headers }),
    });
  }

  /** The endpoints that plugins describe. */
  #described(): ReadonlyMap<string, Endpoint> {
    return new Map(this.#sources.endpoints.list().map(({ key, data }) => [key, data as unknown as Endpoint]));
  }

  #readFile(): Promise<ModelsFileContent> {
    this.#file ??= this.#usableFile().catch((fault: unknown) => {
      if (!(fault instanceof TenonError)) throw fault;
      this.#sources.report(fault);
      return { endpoints: new Map(), models: new Map() };
    });
    return this.#file;
  }

  async #usableFile(): Promise<ModelsFileContent> {
    const { modelsFile: file, protocols, report } = this.#sources;
    const { content, problems } = checkModelsFile(await readModelsFile(file), {
      file,
      protocols: new Map(protocols.list().map(({ key, data }) => [key, data])),
      endpoints: this.#described(),
    });
    problems.forEach(report);
    return content;
  }
}

/** The key of a model. */
export function keyOf({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider}/${id}`;
}

function routeOf({ routes }: Endpoint, id: string): ModelRoute | undefined {
  return routes?.find(({ match }) => match.some((pattern) => globOf(pattern).test(id)));
}

function complete(
  provider: string,
  endpoint: KeyedEndpoint | undefined,
  model: Partial<Model> & { id: string },
): Model {
  const route = endpoint && routeOf(endpoint, model.id);
  const baseUrl = model.baseUrl ?? (endpoint?.baseUrl && endpoint.baseUrl + (route?.path ?? ''));
  const headers = { ...endpoint?.headers, ...model.headers };
  const quirks = { ...endpoint?.quirks, ...model.quirks };
  const { price, ...rest } = model;
  return {
    ...UNKNOWN,
    name: model.id,
    api: route?.api ?? endpoint?.api ?? STANDARD_API,
    ...rest,
    provider,
    ...(price && !endpoint?.flatRate && { price }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(quirks).length > 0 && { quirks }),
  };
}

function sameOrigin(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined) return true;
  return b !== undefined && URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}
