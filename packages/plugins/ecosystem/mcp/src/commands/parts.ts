/** What the commands share. */
import type { CommandCall, CommandIo } from '@tenon/command-line/api';
import type { Folders } from '@tenon/host';
import { inSentences, plainLine } from '@tenon/wording';
import { messageOf, TenonError } from '@tenon/kernel';
import { createRedactor } from '@tenon/log';
import type { ToolRunner } from '@tenon/tools/api';
import type { ServerConnection } from '../connection/server-connection.ts';
import type { Hub } from '../hub.ts';

/** What the commands work with. */
export interface CommandParts {
  readonly hub: Hub;
  readonly folders: Folders;
  /** The configuration was changed: what was found counts no more. */
  changed(): Promise<void>;
  toolRunner(): Promise<ToolRunner>;
}

const redact = createRedactor();

/** A command of this plugin. */
export type Run = (parts: CommandParts, call: CommandCall) => Promise<number | void>;

/** The text of a positional argument. */
export function word({ args }: CommandCall, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}

/** The values of a flag that may be given several times. */
export function values({ flags }: CommandCall, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
}

/** Dims, paints, or leaves alone. */
export function paint({ color }: Pick<CommandIo, 'color'>, code: number, text: string): string {
  return color ? `\u001b[${code}m${text}\u001b[0m` : text;
}

/** One line that is safe on a terminal, without secrets. */
export function line(text: string): string {
  return plainLine(redact(text));
}

/** What went wrong and what to do, as one text. */
export function problemOf(fault: unknown): string {
  return fault instanceof TenonError ? inSentences(fault.message, fault.next) : messageOf(fault);
}

/** Does work with the server that was named, or with all that may be used. */
export async function withServers<T>(
  { hub }: CommandParts,
  call: CommandCall,
  work: (connections: readonly ServerConnection[]) => Promise<T>,
): Promise<T> {
  const name = word(call, 'name');
  if (name !== '') return work([await hub.connection(call.cwd, name)]);
  const workspace = hub.workspace(call.cwd);
  await workspace.find();
  return work(workspace.connections);
}
