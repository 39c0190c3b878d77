import type { Registry } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type { Endpoint, FoundModel, Model, ModelRegistry, Provider, ThinkingLevel } from './api.ts';
import { type AdviceContext, adviceOn } from './call/advice.ts';
import { type CallerHost, ModelCaller } from './call/model-caller.ts';
import { type Reach, reachWith } from './call/reach.ts';
import type { LayeredAuthStore } from './auth/auth-store.ts';
import { besideChoice } from './beside-choice.ts';
import { errors } from './errors.ts';
import { orSetKey } from './key-source.ts';
import { keyOf, type ModelBook } from './model-book.ts';
import { needsBaseUrl } from './models-file-check.ts';
import { type ListedModel, selectModel, splitProvider, splitThinking } from './selection.ts';
import type { ModelsSettings } from './generated/settings.ts';

type Choice = { readonly model: Model; readonly thinking?: ThinkingLevel };
type ExplainedChoice = Choice & { readonly fallbackMessage?: string; readonly found?: FoundModel };

/** Roles that mean something even without a setting. */
const KNOWN_ROLES: ReadonlySet<string> = new Set(['default', 'small', 'plan', 'vision']);

/** Finds models for people and roles, and calls them. */
export class BookRegistry implements ModelRegistry {
  readonly #book: ModelBook;
  readonly #auth: LayeredAuthStore;
  readonly #providers: Registry<Provider>;
  readonly #config: ModelsSettings;
  readonly #modelsFile: string;
  readonly #caller: ModelCaller;

  constructor(parts: {
    book: ModelBook;
    auth: LayeredAuthStore;
    providers: Registry<Provider>;
    config: ModelsSettings;
    modelsFile: string;
  }) {
    this.#book = parts.book;
    this.#auth = parts.auth;
    this.#providers = parts.providers;
    this.#config = parts.config;
    this.#modelsFile = parts.modelsFile;
    this.#caller = new ModelCaller(this.#host());
  }

  /** The settings for roles, of which any name may have one. */
  get #roles(): Readonly<Record<string, string | readonly string[] | undefined>> {
    return this.#config.roles;
  }

  list(): Promise<readonly ListedModel[]> {
    return this.#book.list();
  }

  /** The roles that have a meaning: the known ones and those of the settings. */
  roles(): readonly string[] {
    return [...new Set([...KNOWN_ROLES, ...Object.keys(this.#roles)])];
  }

  async find(pattern: string): Promise<ExplainedChoice | undefined> {
    const exact = (await this.#book.listKnown(splitProvider(pattern).provider)).find((own) => keyOf(own) === pattern);
    if (exact) return (await this.#onServer(exact, pattern)) ?? { model: plain(exact) };
    // Local servers are looked for only when nothing else is meant: that takes time before the first request.
    const quick = await this.#choose(await this.#book.listKnown(), pattern);
    if (quick && isExact(quick.model, pattern)) return (await this.#onServer(quick.model, pattern)) ?? quick;
    const role = await this.#asRole(pattern);
    if (role) return role;
    const isUsable = quick && (await this.#isAvailable(await this.#book.listKnown(), quick.model));
    const choice = isUsable ? quick : ((await this.#choose(await this.#book.list(), pattern)) ?? quick);
    if (!choice || isExact(choice.model, pattern)) return choice;
    return { ...choice, fallbackMessage: `Using ${keyOf(choice.model)} for "${pattern}".` };
  }

  /** The same model as its local server describes it: only the server knows how much it takes. */
  async #onServer(model: Model, pattern: string): Promise<ExplainedChoice | undefined> {
    const { probe } = (await this.#book.endpoints()).get(model.provider) ?? {};
    const known =
      probe === undefined ||
      (await this.#book.listKnown(model.provider)).some((other) => keyOf(other) === keyOf(model));
    return known ? undefined : this.#choose(await this.#book.list(), pattern);
  }

  /** The model of a role, for text that names the role. */
  async #asRole(text: string): Promise<ExplainedChoice | undefined> {
    const { pattern, thinking } = splitThinking(text);
    // The name that oh-my-pi has for it.
    const role = pattern === 'smol' ? 'small' : pattern;
    if (!KNOWN_ROLES.has(role) && !Object.hasOwn(this.#roles, role)) return undefined;
    const choice = await this.forRole(role);
    const fallbackMessage = choice.fallbackMessage ?? `The model for the role "${role}" is ${keyOf(choice.model)}.`;
    return { ...choice, ...(thinking && { thinking }), fallbackMessage };
  }

  async forRole(role: string, { beside }: { beside?: Model } = {}): Promise<ExplainedChoice> {
    if (beside) return (await this.#beside(role, beside)) ?? { model: beside };
    const endpoints = await this.#book.endpoints();
    // Models without an endpoint (the offline one) are the last resort, after local servers.
    const remote = (await this.#book.listKnown()).filter(({ provider }) => endpoints.has(provider));
    const quick = await this.#forRole(role, remote);
    if (quick && quick.fallbackMessage === undefined) return quick;
    const choice = await this.#forRole(role, await this.#book.list());
    if (!choice) throw errors.create(role === 'vision' ? 'MODELS_NO_EYES' : 'MODELS_NONE');
    return choice;
  }

  async #forRole(role: string, models: readonly ListedModel[]): Promise<ExplainedChoice | undefined> {
    const patterns = this.#patternsFor(role);
    for (const [rank, pattern] of patterns.entries()) {
      const choice = await this.#choose(models, pattern);
      if (choice && suits(role, choice.model) && (await this.#isAvailable(models, choice.model)))
        return rank === 0 ? choice : { ...choice, fallbackMessage: unavailable(patterns[0], choice.model) };
    }
    const model = await this.#standard(role, models);
    if (!model) return undefined;
    if (patterns.length > 0) return { model, fallbackMessage: unavailable(patterns[0], model) };
    return { model, found: foundModel(model, (await this.#book.endpoints()).get(model.provider)) };
  }

  /** The patterns of the settings for a role, in order of preference. */
  #patternsFor(role: string): readonly string[] {
    const { [role]: own, default: standard } = this.#roles;
    // A default that does not see is no wish about images.
    return patternsIn(own ?? (role === 'vision' ? undefined : standard));
  }

  /** The model of a role in a conversation that another one leads. */
  #beside(role: string, lead: Model): Promise<ExplainedChoice | undefined> {
    const book = this.#book;
    const sources = {
      patternsFor: (name: string) => patternsIn(this.#roles[name]),
      listKnown: () => book.listKnown(),
      list: () => book.list(),
      endpoints: () => book.endpoints(),
      choose: (models: readonly ListedModel[], pattern: string) => this.#choose(models, pattern),
      isAvailable: (models: readonly ListedModel[], model: Model) => this.#isAvailable(models, model),
    };
    return besideChoice(sources, role, lead, (model) => suits(role, model));
  }

  /** The model that takes the place of one that does not see images. */
  async #forImages(model: Model): Promise<Choice | undefined> {
    const choice = await this.#beside('vision', model);
    return choice && { model: choice.model, ...(choice.thinking && { thinking: choice.thinking }) };
  }

  stream(...[request, call]: Parameters<ModelRegistry['stream']>): ReturnType<ModelRegistry['stream']> {
    return this.#caller.stream({ cache: this.#config.cache, ...request }, call);
  }

  async #choose(models: readonly ListedModel[], text: string): Promise<Choice | undefined> {
    // As it stands first: ids may end in what looks like a level.
    const whole = models.some((model) => keyOf(model) === text || model.id === text) && selectModel(models, text);
    if (whole) return { model: plain(whole) };
    const { pattern, thinking } = splitThinking(text);
    const listed = selectModel(models, pattern);
    const unlisted = listed && isExact(listed, pattern) ? undefined : await this.#book.unlisted(pattern);
    const model = unlisted ?? (listed && plain(listed));
    return model && { model, ...(thinking && { thinking }) };
  }

  async #isAvailable(models: readonly ListedModel[], model: Model): Promise<boolean> {
    const listed = models.find((candidate) => keyOf(candidate) === keyOf(model));
    if (listed) return listed.available;
    const endpoint = await this.#book.endpoint(model.provider);
    return endpoint.keyOptional === true || this.#auth.hasKey(model.provider);
  }

  /** The model of a role without a setting: the first endpoint with credentials, then whatever can be used. */
  async #standard(role: string, models: readonly ListedModel[]): Promise<Model | undefined> {
    const available = models.filter((model) => model.available && !model.onlyByName && suits(role, model));
    for (const [provider, endpoint] of await this.#book.endpoints()) {
      const own = available.filter((model) => model.provider === provider);
      const pattern = role === 'small' ? (endpoint.smallModel ?? endpoint.defaultModel) : endpoint.defaultModel;
      const model = pattern === undefined ? own[0] : (selectModel(own, `${provider}/${pattern}`) ?? own[0]);
      if (model) return plain(model);
    }
    const [rest] = available;
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
      reach: (model, key) => this.#reach(model, key),
      renew: (model, key) => this.#auth.renew(model.provider, key),
      fallbacks: (model) => this.#fallbacks(model),
      forImages: (model) => this.#forImages(model),
      advice: async (model, failure) => adviceOn(failure, await this.#adviceContext(model)),
    };
  }

  async #keys(model: Model): Promise<readonly string[]> {
    const { api, provider } = model;
    const protocol = this.#providers.get(api);
    if (!protocol) {
      const hint = didYouMean(
        api,
        this.#providers.list().map(({ key }) => key),
      );
      throw errors.create('MODELS_NO_PROTOCOL', { model: keyOf(model), api, hint, file: this.#modelsFile });
    }
    const endpoint = (await this.#book.endpoints()).get(provider);
    const file = this.#modelsFile;
    // The SDK would send the key to the company that invented the protocol.
    if (model.baseUrl === undefined && needsBaseUrl(protocol.data)) {
      const variables = [endpoint?.baseUrlEnv ?? []].flat();
      const orSet = variables.length === 0 ? '' : `, or set ${variables.join(' or ')}`;
      throw errors.create('MODELS_NO_ADDRESS', { provider, file, orSet });
    }
    const keys = await this.#auth.keys(provider);
    if (keys.length > 0 || !endpoint || endpoint.keyOptional || endpoint.ambient) return keys;
    throw errors.create('MODELS_NO_KEY', { provider, orSet: orSetKey(endpoint, provider, file) });
  }

  /** Where and with what a model is called: some endpoints give a token and an address for the key. */
  async #reach(model: Model, key: string): Promise<Reach> {
    const endpoint = (await this.#book.endpoints()).get(model.provider);
    if (!endpoint?.access) return { model, apiKey: key };
    return reachWith(model, endpoint, await this.#auth.access(model.provider, key));
  }

  async #adviceContext(model: Model): Promise<AdviceContext> {
    const endpoint = (await this.#book.endpoints()).get(model.provider);
    const orSet = orSetKey(endpoint, model.provider, this.#modelsFile);
    return { model, orSet, modelsFile: this.#modelsFile, retry: this.#config.retry };
  }

  /** The chain of the settings; without one, none: another model costs other money. */
  async #fallbacks(model: Model): Promise<readonly Model[]> {
    const { fallbacks } = this.#config;
    const patterns = fallbacks[keyOf(model)] ?? fallbacks[model.id] ?? fallbacks['*'] ?? [];
    if (patterns.length === 0) return [];
    const models = await this.#book.list();
    const choices = await Promise.all(patterns.map((pattern) => this.#choose(models, pattern)));
    const chain = choices.flatMap((choice) => (choice ? [choice.model] : []));
    const usable = await Promise.all(chain.map((candidate) => this.#isAvailable(models, candidate)));
    return chain.filter((candidate, at) => usable[at] && keyOf(candidate) !== keyOf(model));
  }
}

function patternsIn(configured: string | readonly string[] | undefined): readonly string[] {
  return typeof configured === 'string' ? [configured] : (configured ?? []);
}

function plain({ available: _available, ...model }: ListedModel): Model {
  return model;
}

/** True when a name means this model and no other, with or without a level of thinking. */
function isExact(model: Model, name: string): boolean {
  const names = [keyOf(model).toLowerCase(), model.id.toLowerCase()];
  return names.includes(name.toLowerCase()) || names.includes(splitThinking(name).pattern.toLowerCase());
}

/** Says why a model answers that nobody chose. */
function foundModel(model: Model, endpoint: Endpoint | undefined): FoundModel {
  const name = keyOf(model);
  if (!endpoint) {
    const rules = model.isRules ? ': fixed rules, no language model' : '';
    const text = `No model is set up, so ${name} answers${rules}. See \`tenon auth login\` and \`tenon models list\`.`;
    return { by: 'last-resort', text };
  }
  if (endpoint.probe === undefined)
    return { by: 'key', text: `${name} answers, because there is a key for ${endpoint.name}. Choose with --model.` };
  const at = model.baseUrl === undefined ? 'on this machine' : `at ${model.baseUrl}`;
  return { by: 'server', text: `${name} answers: a local server was found ${at}. Choose with --model.` };
}

function suits(role: string, model: Model): boolean {
  return role !== 'vision' || model.input.includes('image');
}

function unavailable(name: string | undefined, model: Model): string {
  return `Model "${name ?? ''}" cannot be used (unknown, or without credentials); ${keyOf(model)} is used.`;
}
