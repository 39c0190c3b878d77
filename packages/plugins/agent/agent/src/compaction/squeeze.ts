/**
 * Makes a conversation fit without asking a model: the last resort after a refusal. The oldest turns go first, then the output
 * of tools in the present one. What the user asks for now stays whole.
 */
import { prunedNotice, type SessionEntry } from '@tenon/sessions/api';
import { toModelMessages } from '../convert.ts';
import { render } from '../prompts/index.ts';
import { estimateText, shortenedTo } from '../tokens.ts';
import { isCutPoint, isPrompt, messageIn, sizeOf } from './cut-point.ts';
import { serialize } from './serialize.ts';

/** How hard to squeeze: the part of the room that is used, and how much of it what was left out gets. */
export interface SqueezeLevel {
  readonly part: number;
  readonly digest: number;
}

/** From gentle to all there is. The estimate of the room may be wrong, so each level is tried and judged by the server. */
export const SQUEEZE_LEVELS: readonly SqueezeLevel[] = [
  { part: 0.9, digest: 0.25 },
  { part: 0.5, digest: 0.25 },
  { part: 0.2, digest: 0 },
  { part: 0, digest: 0 },
];

/** What stays, and what goes. */
export interface Squeeze {
  readonly dropped: readonly SessionEntry[];
  readonly kept: readonly SessionEntry[];
  /** Results in the kept part whose output goes. */
  readonly pruned: readonly { readonly entryId: string; readonly tokens: number }[];
}

/** An output that is hardly longer than the notice in its place is left alone. */
const SMALLEST = 50;
/** The sentences around a digest. */
const FRAME = 80;
/** Less than this tells nobody anything. */
const LEAST_DIGEST = 40;

/** What can stay of a conversation in so many tokens, as they are estimated; nothing when there is nothing to keep. */
export function squeeze(entries: readonly SessionEntry[], budget: number): Squeeze | undefined {
  const promptAt = entries.findLastIndex(isPrompt);
  const anchor = promptAt === -1 ? entries.findLastIndex(isCutPoint) : promptAt;
  if (anchor === -1) return undefined;
  const from = (at: number, pruned: Squeeze['pruned'] = []): Squeeze => {
    const kept = entries.slice(at);
    const ids = new Set(kept.map(({ id }) => id));
    return { dropped: entries.slice(0, at), kept, pruned: pruned.filter(({ entryId }) => ids.has(entryId)) };
  };
  const whole = firstFitting(entries, sizeOf, [0, anchor], budget);
  if (whole !== undefined) return from(whole);
  const pruned = outputs(entries.slice(anchor), total(entries.slice(anchor)) - budget);
  const saved = new Map(pruned.map(({ entryId, tokens }) => [entryId, tokens]));
  const leanSize = (entry: SessionEntry) => {
    const tokens = saved.get(entry.id);
    return tokens === undefined ? sizeOf(entry) : estimateText(prunedNotice(tokens));
  };
  const later =
    firstFitting(entries, leanSize, [anchor, anchor], budget) ?? laterCut(entries, leanSize, anchor, budget);
  return from(later ?? anchor, pruned);
}

/** Where the kept part may begin inside of a long turn, with the prompt in front of it; nothing when that helps nothing either. */
function laterCut(
  entries: readonly SessionEntry[],
  size: (entry: SessionEntry) => number,
  anchor: number,
  budget: number,
): number | undefined {
  const prompt = entries[anchor];
  const left = budget - FRAME - (prompt ? sizeOf(prompt) : 0);
  return left <= 0 ? undefined : firstFitting(entries, size, [anchor + 1, entries.length - 1], left);
}

/** The first place in a range where the rest of the entries fits. */
function firstFitting(
  entries: readonly SessionEntry[],
  size: (entry: SessionEntry) => number,
  [first, last]: readonly [number, number],
  budget: number,
): number | undefined {
  let found: number | undefined;
  let sum = 0;
  for (let at = entries.length - 1; at >= first; at--) {
    const entry = entries[at] as SessionEntry;
    sum += size(entry);
    if (sum > budget) break;
    if (at <= last && isCutPoint(entry)) found = at;
  }
  return found;
}

/** Outputs of tools, the oldest first, until enough is saved. */
function outputs(entries: readonly SessionEntry[], excess: number): { entryId: string; tokens: number }[] {
  const chosen: { entryId: string; tokens: number }[] = [];
  let saved = 0;
  for (const entry of entries) {
    if (saved >= excess) break;
    const tokens = messageIn(entry)?.role === 'toolResult' ? sizeOf(entry) : 0;
    if (tokens <= SMALLEST) continue;
    chosen.push({ entryId: entry.id, tokens });
    saved += tokens - estimateText(prunedNotice(tokens));
  }
  return chosen;
}

function total(entries: readonly SessionEntry[]): number {
  return entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
}

/** What stands for the dropped part: the prompt, if it is among it, and as much of the rest as there is room for. */
export function digest(
  dropped: readonly SessionEntry[],
  options: { readonly previousSummary: string; readonly prompt: string | undefined; readonly room: number },
): string {
  const { previousSummary, prompt, room } = options;
  const messages = dropped.flatMap((entry) => messageIn(entry) ?? []);
  const text = [previousSummary, serialize(toModelMessages(messages))].filter(Boolean).join('\n\n');
  const left = room - FRAME;
  return render('compaction-left-out', { prompt, conversation: left < LEAST_DIGEST ? '' : shortenedTo(text, left) });
}
