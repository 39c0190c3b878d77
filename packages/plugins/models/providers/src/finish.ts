import type { AnswerBuilder, Model, StreamEvent, TokenCounts } from '@tenon/models/api';
import { usageOf } from '@tenon/models/api';
import { CutOffError } from './failure.ts';

/** How an answer ended, in the words of no provider. */
export interface Ending {
  readonly reason: 'stop' | 'length' | 'refused' | 'other' | 'broken';
  /** The provider's own word. */
  readonly said?: string | undefined;
  readonly tokens: TokenCounts;
}

/** The last events of an answer. Throws when it ended before it was whole. */
export function finished(answer: AnswerBuilder, model: Model, { reason, said, tokens }: Ending): StreamEvent[] {
  const { provider } = model;
  const usage = usageOf(model, tokens);
  if (reason === 'refused')
    return answer.fail(
      { kind: 'refused', message: `${provider} refused to answer (${said ?? 'content filter'})` },
      usage,
    );
  if (reason === 'broken' || (reason === 'other' && said === undefined))
    throw new CutOffError('the answer ended before it was whole');
  const stop = reason === 'length' ? 'length' : answer.hasToolCall ? 'toolUse' : 'stop';
  const events = answer.finish(stop, usage);
  if (answer.brokenCall === undefined) return events;
  // A call with half of its arguments must not be carried out, so the answer as a whole has failed.
  const ends = events.slice(0, -1);
  if (stop === 'length') {
    const message = `The answer reached its limit of tokens inside a tool call, so nothing was run: ${answer.brokenCall}. Ask for smaller steps, or raise the limit.`;
    return [...ends, ...answer.fail({ kind: 'bad-request', message }, usage)];
  }
  return [...ends, ...answer.fail({ kind: 'server', message: `${provider}: ${answer.brokenCall}` }, usage)];
}
