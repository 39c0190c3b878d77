/**
 * Hooks that are an address: what happened is posted there as JSON, and the answer is read like the output of a command.
 * Status codes refuse nothing, as in Claude Code: only an answer of 2xx with a JSON object decides.
 */
import type { ExternalHook } from '@tenon/discovery/api';
import { messageOf } from '@tenon/kernel';
import { MAX_OUTPUT_BYTES } from './command-run.ts';

/** What a hook of the type `http` has. */
export interface HttpParts {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The variables of the environment that headers may name. */
  readonly allowedEnvVars?: readonly string[];
}

/** How a request ended. */
export interface HttpEnd {
  readonly outcome: 'answered' | 'timed-out' | 'cancelled' | 'not-reached';
  readonly status?: number;
  /** Why there is no answer. */
  readonly reason?: string;
  readonly stdout: string;
  /** True when there was more than is kept. */
  readonly isCut: boolean;
  readonly durationMs: number;
}

/** The parts of a hook that is an address; nothing for the others. */
export function httpParts(hook: ExternalHook): HttpParts | undefined {
  const { type, url = '', headers, allowedEnvVars } = hook as Partial<HttpParts> & { readonly type: string };
  if (type !== 'http') return undefined;
  return { url, ...(headers && { headers }), ...(allowedEnvVars && { allowedEnvVars }) };
}

/** The address as people see it: without what can be a secret. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Why nothing can be sent to an address. What happens in a session must not cross a network in the clear. */
export function addressProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return `"${url}" is not an address`;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'its address holds a name or password; use a header';
  if (protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))) return undefined;
  return protocol === 'http:' ? 'another machine must be reached with https' : `it can only be http or https`;
}

function isThisMachine(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Headers with the variables that they may name filled in; others are empty. */
function filledHeaders({ headers = {}, allowedEnvVars = [] }: HttpParts): Record<string, string> {
  const fill = (text: string) =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? '';
      return allowedEnvVars.includes(name) ? (process.env[name] ?? '') : '';
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

/** Posts the JSON and waits for the answer. Never rejects. */
export async function post(
  parts: HttpParts,
  facts: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly fetch?: typeof fetch },
): Promise<HttpEnd> {
  const { timeoutMs, signal, fetch: send = fetch } = options;
  const started = performance.now();
  const ended = (outcome: HttpEnd['outcome'], more: Partial<HttpEnd> = {}): HttpEnd => ({
    outcome,
    stdout: '',
    isCut: false,
    ...more,
    durationMs: Math.round(performance.now() - started),
  });
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(parts.url, {
      method: 'POST',
      body: facts,
      headers: { accept: 'application/json, text/plain', ...filledHeaders(parts), 'content-type': 'application/json' },
      // Headers may hold a key; whoever answers must not be able to send it on.
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    });
    return ended('answered', { status: response.status, ...(await beginning(response)) });
  } catch (fault) {
    if (signal.aborted) return ended('cancelled');
    if (limit.aborted) return ended('timed-out');
    // What undici says itself is "fetch failed"; the reason is behind it.
    const { cause } = fault as { cause?: unknown };
    return ended('not-reached', { reason: messageOf(cause instanceof Error ? cause : fault) });
  }
}

/** So much of an answer as is kept; the rest is not waited for. */
async function beginning({ body }: Response): Promise<Pick<HttpEnd, 'stdout' | 'isCut'>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) break;
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_OUTPUT_BYTES).toString('utf8');
  return { stdout: text, isCut: bytes > MAX_OUTPUT_BYTES };
}
