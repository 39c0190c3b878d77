import { plainId } from './anthropic-messages.ts';
import { type Dialect, headersOf, textIn, thinkingBudget, versionIn } from '../dialect.ts';
import { GoogleMender } from '../mending/google-generative-ai.ts';

const LEVEL = {
  off: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
} as const;

/** Google Generative AI. */
export const dialect: Dialect = {
  optionsKey: 'google',
  mender: () => new GoogleMender(),
  imagesInResults: true,
  async load(target, fetch) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const { apiKey = 'none', model } = target;
    const provider = createGoogleGenerativeAI({
      apiKey,
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: headersOf(target),
      fetch,
    });
    return provider.languageModel(model.id);
  },
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
