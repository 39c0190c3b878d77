/** Telegram: messages and buttons of a bot; what people write is polled for, and confirmed when it was written down. */
import type { Block, Channel, ChannelKind, Outgoing, Receive } from '../channel.ts';
import { ask, field, textField } from '../http/call.ts';
import { ChannelFault, kindOfStatus } from '../http/fault.ts';
import { telegramText } from '../message/written.ts';
import { buttonId, buttonOf, placeOf, serverOf, shortLabel } from './checks.ts';

const SERVER = 'https://api.telegram.org';
const LIMIT = 4096;
const MAX_BUTTONS = 50;
const MAX_LABEL = 60;
const MAX_NOTICE = 200;
/** How long Telegram holds a question for news open. */
const POLL_SECONDS = 50;
const TOPIC = 'topic:';

/** Telegram. */
export const telegram: ChannelKind = {
  async open(parts) {
    const to = placeOf(parts, 'the id of a Telegram chat', /^-?\d{1,20}$/);
    const server = serverOf(parts, SERVER);
    const call = async (method: string, body: unknown, signal: AbortSignal, timeoutMs?: number): Promise<unknown> => {
      const token = await parts.credential('telegram');
      // It becomes a part of the address.
      if (!/^[\w:-]+$/.test(token))
        throw new ChannelFault('the token of Telegram has characters that none has', 'access');
      const url = `${server}/bot${token}/${method}`;
      return resultOf(
        await ask('Telegram', url, { method: 'POST', body, signal, ...(timeoutMs !== undefined && { timeoutMs }) }),
      );
    };
    const channel: Channel = {
      limit: LIMIT,
      size: (blocks) => telegramText(blocks).text.length,
      maxChoices: MAX_BUTTONS,
      takesText: true,
      sharesListener: true,
      async send(message, signal) {
        const body = { chat_id: to, ...written(message.blocks), ...placed(message), ...keyboard(message) };
        return String(field(await call('sendMessage', body, signal), 'message_id'));
      },
      async edit(id, message, signal) {
        const body = { chat_id: to, message_id: Number(id), ...written(message.blocks) };
        await call('editMessageText', body, signal).catch((fault: unknown) => {
          // The same text again: an earlier attempt has arrived.
          if (!(fault instanceof ChannelFault) || !/not modified/i.test(fault.message)) throw fault;
        });
      },
      async listen(receive, signal) {
        while (!signal.aborted) {
          const offset = Number(parts.bookmark.read() ?? 0);
          const asked = { offset, timeout: POLL_SECONDS, allowed_updates: ['message', 'callback_query'] };
          const updates = await call('getUpdates', asked, signal, (POLL_SECONDS + 20) * 1000);
          const tell = async (id: string, text: string) => {
            const notice = { callback_query_id: id, text: text.slice(0, MAX_NOTICE), show_alert: false };
            await call('answerCallbackQuery', notice, signal);
          };
          let next = offset;
          for (const update of Array.isArray(updates) ? updates : []) {
            await take(update, receive, tell);
            next = Math.max(next, Number(field(update, 'update_id')) + 1);
          }
          // The next question confirms them. After a crash in between they come again, and are known by their ids.
          if (next !== offset) await parts.bookmark.write(String(next));
        }
      },
    };
    return channel;
  },
};

function resultOf({ status, json }: { readonly status: number; readonly json: unknown }): unknown {
  if (field(json, 'ok') === true) return field(json, 'result');
  const code = Number(field(json, 'error_code') ?? status);
  const wait = field(json, 'parameters', 'retry_after');
  // Another process polls with the same token; it may end.
  const kind = code === 409 ? 'again' : json === undefined ? 'again' : kindOfStatus(code);
  throw new ChannelFault(`Telegram answered ${code}: ${textField(json, 'description') ?? ''}`, kind, {
    retryAfterMs: typeof wait === 'number' ? wait * 1000 : undefined,
  });
}

function written(blocks: readonly Block[]): Record<string, unknown> {
  const { text, entities } = telegramText(blocks);
  return { text, entities, link_preview_options: { is_disabled: true } };
}

/** A topic of a forum, or a reply to the message that the thread began with. */
function placed({ thread, isQuiet }: Outgoing): Record<string, unknown> {
  const quiet = isQuiet === true && { disable_notification: true };
  if (thread === undefined) return { ...quiet };
  if (thread.startsWith(TOPIC)) return { ...quiet, message_thread_id: Number(thread.slice(TOPIC.length)) };
  return { ...quiet, reply_parameters: { message_id: Number(thread), allow_sending_without_reply: true } };
}

function keyboard({ choices }: Outgoing): Record<string, unknown> {
  if (!choices) return {};
  const rows = choices.labels.map((label, index) => [
    { text: shortLabel(label, MAX_LABEL), callback_data: buttonId(choices.code, index) },
  ]);
  return { reply_markup: { inline_keyboard: rows } };
}

async function take(
  update: unknown,
  receive: Receive,
  tell: (id: string, text: string) => Promise<void>,
): Promise<void> {
  const query = field(update, 'callback_query');
  const button = buttonOf(field(query, 'data'));
  const queryId = textField(query, 'id');
  if (button && queryId !== undefined) {
    const place = String(field(query, 'message', 'chat', 'id'));
    const user = String(field(query, 'from', 'id'));
    await receive({ type: 'answer', ...button, place, user, tell: (text) => tell(queryId, text) });
    return;
  }
  const message = field(update, 'message');
  const text = textField(message, 'text');
  if (text === undefined || field(message, 'from', 'is_bot') === true) return;
  const replyTo = field(message, 'reply_to_message', 'message_id');
  const topic = field(message, 'is_topic_message') === true ? field(message, 'message_thread_id') : undefined;
  await receive({
    type: 'message',
    id: String(field(message, 'message_id')),
    place: String(field(message, 'chat', 'id')),
    user: String(field(message, 'from', 'id')),
    text,
    ...(replyTo !== undefined && { replyTo: String(replyTo) }),
    ...(topic !== undefined && { thread: `${TOPIC}${String(topic)}` }),
  });
}
