import { type JsonSchema, service, slot } from '@tenon/kernel';
import type { AccessSpec, ModelRoute, OAuthSpec } from './login-spec.ts';
import type { ModelMessage } from './messages.ts';
import type { StreamEvent } from './stream.ts';
import type { ThinkingLevel } from './thinking.ts';

export * from './login-spec.ts';
export * from './messages.ts';
export * from './stream.ts';
export * from './thinking.ts';
export { AnswerBuilder } from './answer-builder.ts';
export { type HangUp, hangUpWith } from './call/hang-up.ts';
export { type TokenCounts, usageOf } from './cost.ts';
export { parseModelsText } from './models-text.ts';
export { unknownModel } from './unknown-model.ts';
export { PartialJson, type PartialJsonResult } from './partial-json.ts';

/** A model, as the registry knows it. Prices are US dollars per million tokens. */
export interface Model {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** The wire protocol: a key of the slot `providers`. */
  readonly api: string;
  readonly baseUrl?: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly input: readonly ('text' | 'image')[];
  readonly reasoning: boolean;
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly headers?: Readonly<Record<string, string>>;
  /** True for fixed rules: people are told that no language model answered. */
  readonly isRules?: boolean;
  /** True for models that are never chosen unless somebody names them: replayed conversations, for example. */
  readonly onlyByName?: boolean;
  /** True when its server refuses calls without a key, though servers of this kind often need none. */
  readonly needsKey?: boolean;
  /** What this endpoint does differently from its protocol. */
  readonly quirks?: Readonly<Record<string, unknown>>;
}

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Which tool the model must, may or must not call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** One model call. */
export interface ModelRequest {
  readonly model: Model;
  readonly systemPrompt: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly toolChoice?: ToolChoice;
  readonly thinking?: ThinkingLevel;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly serviceTier?: string | null;
  /** Stable per session: providers route and cache by it. */
  readonly sessionId?: string;
  readonly cache?: 'none' | 'short' | 'long';
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks one wire protocol. Never throws: a failure is the stream's last event. */
export interface Provider {
  /** True when it joins the deltas that come within `batchMs` itself. Those of others are joined for them. */
  readonly joinsDeltas?: boolean;
  stream(
    request: ModelRequest,
    call: { readonly signal: AbortSignal; readonly batchMs?: number },
  ): AsyncIterable<StreamEvent>;
}

/** Wire protocols, by the name that models carry in `api`. `needsBaseUrl` in their data means that they have no address of their own. Not for packs: they are given keys. */
export const providers = slot<Provider>('providers');

/** Known models. The data of an entry is a {@link Model} without its key `provider/id`. Not for packs, like endpoints. */
export const models = slot<Model>('models');

/** Who serves models: where, in which protocol, with whose key. */
export interface Endpoint {
  readonly name: string;
  /** The wire protocol of its models: a key of the slot `providers`. */
  readonly api: string;
  readonly baseUrl?: string;
  /** Environment variables that name another base URL; the first that is set counts. */
  readonly baseUrlEnv?: string | readonly string[];
  /** Environment variables that name a part of the base URL, which stands for `{}` in it. */
  readonly baseUrlFrom?: Readonly<Record<string, string>>;
  /** An environment variable that puts this endpoint before all others when it is switched on. */
  readonly preferEnv?: string;
  /** An environment variable with more headers: `name: value`, separated by commas or lines. */
  readonly headersEnv?: string;
  /** The endpoint whose models of the catalogue it serves, too. */
  readonly catalogue?: string;
  /** Environment variables with the key; the first that is set counts. Several keys are separated by commas. */
  readonly env?: readonly string[];
  /** Environment variables with tokens that are for other things, too: they serve only a model that was named. */
  readonly sharedEnv?: readonly string[];
  /** Environment variables that show that the protocol finds credentials by itself. */
  readonly ambient?: readonly string[];
  /** True when it works without a key. */
  readonly keyOptional?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Readonly<Record<string, unknown>>;
  /** True when the endpoint serves any id, not only those in the catalogue. */
  readonly anyModel?: boolean;
  /** How a local server lists its models; it is looked for at its base URL. */
  readonly probe?: 'ollama' | 'openai';
  readonly oauth?: OAuthSpec;
  /** What is done with a key or token before models can be called. */
  readonly access?: AccessSpec;
  /** Which models speak another protocol than `api`. */
  readonly routes?: readonly ModelRoute[];
  /** True when a subscription pays: tokens have no price. */
  readonly flatRate?: boolean;
  /** Patterns of the models to use when the user has not chosen any. */
  readonly defaultModel?: string;
  readonly smallModel?: string;
  /** Lower comes first when the user has not chosen an endpoint. */
  readonly rank?: number;
}

/** Endpoints by the name that models carry as `provider`. Not for packs: an endpoint decides where keys are sent. */
export const endpoints = slot<Endpoint>('endpoints');

/** Brings models that depend on the folder: those of extensions. */
export interface ModelSource {
  /** Puts its models for a folder into the slots `endpoints` and `models`. The user is not asked anything; what is wrong is reported. */
  offer(request: { readonly cwd: string }): Promise<void>;
}

/** Sources of models that depend on the folder; they are asked only for a model that is not known without them. */
export const modelSources = slot<ModelSource>('model-sources');

/** Finds models and their credentials, and calls them with retries, rotation and fallback. */
export interface ModelRegistry {
  /** All models; `available` ones have credentials or need none. */
  list(): Promise<readonly (Model & { readonly available: boolean })[]>;
  /**
   * A model by `provider/id`, id, role (`small`) or pattern (`sonnet`, `openai/*`), optionally `:thinking`. Whatever is not
   * the name of a model comes with a message that says which one is used. See {@link unknownModel} for nothing.
   */
  find(
    pattern: string,
  ): Promise<
    { readonly model: Model; readonly thinking?: ThinkingLevel; readonly fallbackMessage?: string } | undefined
  >;
  /**
   * The model for a role (`default`, `small`, `plan`, `vision`…), with a message when it is not the wanted one. `beside` is
   * the model that leads the conversation: what is sent is part of that, so that without a setting for this very role a
   * model of the same provider answers, or `beside` itself. Everything that sends parts of a conversation gives it.
   */
  forRole(
    role: string,
    options?: { readonly beside?: Model },
  ): Promise<{
    readonly model: Model;
    readonly thinking?: ThinkingLevel;
    readonly fallbackMessage?: string;
    readonly found?: FoundModel;
  }>;
  /** Streams one answer; retries and rotations are visible as `onRetry`. */
  stream(request: Omit<ModelRequest, 'apiKey'>, call: ModelCall): AsyncIterable<StreamEvent>;
}

/** Why this model answers though nobody chose it: a key is there, a server runs on this machine, or there is nothing else. */
export interface FoundModel {
  readonly by: 'key' | 'server' | 'last-resort';
  /** A sentence for people. */
  readonly text: string;
}

/** How one call is made. */
export interface ModelCall {
  readonly signal: AbortSignal;
  /** `stopWaiting` ends the announced wait: the call fails with what the provider said. */
  onRetry?(notice: RetryNotice, stopWaiting: () => void): void;
  /** False when a failed call is not to be made again after a wait. Other keys and other models take over all the same. */
  mayWait?(): boolean;
}

/** Shown to the user while a call is tried again. */
export interface RetryNotice {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly reason: string;
  /** Set when another model takes over. */
  readonly fallback?: string;
}

/** The model registry. */
export const modelRegistry = service<ModelRegistry>('model-registry');

/** Keeps credentials. */
export interface AuthStore {
  /** Runtime override, stored, environment, resolver: the first that has one. */
  keys(provider: string): Promise<readonly string[]>;
  /** Where those come from; undefined without any. No command runs and no token is renewed. */
  source(provider: string): Promise<KeySource | undefined>;
  /** The keys that were given out in this process so far, for those who keep them out of conversations. */
  used(): readonly string[];
  setRuntimeKey(provider: string, key: string): void;
  store(provider: string, credential: StoredCredential): Promise<void>;
  remove(provider: string): Promise<boolean>;
  /** A secret of another plugin, kept as credentials are; undefined when there is none of that name. */
  secret(name: string): Promise<string | undefined>;
  /** Changes one; `change` gives undefined to forget it. Other processes wait meanwhile. */
  changeSecret(
    name: string,
    change: (present: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<void>;
  list(): Promise<
    readonly { readonly provider: string; readonly kind: string; readonly source: string; readonly masked: string }[]
  >;
}

/** Where a key comes from. */
export type KeySource =
  | { readonly from: 'this run' | 'login' | 'stored' | 'models file' }
  | { readonly from: 'environment'; readonly variable: string };

/** A credential on disk; always encrypted or in the OS keychain. */
export type StoredCredential =
  | { readonly kind: 'api-key'; readonly key: string }
  | {
      readonly kind: 'oauth';
      readonly access: string;
      readonly refresh?: string;
      readonly expiresAt?: number;
      /** The client that the login was made with: only that one can renew it. */
      readonly clientId?: string;
    };

/** The credential store. */
export const authStore = service<AuthStore>('auth-store');
