/** Discord's HTTP API. */
import type { Block, Choices, Outgoing } from '../../channel.ts';
import { askWell, field, type HttpCall, textField } from '../../http/call.ts';
import { ChannelFault } from '../../http/fault.ts';
import { discordMarkdown } from '../../message/written.ts';
import { buttonId, shortLabel } from '../checks.ts';

const SERVICE = 'Discord';
const AGENT = 'DiscordBot (https://github.com/tenon, 0.1)';
/** No previews of addresses. */
const SUPPRESS_EMBEDS = 4;
const EPHEMERAL = 64;
const NO_MENTIONS = { parse: [] };
const MAX_LABEL = 80;
const PER_ROW = 5;
/** A thread has been made for this message already. */
const THREAD_EXISTS = '160004';

/** Discord's HTTP API, with a bot's token. */
export class DiscordRest {
  readonly #server: string;
  readonly #token: () => Promise<string>;

  constructor(server: string, token: () => Promise<string>) {
    this.#server = server;
    this.#token = token;
  }

  /** Sends a message and gives its id. Discord takes a nonce once. */
  async send(place: string, message: Outgoing, signal: AbortSignal): Promise<string> {
    const body = { ...content(message.blocks, message.choices), nonce: message.key.slice(0, 25), enforce_nonce: true };
    return textField(await this.#call('POST', `/channels/${part(place)}/messages`, body, signal), 'id') ?? '';
  }

  /** Replaces a message. */
  async edit(place: string, id: string, message: Outgoing, signal: AbortSignal): Promise<void> {
    await this.#call('PATCH', `/channels/${part(place)}/messages/${part(id)}`, content(message.blocks), signal);
  }

  /** Opens a thread below a message. It has the message's id. */
  async openThread(place: string, message: string, name: string, signal: AbortSignal): Promise<string> {
    try {
      const body = { name: name.slice(0, 100), auto_archive_duration: 1440 };
      const thread = await this.#call(
        'POST',
        `/channels/${part(place)}/messages/${part(message)}/threads`,
        body,
        signal,
      );
      return textField(thread, 'id') ?? message;
    } catch (fault) {
      if (fault instanceof ChannelFault && fault.reason === THREAD_EXISTS) return message;
      throw fault;
    }
  }

  /** Answers the press of a button, for that person alone. */
  async respond(id: string, token: string, text: string, signal: AbortSignal): Promise<void> {
    const data = { ...content([{ kind: 'text', text }]), flags: EPHEMERAL };
    await this.#call('POST', `/interactions/${part(id)}/${part(token)}/callback`, { type: 4, data }, signal);
  }

  /** Messages of a place after one, oldest first. */
  async messagesAfter(place: string, id: string, signal: AbortSignal): Promise<readonly unknown[]> {
    const found = await this.#call(
      'GET',
      `/channels/${part(place)}/messages?after=${part(id)}&limit=100`,
      undefined,
      signal,
    );
    return Array.isArray(found) ? found.toReversed() : [];
  }

  /** Where the gateway is. */
  async gateway(signal: AbortSignal): Promise<string> {
    return textField(await this.#call('GET', '/gateway/bot', undefined, signal), 'url') ?? '';
  }

  async #call(
    method: NonNullable<HttpCall['method']>,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    const headers = { authorization: `Bot ${await this.#token()}`, 'user-agent': AGENT };
    const call = { method, headers, signal, ...(body !== undefined && { body }) };
    const { json } = await askWell(SERVICE, `${this.#server}${path}`, call, (answer) => {
      const wait = field(answer, 'retry_after');
      const code = field(answer, 'code');
      return {
        text: textField(answer, 'message') ?? '',
        ...(typeof code === 'number' && { reason: String(code) }),
        ...(typeof wait === 'number' && { retryAfterMs: Math.ceil(wait * 1000) }),
      };
    });
    return json;
  }
}

const part = encodeURIComponent;

function content(blocks: readonly Block[], choices?: Choices): Record<string, unknown> {
  return {
    content: discordMarkdown(blocks),
    allowed_mentions: NO_MENTIONS,
    flags: SUPPRESS_EMBEDS,
    components: choices ? rows(choices) : [],
  };
}

function rows({ code, labels }: Choices): unknown[] {
  const buttons = labels.map((label, index) => ({
    type: 2,
    style: 2,
    label: shortLabel(label, MAX_LABEL),
    custom_id: buttonId(code, index),
  }));
  const count = Math.ceil(buttons.length / PER_ROW);
  return Array.from({ length: count }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}
