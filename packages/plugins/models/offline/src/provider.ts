import { createHash } from 'node:crypto';
import { AnswerBuilder, type ModelRequest, NO_USAGE, type Provider, type StreamEvent } from '@tenon/models/api';
import { decide, type Decision } from './decide.ts';
import { createParser, type Parser } from './parser.ts';
import { summaryFor } from './summary.ts';

/** The offline model as a provider: no network, no key, no randomness. The same conversation gets the same answer. */
export function createOfflineProvider(): Provider {
  const parser = createParser();
  return {
    async *stream(request, { signal }): AsyncGenerator<StreamEvent> {
      const builder = new AnswerBuilder(request.model);
      yield builder.start();
      for (const event of eventsOf(request, builder, await answerTo(request, parser))) {
        if (signal.aborted) {
          yield* builder.fail({ kind: 'aborted', message: 'The request was stopped.' });
          return;
        }
        yield event;
      }
    },
  };
}

function* eventsOf(
  request: ModelRequest,
  builder: AnswerBuilder,
  { text, calls, notDone }: Decision,
): Generator<StreamEvent> {
  if (text !== '') {
    yield builder.beginText('text');
    for (const piece of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) yield* builder.delta('text', piece);
    yield* builder.end('text');
  }
  for (const [index, { name, arguments: args }] of calls.entries()) {
    const key = `call-${index}`;
    yield builder.beginToolCall(key, { id: callId(request, index), name });
    yield* builder.delta(key, JSON.stringify(args));
    yield* builder.end(key);
  }
  // Rules use no tokens. The agent estimates the conversation's size by itself.
  for (const event of builder.finish(calls.length > 0 ? 'toolUse' : 'stop', NO_USAGE))
    yield event.type === 'done' && notDone ? { ...event, message: { ...event.message, notDone } } : event;
}

async function answerTo({ messages, tools, toolChoice }: ModelRequest, parser: Parser): Promise<Decision> {
  const summary = summaryFor(messages, tools.length);
  if (summary !== undefined) return { text: summary === '' ? 'There was nothing to summarize.' : summary, calls: [] };
  return decide({ messages, tools, parser, ...(toolChoice !== undefined && { toolChoice }) });
}

/** Unique in a session also after its older part was summarized, and the same for the same conversation. */
function callId({ messages, sessionId = '' }: ModelRequest, index: number): string {
  const last = messages.at(-1);
  const seed = `${sessionId}:${messages.length}:${last?.role}:${last?.timestamp}:${index}`;
  return `offline_${createHash('sha256').update(seed).digest('hex').slice(0, 16)}`;
}
