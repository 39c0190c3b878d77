import { argumentText, breakSse, pieces, sse, stopReasonOf, usageOf, type WireFormat } from './frames.ts';
import type { Answer, AnswerPart } from './script.ts';

/** OpenAI Responses. */
export const openaiResponses: WireFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  frames(answer, { model }) {
    const events: ({ type: string } & Record<string, unknown>)[] = [];
    const base = { id: 'resp_fake', object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
    events.push({ type: 'response.created', response: base }, { type: 'response.in_progress', response: base });
    const output = answer.content.map((part, index) => item(part, index, answer, events));
    const stop = stopReasonOf(answer);
    const incomplete = stop === 'length' ? 'max_output_tokens' : stop === 'refused' ? 'content_filter' : undefined;
    events.push({
      type: incomplete ? 'response.incomplete' : 'response.completed',
      response: {
        ...base,
        status: incomplete ? 'incomplete' : 'completed',
        output,
        incomplete_details: incomplete ? { reason: incomplete } : null,
        usage: usage(answer),
        service_tier: 'default',
      },
    });
    return events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type));
  },
  errorFrame: (type, message) =>
    sse({ type: 'error', sequence_number: 0, error: { type, code: type, message, param: null } }, 'error'),
  errorBody: ({ status, type = status === 429 ? 'rate_limit_exceeded' : 'server_error', message = 'fake error' }) =>
    JSON.stringify({ error: { type, message, code: type, param: null } }),
  brokenFrame: breakSse,
};

function usage(answer: Answer) {
  const { input, output, cacheRead, reasoning } = usageOf(answer);
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  };
}

function item(
  part: AnswerPart,
  output_index: number,
  { deltaSize }: Answer,
  events: ({ type: string } & Record<string, unknown>)[],
): unknown {
  const add = (started: unknown) => events.push({ type: 'response.output_item.added', output_index, item: started });
  const done = <T>(finished: T): T => {
    events.push({ type: 'response.output_item.done', output_index, item: finished });
    return finished;
  };
  if (part.type === 'text') {
    const item_id = `msg_${output_index}`;
    const at = { item_id, output_index, content_index: 0 };
    add({ id: item_id, type: 'message', role: 'assistant', status: 'in_progress', content: [] });
    events.push({
      type: 'response.content_part.added',
      ...at,
      part: { type: 'output_text', text: '', annotations: [] },
    });
    for (const delta of pieces(part.text, deltaSize)) events.push({ type: 'response.output_text.delta', ...at, delta });
    events.push({ type: 'response.output_text.done', ...at, text: part.text });
    const content = [{ type: 'output_text', text: part.text, annotations: [] }];
    return done({ id: item_id, type: 'message', role: 'assistant', status: 'completed', content });
  }
  if (part.type === 'thinking') {
    const id = `rs_${output_index}`;
    const at = { item_id: id, output_index, summary_index: 0 };
    add({ id, type: 'reasoning', summary: [], encrypted_content: null });
    events.push({ type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } });
    for (const delta of pieces(part.thinking, deltaSize))
      events.push({ type: 'response.reasoning_summary_text.delta', ...at, delta });
    events.push({
      type: 'response.reasoning_summary_part.done',
      ...at,
      part: { type: 'summary_text', text: part.thinking },
    });
    const summary = [{ type: 'summary_text', text: part.thinking }];
    return done({ id, type: 'reasoning', summary, encrypted_content: part.signature ?? null });
  }
  const id = `fc_${output_index}`;
  const call = { id, type: 'function_call', call_id: part.id, name: part.name };
  const text = argumentText(part);
  add({ ...call, arguments: '', status: 'in_progress' });
  for (const delta of pieces(text, deltaSize))
    events.push({ type: 'response.function_call_arguments.delta', item_id: id, output_index, delta });
  events.push({ type: 'response.function_call_arguments.done', item_id: id, output_index, arguments: text });
  return done({ ...call, arguments: text, status: 'completed' });
}
