/**
 * Reads a session file once and remembers where each entry stands, without keeping the entries: a session of 100 MB
 * costs a few megabytes, and only what is on the active branch is read again.
 */
import type { FileHandle } from 'node:fs/promises';

/** Where one line stands and what it is. */
export interface LineFact {
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
}

/** What was found in a file. */
export interface LineScan {
  /** The first line, parsed, if it is JSON. */
  readonly header: Record<string, unknown> | undefined;
  readonly headerLength: number;
  readonly lines: readonly LineFact[];
  /** Offsets of lines that are no entries. */
  readonly garbage: readonly number[];
  /** True when the last line lacks its line break. */
  readonly tornTail: boolean;
  readonly bytes: number;
}

const CHUNK = 1 << 20;
/** What every writer of this format puts first; anything else is parsed whole. */
const PREFIX = /^\{"type":"([a-z_]+)","id":"([^"\\]{1,64})","parentId":(?:null|"([^"\\]{1,64})")[,}]/;

/** Scans a whole file. */
export async function scanLines(file: FileHandle): Promise<LineScan> {
  const lines: LineFact[] = [];
  const garbage: number[] = [];
  let header: Record<string, unknown> | undefined;
  let headerLength = 0;
  let isFirst = true;
  const take = (line: Buffer, offset: number, isTorn: boolean) => {
    if (isFirst) {
      isFirst = false;
      headerLength = line.length;
      header = parseObject(line);
      if (header?.['type'] === 'session') return;
      // Without a header the first line may be an entry like any other.
      headerLength = 0;
    }
    if (line.every((byte) => byte === 0x20 || byte === 0x0d)) return;
    // A crash may cut a line right behind an inner object: the last one is an entry only if all of it is there.
    const fact = isTorn && !parseObject(line) ? undefined : factOf(line, offset);
    if (fact) lines.push(fact);
    else garbage.push(offset);
  };
  const { bytes, tornTail } = await eachLine(file, take);
  return { header: header?.['type'] === 'session' ? header : undefined, headerLength, lines, garbage, tornTail, bytes };
}

async function eachLine(
  file: FileHandle,
  take: (line: Buffer, offset: number, isTorn: boolean) => void,
): Promise<{ bytes: number; tornTail: boolean }> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let rest: Buffer[] = [];
  let restLength = 0;
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(10, start); end !== -1 && end < bytesRead; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      const line = restLength === 0 ? part : Buffer.concat([...rest, part]);
      take(line, position + start - restLength, false);
      rest = [];
      restLength = 0;
      start = end + 1;
    }
    if (start < bytesRead) {
      rest.push(Buffer.from(chunk.subarray(start, bytesRead)));
      restLength += bytesRead - start;
    }
    position += bytesRead;
  }
  if (restLength > 0) take(Buffer.concat(rest), position - restLength, true);
  return { bytes: position, tornTail: restLength > 0 };
}

function factOf(line: Buffer, offset: number): LineFact | undefined {
  const { length } = line;
  const head = PREFIX.exec(line.toString('latin1', 0, 256));
  // A line that was cut off does not end as an object does.
  if (head && line[lastPrinted(line)] === 0x7d) {
    const [, type = '', id = '', parentId = null] = head;
    return { offset, length, type, id, parentId };
  }
  const parsed = parseObject(line);
  if (!parsed || typeof parsed['type'] !== 'string') return undefined;
  const { type, id, parentId } = parsed;
  return {
    offset,
    length,
    type,
    id: typeof id === 'string' ? id : '',
    parentId: typeof parentId === 'string' ? parentId : null,
  };
}

function lastPrinted(line: Buffer): number {
  let at = line.length - 1;
  while (at > 0 && (line[at] === 0x20 || line[at] === 0x0d)) at--;
  return at;
}

/** The line as an object, or nothing. */
export function parseObject(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // Garbage is counted and reported by the caller.
  }
}
