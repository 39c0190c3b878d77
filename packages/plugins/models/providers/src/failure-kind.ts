/** Which kind of failure a provider's words mean. Providers agree on no wording, so each pattern stands for what several of them say. */
import type { ProviderFailure } from '@tenon/models/api';

type Kind = ProviderFailure['kind'];

/** The conversation is too long. */
const OVERFLOW = [
  /context[ _-]?(?:length|window|size|limit|overflow)|maximum (?:context|prompt|model|input)[ _](?:length|tokens|size)/,
  /\b(?:prompt|inputs?|request|messages)\b[^.]{0,60}\b(?:too (?:long|large|big)|longer than|exceed)/,
  /(?:prompt|request)[_ ](?:entity[_ ])?too[_ ](?:long|large)|input[_ ]length|exceeded (?:the )?model token limit/,
  /tokens?[_ ]limit[_ ](?:exceeded|reached)|too many (?:input |total |prompt )?(?:text )?(?:tokens|bytes)/,
  /(?:prompt|inputs?|total)`? tokens?\b[^.]{0,40}(?:exceed|must be)|exceeds? the (?:maximum|limit)[^.]{0,40}tokens/,
  /reduce (?:the|your) (?:length|size|message|prompt|input|context)/,
  // Chinese: context, input or prompt, and too long or exceeded. Escaped, as all that a prompt loads (docs/design/start-up.md).
  /(?:\u4e0a\u4e0b\u6587|\u8f93\u5165|\u63d0\u793a\u8bcd?|prompt)[^\u3002]{0,12}(?:\u8fc7\u957f|\u8d85\u957f|\u592a\u957f|\u8d85\u8fc7|\u8d85\u51fa)/,
].map((pattern) => new RegExp(pattern.source, 'i'));

/** A limit for the answer alone is too high; a shorter conversation would not help. */
const ONLY_THE_ANSWER = /max[_ ]?(?:output[_ ]|completion[_ ]|new[_ ])?tokens|output tokens/i;
const ABOUT_THE_INPUT = /\b(?:context|inputs?|prompt|messages|conversation)\b/i;

/** Too much at once, but all right after a while. */
const TOO_FAST = /please wait|per[ -](?:minute|day|second|hour)|\b[tr]p[md]\b|rate.?limit|throttl/i;
/** A single request that is over a limit per minute never gets through, however long one waits. */
const NEVER_FITS = /request (?:body )?(?:is )?too large|reduce (?:the|your) (?:length|size|message|prompt|input)/i;

const NO_QUOTA =
  /insufficient[_ ](?:quota|balance|credits?|funds)|credit balance|out of credits|billing|payment required|exceeded[_ ](?:your[_ ])?current[_ ]quota|(?:spend|usage|quota)[_ ]limit (?:reached|exceeded)|quota exhausted|arrears|usage_not_included/i;

const NO_MODEL =
  /model[_ ]not[_ ](?:found|exist|supported)|(?:unknown|invalid|unsupported|no such|nonexistent) model|not a valid model|model (?:identifier|id|name)[^.]{0,20}invalid|model\b[^.]{0,80}(?:does not exist|do(?:es)? not have access|not exist|not found|no longer available|decommissioned|deprecated)|models\/\S+ is not found|no endpoints found/i;

/** Names that providers give to their errors inside a 200 stream. The first that fits decides. */
const BY_NAME: readonly (readonly [RegExp, Kind])[] = [
  [/rate.?limit|throttl|resource.?exhausted|too.?many.?requests/i, 'rate-limit'],
  [/overload|unavailable|capacity|modelnotready|slow.?down/i, 'overloaded'],
  [/authenticat|unauthori[sz]ed|permission|access.?denied|invalid.?api.?key|expiredtoken|unrecognizedclient/i, 'auth'],
  [/content.?filter|content.?policy|safety|refus/i, 'refused'],
  [/invalid.?request|validation|invalid.?argument|not.?found|unsupported/i, 'bad-request'],
  [/api.?error|server.?error|internal|time.?out|stream.?error/i, 'server'],
];

/** Statuses that are about who asks and not about what. */
const DENIED: ReadonlySet<number> = new Set([401, 402, 403]);

/** True when the words say that the conversation is too long for the model. */
export function isOverflow(text: string): boolean {
  if (TOO_FAST.test(text)) return NEVER_FITS.test(text);
  if (ONLY_THE_ANSWER.test(text) && !ABOUT_THE_INPUT.test(text)) return false;
  return OVERFLOW.some((pattern) => pattern.test(text));
}

/** The kind of an HTTP error. `text` is all that the provider said; `waits` is true when it said how long to wait. */
export function kindOfStatus(status: number, text: string, waits: boolean): Kind {
  if (status === 413 || (status === 429 ? NEVER_FITS.test(text) : !DENIED.has(status) && isOverflow(text)))
    return 'context-overflow';
  // Some call a limit per minute a quota; it comes back by itself, and they say when.
  if (status < 500 && NO_QUOTA.test(text) && !(status === 429 && waits)) return 'no-quota';
  if (status === 429) return 'rate-limit';
  if (status === 402) return 'no-quota';
  if (status < 500 && NO_MODEL.test(text)) return 'no-model';
  if (DENIED.has(status)) return 'auth';
  if (status === 503 || status === 529) return 'overloaded';
  if (status >= 500) return /overloaded/i.test(text) ? 'overloaded' : 'server';
  if (status === 408 || status === 409 || status === 425) return 'server';
  return 'bad-request';
}

/** The kind of an error that came as data inside a 200 answer. */
export function kindOfNames(names: string, message: string): Kind {
  const text = `${names} ${message}`;
  if (isOverflow(text)) return 'context-overflow';
  if (NO_QUOTA.test(text)) return 'no-quota';
  const byName = BY_NAME.find(([pattern]) => pattern.test(names))?.[1];
  if ((byName === undefined || byName === 'bad-request') && NO_MODEL.test(text)) return 'no-model';
  return byName ?? BY_NAME.find(([pattern]) => pattern.test(message))?.[1] ?? 'unknown';
}
