import type { ModelRequest } from '@tenon/models/api';
import { requestTokens } from './request-size.ts';

/** The estimate of a request may be this much too low. */
const SLACK = 1024;
/** Less than this is not worth an answer. A conversation that leaves even less room is refused by the provider, and then made shorter. */
const LEAST = 4096;
/** In a small window the least is this part of it. */
const LEAST_PART = 8;

/**
 * How many tokens an answer may have, thoughts included: what the caller, the model and the room in its window allow.
 * Strict providers refuse a request whose conversation and limit together do not fit into the window.
 */
export function outputLimit(request: ModelRequest): number {
  const { maxTokens, model } = request;
  const most = Math.min(maxTokens ?? model.maxTokens, model.maxTokens);
  const least = Math.min(LEAST, Math.ceil(model.contextWindow / LEAST_PART));
  if (most <= least) return most;
  const room = model.contextWindow - requestTokens(request) - SLACK;
  return Math.min(most, Math.max(least, room));
}
