/** Finds conversations of other agents, and reads one. */
import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { Agent, Places, Reader } from './agents/agent.ts';
import { isHashOf } from './agents/gemini.ts';
import { agents } from './agents/index.ts';
import type { AgentId, Conversation, Found } from './conversation.ts';
import { errors } from './errors.ts';
import { readHead, readObject, readRows, rowOf } from './lines.ts';

/** Which conversations are meant. */
export interface Wanted extends Places {
  readonly from?: AgentId;
  /** Only those of this folder. */
  readonly cwd?: string;
}

const chosen = (from: AgentId | undefined): readonly Agent[] =>
  agents.filter(({ id }) => from === undefined || id === from);

/** What there is, the newest first. */
export async function findConversations({ from, cwd, ...places }: Wanted): Promise<readonly Found[]> {
  const each = await Promise.all(chosen(from).map((agent) => agent.find(places)));
  const all = each.flat().toSorted((a, b) => b.modifiedMs - a.modifiedMs);
  if (cwd === undefined) return all;
  const folders = new Set([cwd, await realpath(cwd).catch(() => cwd)]); // A folder that is gone has its name only.
  return all.filter((found) => [...folders].some((folder) => isOf(found, folder)));
}

function isOf({ cwd }: Found, folder: string): boolean {
  return cwd !== undefined && (cwd === folder || isHashOf(cwd, folder));
}

/** The one that is meant by an id, its first letters, or a file. */
export async function findConversation(idOrFile: string, workFolder: string, wanted: Wanted): Promise<Found> {
  const isFile = isAbsolute(idOrFile) || idOrFile.includes('/') || /\.jsonl?$/.test(idOrFile);
  if (isFile) return foundFile(resolve(workFolder, idOrFile), wanted);
  const matches = (await findConversations(wanted)).filter(({ id }) => idOrFile !== '' && id.startsWith(idOrFile));
  const exact = matches.find(({ id }) => id === idOrFile);
  const [only, second] = exact ? [exact] : matches;
  if (!only) throw errors.create('IMPORT_NOT_FOUND', { conversation: idOrFile });
  if (second) {
    const names = matches.slice(0, 5).map(({ agent, id }) => `${agent} ${id}`);
    throw errors.create('IMPORT_AMBIGUOUS', { conversation: idOrFile, matches: names.join(', ') });
  }
  return only;
}

async function foundFile(path: string, wanted: Wanted): Promise<Found> {
  const facts = await Promise.all([stat(path), realpath(path), readHead(path, { followLinks: true })]).catch(
    (fault: unknown) => {
      throw errors.create('IMPORT_UNREADABLE', { file: path, reason: messageOf(fault) }, fault);
    },
  );
  const [{ mtimeMs: modifiedMs, size: bytes }, file, head] = facts;
  const agent =
    chosen(wanted.from).find(({ recognizes }) => recognizes(head, file)) ??
    (wanted.from === undefined ? undefined : chosen(wanted.from)[0]);
  if (!agent) throw errors.create('IMPORT_UNKNOWN_FORMAT', { file });
  // Where the agent keeps it, other files may belong to it.
  const known = (await agent.find(wanted)).find(({ files }) => files.includes(file));
  const id = /([0-9A-Za-z-]{8,}?)(?:\.jsonl?)?$/.exec(basename(file))?.[1] ?? basename(file);
  return known ?? { agent: agent.id, id, files: [file], modifiedMs, bytes, cwd: undefined };
}

/** Reads a conversation. The original is only read. */
export async function readConversation(found: Found): Promise<Conversation> {
  const [agent] = chosen(found.agent);
  if (!agent) throw new Error(`there is no reader for "${found.agent}"`);
  const reader = agent.reader(found);
  const findings: string[] = [];
  for (const file of found.files) {
    try {
      findings.push(...(await readInto(reader, file)));
    } catch (fault) {
      throw errors.create('IMPORT_UNREADABLE', { file, reason: messageOf(fault) }, fault);
    }
  }
  return reader.finish(findings);
}

/** What the first lines of a large conversation say: enough to know what it is about. */
export async function peekConversation(found: Found): Promise<Conversation | undefined> {
  const [file] = found.files;
  const reader = chosen(found.agent)[0]?.reader(found);
  if (file === undefined || !reader) return undefined;
  for (const line of (await readHead(file)).split('\n')) {
    const row = rowOf(line);
    if (row) await reader.row(row);
  }
  return reader.finish([]);
}

async function readInto(reader: Reader, file: string): Promise<readonly string[]> {
  const object = file.endsWith('.json') ? await readObject(file) : undefined;
  if (!object) return readRows(file, (row) => reader.row(row));
  await reader.row(object);
  return [];
}
