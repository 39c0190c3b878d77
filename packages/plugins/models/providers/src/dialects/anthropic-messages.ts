import type { ModelRequest, ThinkingLevel } from '@tenon/models/api';
import {
  type Dialect,
  forcesTool,
  headersOf,
  type Options,
  quirk,
  textIn,
  thinkingBudget,
  versionIn,
} from '../dialect.ts';
import { MessagesMender } from '../mending/anthropic-messages.ts';

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

/** Ids that Anthropic accepts: letters, digits, `_` and `-`. */
export function plainId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** How Claude's thoughts are signed, wherever it is served. */
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

/** Anthropic Messages. */
export const dialect: Dialect = {
  optionsKey: 'anthropic',
  mender: () => new MessagesMender(),
  imagesInResults: true,
  async load(target, fetch) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const { apiKey = 'none', model } = target;
    const bearer = quirk(target, 'bearer', 'boolean') === true || apiKey.startsWith('sk-ant-oat');
    const provider = createAnthropic({
      ...(bearer ? { authToken: apiKey } : { apiKey }),
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: {
        ...(apiKey.startsWith('sk-ant-oat') && { 'anthropic-beta': 'oauth-2025-04-20' }),
        ...headersOf(target),
      },
      fetch,
    });
    return provider.languageModel(model.id);
  },
  options(request) {
    const { model, thinking = 'off', serviceTier, sessionId } = request;
    const common: Options = {
      ...(serviceTier === 'fast' && { speed: 'fast' }),
      ...(sessionId !== undefined && { metadata: { userId: sessionId } }),
    };
    if (!model.reasoning) return common;
    const adaptive = quirk(request, 'adaptiveThinking', 'boolean') ?? thinksAdaptively(model.id);
    // The API refuses to think when a tool is forced.
    if (thinking === 'off' || forcesTool(request))
      return adaptive ? { ...common, thinking: { type: 'disabled' } } : common;
    const effort = claudeEffort(model.id, thinking);
    if (adaptive) return { ...common, thinking: { type: 'adaptive', display: 'summarized' }, effort };
    const budgetTokens = thinkingBudget(request);
    return budgetTokens === 0 ? common : { ...common, thinking: { type: 'enabled', budgetTokens } };
  },
  addedToLimit: ({ thinking }) => budgetIn(thinking),
  cacheMark: cacheControl,
  toolCallId: plainId,
  ...signedThinking,
};
