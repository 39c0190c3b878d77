import { argumentText, breakSse, pieces, sse, stopReasonOf, usageOf, type WireFormat } from './frames.ts';
import type { AnswerPart } from './script.ts';

const STOP = { stop: 'stop', length: 'length', toolUse: 'tool_calls', refused: 'content_filter' };

/** OpenAI Chat Completions. */
export const openaiCompletions: WireFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  frames(answer, { model }) {
    const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta: unknown, finish_reason: string | null = null) =>
      sse({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    const { input, output, cacheRead, reasoning } = usageOf(answer);
    let calls = 0;
    const deltas = (part: AnswerPart): Buffer[] => {
      if (part.type === 'text') return pieces(part.text, answer.deltaSize).map((content) => chunk({ content }));
      if (part.type === 'thinking')
        return pieces(part.thinking, answer.deltaSize).map((text) => chunk({ reasoning_content: text }));
      const index = calls++;
      return [
        chunk({ tool_calls: [{ index, id: part.id, type: 'function', function: { name: part.name, arguments: '' } }] }),
        ...pieces(argumentText(part), answer.deltaSize).map((text) =>
          chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ];
    };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...answer.content.flatMap(deltas),
      chunk({}, STOP[stopReasonOf(answer)]),
      sse({
        ...head,
        choices: [],
        usage: {
          prompt_tokens: input + cacheRead,
          completion_tokens: output,
          total_tokens: input + cacheRead + output,
          prompt_tokens_details: { cached_tokens: cacheRead },
          completion_tokens_details: { reasoning_tokens: reasoning },
        },
      }),
      sse('[DONE]'),
    ];
  },
  errorFrame: (type, message) => sse({ error: { type, message, code: type, param: null } }),
  errorBody: ({ status, type = status === 429 ? 'rate_limit_exceeded' : 'server_error', message = 'fake error' }) =>
    JSON.stringify({ error: { type, message, code: type, param: null } }),
  brokenFrame: breakSse,
};
