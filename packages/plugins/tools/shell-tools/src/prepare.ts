/** What happens to a command before it runs: it is checked, repaired, judged again if need be, and its URLs become paths. */
import { existsSync } from 'node:fs';
import type { Folders } from '@tenon/host';
import { resolvePath, scopeOf, type ToolCall, type ToolScope, type TouchedCommand } from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import type { Jobs } from '@tenon/jobs/api';
import type { Logger } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { UrlRouter } from '@tenon/urls/api';
import { type Script, simpleCommandOf } from './bash-syntax.ts';
import { type Command, readCommand } from './command.ts';
import { errors } from './errors.ts';
import { fixCommand } from './fix-ups.ts';
import { findInterception, type InterceptionRule } from './interception.ts';
import { expandCommand, expandValue, hasNoUrl } from './internal-urls.ts';
import type { SessionShell } from './session-shell.ts';
import type { ShellPool } from './shell-pool.ts';

const MAX_SHOWN = 120;

/** What the tool needs from the rest of Tenon. */
export interface BashHost {
  readonly folders: Pick<Folders, 'cwd' | 'state'>;
  readonly pool: ShellPool;
  readonly log: Logger;
  readonly bash: string | undefined;
  readonly timeoutSeconds: number;
  /** After how many seconds a command becomes a job; 0: never. */
  readonly backgroundAfterSeconds: number;
  readonly rules: readonly InterceptionRule[];
  text(): Promise<Accelerators['text']>;
  shell(): Promise<Accelerators['shell']>;
  syntax(): Promise<Accelerators['syntax']>;
  jobs(): Promise<Jobs | undefined>;
  urls(): Promise<UrlRouter | undefined>;
  /** Whether the model of a session can use a tool. */
  isActive(session: string): Promise<(tool: string) => boolean>;
  /** Asks the gate about a command that is not the one it was asked about before. */
  judge(call: ToolCall, input: Readonly<Record<string, unknown>>): Promise<{ by: string; reason: string } | undefined>;
  /** Called after every command: it may have changed any file. */
  filesMayHaveChanged(): Promise<void>;
}

type Input = Readonly<Record<string, unknown>>;

/** A command that is ready to run, and where it belongs. */
export interface Ready {
  readonly command: Command;
  readonly script: Script;
  readonly scope: ToolScope;
  readonly call: ToolCall;
  readonly session: SessionShell;
  readonly notes: readonly string[];
}

/** Checks, repairs and expands a command; refuses the ones that another tool should do. */
export async function prepare(host: BashHost, input: Input, call: ToolCall): Promise<Ready> {
  const scope = scopeOf(call, host.folders);
  const given = readCommand(input, host.timeoutSeconds);
  const fixed = fixCommand(given.command);
  const syntax = await host.syntax();
  if (fixed.repairs.length > 0) {
    const refusal = await host.judge(call, { ...input, command: fixed.command });
    if (refusal) throw errors.create('SHELL_TOOLS_REFUSED', { repairs: fixed.repairs, ...refusal });
  }
  const script = await syntax.parseBash(fixed.command);
  // Somebody who runs a command by hand wants that command.
  if (call.scope) await intercept(host, script, fixed.command, scope.session);
  const command = await expand(host, { ...given, command: fixed.command }, { scope, call, syntax });
  return {
    command,
    script,
    scope,
    call,
    session: await host.pool.session(scope.session, scope.cwd),
    notes: fixed.repairs.length === 0 ? [] : [`[The command was repaired: ${fixed.repairs.join(', ')}.]`],
  };
}

/** A command as it is judged: in the folder that it will run in. */
export function touchedCommand(
  host: Pick<BashHost, 'pool' | 'timeoutSeconds'>,
  input: Input,
  scope: ToolScope,
): TouchedCommand {
  const { command, cwd, env, unsandboxed } = readCommand(input, host.timeoutSeconds);
  const current = host.pool.folderOf(scope.session);
  const here = current !== undefined && existsSync(current) ? current : scope.cwd;
  return {
    text: command,
    cwd: cwd === undefined ? here : resolvePath(scope.cwd, cwd),
    env,
    ...(unsandboxed && { unsandboxed: String(input['reason'] ?? '') }),
  };
}

async function intercept(host: BashHost, script: Script, text: string, session: string): Promise<void> {
  const simple = simpleCommandOf(script);
  if (!simple || host.rules.length === 0) return;
  const found = findInterception(simple, host.rules, await host.isActive(session));
  if (found) throw errors.create('SHELL_TOOLS_INTERCEPTED', { ...found, command: cutText(text, MAX_SHOWN) });
}

async function expand(
  host: BashHost,
  command: Command,
  { scope, call, syntax }: { scope: ToolScope; call: ToolCall; syntax: Accelerators['syntax'] },
): Promise<Command> {
  const texts = [command.command, command.cwd ?? '', ...Object.values(command.env)];
  const router = texts.every(hasNoUrl) ? undefined : await host.urls();
  if (!router) return command;
  const urls = { router, syntax, scope, signal: call.signal };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(command.env)) env[name] = await expandValue(value, urls);
  return {
    ...command,
    command: await expandCommand(command.command, urls),
    env,
    ...(command.cwd !== undefined && { cwd: await expandValue(command.cwd, urls) }),
  };
}
