/** A webhook: questions go to an address of the user's, signed; answers come back signed, to an endpoint on this machine. */
import type { Channel, ChannelKind, ChannelParts } from '../../channel.ts';
import { errors } from '../../errors.ts';
import { askWell } from '../../http/call.ts';
import { plainBlocks } from '../../message/written.ts';
import { safeAddress } from '../checks.ts';
import { type EndpointPlace, serveEndpoint } from './endpoint.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

const LIMIT = 100_000;
const MAX_CHOICES = 1000;
const MIN_SECRET = 16;

/** A webhook. */
export const webhook: ChannelKind = {
  async open(parts) {
    const to = safeAddress(parts, 'to', parts.settings.to ?? '');
    const place = endpointPlace(parts);
    const secret = async () => {
      const found = await parts.credential('webhook');
      if (found.length < MIN_SECRET)
        throw errors.create('CHANNELS_SETTING', {
          name: parts.name,
          problem: `its secret is shorter than ${MIN_SECRET} characters`,
        });
      return found;
    };
    const channel: Channel = {
      limit: LIMIT,
      size: (blocks) => plainBlocks(blocks).length,
      maxChoices: place ? MAX_CHOICES : 0,
      takesText: place !== undefined,
      async send({ key, what, question, title, blocks, choices }, signal) {
        const body = JSON.stringify({
          id: key,
          type: what,
          ...(question !== undefined && { question }),
          ...(title !== undefined && { title }),
          blocks,
          ...(choices && { choices: choices.labels }),
        });
        const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signatureOf(await secret(), body) };
        await askWell('the webhook', to, { method: 'POST', headers, body, signal });
        return key;
      },
      ...(place && { listen: (receive, signal) => serveEndpoint(place, secret, receive, signal) }),
    };
    return channel;
  },
};

/** Where answers are taken; only on this machine: what lies before it speaks TLS. */
function endpointPlace({ name, settings }: ChannelParts): EndpointPlace | undefined {
  if (settings.listen === undefined) return undefined;
  const [, host = '', port = ''] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(settings.listen) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw errors.create('CHANNELS_SETTING', { name, problem: '"listen" must be 127.0.0.1:PORT or [::1]:PORT' });
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) };
}
