/** What the commands tell about a session. */
import type { AgentSession } from '@tenon/agent/api';
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
    messageCount: session.context().messages.length,
    queuedMessageCount: state.queuedMessages,
    todoPhases,
    systemPrompt: state.systemPrompt,
    dumpTools: state.tools,
  };
}

/** The answer to `get_session_stats`: the whole branch, what a summary replaced included. */
export function statsOf({ session }: AgentSession): SessionStats {
  const messages = session.branch().flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const count = (role: AgentMessage['role']) => messages.filter((message) => message.role === role).length;
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  let [cost, toolCalls] = [0, 0];
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const { usage } = message;
    tokens.input += usage.input;
    tokens.output += usage.output;
    tokens.cacheRead += usage.cacheRead;
    tokens.cacheWrite += usage.cacheWrite;
    tokens.total += usage.totalTokens;
    cost += usage.cost.total;
    toolCalls += message.content.filter(({ type }) => type === 'toolCall').length;
  }
  return {
    ...(session.file !== undefined && { sessionFile: session.file }),
    sessionId: session.id,
    userMessages: count('user'),
    assistantMessages: count('assistant'),
    toolCalls,
    toolResults: count('toolResult'),
    totalMessages: messages.length,
    tokens,
    cost,
  };
}

/** The text of an entry that is a message of the user. */
export function userText(entry: SessionEntry | undefined): string | undefined {
  if (entry?.type !== 'message' || entry.message.role !== 'user') return undefined;
  const { content } = entry.message;
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The messages of the user that one can go back to. */
export function branchMessages(session: Session): { entryId: string; text: string }[] {
  return [...session.entries()].flatMap((entry) => {
    const text = userText(entry);
    return text === undefined ? [] : [{ entryId: entry.id, text }];
  });
}

/** The text of the last answer. */
export function lastAssistantText(session: Session): string | null {
  const message = session.context().messages.findLast(({ role }) => role === 'assistant');
  if (message?.role !== 'assistant') return null;
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
