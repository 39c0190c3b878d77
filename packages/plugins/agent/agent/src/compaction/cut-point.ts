/** Where a conversation can be cut: what comes before is summarized, what comes after stays word for word. */
import type { AgentMessage, SessionEntry } from '@tenon/sessions/api';
import { estimateMessage } from '../tokens.ts';

/** A cut through a branch. */
export interface Cut {
  /** The entries to summarize: complete turns. */
  readonly history: readonly SessionEntry[];
  /** The beginning of the turn that the cut goes through; empty when it falls between turns. */
  readonly turnPrefix: readonly SessionEntry[];
  readonly firstKeptEntryId: string;
  readonly kept: readonly SessionEntry[];
}

/** The message of an entry that takes room in the context. */
export function messageIn(entry: SessionEntry): AgentMessage | undefined {
  if (entry.type === 'message') return entry.message;
  const timestamp = Date.parse(entry.timestamp);
  if (entry.type === 'custom_message') return { ...entry, role: 'custom', timestamp };
  if (entry.type === 'branch_summary')
    return { role: 'branchSummary', summary: entry.summary, fromId: entry.fromId, timestamp };
  return undefined;
}

/**
 * Cuts so that about `keepTokens` stay; nothing when there is nothing worth cutting off. A message that would not fit into
 * `mostTokens` is cut off with what comes before it.
 */
export function findCut(
  entries: readonly SessionEntry[],
  keepTokens: number,
  mostTokens = Number.POSITIVE_INFINITY,
): Cut | undefined {
  let kept = 0;
  let at = entries.length;
  while (at > 0 && kept < keepTokens) {
    const size = sizeOf(entries[at - 1] as SessionEntry);
    if (kept > 0 && kept + size > mostTokens) break;
    at--;
    kept += size;
  }
  if (at === 0 && kept < keepTokens) return undefined;
  // A result must stay with the call it answers: go on to the next place where a cut is allowed.
  while (at < entries.length && !isCutPoint(entries[at] as SessionEntry)) at++;
  if (at >= entries.length) at = entries.findLastIndex(isCutPoint);
  // What the user wants to know now is sent whole; what plugins add to it comes after it.
  const open = openPrompt(entries);
  if (open !== -1) at = Math.min(at, open);
  if (at <= 0) return undefined;
  const turnStart = isTurnStart(entries[at] as SessionEntry) ? at : entries.slice(0, at).findLastIndex(isTurnStart);
  const split = turnStart === -1 ? 0 : turnStart;
  // Changes of model and the like directly before the kept part belong to it.
  let first = at;
  while (first > 0 && !messageIn(entries[first - 1] as SessionEntry) && entries[first - 1]?.type !== 'compaction')
    first--;
  const firstKept = entries[first];
  if (!firstKept || entries.slice(0, first).every((entry) => !messageIn(entry))) return undefined;
  return {
    history: entries.slice(0, split),
    turnPrefix: entries.slice(split, first),
    firstKeptEntryId: firstKept.id,
    kept: entries.slice(first),
  };
}

/** True where the kept part may begin. An answer that came to nothing is no beginning: the prompt before it is still open. */
export function isCutPoint(entry: SessionEntry): boolean {
  const message = messageIn(entry);
  if (message === undefined || message.role === 'toolResult' || message.role === 'fileMention') return false;
  return message.role !== 'assistant' || !isNothing(message);
}

/** True for what the user said. */
export function isPrompt(entry: SessionEntry): boolean {
  const message = messageIn(entry);
  return message !== undefined && isUsers(message);
}

/** The same for a message. */
export function isUsers(message: AgentMessage): boolean {
  return message.role === 'user' || (message.role === 'custom' && message.attribution === 'user');
}

/** The size of an entry in the context, as it is estimated. */
export function sizeOf(entry: SessionEntry): number {
  const message = messageIn(entry);
  return message ? estimateMessage(message) : 0;
}

/** Where the prompt is that has no answer yet; -1 when there is none. */
function openPrompt(entries: readonly SessionEntry[]): number {
  const at = entries.findLastIndex(isPrompt);
  const isAnswered = entries.slice(at + 1).some((entry) => messageIn(entry)?.role === 'assistant' && isCutPoint(entry));
  return isAnswered ? -1 : at;
}

function isNothing({ stopReason, content }: Extract<AgentMessage, { role: 'assistant' }>): boolean {
  return stopReason === 'error' && content.every((block) => block.type !== 'text' || block.text.trim() === '');
}

function isTurnStart(entry: SessionEntry): boolean {
  const role = messageIn(entry)?.role;
  return role === 'user' || role === 'bashExecution' || role === 'custom' || role === 'branchSummary';
}
