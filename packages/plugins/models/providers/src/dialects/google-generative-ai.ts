import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type Dialect, headersOf, type ModelTarget, quirk, textIn, thinkingBudget, versionIn } from '../dialect.ts';
import { GoogleMender } from '../mending/google-generative-ai.ts';
import { plainId } from '../tool-ids.ts';

const LEVEL = {
  off: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
} as const;

/** The SDK's model. A key has a header of its own; the token of a login goes into `Authorization`. */
export async function loadGoogle(
  target: ModelTarget,
  fetch: typeof globalThis.fetch,
  bearer: boolean,
): Promise<LanguageModelV3> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  const { apiKey = 'none', model } = target;
  const provider = createGoogleGenerativeAI({
    apiKey: bearer ? 'none' : apiKey,
    ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
    headers: {
      ...(bearer && { 'x-goog-api-key': undefined, authorization: `Bearer ${apiKey}` }),
      ...headersOf(target),
    },
    fetch,
  });
  return provider.languageModel(model.id);
}

/** Google Generative AI. */
export const dialect: Dialect = {
  optionsKey: 'google',
  mender: () => new GoogleMender(),
  imagesInResults: true,
  load: (target, fetch) => loadGoogle(target, fetch, quirk(target, 'bearer', 'boolean') === true),
  options(request) {
    const { model, thinking } = request;
    if (!model.reasoning || thinking === undefined) return {};
    // Gemini 3 takes a level, 2.5 a number of tokens; 2.5 Pro cannot be kept from thinking.
    if ((versionIn(model.id, /gemini-/)?.[0] ?? 0) >= 3) {
      // The Pro models know no level below `low`.
      const thinkingLevel = LEVEL[thinking] === 'minimal' && /pro/.test(model.id) ? 'low' : LEVEL[thinking];
      return { thinkingConfig: { thinkingLevel, includeThoughts: thinking !== 'off' } };
    }
    const least = /2\.5-pro/.test(model.id) ? 128 : 0;
    const thinkingBudgetTokens = Math.max(least, Math.min(24_576, thinkingBudget(request)));
    return { thinkingConfig: { thinkingBudget: thinkingBudgetTokens, includeThoughts: thinking !== 'off' } };
  },
  toolCallId: plainId,
  returnThinking: ({ thinkingSignature }) =>
    thinkingSignature === undefined ? undefined : { thoughtSignature: thinkingSignature },
  returnToolCall: ({ thoughtSignature }) => (thoughtSignature === undefined ? undefined : { thoughtSignature }),
  returnText: (signature) => ({ thoughtSignature: signature }),
  thinkingSignature(metadata) {
    const signature = textIn(metadata, 'thoughtSignature');
    return signature === undefined ? undefined : { signature };
  },
  toolCallSignature: (metadata) => textIn(metadata, 'thoughtSignature'),
  textSignature: (metadata) => textIn(metadata, 'thoughtSignature'),
};
