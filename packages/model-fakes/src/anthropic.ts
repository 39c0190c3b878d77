import { argumentText, breakSse, pieces, sse, stopReasonOf, usageOf, type WireFormat } from './frames.ts';
import type { Answer, AnswerPart } from './script.ts';

const STOP = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use', refused: 'refusal' };
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

const event = (data: { type: string } & Record<string, unknown>) => sse(data, data.type);

/** Anthropic Messages. */
export const anthropicMessages: WireFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  frames(answer, { model }) {
    const { input, output, cacheRead, cacheWrite } = usageOf(answer);
    const usage = { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite };
    return [
      event({
        type: 'message_start',
        message: {
          id: 'msg_fake',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1 },
        },
      }),
      event({ type: 'ping' }),
      ...answer.content.flatMap((part, index) => block(part, index, answer)),
      event({
        type: 'message_delta',
        delta: { stop_reason: STOP[stopReasonOf(answer)], stop_sequence: null },
        usage: { output_tokens: output },
      }),
      event({ type: 'message_stop' }),
    ];
  },
  errorFrame: (type, message) => event({ type: 'error', error: { type, message } }),
  errorBody: ({ status, type = ERROR_TYPES[status] ?? 'api_error', message = 'fake error' }) =>
    JSON.stringify({ type: 'error', error: { type, message } }),
  brokenFrame: breakSse,
};

function block(part: AnswerPart, index: number, { deltaSize }: Answer): Buffer[] {
  const start = (content_block: unknown) => event({ type: 'content_block_start', index, content_block });
  const delta = (value: unknown) => event({ type: 'content_block_delta', index, delta: value });
  const stop = event({ type: 'content_block_stop', index });
  switch (part.type) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...pieces(part.text, deltaSize).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      if (part.redacted) return [start({ type: 'redacted_thinking', data: part.signature ?? '' }), stop];
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(part.thinking, deltaSize).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        ...(part.signature ? [delta({ type: 'signature_delta', signature: part.signature })] : []),
        stop,
      ];
    case 'toolCall':
      return [
        start({ type: 'tool_use', id: part.id, name: part.name, input: {} }),
        ...pieces(argumentText(part), deltaSize).map((json) => delta({ type: 'input_json_delta', partial_json: json })),
        stop,
      ];
  }
}
