/** What the settings of a channel must say. */
import type { ChannelParts } from '../channel.ts';
import { errors } from '../errors.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The place of a channel; each kind has its own word for it. */
export function placeOf({ name, settings }: ChannelParts, what: string, pattern = /^\S+$/): string {
  const { to = '' } = settings;
  if (!pattern.test(to)) throw errors.create('CHANNELS_SETTING', { name, problem: `"to" must be ${what}` });
  return to;
}

/** An address that a credential or a question may be sent to: encrypted, or on this machine. */
export function safeAddress(
  { name }: Pick<ChannelParts, 'name'>,
  key: string,
  text: string,
  scheme: 'http' | 'ws' = 'http',
): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === `${scheme}s:` || (url?.protocol === `${scheme}:` && LOOPBACK.test(url.hostname));
  if (!url || !isSafe || url.username !== '' || url.password !== '')
    throw errors.create('CHANNELS_SETTING', {
      name,
      problem: `"${key}" must be an address that begins with ${scheme}s://`,
    });
  return url.href.replace(/\/+$/, '');
}

/** Where the service is: the public one, or the one that the settings name. */
export function serverOf(parts: ChannelParts, usual: string): string {
  return safeAddress(parts, 'server', parts.settings.server ?? usual);
}

/** What a button carries, and what it means; undefined when it is none of ours. */
export function buttonId(code: string, index: number): string {
  return `tenon:${code}:${index}`;
}

/** The question and the choice that a button stands for. */
export function buttonOf(id: unknown): { readonly code: string; readonly choice: number } | undefined {
  const [, code, choice] = typeof id === 'string' ? (/^tenon:(q[a-z0-9]{5}):(\d{1,3})$/.exec(id) ?? []) : [];
  return code === undefined ? undefined : { code, choice: Number(choice) };
}

/** A label that fits on a button. */
export function shortLabel(label: string, most: number): string {
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
}
