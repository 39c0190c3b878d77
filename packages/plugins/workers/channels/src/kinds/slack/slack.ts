/** Slack: messages, buttons and threads of an app; events come by Socket Mode. */
import type { Channel, ChannelKind, Outgoing, Receive } from '../../channel.ts';
import { askWell, field, textField } from '../../http/call.ts';
import { ChannelFault, type FaultKind } from '../../http/fault.ts';
import { plainBlocks, slackRichText, slackText } from '../../message/written.ts';
import { buttonId, buttonOf, placeOf, safeAddress, serverOf, shortLabel } from '../checks.ts';

const SERVER = 'https://slack.com/api';
const LIMIT = 3000;
const MAX_BUTTONS = 25;
const MAX_LABEL = 75;
const MAX_FALLBACK = 300;
/** What a person has to correct. */
const ACCESS = new Set(
  'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope not_in_channel channel_not_found is_archived no_permission org_login_required access_denied not_allowed_token_type'.split(
    ' ',
  ),
);
const AGAIN = new Set(
  'ratelimited rate_limited internal_error fatal_error service_unavailable request_timeout team_added_to_org'.split(
    ' ',
  ),
);

/** Slack. */
export const slack: ChannelKind = {
  async open(parts) {
    const to = placeOf(parts, 'the id of a Slack conversation', /^[CDG][A-Z0-9]{5,}$/);
    const server = serverOf(parts, SERVER);
    const call = async (method: string, body: unknown, signal: AbortSignal, credential = 'slack'): Promise<unknown> => {
      const headers = {
        authorization: `Bearer ${await parts.credential(credential)}`,
        'content-type': 'application/json; charset=utf-8',
      };
      const { json } = await askWell('Slack', `${server}/${method}`, { method: 'POST', headers, body, signal });
      if (field(json, 'ok') === true) return json;
      const reason = textField(json, 'error') ?? 'it did not say why';
      throw new ChannelFault(`Slack answered: ${reason}`, kindOf(reason), { reason });
    };
    const channel: Channel = {
      limit: LIMIT,
      size: (blocks) => plainBlocks(blocks).length,
      maxChoices: MAX_BUTTONS,
      takesText: true,
      sharesListener: true,
      async send(message, signal) {
        const thread = message.thread !== undefined && { thread_ts: message.thread };
        const sent = await call('chat.postMessage', { channel: to, ...thread, ...written(message) }, signal);
        return textField(sent, 'ts') ?? '';
      },
      async edit(id, message, signal) {
        await call('chat.update', { channel: to, ts: id, ...written(message) }, signal);
      },
      async listen(receive, signal) {
        const opened = await call('apps.connections.open', {}, signal, 'slack-app');
        const url = safeAddress(parts, 'server', textField(opened, 'url') ?? '', 'ws');
        await serveSocket(url, signal, (type, payload) =>
          take(type, payload, receive, async (place, user, text) => {
            await call('chat.postEphemeral', { channel: place, user, text: slackText(text) }, signal);
          }),
        );
      },
    };
    return channel;
  },
};

function kindOf(reason: string): FaultKind {
  return ACCESS.has(reason) ? 'access' : AGAIN.has(reason) ? 'again' : 'never';
}

function written({ blocks, title, choices }: Outgoing): Record<string, unknown> {
  const fallback = (title ?? plainBlocks(blocks)).slice(0, MAX_FALLBACK);
  return {
    // What notifications show; the blocks are what is read.
    text: slackText(fallback),
    blocks: [slackRichText(blocks), ...(choices ? [buttons(choices.code, choices.labels)] : [])],
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

function buttons(code: string, labels: readonly string[]): Record<string, unknown> {
  return {
    type: 'actions',
    elements: labels.map((label, index) => ({
      type: 'button',
      text: { type: 'plain_text', text: shortLabel(label, MAX_LABEL), emoji: false },
      action_id: buttonId(code, index),
    })),
  };
}

/** One connection. An envelope is acknowledged when what it says is written down; otherwise Slack sends it again. */
async function serveSocket(
  url: string,
  outer: AbortSignal,
  handle: (type: string, payload: unknown) => Promise<void>,
): Promise<void> {
  const { openSocket } = await import('../../http/socket.ts');
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  let handled: Promise<void> = Promise.resolve();
  let failure: unknown;
  const opening = openSocket(
    'Slack',
    url,
    (frame) => {
      const type = textField(frame, 'type') ?? '';
      handled = handled
        .then(async () => {
          const socket = await opening;
          if (failure !== undefined) return;
          if (type === 'disconnect') return socket.close();
          const envelope = textField(frame, 'envelope_id');
          if (envelope === undefined) return;
          await handle(type, field(frame, 'payload'));
          socket.send({ envelope_id: envelope });
        })
        .catch((fault: unknown) => {
          failure ??= fault;
          ending.abort();
        });
    },
    signal,
  );
  const socket = await opening;
  await socket.ended;
  await handled;
  if (failure !== undefined) throw failure;
  if (!outer.aborted) throw new ChannelFault('Slack closed the connection', 'again', { retryAfterMs: 200 });
}

async function take(
  type: string,
  payload: unknown,
  receive: Receive,
  tell: (place: string, user: string, text: string) => Promise<void>,
): Promise<void> {
  if (type === 'interactive') {
    const actions = field(payload, 'actions');
    const button = Array.isArray(actions) ? buttonOf(field(actions[0], 'action_id')) : undefined;
    const [user, place] = [textField(payload, 'user', 'id'), textField(payload, 'channel', 'id')];
    if (button && user !== undefined && place !== undefined)
      await receive({ type: 'answer', ...button, place, user, tell: (text) => tell(place, user, text) });
    return;
  }
  const event = type === 'events_api' ? field(payload, 'event') : undefined;
  const [id, user, place] = [textField(event, 'ts'), textField(event, 'user'), textField(event, 'channel')];
  const isSaid =
    field(event, 'type') === 'message' && field(event, 'subtype') === undefined && field(event, 'bot_id') === undefined;
  if (!isSaid || id === undefined || user === undefined || place === undefined) return;
  const thread = textField(event, 'thread_ts');
  await receive({
    type: 'message',
    id,
    place,
    user,
    text: spoken(textField(event, 'text') ?? ''),
    ...(thread !== undefined && { thread, replyTo: thread }),
  });
}

/** What was typed: Slack marks addresses and escapes three characters. */
function spoken(text: string): string {
  return text
    .replace(/<(https?:[^|>]+|mailto:[^|>]+)(?:\|[^>]*)?>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
