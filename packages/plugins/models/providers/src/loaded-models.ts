import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelRequest } from '@tenon/models/api';
import type { Dialect } from './dialect.ts';

/** A session uses one or two models; others come back rarely. */
const MAX_KEPT = 4;

/** The SDK's models, kept between requests: making one also makes and compiles its schemas again. */
export class LoadedModels {
  readonly #dialect: Dialect;
  readonly #fetch: typeof globalThis.fetch;
  readonly #models = new Map<string, Promise<LanguageModelV3>>();

  constructor(dialect: Dialect, fetch: typeof globalThis.fetch) {
    this.#dialect = dialect;
    this.#fetch = fetch;
  }

  /** The model of a request. It depends on nothing of the request but what the key is made of. */
  for({ model, apiKey, headers }: ModelRequest): Promise<LanguageModelV3> {
    const { provider, id, baseUrl, quirks } = model;
    const key = JSON.stringify([provider, id, baseUrl, model.headers, quirks, apiKey, headers]);
    const cached = this.#models.get(key);
    const loaded = cached ?? this.#dialect.load({ model, apiKey, headers }, this.#fetch);
    if (this.#dialect.loadsAnew?.(apiKey)) return loaded;
    // Put back at the end: the first is the one that was not used for the longest time.
    this.#models.delete(key);
    this.#models.set(key, loaded);
    const [oldest] = this.#models.keys();
    if (this.#models.size > MAX_KEPT && oldest !== undefined) this.#models.delete(oldest);
    if (!cached) loaded.catch(() => this.#models.delete(key));
    return loaded;
  }
}
