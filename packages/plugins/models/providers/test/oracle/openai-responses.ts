import { azureDeployment, azureUrl } from '../../src/azure.ts';
import { type Dialect, headersOf, type Metadata, type Options, quirk, textIn } from '../../src/dialect.ts';
import { protocol } from '../../src/dialects/openai-responses.ts';
import { MADE_UP_ID } from '../../src/mending/openai-responses.ts';
import { effortFor } from '../../src/openai-effort.ts';

const TIERS = new Set(['auto', 'flex', 'priority', 'fast', 'ultrafast', 'default']);

/** OpenAI Responses, as the SDK speaks it. */
export const dialect: Dialect = {
  ...protocol,
  optionsKey: 'openai',
  async load(target, fetch) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const { apiKey = 'none', model } = target;
    const isAzure = quirk(target, 'azure', 'boolean') === true;
    const provider = createOpenAI({
      apiKey,
      ...(model.baseUrl !== undefined && { baseURL: model.baseUrl }),
      headers: { ...(isAzure && { 'api-key': apiKey }), ...headersOf(target) },
      fetch: isAzure ? (input, init) => fetch(azureUrl(String(input), process.env), init) : fetch,
    });
    return provider.responses(isAzure ? azureDeployment(model.id, process.env) : model.id);
  },
  options(request) {
    const { model, thinking, sessionId, serviceTier, cache = 'short', systemPrompt } = request;
    const isCodex = quirk(request, 'codex', 'boolean') === true;
    const reasoning: Options =
      model.reasoning && thinking !== undefined
        ? {
            forceReasoning: true,
            reasoningEffort: effortFor(model.id, thinking),
            ...(thinking !== 'off' && { reasoningSummary: 'auto' }),
            include: ['reasoning.encrypted_content'],
          }
        : {};
    return {
      store: false,
      ...reasoning,
      ...(isCodex && {
        instructions: systemPrompt === '' ? 'Answer the user.' : systemPrompt,
        systemMessageMode: 'remove',
        include: ['reasoning.encrypted_content'],
      }),
      ...(sessionId !== undefined && cache !== 'none' && { promptCacheKey: sessionId.slice(0, 64) }),
      ...(cache === 'long' && !isCodex && { promptCacheRetention: '24h' }),
      ...(serviceTier && TIERS.has(serviceTier) && { serviceTier }),
    };
  },
  takesLimits: (request) => quirk(request, 'codex', 'boolean') !== true,
  thinkingSignature(metadata) {
    const encrypted_content = textIn(metadata, 'reasoningEncryptedContent');
    if (encrypted_content === undefined) return undefined;
    return { signature: JSON.stringify({ type: 'reasoning', id: itemIdIn(metadata), encrypted_content, summary: [] }) };
  },
  textSignature: itemIdIn,
};

/** The id that the server gave to an item. */
function itemIdIn(metadata: Metadata): string | undefined {
  const id = textIn(metadata, 'itemId');
  return id?.startsWith(MADE_UP_ID) ? undefined : id;
}
