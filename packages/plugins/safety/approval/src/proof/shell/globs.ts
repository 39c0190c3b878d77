/** Globs, expanded on the disk as bash would do it without any of its options. */
import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A piece of a word: quoted letters are only letters. */
export interface Piece {
  readonly text: string;
  readonly quoted: boolean;
}

/** The paths that match, sorted; `unclear` when bash could come to another result or there are too many. */
export type GlobResult = { readonly paths: readonly string[] } | 'unclear';

const MAX_MATCHES = 1000;
const MAX_ENTRIES = 20_000;

/** Whether any letter of it is a glob. */
export function hasGlob(pieces: readonly Piece[]): boolean {
  // A bracket that is never closed is a letter, such as the program `[`.
  const isClosed = pieces.some(({ text }) => text.includes(']'));
  return pieces.some(({ text, quoted }) => !quoted && (isClosed ? /[*?[]/ : /[*?]/).test(text));
}

/** Expands a glob. Nothing matches: no paths. */
export function expandGlob(pieces: readonly Piece[], cwd: string): GlobResult {
  const segments = segmentsOf(pieces);
  if (segments === undefined) return 'unclear';
  const budget = { left: MAX_ENTRIES };
  let found: string[] = [''];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const next: string[] = [];
    for (const start of found) {
      const names = namesFor(segment, resolve(cwd, start === '' ? '.' : start), isLast, budget);
      if (names === 'unclear') return 'unclear';
      for (const name of names) next.push(`${start}${name}${isLast ? '' : '/'}`);
      if (next.length > MAX_MATCHES) return 'unclear';
    }
    found = next;
  }
  return { paths: found.filter((path) => path !== '').sort() };
}

/** Names that match one segment in a folder. */
function namesFor(
  segment: readonly Piece[],
  folder: string,
  isLast: boolean,
  budget: { left: number },
): readonly string[] | 'unclear' {
  const literal = segment.map(({ text }) => text).join('');
  if (!hasGlob(segment)) {
    // An empty segment is the root, or a slash at the end.
    if (literal === '') return [''];
    if (!isLast) return isFolder(resolve(folder, literal)) ? [literal] : [];
    return statSync(resolve(folder, literal), { throwIfNoEntry: false }) ? [literal] : [];
  }
  const pattern = patternOf(segment);
  if (pattern === undefined) return 'unclear';
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // Bash finds nothing there, either.
  }
  budget.left -= names.length;
  if (budget.left < 0) return 'unclear';
  const startsWithDot = literal.startsWith('.');
  const candidates = startsWithDot ? ['.', '..', ...names] : names.filter((name) => !name.startsWith('.'));
  const matched = candidates.filter((name) => pattern.exact.test(name));
  // Ranges of letters depend on the language of the machine.
  if (pattern.loose && candidates.filter((name) => pattern.loose?.test(name)).length !== matched.length)
    return 'unclear';
  // Whether `.*` finds `.` and `..` depends on the version of bash.
  if (matched.includes('.') || matched.includes('..')) return 'unclear';
  return isLast ? matched : matched.filter((name) => isFolder(resolve(folder, name)));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // Not to be looked at: nothing matches below it.
  }
}

function segmentsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] | undefined {
  const segments: Piece[][] = [[]];
  for (const { text, quoted } of pieces) {
    for (const [index, part] of text.split('/').entries()) {
      if (index > 0) segments.push([]);
      if (part !== '') segments.at(-1)?.push({ text: part, quoted });
    }
  }
  // A bracket that goes over a slash or a quote has rules of its own.
  return segments.some(
    (segment) => hasGlob(segment) && segment.some(({ text, quoted }) => !quoted && brokenBracket(text)),
  )
    ? undefined
    : segments;
}

function brokenBracket(text: string): boolean {
  return text.replace(/\[[!^]?[^\][!^]+\]/g, '').includes('[');
}

function patternOf(segment: readonly Piece[]): { readonly exact: RegExp; readonly loose?: RegExp } | undefined {
  let source = '';
  let hasRange = false;
  for (const { text, quoted } of segment) {
    if (quoted) {
      source += text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
      continue;
    }
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? '';
      if (char === '*') source += '.*';
      else if (char === '?') source += '.';
      else if (char === '[') {
        const [whole, not = '', inner = ''] = /^\[([!^]?)([^\][!^]+)\]/.exec(text.slice(at)) ?? [];
        if (whole === undefined || /[\\:.=]/.test(inner)) return undefined;
        if (/[^0-9]-[^0-9]|[a-zA-Z]-|-[a-zA-Z]/.test(inner)) hasRange = true;
        source += `[${not === '' ? '' : '^'}${inner.replace(/[\\^\]]/g, '\\$&')}]`;
        at += whole.length - 1;
      } else source += char.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
    }
  }
  try {
    const exact = new RegExp(`^${source}$`, 's');
    return hasRange ? { exact, loose: new RegExp(`^${source}$`, 'si') } : { exact };
  } catch {
    return undefined; // For example a range that goes backwards.
  }
}
