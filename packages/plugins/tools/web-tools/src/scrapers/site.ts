/** What scrapers share: asking a JSON interface and writing what it said. */
import { messageOf } from '@tenon/kernel';
import type { ScrapeCall } from '../api.ts';
import { errors } from '../errors.ts';

/** JSON of unknown shape, read field by field. */
export type Loose = Readonly<Record<string, unknown>>;

/** Asks for JSON. Undefined when there is nothing at the address; other refusals are errors. */
export async function getJson(
  call: ScrapeCall,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { status, text } = await call.get(url, { accept: 'application/json', ...headers });
  if (status === 404 || status === 410) return undefined;
  const { host } = new URL(url);
  if (status >= 400) {
    const hint =
      status === 403 || status === 429
        ? 'Its limit for programs is reached: wait, or set a token.'
        : 'Try again later.';
    throw errors.create('WEB_STATUS', { host, url, status, excerpt: ` It said: ${text.slice(0, 200)}`, hint });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (fault) {
    throw errors.create(
      'WEB_STATUS',
      { host, url, status, excerpt: ` It is no JSON: ${messageOf(fault)}.`, hint: 'Try again later.' },
      fault,
    );
  }
}

/** An object, empty when it is none. */
export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

/** A list of objects, empty when it is none. */
export function objects(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** A text, empty when it is none. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** The day of a time, as ISO writes it. */
export function day(value: unknown): string {
  const time = typeof value === 'number' ? value * 1000 : Date.parse(text(value));
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
}

/** `- name: value` for every fact that is known. */
export function facts(pairs: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(pairs)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

/** Parts with an empty line between them; empty parts are left out. */
export function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part.trim() !== '').join('\n\n');
}

/** The parts of a path, decoded. */
export function pathOf(url: string): readonly string[] {
  return new URL(url).pathname.split('/').filter(Boolean).map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A stray percent sign stands for itself.
  }
}

/** A base URL without a slash at its end. */
export function base(url: string): string {
  return url.replace(/\/+$/, '');
}
