import type { Redactor } from '@tenon/kernel';
import type { ModelRequest, Provider, StreamEvent } from '@tenon/models/api';
import type { CassetteWriter, Exchange } from './cassette.ts';
import { fingerprintOf } from './fingerprint.ts';
import { cassetteRedactor, maskDeep } from './masking.ts';

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
      for await (const event of provider.stream(request, call)) {
        const isOver = event.type === 'done' || event.type === 'error';
        // An answer that was cut off by the user is no answer.
        if (isOver && !(event.type === 'error' && event.reason === 'aborted')) {
          await cassette.append(exchangeOf(request, event, cwd, redact));
        }
        yield event;
      }
    },
  };
}

function exchangeOf(
  request: ModelRequest,
  event: Extract<StreamEvent, { type: 'done' | 'error' }>,
  cwd: string,
  redact: Redactor,
): Exchange {
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
