/** Answers in the shapes that real servers send, as text of the wire: each has what only its server does. */
import type { DirectName } from './oracle/index.ts';

/** One answer. */
export interface Transcript {
  readonly who: string;
  readonly protocol: DirectName;
  readonly wire: string;
}

const data = (...events: readonly unknown[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const named = (...events: readonly ({ readonly type: string } & Record<string, unknown>)[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const chunk = (delta: unknown, more: Record<string, unknown> = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }],
});
const piece = (index: number, more: Record<string, unknown>) => ({ tool_calls: [{ index, ...more }] });
const stop = (finish_reason: string) => chunk({}, { finish_reason });

const COMPLETIONS: readonly Transcript[] = [
  {
    who: 'OpenAI, with a fingerprint, a refusal that is null, and usage at the end',
    wire: data(
      {
        ...chunk({ role: 'assistant', content: '', refusal: null }),
        system_fingerprint: 'fp_1',
        service_tier: 'default',
      },
      chunk({ content: 'Grüß' }),
      chunk({ content: ' dich 🎌' }),
      stop('stop'),
      {
        ...chunk({}),
        choices: [],
        usage: {
          prompt_tokens: 1200,
          completion_tokens: 30,
          total_tokens: 1230,
          prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 12, accepted_prediction_tokens: 0 },
        },
      },
      '[DONE]',
    ),
  },
  {
    who: 'OpenAI, with two calls whose pieces are mixed',
    wire: data(
      chunk({
        role: 'assistant',
        content: null,
        ...piece(0, { id: 'a', type: 'function', function: { name: 'write', arguments: '' } }),
      }),
      chunk(piece(0, { function: { arguments: '{"path":' } })),
      chunk(piece(1, { id: 'b', type: 'function', function: { name: 'read', arguments: '{"pa' } })),
      chunk(piece(0, { function: { arguments: '"x"}' } })),
      chunk(piece(1, { function: { arguments: 'th":"y"}' } })),
      stop('tool_calls'),
      '[DONE]',
    ),
  },
  {
    who: 'DeepSeek, which thinks, speaks, and calls',
    wire: data(
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: 'Hm, ' }),
      chunk({ content: null, reasoning_content: 'so.' }),
      chunk({ content: 'I look.', reasoning_content: null }),
      chunk(piece(0, { id: 'call_00', type: 'function', function: { name: 'read', arguments: '{}' } })),
      { ...stop('tool_calls'), usage: { prompt_tokens: 9, completion_tokens: 4, prompt_cache_hit_tokens: 0 } },
      '[DONE]',
    ),
  },
  {
    who: 'OpenRouter, with comments, and thoughts under another name',
    wire: `: OPENROUTER PROCESSING\n\n${data(
      chunk({
        role: 'assistant',
        content: '',
        reasoning: 'Because',
        reasoning_details: [{ type: 'reasoning.text', text: 'Because' }],
      }),
    )}: OPENROUTER PROCESSING\n\n${data(
      chunk({ role: 'assistant', content: 'Yes.' }, { native_finish_reason: null }),
      chunk({ role: 'assistant', content: '' }, { finish_reason: 'stop', native_finish_reason: 'STOP' }),
      '[DONE]',
    )}`,
  },
  {
    who: 'Mistral, with thoughts among the parts of the text',
    wire: data(
      chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Done' }] }),
      chunk({ content: '.' }),
      stop('stop'),
      '[DONE]',
    ),
  },
  {
    who: 'Gemini, which signs its calls',
    wire: data(
      chunk({
        role: 'assistant',
        ...piece(0, {
          id: 'g1',
          type: 'function',
          function: { name: 'read', arguments: '{"path":"x"}' },
          extra_content: { google: { thought_signature: 'c2lnbmVk' } },
        }),
      }),
      stop('tool_calls'),
      '[DONE]',
    ),
  },
  { who: 'a server that reaches its limit', wire: data(chunk({ content: 'Half an' }), stop('length'), '[DONE]') },
  { who: 'a server that refuses', wire: data(chunk({ content: 'I' }), stop('content_filter'), '[DONE]') },
  { who: 'a server with a reason of its own', wire: data(chunk({ content: 'Eh' }), stop('eos'), '[DONE]') },
  { who: 'a server that ends without a reason', wire: data(chunk({ content: 'Half an' })) },
  {
    who: 'a server that reports an error',
    wire: data(chunk({ content: 'Half' }), {
      error: { message: 'Rate limit reached', type: 'rate_limit_exceeded', code: 429 },
    }),
  },
  {
    who: 'a server that ends lines with CR LF',
    wire: data(chunk({ content: 'A\nB' }), stop('stop'), '[DONE]').replaceAll('\n', '\r\n'),
  },
].map((transcript) => ({ ...transcript, protocol: 'openai-completions' as const }));

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'm',
  status: 'in_progress',
  output: [],
};
const usage = {
  input_tokens: 500,
  input_tokens_details: { cached_tokens: 300 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 25 },
  total_tokens: 540,
};
const completed = { type: 'response.completed', response: { ...response, status: 'completed', usage } };
const added = (output_index: number, item: unknown) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: unknown) => ({ type: 'response.output_item.done', output_index, item });
const summary = (what: 'added' | 'done', summary_index: number) => ({
  type: `response.reasoning_summary_part.${what}`,
  item_id: 'rs_1',
  output_index: 0,
  summary_index,
  part: { type: 'summary_text', text: '' },
});
const thought = (summary_index: number, delta: string) => ({
  type: 'response.reasoning_summary_text.delta',
  item_id: 'rs_1',
  output_index: 0,
  summary_index,
  delta,
});
const text = (delta: string, item_id = 'msg_1') => ({
  type: 'response.output_text.delta',
  item_id,
  output_index: 1,
  content_index: 0,
  delta,
  logprobs: [],
  obfuscation: 'xyz',
});
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const call = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'read',
  arguments: '',
  status: 'in_progress',
};
const inside = (delta: string) => ({
  type: 'response.function_call_arguments.delta',
  item_id: 'fc_1',
  output_index: 2,
  delta,
});

const RESPONSES: readonly Transcript[] = [
  {
    who: 'OpenAI, which thinks in two parts, speaks, and calls',
    wire: named(
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      added(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'first' }),
      summary('added', 0),
      thought(0, '**Look'),
      thought(0, 'ing**'),
      summary('done', 0),
      summary('added', 1),
      thought(1, 'And more.'),
      summary('done', 1),
      done(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'last' }),
      added(1, message),
      {
        type: 'response.content_part.added',
        item_id: 'msg_1',
        output_index: 1,
        part: { type: 'output_text', text: '' },
      },
      text('I '),
      text('look.'),
      { type: 'response.output_text.done', item_id: 'msg_1', output_index: 1, text: 'I look.' },
      done(1, {
        ...message,
        status: 'completed',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      }),
      added(2, call),
      inside('{"path":'),
      inside('"ä"}'),
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 2, arguments: '{"path":"ä"}' },
      done(2, { ...call, arguments: '{"path":"ä"}', status: 'completed' }),
      completed,
    ),
  },
  {
    who: 'OpenAI, which thinks in secret',
    wire: named(
      { type: 'response.created', response },
      added(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: null }),
      done(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' }),
      added(1, message),
      text('Yes.'),
      done(1, message),
      completed,
    ),
  },
  {
    who: 'OpenAI, which calls without arguments',
    wire: named(added(2, call), done(2, { ...call, arguments: '{}' }), completed),
  },
  {
    who: 'OpenAI, which refuses',
    wire: named(
      added(1, message),
      { type: 'response.refusal.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'I cannot.' },
      done(1, message),
      completed,
    ),
  },
  ...['max_output_tokens', 'content_filter', 'something_new'].map((reason) => ({
    who: `OpenAI, which stops: ${reason}`,
    wire: named(added(1, message), text('Half'), done(1, message), {
      type: 'response.incomplete',
      response: { ...response, incomplete_details: { reason }, usage },
    }),
  })),
  {
    who: 'OpenAI, which fails in the middle',
    wire: named(added(1, message), text('Half'), {
      type: 'response.failed',
      sequence_number: 3,
      response: { ...response, status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down' } },
    }),
  },
  {
    who: 'a server that ends too early',
    wire: named({ type: 'response.created', response }, added(1, message), text('Half')),
  },
].map((transcript) => ({ ...transcript, protocol: 'openai-responses' as const }));

const begun = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 20, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
  },
};
const start = (index: number, content_block: unknown) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, value: unknown) => ({ type: 'content_block_delta', index, delta: value });
const ended = (index: number) => ({ type: 'content_block_stop', index });
const finish = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 33 } },
  { type: 'message_stop' },
];

const MESSAGES: readonly Transcript[] = [
  {
    who: 'Anthropic, which thinks, speaks and calls twice',
    wire: named(
      begun,
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      { type: 'ping' },
      delta(0, { type: 'thinking_delta', thinking: 'Hm. ' }),
      delta(0, { type: 'thinking_delta', thinking: 'So.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      delta(0, { type: 'signature_delta', signature: 'bmVk' }),
      ended(0),
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Grüße 東京' }),
      ended(1),
      start(2, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"path": "x' }),
      delta(2, { type: 'input_json_delta', partial_json: '"}' }),
      ended(2),
      start(3, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
      ended(3),
      ...finish('tool_use'),
    ),
  },
  {
    who: 'Anthropic, with a thought that is hidden',
    wire: named(begun, start(0, { type: 'redacted_thinking', data: 'b3BhcXVl' }), ended(0), ...finish('end_turn')),
  },
  ...['max_tokens', 'refusal', 'pause_turn', 'stop_sequence', 'model_context_window_exceeded', 'something_new'].map(
    (reason) => ({
      who: `Anthropic, which stops: ${reason}`,
      wire: named(
        begun,
        start(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'Half' }),
        ended(0),
        ...finish(reason),
      ),
    }),
  ),
  {
    who: 'Anthropic, which counts again at the end',
    wire: named(
      begun,
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'A' }),
      ended(0),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: {
          input_tokens: 21,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 9,
          output_tokens: 8,
          output_tokens_details: { thinking_tokens: 3 },
        },
      },
      { type: 'message_stop' },
    ),
  },
  {
    who: 'Anthropic, which is overloaded in the middle',
    wire: named(begun, start(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'A' }), {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    }),
  },
  {
    who: 'a server that ends too early',
    wire: named(begun, start(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'A' })),
  },
].map((transcript) => ({ ...transcript, protocol: 'anthropic-messages' as const }));

/** All of them. */
export const TRANSCRIPTS: readonly Transcript[] = [...COMPLETIONS, ...RESPONSES, ...MESSAGES];
