/** Definitions of adapters: checked, because packs and people write them, and filled in for one session. */
import type { DapAdapterData, LaunchForm } from '../api.ts';
import { errors } from '../errors.ts';

/** An adapter with its key. */
export interface KnownAdapter extends DapAdapterData {
  readonly key: string;
  /** Whether a stranger's pack brings it: then approval sees the adapter's own command, too. */
  readonly isForeign: boolean;
}

const TRANSPORTS: readonly unknown[] = ['stdio', 'dial', 'listen', 'node-inspector', undefined];

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const isOptionalList = (value: unknown) => value === undefined || isTextList(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a definition; throws `DEBUG_ADAPTER_INVALID`. */
export function readAdapter(key: string, data: Readonly<Record<string, unknown>>, isForeign: boolean): KnownAdapter {
  const reason = problemIn(data);
  if (reason !== undefined) throw errors.create('DEBUG_ADAPTER_INVALID', { adapter: key, reason });
  return { ...(data as unknown as DapAdapterData), key, isForeign };
}

function problemIn(data: Readonly<Record<string, unknown>>): string | undefined {
  const { commands, transport, launch, attach, probe, env } = data;
  if (!Array.isArray(commands) || !commands.every((command) => isTextList(command) && command.length > 0))
    return 'commands must be a list of command lines, each a list of words';
  if (!TRANSPORTS.includes(transport)) return 'transport must be stdio, dial, listen or node-inspector';
  const isSocket = transport === 'dial' || transport === 'listen';
  if (isSocket && !commands.every((command: string[]) => command.some((word) => word.includes('{port}'))))
    return `a command with transport ${String(transport)} must contain {port}`;
  if (!isOptionalList(probe)) return 'probe must be a list of words';
  if (env !== undefined && !(isRecord(env) && isTextList(Object.values(env)))) return 'env must hold texts';
  if (!Array.isArray(launch) || !launch.every(isLaunchForm))
    return 'launch must be a list of forms, each with runs (words), arguments (an object), and extensions, compiled or foldersWith';
  if (attach !== undefined && !(isRecord(attach) && Object.values(attach).every(isRecord)))
    return 'attach must be { pid?: {…}, port?: {…} }';
  return undefined;
}

function isLaunchForm(form: unknown): form is LaunchForm {
  return (
    isRecord(form) &&
    isTextList(form['runs']) &&
    isRecord(form['arguments']) &&
    [form['extensions'], form['compiled'], form['foldersWith']].every(isOptionalList)
  );
}

/** Values for placeholders; those that are undefined are not known. */
export type Fillings = Readonly<Record<string, unknown>>;

/**
 * Fills placeholders in. A text that is nothing but a placeholder becomes the value itself, whatever type it has; an entry whose
 * value is not known is left out. In a list, a placeholder for a list becomes its items.
 */
export function fill(template: unknown, fillings: Fillings): unknown {
  if (typeof template === 'string') return fillText(template, fillings);
  if (Array.isArray(template))
    return template.flatMap((item: unknown) => {
      const value = fill(item, fillings);
      if (value === undefined) return [];
      return typeof item === 'string' && Array.isArray(value) ? value : [value];
    });
  if (!isRecord(template)) return template;
  const entries = Object.entries(template).map(([key, value]) => [key, fill(value, fillings)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function fillText(text: string, fillings: Fillings): unknown {
  const whole = /^\{(\w+)\}$/.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(fillings, whole)) return fillings[whole];
  return text.replace(/\{(\w+)\}/g, (match, name: string) =>
    Object.hasOwn(fillings, name) ? String(fillings[name]) : match,
  );
}

/** The words of a command, filled in. */
export function fillWords(words: readonly string[], fillings: Fillings): string[] {
  return (fill(words, fillings) as unknown[]).map(String);
}
