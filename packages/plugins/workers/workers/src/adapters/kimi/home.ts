/**
 * A home of its own for each run: several processes that write the same files of `~/.kimi-code` damage them. Settings are
 * copied; logins and sessions are links to the user's own, so that a renewed login stays valid and a session can be gone on
 * with.
 */
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readPlainFile } from '@tenon/host';
import type { WorkerAdapter } from '../../api.ts';

/** Servers of the task, in the scratch folder; they come on top of the user's own. */
export const MCP_FILE = 'kimi-mcp.json';

const COPIED = ['config.toml', 'device_id', 'latest_version.txt', 'tui.toml', 'AGENTS.md', 'mcp.json'];
const LINKED = ['credentials', 'sessions', 'skills', 'plugins', 'bin'];
/** One line per session. */
const INDEX = 'session_index.jsonl';
/** What keys of the vendor are called elsewhere; Kimi reads none of them. */
const KEYS = ['KIMI_API_KEY', 'MOONSHOT_API_KEY'];
/** Far more than any index needs. */
const MAX_INDEX = 64 * 1024 * 1024;
const DEFAULT_MODEL = 'kimi-for-coding';

/** Makes the home, and takes new sessions over into the user's own one afterwards. */
export const prepareHome: NonNullable<WorkerAdapter['prepare']> = async ({ scratch, env }) => {
  const chosen = env['KIMI_CODE_HOME'] || env['KIMI_SHARE_DIR'];
  const login = loginEnv(env);
  if (chosen)
    return { env: { KIMI_CODE_HOME: chosen, KIMI_SHARE_DIR: chosen, ...login }, clean: async () => undefined };
  const own = join(env['HOME'] || homedir(), '.kimi-code');
  const home = join(scratch, 'kimi-home');
  // What is left of an attempt that was killed.
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true, mode: 0o700 });
  for (const name of ['credentials', 'sessions']) await mkdir(join(own, name), { recursive: true, mode: 0o700 });
  for (const name of COPIED) await unlessMissing(copyFile(join(own, name), join(home, name)));
  // A link to nothing would keep Kimi from making the folder itself.
  for (const name of LINKED.filter((each) => existsSync(join(own, each))))
    await symlink(join(own, name), join(home, name));
  await mergeServers(scratch, home);
  const known = await textOf(join(own, INDEX));
  await unlessMissing(copyFile(join(own, INDEX), join(home, INDEX)));
  return {
    env: { KIMI_CODE_HOME: home, KIMI_SHARE_DIR: home, ...login },
    async clean() {
      await keepSessions(home, own, known);
      await rm(home, { recursive: true, force: true });
    },
  };
};

/** A key works only together with a model that is not in the settings. */
function loginEnv(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const key = KEYS.map((name) => env[name]).find(Boolean);
  if (key === undefined || env['KIMI_MODEL_API_KEY']) return {};
  return { KIMI_MODEL_API_KEY: key, KIMI_MODEL_NAME: env['KIMI_MODEL_NAME'] || DEFAULT_MODEL };
}

async function mergeServers(scratch: string, home: string): Promise<void> {
  const task = serversIn(await textOf(join(scratch, MCP_FILE)));
  if (Object.keys(task).length === 0) return;
  const servers = { ...serversIn(await textOf(join(home, 'mcp.json'))), ...task };
  await writeFile(join(home, 'mcp.json'), `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`, {
    mode: 0o600,
  });
}

function serversIn(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const { mcpServers } = JSON.parse(text) as { mcpServers?: unknown };
    return typeof mcpServers === 'object' && mcpServers !== null ? (mcpServers as Record<string, unknown>) : {};
  } catch {
    // A file of the user's that Kimi itself would not read either.
    return {};
  }
}

/** Adds the lines of new sessions to the user's index; the paths in them are those of the run's home. */
async function keepSessions(home: string, own: string, known: string): Promise<void> {
  const index = await readPlainFile(home, join(home, INDEX), MAX_INDEX);
  // A link of the worker's could lead to any file, whose lines its next run would then read in the index.
  const written = 'text' in index ? index.text : '';
  const before = new Set(known.split('\n'));
  const added = written.split('\n').filter((line) => line.trim() !== '' && !before.has(line));
  const lines = added.map(
    (line) => `${line.split(JSON.stringify(home).slice(1, -1)).join(JSON.stringify(own).slice(1, -1))}\n`,
  );
  // One write of a few lines, so that those of several runs do not mix.
  if (lines.length > 0) await appendFile(join(own, INDEX), lines.join(''), { mode: 0o600 });
}

async function textOf(file: string): Promise<string> {
  return (await unlessMissing(readFile(file, 'utf8'))) ?? '';
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
}
