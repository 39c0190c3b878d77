import { budgetIn, claudeEffort, signedThinking, thinksAdaptively } from '../../src/claude.ts';
import { type Dialect, forcesTool, headersOf, type Options, quirk, thinkingBudget } from '../../src/dialect.ts';
import { protocol } from '../../src/dialects/anthropic-messages.ts';

/** Anthropic Messages, as the SDK speaks it. */
export const dialect: Dialect = {
  ...protocol,
  optionsKey: 'anthropic',
  async load(target, fetch) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const { apiKey = 'none', model } = target;
    const isLogin = apiKey.startsWith('sk-ant-oat');
    const provider = createAnthropic({
      ...(quirk(target, 'bearer', 'boolean') === true || isLogin ? { authToken: apiKey } : { apiKey }),
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: { ...(isLogin && { 'anthropic-beta': 'oauth-2025-04-20' }), ...headersOf(target) },
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
    if (thinking === 'off' || forcesTool(request))
      return adaptive ? { ...common, thinking: { type: 'disabled' } } : common;
    const effort = claudeEffort(model.id, thinking);
    if (adaptive) return { ...common, thinking: { type: 'adaptive', display: 'summarized' }, effort };
    const budgetTokens = thinkingBudget(request);
    return budgetTokens === 0 ? common : { ...common, thinking: { type: 'enabled', budgetTokens } };
  },
  addedToLimit: ({ thinking }) => budgetIn(thinking),
  ...signedThinking,
};
