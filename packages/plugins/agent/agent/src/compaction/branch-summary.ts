/** What is left behind when the conversation goes back to an earlier entry. */
import type { AgentMessage, Session, SessionEntry } from '@tenon/sessions/api';
import { toModelMessages } from '../convert.ts';
import type { AgentParts } from '../host.ts';
import { render } from '../prompts/index.ts';
import { estimateMessage } from '../tokens.ts';
import { messageIn } from './cut-point.ts';
import { type FileOperations, fileOperations, fileTags } from './file-operations.ts';
import { summaryRoom } from './policy.ts';
import { serialize } from './serialize.ts';
import { askForSummary, type SummaryParts } from './summarizer.ts';

/** Summarizes what is left behind; nothing when nothing was said there. */
export async function summarizeBranch(
  parts: SummaryParts & Pick<AgentParts, 'tools'>,
  left: readonly SessionEntry[],
  options: { readonly instructions?: string; readonly signal: AbortSignal },
): Promise<{ summary: string; details: FileOperations } | undefined> {
  const messages = left.flatMap((entry) => saidIn(entry) ?? []);
  if (messages.length === 0) return undefined;
  const budget = summaryRoom(parts.models.window, parts.host.config.compaction);
  const recent = newest(messages, budget);
  const { instructions, signal } = options;
  const question = (conversation: string) => render('branch-summary', { conversation, instructions });
  const summary = await askForSummary(parts, { text: serialize(toModelMessages(recent)), question }, signal);
  const earlier = left.findLast((entry) => entry.type === 'branch_summary' && !entry.fromExtension);
  const known = earlier?.type === 'branch_summary' ? earlier.details : undefined;
  const details = await fileOperations(messages, known, { cwd: parts.conversation.place.cwd, tools: parts.tools });
  return { summary: summary + fileTags(details), details };
}

/** What is on the active branch and not on the way to the target, oldest first; the rest of the session is not even read. */
export function leftBehind(
  session: Session,
  target: string | null,
): { readonly commonAncestor: string | null; readonly entries: readonly SessionEntry[] } {
  const shared = new Set(target === null ? [] : session.path(target).map(({ id }) => id));
  const newestFirst: SessionEntry[] = [];
  for (const entry of session.walk()) {
    if (shared.has(entry.id)) return { commonAncestor: entry.id, entries: newestFirst.reverse() };
    newestFirst.push(entry);
  }
  return { commonAncestor: null, entries: newestFirst.reverse() };
}

function saidIn(entry: SessionEntry): AgentMessage | undefined {
  if (entry.type !== 'compaction') return messageIn(entry);
  const { summary, tokensBefore, timestamp } = entry;
  return { role: 'compactionSummary', summary, tokensBefore, timestamp: Date.parse(timestamp) };
}

/** The end of a conversation, as much of it as fits. */
function newest(messages: readonly AgentMessage[], budget: number): readonly AgentMessage[] {
  let size = 0;
  const tooFar = messages.findLastIndex((message) => (size += estimateMessage(message)) > budget);
  return messages.slice(tooFar + 1);
}
