/** What the commands share. */
import type { CommandCall } from '@tenon/command-line/api';
import { errors } from '../errors.ts';
import type { Engine } from '../engine.ts';
import type { OriginOptions } from '../fetch/origin.ts';
import { chosenScope, type ScopeFiles, scopesFor } from '../scopes.ts';
import { parseId } from '../catalogue/names.ts';
import { requireLocked } from '../installer.ts';
import type { Locked } from '../store/lock-files.ts';

/** The code of a command. */
export type Run = (engine: Engine, call: CommandCall) => Promise<number | void>;

/** A positional argument. */
export function argument({ args }: CommandCall, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** A positional argument that takes several words. */
export function argumentList({ args }: CommandCall, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** Whether a flag is set. */
export function isSet({ flags }: CommandCall, name: string): boolean {
  return flags[name] === true;
}

/** How things are fetched. */
export function originOptions(call: CommandCall): OriginOptions {
  return { signal: call.signal, offline: isSet(call, 'offline') };
}

/** The scope that was asked for; the user's if none was. */
export function scopeOf(engine: Engine, call: CommandCall): ScopeFiles {
  return chosenScope(call.flags['scope'] === 'project' ? 'project' : 'user', engine.folders, call.cwd);
}

/** The scopes that a command works on: the one that was asked for, or both. */
export function scopesOf(engine: Engine, call: CommandCall): readonly ScopeFiles[] {
  return call.flags['scope'] === undefined ? scopesFor(engine.folders, call.cwd) : [scopeOf(engine, call)];
}

/** An installed plugin by its id, or by its name if only one has it. The project's comes before the user's. */
export async function installedPlugin(
  engine: Engine,
  call: CommandCall,
  text: string,
): Promise<{ readonly id: string; readonly files: ScopeFiles; readonly locked: Locked }> {
  const { name, marketplace } = parseId(text);
  const scopes = scopesOf(engine, call).toReversed();
  for (const files of scopes) {
    const { plugins } = await files.readLock();
    const ids = marketplace === undefined ? Object.keys(plugins).filter((id) => parseId(id).name === name) : [text];
    const [id, second] = ids.filter((candidate) => plugins[candidate] !== undefined);
    if (second !== undefined) throw errors.create('MARKETPLACE_PLUGIN_AMBIGUOUS', { plugin: text, choices: ids });
    const locked = id === undefined ? undefined : plugins[id];
    if (id !== undefined && locked) return { id, files, locked };
  }
  const last = scopes.at(-1) ?? scopeOf(engine, call);
  return { id: text, files: last, locked: requireLocked(await last.readLock(), text, last) };
}

/** Shows something before a question: on standard output, or beside it when that is for a program. */
export async function show(call: CommandCall, text: string): Promise<void> {
  if (isSet(call, 'json')) await call.io.err(text);
  else await call.io.out(text);
}

/** What is to be agreed to. */
export interface Agreement {
  readonly question: string;
  /** What nothing will be if the answer is no: "installed". */
  readonly done: string;
  /** True when something gets to run that did not before: --yes does not cover that. */
  readonly isMore: boolean;
}

/** Asks; where nobody can answer, the right flag must be there. */
export async function agree(call: CommandCall, { question, done, isMore }: Agreement): Promise<void> {
  const accepts = isSet(call, 'accept-permissions');
  if (accepts || (isSet(call, 'yes') && !isMore)) return;
  const { interactive, ask } = call.io;
  if (!interactive || !ask) {
    const flags = isMore ? '--accept-permissions' : '--yes';
    throw errors.create('MARKETPLACE_CONFIRM', { done, flags });
  }
  const answer = await call.io.ask?.(`${question} [y/N] `);
  if (!/^y(es)?$/i.test((answer ?? '').trim())) throw errors.create('MARKETPLACE_REFUSED', { done });
}
