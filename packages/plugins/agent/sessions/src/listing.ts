/** Finds session files and says what they are about, from the head of each file. */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionSummary } from './api.ts';
import { isReference } from './blobs.ts';
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
  const files = names
    .filter((name) => name.endsWith('.jsonl'))
    .map(async (name): Promise<FoundFile> => {
      const path = join(folder, name);
      const { mtimeMs, size } = await stat(path);
      return { path, modifiedMs: mtimeMs, bytes: size };
    });
  return Promise.all(files);
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

interface SaidEntry {
  readonly type?: string;
  readonly content?: unknown;
  readonly message?: { readonly role?: string; readonly content?: unknown };
}

/** What the user said first, else what the session begins with: a document that was handed over, for example. */
function firstPrompt(lines: readonly string[]): string | undefined {
  let beginning: string | undefined;
  for (const line of lines) {
    const entry = parseObject(Buffer.from(line)) as SaidEntry | undefined;
    const said = entry ? textOf(entry.message?.role === 'user' ? entry.message.content : undefined) : cutUser(line);
    if (said !== undefined) return said.slice(0, PROMPT_CHARS);
    beginning ??= entry ? (entry.type === 'custom_message' ? textOf(entry.content) : undefined) : cutMessage(line);
  }
  return beginning && firstSentence(beginning).slice(0, PROMPT_CHARS);
}

/** A text of JSON as far as it is there, without an escape that was cut in two. */
const CUT = String.raw`"content":(?:\[\{"type":"text","text":)?"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)`;
/** Of a line that is longer than what was read, the beginning is enough. */
const cutUser = cutText(new RegExp(`"role":"user",${CUT}`));
const cutMessage = cutText(new RegExp(`^\\{"type":"custom_message".*?${CUT}`));

function cutText(pattern: RegExp): (line: string) => string | undefined {
  return (line) => {
    const cut = pattern.exec(line)?.[1];
    return cut === undefined ? undefined : shown(JSON.parse(`"${cut}"`) as string);
  };
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return shown(content);
  if (!Array.isArray(content)) return undefined;
  const block = content.find((item: { type?: string }) => item?.type === 'text') as { text?: unknown } | undefined;
  return typeof block?.text === 'string' ? shown(block.text) : undefined;
}

/** A text so long that it is kept elsewhere would be read whole for the sake of one line. */
function shown(text: string): string {
  return isReference(text) ? '(a very long text)' : text;
}

/** The first line that says something: not the tag around a document, and a heading only when nothing else is there. */
function firstSentence(document: string): string {
  const [inner = ''] = document.replace(/^<[\w-]+>\n/, '').split(/^<\/[\w-]+>$/m);
  const lines = inner.split('\n').flatMap((line) => line.trim() || []);
  return lines.find((line) => !line.startsWith('#')) ?? lines[0]?.replace(/^#+ */, '') ?? '';
}
