/** What a model gets to see of a session: the branch that ends at the leaf, after the latest compaction. */
import type { ThinkingLevel } from '@tenon/models/api';
import { type AgentMessage, prunedIn, prunedNotice, type SessionContext, type SessionEntry } from './entries.ts';

/** One step of a branch; its content is read only when it matters. */
export interface BranchStep {
  readonly id: string;
  readonly type: string;
  read(): SessionEntry | undefined;
}

/** Builds the context of a branch, root first. */
export function buildContext(branch: readonly BranchStep[]): SessionContext {
  const last = <T extends SessionEntry['type']>(type: T) => readLast(branch, type);
  const models = modelsOf(branch);
  const messages = messagesOf(branch);
  if (!models['default']) {
    const answer = messages.findLast((message) => message.role === 'assistant');
    if (answer?.role === 'assistant') models['default'] = `${answer.provider}/${answer.model}`;
  }
  const mode = last('mode_change');
  const rules = readAll(branch, 'ttsr_injection').flatMap(({ injectedRules }) => injectedRules);
  return {
    messages,
    thinkingLevel: last('thinking_level_change')?.thinkingLevel ?? ('off' satisfies ThinkingLevel),
    serviceTier: last('service_tier_change')?.serviceTier,
    models,
    injectedTtsrRules: [...new Set(rules)],
    selectedMcpTools: last('mcp_tool_selection')?.selectedToolNames ?? [],
    mode: mode?.mode ?? 'none',
    modeData: mode?.data,
  };
}

type EntryOf<T extends SessionEntry['type']> = Extract<SessionEntry, { type: T }>;

function readAll<T extends SessionEntry['type']>(branch: readonly BranchStep[], type: T): EntryOf<T>[] {
  return branch.filter((step) => step.type === type).flatMap((step) => (step.read() as EntryOf<T> | undefined) ?? []);
}

function readLast<T extends SessionEntry['type']>(branch: readonly BranchStep[], type: T): EntryOf<T> | undefined {
  for (let at = branch.length - 1; at >= 0; at--) {
    const step = branch[at];
    const entry = step?.type === type ? step.read() : undefined;
    if (entry) return entry as EntryOf<T>;
  }
  return undefined;
}

function modelsOf(branch: readonly BranchStep[]): Record<string, string> {
  return Object.fromEntries(readAll(branch, 'model_change').map(({ role = 'default', model }) => [role, model]));
}

function messagesOf(branch: readonly BranchStep[]): AgentMessage[] {
  const compactedAt = branch.findLastIndex(({ type }) => type === 'compaction');
  const compaction = compactedAt === -1 ? undefined : branch[compactedAt]?.read();
  if (compaction?.type !== 'compaction') return messagesIn(branch);
  const { summary, shortSummary, tokensBefore, firstKeptEntryId, timestamp } = compaction;
  const keptFrom = branch.findIndex(({ id }) => id === firstKeptEntryId);
  const kept = keptFrom === -1 ? [] : branch.slice(keptFrom, compactedAt);
  const head: AgentMessage = {
    role: 'compactionSummary',
    summary,
    ...(shortSummary !== undefined && { shortSummary }),
    tokensBefore,
    timestamp: Date.parse(timestamp),
  };
  return [head, ...messagesIn([...kept, ...branch.slice(compactedAt + 1)])];
}

function messagesIn(steps: readonly BranchStep[]): AgentMessage[] {
  // Outputs are taken out after they came: what takes one out of this part of the branch is in this part itself.
  const taken = readAll(steps, 'custom').flatMap(prunedIn);
  const pruned = new Map(taken.map(({ entryId, tokens }) => [entryId, tokens]));
  return steps.flatMap((step) => messageOf(step).map((message) => withoutOutput(message, pruned.get(step.id))));
}

function withoutOutput(message: AgentMessage, tokens: number | undefined): AgentMessage {
  if (tokens === undefined || message.role !== 'toolResult') return message;
  return { ...message, content: [{ type: 'text', text: prunedNotice(tokens) }] };
}

function messageOf(step: BranchStep): AgentMessage[] {
  if (step.type !== 'message' && step.type !== 'custom_message' && step.type !== 'branch_summary') return [];
  const entry = step.read();
  switch (entry?.type) {
    case 'message':
      return [entry.message];
    case 'custom_message': {
      const { customType, content, display, details, attribution, timestamp } = entry;
      const extra = { ...(details !== undefined && { details }), ...(attribution && { attribution }) };
      return [{ role: 'custom', customType, content, display, ...extra, timestamp: Date.parse(timestamp) }];
    }
    case 'branch_summary':
      return [
        { role: 'branchSummary', summary: entry.summary, fromId: entry.fromId, timestamp: Date.parse(entry.timestamp) },
      ];
    default:
      return [];
  }
}
