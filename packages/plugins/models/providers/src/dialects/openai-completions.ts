import { createHash } from 'node:crypto';
import type { ModelRequest } from '@tenon/models/api';
import { type Dialect, headersOf, type Options, quirk, textIn } from '../dialect.ts';
import { CompletionsMender } from '../mending/openai-completions.ts';
import { effortFor } from './openai-responses.ts';

/** How an endpoint wants to be told about thinking: the quirk `thinking`. */
function thinkingBody(request: ModelRequest): Record<string, unknown> {
  const { thinking, model } = request;
  if (!model.reasoning || thinking === undefined) return {};
  const on = thinking !== 'off';
  switch (quirk(request, 'thinking', 'string') ?? 'effort') {
    case 'switch':
      return { thinking: { type: on ? 'enabled' : 'disabled' } };
    case 'enable':
      return { enable_thinking: on };
    case 'template':
      return { chat_template_kwargs: { enable_thinking: on } };
    case 'reasoning':
      return { reasoning: on ? { effort: thinking } : { enabled: false } };
    case 'effort':
      return on || /^(?:gpt-|o\d)/.test(model.id) ? { reasoning_effort: effortFor(model.id, thinking) } : {};
    default:
      return {};
  }
}

/** What the SDK does not send, or sends under a name that the endpoint does not know. */
interface Extras {
  readonly body: Record<string, unknown>;
  readonly maxTokensField: string;
}

/** The SDK passes options that it does not know on to the body; `adapt` takes them out of it again. */
const EXTRAS = 'tenonExtras';

function extrasOf(request: ModelRequest): Extras {
  const { sessionId, serviceTier, cache = 'short' } = request;
  return {
    maxTokensField: quirk(request, 'maxTokensField', 'string') ?? 'max_tokens',
    body: {
      ...thinkingBody(request),
      ...(quirk(request, 'promptCacheKey', 'boolean') &&
        sessionId !== undefined &&
        cache !== 'none' && { prompt_cache_key: sessionId.slice(0, 64) }),
      ...(quirk(request, 'serviceTier', 'boolean') && serviceTier && { service_tier: serviceTier }),
      ...(quirk(request, 'noStore', 'boolean') && { store: false }),
    },
  };
}

function adapt(request: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, [EXTRAS]: extras, ...rest } = request;
  const { body, maxTokensField: name } = extras as Extras;
  return { ...rest, ...(limit !== undefined && name !== '' && { [name]: limit }), ...body };
}

/** OpenAI Chat Completions, and every endpoint that is compatible with it. */
export const dialect: Dialect = {
  optionsKey: 'openaiCompatible',
  mender: () => new CompletionsMender(),
  imagesInResults: false,
  async load(target, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { apiKey, model } = target;
    const provider = createOpenAICompatible({
      name: 'openaiCompatible',
      baseURL: model.baseUrl ?? 'https://api.openai.com/v1',
      ...(apiKey !== undefined && { apiKey }),
      headers: headersOf(target),
      includeUsage: quirk(target, 'noUsage', 'boolean') !== true,
      transformRequestBody: adapt,
      fetch,
    });
    return provider.languageModel(model.id);
  },
  options: (request): Options => ({ [EXTRAS]: extrasOf(request) as unknown as Options }),
  // Mistral takes nine letters and digits and nothing else; the quirk `shortToolIds` is applied by the prompt.
  toolCallId: (id) => (id.split('|')[0] as string).slice(0, 64),
  // Endpoints that read thoughts again take them as text, without a signature; the others refuse the field.
  returnThinking: (_block, request) => (quirk(request, 'keepThinking', 'boolean') ? {} : undefined),
  thinkingSignature: () => undefined,
  returnToolCall: ({ thoughtSignature }) => (thoughtSignature === undefined ? undefined : { thoughtSignature }),
  toolCallSignature: (metadata) => textIn(metadata, 'thoughtSignature'),
};

/** An id of nine letters and digits that stands for a longer one. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
