/** Reads what `tenon run` was given. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { type JsonSchema, messageOf } from '@tenon/kernel';
import { isSecretVariable } from '@tenon/sandbox/api';
import { errors } from '../errors.ts';
import type { RunMode, RunRequest } from '../run.ts';

const SIZES: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The request that a command line describes. */
export async function requestOf({ args, flags, cwd }: CommandCall): Promise<RunRequest> {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const list = (name: string) => (Array.isArray(flags[name]) ? flags[name] : []);
  const worktree = text('worktree') ?? 'auto';
  const options = optionsOf(list('option'));
  const [inputs, context, schema] = [list('input'), list('context'), text('schema')];
  const value = <K extends string, V>(name: K, given: V | undefined) => (given === undefined ? {} : { [name]: given });
  return {
    task: taskOf(args['task']),
    cwd,
    worktree: worktree === 'auto' ? 'auto' : worktree === 'true',
    validate: flags['no-validate'] !== true,
    ...value('worker', text('worker')),
    ...value('mode', text('mode') as RunMode | undefined),
    ...value('model', text('model')),
    ...value('systemPrompt', text('system-prompt')),
    ...value('account', text('account')),
    ...value('sandbox', text('sandbox') === 'off' ? ('off' as const) : undefined),
    ...value('timeoutMs', durationOf('timeout', text('timeout'))),
    ...value('idleTimeoutMs', durationOf('idle-timeout', text('idle-timeout'))),
    ...value('options', Object.keys(options).length > 0 ? options : undefined),
    ...value('inputs', inputs.length > 0 ? await inputsOf(inputs, cwd) : undefined),
    ...value('context', context.length > 0 ? context.map((path) => resolve(cwd, path)) : undefined),
    ...value('schema', schema === undefined ? undefined : await schemaOf(schema, cwd)),
    ...value('maxOutputBytes', sizeOf('max-output', text('max-output'))),
    ...value('env', list('env').length > 0 ? variablesOf(list('env')) : undefined),
    ...value('extraArgs', list('arg').length > 0 ? list('arg') : undefined),
    ...value('yolo', flags['no-yolo'] === true ? false : undefined),
    ...value(
      'offerTools',
      text('tool-surface') === 'raw' ? ('raw' as const) : flags['offer-tools'] === true ? true : undefined,
    ),
    ...value('interactive', flags['keep-open'] === true ? true : undefined),
    ...value('queue', flags['fleet'] === true ? 'fleet' : undefined),
    ...value('labels', list('label').length > 0 ? list('label') : undefined),
    ...value('priority', priorityOf(text('priority'))),
  };
}

function taskOf(words: string | string[] | undefined): string {
  const task = Array.isArray(words) ? words.join(' ') : (words ?? '');
  if (task.trim() === '') throw errors.create('RUNS_FLAG', { flag: 'task', value: '', reason: 'there is no task' });
  return task;
}

function priorityOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const priority = Number(value);
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000)
    throw errors.create('RUNS_FLAG', {
      flag: 'priority',
      value: ` ${value}`,
      reason: 'it is not a whole number from -1000 to 1000',
    });
  return priority;
}

/** `90s`, `30m`, `2h`; a plain number means seconds. */
export function durationOf(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, digits = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value.trim()) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (digits === '' || ms <= 0)
    throw errors.create('RUNS_FLAG', { flag, value: ` ${value}`, reason: 'it is not a time; write 90s, 30m or 2h' });
  return ms;
}

/** `500kb`, `20mb`; a plain number means bytes. */
function sizeOf(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, digits = '', unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(value.trim()) ?? [];
  const bytes = Math.floor(Number(digits) * (SIZES[unit.toLowerCase()] ?? 0));
  if (digits === '' || bytes <= 0)
    throw errors.create('RUNS_FLAG', { flag, value: ` ${value}`, reason: 'it is not a size; write 500kb or 20mb' });
  return bytes;
}

/** `NAME=VALUE`. They are written down with the run, so a secret is none of them. */
function variablesOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = '', value = ''] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word) ?? [];
      const refuse = (reason: string) => errors.create('RUNS_FLAG', { flag: 'env', value: ` ${name || word}`, reason });
      if (name === '') throw refuse('write NAME=VALUE');
      if (isSecretVariable(name, value))
        throw refuse('it would be written down with the run; set it in your own environment, or add an account');
      return [name, value];
    }),
  );
}

/** Texts by key, or lists of them where a key comes again; the worker's own schema says what they stand for. */
function optionsOf(words: readonly string[]): Record<string, string | readonly string[]> {
  const options = new Map<string, string[]>();
  for (const word of words) {
    const [, key = '', text = ''] = /^([\w-]+)=([^]*)$/.exec(word) ?? [];
    if (key === '') throw errors.create('RUNS_FLAG', { flag: 'option', value: ` ${word}`, reason: 'write name=value' });
    options.set(key, [...(options.get(key) ?? []), text]);
  }
  return Object.fromEntries([...options].map(([key, texts]) => [key, texts.length === 1 ? (texts[0] ?? '') : texts]));
}

async function inputsOf(paths: readonly string[], cwd: string): Promise<Record<string, string>> {
  const entries = await Promise.all(
    paths.map(async (path) => [basename(path), await readText('input', path, cwd)] as const),
  );
  return Object.fromEntries(entries);
}

async function schemaOf(path: string, cwd: string): Promise<JsonSchema> {
  const text = await readText('schema', path, cwd);
  try {
    return JSON.parse(text) as JsonSchema;
  } catch (fault) {
    throw errors.create(
      'RUNS_FLAG',
      { flag: 'schema', value: ` ${path}`, reason: `it is no JSON: ${messageOf(fault)}` },
      fault,
    );
  }
}

async function readText(flag: string, path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (fault) {
    throw errors.create('RUNS_FLAG', { flag, value: ` ${path}`, reason: messageOf(fault) }, fault);
  }
}
