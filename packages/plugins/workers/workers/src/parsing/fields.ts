/** Reads values of events that a CLI wrote: whatever has another shape than expected counts as absent. */

/** An object of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** True for objects that are no arrays. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a text; undefined when it is none or empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as a number that can be counted with. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The objects of a list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The text of a content: a string, or the `text` of its blocks. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textOf(block['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** A line as the object that it holds; `text` when it is no JSON; nothing for empty lines and other JSON values. */
export type ReadLine =
  | { readonly kind: 'event'; readonly event: Fields }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nothing' };

/** Events are flat. Whoever writes a value down again goes down level by level, and runs out of stack in a very deep one. */
const MAX_DEPTH = 1000;
/** A line must have two characters per level at least: shorter ones need no look. */
const SHALLOW = 2 * MAX_DEPTH;

/** True when brackets of a JSON text are nested deeper than any event. */
function isDeep(text: string): boolean {
  if (text.length < SHALLOW) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) index += code === BACKSLASH ? 1 : 0;
    else if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Tells events from noise. A line that begins as JSON and is none (it was cut off) is not mistaken for a sentence. */
export function readLine(line: string): ReadLine {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (!text.startsWith('{') && !text.startsWith('[')) return { kind: 'text', text: line };
  if (isDeep(text)) return { kind: 'nothing' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // `[STARTUP] …` is a sentence; `{"type":"resu` was an event.
    return text.startsWith('[') && !/^\[\s*(?:["{[\]\d-]|true|false|null)/.test(text)
      ? { kind: 'text', text: line }
      : { kind: 'nothing' };
  }
  return isFields(value) ? { kind: 'event', event: value } : { kind: 'nothing' };
}

/** Seconds since 1970 as ISO 8601; undefined for what is no time. */
export function isoTime(seconds: unknown): string | undefined {
  const time = new Date((numberOf(seconds) ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
