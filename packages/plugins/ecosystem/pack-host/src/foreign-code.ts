/** What plugins that run code written for other agents have in common: what the user decides about it, and what it is served by. */
import type { LiveAgents } from '@tenon/agent/api';
import type { CommandCall } from '@tenon/command-line/api';
import type { Discovery } from '@tenon/discovery/api';
import type { Folders, UserInterface } from '@tenon/host';
import type { Logger, Permissions, Registry, TenonError } from '@tenon/kernel';
import type { Tool } from '@tenon/tools/api';
import type { PackHosts } from './api.ts';

/** Tenon, as foreign code is served by it; everything is found when it is used. */
export interface ForeignServices<Config> {
  readonly config: Config;
  readonly folders: Folders;
  readonly log: Logger;
  report(error: TenonError, severity?: 'error' | 'warning'): void;
  agents(): Promise<LiveAgents>;
  ui(): Promise<UserInterface>;
  discovery(): Promise<Discovery | undefined>;
  hosts(): Promise<PackHosts>;
  readonly tools: Registry<Tool>;
}

/** What was decided about one module. */
export interface ModuleDecision<Trust extends string> {
  readonly name: string;
  readonly enabled: boolean;
  readonly trust: Trust | 'isolated';
  /** What it may do beside what every module may; absent when nothing was granted. */
  readonly granted?: Permissions;
  /** ISO 8601. */
  readonly since: string;
}

/** The decision as it is, made now; what nobody decided is on, in the sandbox. */
export function decidedNow<R extends ModuleDecision<string>>(record: R | undefined, name: string): R {
  return { name, enabled: true, trust: 'isolated', ...record, since: new Date().toISOString() } as R;
}

/** What is left of a decision when everything that was granted is taken back: whether it was switched off. */
export function revokedDecision<R extends ModuleDecision<string>>(
  record: R | undefined,
  name: string,
): ModuleDecision<'isolated'> | undefined {
  if (record?.enabled !== false) return undefined;
  return { name, enabled: false, trust: 'isolated', since: new Date().toISOString() };
}

/** What every module may do, and what was granted to one. */
export function mergePermissions(all: Permissions, granted: Permissions = {}): Permissions {
  const both = (a: readonly string[] = [], b: readonly string[] = []) => [...new Set([...a, ...b])];
  return {
    fs: { read: both(all.fs?.read, granted.fs?.read), write: both(all.fs?.write, granted.fs?.write) },
    net: both(all.net, granted.net),
    exec: both(all.exec, granted.exec),
    env: both(all.env, granted.env),
  };
}

/** The permissions that the flags of a command name: `--read`, `--write`, `--net`, `--exec`, `--env`. */
export function permissionsInFlags(flags: CommandCall['flags']): Permissions {
  const list = (flag: string) => (Array.isArray(flags[flag]) ? flags[flag] : []);
  return {
    fs: { read: list('read'), write: list('write') },
    net: list('net'),
    exec: list('exec'),
    env: list('env'),
  };
}

/** Asks on the command line, unless `--yes` answers. Throws what `problems` make of a no, and of nobody being there. */
export async function confirmOnCommandLine(
  { flags, io }: CommandCall,
  question: string,
  problems: { nobody(): TenonError; refused(): TenonError },
): Promise<void> {
  if (flags['yes'] === true) return;
  if (!io.interactive || !io.ask) throw problems.nobody();
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw problems.refused();
}
