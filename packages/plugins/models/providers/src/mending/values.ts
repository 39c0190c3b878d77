/** Reads values of JSON that may be absent, null or of a wrong type. */

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** The server sent what is not its protocol. */
export class UnreadableAnswer extends Error {
  override readonly name: string = 'UnreadableAnswer';
}

/** A part of an answer that carries what the model said cannot be understood. */
export class UnreadableField extends UnreadableAnswer {
  override readonly name = 'UnreadableField';
  constructor(field: string, value: unknown, wanted: string) {
    super(`the field \`${field}\` is ${kindOf(value)}, not ${wanted}`);
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  const kind = Array.isArray(value) ? 'list' : typeof value;
  return `${kind === 'object' ? 'an' : 'a'} ${kind}`;
}

/** True for a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one: for what nobody misses. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The object in which the model speaks; an empty one when it is absent. */
export function spokenFields(value: unknown, field: string): Fields {
  if (value === undefined || value === null) return {};
  if (isFields(value)) return value;
  throw new UnreadableField(field, value, 'an object');
}

/** The name of an event or of a kind: text, and nothing else. */
export function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The name of a tool, if it is there. */
export function toolName(value: unknown, field: string): string | undefined {
  return word(said(value, field));
}

/** An id: text that is not empty, or a number as text. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number, also one that was sent as text. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** What the model said: text; nothing when it is absent. Anything else cannot be understood. */
export function said(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new UnreadableField(field, value, 'text');
}

/** The arguments of a call: JSON as text, also when they were sent as the object itself. */
export function argumentText(value: unknown, field: string): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : said(value, field);
}

/** The objects of a list; one that was sent without its list counts. */
export function list(value: unknown, field: string): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (isFields(value)) return [value];
  if (!Array.isArray(value)) throw new UnreadableField(field, value, 'a list');
  return value.map((entry, at) => spokenFields(entry, `${field}[${at}]`));
}

/** Only the counts of an object, and of the objects in it. */
export function counts(value: unknown): Fields | undefined {
  if (!isFields(value)) return undefined;
  const kept: Fields = {};
  for (const [key, entry] of Object.entries(value)) {
    const known = isFields(entry) ? counts(entry) : count(entry);
    if (known !== undefined) kept[key] = known;
  }
  return kept;
}

/** The error that a server reports in its answer, whatever its shape. */
export function errorIn(event: Fields): Fields | undefined {
  const { error } = event;
  if (error === undefined || error === null || error === false) return undefined;
  if (!isFields(error)) return { message: String(error) };
  const message = word(error['message']) ?? JSON.stringify(error);
  return { ...error, message };
}
