import { awsCredentials } from '../aws-credentials.ts';
import { budgetIn, claudeEffort, signedThinking, thinksAdaptively } from '../claude.ts';
import { type Dialect, forcesTool, headersOf, type Options, quirk, thinkingBudget } from '../dialect.ts';
import { plainId } from '../tool-ids.ts';

const TIERS = new Set(['reserved', 'priority', 'default', 'flex']);
/** Other models on Bedrock take no budget: the SDK would drop it. A profile of one's own hides whose model it is. */
const CLAUDE = /anthropic|:application-inference-profile\//;

/** Bedrock's `converse-stream`. */
export const dialect: Dialect = {
  optionsKey: 'bedrock',
  imagesInResults: true,
  rawErrors: true,
  async load(target, fetch) {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const { apiKey, model } = target;
    const { region, credentials } = await awsCredentials(process.env, apiKey);
    const provider = createAmazonBedrock({
      region,
      ...(apiKey !== undefined ? { apiKey } : { apiKey: '', ...credentials }),
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: headersOf(target),
      fetch,
    });
    return provider.languageModel(model.id);
  },
  // Credentials of the environment are temporary.
  loadsAnew: (apiKey) => apiKey === undefined,
  options(request) {
    const { model, thinking = 'off', serviceTier } = request;
    const common: Options = serviceTier && TIERS.has(serviceTier) ? { serviceTier } : {};
    if (!model.reasoning || thinking === 'off' || forcesTool(request) || !CLAUDE.test(model.id)) return common;
    const adaptive = quirk(request, 'adaptiveThinking', 'boolean') ?? thinksAdaptively(model.id);
    const maxReasoningEffort = claudeEffort(model.id, thinking);
    if (adaptive)
      return { ...common, reasoningConfig: { type: 'adaptive', maxReasoningEffort, display: 'summarized' } };
    const budgetTokens = thinkingBudget(request);
    return budgetTokens === 0 ? common : { ...common, reasoningConfig: { type: 'enabled', budgetTokens } };
  },
  addedToLimit: ({ reasoningConfig }) => budgetIn(reasoningConfig),
  cacheMark: ({ model, cache = 'short' }) =>
    cache === 'none' || !/anthropic|nova/.test(model.id)
      ? undefined
      : { cachePoint: { type: 'default', ...(cache === 'long' && { ttl: '1h' }) } },
  toolCallId: plainId,
  ...signedThinking,
};
