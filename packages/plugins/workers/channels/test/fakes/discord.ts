/** A fake of Discord: its HTTP API and its gateway, as strict as the real ones. */
import { WebSocketServer, type WebSocket } from 'ws';
import { later } from '@tenon/test-kit/temporary';
import { type Answer, type Asked, startServer } from './server.ts';

/** A message in a channel or a thread. */
export interface DiscordMessage {
  readonly id: string;
  readonly place: string;
  content: string;
  buttons: readonly { readonly label: string; readonly custom_id: string }[];
}

type Row = {
  readonly type: number;
  readonly components: readonly { readonly type: number; readonly label: string; readonly custom_id: string }[];
};

/** The token that the fake takes. */
export const DISCORD_TOKEN = 'discord.bot-token.for-tests';

/** The fake. */
export class FakeDiscord {
  origin = '';
  readonly messages: DiscordMessage[] = [];
  readonly threads = new Map<string, string>();
  readonly responses: { readonly id: string; readonly content: string }[] = [];
  /** What the gateway was told: `identify`, `resume 3`, `heartbeat`. */
  readonly heard: string[] = [];
  limited = 0;
  /** Threads that nobody may write to. */
  readonly locked = new Set<string>();
  retryAfter = 0.05;
  heartbeatMs = 10_000;
  /** Answers heartbeats. */
  isAlive = true;
  #next = 10_000_000n;
  #sequence = 0;
  #session = 0;
  readonly #events: { readonly s: number; readonly t: string; readonly d: unknown }[] = [];
  readonly #sockets = new Set<WebSocket>();
  readonly #nonces = new Map<string, DiscordMessage>();
  readonly #interactions = new Map<string, string>();
  readonly said: { readonly id: string; readonly channel_id: string; readonly [key: string]: unknown }[] = [];
  readonly channel: string;
  /** More channels that the bot is in. */
  readonly others: string[] = [];

  constructor(channel: string) {
    this.channel = channel;
  }

  async start(): Promise<this> {
    const { server, origin } = await startServer((asked) => this.#answer(asked));
    this.origin = origin;
    const sockets = new WebSocketServer({ server });
    later(() => sockets.close());
    sockets.on('connection', (socket, request) => {
      if (!request.url?.endsWith('?v=10&encoding=json')) return socket.close(4012);
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('message', (data) => this.#heard(socket, JSON.parse(String(data)) as { op: number; d: unknown }));
      socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: this.heartbeatMs } }));
    });
    return this;
  }

  get server(): string {
    return `${this.origin}/api/v10`;
  }

  get last(): DiscordMessage | undefined {
    return this.messages.at(-1);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  say(user: string, content: string, more: Readonly<Record<string, unknown>> = {}): string {
    const id = this.#id();
    const message = {
      id,
      channel_id: this.channel,
      type: 0,
      author: { id: user, username: 'somebody' },
      content,
      ...more,
    };
    this.said.push(message);
    this.#emit('MESSAGE_CREATE', message);
    return id;
  }

  press(message: DiscordMessage, label: string, user: string): string {
    const button = message.buttons.find((one) => one.label === label);
    if (!button) throw new Error(`there is no button "${label}"`);
    const [id, token] = [this.#id(), `token-${this.#next}`];
    this.#interactions.set(id, token);
    this.#emit('INTERACTION_CREATE', {
      id,
      token,
      type: 3,
      channel_id: message.place,
      member: { user: { id: user } },
      data: { custom_id: button.custom_id },
    });
    return id;
  }

  archive(thread: string): void {
    this.#emit('THREAD_UPDATE', { id: thread, parent_id: this.channel, thread_metadata: { archived: true } });
  }

  /** Cuts all connections, as a network does. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Asks to connect again. */
  askToReconnect(): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ op: 7, d: null }));
  }

  /** Forgets the session: it cannot be resumed. */
  forgetSession(): void {
    this.#session += 1;
  }

  #id(): string {
    this.#next += 1n;
    return String(this.#next);
  }

  #emit(t: string, d: unknown): void {
    this.#sequence += 1;
    const event = { s: this.#sequence, t, d };
    this.#events.push(event);
    for (const socket of this.#sockets) if (ready.has(socket)) socket.send(JSON.stringify({ op: 0, ...event }));
  }

  #heard(socket: WebSocket, { op, d }: { readonly op: number; readonly d: unknown }): void {
    const data = d as {
      token?: string;
      intents?: number;
      properties?: unknown;
      session_id?: string;
      seq?: number;
    } | null;
    if (op === 1) {
      this.heard.push('heartbeat');
      if (this.isAlive) socket.send(JSON.stringify({ op: 11 }));
      return;
    }
    if (data?.token !== DISCORD_TOKEN) return socket.close(4004, 'Authentication failed.');
    if (op === 2) {
      this.heard.push('identify');
      const wanted = (1 << 9) | (1 << 15);
      if (((data.intents ?? 0) & wanted) !== wanted || data.properties === undefined) return socket.close(4013);
      ready.add(socket);
      this.#sequence += 1;
      const session = { session_id: `session-${this.#session}`, resume_gateway_url: this.origin.replace('http', 'ws') };
      socket.send(
        JSON.stringify({ op: 0, s: this.#sequence, t: 'READY', d: { v: 10, ...session, user: { id: '1' } } }),
      );
      return;
    }
    if (op !== 6) return socket.close(4001);
    this.heard.push(`resume ${data.seq}`);
    if (data.session_id !== `session-${this.#session}`) return socket.send(JSON.stringify({ op: 9, d: false }));
    if ((data.seq ?? Number.NaN) > this.#sequence) return socket.close(4007);
    ready.add(socket);
    for (const event of this.#events) if (event.s > (data.seq ?? 0)) socket.send(JSON.stringify({ op: 0, ...event }));
    socket.send(JSON.stringify({ op: 0, s: this.#sequence, t: 'RESUMED', d: {} }));
  }

  #answer({ method, path, headers, json, query }: Asked): Answer {
    if (headers.authorization !== `Bot ${DISCORD_TOKEN}`) return refusal(401, 0, '401: Unauthorized');
    if (!/^DiscordBot \(\S+, \S+\)/.test(headers['user-agent'] ?? ''))
      return refusal(400, 0, 'the user agent is wrong');
    if (this.limited > 0) {
      this.limited -= 1;
      return {
        status: 429,
        json: { message: 'You are being rate limited.', retry_after: this.retryAfter, global: false },
      };
    }
    const [, rest = ''] = /^\/api\/v10(\/.*)$/.exec(path) ?? [];
    if (method === 'GET' && rest === '/gateway/bot')
      return { status: 200, json: { url: this.origin.replace('http', 'ws'), shards: 1 } };
    const [, place = '', message, more] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?(\/threads)?$/.exec(rest) ?? [];
    if (method === 'GET' && place !== '') return this.#after(place, query.get('after') ?? '');
    if (method === 'POST' && more !== undefined) return this.#openThread(message ?? '', json ?? {});
    if (place !== '' && ![this.channel, ...this.others].includes(place) && !this.threads.has(place))
      return refusal(404, 10_003, 'Unknown Channel');
    if (this.locked.has(place)) return refusal(403, 50_083, 'Thread is archived');
    if (method === 'POST' && place !== '') return this.#send(place, json ?? {});
    if (method === 'PATCH' && message !== undefined) return this.#edit(message, json ?? {});
    const [, id = '', token] = /^\/interactions\/(\d+)\/([^/]+)\/callback$/.exec(rest) ?? [];
    if (method === 'POST' && token !== undefined) return this.#respond(id, token, json ?? {});
    return refusal(404, 0, '404: Not Found');
  }

  #after(place: string, after: string): Answer {
    const found = this.said.filter((message) => message.channel_id === place && BigInt(message.id) > BigInt(after));
    return { status: 200, json: found.toReversed() };
  }

  #openThread(message: string, { name }: Readonly<Record<string, unknown>>): Answer {
    if (!this.said.some(({ id }) => id === message)) return refusal(404, 10_008, 'Unknown Message');
    if (this.threads.has(message)) return refusal(400, 160_004, 'A thread has already been created for this message');
    if (typeof name !== 'string' || name.length < 1 || name.length > 100)
      return refusal(400, 50_035, 'Invalid Form Body');
    this.threads.set(message, name);
    return { status: 201, json: { id: message, name } };
  }

  #send(place: string, json: Readonly<Record<string, unknown>>): Answer {
    const problem = problemOf(json);
    if (problem !== undefined) return refusal(400, 50_035, problem);
    const nonce = String(json['nonce']);
    if (nonce.length > 25 || json['enforce_nonce'] !== true) return refusal(400, 50_035, 'nonce');
    const known = this.#nonces.get(nonce);
    if (known) return { status: 200, json: { id: known.id } };
    const message: DiscordMessage = {
      id: this.#id(),
      place,
      content: String(json['content']),
      buttons: buttonsOf(json),
    };
    this.#nonces.set(nonce, message);
    this.messages.push(message);
    return { status: 200, json: { id: message.id, channel_id: place } };
  }

  #edit(id: string, json: Readonly<Record<string, unknown>>): Answer {
    const message = this.messages.find((one) => one.id === id);
    const problem = message ? problemOf(json) : 'Unknown Message';
    if (!message || problem !== undefined) return refusal(message ? 400 : 404, 10_008, problem ?? '');
    message.content = String(json['content']);
    message.buttons = buttonsOf(json);
    return { status: 200, json: { id } };
  }

  #respond(id: string, token: string, { type, data }: Readonly<Record<string, unknown>>): Answer {
    if (this.#interactions.get(id) !== token || type !== 4) return refusal(404, 10_062, 'Unknown interaction');
    this.#interactions.delete(id);
    const { content, flags } = data as { content: string; flags: number };
    if (flags !== 64) return refusal(400, 0, 'everybody would see it');
    this.responses.push({ id, content });
    return { status: 204, json: null };
  }
}

const ready = new WeakSet<WebSocket>();

function buttonsOf(json: Readonly<Record<string, unknown>>): DiscordMessage['buttons'] {
  return (json['components'] as readonly Row[]).flatMap(({ components }) => components);
}

function problemOf(json: Readonly<Record<string, unknown>>): string | undefined {
  const { content, allowed_mentions: mentions, components } = json;
  if (typeof content !== 'string' || content.trim() === '') return 'Cannot send an empty message';
  if (content.length > 2000) return 'Must be 2000 or fewer in length.';
  if (JSON.stringify(mentions) !== '{"parse":[]}') return 'somebody could be pinged';
  const rows = components as readonly Row[];
  const isFine = rows.every(
    (row) =>
      row.type === 1 &&
      row.components.length >= 1 &&
      row.components.length <= 5 &&
      row.components.every(
        ({ type, label, custom_id: id }) => type === 2 && label.length >= 1 && label.length <= 80 && id.length <= 100,
      ),
  );
  return rows.length <= 5 && isFine ? undefined : 'Invalid Form Body';
}

function refusal(status: number, code: number, message: string): Answer {
  return { status, json: { code, message } };
}
