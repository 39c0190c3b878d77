/** Discord: messages, buttons and threads of a bot. */
import type { Channel, ChannelKind, Receive } from '../../channel.ts';
import { field, textField } from '../../http/call.ts';
import { discordMarkdown } from '../../message/written.ts';
import { buttonOf, placeOf, safeAddress, serverOf } from '../checks.ts';
import { type GatewaySession, serveGateway } from './gateway.ts';
import { DiscordRest } from './rest.ts';

const SERVER = 'https://discord.com/api/v10';
const LIMIT = 2000;
const MAX_BUTTONS = 25;
/** An ordinary message, and a reply. */
const SAID: ReadonlySet<unknown> = new Set([0, 19]);
const MAX_PLACES = 100;

interface Kept {
  readonly session?: GatewaySession;
  /** The newest message that was taken, by place. */
  readonly places: Readonly<Record<string, string>>;
}

/** Discord. */
export const discord: ChannelKind = {
  async open(parts) {
    const to = placeOf(parts, 'the id of a Discord channel', /^\d{5,25}$/);
    const token = () => parts.credential('discord');
    const rest = new DiscordRest(serverOf(parts, SERVER), token);
    const read = (): Kept => keptOf(parts.bookmark.read());
    const reached = (place: string, id: string) =>
      parts.bookmark.write(JSON.stringify({ ...read(), places: withPlace(read().places, place, id) }));
    const channel: Channel = {
      limit: LIMIT,
      size: (blocks) => discordMarkdown(blocks).length,
      maxChoices: MAX_BUTTONS,
      takesText: true,
      async send(message, signal) {
        const id = await rest.send(message.thread ?? to, message, signal);
        // From here on, what is written is found, also where no session can be resumed.
        if (message.thread === undefined && read().places[to] === undefined) await reached(to, id);
        return id;
      },
      edit: (id, message, signal) => rest.edit(message.thread ?? to, id, message, signal),
      async openThread(message, title, signal) {
        const thread = await rest.openThread(to, message, title, signal);
        // What is written there is read from here on.
        await reached(thread, message);
        return thread;
      },
      async listen(receive, signal) {
        const message = async (data: unknown): Promise<boolean> => {
          const place = await take(data, receive, to);
          const id = textField(data, 'id');
          if (place === undefined || id === undefined) return false;
          await reached(place, id);
          return true;
        };
        /** What was written while nobody listened and the session could not be resumed. */
        const catchUp = async () => {
          for (const [place, id] of Object.entries(read().places))
            for (const missed of await rest.messagesAfter(place, id, signal)) await message(missed);
        };
        while (!signal.aborted)
          await serveGateway(
            {
              token,
              url: async () => safeAddress(parts, 'server', await rest.gateway(signal), 'ws'),
              session: () => read().session,
              keep: (session) =>
                parts.bookmark.write(JSON.stringify({ places: read().places, ...(session && { session }) })),
              begun: catchUp,
              async event(type, data) {
                if (type === 'MESSAGE_CREATE') return message(data);
                if (type === 'INTERACTION_CREATE') {
                  await pressed(data, receive, rest, signal);
                  return true;
                }
                const thread = textField(data, 'id');
                const isClosed = type === 'THREAD_DELETE' || field(data, 'thread_metadata', 'archived') === true;
                if (!(type === 'THREAD_UPDATE' || type === 'THREAD_DELETE') || !isClosed || thread === undefined)
                  return false;
                await receive({ type: 'archived', thread });
                return true;
              },
            },
            signal,
          );
      },
    };
    return channel;
  },
};

/** Hands a message of a person over; gives its place when it is one that is followed. */
async function take(data: unknown, receive: Receive, to: string): Promise<string | undefined> {
  const [id, place, user] = [textField(data, 'id'), textField(data, 'channel_id'), textField(data, 'author', 'id')];
  const isPerson = field(data, 'author', 'bot') !== true && field(data, 'webhook_id') === undefined;
  if (id === undefined || place === undefined || user === undefined) return undefined;
  if (!isPerson || !SAID.has(field(data, 'type'))) return place === to ? place : undefined;
  const replyTo = textField(data, 'message_reference', 'message_id');
  const text = textField(data, 'content') ?? '';
  const received = await receive({ type: 'message', id, place, user, text, ...(replyTo !== undefined && { replyTo }) });
  return place === to || received !== 'ignored' ? place : undefined;
}

async function pressed(data: unknown, receive: Receive, rest: DiscordRest, signal: AbortSignal): Promise<void> {
  const button = buttonOf(field(data, 'data', 'custom_id'));
  const user = textField(data, 'member', 'user', 'id') ?? textField(data, 'user', 'id');
  const [id, token, place] = [textField(data, 'id'), textField(data, 'token'), textField(data, 'channel_id')];
  if (!button || user === undefined || id === undefined || token === undefined || place === undefined) return;
  await receive({ type: 'answer', ...button, place, user, tell: (text) => rest.respond(id, token, text, signal) });
}

function keptOf(text: string | undefined): Kept {
  if (text === undefined) return { places: {} };
  try {
    return { places: {}, ...(JSON.parse(text) as Partial<Kept>) };
  } catch {
    return { places: {} }; // Written by another version: a new session begins.
  }
}

/** The newest places last; the oldest are forgotten. */
function withPlace(places: Readonly<Record<string, string>>, place: string, id: string): Record<string, string> {
  const { [place]: _, ...others } = places;
  return Object.fromEntries([...Object.entries(others), [place, id]].slice(-MAX_PLACES));
}
