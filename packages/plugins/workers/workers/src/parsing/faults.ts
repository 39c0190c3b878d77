/** What kind of failure a CLI or its provider speaks of. */
import { cutText, plainText } from '@tenon/wording';
import type { WorkerFault } from '../events.ts';
import { retryTime } from './retry-time.ts';

/** A failure as outcomes and events carry it. */
export interface Failure {
  readonly fault: WorkerFault;
  readonly message: string;
  readonly status?: number;
  readonly retryAt?: string;
}

/** What is known about a failure. */
export interface FailureSigns {
  readonly text: string;
  /** The HTTP status, where the CLI tells it apart from the text. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** True once the CLI has opened a session: then it cannot be an unknown one. */
  readonly hasSession?: boolean;
  readonly now: Date;
}

/** Longer messages are cut: they go into lists and notices. */
const MAX_MESSAGE = 2000;

/** In this order: what helps against the first one that matches is what helps. */
const PATTERNS: readonly (readonly [WorkerFault, RegExp])[] = [
  [
    'session-unknown',
    /no (?:conversation|session|rollout|thread)s? (?:was |were )?found|session [^\n]{0,80}(?:not found|does not exist)|error resuming session|there is no session|SESSION_NOT_FOUND|invalid session (?:id|identifier)/i,
  ],
  [
    'quota',
    /usage[ _]limit|quota[ _]exceeded|exceed(?:ed|s)? (?:your |the )?(?:current |daily |monthly )?quota|insufficient[_ ](?:quota|balance|credits?|funds)|out of (?:extra )?(?:credits?|usage|tokens)|credit balance|(?:weekly|daily|monthly|hourly|session|\d+-hour|opus|sonnet) limit|(?:hit|reached) your [^\n]{0,40}limit|limit reached\b|billing[ _](?:hard[ _])?limit|payment required|spending (?:cap|limit)/i,
  ],
  ['rate-limit', /too many requests|rate[ _-]?limit|resource[ _]exhausted|throttl|requests per (?:minute|day)/i],
  [
    'context',
    /context[ _](?:length|window)|maximum context|(?:prompt|input|request|conversation) is too (?:long|large)|too many (?:input )?tokens|reduce the length of|exceeds the (?:maximum|model'?s?) [^\n]{0,30}tokens|request_too_large/i,
  ],
  [
    'login-needed',
    /not logged in|there is no key for|log(?:ged)? ?in (?:required|again)|login required|please (?:run )?[`'"]?(?:\/login|[a-z-]+ (?:auth )?login|sign in|log ?in)|use \/login|no (?:api[ _]?key|credentials?|auth(?:entication)?)[^\n]{0,30}(?:found|set|configured|provided|available)|missing environment variable: `?\w*(?:KEY|TOKEN)|(?:missing|set an?|no) auth(?:entication)? method|must be (?:logged|signed) in|api key (?:is )?(?:missing|required|not (?:set|found))|set the \w+(?:_KEY|_TOKEN)|authentication required/i,
  ],
  [
    'auth',
    /unauthori[sz]ed|unauthenticated|invalid (?:x-)?api[ _-]?key|incorrect api key|invalid[_ ](?:bearer |access |auth(?:entication)? )?token|authentication[_ ](?:error|failed)|failed to authenticate|token (?:has )?(?:expired|been revoked)|(?:oauth|refresh) token|permission[_ ]denied_error|permission_error|\bforbidden\b|account (?:is )?(?:disabled|suspended)/i,
  ],
  [
    'overloaded',
    /overloaded|high demand|service[ _]unavailable|temporarily unavailable|server (?:is )?(?:busy|at capacity)|at capacity|internal server error|bad gateway|gateway time-?out|server[_ ]error|\bUNAVAILABLE\b/i,
  ],
  [
    'network',
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ECONNABORTED|UND_ERR_|fetch failed|socket hang up|(?:network|transport|connection) error|connection (?:refused|reset|closed|timed out|aborted)|getaddrinfo|other side closed|stream disconnected|could not resolve host|dns error|unable to connect|error sending request|API Error: terminated|certificate (?:has expired|verify failed)|self[- ]signed certificate/i,
  ],
  [
    'bad-arguments',
    /unknown (?:option|argument|flag|command)|unexpected argument|unrecogni[sz]ed (?:option|argument|flag|subcommand)|invalid value [^\n]{0,80} for|not a valid (?:option|value)|argument missing|missing required argument|cannot (?:both )?be used (?:together|with)|invalid (?:option|argument|choice)/i,
  ],
  ['not-installed', /command not found|no such file or directory: ?\S*$|cannot find module|is not recognized as/i],
];

/** Statuses whose meaning a text may make more exact: a 429 is a quota when it speaks of one. */
const REFINABLE: Readonly<Record<number, readonly WorkerFault[]>> = {
  401: ['login-needed'],
  403: ['quota', 'login-needed', 'rate-limit'],
  429: ['quota'],
};

/** Says what kind of failure it is. */
export function failureOf(signs: FailureSigns): Failure {
  const status = signs.status ?? statusIn(signs.text);
  const fault = faultOf(signs, status);
  const retryAt = canWait(fault) ? retryTime({ text: signs.text, headers: signs.headers ?? {} }, signs.now) : undefined;
  return {
    fault,
    message: messageText(signs.text),
    ...(status !== undefined && { status }),
    ...(retryAt !== undefined && { retryAt }),
  };
}

/** The text as messages carry it: nothing in it can drive a terminal, and it is no novel. */
export function messageText(text: string): string {
  return cutText(plainText(text).trim(), MAX_MESSAGE);
}

function faultOf({ text, hasSession }: FailureSigns, status: number | undefined): WorkerFault {
  const inText = PATTERNS.find(
    ([fault, pattern]) => pattern.test(text) && !(fault === 'session-unknown' && hasSession === true),
  )?.[0];
  const byStatus = status === undefined ? undefined : faultOfStatus(status);
  if (byStatus === undefined || status === undefined) return inText ?? 'other';
  return inText !== undefined && (REFINABLE[status] ?? []).includes(inText) ? inText : byStatus;
}

/** What an HTTP status means. */
export function faultOfStatus(status: number): WorkerFault | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 413) return 'context';
  if (status === 429) return 'rate-limit';
  if (status === 408 || status >= 500) return 'overloaded';
  return undefined;
}

function canWait(fault: WorkerFault): boolean {
  return fault === 'rate-limit' || fault === 'quota' || fault === 'overloaded';
}

const STATUS = [
  /\b(?:status|http|error|code)(?:[ _-]?code)?["'\s:=/.\d]{0,6}?\b([45]\d\d)\b/i,
  /^\s*(?:error:?\s*)?([45]\d\d)\b(?=[\s:]|$)/i,
  /\(([45]\d\d)\)/,
  /\b([45]\d\d) (?:unauthorized|forbidden|too many requests|payment required|bad request|not found|internal server error|bad gateway|service unavailable|gateway time-?out)/i,
];

/** The HTTP status that a text speaks of. */
export function statusIn(text: string): number | undefined {
  for (const pattern of STATUS) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}
