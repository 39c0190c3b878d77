/** Parts of messages, made of what another program wrote: whatever it is, what comes out has the right shape. */
import { NO_USAGE, type Usage } from '@tenon/models/api';
import { cutText } from '@tenon/wording';
import type { Said } from './conversation.ts';

/** An object of JSON. */
export type Row = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 64;
const MAX_DATA_CHARS = 20_000;
const IMAGE_TYPE = /^image\/(?:png|jpe?g|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under a key, or an empty one. */
export function recordIn(row: Row, key: string): Row {
  const value = row[key];
  return isRecord(value) ? value : {};
}

/** The text under a key. */
export function textIn(row: Row, key: string): string | undefined {
  const value = row[key];
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list. */
export function recordsIn(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A time in milliseconds; 0 when it is none. */
export function timeOf(value: unknown): number {
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isFinite(time) ? time : 0;
}

/** A text, or nothing when it is empty. */
export function textPart(text: unknown): Said[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}

/** An image; a note in its place when it is none that providers take. */
export function imagePart(data: unknown, mimeType: unknown): Said {
  const type = mimeType === 'image/jpg' ? 'image/jpeg' : mimeType;
  return typeof data === 'string' && typeof type === 'string' && IMAGE_TYPE.test(type) && BASE64.test(data)
    ? { type: 'image', data, mimeType: type }
    : { type: 'text', text: '[An image was here; it could not be imported.]' };
}

/** An image as an address. Only one that holds the image itself is taken: nothing is fetched. */
export function imageFromUrl(url: unknown): Said {
  const [, mimeType, data] = /^data:([^;,]{1,40});base64,(.*)$/s.exec(typeof url === 'string' ? url : '') ?? [];
  return imagePart(data, mimeType);
}

/** Something of unknown shape, as text. */
export function dataText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isDeep(value) ? '[nested too deeply]' : cutText(JSON.stringify(value) ?? '', MAX_DATA_CHARS);
}

/** The arguments of a call. What is no object becomes one. */
export function argumentsOf(value: unknown): Row {
  if (typeof value === 'string') {
    try {
      const inner: unknown = JSON.parse(value);
      return isRecord(inner) && !isDeep(inner) ? inner : { input: value };
    } catch {
      return { input: value }; // Plain text, such as a patch.
    }
  }
  if (value === undefined || value === null) return {};
  return isRecord(value) && !isDeep(value) ? value : { input: dataText(value) };
}

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Tokens; what they cost is not known here. */
export function usageOf(counts: {
  readonly input: unknown;
  readonly output: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
}): Usage {
  const count = (value: unknown) => (typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0);
  const [input, output] = [count(counts.input), count(counts.output)];
  const [cacheRead, cacheWrite] = [count(counts.cacheRead), count(counts.cacheWrite)];
  return { ...NO_USAGE, input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite };
}

/** Whether a text stands in a conversation because the program put it there: it begins with a tag of its own. */
export function isProgramText(text: string): boolean {
  return /^\s*<[a-z][a-z_-]*(?:\s[^<>\n]*)?>/.test(text) && /<\/[a-z][a-z_-]*>\s*$/.test(text);
}
