/** Asks one engine after the other until one answers. */
import { messageOf, type Registry, TenonError } from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import type {
  SearchAnswer,
  SearchCall,
  SearchEngine,
  SearchEngineData,
  SearchHit,
  SearchQuery,
  SearchRequest,
} from '../api.ts';

import { errors } from '../errors.ts';
import { decodeText } from '../http/charset.ts';
import type { HttpClient } from '../http/client.ts';
import type { WebToolsSettings } from '../generated/settings.ts';

/** What the chain needs. */
export interface ChainHost {
  readonly engines: Registry<SearchEngine>;
  readonly config: WebToolsSettings['search'];
  readonly env: Readonly<Record<string, string | undefined>>;
  client(): Promise<HttpClient>;
  /** The keys that the credential store has; none when there is no store. */
  storedKeys(provider: string): Promise<readonly string[]>;
}

/** An answer, and how it was come by. */
export interface ChainAnswer extends SearchAnswer {
  readonly engine: string;
  readonly title: string;
  /** Engines that were asked before, and why they gave nothing. */
  readonly failed: readonly { readonly engine: string; readonly reason: string }[];
}

interface Candidate {
  readonly id: string;
  readonly data: SearchEngineData;
  readonly keys: readonly (string | undefined)[];
  readonly baseUrl: string;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const ENGINE_TIMEOUT_MS = 45_000;

/** The engines in the order in which they are asked. */
export class SearchChain {
  readonly #host: ChainHost;

  constructor(host: ChainHost) {
    this.#host = host;
  }

  /** Gives the first answer. `only` names an engine, which is then the only one. */
  async search(query: SearchQuery, signal: AbortSignal, only?: string): Promise<ChainAnswer> {
    const candidates = only === undefined ? await this.#available() : [await this.#named(only)];
    if (candidates.length === 0) throw errors.create('WEB_SEARCH_NO_ENGINE', { variables: this.#variables() });
    const failed: { engine: string; reason: string }[] = [];
    for (const candidate of candidates) {
      try {
        const answer = await this.#ask(candidate, query, signal);
        const { id, data } = candidate;
        if (answer.hits.length > 0 || answer.answer) return { ...answer, engine: id, title: data.title, failed };
        failed.push({ engine: id, reason: 'it found nothing' });
      } catch (fault) {
        signal.throwIfAborted();
        if (!(fault instanceof TenonError)) throw fault;
        if (only !== undefined) throw fault;
        failed.push({ engine: candidate.id, reason: fault.message });
      }
    }
    const nothing = failed.every(({ reason }) => reason === 'it found nothing');
    if (nothing) return { engine: failed[0]?.engine ?? '', title: '', hits: [], failed };
    const reasons = failed.map(({ engine, reason }) => `${engine}: ${reason}`).join(' ');
    throw errors.create('WEB_SEARCH_FAILED', { reasons, variables: this.#variables() });
  }

  /** Names of engines, in order, with what is known about each. */
  ids(): readonly string[] {
    const known = this.#host.engines.list().map(({ key }) => key);
    const { order } = this.#host.config;
    return [...order.filter((id) => known.includes(id)), ...known.filter((id) => !order.includes(id))];
  }

  #dataOf(id: string): SearchEngineData {
    return (this.#host.engines.get(id)?.data ?? {}) as unknown as SearchEngineData;
  }

  async #available(): Promise<readonly Candidate[]> {
    const candidates = await Promise.all(this.ids().map((id) => this.#candidate(id)));
    return candidates.flatMap((candidate) => candidate ?? []);
  }

  async #named(id: string): Promise<Candidate> {
    const engines = this.ids();
    if (!engines.includes(id)) {
      throw errors.create('WEB_SEARCH_ENGINE_UNKNOWN', { engine: id, engines, hint: didYouMean(id, engines) });
    }
    const candidate = await this.#candidate(id);
    if (candidate) return candidate;
    const { title, env = [], alsoNeeds = [], baseUrlEnv = [] } = this.#dataOf(id);
    throw errors.create('WEB_SEARCH_NO_KEY', {
      engine: title,
      variables: [...env.slice(0, 1), ...alsoNeeds, ...baseUrlEnv].join(' and '),
    });
  }

  /** Undefined when something that the engine needs is missing. */
  async #candidate(id: string): Promise<Candidate | undefined> {
    const { env } = this.#host;
    const data = this.#dataOf(id);
    const configured =
      this.#host.config.engines[id]?.baseUrl ?? data.baseUrlEnv?.map((name) => env[name]).find(Boolean);
    const baseUrl = (configured ?? data.baseUrl ?? '').replace(/\/+$/, '');
    if (!URL.canParse(baseUrl) || data.alsoNeeds?.some((name) => !env[name])) return undefined;
    const inEnv = data.env?.map((name) => env[name]).find(Boolean);
    const stored = inEnv === undefined && data.auth !== undefined ? await this.#host.storedKeys(data.auth) : [];
    const keys =
      inEnv === undefined
        ? stored
        : inEnv
            .split(',')
            .map((key) => key.trim())
            .filter(Boolean);
    if (keys.length === 0 && !data.keyOptional) return undefined;
    return { id, data, baseUrl, keys: keys.length === 0 ? [undefined] : keys };
  }

  /** Another key of the same engine is tried when one is refused or used up. */
  async #ask(candidate: Candidate, query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
    const engine = await this.#host.engines.resolve(candidate.id);
    let last: unknown;
    for (const key of candidate.keys) {
      try {
        return filtered(await engine.search(query, this.#call(candidate, key, signal)), query);
      } catch (fault) {
        last = fault;
        const status = fault instanceof TenonError ? Number(fault.details['status'] ?? 0) : 0;
        if (![401, 402, 403, 429].includes(status)) throw fault;
      }
    }
    throw last;
  }

  #call({ id, data, baseUrl }: Candidate, key: string | undefined, signal: AbortSignal): SearchCall {
    const { env, config } = this.#host;
    return {
      signal,
      key,
      baseUrl,
      env,
      model: config.engines[id]?.model ?? (data.modelEnv === undefined ? undefined : env[data.modelEnv]) ?? data.model,
      json: (request) => this.#json({ id, title: data.title, baseUrl }, request, signal),
    };
  }

  async #json(
    { id, title, baseUrl }: { readonly id: string; readonly title: string; readonly baseUrl: string },
    { path, query = {}, body, headers = {}, secrets = {} }: SearchRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const answer = await (
      await this.#host.client()
    ).ask({
      url: url.href,
      trustedOrigin: url.origin,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      secrets,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      maxBytes: MAX_ANSWER_BYTES,
      whenTooLarge: 'refuse',
      timeoutMs: ENGINE_TIMEOUT_MS,
      signal,
    });
    const { text } = decodeText(answer.bytes, answer.contentType);
    if (answer.status < 200 || answer.status >= 300) {
      throw refused(title, answer.status, text, this.#dataOf(id).env);
    }
    try {
      return JSON.parse(text) as unknown;
    } catch (fault) {
      throw errors.create('WEB_SEARCH_ANSWER', { engine: title, id, reason: messageOf(fault) }, fault);
    }
  }

  /** What could be set, the engines without a key left out. */
  #variables(): readonly string[] {
    return this.ids()
      .map((id) => this.#dataOf(id))
      .flatMap(({ env = [], keyOptional }) => (keyOptional ? [] : env.slice(0, 1)));
  }
}

function refused(engine: string, status: number, body: string, env: readonly string[] = []): TenonError {
  const hint =
    status === 401 || status === 403
      ? `Check the key in ${env[0] ?? 'the settings'}.`
      : status === 429 || status === 402
        ? 'Its limit is reached: wait, or use another engine.'
        : 'Try again later, or use another engine.';
  return errors.create('WEB_SEARCH_REFUSED', { engine, status, reason: reasonIn(body) || 'it gave no reason', hint });
}

/** The sentence in an error's body, wherever the service puts it. */
function reasonIn(body: string): string {
  try {
    const parsed = JSON.parse(body) as Record<string, unknown>;
    const { error, message, detail } = parsed;
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error;
    const reason = [inner, message, detail].find((value) => typeof value === 'string') as string | undefined;
    return (reason ?? JSON.stringify(parsed)).slice(0, 200);
  } catch {
    return body
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .trim()
      .slice(0, 200); // No JSON: the start of what it said.
  }
}

/** Engines take sites as wishes; here they are a promise. */
function filtered(answer: SearchAnswer, { domains, excludeDomains, limit }: SearchQuery): SearchAnswer {
  const isUnder = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`);
  const hits = answer.hits.filter(({ url }) => {
    if (!URL.canParse(url)) return false;
    if (answer.hidesSites) return true;
    const host = new URL(url).hostname.toLowerCase();
    return (
      (domains.length === 0 || domains.some((domain) => isUnder(host, domain))) &&
      !excludeDomains.some((excluded) => isUnder(host, excluded))
    );
  });
  return { ...answer, hits: dedupe(hits).slice(0, limit) };
}

/** The first of each address. */
function dedupe(hits: readonly SearchHit[]): readonly SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ url }) => !seen.has(url) && seen.add(url));
}
