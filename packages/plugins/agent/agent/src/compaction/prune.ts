/** Takes the output of old tool calls out of a conversation that has grown too long, before anything is summarized. */
import { prunedIn, type SessionEntry } from '@tenon/sessions/api';
import { estimateMessage } from '../tokens.ts';

/** What is taken out, and when it is worth it. */
export interface PrunePolicy {
  /** The newest outputs, up to so many tokens, stay. */
  readonly protectTokens: number;
  /** Less than this is not worth it: providers cache the beginning of a conversation, and this changes it. */
  readonly minimumTokens: number;
}

/** An output that is hardly longer than the notice in its place is left alone. */
const SMALLEST = 50;

/** The results whose output can go, with about how many tokens each; none when it would not be worth it. */
export function prunable(
  entries: readonly SessionEntry[],
  { protectTokens, minimumTokens }: PrunePolicy,
  isKept: (tool: string) => boolean,
): { entryId: string; tokens: number }[] {
  const gone = new Set(entries.flatMap(prunedIn).map(({ entryId }) => entryId));
  const chosen: { entryId: string; tokens: number }[] = [];
  let newer = 0;
  for (const entry of [...entries].reverse()) {
    if (entry.type !== 'message' || entry.message.role !== 'toolResult' || gone.has(entry.id)) continue;
    const tokens = estimateMessage(entry.message);
    newer += tokens;
    if (newer > protectTokens && tokens > SMALLEST && !isKept(entry.message.toolName))
      chosen.push({ entryId: entry.id, tokens });
  }
  return chosen.reduce((sum, { tokens }) => sum + tokens, 0) >= minimumTokens ? chosen : [];
}
