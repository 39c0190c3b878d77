/** What is known about the conversations of one agent. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId, Conversation, Found } from '../conversation.ts';
import { readHead } from '../lines.ts';
import type { Row } from '../parts.ts';

/** Where to look. */
export interface Places {
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** One agent. */
export interface Agent {
  readonly id: AgentId;
  /** Its conversations on this machine, in any order. */
  find(places: Places): Promise<readonly Found[]>;
  /** Whether a file is one of its conversations, by its first bytes. */
  recognizes(head: string, file: string): boolean;
  /** Makes a conversation of the lines of its files. */
  reader(found: Found): Reader;
}

/** Takes one line after another, so that a large file need not be in memory. */
export interface Reader {
  row(row: Row): void | Promise<void>;
  finish(findings: readonly string[]): Conversation;
}

/** Files below a folder that have such names. Links are not followed: what they lead to belongs to somebody else. */
export async function filesBelow(folder: string, depth: number, wanted: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((fault: NodeJS.ErrnoException) => {
    // An agent that was never used here has no folder; one that may not be read is not the user's.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(fault.code ?? '')) return [];
    throw fault;
  });
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile() && wanted(entry.name)) files.push(path);
    else if (entry.isDirectory() && depth > 0) files.push(...(await filesBelow(path, depth - 1, wanted)));
  }
  return files;
}

/** Conversations of one file each. `isOther` leaves out those that are no conversations of a person. */
export async function foundIn(
  agent: AgentId,
  files: readonly string[],
  idOf: (file: string, head: string) => string | undefined,
  options: {
    isOther?: (head: string) => boolean;
    cwdOf?: (file: string, head: string) => Promise<string | undefined>;
  } = {},
): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of files) {
    const stats = await stat(file).catch(() => undefined); // It was removed in this moment.
    const head = stats && stats.size > 0 ? await readHead(file).catch(() => undefined) : undefined; // Or may not be read.
    if (!stats || head === undefined || options.isOther?.(head)) continue;
    const id = idOf(file, head);
    const cwd = options.cwdOf ? await options.cwdOf(file, head) : folderIn(head);
    if (id) found.push({ agent, id, files: [file], modifiedMs: stats.mtimeMs, bytes: stats.size, cwd });
  }
  return found;
}

/** The first working folder that is named. Inside of a text the quotation marks would be escaped. */
export function folderIn(head: string): string | undefined {
  return jsonTextIn(head, 'cwd');
}

/** The first text under a key of JSON, as far as it is there. */
export function jsonTextIn(head: string, key: string): string | undefined {
  const [, text] = new RegExp(`"${key}":\\s?("(?:[^"\\\\\\x00-\\x1f]|\\\\.){0,4096}")`).exec(head) ?? [];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined; // An escape that is none.
  }
}
