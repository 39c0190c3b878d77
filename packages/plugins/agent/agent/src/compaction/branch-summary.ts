/** What is left behind when the conversation goes back to an earlier entry. */
import type { AgentMessage, Session, SessionEntry } from '@tenon/sessions/api';
import { toModelMessages } from '../convert.ts';
import type { AgentParts } from '../host.ts';
import { render } from '../prompts/index.ts';
import { estimateMessage } from '../tokens.ts';
import { messageIn } from './cut-point.ts';
import { type FileOperations, fileOperations, fileTags } from './file-operations.ts';
import { serialize } from './serialize.ts';
import { askForSummary, type SummaryParts } from './summarizer.ts';

/** Summarizes what is on the active branch and not on the way to the target; nothing when nothing was said there. */
export async function summarizeBranch(
  parts: SummaryParts & Pick<AgentParts, 'tools'>,
  target: string | null,
  options: { readonly instructions?: string; readonly signal: AbortSignal },
): Promise<{ summary: string; details: FileOperations } | undefined> {
  const left = leftBehind(parts.conversation.session, target);
  const messages = left.flatMap((entry) => saidIn(entry) ?? []);
  if (messages.length === 0) return undefined;
  const budget = parts.models.model.contextWindow - parts.host.config.compaction.reserveTokens;
  const recent = newest(messages, budget);
  const conversation = serialize(toModelMessages(recent));
  const summary = await askForSummary(
    parts,
    render('branch-summary', { conversation, instructions: options.instructions }),
    options.signal,
  );
  const earlier = left.findLast((entry) => entry.type === 'branch_summary' && !entry.fromExtension);
  const known = earlier?.type === 'branch_summary' ? earlier.details : undefined;
  const details = await fileOperations(messages, known, { cwd: parts.conversation.place.cwd, tools: parts.tools });
  return { summary: summary + fileTags(details), details };
}

/** From the leaf back to the last entry that both ways share; the rest of the session is not even read. */
function leftBehind(session: Session, target: string | null): SessionEntry[] {
  const shared = new Set(target === null ? [] : session.path(target).map(({ id }) => id));
  const newestFirst: SessionEntry[] = [];
  for (const entry of session.walk()) {
    if (shared.has(entry.id)) break;
    newestFirst.push(entry);
  }
  return newestFirst.reverse();
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
