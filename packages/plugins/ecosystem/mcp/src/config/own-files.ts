/** Tenon's own files with MCP servers: JSON with comments that people edit, too. */
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { editJsonc, type JsonEdit, parseJsonc, readText, updateFile } from '@tenon/state-files';
import { errors } from '../errors.ts';

/** Whose servers: the user's, everywhere, or the project's. */
export type Scope = 'user' | 'project';

/** What one of the files holds. */
export interface OwnFile {
  readonly file: string;
  /** By name, as written. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Servers of any source that are not to be used; counts in the user's file. */
  readonly disabledServers: readonly string[];
}

const MAX_BYTES = 1024 * 1024;
const NAME = /^[a-zA-Z0-9_.-]{1,100}$/;

/** Whether a server may be called so. */
export function isServerName(name: string): boolean {
  return NAME.test(name);
}

/** Where servers are added. */
export function ownFile(scope: Scope, folders: Pick<Folders, 'config' | 'project' | 'cwd'>): string {
  return join(scope === 'user' ? folders.config : (folders.project ?? join(folders.cwd, '.tenon')), 'mcp.json');
}

/** Reads a file; one that is missing is empty. */
export async function readOwnFile(file: string): Promise<OwnFile> {
  return parse(file, await readText(file, MAX_BYTES));
}

function parse(file: string, text = ''): OwnFile {
  let content: unknown;
  try {
    content = text.trim() === '' ? {} : parseJsonc(text);
  } catch (fault) {
    throw unreadable(file, fault);
  }
  const data = isObject(content) ? content : {};
  const servers = isObject(data['mcpServers']) ? data['mcpServers'] : {};
  const disabled = data['disabledServers'];
  return {
    file,
    servers: Object.fromEntries(
      Object.entries(servers).filter((pair): pair is [string, Record<string, unknown>] => isObject(pair[1])),
    ),
    disabledServers: Array.isArray(disabled) ? disabled.filter((name): name is string => typeof name === 'string') : [],
  };
}

function unreadable(file: string, fault: unknown): Error {
  return errors.create('MCP_CONFIG_UNREADABLE', { file, reason: messageOf(fault) }, fault);
}

/** Changes a file. `plan` sees what is in it now, so that two processes cannot overwrite each other. */
export async function changeOwnFile(
  { file, scope }: { readonly file: string; readonly scope: Scope },
  plan: (now: OwnFile) => readonly JsonEdit[],
): Promise<void> {
  await updateFile(
    file,
    async (text) => {
      const edits = plan(parse(file, text));
      if (edits.length === 0) return undefined;
      const start = text === undefined || text.trim() === '' ? '{\n  "mcpServers": {}\n}\n' : text;
      return editJsonc(start, edits).catch((fault: unknown) => {
        throw unreadable(file, fault);
      });
    },
    // Headers and variables are often secrets, so the file is private. A repository must not choose which file is written.
    { maxBytes: MAX_BYTES, followLinks: scope === 'user' },
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
