/**
 * A model that does what the last message says, in the three protocols that the programs speak, in a process of its own:
 * `FILL 1000` gives Markdown of that many rows at once, `STREAM 2000` that many tokens at 100 a second, `ROWS 40 20` twenty
 * numbered rows from 40 on. It tells its parent the port, then of each answer's begin and end.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { markdown, numberedRows, tokens } from './tui-text.mjs';

const TOKENS_A_SECOND = 100;
const PART = 400;
const CHARACTERS_OF_A_TOKEN = 4;

async function* answer({ kind, first, second }) {
  if (kind === 'STREAM') return yield* streamed(tokens(first));
  const text = kind === 'FILL' ? markdown(first) : kind === 'ROWS' ? numberedRows(first, second) : 'ok';
  for (let at = 0; at < text.length; at += PART) yield text.slice(at, at + PART);
}

async function* streamed(all) {
  const started = performance.now();
  for (const [at, token] of all.entries()) {
    const wait = started + (at * 1000) / TOKENS_A_SECOND - performance.now();
    if (wait > 0) await sleep(wait);
    yield token;
  }
}

/** The order is a whole text of the last message; requests without tools are for titles and summaries. */
function orderOf(body) {
  const { content = '' } = (body.messages ?? body.input ?? []).findLast?.(({ role }) => role === 'user') ?? {};
  const texts = typeof content === 'string' ? [content] : content.map(({ text = '' }) => text);
  const order = texts.map((text) => /^\s*(FILL|STREAM|ROWS) (\d+)(?: (\d+))?\s*$/.exec(text)).find(Boolean);
  if (!order || (body.tools ?? []).length === 0) return { kind: 'OK' };
  return { kind: order[1], first: Number(order[2]), second: Number(order[3]) };
}

/** How each protocol wraps an answer: what comes before, each part, what comes after. */
const PROTOCOLS = {
  '/chat/completions': (usage) => {
    const chunk = (choice, more = {}) => ({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, ...choice }],
      ...more,
    });
    return {
      before: [chunk({ delta: { role: 'assistant', content: '' } })],
      part: (content) => chunk({ delta: { content } }),
      after: () => [
        chunk(
          { delta: {}, finish_reason: 'stop' },
          { usage: { prompt_tokens: usage, completion_tokens: 50, total_tokens: usage + 50 } },
        ),
        '[DONE]',
      ],
    };
  },
  '/responses': (usage) => {
    const response = { id: 'resp_1', object: 'response', model: 'm', status: 'in_progress', output: [] };
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const tokensUsed = {
      input_tokens: usage,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage + 50,
    };
    return {
      before: [
        { type: 'response.created', response },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
      ],
      part: (delta) => ({ type: 'response.output_text.delta', ...place, delta }),
      after: (text) => {
        const done = { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
        return [
          { type: 'response.output_text.done', ...place, text },
          { type: 'response.output_item.done', output_index: 0, item: done },
          {
            type: 'response.completed',
            response: { ...response, status: 'completed', output: [done], usage: tokensUsed },
          },
        ];
      },
    };
  },
  '/messages': (usage) => ({
    before: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: usage, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    part: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    after: () => [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 50 } },
      { type: 'message_stop' },
    ],
  }),
};

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const raw = Buffer.concat(parts).toString();
  const path = new URL(request.url ?? '/', 'http://fake').pathname;
  const wrap = Object.entries(PROTOCOLS).find(([ending]) => path.endsWith(ending))?.[1];
  const json = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (path.endsWith('/models')) return json(200, { object: 'list', data: [{ id: 'm', object: 'model' }], models: [] });
  if (path.endsWith('/count_tokens')) return json(200, { input_tokens: 10 });
  if (request.method !== 'POST' || !wrap) return json(404, { error: { message: 'there is no such thing here' } });
  const body = JSON.parse(raw);
  if (body.stream !== true) return json(400, { error: { message: 'only streams are answered' } });
  const order = orderOf(body);
  const protocol = wrap(Math.ceil(raw.length / CHARACTERS_OF_A_TOKEN));
  const say = (value) => {
    const event = typeof value === 'object' && 'type' in value ? `event: ${value.type}\n` : '';
    response.write(`${event}data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  process.send?.({ ...order, what: 'begin' });
  for (const value of protocol.before) say(value);
  let text = '';
  for await (const part of answer(order)) {
    text += part;
    say(protocol.part(part));
  }
  for (const value of protocol.after(text)) say(value);
  response.end();
  process.send?.({ ...order, what: 'end' });
});
server.listen(0, '127.0.0.1', () => process.send?.({ what: 'port', port: server.address().port }));
process.on('disconnect', () => process.exit(0));
