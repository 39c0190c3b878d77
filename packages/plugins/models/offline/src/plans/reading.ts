/** Steps that several plans share: searching page by page, reading whole files, changing lines. */
import { escapePattern } from '../code/declarations.ts';
import { call, type CallResult, type Step } from '../plan.ts';
import { isExcluded } from '../language/paths.ts';
import type { Request } from '../request.ts';
import { type FoundLine, isCut, nextPage, readFileText, readFoundLines } from '../tool-output.ts';

/** A part of a plan. */
export type Steps<T> = Generator<Step, T, readonly CallResult[]>;

/** Pages that are followed; beyond that the request is too wide to be answered well. */
const MAX_PAGES = 30;

/** What a search found. */
export interface SearchResult {
  readonly lines: readonly FoundLine[];
  /** True when there is more than was followed. */
  readonly isPartial: boolean;
  /** The tool's own words when it found nothing or failed. */
  readonly note: string;
  readonly isError: boolean;
}

/** The folders and files that a request is about. */
export function pathsOf({ scope }: Pick<Request, 'scope'>): string[] {
  return scope.paths.length > 0 ? [...scope.paths] : ['.'];
}

/** All matches of an expression where a request wants them, without what it leaves out. */
export function* searchScope(
  pattern: string,
  { scope }: Pick<Request, 'scope'>,
  options: { readonly say?: string; readonly ignoreCase?: boolean; readonly maxPages?: number } = {},
): Steps<SearchResult> {
  const result = yield* searchAll(pattern, pathsOf({ scope }), options);
  return { ...result, lines: result.lines.filter(({ path }) => !isExcluded(path, scope)) };
}

/** All matches of an expression, page by page. */
export function* searchAll(
  pattern: string,
  paths: readonly string[],
  options: { readonly say?: string; readonly ignoreCase?: boolean; readonly maxPages?: number } = {},
): Steps<SearchResult> {
  const lines = new Map<string, FoundLine>();
  let note = '';
  let skip: number | undefined = 0;
  let isIncomplete = false;
  for (let page = 0; skip !== undefined && page < (options.maxPages ?? MAX_PAGES); page++) {
    const input: Record<string, unknown> = {
      pattern,
      paths,
      ...(options.ignoreCase && { i: true }),
      ...(skip > 0 && { skip }),
    };
    const say = page === 0 && options.say !== undefined ? { say: options.say } : {};
    const result: CallResult = yield* call('search', input, { ...say, mayFail: true });
    if (result.isError) return { lines: [...lines.values()], isPartial: true, note: result.text, isError: true };
    note = result.text;
    const matches = readFoundLines(result.text, soleFile(paths)).filter(({ isMatch }) => isMatch);
    for (const line of matches) lines.set(`${line.path}:${line.line}`, line);
    isIncomplete ||= isCut(result.text);
    skip = nextPage(result.text);
  }
  return { lines: [...lines.values()], isPartial: isIncomplete || skip !== undefined, note, isError: false };
}

function soleFile(paths: readonly string[]): string {
  return paths.length === 1 && !/[*?]/.test(paths[0] ?? '') ? (paths[0] ?? '') : '';
}

/** Finds a name as a whole word. */
export function wordPattern(...names: readonly string[]): string {
  const escaped = names.map(escapePattern);
  const inner = escaped.length === 1 ? (escaped[0] ?? '') : `(?:${escaped.join('|')})`;
  // `\b` has no meaning beside `$`, which is not a letter.
  const [first, last] = [names.every((name) => /^\w/.test(name)), names.every((name) => /\w$/.test(name))];
  return `${first ? String.raw`\b` : ''}${inner}${last ? String.raw`\b` : ''}`;
}

/** A file word for word, or why there is none. */
export type WholeFile = { readonly text: string } | { readonly problem: string };

/** Files that are read at once. */
const BATCH = 20;

/** The texts of many files. */
export function* readAll(paths: readonly string[], say: string): Steps<Map<string, WholeFile>> {
  const files = new Map<string, WholeFile>();
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    const results: readonly CallResult[] = yield {
      ...(at === 0 && { say }),
      calls: batch.map((path) => ({ name: 'read', arguments: { path: `${path}:raw` }, mayFail: true })),
    };
    for (const [index, path] of batch.entries()) {
      const result = results[index];
      if (!result || result.isError) {
        files.set(path, { problem: result?.text ?? `${path} was not read.` });
        continue;
      }
      const { text, next } = readFileText(result.text);
      const rest: WholeFile = next === undefined ? { text: '' } : yield* readWhole(path, undefined, next);
      files.set(path, 'problem' in rest ? rest : { text: next === undefined ? text : `${text}\n${rest.text}` });
    }
  }
  return files;
}

/** The text of a file, word for word, from a line on; a problem when it cannot be read or is too long. */
export function* readWhole(path: string, say?: string, first = 1): Steps<WholeFile> {
  const parts: string[] = [];
  let next: number | undefined = first;
  for (let page = 0; next !== undefined; page++) {
    if (page >= 20) return { problem: `${path} is too long to be read as a whole.` };
    const selector: string = next === 1 ? ':raw' : `:${next}:raw`;
    const result: CallResult = yield* call(
      'read',
      { path: `${path}${selector}` },
      { ...(say !== undefined && page === 0 && { say }), mayFail: true },
    );
    if (result.isError) return { problem: result.text };
    const read = readFileText(result.text);
    parts.push(read.text);
    next = read.next;
  }
  return { text: parts.join('\n') };
}

/** One line that gets a new text. */
export interface LineChange {
  readonly path: string;
  readonly anchor: string;
  readonly text: string;
}

/** The input of `edit` that changes these lines, all files at once. */
export function editInput(changes: readonly LineChange[]): string {
  const byPath = new Map<string, LineChange[]>();
  for (const change of changes) byPath.set(change.path, [...(byPath.get(change.path) ?? []), change]);
  return [...byPath]
    .flatMap(([path, lines]) => [
      `@@ ${path}`,
      ...lines.flatMap(({ anchor, text }) => [`= ${anchor}..${anchor}`, ...text.split('\n').map((line) => `~${line}`)]),
    ])
    .join('\n');
}

/** Matches by file, in the order in which the files came. */
export function byFile(lines: readonly FoundLine[]): Map<string, FoundLine[]> {
  const files = new Map<string, FoundLine[]>();
  for (const line of lines) files.set(line.path, [...(files.get(line.path) ?? []), line]);
  return files;
}

/** Matches as a list for the user, grouped by file. */
export function matchList(lines: readonly FoundLine[], max = 60): string {
  let room = max;
  const parts: string[] = [];
  for (const [path, fileLines] of byFile(lines)) {
    if (room <= 0) break;
    const shown = fileLines.slice(0, room);
    room -= shown.length;
    parts.push(`${path}`, ...shown.map(({ line, text }) => `  ${line}: ${shorten(text.trim())}`));
  }
  if (lines.length > max) parts.push(`(${lines.length - max} more)`);
  return parts.join('\n');
}

function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
