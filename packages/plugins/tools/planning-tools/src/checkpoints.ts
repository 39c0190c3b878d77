/** Where a checkpoint is and how a session goes back to it. All of it is read from the session, so it survives a restart. */
import type { AgentSession } from '@tenon/agent/api';
import type { Session, SessionEntry } from '@tenon/sessions/api';
import { prompts } from './prompts/index.ts';

/** Marks on a branch that its checkpoint is over. It does not reach the model. */
const ENDED = 'checkpoint-ended';

/** A checkpoint that waits for its rewind. */
export interface Checkpoint {
  /** Its result on the branch. */
  readonly index: number;
  readonly goal: string;
  readonly startedAt: string;
}

/** The end of the branch that the model still sees. A checkpoint before a summary is over: what it would go back to is gone. */
function currentPart(session: Session): readonly SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const entry of session.walk()) {
    entries.push(entry);
    if (entry.type === 'compaction') break;
  }
  return entries.reverse();
}

/** The checkpoint of a branch, if one is open. */
function activeCheckpoint(branch: readonly SessionEntry[], until: number = branch.length): Checkpoint | undefined {
  for (let index = until - 1; index >= 0; index--) {
    const entry = branch[index];
    if (entry?.type === 'custom' && entry.customType === ENDED) return undefined;
    const details = resultOf(entry, 'checkpoint');
    if (details) return { index, goal: String(details['goal'] ?? ''), startedAt: String(details['startedAt'] ?? '') };
  }
  return undefined;
}

const lastLooks = new WeakMap<Session, { readonly leafId: string | null; readonly isActive: boolean }>();

/** Whether a checkpoint waits for its rewind. Only what came since the last look is read: a session may be long. */
export function hasActiveCheckpoint(session: Session): boolean {
  const lastLook = lastLooks.get(session);
  let isActive = false;
  for (const entry of session.walk()) {
    if (entry.id === lastLook?.leafId) isActive = lastLook.isActive;
    else if (resultOf(entry, 'checkpoint')) isActive = true;
    else if (entry.type !== 'compaction' && !(entry.type === 'custom' && entry.customType === ENDED)) continue;
    break;
  }
  lastLooks.set(session, { leafId: session.leafId, isActive });
  return isActive;
}

/** The `details` of a successful result of a tool. */
function resultOf(entry: SessionEntry | undefined, tool: string): Readonly<Record<string, unknown>> | undefined {
  if (entry?.type !== 'message' || entry.message.role !== 'toolResult') return undefined;
  const { toolName, isError, details } = entry.message;
  return toolName === tool && !isError ? ((details ?? {}) as Record<string, unknown>) : undefined;
}

/** Ends a checkpoint without going back to it. */
export async function dropCheckpoint(session: Session, reason: string): Promise<void> {
  if (hasActiveCheckpoint(session)) await session.append('custom', { customType: ENDED, data: { reason } });
}

/**
 * Goes back to the checkpoint if a rewind was asked for: the branch is left, the report stays, and what the user said
 * since comes along. True when it did.
 */
export async function carryOutRewind({ session }: Pick<AgentSession, 'session'>): Promise<boolean> {
  const branch = currentPart(session);
  const at = branch.findLastIndex((entry) => resultOf(entry, 'rewind') !== undefined);
  const checkpoint = at < 0 ? undefined : activeCheckpoint(branch, at);
  if (!checkpoint || branch.slice(at).some((entry) => entry.type === 'custom' && entry.customType === ENDED))
    return false;
  const report = String(resultOf(branch[at], 'rewind')?.['report'] ?? '');
  const target = branch[endOfBatch(branch, checkpoint.index)];
  if (!target) return false;
  const left = branch.slice(checkpoint.index + 1);
  const { goal, startedAt } = checkpoint;
  session.moveTo(target.id);
  for (const entry of settingsOf(left)) await copy(session, entry);
  const details = { startedAt, rewoundAt: new Date().toISOString() };
  const summary = prompts.rewindReport({ goal, report });
  await session.append('branch_summary', { fromId: target.id, summary, details, fromExtension: true });
  await session.append('custom', { customType: ENDED, data: { reason: 'rewound', ...details } });
  for (const entry of branch.slice(at + 1)) if (isSaid(entry)) await copy(session, entry);
  return true;
}

/** The results of the other calls of the same answer belong to the checkpoint: without them its calls would be unanswered. */
function endOfBatch(branch: readonly SessionEntry[], checkpoint: number): number {
  const answer = branch
    .slice(0, checkpoint)
    .findLast((entry) => entry.type === 'message' && entry.message.role === 'assistant');
  const blocks = answer?.type === 'message' && answer.message.role === 'assistant' ? answer.message.content : [];
  const calls = new Set(blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])));
  let last = checkpoint;
  for (let index = checkpoint + 1; index < branch.length; index++) {
    const entry = branch[index];
    if (entry?.type !== 'message') continue;
    if (entry.message.role !== 'toolResult' || !calls.has(entry.message.toolCallId)) break;
    last = index;
  }
  return last;
}

/** What was said after the rewind was asked for: messages of the user and of plugins. */
function isSaid(entry: SessionEntry): boolean {
  if (entry.type === 'custom_message') return true;
  return entry.type === 'message' && entry.message.role !== 'toolResult' && entry.message.role !== 'assistant';
}

/** The plan, the tools and the model that were chosen meanwhile stay chosen. */
function settingsOf(entries: readonly SessionEntry[]): SessionEntry[] {
  const newest = new Map<string, SessionEntry>();
  for (const entry of entries) {
    const kind = entry.type === 'custom' ? `custom:${entry.customType}` : entry.type;
    const isSetting = ['custom:todos', 'mcp_tool_selection', 'model_change', 'thinking_level_change'].includes(kind);
    if (isSetting) newest.set(kind, entry);
  }
  return [...newest.values()];
}

async function copy(session: Session, entry: SessionEntry): Promise<void> {
  const { id: _id, parentId: _parent, timestamp: _time, type, ...body } = entry;
  await session.append(type, body as never);
}
