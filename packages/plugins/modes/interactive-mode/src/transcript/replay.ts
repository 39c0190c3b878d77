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

/** Shows the end of the session's branch; only that much of it is read. */
export function replay(
  session: Session,
  transcript: Transcript,
  expandKey: string,
  most: number = MOST_MESSAGES,
): void {
  const messages: AgentMessage[] = [];
  for (const entry of session.walk()) {
    // A result without its call would be a riddle: the cut is before a message of the user.
    if (messages.length >= most && messages.at(-1)?.role === 'user') break;
    const message = messageOf(entry);
    if (message) messages.push(message);
  }
  const hidden = session.path().filter(({ type }) => SHOWN_TYPES.has(type)).length - messages.length;
  if (hidden > 0) transcript.notice(`${counted(hidden, 'earlier message')}: ${expandKey} shows all of them.`, 'info');
  for (const message of messages.reverse()) transcript.replay(message);
  transcript.endReplay();
}
