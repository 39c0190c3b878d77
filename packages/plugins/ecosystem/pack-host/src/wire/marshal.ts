/**
 * Turns values into JSON and back. Plain data stays as it is; everything else becomes an object with the key `$`, and a
 * plain object that has that key itself is wrapped, so that no data can pose as a reference. Functions, abort signals and
 * async iterables become references to the side that owns them.
 */
import { EXIT_CLASSES, TenonError } from '@tenon/kernel';
import { errors } from '../errors.ts';

/** What a frame may hold. */
export type Wire = null | boolean | number | string | Wire[] | { [key: string]: Wire };

/** Any function that crosses. On the other side it is always asynchronous. */
export type AnyFunction = (...args: unknown[]) => unknown;

/** Keeps what was sent by reference. */
export interface Exporter {
  exportFunction(fn: AnyFunction): number;
  exportSignal(signal: AbortSignal): number;
  /** Whether stack traces may be told to the other side. */
  readonly stacks: boolean;
}

/** Makes stand-ins for what the other side sent by reference. `path` says where in the value it stood. */
export interface Importer {
  importFunction(id: number, path: string): AnyFunction;
  importSignal(id: number, aborted: boolean, reason: unknown): AbortSignal;
}

const MAX_DEPTH = 100;
const MAX_STACK = 4_000;

/** Makes JSON of a value. Throws, naming the place, for what cannot cross. */
export function marshal(value: unknown, exporter: Exporter): Wire {
  return encode(value, { exporter, above: new Set(), path: [] });
}

interface Encoding {
  readonly exporter: Exporter;
  /** The objects around the current one, to find circles. */
  readonly above: Set<object>;
  readonly path: string[];
}

function encode(value: unknown, state: Encoding): Wire {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $: 'number', v: Object.is(value, -0) ? '-0' : String(value) };
    case 'undefined':
      return { $: 'undefined' };
    case 'bigint':
      return { $: 'bigint', v: String(value) };
    case 'function':
      return { $: 'function', v: state.exporter.exportFunction(value as AnyFunction) };
    case 'object':
      return value === null ? null : nested(value, state);
    default:
      throw notPlain(state, `a ${typeof value}`);
  }
}

function nested(value: object, state: Encoding): Wire {
  if (state.above.has(value)) throw notPlain(state, 'a reference to an object around it');
  if (state.above.size >= MAX_DEPTH) throw notPlain(state, `nested deeper than ${MAX_DEPTH} levels`);
  state.above.add(value);
  try {
    return encodeObject(value, state);
  } finally {
    state.above.delete(value);
  }
}

function encodeObject(value: object, state: Encoding): Wire {
  const member = (key: string, item: unknown): Wire => {
    state.path.push(key);
    const wire = encode(item, state);
    state.path.pop();
    return wire;
  };
  if (Array.isArray(value)) return Array.from(value, (item, index) => member(String(index), item));
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return { $: 'bytes', v: bytes.toString('base64') };
  }
  if (value instanceof Date) return { $: 'date', v: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof Map)
    return { $: 'map', v: [...value].map(([key, item], at) => [member(`${at}.key`, key), member(String(at), item)]) };
  if (value instanceof Set) return { $: 'set', v: [...value].map((item, at) => member(String(at), item)) };
  if (value instanceof AbortSignal) return encodeSignal(value, state);
  if (isErrorLike(value)) return encodeError(value, state);
  if (Symbol.asyncIterator in value) return encodeIterable(value as AsyncIterable<unknown>, state);
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof RegExp) {
    throw notPlain(state, `a ${value.constructor.name}`);
  }
  const fields: { [key: string]: Wire } = {};
  for (const [key, item] of members(value)) define(fields, key, member(key, item));
  return '$' in fields ? { $: 'object', v: fields } : fields;
}

/** Own members, and the methods that the object's classes give it: services are often instances. */
function members(value: object): [string, unknown][] {
  const ownFields = new Map<string, unknown>(Object.entries(value).filter(([, item]) => item !== undefined));
  for (
    let proto = Object.getPrototypeOf(value);
    proto !== null && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const [key, { value: item }] of Object.entries(Object.getOwnPropertyDescriptors(proto as object))) {
      if (key !== 'constructor' && typeof item === 'function' && !ownFields.has(key)) ownFields.set(key, item);
    }
  }
  return [...ownFields].map(([key, item]) => [
    key,
    typeof item === 'function' ? (item as AnyFunction).bind(value) : item,
  ]);
}

function encodeSignal(signal: AbortSignal, state: Encoding): Wire {
  if (!signal.aborted) return { $: 'signal', v: state.exporter.exportSignal(signal), aborted: false };
  return { $: 'signal', v: 0, aborted: true, reason: encode(signal.reason, state) };
}

function encodeIterable(iterable: AsyncIterable<unknown>, state: Encoding): Wire {
  let iterator: AsyncIterator<unknown> | undefined;
  const step = async (operation: unknown): Promise<unknown> => {
    iterator ??= iterable[Symbol.asyncIterator]();
    const { done = false, value } =
      operation === 'return'
        ? ((await iterator.return?.()) ?? { done: true, value: undefined })
        : await iterator.next();
    return { done, value };
  };
  return { $: 'iterable', v: state.exporter.exportFunction(step) };
}

/** DOMException is not an instance of Error in every realm, but it is what aborts throw. */
function isErrorLike(value: object): value is Error {
  return value instanceof Error || value instanceof DOMException;
}

function encodeError(error: Error, state: Encoding): Wire {
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const wire: { [key: string]: Wire } = { $: 'error', name: String(name), message: String(message) };
  if (code !== undefined) wire['code'] = code;
  if (error instanceof TenonError) {
    wire['owner'] = error.owner;
    wire['next'] = error.next;
    wire['exit'] = error.exit;
    wire['details'] = encode(JSON.parse(JSON.stringify(error.details)), state);
  }
  if (state.exporter.stacks && stack) wire['stack'] = stack.slice(0, MAX_STACK);
  // A cause explains; a cause that cannot cross must not hide the error itself.
  if (cause instanceof Error && state.above.size < MAX_DEPTH && !state.above.has(cause))
    wire['cause'] = nested(cause, state);
  return wire;
}

function notPlain(state: Encoding, what: string): Error {
  const path = state.path.length > 0 ? `"${state.path.join('.')}"` : 'it';
  return errors.create('PACK_HOST_NOT_PLAIN', { path, what });
}

/** Makes a value of JSON from the other side. Unknown tags are refused. */
export function unmarshal(wire: Wire, importer: Importer, path = ''): unknown {
  if (typeof wire !== 'object' || wire === null) return wire;
  if (Array.isArray(wire)) return wire.map((item, index) => unmarshal(item, importer, `${path}/${index}`));
  const tag = Object.hasOwn(wire, '$') ? wire['$'] : undefined;
  if (tag === undefined) return unmarshalFields(wire, importer, path);
  const { v } = wire;
  switch (tag) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(v);
    case 'bigint':
      return BigInt(String(v));
    case 'date':
      return new Date(v === null || v === undefined ? Number.NaN : String(v));
    case 'bytes':
      return new Uint8Array(Buffer.from(String(v), 'base64'));
    case 'map':
      return new Map(unmarshal(listOf(v), importer, path) as [unknown, unknown][]);
    case 'set':
      return new Set(unmarshal(listOf(v), importer, path) as unknown[]);
    case 'object':
      return unmarshalFields(v as { [key: string]: Wire }, importer, path);
    case 'function':
      return importer.importFunction(idOf(v), path);
    case 'iterable':
      return importIterable(importer.importFunction(idOf(v), path));
    case 'signal':
      return importer.importSignal(
        idOf(v),
        wire['aborted'] === true,
        unmarshal(wire['reason'] ?? null, importer, path),
      );
    case 'error':
      return unmarshalError(wire, importer, path);
    default:
      throw new TypeError(`unknown tag ${JSON.stringify(tag)} in a message`);
  }
}

function unmarshalFields(wire: { [key: string]: Wire }, importer: Importer, path: string): Record<string, unknown> {
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire))
    throw new TypeError('an object was expected in a message');
  const fields: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(wire)) define(fields, key, unmarshal(item, importer, `${path}/${key}`));
  return fields;
}

function unmarshalError(wire: { [key: string]: Wire }, importer: Importer, path: string): Error {
  const [name, message] = [String(wire['name']), String(wire['message'])];
  const cause = wire['cause'] === undefined ? undefined : unmarshal(wire['cause'], importer, `${path}/cause`);
  const { code, owner, next, details, exit } = wire;
  const error = makeError({ name, message, code, owner, next, details, exit }, cause);
  if (typeof wire['stack'] === 'string') error.stack = wire['stack'];
  return error;
}

function makeError(
  fields: { [key: string]: Wire | undefined } & { name: string; message: string },
  cause: unknown,
): Error {
  const { name, message, code, owner, details } = fields;
  if (typeof owner === 'string' && typeof code === 'string') {
    const facts = typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {};
    const next = typeof fields['next'] === 'string' ? fields['next'] : '';
    const exit = EXIT_CLASSES.find((name) => name === fields['exit']);
    return new TenonError({ code, owner, message, next, details: facts, cause, ...(exit && { exit }) });
  }
  if (name === 'AbortError' || name === 'TimeoutError') return new DOMException(message, name);
  const error = new Error(message, cause === undefined ? undefined : { cause });
  if (name !== 'Error') error.name = name;
  return typeof code === 'string' ? Object.assign(error, { code }) : error;
}

function importIterable(step: AnyFunction): AsyncIterable<unknown> {
  const advance = (operation: 'next' | 'return') => step(operation) as Promise<IteratorResult<unknown>>;
  return { [Symbol.asyncIterator]: () => ({ next: () => advance('next'), return: () => advance('return') }) };
}

/** Plain assignment of `__proto__` would change the prototype instead of adding a member. */
function define<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

function idOf(wire: Wire | undefined): number {
  if (typeof wire !== 'number' || !Number.isSafeInteger(wire))
    throw new TypeError('a reference in a message has no valid number');
  return wire;
}

function listOf(wire: Wire | undefined): Wire[] {
  if (!Array.isArray(wire)) throw new TypeError('a list was expected in a message');
  return wire;
}
