/** A conversation as the page shows it: a pure function of what was loaded and of the events since. */
import type { Entry, Question, SessionState, SessionView } from '../../shapes.ts';
import { safeMessage, safePart } from './safe-message.ts';

/** A message of any kind, as far as the page looks into it. */
export interface Message {
  readonly role: string;
  readonly content?: string | readonly Part[];
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly details?: unknown;
  readonly display?: boolean;
  readonly stopReason?: string;
  readonly errorMessage?: string;
  readonly usage?: { readonly cost?: { readonly total?: number }; readonly totalTokens?: number };
}

/** A part of a message. */
export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly data?: string;
  readonly mimeType?: string;
}

/** A tool that runs. */
export interface RunningTool {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly text: string;
}

/** All that is shown of a session. */
export interface Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly state: SessionState;
  readonly total: number;
  readonly entries: readonly { readonly index: number; readonly message: Message }[];
  /** The answer that is being written. */
  readonly open?: readonly Part[];
  readonly tools: readonly RunningTool[];
  readonly questions: readonly Question[];
  readonly notices: readonly string[];
  readonly hasEnded: boolean;
  /** Its agent is being started: its messages can be read, and nothing be said yet. */
  readonly isOpening?: boolean;
}

/** An event, as it comes over the wire. */
export interface ConversationEvent {
  readonly type: string;
  readonly data: unknown;
}

const MAX_NOTICES = 5;

/** What was loaded. */
export function loaded(view: SessionView): Conversation {
  const { id, cwd, state, total, entries, questions } = view;
  return { id, cwd, state, total, entries: entries.map(asMessage), tools: [], questions, notices: [], hasEnded: false };
}

/** What the file of a session holds, until its agent is there. */
export function stored(
  id: string,
  { entries, total }: { readonly entries: readonly Entry[]; readonly total: number },
): Conversation {
  const state = { model: '', thinking: '', isStreaming: false, isCompacting: false, queued: 0 };
  const none = { tools: [], questions: [], notices: [] };
  return { id, cwd: '', state, total, entries: entries.map(asMessage), ...none, hasEnded: false, isOpening: true };
}

/** With older messages before those that are there. */
export function withOlder(conversation: Conversation, older: readonly Entry[]): Conversation {
  const first = conversation.entries[0]?.index ?? conversation.total;
  const added = older.filter(({ index }) => index < first).map(asMessage);
  return { ...conversation, entries: [...added, ...conversation.entries] };
}

const asMessage = ({ index, message }: Entry) => ({ index, message: safeMessage(message) });

/** The conversation after an event. */
export function after(conversation: Conversation, { type, data }: ConversationEvent): Conversation {
  const frame = data as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'state':
      return { ...conversation, state: data as SessionState };
    case 'message_start':
      return safeMessage(frame['message']).role === 'assistant' ? { ...conversation, open: [] } : conversation;
    case 'message_update':
      return { ...conversation, open: grown(conversation.open ?? [], frame['assistantMessageEvent'] as Growth) };
    case 'message_end':
      return finished(conversation, frame['index'] as number, safeMessage(frame['message']));
    case 'tool_execution_start':
    case 'tool_execution_update':
      return { ...conversation, tools: working(conversation.tools, frame) };
    case 'tool_execution_end':
      return { ...conversation, tools: conversation.tools.filter(({ id }) => id !== frame['toolCallId']) };
    case 'agent_end': {
      const error = frame['error'];
      const { open: _open, ...rest } = conversation;
      return noted({ ...rest, tools: [] }, error === undefined ? undefined : String(error));
    }
    case 'question':
      return { ...conversation, questions: [...others(conversation, frame['id']), data as Question] };
    case 'question_settled':
      return { ...conversation, questions: others(conversation, frame['id']) };
    case 'notice':
      return noted(conversation, String(frame['text']));
    case 'command_failed':
      return noted(conversation, String(frame['error']));
    case 'interface':
      return noted(conversation, frame['method'] === 'notify' ? String(frame['message']) : undefined);
    case 'ended':
      return noted({ ...conversation, hasEnded: true }, `The agent has ended: ${String(frame['reason'])}`);
    default:
      return conversation;
  }
}

interface Growth {
  readonly type: string;
  readonly contentIndex?: number;
  readonly delta?: string;
  readonly content?: string;
  readonly toolCall?: unknown;
}

/** An answer that has grown by one event. */
function grown(parts: readonly Part[], { type, contentIndex, delta = '', content, toolCall }: Growth): readonly Part[] {
  if (contentIndex === undefined) return parts;
  const before = parts[contentIndex];
  const put = (part: Part) => Object.assign([...parts], { [contentIndex]: part }) as Part[];
  if (type === 'text_delta') return put({ type: 'text', text: (before?.text ?? '') + delta });
  if (type === 'text_end') return put({ type: 'text', text: content ?? before?.text ?? '' });
  if (type === 'thinking_delta') return put({ type: 'thinking', thinking: (before?.thinking ?? '') + delta });
  const call = type === 'toolcall_end' ? safePart(toolCall) : undefined;
  if (call) return put(call);
  if (type === 'toolcall_start') return put({ type: 'toolCall', id: '', name: '…', arguments: {} });
  return parts;
}

/** A message that is whole. One that was loaded already changes nothing. */
function finished(conversation: Conversation, index: number, message: Message): Conversation {
  const { open, ...rest } = conversation;
  const kept = message.role === 'assistant' || open === undefined ? rest : { ...rest, open };
  if (index < conversation.total) return kept;
  return { ...kept, total: index + 1, entries: [...conversation.entries, { index, message }] };
}

function working(tools: readonly RunningTool[], frame: Readonly<Record<string, unknown>>): readonly RunningTool[] {
  const id = String(frame['toolCallId']);
  const before = tools.find((tool) => tool.id === id);
  const partial = frame['partialResult'];
  const text = partial ? textOf(safeMessage(partial).content ?? '') : (before?.text ?? '');
  const tool = { id, name: String(frame['toolName'] ?? before?.name), args: frame['args'] ?? before?.args, text };
  return [...tools.filter((other) => other.id !== id), tool];
}

function noted(conversation: Conversation, text: string | undefined): Conversation {
  if (text === undefined || text === '') return conversation;
  return { ...conversation, notices: [...conversation.notices, text].slice(-MAX_NOTICES) };
}

function others({ questions }: Conversation, id: unknown): readonly Question[] {
  return questions.filter((question) => question.id !== id);
}

/** The text of a message's content. */
export function textOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');
}
