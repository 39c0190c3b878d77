/** Shows a session that has messages already: its end, because the rest can be read in the pager. */
import type { AgentMessage, Session, SessionEntry } from '@tenon/sessions/api';
import { counted } from '@tenon/wording';
import type { Transcript } from './transcript.ts';

/** So many messages are shown when a session is opened. */
const MOST_MESSAGES = 60;

/** The message that an entry stands for on the screen. */
export function messageOf(entry: SessionEntry): AgentMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case 'message':
      return entry.message;
    case 'custom_message':
      return { role: 'custom', ...bodyOf(entry), timestamp };
    case 'compaction':
      return { role: 'compactionSummary', ...bodyOf(entry), timestamp };
    case 'branch_summary':
      return { role: 'branchSummary', ...bodyOf(entry), timestamp };
    default:
      return undefined;
  }
}

function bodyOf<E extends SessionEntry>({ id: _id, parentId: _parent, timestamp: _time, type: _type, ...body }: E) {
  return body;
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(['message', 'custom_message', 'compaction', 'branch_summary']);

/** Some messages of a session's branch, and where those before them begin. */
export interface MessagePart {
  readonly messages: readonly AgentMessage[];
  /** The entry before the first of them; null when there is none. */
  readonly before: string | null;
}

/** The messages up to an entry, the newest by default; only that much of the session is read. */
export function lastMessages(session: Session, fromId?: string | null, most: number = MOST_MESSAGES): MessagePart {
  const messages: AgentMessage[] = [];
  let before: string | null = null;
  for (const entry of session.walk(fromId)) {
    // A result without its call would be a riddle: the cut is before a message of the user.
    if (messages.length >= most && messages.at(-1)?.role === 'user') {
      before = entry.id;
      break;
    }
    const message = messageOf(entry);
    if (message) messages.push(message);
  }
  return { messages: messages.reverse(), before };
}

/** Says how many messages there are beside these. */
export function hiddenText(session: Session, { messages }: MessagePart, expandKey: string): string | undefined {
  const hidden = session.path().filter(({ type }) => SHOWN_TYPES.has(type)).length - messages.length;
  return hidden > 0 ? `${counted(hidden, 'earlier message')}: ${expandKey} shows all of them.` : undefined;
}

/** Shows messages. */
export function replay(transcript: Transcript, messages: readonly AgentMessage[]): void {
  for (const message of messages) transcript.replay(message);
  transcript.endReplay();
}
