import { AnswerBuilder, type AssistantMessage, type Provider, type StreamEvent } from '@tenon/models/api';
import { type Exchange, readCassette } from './cassette.ts';
import { errors } from './errors.ts';
import { failedWith } from './failure.ts';
import { differenceTo, fingerprintOf } from './fingerprint.ts';
import { cassetteRedactor, maskDeep } from './masking.ts';

/** How a request finds its answer. */
export type Match = 'strict' | 'position';

/** What playing needs. */
export interface PlayerOptions {
  readonly file: string;
  readonly match: Match;
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A provider that gives recorded answers. */
export function playing({ file, match, cwd, env = process.env }: PlayerOptions): Provider {
  let position = 0;
  let exchanges: Promise<readonly Exchange[]> | undefined;
  const played = new Map<string, number>();

  const load = () => {
    exchanges ??= readCassette(file).catch((fault: unknown) => {
      // The file may be there at the next try.
      exchanges = undefined;
      throw fault;
    });
    return exchanges;
  };

  const choose = async (request: Parameters<Provider['stream']>[0]): Promise<Exchange> => {
    const all = await load();
    if (match === 'position') {
      const exchange = all[position++];
      if (!exchange) throw errors.create('REPLAY_OVER', { file, count: all.length });
      return exchange;
    }
    const { systemPrompt, messages, tools, toolChoice } = request;
    const masked = maskDeep({ systemPrompt, messages, tools }, cassetteRedactor(env, [request.apiKey]));
    const current = fingerprintOf({ ...masked, ...(toolChoice !== undefined && { toolChoice }) }, cwd);
    const same = all.filter(({ fingerprint }) => fingerprint.all === current.all);
    // The same question may have been asked twice and answered differently, as after an error.
    const turn = played.get(current.all) ?? 0;
    played.set(current.all, turn + 1);
    const exchange = same[Math.min(turn, same.length - 1)];
    if (exchange) return exchange;
    const difference = differenceTo(
      current,
      all.map(({ fingerprint }) => fingerprint),
    );
    throw errors.create('REPLAY_NOT_RECORDED', { file, difference });
  };

  return {
    async *stream(request, { signal }): AsyncGenerator<StreamEvent> {
      let events: Iterable<StreamEvent>;
      try {
        events = eventsOf(await choose(request));
      } catch (fault) {
        events = failedWith(request.model, fault);
      }
      for (const event of events) {
        if (signal.aborted) {
          yield* new AnswerBuilder(request.model).fail({ kind: 'aborted', message: 'The request was stopped.' });
          return;
        }
        yield event;
      }
    },
  };
}

/** About what one piece of a real stream holds. */
const PIECE = 64;

/** The stream of an answer: its blocks piece by piece, and at the end the answer exactly as it was. */
function* eventsOf({ answer, failure }: Exchange): Generator<StreamEvent> {
  const { api, provider, model: id } = answer;
  const builder = new AnswerBuilder({ api, provider, id });
  yield builder.start();
  for (const [index, block] of answer.content.entries()) {
    const key = String(index);
    if (block.type === 'text') yield builder.beginText(key);
    else if (block.type === 'thinking') yield builder.beginThinking(key);
    else yield builder.beginToolCall(key, { id: block.id, name: block.name });
    const text =
      block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : JSON.stringify(block.arguments);
    for (const piece of pieces(text)) yield* builder.delta(key, piece);
    yield* builder.end(key);
  }
  const message: AssistantMessage = { ...answer, timestamp: Date.now() };
  const { stopReason } = answer;
  if (stopReason === 'error' || stopReason === 'aborted') {
    yield { type: 'error', reason: stopReason, error: message, ...(failure && { failure }) };
  } else yield { type: 'done', reason: stopReason, message };
}

function* pieces(text: string): Generator<string> {
  const letters = [...text];
  for (let at = 0; at < letters.length; at += PIECE) yield letters.slice(at, at + PIECE).join('');
}
