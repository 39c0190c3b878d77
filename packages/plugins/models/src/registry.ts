import { didYouMean, type Registry } from '@tenon/kernel';
import type { Model, ModelRegistry, Provider, ThinkingLevel } from './api.ts';
import { type CallerHost, ModelCaller } from './call/model-caller.ts';
import type { RetrySettings } from './call/retry-policy.ts';
import type { LayeredAuthStore } from './auth/auth-store.ts';
import { errors } from './errors.ts';
import { keyOf, type ModelBook } from './model-book.ts';
import { type ListedModel, selectModel, splitThinking } from './selection.ts';

/** The plugin's settings. */
export interface ModelsConfig {
  readonly roles: Readonly<Record<string, string | readonly string[]>>;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly retry: RetrySettings;
  readonly batchMs: number;
  readonly harmonyGuard: boolean;
  readonly credentialStore: 'auto' | 'keychain' | 'file';
}

type Choice = { readonly model: Model; readonly thinking?: ThinkingLevel };

/** Finds models for people and roles, and calls them. */
export class BookRegistry implements ModelRegistry {
  readonly #book: ModelBook;
  readonly #auth: LayeredAuthStore;
  readonly #providers: Registry<Provider>;
  readonly #config: ModelsConfig;
  readonly #modelsFile: string;
  readonly #caller: ModelCaller;

  constructor(parts: {
    book: ModelBook;
    auth: LayeredAuthStore;
    providers: Registry<Provider>;
    config: ModelsConfig;
    modelsFile: string;
  }) {
    this.#book = parts.book;
    this.#auth = parts.auth;
    this.#providers = parts.providers;
    this.#config = parts.config;
    this.#modelsFile = parts.modelsFile;
    this.#caller = new ModelCaller(this.#host());
  }

  list(): Promise<readonly ListedModel[]> {
    return this.#book.list();
  }

  async find(pattern: string): Promise<Choice | undefined> {
    // Local servers are looked for only when nothing else is meant: that takes time before the first request.
    const known = await this.#choose(await this.#book.listKnown(), pattern);
    if (known && (await this.#isMeant(known.model, pattern))) return known;
    return (await this.#choose(await this.#book.list(), pattern)) ?? known;
  }

  async forRole(role: string): Promise<Choice & { readonly fallbackMessage?: string }> {
    const endpoints = await this.#book.endpoints();
    // Models without an endpoint (the offline one) are the last resort, after local servers.
    const known = (await this.#book.listKnown()).filter(({ provider }) => endpoints.has(provider));
    const quick = await this.#forRole(role, known);
    if (quick && quick.fallbackMessage === undefined) return quick;
    const found = await this.#forRole(role, await this.#book.list());
    if (!found) throw errors.create('MODELS_NONE');
    return found;
  }

  async #forRole(
    role: string,
    models: readonly ListedModel[],
  ): Promise<(Choice & { readonly fallbackMessage?: string }) | undefined> {
    const configured = this.#config.roles[role] ?? (role === 'default' ? undefined : this.#config.roles['default']);
    const wanted = configured === undefined ? [] : typeof configured === 'string' ? [configured] : configured;
    for (const [place, pattern] of wanted.entries()) {
      const choice = await this.#choose(models, pattern);
      if (choice && (await this.#isAvailable(models, choice.model)))
        return place === 0 ? choice : { ...choice, fallbackMessage: unavailable(wanted[0], choice.model) };
    }
    const model = await this.#standard(role, models);
    if (!model) return undefined;
    return wanted.length === 0 ? { model } : { model, fallbackMessage: unavailable(wanted[0], model) };
  }

  stream(...[request, call]: Parameters<ModelRegistry['stream']>): ReturnType<ModelRegistry['stream']> {
    return this.#caller.stream(request, call);
  }

  async #choose(models: readonly ListedModel[], wanted: string): Promise<Choice | undefined> {
    // As it stands first: ids may end in what looks like a level.
    const whole = models.find((model) => keyOf(model) === wanted || model.id === wanted);
    if (whole) return { model: plain(whole) };
    const { pattern, thinking } = splitThinking(wanted);
    const found = selectModel(models, pattern);
    const unlisted = found && exactly(found, pattern) ? undefined : await this.#book.unlisted(pattern);
    const model = unlisted ?? (found && plain(found));
    return model && { model, ...(thinking && { thinking }) };
  }

  /** True when no other model can be meant: it is named exactly, or fits and can be used. */
  async #isMeant(model: Model, wanted: string): Promise<boolean> {
    const { pattern } = splitThinking(wanted);
    if (keyOf(model) === wanted || exactly(model, pattern)) return true;
    return this.#isAvailable(await this.#book.listKnown(), model);
  }

  async #isAvailable(models: readonly ListedModel[], model: Model): Promise<boolean> {
    const listed = models.find((candidate) => keyOf(candidate) === keyOf(model));
    if (listed) return listed.available;
    const endpoint = await this.#book.endpoint(model.provider);
    return endpoint.keyOptional === true || this.#auth.hasKey(model.provider);
  }

  /** The model of a role that nobody has configured: the first endpoint with credentials, then whatever can be used. */
  async #standard(role: string, models: readonly ListedModel[]): Promise<Model | undefined> {
    const available = models.filter((model) => model.available && !model.onlyByName);
    const suits = (model: Model) => role !== 'vision' || model.input.includes('image');
    for (const [provider, endpoint] of await this.#book.endpoints()) {
      const own = available.filter((model) => model.provider === provider && suits(model));
      const pattern = role === 'small' ? (endpoint.smallModel ?? endpoint.defaultModel) : endpoint.defaultModel;
      const found = pattern === undefined ? own[0] : (selectModel(own, `${provider}/${pattern}`) ?? own[0]);
      if (found) return plain(found);
    }
    const rest = available.find(suits) ?? available[0];
    return rest && plain(rest);
  }

  #host(): CallerHost {
    const { retry, batchMs, harmonyGuard } = this.#config;
    return {
      retry,
      batchMs,
      harmonyGuard,
      provider: (api) => this.#providers.resolve(api),
      keys: (model) => this.#keys(model),
      renew: (model, key) => this.#auth.renew(model.provider, key),
      fallbacks: (model) => this.#fallbacks(model),
    };
  }

  async #keys(model: Model): Promise<readonly string[]> {
    const { api, provider } = model;
    if (!this.#providers.get(api)) {
      const hint = didYouMean(
        api,
        this.#providers.list().map(({ key }) => key),
      );
      throw errors.create('MODELS_NO_PROTOCOL', { model: keyOf(model), api, hint, file: this.#modelsFile });
    }
    const keys = await this.#auth.keys(provider);
    const endpoint = (await this.#book.endpoints()).get(provider);
    if (keys.length > 0 || !endpoint || endpoint.keyOptional || endpoint.ambient) return keys;
    const [variable] = endpoint.env ?? [];
    throw errors.create('MODELS_NO_KEY', { provider, orSet: variable === undefined ? '' : `, or set ${variable}` });
  }

  /** The chain of the settings; without one, none: another model costs other money. */
  async #fallbacks(model: Model): Promise<readonly Model[]> {
    const { fallbacks } = this.#config;
    const patterns = fallbacks[keyOf(model)] ?? fallbacks[model.id] ?? fallbacks['*'] ?? [];
    if (patterns.length === 0) return [];
    const models = await this.#book.list();
    const found = await Promise.all(patterns.map((pattern) => this.#choose(models, pattern)));
    const chain = found.flatMap((choice) => (choice ? [choice.model] : []));
    const usable = await Promise.all(chain.map((candidate) => this.#isAvailable(models, candidate)));
    return chain.filter((candidate, at) => usable[at] && keyOf(candidate) !== keyOf(model));
  }
}

function plain({ available: _available, ...model }: ListedModel): Model {
  return model;
}

function exactly(model: Model, pattern: string): boolean {
  return keyOf(model).toLowerCase() === pattern.toLowerCase() || model.id.toLowerCase() === pattern.toLowerCase();
}

function unavailable(wanted: string | undefined, model: Model): string {
  return `Model "${wanted ?? ''}" cannot be used (unknown, or without credentials); ${keyOf(model)} is used.`;
}
