/** One request to a service. */
import { messageOf } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import { ChannelFault, kindOfStatus, retryAfterOf } from './fault.ts';
import { environmentFetch } from './proxy.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER = 4 * 1024 * 1024;

/** What is asked. */
export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when it is a text, as JSON otherwise. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** What was answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly json: unknown;
}

/** Asks and gives whatever is answered. An address is never part of a message: Telegram's hold the token. */
export async function ask(service: string, url: string, call: HttpCall): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, signal, timeoutMs = TIMEOUT_MS } = call;
  const isText = typeof body === 'string';
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await environmentFetch(url, {
      method,
      headers: { ...(body !== undefined && !isText && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      // Whoever is redirected would take the credential along.
      redirect: 'error',
      signal: AbortSignal.any([signal, limit]),
    });
    const text = await bounded(response);
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  } catch (fault) {
    signal.throwIfAborted();
    if (fault instanceof ChannelFault) throw fault;
    throw new ChannelFault(
      `${service} cannot be reached: ${limit.aborted ? 'it did not answer' : whyNot(fault)}`,
      'again',
    );
  }
}

/** The same, for services that say with the status whether it went well. `reasonOf` reads their own word for what went wrong. */
export async function askWell(
  service: string,
  url: string,
  call: HttpCall,
  reasonOf: (json: unknown) => {
    readonly text?: string;
    readonly reason?: string;
    readonly retryAfterMs?: number;
  } = () => ({}),
): Promise<HttpAnswer> {
  const answer = await ask(service, url, call);
  if (answer.status >= 200 && answer.status < 300) return answer;
  const { text = '', reason, retryAfterMs } = reasonOf(answer.json);
  const words = text === '' ? '' : `: ${plainLine(text).slice(0, 300)}`;
  throw new ChannelFault(`${service} answered ${answer.status}${words}`, kindOfStatus(answer.status), {
    reason,
    retryAfterMs: retryAfterMs ?? retryAfterOf(answer.headers.get('retry-after')),
  });
}

async function bounded(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts).toString('utf8');
    size += value.length;
    if (size > MAX_ANSWER) {
      await reader.cancel();
      throw new ChannelFault('the answer is too long', 'again');
    }
    parts.push(value);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // The status says what happened.
  }
}

/** The reason behind "fetch failed"; codes of the system name no address. */
function whyNot(fault: unknown): string {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.message : messageOf(fault);
}

/** A field of an answer; undefined when it is not there. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let now = value;
  for (const key of path)
    now = typeof now === 'object' && now !== null ? (now as Record<string, unknown>)[key] : undefined;
  return now;
}

/** The same, when it is a text. */
export function textField(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === 'string' ? found : undefined;
}
