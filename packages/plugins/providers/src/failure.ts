/** Tells what went wrong with a model call, so that it can be decided whether waiting, another key or another model helps. */
import { messageOf } from '@tenon/kernel';
import type { ProviderFailure } from '@tenon/models/api';
import { retryAfterMs } from './retry-after.ts';

type Kind = ProviderFailure['kind'];

/** The connection is open, but nothing has come for too long. */
export class StallError extends Error {
  override readonly name = 'StallError';
}

/** The answer ended before the provider said that it is whole. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|exceeds? the (?:maximum|limit|available context)[^.]{0,60}tokens?|tokens? (?:exceed|count)[^.]{0,40}exceed|reduce the length|request_too_large/i;
const NO_QUOTA = /insufficient[_ ]quota|credit balance|billing|payment required|exceeded your current quota/i;

/** Names that providers give to their errors, in a 200 stream or in an error body. The first that fits decides. */
const BY_NAME: readonly (readonly [RegExp, Kind])[] = [
  [/rate.?limit|throttl|resource.?exhausted|too.?many.?requests/i, 'rate-limit'],
  [/overload|unavailable|capacity|modelnotready|slow.?down/i, 'overloaded'],
  [/authenticat|unauthori[sz]ed|permission|access.?denied|invalid.?api.?key|expiredtoken|unrecognizedclient/i, 'auth'],
  [/content.?filter|content.?policy|safety|refus/i, 'refused'],
  [/invalid.?request|validation|invalid.?argument|not.?found|unsupported/i, 'bad-request'],
  [/api.?error|server.?error|internal|time.?out|stream.?error/i, 'server'],
];

const NETWORK_CODES =
  /ECONNRESET|ECONNREFUSED|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_|CERT|TLS/;

/** Errors of the AI SDK that mean: the provider sent what is not its protocol. */
const UNREADABLE = /^AI_(?:JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error$/;

/** How the SDK says that a stream ended in the middle. */
const CUT_OFF = /ended without a finish reason|^Incomplete .* frame/;

interface Facts {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
}

/** Classifies anything that was thrown by a call or came as an error inside its stream. */
export function failureOf(
  thrown: unknown,
  context: { readonly provider: string; readonly aborted: boolean },
): ProviderFailure {
  const { provider, aborted } = context;
  if (aborted) return { kind: 'aborted', message: 'Request was aborted' };
  if (thrown instanceof StallError || thrown instanceof CutOffError)
    return { kind: 'network', message: `${provider}: ${thrown.message}` };
  const name = thrown instanceof Error ? thrown.name : '';
  const said = thrown instanceof Error ? thrown.message : describe(thrown).message;
  if (CUT_OFF.test(said)) return { kind: 'network', message: `${provider}: the answer ended before it was whole` };
  const { statusCode, responseHeaders = {}, responseBody = '' } = factsOf(thrown);
  if (statusCode !== undefined && statusCode !== 200) {
    const text = `${said} ${responseBody}`;
    const wait = retryAfterMs(responseHeaders, text);
    return {
      kind: kindOfStatus(statusCode, text, responseBody),
      status: statusCode,
      message: `${provider} answered ${statusCode}: ${readable(said, responseBody)}`,
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
  }
  if (UNREADABLE.test(name)) return { kind: 'server', message: `${provider} sent what cannot be read: ${brief(said)}` };
  if (isNetwork(thrown)) return { kind: 'network', message: `${provider} cannot be reached: ${networkReason(thrown)}` };
  if (isSdkUsage(name)) return { kind: 'bad-request', message: `${provider}: ${brief(said)}` };
  return inStream(thrown, provider);
}

function kindOfStatus(status: number, text: string, body: string): Kind {
  if (status !== 429 && status < 500 && OVERFLOW.test(text)) return 'context-overflow';
  // Waiting does not bring back a quota that is used up; another key may.
  if ((status === 429 || status === 402 || status === 403) && NO_QUOTA.test(text)) return 'auth';
  if (status === 429) return 'rate-limit';
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 503 || status === 529) return 'overloaded';
  if (status >= 500) return /overloaded/i.test(body) ? 'overloaded' : 'server';
  if (status === 408 || status === 409 || status === 425) return 'server';
  return 'bad-request';
}

/** An error that came as data inside a 200 stream. */
function inStream(thrown: unknown, provider: string): ProviderFailure {
  const { names, message } = describe(thrown);
  const text = `${names} ${message}`;
  const wait = retryAfterMs({}, message);
  const kind = OVERFLOW.test(text)
    ? 'context-overflow'
    : NO_QUOTA.test(text)
      ? 'auth'
      : (BY_NAME.find(([pattern]) => pattern.test(names))?.[1] ??
        BY_NAME.find(([pattern]) => pattern.test(message))?.[1] ??
        'unknown');
  return { kind, message: `${provider}: ${brief(message)}`, ...(wait !== undefined && { retryAfterMs: wait }) };
}

function describe(thrown: unknown): { names: string; message: string } {
  if (typeof thrown === 'string') return { names: '', message: thrown };
  if (typeof thrown !== 'object' || thrown === null) return { names: '', message: String(thrown) };
  const fields = thrown as Record<string, unknown>;
  const inner = fields['error'] ?? (fields['response'] as Record<string, unknown> | undefined)?.['error'];
  if (typeof inner === 'object' && inner !== null) return describe(inner);
  const names = ['type', 'code', 'status', 'name']
    .map((key) => fields[key])
    .filter((value) => typeof value === 'string');
  const message = typeof fields['message'] === 'string' ? fields['message'] : JSON.stringify(thrown);
  // Bedrock names its exceptions by the key of the object: { throttlingException: { message } }.
  const keyed = Object.entries(fields).find(([key, value]) => /exception$/i.test(key) && typeof value === 'object');
  if (keyed) return { names: keyed[0], message: describe(keyed[1]).message };
  return { names: names.join(' '), message };
}

function factsOf(thrown: unknown): Facts {
  return typeof thrown === 'object' && thrown !== null && 'statusCode' in thrown ? (thrown as Facts) : {};
}

function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let fault = thrown; fault !== undefined && chain.length < 6;) {
    chain.push(fault);
    fault = fault instanceof Error ? fault.cause : undefined;
  }
  return chain;
}

function isNetwork(thrown: unknown): boolean {
  return causes(thrown).some(
    (fault) =>
      fault instanceof Error &&
      (NETWORK_CODES.test((fault as NodeJS.ErrnoException).code ?? '') ||
        /^(?:fetch failed|terminated|Cannot connect to API)/.test(fault.message) ||
        fault instanceof StallError),
  );
}

function networkReason(thrown: unknown): string {
  const last = causes(thrown).at(-1);
  const code = last instanceof Error ? (last as NodeJS.ErrnoException).code : undefined;
  return brief(code ? `${messageOf(last)} (${code})` : messageOf(last));
}

function isSdkUsage(name: string): boolean {
  return /^AI_(?:InvalidArgument|InvalidPrompt|UnsupportedFunctionality|LoadAPIKey|LoadSetting|NoSuchModel)/.test(name);
}

/** The provider's own words, without the JSON around them. */
function readable(own: string, body: string): string {
  try {
    const parsed = JSON.parse(body) as unknown;
    const { message } = describe(Array.isArray(parsed) ? parsed[0] : parsed);
    if (message && !message.startsWith('{')) return brief(message);
  } catch {
    // The body is not JSON: a proxy's page, or nothing. The error's own text has to do.
    if (body.trim() !== '' && !/^\s*</.test(body)) return brief(body);
  }
  return brief(own);
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
