/** Entries that say what Tenon starts, asks or tells the model. They are made anew from the fields that packs may set. */
import { errors } from '../errors.ts';
import type { EntryOwner } from './entries.ts';

type Fields = Readonly<Record<string, unknown>>;

const MAX_TEXT = 100_000;
/** Two underscores part the server from the tool in the name of a tool: `mcp__server__tool`. */
const SERVER_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_)){0,63}$/;

const DIALECTS = ['claude', 'codex', 'gemini', 'cursor'];
const TYPES = ['command', 'prompt', 'http', 'notify'];
/** Somebody waits for it at every call of a tool. */
const MAX_HOOK_MS = 60_000;

/** A context file of a pack: text, under the name of the pack. */
export function contextFileOf(key: string, value: unknown, owner: EntryOwner): unknown {
  const { content } = fieldsOf(value, 'context-files', key, owner);
  if (typeof content !== 'string' || content.length > MAX_TEXT) throw invalid('context-files', key, owner, 'content');
  return { path: owner.file, content };
}

/** A hook of a pack. Variables are the pack's own business: nothing of Tenon's environment is put in. */
export function hookOf(key: string, value: unknown, owner: EntryOwner): unknown {
  const given = fieldsOf(value, 'external-hooks', key, owner);
  const { text, number, flag, list } = readers(given, 'external-hooks', key, owner);
  const wrong = (field: string) => invalid('external-hooks', key, owner, field);
  const headers = recordOf(given['headers'], () => wrong('headers'));
  const one = (field: string, allowed: readonly string[], standard: string) => {
    const value = text(field) ?? standard;
    if (!allowed.includes(value)) throw wrong(field);
    return value;
  };
  // Patterns of strangers could keep Tenon busy for ever: names, and a few stars, are enough.
  const matcher = text('matcher');
  if (matcher !== undefined && !/^[\w\-\s,|]{0,500}$|^\*$/.test(matcher)) throw wrong('matcher');
  const condition = text('condition');
  if (condition !== undefined && (condition.length > 200 || condition.split('*').length > 4)) throw wrong('condition');
  const timeoutMs = number('timeoutMs');
  return {
    path: owner.file,
    dialect: one('dialect', DIALECTS, 'claude'),
    event: text('event') ?? '',
    type: one('type', TYPES, 'command'),
    ...present('matcher', matcher),
    ...present('command', text('command')),
    ...present('argv', list('argv')),
    ...present('prompt', text('prompt')),
    ...present('url', text('url')),
    ...present('headers', headers),
    ...present(
      'allowedEnvVars',
      list('allowedEnvVars')?.filter((name) => owner.permissions.env?.includes(name)),
    ),
    ...present('timeoutMs', timeoutMs === undefined ? undefined : Math.min(timeoutMs, MAX_HOOK_MS)),
    ...present('condition', condition),
    ...present('isAsync', flag('isAsync')),
    ...present('failClosed', flag('failClosed')),
    ...present('loopLimit', number('loopLimit')),
  };
}

/** An MCP server of a pack: called like its entry, so that it cannot stand for another; without logins; with plain variables only. */
export function serverOf(key: string, value: unknown, owner: EntryOwner): unknown {
  const given = fieldsOf(value, 'mcp-servers', key, owner);
  if (!SERVER_NAME.test(key)) throw invalid('mcp-servers', key, owner, 'name');
  const { text, number, flag, list } = readers(given, 'mcp-servers', key, owner);
  const record = (name: string) => recordOf(given[name], () => invalid('mcp-servers', key, owner, name));
  return {
    name: key,
    path: owner.file,
    type: text('type') ?? 'stdio',
    variableRules: ['braces'],
    ...present('command', text('command')),
    ...present('args', list('args')),
    ...present('env', record('env')),
    ...present('url', text('url')),
    ...present('headers', record('headers')),
    ...present('enabled', flag('enabled')),
    ...present('timeoutMs', number('timeoutMs')),
    ...present('includeTools', list('includeTools')),
    ...present('excludeTools', list('excludeTools')),
  };
}

function present<T>(name: string, value: T | undefined): Readonly<Record<string, T>> {
  return value === undefined ? {} : { [name]: value };
}

function readers(given: Fields, slot: string, key: string, owner: EntryOwner) {
  const of =
    <T>(fits: (value: unknown) => value is T) =>
    (name: string): T | undefined => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value === undefined || value === null) return undefined;
      if (!fits(value)) throw invalid(slot, key, owner, name);
      return value;
    };
  return { text: of(isText), number: of(isNumber), flag: of(isFlag), list: of(isList) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

function recordOf(value: unknown, complain: () => Error): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw complain();
  const pairs = Object.entries(value);
  if (!pairs.every(([name, text]) => name !== '__proto__' && isText(text))) throw complain();
  return Object.fromEntries(pairs);
}

function fieldsOf(value: unknown, slot: string, key: string, owner: EntryOwner): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalid(slot, key, owner, 'value');
}

function invalid(slot: string, key: string, { plugin }: EntryOwner, field: string): Error {
  return errors.create('PACK_HOST_ENTRY_REFUSED', { plugin, slot, key, reason: `its "${field}" cannot be read` });
}
