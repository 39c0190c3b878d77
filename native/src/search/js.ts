import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { recheck, scanTree, type JsScan } from '../scan/js-cache.ts';
import { globMatcher } from '../scan/js-glob.ts';
import { losslessText, shown, systemPath } from '../scan/js-names.ts';
import { ProblemList } from '../scan/js-walk.ts';
import { linkLimits } from '../task.ts';
import type { GrepFile, GrepResult, Search } from './contract.ts';
import { choose, fitting, trim } from './js-fair.ts';
import { bytesOf, type FileHits, type Keep, searchText } from './js-lines.ts';
import { compilePattern, type JsPattern } from './js-regex.ts';
import { type GrepRequest, grepRequest } from './request.ts';

/** Files that are read at once; limits are looked at between such runs. */
const RUN = 32;

const BINARY_WINDOW = 64 * 1024;

/** The search accelerator in JavaScript. */
export function createJs(): Search {
  return {
    async grep(options) {
      const request = grepRequest(options);
      const pattern = compilePattern(request.pattern, request);
      const limits = linkLimits(options);
      try {
        if ((await stat(request.path).catch(() => undefined))?.isFile()) {
          // A link that is named is meant; the reader follows none by itself.
          const file = { path: basename(resolve(request.path)), place: await realpath(request.path) };
          return await searchFiles(request, pattern, [file], undefined, limits.signal);
        }
        let scan = await scanTree(request.path, request.policy, request.cache, limits.signal);
        let files = select(scan, request.globs);
        const again = files.length === 0 ? await recheck(scan, request.policy, limits.signal) : undefined;
        if (again) {
          scan = again;
          files = select(again, request.globs);
        }
        return await searchFiles(request, pattern, files, scan, limits.signal);
      } finally {
        limits.dispose();
      }
    },
  };
}

/** A file to search: as the answer names it, and where it lies. */
interface Chosen {
  readonly path: string;
  readonly place: string;
}

function select(scan: JsScan, globs: readonly string[]): Chosen[] {
  const matches = globMatcher(globs);
  return scan.snapshot.entries
    .filter((entry) => entry.kind === 'file' && matches(shown(entry.path)))
    .map(({ path }) => ({ path, place: `${scan.snapshot.root}/${path}` }));
}

async function searchFiles(
  request: GrepRequest,
  pattern: JsPattern,
  files: readonly Chosen[],
  scan: JsScan | undefined,
  signal: AbortSignal,
): Promise<GrepResult> {
  const enough = request.offset + request.limit;
  const keep: Keep = {
    matches: { content: Math.min(request.perFile, enough), files: 1, count: Infinity }[request.mode],
    before: request.before,
    after: request.after,
    columns: request.columns,
    bytes: request.bytes,
    countOnly: request.mode !== 'content',
  };
  const problems = new ProblemList();
  const hits: FileHits[] = [];
  let [searched, binary, bytes, limited] = [0, 0, 0, false];
  for (let first = 0; first < files.length; first += RUN) {
    signal.throwIfAborted();
    if (hits.length > enough || bytes > request.bytes) {
      limited = true;
      break;
    }
    const run = files.slice(first, first + RUN);
    const contents = await Promise.all(run.map(({ place }) => readText(place, request.fileBytes, pattern)));
    for (const [index, content] of contents.entries()) {
      const path = shown(run[index]?.path ?? '');
      if (content.kind === 'problem') problems.add(path, content.error);
      if (content.kind === 'binary') binary += 1;
      if (content.kind !== 'text') continue;
      searched += 1;
      if (content.text === undefined) continue;
      const file = await inTurns(searchText(pattern, content.text, keep, path), signal);
      if (file.matches === 0) continue;
      hits.push(file);
      bytes += bytesOf(file);
    }
  }
  if (scan) problems.addAll(scan.snapshot.problems);
  const page = pack(request, hits);
  return {
    ...page,
    limited: limited || page.limited,
    searched,
    spared: 0,
    binary,
    problems: problems.list(),
    problemCount: problems.count,
    ...(pattern.repaired === undefined ? {} : { repaired: pattern.repaired }),
    ...(scan ? { scan: scan.info } : {}),
  };
}

/** Runs work to its end; where it yields, others have a turn, and it may be cancelled. */
async function inTurns<T>(work: Generator<undefined, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await setImmediate();
    signal.throwIfAborted();
  }
}

type Content =
  /** Text is undefined when a quick look at the bytes already showed that nothing can match. */
  | { readonly kind: 'text'; readonly text: string | undefined }
  | { readonly kind: 'binary' | 'gone' }
  | { readonly kind: 'problem'; readonly error: unknown };

async function readText(path: string, most: number, pattern: JsPattern): Promise<Content> {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = await open(systemPath(path), flags);
    try {
      if ((await file.stat()).size > most) {
        return { kind: 'problem', error: new Error(`larger than ${most} bytes; raise maxFileBytes to search it`) };
      }
      return decode(await file.readFile(), pattern);
    } finally {
      await file.close();
    }
  } catch (error) {
    const vanished = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return vanished ? { kind: 'gone' } : { kind: 'problem', error };
  }
}

function decode(bytes: Buffer, pattern: JsPattern): Content {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return utf16('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return utf16('utf-16be', bytes);
  const body = first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
  const nul = body.indexOf(0);
  if (nul >= 0 && nul < BINARY_WINDOW) return { kind: 'binary' };
  if (pattern.literal !== undefined && !body.includes(pattern.literal)) return { kind: 'text', text: undefined };
  return { kind: 'text', text: isUtf8(body) ? body.toString('utf8') : losslessText(body) };
}

function utf16(encoding: string, bytes: Buffer): Content {
  return { kind: 'text', text: new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(2)) };
}

/** Deals the page and applies the byte budget. */
function pack(
  request: GrepRequest,
  hits: readonly FileHits[],
): { files: GrepFile[]; matches: number; limited: boolean } {
  const content = request.mode === 'content';
  const counts = hits.map((file) => (content ? file.matches : 1));
  const page = choose(counts, request.offset, request.limit);
  const files: GrepFile[] = [];
  let [matches, limited, room] = [0, false, request.bytes];
  hits.forEach((whole, index) => {
    const chosen = page[index] ?? { first: 0, end: 0 };
    const count = counts[index] ?? 0;
    limited ||= chosen.end < count;
    if (chosen.end === chosen.first) return;
    let file = whole;
    if (content && (chosen.first > 0 || chosen.end < count)) file = trim(file, chosen, request.before, request.after);
    if (bytesOf(file) > room) {
      const end = fitting(file, room);
      limited = true;
      room = 0;
      if (end === 0) return;
      file = trim(file, { first: 0, end }, request.before, request.after);
    }
    room = Math.max(0, room - bytesOf(file));
    limited ||= file.more && content;
    matches += file.matches;
    files.push(publicFile(file));
  });
  return { files, matches, limited };
}

function publicFile({ path, matches, more, lines }: FileHits): GrepFile {
  return {
    path,
    matches,
    more,
    lines: lines.map(({ number, text, match, column, cut, shift }) => ({
      number,
      text,
      match,
      ...(column === 0 ? {} : { column }),
      ...(cut ? { cut: shift } : {}),
    })),
  };
}
