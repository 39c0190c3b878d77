/** Finds session files and says what they are about, from the head of each file. */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionSummary } from './api.ts';
import { parseObject } from './line-index.ts';

const HEAD_BYTES = 8_192;
const PROMPT_CHARS = 200;

/** The folder of a project's sessions: its path, made into one name. */
export function folderFor(sessionsFolder: string, cwd: string): string {
  return join(sessionsFolder, `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`);
}

/** Sessions in these folders, the newest first. */
export async function listSessions(
  folders: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): Promise<SessionSummary[]> {
  const files = (await Promise.all(folders.map(sessionFiles))).flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
  const summaries: SessionSummary[] = [];
  for (const file of files) {
    if (summaries.length >= limit) break;
    const summary = await summarize(file);
    if (summary) summaries.push(summary);
  }
  return summaries;
}

interface FoundFile {
  readonly path: string;
  readonly modifiedMs: number;
  readonly bytes: number;
}

async function sessionFiles(folder: string): Promise<FoundFile[]> {
  const names = await readdir(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return [];
    throw fault;
  });
  const found = names
    .filter((name) => name.endsWith('.jsonl'))
    .map(async (name): Promise<FoundFile> => {
      const path = join(folder, name);
      const { mtimeMs, size } = await stat(path);
      return { path, modifiedMs: mtimeMs, bytes: size };
    });
  return Promise.all(found);
}

async function summarize({ path, modifiedMs, bytes }: FoundFile): Promise<SessionSummary | undefined> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(Math.min(HEAD_BYTES, bytes));
    await handle.read(head, 0, head.length, 0);
    const lines = head.toString('utf8').split('\n');
    const header = parseObject(Buffer.from(lines[0] ?? ''));
    if (header?.['type'] !== 'session' || typeof header['id'] !== 'string') return damaged(path, modifiedMs, bytes);
    const text = (key: string) => (typeof header[key] === 'string' ? header[key] : undefined);
    const parentSession = text('parentSession');
    return {
      id: header['id'],
      file: path,
      cwd: text('cwd') ?? '',
      title: text('title'),
      firstPrompt: firstPrompt(lines.slice(1)),
      created: text('timestamp') ?? new Date(modifiedMs).toISOString(),
      modified: new Date(modifiedMs).toISOString(),
      bytes,
      ...(parentSession !== undefined && { parentSession }),
    };
  } finally {
    await handle.close();
  }
}

/** A file whose header is gone is still listed: it can be opened and repaired. */
function damaged(path: string, modifiedMs: number, bytes: number): SessionSummary | undefined {
  if (bytes === 0) return undefined;
  const id = /_([0-9A-Za-z-]+)\.jsonl$/.exec(path)?.[1] ?? path;
  const modified = new Date(modifiedMs).toISOString();
  return {
    id,
    file: path,
    cwd: '',
    title: '(damaged header)',
    firstPrompt: undefined,
    created: modified,
    modified,
    bytes,
  };
}

function firstPrompt(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const entry = parseObject(Buffer.from(line)) as { message?: { role?: string; content?: unknown } } | undefined;
    if (entry?.message?.role === 'user') return textOf(entry.message.content);
    // The line may be longer than what was read; its beginning is enough.
    const cut = /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\.)*)/.exec(line)?.[1];
    if (entry === undefined && cut !== undefined)
      return JSON.parse(`"${cut.replace(/\\u?[0-9a-fA-F]{0,3}$/, '')}"`).slice(0, PROMPT_CHARS);
  }
  return undefined;
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content.slice(0, PROMPT_CHARS);
  if (!Array.isArray(content)) return undefined;
  const block = content.find((item: { type?: string }) => item?.type === 'text') as { text?: string } | undefined;
  return block?.text?.slice(0, PROMPT_CHARS);
}
