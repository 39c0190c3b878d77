/** Tenon's own files with MCP servers: read with care, changed under a lock, replaced as a whole, comments kept. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Folders } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { type JsonPath, parseJsonc, removeJson, setJson } from './jsonc-edit.ts';

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
  const content = parseJsonc(await readText(file), (reason) =>
    errors.create('MCP_CONFIG_UNREADABLE', { file, reason }),
  );
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

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return await readFile(file, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw errors.create('MCP_CONFIG_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
}

/** One change of a file; a value of undefined removes what is there. */
export type Change = readonly [path: JsonPath, value: unknown];

/** Changes a file. `plan` sees what is in it now, so that two processes cannot overwrite each other. */
export async function changeOwnFile(file: string, plan: (now: OwnFile) => readonly Change[]): Promise<void> {
  // Bundled, a CommonJS package has its exports under `default` only.
  const imported = await import('proper-lockfile');
  const { lock } = imported.default ?? imported;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const retries = { retries: 100, factor: 1.2, minTimeout: 5, maxTimeout: 100, randomize: true };
  const release = await lock(file, { realpath: false, retries }).catch((fault: unknown) => {
    throw errors.create('MCP_CONFIG_LOCKED', { file }, fault);
  });
  try {
    const before = await readText(file);
    const changes = plan(await readOwnFile(file));
    const start = before.trim() === '' ? '{\n  "mcpServers": {}\n}\n' : before;
    const after = changes.reduce(
      (text, [path, value]) => (value === undefined ? removeJson(text, path) : setJson(text, path, value)),
      start,
    );
    if (changes.length > 0 && after !== before) await replaceFile(file, after);
  } finally {
    await release();
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    // Headers and variables are often secrets.
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await chmod(temporary, 0o600);
    await rename(temporary, file);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
