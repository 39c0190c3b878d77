/** The ids of calls, made acceptable to a provider that did not give them. */
import { createHash } from 'node:crypto';

/** Ids that Anthropic and Google accept: letters, digits, `_` and `-`. */
export function plainId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** Ids that OpenAI accepts. What follows a bar is the id of an item, which belongs to another conversation. */
export function callId(id: string): string {
  return (id.split('|')[0] as string).slice(0, 64);
}

/** An id of nine letters and digits that stands for a longer one: Mistral takes nothing else. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
