import { AnswerBuilder, type ModelRequest, type Provider, type StreamEvent } from '@tenon/models/api';
import { callHeaders } from '../call-headers.ts';
import { failureOf, RefusedError } from '../failure.ts';
import { outputLimit } from '../output-limit.ts';
import { promptOf } from '../prompt.ts';
import { AnswerStream } from './answer-stream.ts';
import type { Outgoing } from './connection.ts';
import { exchange, type Exchange } from './exchange.ts';
import type { DirectProtocol } from './protocol.ts';

/** Nobody reads more of the body of an error. */
const MAX_ERROR_BYTES = 1 << 20;

/** Makes a provider that speaks one protocol without the SDK. */
export function speakerFor(protocol: DirectProtocol, options: { readonly stallMs: number }): Provider {
  return {
    joinsDeltas: true,
    stream: (request, call) => answer(protocol, request, { ...call, ...options }),
  };
}

async function* answer(
  protocol: DirectProtocol,
  request: ModelRequest,
  call: { readonly signal: AbortSignal; readonly stallMs: number; readonly batchMs?: number },
): AsyncGenerator<StreamEvent> {
  const { model } = request;
  const built = new AnswerBuilder(model);
  let opened: Exchange | undefined;
  let isWhole = false;
  try {
    opened = await exchange(outgoing(protocol, request), call);
    const { status, statusText, headers, incoming } = opened;
    if (status < 200 || status > 299) {
      const body = await incoming.text(MAX_ERROR_BYTES);
      throw new RefusedError(status, statusText, headers, body);
    }
    yield built.start();
    const stream = new AnswerStream(protocol, built, model, headers['content-type']);
    while (!stream.isOver) {
      const chunks = await incoming.read();
      const events: StreamEvent[] = [];
      let fault: { readonly thrown: unknown } | undefined;
      try {
        if (!chunks) stream.end(events);
        else for (const chunk of chunks) stream.take(chunk, events);
      } catch (thrown) {
        fault = { thrown }; // Told after what came before it.
      }
      isWhole = stream.isOver;
      // The first delta passes at once, so that the user sees the answer begin.
      if (call.batchMs && events.some(isDelta)) incoming.collect(call.batchMs);
      for (const event of call.batchMs ? joined(events) : events) yield event;
      if (fault) throw fault.thrown;
    }
  } catch (thrown) {
    const failure = failureOf(thrown, { provider: model.provider, aborted: call.signal.aborted });
    const isServers = failure.kind === 'unknown' && built.isEmpty && protocol.earlyErrorsAreServers;
    yield* built.fail(isServers ? { ...failure, kind: 'server' } : failure);
  } finally {
    opened?.end(isWhole);
  }
}

function outgoing(protocol: DirectProtocol, request: ModelRequest): Outgoing {
  const { model } = request;
  const body = protocol.body({ ...request, maxTokens: outputLimit(request) }, promptOf(request, protocol));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: '*/*',
    // Compressing an answer that comes in small pieces makes it no smaller, and costs both sides time.
    'accept-encoding': 'identity',
    'user-agent': 'tenon',
    ...protocol.headers(request),
  };
  for (const [name, value] of Object.entries({ ...model.headers, ...request.headers, ...callHeaders(request) }))
    headers[name.toLowerCase()] = value;
  protocol.joinHeaders?.(headers, body);
  return { url: new URL(protocol.url(request)), headers, body: Buffer.from(JSON.stringify(body)) };
}

function isDelta(event: StreamEvent): event is Extract<StreamEvent, { delta: string }> {
  return 'delta' in event;
}

/** Deltas of one block that follow each other, as one. */
function joined(events: readonly StreamEvent[]): readonly StreamEvent[] {
  if (events.length < 2) return events;
  const kept: StreamEvent[] = [];
  for (const event of events) {
    const last = kept.at(-1);
    const isMore = last && isDelta(last) && last.type === event.type && last.contentIndex === event.contentIndex;
    if (isMore) kept[kept.length - 1] = { ...event, delta: last.delta + event.delta };
    else kept.push(event);
  }
  return kept;
}
