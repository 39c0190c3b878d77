import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelRequest } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';

/** A session uses one or two models; others come back rarely. */
const MAX_KEPT = 4;

/** The SDK's models, kept between requests: making one also makes and compiles its schemas again. */
export class LoadedModels {
  readonly #dialect: Dialect;
  readonly #fetch: typeof globalThis.fetch;
  readonly #kept = new Map<string, Promise<LanguageModelV3>>();

  constructor(dialect: Dialect, fetch: typeof globalThis.fetch) {
    this.#dialect = dialect;
    this.#fetch = fetch;
  }

  /** The model of a request. It depends on nothing of the request but what the key is made of. */
  for({ model, apiKey, headers }: ModelRequest): Promise<LanguageModelV3> {
    const { provider, id, baseUrl, quirks } = model;
    const key = JSON.stringify([provider, id, baseUrl, model.headers, quirks, apiKey, headers]);
    const cached = this.#kept.get(key);
    const loaded = cached ?? this.#dialect.load({ model, apiKey, headers }, this.#fetch);
    if (this.#dialect.loadsAnew?.(apiKey)) return loaded;
    // Put back at the end: the first is the one that was not used for the longest time.
    this.#kept.delete(key);
    this.#kept.set(key, loaded);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    if (!cached) loaded.catch(() => this.#kept.delete(key));
    return loaded;
  }
}
