import type { ModelRequest } from '@tenon/models/api';
import { quirk } from '../dialect.ts';
import { CompletionsReader } from '../direct/completions-answer.ts';
import { completionsMessages, completionsTools } from '../direct/completions-body.ts';
import type { DirectProtocol } from '../direct/protocol.ts';
import { CompletionsMender } from '../mending/openai-completions.ts';
import { effortFor } from '../openai-effort.ts';
import { callId } from '../tool-ids.ts';

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

/** What endpoints take beside the conversation, where their quirks say so. */
export function completionsExtras(request: ModelRequest): Record<string, unknown> {
  const { sessionId, serviceTier, cache = 'short' } = request;
  return {
    ...thinkingBody(request),
    ...(quirk(request, 'promptCacheKey', 'boolean') &&
      sessionId !== undefined &&
      cache !== 'none' && { prompt_cache_key: sessionId.slice(0, 64) }),
    ...(quirk(request, 'serviceTier', 'boolean') && serviceTier && { service_tier: serviceTier }),
    ...(quirk(request, 'noStore', 'boolean') && { store: false }),
  };
}

/** OpenAI Chat Completions, and every endpoint that is compatible with it. */
export const protocol: DirectProtocol = {
  optionsKey: 'completions',
  imagesInResults: false,
  url: ({ model }) => `${(model.baseUrl ?? 'https://api.openai.com/v1').replace(/\/$/, '')}/chat/completions`,
  headers: ({ apiKey }) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body(request, prompt) {
    const { model, maxTokens, temperature } = request;
    const limit = quirk(request, 'maxTokensField', 'string') ?? 'max_tokens';
    return {
      model: model.id,
      messages: completionsMessages(prompt),
      ...completionsTools(request),
      ...(limit !== '' && { [limit]: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      stream: true,
      ...(quirk(request, 'noUsage', 'boolean') !== true && { stream_options: { include_usage: true } }),
      ...completionsExtras(request),
    };
  },
  mender: () => new CompletionsMender(),
  reader: (answer) => new CompletionsReader(answer),
  toolCallId: callId,
  // Endpoints that read thoughts again take them as text, without a signature; the others refuse the field.
  returnThinking: (_block, request) => (quirk(request, 'keepThinking', 'boolean') ? {} : undefined),
  returnToolCall: ({ thoughtSignature }) => (thoughtSignature === undefined ? undefined : { thoughtSignature }),
};
