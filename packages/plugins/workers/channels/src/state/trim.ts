/** Keeps the state small: what nobody needs any more is forgotten. */
import type { ChannelsState } from './state.ts';

/** How long a settled question is known, so that a late answer is told what became of it. */
const SETTLED_MS = 7 * 24 * 60 * 60_000;
const MAX_SEEN = 500;
const MAX_CONVERSATIONS = 500;
const MAX_MESSAGES = 200;

/** Forgets old questions, messages and threads. */
export function trim(state: ChannelsState, now = Date.now()): void {
  for (const [code, { settled }] of Object.entries(state.questions))
    if (
      settled !== undefined &&
      now - Date.parse(settled) > SETTLED_MS &&
      !state.outbox.some(({ question }) => question === code)
    )
      delete state.questions[code];
  for (const ids of Object.values(state.seen)) ids.splice(0, Math.max(0, ids.length - MAX_SEEN));
  const all = Object.values(state.conversations);
  for (const { messages } of all) messages.splice(0, Math.max(0, messages.length - MAX_MESSAGES));
  const idle = all.filter(
    ({ queue, sending, told }) => queue.length === 0 && sending === undefined && told !== undefined,
  );
  idle.sort((a, b) => (a.changed < b.changed ? -1 : 1));
  for (const { key } of idle.slice(0, Math.max(0, all.length - MAX_CONVERSATIONS))) delete state.conversations[key];
}
