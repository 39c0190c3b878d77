import type { ModelRequest } from '@tenon/models/api';
import { type Dialect, headersOf, type Options, quirk, textIn } from '../../src/dialect.ts';
import { completionsExtras, protocol } from '../../src/dialects/openai-completions.ts';

/** What the SDK does not send, or sends under a name that the endpoint does not know. */
interface Extras {
  readonly body: Record<string, unknown>;
  readonly maxTokensField: string;
}

/** The SDK passes options that it does not know on to the body; `adapt` takes them out of it again. */
const EXTRAS = 'tenonExtras';

function extrasOf(request: ModelRequest): Extras {
  const maxTokensField = quirk(request, 'maxTokensField', 'string') ?? 'max_tokens';
  return { maxTokensField, body: completionsExtras(request) };
}

function adapt(request: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, [EXTRAS]: extras, ...rest } = request;
  const { body, maxTokensField: name } = extras as Extras;
  return { ...rest, ...(limit !== undefined && name !== '' && { [name]: limit }), ...body };
}

/** OpenAI Chat Completions, as the SDK speaks it. */
export const dialect: Dialect = {
  ...protocol,
  optionsKey: 'openaiCompatible',
  async load(target, fetch) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const { apiKey, model } = target;
    const provider = createOpenAICompatible({
      name: 'openaiCompatible',
      baseURL: model.baseUrl ?? '',
      ...(apiKey !== undefined && { apiKey }),
      headers: headersOf(target),
      includeUsage: quirk(target, 'noUsage', 'boolean') !== true,
      transformRequestBody: adapt,
      fetch,
    });
    return provider.languageModel(model.id);
  },
  options: (request): Options => ({ [EXTRAS]: extrasOf(request) as unknown as Options }),
  thinkingSignature: () => undefined,
  // The SDK reads signatures of calls under one name and sends them under another.
  returnToolCall: ({ thoughtSignature }) =>
    thoughtSignature === undefined ? undefined : { extra_content: { google: { thought_signature: thoughtSignature } } },
  toolCallSignature: (metadata) => textIn(metadata, 'thoughtSignature'),
};
