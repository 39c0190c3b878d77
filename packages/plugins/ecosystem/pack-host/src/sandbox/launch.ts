/** The command line of a host process, under the sandbox or, for code that the user trusts fully, without one. */
import { type PreparedLaunch, prepareLaunch, type MechanismChoice } from '@tenon/sandbox/api';
import { messageOf } from '@tenon/kernel';
import { findAddon } from '@tenon/native';
import { errors } from '../errors.ts';
import { GIVE_UP_PROGRAMS } from '../host/give-up-programs.ts';
import type { HostPolicy } from './policy.ts';

/** A process that is ready to be spawned. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Removes what the launch left on disk. */
  cleanup(): void;
}

/** What a host process runs: a program of ours, with arguments for Node and for itself. */
export interface HostCommand {
  readonly entry: string;
  readonly plugin: string;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
}

/** Makes the command line that runs `command` as `host` says. */
export async function planLaunch(choice: MechanismChoice, host: HostPolicy, command: HostCommand): Promise<Launch> {
  const { plugin, entry, args = [], nodeArgs = [] } = command;
  const { policy } = host;
  const prepared = await prepare(choice, host, plugin);
  const memory = `--max-old-space-size=${policy.limits?.memoryMb}`;
  const [file = '', ...words] = [...prepared.argv, process.execPath, memory, ...nodeArgs, entry, ...args];
  const { path: addon } = findAddon();
  const giveUp = prepared.canRestart && { [GIVE_UP_PROGRAMS]: '1', TENON_ADDON: addon };
  return {
    file,
    args: words,
    env: defined({ ...host.env, ...prepared.env, ...giveUp }),
    cwd: prepared.cwd ?? '/',
    cleanup: () => prepared.dispose(),
  };
}

async function prepare(choice: MechanismChoice, { policy }: HostPolicy, plugin: string): Promise<PreparedLaunch> {
  const { mechanism } = choice;
  const refuse = (reasons: string, cause?: unknown) =>
    errors.create('PACK_HOST_NO_SANDBOX', { plugin, reasons }, cause);
  if (mechanism === undefined) throw refuse(choice.reasons.join('; '));
  try {
    return await prepareLaunch({ ...choice, mechanism }, policy);
  } catch (fault) {
    throw refuse(messageOf(fault).replace(/\.$/, ''), fault);
  }
}

/** A command line without a sandbox, for code that the user trusts fully: a process of its own still keeps its faults away. */
export function planUnconfined(entry: string, memoryMb: number): Launch {
  const args = [`--max-old-space-size=${memoryMb}`, entry];
  return { file: process.execPath, args, env: defined(process.env), cwd: '/', cleanup: () => undefined };
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
