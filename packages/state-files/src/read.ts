import { readFileSync, statSync, type Stats } from 'node:fs';
import { lstat, readFile, readlink, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Far more than any state needs; a larger file would only fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a UTF-8 file; undefined when it does not exist. A byte order mark stays, so that writing the text back keeps it. */
export async function readText(file: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  try {
    checkFile(await stat(file), maxBytes);
    return decode(file, await readFile(file));
  } catch (fault) {
    return explain(file, fault);
  }
}

/** The same for code that cannot wait. */
export function readTextSync(file: string, maxBytes = MAX_BYTES): string | undefined {
  try {
    checkFile(statSync(file), maxBytes);
    return decode(file, readFileSync(file));
  } catch (fault) {
    return explain(file, fault);
  }
}

/** Reading from a pipe or a device would never end. */
function checkFile(info: Stats, maxBytes: number): void {
  if (!info.isFile()) throw new Error('it is not a regular file');
  if (info.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
}

function explain(file: string, fault: unknown): undefined {
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  if (fault instanceof TenonError) throw fault;
  throw errors.create('STATE_FILE_UNREADABLE', { file, reason: messageOf(fault) }, fault);
}

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (fault) {
    throw errors.create('STATE_FILE_NOT_UTF8', { file, ...firstInvalid(bytes) }, fault);
  }
}

/** Line and column of the first byte that is not UTF-8. */
function firstInvalid(bytes: Buffer): { line: number; column: number } {
  const text = bytes.toString('utf8');
  let offset = 0;
  let line = 1;
  let column = 1;
  for (const character of text) {
    const expected = Buffer.from(character);
    // Invalid bytes were replaced, so the first difference is the place.
    if (!bytes.subarray(offset, offset + expected.length).equals(expected)) break;
    offset += expected.length;
    if (character === '\n') [line, column] = [line + 1, 1];
    else column++;
  }
  return { line, column };
}

/** The file that a path leads to when its links are followed, even if the last link leads to nothing yet. */
export async function followLinks(file: string): Promise<string> {
  let current = resolve(file);
  for (let links = 0; links < 40; links++) {
    const info = await lstat(current).catch(() => undefined); // Reading or writing it will say what is wrong.
    if (!info?.isSymbolicLink()) return current;
    current = resolve(dirname(current), await readlink(current));
  }
  throw errors.create('STATE_FILE_UNWRITABLE', { file, reason: 'its links lead in a circle' });
}
