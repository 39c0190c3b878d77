/** What the commands tell about a session. */
import { type AgentSession, usageIn } from '@tenon/agent/api';
import type { AgentMessage, Session, SessionEntry } from '@tenon/sessions/api';
import type { SessionState, SessionStats, TodoPhase } from './shapes.ts';

/** The answer to `get_state`. */
export function stateOf({ session, state }: AgentSession, todoPhases: TodoPhase[]): SessionState {
  return {
    model: state.model,
    thinkingLevel: state.thinking,
    isStreaming: state.isStreaming,
    isCompacting: state.isCompacting,
    steeringMode: state.steeringMode,
    followUpMode: state.followUpMode,
    interruptMode: state.interruptMode,
    ...(session.file !== undefined && { sessionFile: session.file }),
    sessionId: session.id,
    ...(session.header.title !== undefined && { sessionName: session.header.title }),
    autoCompactionEnabled: state.autoCompaction,
    messageCount: state.messageCount,
    queuedMessageCount: state.queuedMessages,
    todoPhases,
    systemPrompt: state.systemPrompt,
    dumpTools: state.tools,
  };
}

/** How many entries are looked at before others get their turn. */
const AT_ONCE = 200;

/** Everything that was read of a pass over a long session may go again; other work goes on in between. */
async function* patiently<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    if (++count % AT_ONCE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The answer to `get_session_stats`: the whole branch, what a summary replaced included, entry by entry. */
export async function statsOf({ session }: AgentSession): Promise<SessionStats> {
  const roles = new Map<AgentMessage['role'], number>();
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  let [cost, toolCalls, totalMessages] = [0, 0, 0];
  for await (const entry of patiently(session.walk())) {
    if (entry.type !== 'message') continue;
    const { message } = entry;
    totalMessages++;
    roles.set(message.role, (roles.get(message.role) ?? 0) + 1);
    for (const usage of usageIn(message)) {
      tokens.input += usage.input;
      tokens.output += usage.output;
      tokens.cacheRead += usage.cacheRead;
      tokens.cacheWrite += usage.cacheWrite;
      tokens.total += usage.totalTokens;
      cost += usage.cost.total;
    }
    if (message.role !== 'assistant') continue;
    toolCalls += message.content.filter(({ type }) => type === 'toolCall').length;
  }
  return {
    ...(session.file !== undefined && { sessionFile: session.file }),
    sessionId: session.id,
    userMessages: roles.get('user') ?? 0,
    assistantMessages: roles.get('assistant') ?? 0,
    toolCalls,
    toolResults: roles.get('toolResult') ?? 0,
    totalMessages,
    tokens,
    cost,
  };
}

/** The summary that was made last. */
export function lastCompaction(session: Session): Extract<SessionEntry, { type: 'compaction' }> {
  for (const entry of session.walk()) if (entry.type === 'compaction') return entry;
  throw new Error('a compaction left no entry');
}

/** The text of an entry that is a message of the user. */
export function userText(entry: SessionEntry | undefined): string | undefined {
  if (entry?.type !== 'message' || entry.message.role !== 'user') return undefined;
  const { content } = entry.message;
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The messages of the user that one can go back to. */
export async function branchMessages(session: Session): Promise<{ entryId: string; text: string }[]> {
  const messages: { entryId: string; text: string }[] = [];
  for await (const entry of patiently(session.entries())) {
    const text = userText(entry);
    if (text !== undefined) messages.push({ entryId: entry.id, text });
  }
  return messages;
}

/** The text of the last answer. */
export function lastAssistantText(session: Session): string | null {
  const message = session.context().messages.findLast(({ role }) => role === 'assistant');
  if (message?.role !== 'assistant') return null;
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
