/** A fake of Telegram's Bot API: what the real one refuses, it refuses. */
import { type Answer, type Asked, startServer } from './server.ts';

/** A message in the chat. */
export interface TelegramMessage {
  readonly id: number;
  readonly chat: number;
  text: string;
  entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
  buttons: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
  readonly replyTo?: number;
  readonly topic?: number;
}

/** The token that the fake takes. */
export const TELEGRAM_TOKEN = '12345:AAtelegram-token_for-tests';

/** The fake. */
export class FakeTelegram {
  origin = '';
  readonly messages: TelegramMessage[] = [];
  readonly notices: { readonly query: string; readonly text: string }[] = [];
  /** How many of the next messages are refused with 429. */
  limited = 0;
  retryAfter = 1;
  readonly chat: number;
  polls = 0;
  /** More chats that the bot is in. */
  readonly others: number[] = [];
  /** How often two asked for news at the same time. */
  conflicts = 0;
  #updates: { readonly update_id: number; readonly [key: string]: unknown }[] = [];
  #next = 100;
  #update = 500;
  #waiting: (() => void) | undefined;
  readonly #queries = new Set<string>();

  constructor(chat: number) {
    this.chat = chat;
  }

  async start(): Promise<this> {
    this.origin = (await startServer((asked) => this.#answer(asked))).origin;
    return this;
  }

  get last(): TelegramMessage | undefined {
    return this.messages.at(-1);
  }

  /** Updates that nobody has confirmed. */
  get unconfirmed(): number {
    return this.#updates.length;
  }

  say(user: number, text: string, more: Readonly<Record<string, unknown>> = {}): number {
    const message_id = this.#next++;
    this.#add({ message: { message_id, from: { id: user, is_bot: false }, chat: { id: this.chat }, text, ...more } });
    return message_id;
  }

  press(message: TelegramMessage, label: string, user: number): string {
    const button = message.buttons.flat().find(({ text }) => text === label);
    if (!button) throw new Error(`there is no button "${label}"`);
    const id = `query-${this.#next++}`;
    this.#queries.add(id);
    const about = { message_id: message.id, chat: { id: message.chat } };
    this.#add({
      callback_query: { id, from: { id: user, is_bot: false }, message: about, data: button.callback_data },
    });
    return id;
  }

  #add(update: Readonly<Record<string, unknown>>): void {
    this.#updates.push({ update_id: this.#update++, ...update });
    this.#waiting?.();
  }

  async #answer(asked: Asked): Promise<Answer> {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.path) ?? [];
    if (token !== TELEGRAM_TOKEN) return refusal(401, 'Unauthorized');
    if (asked.method !== 'POST' || asked.json === undefined) return refusal(400, 'Bad Request: no JSON');
    if (this.limited > 0 && method === 'sendMessage') {
      this.limited -= 1;
      return refusal(429, 'Too Many Requests', { retry_after: this.retryAfter });
    }
    if (method === 'getUpdates') return this.#poll(asked);
    if (method === 'sendMessage') return this.#send(asked.json);
    if (method === 'editMessageText') return this.#edit(asked.json);
    if (method === 'answerCallbackQuery') return this.#notice(asked.json);
    return refusal(404, 'Not Found');
  }

  async #poll({ json = {}, response }: Asked): Promise<Answer> {
    const { offset, timeout, allowed_updates: allowed } = json;
    if (typeof offset !== 'number' || typeof timeout !== 'number' || !Array.isArray(allowed))
      return refusal(400, 'Bad Request');
    if (this.#waiting) this.conflicts += 1;
    if (this.#waiting) return refusal(409, 'Conflict: terminated by other getUpdates request');
    this.polls += 1;
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    if (this.#updates.length === 0)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
        response.on('close', resolve);
      });
    this.#waiting = undefined;
    return { status: 200, json: { ok: true, result: this.#updates } };
  }

  #send(json: Readonly<Record<string, unknown>>): Answer {
    const problem = this.#problem(json);
    if (problem !== undefined) return refusal(400, `Bad Request: ${problem}`);
    const markup = json['reply_markup'] as { inline_keyboard?: TelegramMessage['buttons'] } | undefined;
    const reply = json['reply_parameters'] as { message_id?: number } | undefined;
    const buttons = markup?.inline_keyboard ?? [];
    if (buttons.flat().some(({ text, callback_data: data }) => text === '' || Buffer.byteLength(data) > 64))
      return refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
    const message: TelegramMessage = {
      id: this.#next++,
      chat: Number(json['chat_id']),
      text: String(json['text']),
      entities: json['entities'] as TelegramMessage['entities'],
      buttons,
      ...(reply?.message_id !== undefined && { replyTo: reply.message_id }),
      ...(json['message_thread_id'] !== undefined && { topic: Number(json['message_thread_id']) }),
    };
    this.messages.push(message);
    return { status: 200, json: { ok: true, result: { message_id: message.id } } };
  }

  #edit(json: Readonly<Record<string, unknown>>): Answer {
    const problem = this.#problem(json);
    const message = this.messages.find(({ id }) => id === json['message_id']);
    if (problem !== undefined || !message)
      return refusal(400, `Bad Request: ${problem ?? 'message to edit not found'}`);
    if (message.text === json['text'] && message.buttons.length === 0)
      return refusal(400, 'Bad Request: message is not modified');
    message.text = String(json['text']);
    message.entities = json['entities'] as TelegramMessage['entities'];
    message.buttons = [];
    return { status: 200, json: { ok: true, result: { message_id: message.id } } };
  }

  #problem(json: Readonly<Record<string, unknown>>): string | undefined {
    const { chat_id: chat, text, entities, parse_mode: mode } = json;
    if (![this.chat, ...this.others].includes(Number(chat))) return 'chat not found';
    if (typeof text !== 'string' || text.trim() === '') return 'message text is empty';
    if (text.length > 4096) return 'message is too long';
    if (mode !== undefined) return 'this fake wants entities, because they need no escapes';
    const places = entities as TelegramMessage['entities'];
    if (places.some(({ offset, length }) => length < 1 || offset < 0 || offset + length > text.length))
      return 'entity is out of the text';
    return undefined;
  }

  #notice({ callback_query_id: query, text }: Readonly<Record<string, unknown>>): Answer {
    if (!this.#queries.delete(String(query))) return refusal(400, 'Bad Request: query is too old or invalid');
    if (String(text).length > 200) return refusal(400, 'Bad Request: MESSAGE_TOO_LONG');
    this.notices.push({ query: String(query), text: String(text) });
    return { status: 200, json: { ok: true, result: true } };
  }
}

function refusal(code: number, description: string, parameters?: unknown): Answer {
  return {
    status: code,
    json: { ok: false, error_code: code, description, ...(parameters !== undefined && { parameters }) },
  };
}
