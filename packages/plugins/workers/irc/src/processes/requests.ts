/** What processes ask each other. Everything that comes in is checked: the other one may be another version. */
import type { IrcPeer } from '../api.ts';
import { type Envelope, MAX_MESSAGE_CHARS, MAX_REPLY_CHARS, messageText, nameText, type Receipt } from '../envelope.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A question to another process. */
export type Request = { readonly op: 'list' } | { readonly op: 'send'; readonly envelope: Envelope };

const MAX_PEERS = 200;
const MAX_TEXT = 4_096;

/** A request as it came; nothing when it is none. `pid` is the process that its record names. */
export function requestIn({ op, envelope }: Fields): Request | undefined {
  if (op === 'list') return { op };
  if (op !== 'send' || !isObject(envelope)) return undefined;
  const { from, to, text, awaitReply } = envelope;
  if (!isObject(from) || !isText(from['id']) || !isText(from['name']) || typeof from['pid'] !== 'number')
    return undefined;
  if (!isText(to) || typeof text !== 'string' || text.length > MAX_MESSAGE_CHARS || typeof awaitReply !== 'boolean')
    return undefined;
  const sender = { id: nameText(from['id']), name: nameText(from['name']), pid: from['pid'] };
  return { op, envelope: { from: sender, to, text: messageText(text), awaitReply } };
}

/** The agents of another process, as it names them. */
export function peersIn({ peers }: Fields, pid: number): readonly IrcPeer[] {
  if (!Array.isArray(peers)) return [];
  return (peers as readonly unknown[]).slice(0, MAX_PEERS).flatMap((peer): IrcPeer[] => {
    if (!isObject(peer) || !isText(peer['id']) || !/^[\w.-]+$/.test(peer['id'])) return [];
    const { id, name, status, cwd, rooms } = peer;
    const known = Array.isArray(rooms)
      ? (rooms as readonly unknown[]).filter((room): room is string => isText(room) && isRoom(room))
      : [];
    return [
      {
        id,
        name: nameText(String(name)),
        status: status === 'running' ? 'running' : 'idle',
        cwd: isText(cwd) ? cwd : '',
        rooms: known.slice(0, 20),
        pid,
      },
    ];
  });
}

/** What another process gave back for a message. */
export function receiptIn({ reply, crossed, failed }: Fields): Receipt {
  if (typeof failed === 'string') throw new Error(messageText(failed, 500));
  return {
    ...(typeof reply === 'string' && { reply: messageText(reply, MAX_REPLY_CHARS) }),
    ...(crossed === true && { crossed: true }),
  };
}

/** Whether a text is the name of a room. */
export function isRoom(text: string): boolean {
  return /^#[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u.test(text);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
}
