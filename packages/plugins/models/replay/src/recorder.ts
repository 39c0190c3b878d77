import type { Redactor } from '@tenon/log';
import type { ModelRequest, Provider, StreamEvent } from '@tenon/models/api';
import type { CassetteWriter, Exchange } from './cassette.ts';
import { failedWith, failureOf } from './failure.ts';
import { fingerprintOf } from './fingerprint.ts';
import { cassetteRedactor, maskDeep } from './masking.ts';

type Terminal = Extract<StreamEvent, { type: 'done' | 'error' }>;

/** What recording needs. */
export interface RecorderOptions {
  readonly cassette: CassetteWriter;
  /** The folder of the work: it is not part of what makes requests the same. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A provider that passes everything on and keeps it. An answer is on the cassette before its last event is given out. */
export function recording(provider: Provider, { cassette, cwd, env = process.env }: RecorderOptions): Provider {
  return {
    async *stream(request, call): AsyncGenerator<StreamEvent> {
      const redact = cassetteRedactor(env, [request.apiKey]);
      try {
        await cassette.prepare();
      } catch (fault) {
        return yield* failedWith(request.model, fault);
      }
      for await (const event of provider.stream(request, call)) {
        const isOver = event.type === 'done' || event.type === 'error';
        // An answer that was cut off by the user is no answer.
        const isKept = isOver && !(event.type === 'error' && event.reason === 'aborted');
        yield isKept ? await afterRecording(event, cassette, exchangeOf(request, event, cwd, redact)) : event;
      }
    },
  };
}

/** The end of an answer once it is on the cassette. A run that should record and cannot has failed. */
async function afterRecording(end: Terminal, cassette: CassetteWriter, exchange: Exchange): Promise<StreamEvent> {
  try {
    await cassette.append(exchange);
    return end;
  } catch (fault) {
    const failure = failureOf(fault);
    const { message: errorMessage, next: errorNext } = failure;
    const answer = end.type === 'done' ? end.message : end.error;
    const error = {
      ...answer,
      stopReason: 'error' as const,
      errorMessage,
      ...(errorNext !== undefined && { errorNext }),
    };
    return { type: 'error', reason: 'error', error, failure };
  }
}

function exchangeOf(request: ModelRequest, event: Terminal, cwd: string, redact: Redactor): Exchange {
  const { systemPrompt, messages, tools, toolChoice, model } = request;
  const masked = maskDeep({ systemPrompt, messages, tools }, redact);
  const answer = maskDeep(event.type === 'done' ? event.message : event.error, redact);
  const failure = event.type === 'error' && event.failure ? maskDeep(event.failure, redact) : undefined;
  const choice = toolChoice === undefined ? {} : { toolChoice };
  const since = masked.messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    type: 'exchange',
    fingerprint: fingerprintOf({ ...masked, ...choice }, cwd),
    request: {
      model: `${model.provider}/${model.id}`,
      messages: messages.length,
      said: masked.messages.slice(since + 1),
      tools: tools.map(({ name }) => name),
      ...choice,
    },
    answer,
    ...(failure && { failure }),
  };
}
