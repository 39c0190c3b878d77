/** Finds local model servers by asking where they usually listen, and lists their models. */
import { messageOf, type SlotSource, type SourceItem, type TenonError } from '@tenon/kernel';
import type { Endpoint, Model } from '@tenon/models/api';
import { errors } from './errors.ts';

/** How the search goes. */
export interface ProbeOptions {
  /** The endpoints to look for: those with `probe`. */
  endpoints(): ReadonlyMap<string, Endpoint>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

interface Listed {
  readonly id: string;
  /** The window that the server gives. */
  readonly context?: number | undefined;
  /** The window that the model could have. */
  readonly possible?: number | undefined;
  readonly isLlama?: boolean;
  readonly needsKey?: boolean;
  readonly images?: boolean;
  readonly reasoning?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is assumed of a local model that does not tell. */
const CONTEXT = 32_768;

/** A source of models for the slot `models`. Servers that are not there are no news. */
export function localServers(options: ProbeOptions): SlotSource<Model> {
  return {
    id: 'local-servers',
    deadlineMs: options.timeoutMs * 4 + 2000,
    async load(_context, { signal }) {
      const endpoints = [...options.endpoints()].filter(([, { probe }]) => probe !== undefined);
      const results = await Promise.all(
        endpoints.map(([provider, endpoint]) => probe(provider, endpoint, options, signal)),
      );
      return {
        items: results.flatMap(({ items }) => items),
        warnings: results.flatMap(({ warning }) => (warning ? [warning] : [])),
      };
    },
  };
}

/** The base URL in force: the variable's, with the version that its users often leave out. */
export function localBaseUrl(endpoint: Endpoint, env: ProbeOptions['env']): string | undefined {
  const configured = [endpoint.baseUrlEnv ?? []]
    .flat()
    .map((name) => env[name])
    .find(Boolean);
  const url = (configured || endpoint.baseUrl)?.replace(/\/+$/, '');
  return url === undefined || /\/v\d+$/.test(url) ? url : `${url}/v1`;
}

async function probe(
  provider: string,
  endpoint: Endpoint,
  { env, timeoutMs }: ProbeOptions,
  outer: AbortSignal,
): Promise<{ items: SourceItem<Model>[]; warning?: TenonError }> {
  const baseUrl = localBaseUrl(endpoint, env);
  if (baseUrl === undefined) return { items: [] };
  let needsKey = false;
  const key = endpoint.env?.map((name) => env[name]).find(Boolean);
  const get = async (url: string, body?: unknown): Promise<Fields | undefined> => {
    const response = await fetch(url, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      signal: AbortSignal.any([outer, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      // Of llama.cpp anybody may read the list of models; what it guards answers 401 here as it does to a prompt.
      needsKey ||= response.status === 401;
      return undefined;
    }
    return (await response.json()) as Fields;
  };
  try {
    const isThere = await mayAnswer(baseUrl, timeoutMs, outer);
    outer.throwIfAborted();
    if (!isThere) return { items: [] };
    const root = baseUrl.replace(/\/v\d+$/, '');
    const listed = endpoint.probe === 'ollama' ? await ollamaModels(root, get) : await openaiModels(baseUrl, root, get);
    if (needsKey) {
      const details = { name: endpoint.name, url: baseUrl, variable: endpoint.env?.[0] ?? 'apiKey in models.yml' };
      const items = listed.map((model) => itemOf(provider, endpoint, baseUrl, { ...model, needsKey }));
      return { items, warning: errors.create('PROVIDERS_LOCAL_KEY', details) };
    }
    return { items: listed.map((model) => itemOf(provider, endpoint, baseUrl, model)) };
  } catch (fault) {
    outer.throwIfAborted();
    if (isAbsent(fault)) return { items: [] };
    const details = {
      name: endpoint.name,
      url: baseUrl,
      reason: messageOf(fault),
      variable: [endpoint.baseUrlEnv ?? []].flat()[0],
    };
    return { items: [], warning: errors.create('PROVIDERS_LOCAL_SERVER', details, fault) };
  }
}

/**
 * False when nothing listens at an address of this machine. Most machines have no such server, and finding that out with `fetch` would load
 * its library in every process that lists models.
 */
async function mayAnswer(baseUrl: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const { hostname, port, protocol } = new URL(baseUrl);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname) || protocol !== 'http:') return true;
  const { connect } = await import('node:net');
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 80), signal });
  return new Promise<boolean>((resolve) => {
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    // Refused, or the caller stopped it: the caller looks at its signal.
    socket.on('error', () => end(false));
  });
}

/** No server listens, it is too slow, or another kind of server answers at that port. */
function isAbsent(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  return fault.name === 'TimeoutError' || fault instanceof SyntaxError || fault.message === 'fetch failed';
}

async function ollamaModels(
  root: string,
  get: (url: string, body?: unknown) => Promise<Fields | undefined>,
): Promise<Listed[]> {
  const names = listIn(await get(`${root}/api/tags`), 'models').map(({ model, name }) => model ?? name);
  const ids = names.filter((name): name is string => typeof name === 'string');
  return Promise.all(
    ids.map(async (id) => {
      const shown = await get(`${root}/api/show`, { model: id });
      const info = (shown?.['model_info'] ?? {}) as Fields;
      const context = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
      const abilities = Array.isArray(shown?.['capabilities']) ? (shown['capabilities'] as unknown[]) : [];
      return {
        id,
        context: numberOf(context),
        images: abilities.includes('vision'),
        reasoning: abilities.includes('thinking'),
      };
    }),
  );
}

async function openaiModels(
  baseUrl: string,
  root: string,
  get: (url: string) => Promise<Fields | undefined>,
): Promise<Listed[]> {
  const listed = listIn(await get(`${baseUrl}/models`), 'data').flatMap((model): Listed[] => {
    const { id, max_model_len: longest, context_length: length, max_context_length: most, meta } = model;
    if (typeof id !== 'string') return [];
    const { n_ctx: running, n_ctx_train: trained } = (meta ?? {}) as Fields;
    const context = numberOf(longest) ?? numberOf(running);
    const possible = numberOf(length) ?? numberOf(most) ?? numberOf(trained);
    return [{ id, context, possible, isLlama: running !== undefined || trained !== undefined }];
  });
  const knows = ({ context, possible, isLlama }: Listed) => !isLlama && (context ?? possible) !== undefined;
  if (listed.every(knows)) return listed.map(settled);
  // llama.cpp tells here how much it was started with, which not every version has in the list; what its model was trained
  // with says nothing about that. It also shows here whether it wants a key: its list is open to everybody.
  const props = await get(`${root}/props`);
  const context = numberOf((props?.['default_generation_settings'] as Fields | undefined)?.['n_ctx']);
  return listed.map((model) => settled(context === undefined || knows(model) ? model : { ...model, context }));
}

function settled({ context, possible, ...model }: Listed): Listed {
  return { ...model, context: context ?? possible };
}

function itemOf(provider: string, endpoint: Endpoint, baseUrl: string, listed: Listed): SourceItem<Model> {
  const {
    id,
    context = CONTEXT,
    images = /vl|vision|llava|gemma-?3/i.test(id),
    reasoning = /qwen3|r1|gpt-oss|think/i.test(id),
  } = listed;
  const model: Model = {
    provider,
    id,
    name: `${id} (${endpoint.name})`,
    api: endpoint.api,
    baseUrl,
    contextWindow: context,
    // An answer that may fill the window leaves nothing for the question.
    maxTokens: Math.min(8192, Math.floor(context / 4)),
    input: images ? ['text', 'image'] : ['text'],
    reasoning,
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(listed.needsKey && { needsKey: true }),
    ...(endpoint.quirks && { quirks: endpoint.quirks }),
  };
  return { key: `${provider}/${id}`, value: model, data: { ...model } };
}

function listIn(value: Fields | undefined, key: string): Fields[] {
  const list = value?.[key];
  return Array.isArray(list) ? list.filter((item): item is Fields => typeof item === 'object' && item !== null) : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
