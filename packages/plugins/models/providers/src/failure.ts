/** Tells what went wrong with a model call, so that it can be decided whether waiting, another key or another model helps. */
import { messageOf, TenonError } from '@tenon/kernel';
import type { ProviderFailure } from '@tenon/models/api';
import { kindOfNames, kindOfStatus } from './failure-kind.ts';
import { UnreadableAnswer } from './mending/values.ts';
import { retryAfterMs } from './retry-after.ts';

/** The connection is open, but nothing has come for too long. */
export class StallError extends Error {
  override readonly name = 'StallError';
}

/** The answer ended before the provider said that it is whole. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

/** The provider could not be reached: there is no such host, nobody listens, or the two cannot agree on an encryption. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The provider answered with an error of HTTP. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly statusCode: number;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;

  constructor(status: number, statusText: string, headers: Record<string, string>, body: string) {
    super(statusText);
    this.statusCode = status;
    this.responseHeaders = headers;
    this.responseBody = body;
  }
}

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
  // Our own: there are no credentials to call with.
  if (thrown instanceof TenonError)
    return { kind: 'auth', message: thrown.message, code: thrown.code, next: thrown.next };
  // The SDK wraps what happens before its first event.
  const field = causes(thrown).find((fault) => fault instanceof UnreadableAnswer);
  if (field) return { kind: 'server', message: `${provider} sent what cannot be read: ${field.message}` };
  const name = thrown instanceof Error ? thrown.name : '';
  const said = thrown instanceof Error ? thrown.message : describe(thrown).message;
  if (CUT_OFF.test(said)) return { kind: 'network', message: `${provider}: the answer ended before it was whole` };
  const { statusCode, responseHeaders = {}, responseBody = '' } = factsOf(thrown);
  if (statusCode !== undefined && statusCode !== 200) {
    const text = `${said} ${responseBody}`;
    const wait = retryAfterMs(responseHeaders, text);
    return {
      kind: kindOfStatus(statusCode, [said, ...wordsIn(responseBody)].join('. '), wait !== undefined),
      status: statusCode,
      message: `${provider} answered ${statusCode}: ${readable(said, responseBody)}`,
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
  }
  if (UNREADABLE.test(name))
    return { kind: 'server', message: `${provider} sent what cannot be read: ${brief(unreadable(thrown) ?? said)}` };
  if (isNetwork(thrown)) return { kind: 'network', message: `${provider} cannot be reached: ${networkReason(thrown)}` };
  if (isSdkUsage(name)) return { kind: 'bad-request', message: `${provider}: ${brief(said)}` };
  return inStream(thrown, provider);
}

/** Which field the SDK did not understand. Its own message quotes the whole event and lists every shape that it tried. */
function unreadable(thrown: unknown): string | undefined {
  const issues = causes(thrown)
    .map((fault) => (fault as { issues?: unknown } | undefined)?.issues)
    .find((found) => Array.isArray(found)) as { path?: unknown; message?: unknown }[] | undefined;
  const [first] = issues ?? [];
  const path = Array.isArray(first?.path) ? first.path.map(String).join('.') : '';
  if (!first || path === '') return undefined;
  return `the field \`${path}\`: ${String(first.message)}`;
}

/** An error that came as data inside a 200 stream. */
function inStream(thrown: unknown, provider: string): ProviderFailure {
  const { names, message } = describe(thrown);
  const wait = retryAfterMs({}, message);
  const kind = kindOfNames(names, message);
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
  const said = typeof fields['message'] === 'string' ? fields['message'] : JSON.stringify(thrown);
  const message = [said, behindGateway(fields)].filter(Boolean).join(': ');
  // Bedrock names its exceptions by the key of the object: { throttlingException: { message } }.
  const keyed = Object.entries(fields).find(([key, value]) => /exception$/i.test(key) && typeof value === 'object');
  if (keyed) return { names: keyed[0], message: describe(keyed[1]).message };
  return { names: names.join(' '), message };
}

/** What the provider behind OpenRouter said: OpenRouter itself only says that it failed. */
function behindGateway({ metadata }: Record<string, unknown>): string {
  const raw = (metadata as { raw?: unknown } | undefined)?.raw;
  if (typeof raw !== 'string') return '';
  const parsed = parsedJson(raw);
  return parsed === undefined ? raw : describe(parsed).message;
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
        fault instanceof StallError ||
        fault instanceof UnreachableError),
  );
}

function networkReason(thrown: unknown): string {
  const last = causes(thrown).at(-1);
  const code = last instanceof Error ? (last as NodeJS.ErrnoException).code : undefined;
  const message = messageOf(last);
  return brief(code && !message.includes(code) ? `${message} (${code})` : message);
}

function isSdkUsage(name: string): boolean {
  return /^AI_(?:InvalidArgument|InvalidPrompt|UnsupportedFunctionality|LoadAPIKey|LoadSetting|NoSuchModel)/.test(name);
}

/** The provider's own words, without the JSON around them. */
function readable(own: string, body: string): string {
  const parsed = parsedJson(body);
  if (parsed === undefined) {
    // A proxy's page, or nothing: the error's own text has to do.
    return brief(body.trim() !== '' && !/^\s*</.test(body) ? body : own);
  }
  const { message } = describe(Array.isArray(parsed) ? parsed[0] : parsed);
  return brief(message && !message.startsWith('{') ? message : own);
}

/** All texts of a body. Gateways pass the words of the provider behind them on as JSON inside JSON. */
function wordsIn(body: string, depth = 0): string[] {
  const parsed = depth > MAX_NESTING ? undefined : parsedJson(body);
  if (parsed === undefined) return [body];
  const words: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') words.push(...wordsIn(value, depth + 1));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(parsed);
  return words;
}

const MAX_NESTING = 4;

/** The object or array that a text is, if it is one. */
function parsedJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined; // It only looks like JSON, or was cut off: it is read as text.
  }
}

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
}
