import type { Folders } from '@tenon/host';
import { messageOf, TenonError, Type } from '@tenon/kernel';
import { explainFailures, fitLines, textResult, type Tool, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { counted, plainLine } from '@tenon/wording';
import type { IrcListDetails, IrcPeer, IrcSendDetails } from './api.ts';
import { MAX_MESSAGE_CHARS, messageText, type Receipt, type Sender } from './envelope.ts';
import { errors } from './errors.ts';
import type { LocalRoom } from './local-room.ts';
import { isRoom } from './processes/requests.ts';
import type { Processes } from './processes/processes.ts';
import { prompts } from './prompts/index.ts';
import type { Waits } from './waits.ts';

/** Messages of one call to many agents. */
const MAX_TARGETS = 64;
/** The shortest beginning of an id that stands for it. */
const MIN_PREFIX = 6;

/** What the tool needs. */
export interface IrcHost {
  readonly folders: Pick<Folders, 'cwd'>;
  readonly room: LocalRoom;
  readonly waits: Waits;
  /** The link to other processes; nothing when messages stay in this one. */
  processes(): Promise<Processes | undefined>;
}

interface Input {
  readonly op: 'list' | 'send' | 'join' | 'leave';
  readonly to?: string;
  readonly message?: string;
  readonly awaitReply?: boolean;
  readonly room?: string;
}

/** Who is meant, and who is not there. */
interface Targets {
  readonly peers: readonly IrcPeer[];
  readonly notFound: readonly string[];
}

/** Lets agents write to each other. */
export function createIrcTool(host: IrcHost): Tool {
  const text = (description: string, maxLength: number) => Type.Optional(Type.String({ description, maxLength }));
  return explainFailures({
    description: prompts.irc(),
    parameters: Type.Object(
      {
        op: Type.Unsafe<string>({ type: 'string', enum: ['list', 'send', 'join', 'leave'] }),
        to: text('An id, a name, #room or all', 200),
        message: text('What to say', MAX_MESSAGE_CHARS),
        awaitReply: Type.Optional(Type.Boolean()),
        room: text('#name', 41),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, call) {
      const asked = input as unknown as Input;
      if (asked.op === 'list') return list(host, call);
      if (asked.op === 'send') return send(host, asked, call);
      return changeRoom(host, asked, call);
    },
  });
}

async function everybody(host: IrcHost, { scope, signal }: ToolCall): Promise<readonly IrcPeer[]> {
  const here = await host.room.peers(scope?.session);
  const others = (await (await host.processes())?.peers(signal)) ?? [];
  return [...here, ...others.filter(({ id }) => id !== scope?.session)];
}

async function list(host: IrcHost, call: ToolCall): Promise<ToolResult> {
  const peers = await everybody(host, call);
  const rooms = [...new Set(peers.flatMap((peer) => peer.rooms))].sort();
  const channels = ['all', ...rooms, ...peers.map(({ id }) => id)];
  const details: IrcListDetails = { op: 'list', from: call.scope?.session ?? 'by-hand', peers, channels };
  if (peers.length === 0) return textResult('No other live agents.', { ...details });
  const rows = peers.map(({ id, name, status, cwd, rooms: own, pid }) => {
    const where = pid === undefined ? '' : `, process ${pid} in ${plainLine(cwd)}`;
    return `- ${id} (${name}): ${status}${where}${own.length === 0 ? '' : `; in ${own.join(', ')}`}`;
  });
  return textResult(fitLines([`${counted(peers.length, 'peer')}:`, ...rows]).lines.join('\n'), { ...details });
}

async function changeRoom(host: IrcHost, { op, room = '' }: Input, { scope }: ToolCall): Promise<ToolResult> {
  if (!scope) throw errors.create('IRC_NO_SESSION');
  const name = room.trim().toLowerCase();
  if (name === '') throw errors.create('IRC_MISSING', { field: 'room', op });
  if (!isRoom(name)) throw errors.create('IRC_ROOM', { room });
  const rooms = await host.room.setRoom(scope.session, name, op === 'join');
  return textResult(rooms.length === 0 ? 'You are in no room.' : `You are in ${rooms.join(', ')}.`, { op, rooms });
}

async function send(host: IrcHost, input: Input, call: ToolCall): Promise<ToolResult> {
  const to = input.to?.trim() ?? '';
  const text = messageText(input.message ?? '');
  if (to === '') throw errors.create('IRC_MISSING', { field: 'to', op: 'send' });
  if (text === '') throw errors.create('IRC_MISSING', { field: 'message', op: 'send' });
  const isMany = to === 'all' || to.startsWith('#');
  const awaitReply = input.awaitReply ?? !isMany;
  const { peers, notFound } = targets(await everybody(host, call), to);
  const id = call.scope?.session ?? 'by-hand';
  const from: Sender = { id, name: await host.room.nameOf(id) };
  const results = await Promise.all(
    peers.slice(0, MAX_TARGETS).map(async (peer) => {
      try {
        return { peer, receipt: await deliver(host, { from, text, awaitReply }, peer, call.signal) };
      } catch (fault) {
        call.signal.throwIfAborted();
        return { peer, error: fault instanceof TenonError ? `${fault.message} ${fault.next}` : messageOf(fault) };
      }
    }),
  );
  return report({ from: id, to, notFound }, results);
}

async function deliver(
  host: IrcHost,
  message: { readonly from: Sender; readonly text: string; readonly awaitReply: boolean },
  { id, pid }: IrcPeer,
  signal: AbortSignal,
): Promise<Receipt> {
  const envelope = { ...message, to: id };
  if (pid === undefined) return host.room.deliver(envelope, signal);
  const processes = await host.processes();
  if (!processes) throw errors.create('IRC_GONE');
  const wait = message.awaitReply ? host.waits.begin(message.from.id, id) : undefined;
  try {
    const receipt = await processes.send(pid, envelope, signal);
    return wait?.isCrossed ? { ...receipt, crossed: true } : receipt;
  } finally {
    wait?.end();
  }
}

/** An id, a name that only one has, the beginning of an id, a room, or everybody. */
function targets(peers: readonly IrcPeer[], to: string): Targets {
  if (to === 'all') return { peers, notFound: [] };
  if (to.startsWith('#')) {
    const members = peers.filter(({ rooms }) => rooms.includes(to.toLowerCase()));
    return { peers: members, notFound: members.length === 0 ? [to] : [] };
  }
  const exact = peers.filter(({ id }) => id === to);
  const named = peers.filter(({ name }) => name.toLowerCase() === to.toLowerCase());
  const begun = to.length < MIN_PREFIX ? [] : peers.filter(({ id }) => id.startsWith(to));
  const found = [exact, named, begun].find((candidates) => candidates.length === 1) ?? [];
  return { peers: found, notFound: found.length === 0 ? [to] : [] };
}

interface Outcome {
  readonly peer: IrcPeer;
  readonly receipt?: Receipt;
  readonly error?: string;
}

function report(
  about: { from: string; to: string; notFound: readonly string[] },
  outcomes: readonly Outcome[],
): ToolResult {
  const delivered = outcomes.filter(({ receipt }) => receipt !== undefined);
  const failed = outcomes.flatMap(({ peer, error }) => (error === undefined ? [] : [{ id: peer.id, error }]));
  const replies = delivered.flatMap(({ peer, receipt }) =>
    receipt?.reply === undefined ? [] : [{ id: peer.id, name: peer.name, text: receipt.reply }],
  );
  const crossed = delivered.filter(({ receipt }) => receipt?.crossed).map(({ peer }) => peer.id);
  const details: IrcSendDetails = {
    op: 'send',
    from: about.from,
    to: about.to,
    delivered: delivered.map(({ peer }) => peer.id),
    ...(replies.length > 0 && { replies }),
    ...(failed.length > 0 && { failed }),
    ...(about.notFound.length > 0 && { notFound: about.notFound }),
    ...(crossed.length > 0 && { crossed }),
  };
  const names = delivered.map(({ peer }) => `${peer.name} (${peer.id})`).join(', ');
  const sections = [
    delivered.length === 0 ? 'No recipients received the message.' : `Delivered to ${names}.`,
    ...(replies.length > 0
      ? [['## Replies', ...replies.map(({ id, name, text }) => `### ${name} (${id})\n${text}`)].join('\n')]
      : []),
    ...(failed.length > 0
      ? [['## Failed', ...failed.map(({ id, error }) => `- ${id}: ${plainLine(error)}`)].join('\n')]
      : []),
    ...(about.notFound.length > 0 ? [`Unknown / unavailable peers: ${about.notFound.map(plainLine).join(', ')}`] : []),
    ...(crossed.length > 0
      ? [
          `${crossed.join(', ')} waited for your answer at the same time, and got one from beside your work. Do not wait for each other again about the same thing.`,
        ]
      : []),
  ];
  const { lines, isCut } = fitLines(sections.join('\n\n').split('\n'));
  return textResult(`${lines.join('\n')}${isCut ? '\n[The rest was cut off.]' : ''}`, { ...details });
}
