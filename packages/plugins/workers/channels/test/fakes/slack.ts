/** A fake of Slack: its Web API and Socket Mode. */
import { WebSocketServer, type WebSocket } from 'ws';
import { later } from '@tenon/test-kit/temporary';
import { type Answer, type Asked, startServer } from './server.ts';

/** A message in the conversation. */
export interface SlackMessage {
  readonly ts: string;
  readonly thread?: string;
  text: string;
  parts: readonly { readonly type: string; readonly text: string }[];
  buttons: readonly { readonly label: string; readonly action: string }[];
}

interface Block {
  readonly type: string;
  readonly elements: readonly {
    readonly type: string;
    readonly action_id?: string;
    readonly text?: { readonly type: string; readonly text: string };
    readonly elements?: readonly { readonly type: string; readonly text: string }[];
  }[];
}

/** The tokens that the fake takes. */
export const SLACK_TOKEN = 'slack-bot-token-for-tests';
/** The token for the socket. */
export const SLACK_APP_TOKEN = 'slack-app-token-for-tests';

/** The fake. */
export class FakeSlack {
  origin = '';
  readonly messages: SlackMessage[] = [];
  readonly whispers: { readonly user: string; readonly text: string }[] = [];
  limited = 0;
  readonly conversation: string;
  connections = 0;
  #ticket = 0;
  #next = 1000;
  /** Envelopes that nobody has acknowledged. */
  readonly pending = new Map<string, unknown>();
  readonly #sockets = new Set<WebSocket>();
  #sent: Set<WebSocket> = new Set();

  constructor(conversation: string) {
    this.conversation = conversation;
  }

  async start(): Promise<this> {
    const { server, origin } = await startServer((asked) => this.#answer(asked));
    this.origin = origin;
    const sockets = new WebSocketServer({ server });
    later(() => sockets.close());
    sockets.on('connection', (socket, request) => {
      if (!request.url?.includes(`ticket=${this.#ticket}`)) return socket.close(4001);
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on(
        'message',
        (data) => void this.pending.delete((JSON.parse(String(data)) as { envelope_id: string }).envelope_id),
      );
      socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
      for (const envelope of this.pending.values()) socket.send(JSON.stringify(envelope));
    });
    return this;
  }

  get last(): SlackMessage | undefined {
    return this.messages.at(-1);
  }

  say(user: string, text: string, more: Readonly<Record<string, unknown>> = {}): string {
    const ts = this.#ts();
    this.#envelope('events_api', { event: { type: 'message', user, text, ts, channel: this.conversation, ...more } });
    return ts;
  }

  press(message: SlackMessage, label: string, user: string): void {
    const button = message.buttons.find((one) => one.label === label);
    if (!button) throw new Error(`there is no button "${label}"`);
    this.#envelope('interactive', {
      type: 'block_actions',
      user: { id: user },
      channel: { id: this.conversation },
      actions: [{ action_id: button.action }],
    });
  }

  /** Says that it wants to be connected anew. */
  disconnect(): void {
    for (const socket of this.#sockets)
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
  }

  #ts(): string {
    return `17000000${this.#next++}.000100`;
  }

  #envelope(type: string, payload: unknown): void {
    const id = `envelope-${this.#next++}`;
    const envelope = { envelope_id: id, type, payload, accepts_response_payload: false };
    this.pending.set(id, envelope);
    this.#sent = new Set(this.#sockets);
    for (const socket of this.#sent) socket.send(JSON.stringify(envelope));
  }

  #answer({ method, path, headers, json }: Asked): Answer {
    const token = path === '/api/apps.connections.open' ? SLACK_APP_TOKEN : SLACK_TOKEN;
    if (headers.authorization !== `Bearer ${token}`) return { status: 200, json: { ok: false, error: 'invalid_auth' } };
    if (method !== 'POST' || json === undefined || !/charset=utf-8/.test(headers['content-type'] ?? ''))
      return { status: 200, json: { ok: false, error: 'invalid_post_type' } };
    if (this.limited > 0) {
      this.limited -= 1;
      return { status: 429, json: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '0' } };
    }
    if (path === '/api/apps.connections.open') {
      this.#ticket += 1;
      return {
        status: 200,
        json: { ok: true, url: `${this.origin.replace('http', 'ws')}/link/?ticket=${this.#ticket}` },
      };
    }
    if (json['channel'] !== this.conversation) return { status: 200, json: { ok: false, error: 'channel_not_found' } };
    if (path === '/api/chat.postEphemeral') {
      this.whispers.push({ user: String(json['user']), text: String(json['text']) });
      return { status: 200, json: { ok: true } };
    }
    const problem = problemOf(json);
    if (problem !== undefined) return { status: 200, json: { ok: false, error: problem } };
    const content = contentOf(json);
    if (path === '/api/chat.update') {
      const message = this.messages.find(({ ts }) => ts === json['ts']);
      if (!message) return { status: 200, json: { ok: false, error: 'message_not_found' } };
      Object.assign(message, content);
      return { status: 200, json: { ok: true, ts: message.ts } };
    }
    const thread = json['thread_ts'] !== undefined && { thread: String(json['thread_ts']) };
    const message = { ts: this.#ts(), ...thread, ...content };
    this.messages.push(message);
    return { status: 200, json: { ok: true, ts: message.ts, channel: this.conversation } };
  }
}

function contentOf(json: Readonly<Record<string, unknown>>): Pick<SlackMessage, 'text' | 'parts' | 'buttons'> {
  const blocks = json['blocks'] as readonly Block[];
  const elements = blocks.filter(({ type }) => type === 'rich_text').flatMap((block) => block.elements);
  const actions = blocks.filter(({ type }) => type === 'actions').flatMap((block) => block.elements);
  return {
    text: String(json['text']),
    parts: elements.map(({ type, elements: inner = [] }) => ({ type, text: inner.map(({ text }) => text).join('') })),
    buttons: actions.map(({ action_id: action = '', text }) => ({ action, label: text?.text ?? '' })),
  };
}

function problemOf(json: Readonly<Record<string, unknown>>): string | undefined {
  const { text, parse, link_names: names } = json;
  if (parse !== 'none' || names !== false) return 'names_would_be_linked';
  if (typeof text !== 'string' || /<[!@#]/.test(text)) return 'somebody_could_be_pinged';
  const { parts, buttons } = contentOf(json);
  if (parts.length === 0 || parts.some(({ text: part }) => part === '')) return 'invalid_blocks';
  if (parts.map((part) => part.text).join('\n').length > 3000) return 'msg_blocks_too_long';
  return buttons.some(({ label }) => label === '' || label.length > 75) || buttons.length > 25
    ? 'invalid_blocks'
    : undefined;
}
