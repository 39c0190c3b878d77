/** What happens to a command between the gate and the shell: it is checked, never changed. */
import { existsSync } from 'node:fs';
import type { Folders, UserInterface } from '@tenon/host';
import type { Approvals } from '@tenon/approval/api';
import type { SecretMasks } from '@tenon/secrets/api';
import {
  resolvePath,
  scopeOf,
  type ToolCall,
  type ToolCallEvent,
  type ToolScope,
  type TouchedCommand,
} from '@tenon/tools/api';
import { cutText } from '@tenon/wording';
import type { Jobs } from '@tenon/jobs/api';
import type { Logger } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import { type Script, simpleCommandOf } from './bash-syntax.ts';
import { type Command, readCommand } from './command.ts';
import { errors } from './errors.ts';
import { findInterception, type InterceptionRule } from './interception.ts';
import type { SessionShell } from './session-shell.ts';
import type { ShellPool } from './shell-pool.ts';

const MAX_SHOWN = 120;

/** What the tool needs from the rest of Tenon. */
export interface BashHost {
  readonly folders: Pick<Folders, 'cwd' | 'state' | 'home'>;
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
  /** Takes secrets out of long outputs; absent where nothing is masked. */
  masks?(): Promise<SecretMasks | undefined>;
  /** Where programs that want a terminal can be shown. */
  ui?(): Promise<UserInterface | undefined>;
  /** Whether the model of a session can use a tool. */
  isActive(session: string): Promise<(tool: string) => boolean>;
  /** Judges calls that leave the sandbox; without it none does after a failure. */
  approvals(): Promise<Approvals | undefined>;
  /** Asks everybody who has a say in calls of tools. */
  gate(
    event: ToolCallEvent,
    signal: AbortSignal,
  ): Promise<{ readonly allowed: boolean; readonly by?: string; readonly reason?: string }>;
  /** Called after every command: it may have changed any file. */
  filesMayHaveChanged(): Promise<void>;
}

/** A command that is ready to run, and where it belongs. */
export interface Ready {
  readonly command: Command;
  readonly script: Script;
  readonly scope: ToolScope;
  readonly call: ToolCall;
  readonly session: SessionShell;
}

/** Checks a command; refuses the ones that another tool should do. */
export async function prepare(
  host: BashHost,
  input: Readonly<Record<string, unknown>>,
  call: ToolCall,
): Promise<Ready> {
  const scope = scopeOf(call, host.folders);
  const command = readCommand(input, host.timeoutSeconds);
  const script = await (await host.syntax()).parseBash(command.command);
  // Somebody who runs a command by hand wants that command.
  if (call.scope) await intercept(host, script, command.command, scope.session);
  return { command, script, scope, call, session: await host.pool.session(scope.session, scope.cwd) };
}

/** A command as it is judged: in the folder that it will run in. */
export function touchedCommand(
  host: Pick<BashHost, 'pool' | 'timeoutSeconds'>,
  input: Readonly<Record<string, unknown>>,
  scope: ToolScope,
): TouchedCommand {
  const { command, cwd, env, unsandboxed } = readCommand(input, host.timeoutSeconds);
  const current = host.pool.folderOf(scope.session);
  const definitions = host.pool.definitionsOf(scope.session, unsandboxed);
  const here = current !== undefined && existsSync(current) ? current : scope.cwd;
  return {
    text: command,
    cwd: cwd === undefined ? here : resolvePath(scope.cwd, cwd),
    env,
    ...(definitions && { definitions }),
    ...(unsandboxed && { unsandboxed: String(input['reason'] ?? '') }),
  };
}

async function intercept(host: BashHost, script: Script, text: string, session: string): Promise<void> {
  const simple = simpleCommandOf(script);
  if (!simple || host.rules.length === 0) return;
  const match = findInterception(simple, host.rules, await host.isActive(session));
  if (match) throw errors.create('SHELL_TOOLS_INTERCEPTED', { ...match, command: cutText(text, MAX_SHOWN) });
}
