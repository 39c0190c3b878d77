/** An embedder over the `/v1/embeddings` of OpenAI and of the many servers that speak the same. */
import { messageOf } from '@tenon/kernel';
import type { Embedder } from '../api.ts';
import { errors } from '../errors.ts';

const NAME = 'openai-compatible';
const TIMEOUT_MS = 20_000;
/** Texts of one request. */
const BATCH = 64;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Where vectors come from, and with whose key. */
export interface EmbeddingPlace {
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: string;
}

/** Asks the server that the settings name; the place is looked up when it is needed. */
export function openAiCompatible(place: () => Promise<EmbeddingPlace>): Embedder {
  return {
    async embed(texts, { signal }) {
      const { baseUrl, model, key } = await place();
      const vectors: (readonly number[])[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        vectors.push(
          ...(await ask(
            { baseUrl, model, ...(key !== undefined && { key }) },
            texts.slice(from, from + BATCH),
            signal,
          )),
        );
      return vectors;
    },
  };
}

async function ask({ baseUrl, model, key }: EmbeddingPlace, input: readonly string[], signal: AbortSignal) {
  const failed = (reason: string, cause?: unknown) => errors.create('MEMORY_EMBEDDING', { name: NAME, reason }, cause);
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input, encoding_format: 'float' }),
      // A redirect could carry the key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    body = await boundedText(response);
  } catch (fault) {
    signal.throwIfAborted();
    throw failed(messageOf(fault), fault);
  }
  if (!response.ok) throw failed(`the server answered ${response.status}`);
  const vectors = vectorsIn(body);
  if (vectors?.length !== input.length) throw failed('the answer does not hold one vector for each text');
  return vectors;
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    const bytes = piece as Uint8Array;
    size += bytes.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The vectors in the order of the texts; nothing when the answer has another form. */
function vectorsIn(body: string): (readonly number[])[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined; // told as an answer of another form
  }
  const { data } = (parsed ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return undefined;
  const rows = data as readonly { readonly index?: unknown; readonly embedding?: unknown }[];
  const sorted = [...rows].sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0));
  const vectors = sorted.map(({ embedding }) => embedding);
  const length = Array.isArray(vectors[0]) ? vectors[0].length : 0;
  const isVector = (value: unknown): value is readonly number[] =>
    Array.isArray(value) && value.length === length && value.every((part) => Number.isFinite(part));
  return length > 0 && vectors.every(isVector) ? vectors : undefined;
}
