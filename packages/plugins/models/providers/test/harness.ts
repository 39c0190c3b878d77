import type { AssistantMessage, Model, ModelRequest, Provider, StreamEvent } from '@tenon/models/api';
import type { FakeModels, Protocol } from '@tenon/model-fakes';
import { createProvider } from '../src/protocols.ts';

const IDS: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'openai-responses': 'gpt-5.2',
  'openai-completions': 'some-model',
  'google-generative-ai': 'gemini-3-pro',
  'bedrock-converse-stream': 'us.anthropic.claude-sonnet-4-5-v1:0',
};

export function modelOf(protocol: Protocol, fake: FakeModels, more: Partial<Model> = {}): Model {
  return {
    provider: 'test',
    id: IDS[protocol],
    name: 'Test',
    api: protocol,
    baseUrl: fake.baseUrl(protocol),
    contextWindow: 200_000,
    maxTokens: 32_000,
    input: ['text', 'image'],
    reasoning: true,
    price: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
    ...more,
  };
}

export function requestOf(model: Model, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    systemPrompt: 'You are a test.',
    messages: [{ role: 'user', content: 'Hello', timestamp: 1 }],
    tools: [
      {
        name: 'write',
        description: 'Writes a file',
        parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
      },
    ],
    apiKey: 'test-key',
    sessionId: 'session-1',
    ...more,
  };
}

export function providerOf(protocol: Protocol, stallMs = 10_000): Provider {
  return createProvider(protocol, { stallMs });
}

export async function collect(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: StreamEvent) => void = () => undefined,
): Promise<{
  events: StreamEvent[];
  message: AssistantMessage;
  last: Extract<StreamEvent, { type: 'done' | 'error' }>;
}> {
  const events: StreamEvent[] = [];
  for await (const event of provider.stream(request, { signal })) {
    events.push(event);
    onEvent(event);
  }
  const last = events.at(-1);
  if (last?.type !== 'done' && last?.type !== 'error') throw new Error('the stream has no end');
  return { events, last, message: last.type === 'done' ? last.message : last.error };
}
