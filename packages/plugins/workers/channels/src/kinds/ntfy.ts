/** ntfy: notifications with up to three buttons. ntfy does not tell who pressed one, so a button carries what only its message holds. */
import type { Channel, ChannelKind, ChannelParts, Outgoing, Receive } from '../channel.ts';
import { TenonError } from '@tenon/kernel';
import { askWell, field, textField } from '../http/call.ts';
import { ChannelFault, kindOfStatus, retryAfterOf } from '../http/fault.ts';
import { environmentFetch } from '../http/proxy.ts';
import { plainBlocks } from '../message/written.ts';
import { errors } from '../errors.ts';
import { placeOf, serverOf, shortLabel } from './checks.ts';

const SERVER = 'https://ntfy.sh';
/** Longer messages become attachments. */
const LIMIT = 4000;
const MAX_BUTTONS = 3;
const MAX_LABEL = 60;
const TOPIC = /^[\w-]{1,64}$/;
const MAX_LINE = 64 * 1024;
/** ntfy says every 45 s that it is there. */
const SILENT_MS = 150_000;
const QUIET = 1;
const LOUD = 4;

/** ntfy. */
export const ntfy: ChannelKind = {
  async open(parts) {
    const topic = placeOf(parts, 'a topic of ntfy', TOPIC);
    const { replies } = parts.settings;
    if (replies !== undefined && (!TOPIC.test(replies) || replies === topic))
      throw errors.create('CHANNELS_SETTING', { name: parts.name, problem: '"replies" must be another topic of ntfy' });
    // A topic that everybody can read would let everybody answer, agents too: it has to be one with access control.
    if (replies !== undefined) await parts.credential('ntfy');
    const server = serverOf(parts, SERVER);
    const channel: Channel = {
      limit: LIMIT,
      size: (blocks) => Buffer.byteLength(plainBlocks(blocks)),
      maxChoices: replies === undefined ? 0 : MAX_BUTTONS,
      takesText: false,
      async send(message, signal) {
        const body = {
          topic,
          title: message.title ?? 'Tenon',
          message: plainBlocks(message.blocks),
          priority: message.isQuiet === true ? QUIET : message.what === 'question' ? LOUD : 3,
          ...(replies !== undefined && { actions: actions(message, `${server}/${replies}`) }),
        };
        const { json } = await askWell(
          'ntfy',
          server,
          { method: 'POST', headers: await access(parts), body, signal },
          (answer) => ({
            text: textField(answer, 'error') ?? '',
          }),
        );
        return textField(json, 'id') ?? message.key;
      },
      ...(replies !== undefined && {
        listen: (receive: Receive, signal: AbortSignal) => follow(parts, `${server}/${replies}/json`, receive, signal),
      }),
    };
    return channel;
  },
};

/** The token of the user's account there, if one is needed. Buttons never carry it: all who read the topic would have it. */
async function access(parts: ChannelParts): Promise<Record<string, string>> {
  try {
    return { authorization: `Bearer ${await parts.credential('ntfy')}` };
  } catch (fault) {
    // Many topics are open to all who know their name.
    if (fault instanceof TenonError && fault.code === 'CHANNELS_NO_CREDENTIAL') return {};
    throw fault;
  }
}

function actions({ choices }: Outgoing, url: string): unknown[] {
  return (choices?.labels ?? []).map((label, index) => ({
    action: 'http',
    label: shortLabel(label, MAX_LABEL),
    url,
    method: 'POST',
    body: `${choices?.code ?? ''} ${choices?.secret ?? ''} ${index}`,
    clear: true,
  }));
}

/** Reads the topic of answers: one JSON object per line, for as long as the connection holds. */
async function follow(parts: ChannelParts, url: string, receive: Receive, outer: AbortSignal): Promise<void> {
  const since = parts.bookmark.read();
  const silence = new AbortController();
  const signal = AbortSignal.any([outer, silence.signal]);
  let watch = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const address = since === undefined ? url : `${url}?since=${encodeURIComponent(since)}`;
    const response = await environmentFetch(address, { headers: await access(parts), redirect: 'error', signal });
    if (response.status !== 200 || !response.body)
      throw new ChannelFault(`ntfy answered ${response.status}`, kindOfStatus(response.status), {
        retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
      });
    const decoder = new TextDecoder();
    let rest = '';
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(watch);
      watch = setTimeout(() => silence.abort(), SILENT_MS);
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) throw new ChannelFault('ntfy sent a line without an end', 'again');
      for (const line of lines) await take(line, receive, parts);
    }
  } catch (fault) {
    if (outer.aborted) return;
    throw fault instanceof ChannelFault
      ? fault
      : new ChannelFault('the connection to ntfy broke', 'again', { cause: fault });
  } finally {
    clearTimeout(watch);
  }
  if (!outer.aborted) throw new ChannelFault('ntfy closed the connection', 'again');
}

async function take(line: string, receive: Receive, parts: ChannelParts): Promise<void> {
  let json: unknown;
  try {
    json = JSON.parse(line) as unknown;
  } catch {
    return; // No message.
  }
  const id = textField(json, 'id');
  if (field(json, 'event') !== 'message' || id === undefined) return;
  const [, code, secret, choice] =
    /^(q[a-z0-9]{5}) ([0-9a-f]{32}) (\d{1,3})$/.exec(textField(json, 'message') ?? '') ?? [];
  if (code !== undefined && secret !== undefined)
    await receive({ type: 'answer', code, secret, choice: Number(choice) });
  await parts.bookmark.write(id);
}
