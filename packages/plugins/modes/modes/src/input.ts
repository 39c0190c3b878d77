/** Reads what goes with a prompt: files named with @, and what is piped in. */
import { fstatSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { isatty } from 'node:tty';
import { messageOf } from '@tenon/kernel';
import type { FileMentionMessage } from '@tenon/sessions/api';
import { errors } from './errors.ts';
import { pathOf } from './mentions.ts';

type MentionedFile = FileMentionMessage['files'][number];

const MAX_TEXT_BYTES = 512 * 1024;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
/** More names of a folder say less than a search. */
const MAX_NAMES = 500;
const HINT_MS = 3_000;
/** Where one of so many letters cannot be read, it is no text. */
const MOST_UNKNOWN = 5;

/** The content of a file as the model gets it. */
export async function readMention(file: string, cwd: string): Promise<MentionedFile> {
  const path = pathOf(file, cwd);
  let bytes: Buffer;
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return await folderMention(file, path);
    const { size } = stats;
    if (size > MAX_IMAGE_BYTES) throw errors.create('MODES_FILE_TOO_BIG', { file, bytes: size, limit: MAX_TEXT_BYTES });
    bytes = await readFile(path);
  } catch (fault) {
    const { code } = fault as { code?: string };
    if (code === 'MODES_FILE_TOO_BIG') throw fault;
    if (code === 'ENOENT') throw errors.create('MODES_FILE_MISSING', { file }, fault);
    throw errors.create('MODES_FILE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
  }
  const mimeType = imageType(bytes);
  if (mimeType) return { path: file, content: '', image: { type: 'image', data: bytes.toString('base64'), mimeType } };
  if (bytes.length > MAX_TEXT_BYTES)
    throw errors.create('MODES_FILE_TOO_BIG', { file, bytes: bytes.length, limit: MAX_TEXT_BYTES });
  const content = textIn(bytes);
  if (content === undefined) throw errors.create('MODES_FILE_BINARY', { file });
  return textMention(file, content);
}

/** An image that was named as one. */
export async function readImage(file: string, cwd: string): Promise<MentionedFile> {
  const mentioned = await readMention(file, cwd);
  if (!mentioned.image) throw errors.create('MODES_NOT_AN_IMAGE', { file });
  return mentioned;
}

/** A folder goes along as the list of what is in it. */
async function folderMention(file: string, path: string): Promise<MentionedFile> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const omitted = names.length - MAX_NAMES;
  const shown = omitted > 0 ? [...names.slice(0, MAX_NAMES), `… and ${omitted} more`] : names;
  return textMention(file.endsWith('/') ? file : `${file}/`, `${shown.join('\n')}\n`);
}

/** What was piped in as the model gets it. */
export function pipedMention(bytes: Buffer): MentionedFile {
  if (bytes.length > MAX_TEXT_BYTES) throw errors.create('MODES_PIPE_TOO_BIG', { limit: MAX_TEXT_BYTES });
  const content = textIn(bytes);
  if (content === undefined) throw errors.create('MODES_PIPE_BINARY');
  return textMention('standard input', content);
}

/** Texts of other encodings are read as well as they can be: a diff may hold lines of several. */
function textIn(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const text = new TextDecoder().decode(bytes);
  const unknown = text.match(/\ufffd/g)?.length ?? 0;
  return unknown * MOST_UNKNOWN < text.length || unknown === 0 ? text : undefined;
}

function textMention(path: string, content: string): MentionedFile {
  return { path, content, lineCount: content === '' ? 0 : content.replace(/\n$/, '').split('\n').length };
}

/** The type of an image by its first bytes: names can lie. */
export function imageType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}

/** False for a terminal and for /dev/null. */
export function mayBeInput(file: number): boolean {
  if (isatty(file)) return false;
  try {
    const stats = fstatSync(file);
    return !stats.isCharacterDevice() || stats.rdev !== statSync(devNull).rdev;
  } catch {
    return true; // Who reads it says what is wrong.
  }
}

/** Everything that is piped in, or enough of it to see that it is too much; empty at a terminal. Says on stderr what it waits for when that takes long. */
export async function readPiped(
  stdin: NodeJS.ReadStream,
  signal: AbortSignal,
  hint: (text: string) => void,
): Promise<Buffer> {
  if (stdin.isTTY) return Buffer.alloc(0);
  const timer = setTimeout(
    () => hint('Waiting for standard input to end. Start it with </dev/null when nothing comes.\n'),
    HINT_MS,
  );
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of stdin) {
      parts.push(Buffer.from(part as Uint8Array));
      size += (part as Uint8Array).length;
      if (size > MAX_TEXT_BYTES) break;
    }
    return Buffer.concat(parts);
  } catch (fault) {
    // A closed descriptor (0<&-) is as good as an empty one.
    if ((fault as NodeJS.ErrnoException).code === 'EBADF') return Buffer.alloc(0);
    throw fault;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
