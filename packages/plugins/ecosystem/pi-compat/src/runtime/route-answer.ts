import type { RouteAnswer, RouteQuestion } from '../protocol.ts';
import { plain } from './plain.ts';

/** What a router named, as data. The state that it was given means that nothing changed. */
export function routeAnswer(question: RouteQuestion, answer: unknown): RouteAnswer {
  const { model, thinkingLevel, state } = (answer ?? {}) as {
    model?: { provider?: unknown; id?: unknown };
    thinkingLevel?: unknown;
    state?: unknown;
  };
  if (typeof model?.provider !== 'string' || typeof model.id !== 'string')
    throw new TypeError('route() must return { model, thinkingLevel } with a model of ctx.modelRegistry');
  const isNew = state !== undefined && state !== question.state;
  return {
    provider: model.provider,
    id: model.id,
    ...(typeof thinkingLevel === 'string' && { thinkingLevel }),
    ...(isNew && { state: { value: plain(state) } }),
  };
}
