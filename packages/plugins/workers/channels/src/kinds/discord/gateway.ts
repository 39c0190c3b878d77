/** Discord's gateway: one connection over which events come, resumed where it broke. */
import { setTimeout as sleep } from 'node:timers/promises';
import { field, textField } from '../../http/call.ts';
import { ChannelFault } from '../../http/fault.ts';
import type { JsonSocket } from '../../http/socket.ts';

const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, acknowledged: 11 };
/** Guilds, messages in them and in direct conversations, and what they say. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
/** A code of ours for a connection that is to be resumed. */
const RESUMABLE = 4000;
const REASONS: Readonly<Record<number, string>> = {
  4004: 'it refuses the token',
  4010: 'the shard is wrong',
  4011: 'the bot is in too many servers for one connection',
  4012: 'it no longer knows this version of its gateway',
  4013: 'it does not know these intents',
  4014: 'turn on the "Message Content Intent" of the bot in its developer portal',
};

/** What is needed to go on where a connection broke. */
export interface GatewaySession {
  readonly id: string;
  readonly url: string;
  readonly sequence: number;
}

/** What the gateway works with. */
export interface GatewayParts {
  token(): Promise<string>;
  /** Where to connect when there is no session to resume. */
  url(): Promise<string>;
  session(): GatewaySession | undefined;
  /** Called after an event that matters was handled, at the end, and with nothing when the session is over. */
  keep(session: GatewaySession | undefined): Promise<void>;
  /** A new session has begun: events may have been missed. */
  begun(): Promise<void>;
  /** Gives whether it matters: others are not worth a write. */
  event(type: string, data: unknown): Promise<boolean>;
}

/** Serves one connection. Resolves when it is over and the next one may be made; throws when that makes no sense. */
export async function serveGateway(parts: GatewayParts, signal: AbortSignal): Promise<void> {
  const { openSocket } = await import('../../http/socket.ts');
  const known = parts.session();
  const base = known?.url || (await parts.url());
  const token = await parts.token();
  let session: GatewaySession | undefined = known;
  let sequence = known?.sequence ?? null;
  /** The last event that was handled; the session is resumed behind it. */
  let done = known?.sequence ?? 0;
  let beat: NodeJS.Timeout | undefined;
  let isAcknowledged = true;
  let failure: unknown;
  let handled: Promise<void> = Promise.resolve();
  let socket: JsonSocket | undefined;
  const early: unknown[] = [];
  const heartbeat = () => {
    // A connection that does not answer is dead, though nobody has closed it.
    if (!isAcknowledged) return socket?.close(RESUMABLE);
    isAcknowledged = false;
    socket?.send({ op: OP.heartbeat, d: sequence });
  };
  /** One after the other, in the order of the gateway. */
  const inOrder = (work: () => Promise<void>) => {
    handled = handled.then(async () => {
      if (failure === undefined) await work();
    });
    handled.catch((fault: unknown) => {
      failure ??= fault;
      socket?.close(RESUMABLE);
    });
    handled = handled.catch(() => undefined); // Kept as `failure`.
  };
  const identify = () =>
    socket?.send({
      op: OP.identify,
      d: { token, intents: INTENTS, properties: { os: process.platform, browser: 'tenon', device: 'tenon' } },
    });
  const greet = (interval: number) => {
    beat = setTimeout(() => {
      heartbeat();
      beat = setInterval(heartbeat, interval);
    }, interval * Math.random());
    if (session) socket?.send({ op: OP.resume, d: { token, session_id: session.id, seq: sequence } });
    else identify();
  };
  const take = (frame: unknown) => {
    if (socket === undefined) return void early.push(frame);
    const op = field(frame, 'op');
    if (op === OP.hello) return greet(Math.max(100, Number(field(frame, 'd', 'heartbeat_interval')) || 41_250));
    if (op === OP.acknowledged) return void (isAcknowledged = true);
    if (op === OP.heartbeat) return socket.send({ op: OP.heartbeat, d: sequence });
    if (op === OP.reconnect) return socket.close(RESUMABLE);
    if (op === OP.invalid) {
      const canResume = field(frame, 'd') === true;
      if (!canResume) session = undefined;
      inOrder(async () => {
        if (!canResume) await parts.keep(undefined);
        socket?.close(RESUMABLE);
      });
      return;
    }
    if (op !== OP.dispatch) return;
    const place = Number(field(frame, 's'));
    sequence = place;
    const [type, data] = [textField(frame, 't') ?? '', field(frame, 'd')];
    if (type === 'READY') {
      const url = textField(data, 'resume_gateway_url') ?? base;
      session = { id: textField(data, 'session_id') ?? '', url, sequence: place };
      const made = session;
      inOrder(async () => {
        await parts.begun();
        done = place;
        await parts.keep(made);
      });
      return;
    }
    inOrder(async () => {
      const matters = await parts.event(type, data);
      done = place;
      if (session && matters) await parts.keep({ ...session, sequence: place });
    });
  };
  try {
    socket = await openSocket('Discord', `${base.replace(/\/+$/, '')}/?v=10&encoding=json`, take, signal);
  } catch (fault) {
    // The session may live on, but not at that address.
    if (known && !signal.aborted) await parts.keep({ ...known, url: '' });
    throw fault;
  }
  for (const frame of early) take(frame);
  const { code } = await socket.ended;
  clearTimeout(beat);
  await handled;
  const isOver = code === 4007 || code === 4009;
  if (session || isOver) await parts.keep(session && !isOver ? { ...session, sequence: done } : undefined);
  if (failure !== undefined) throw failure;
  if (signal.aborted) return;
  const reason = REASONS[code];
  if (reason !== undefined) throw new ChannelFault(`Discord closed the connection: ${reason}`, 'access');
  // As the protocol asks, and so that a server which closes at once is not stormed.
  await sleep(250 + Math.random() * 750, undefined, { signal }).catch(() => undefined); // Aborted: the caller looks.
}
