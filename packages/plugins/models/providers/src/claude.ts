/** What Claude's models take, wherever they are served. */
import type { ModelRequest, ThinkingLevel } from '@tenon/models/api';
import { type Dialect, type Options, textIn, versionIn } from './dialect.ts';

const CLAUDE = /claude-(?:opus|sonnet|haiku|fable|mythos)-/;

function isFrom(id: string, major: number, minor: number): boolean {
  const version = versionIn(id, CLAUDE);
  return version !== undefined && (version[0] > major || (version[0] === major && version[1] >= minor));
}

/** Claude from 4.6 on decides itself how long it thinks; it is told an effort and not a number of tokens. */
export function thinksAdaptively(id: string): boolean {
  return isFrom(id, 4, 6);
}

/** The effort for a level. 4.6 has nothing between `high` and `max`: the API knows `xhigh` from 4.7 on, directly and on Bedrock. */
export function claudeEffort(id: string, level: ThinkingLevel): string {
  if (level === 'xhigh') return isFrom(id, 4, 7) ? 'xhigh' : 'max';
  return level === 'off' || level === 'minimal' ? 'low' : level;
}

/** Anthropic's `cache_control`, or nothing when caching is off. */
export function cacheControl({ cache = 'short' }: ModelRequest): Options | undefined {
  if (cache === 'none') return undefined;
  return { cacheControl: { type: 'ephemeral', ...(cache === 'long' && { ttl: '1h' }) } };
}

/** The budget in the SDK's options for thinking; 0 where it is an effort. */
export function budgetIn(thinking: Options[string]): number {
  const { budgetTokens } = (thinking ?? {}) as { budgetTokens?: number };
  return budgetTokens ?? 0;
}

/** How Claude's thoughts are signed. */
export const signedThinking: Pick<Dialect, 'returnThinking' | 'thinkingSignature'> = {
  returnThinking: ({ thinkingSignature, redacted }) =>
    thinkingSignature === undefined
      ? undefined
      : redacted
        ? { redactedData: thinkingSignature }
        : { signature: thinkingSignature },
  thinkingSignature(metadata) {
    const data = textIn(metadata, 'redactedData');
    if (data !== undefined) return { signature: data, redacted: true };
    const signature = textIn(metadata, 'signature');
    // The signature may come in several deltas.
    return signature === undefined ? undefined : { signature, append: true };
  },
};

/** What the API refuses of a model. A field that a model does not take fails the whole request. */
interface ClaudeRefusals {
  /** The most tokens of an answer; absent where it is not known. */
  readonly maxTokens?: number;
  /** Takes no temperature. */
  readonly temperature?: boolean;
  /** Cannot be kept from thinking; `between-tools` where it can be kept to that. */
  readonly noThinking?: boolean | 'between-tools';
  /** Takes no budget for thinking: it decides itself. */
  readonly budget?: boolean;
  /** Cannot be made to call a tool. */
  readonly forcedTool?: boolean;
  /** Has no strict tools and outputs, which others are asked for with a beta. */
  readonly strictOutput?: boolean;
}

const OLD: ClaudeRefusals = { strictOutput: true };
const NEWEST: ClaudeRefusals = {
  maxTokens: 128_000,
  temperature: true,
  noThinking: true,
  budget: true,
  forcedTool: true,
};

/** By parts of the id; the first that fits counts. */
const REFUSALS: readonly (readonly [RegExp, ClaudeRefusals])[] = [
  [/claude-sonnet-5-5/, { ...NEWEST, noThinking: 'between-tools' }],
  [/claude-opus-5-5|claude-fable-5-1/, NEWEST],
  [/claude-haiku-5-5/, { maxTokens: 128_000, temperature: true, budget: true }],
  [/claude-fable-5/, { ...NEWEST, forcedTool: false }],
  [/claude-(?:opus-5|opus-4-[78]|sonnet-5)/, { maxTokens: 128_000, temperature: true }],
  [/claude-(?:sonnet|opus)-4-6/, { maxTokens: 128_000 }],
  [/claude-(?:sonnet|opus|haiku)-4-5/, { maxTokens: 64_000 }],
  [/claude-opus-4-1/, { maxTokens: 32_000 }],
  [/claude-sonnet-4-/, { ...OLD, maxTokens: 64_000 }],
  [/claude-opus-4-/, { ...OLD, maxTokens: 32_000 }],
  [/claude-3-haiku/, { ...OLD, maxTokens: 4096 }],
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, OLD],
  // A model of a later day is taken for one like the newest that are known.
  [/claude-/, { temperature: true }],
];

/** What the API refuses of a model. Models of others that speak the protocol take anything but strict tools. */
export function refusalsOf(id: string): ClaudeRefusals {
  return REFUSALS.find(([pattern]) => pattern.test(id))?.[1] ?? OLD;
}
