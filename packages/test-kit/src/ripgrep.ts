import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** A ripgrep to compare with. */
export interface Ripgrep {
  readonly path: string;
  /** `ripgrep 15.0.0`. */
  readonly version: string;
}

/** The ripgrep of npm's @vscode/ripgrep, where it is installed. */
export function findRipgrep(): Ripgrep | undefined {
  try {
    const library: unknown = createRequire(import.meta.url)('@vscode/ripgrep');
    const path: unknown = typeof library === 'object' && library !== null ? Reflect.get(library, 'rgPath') : undefined;
    if (typeof path !== 'string') return undefined;
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return { path, version: /^\S+ [\d.]+/.exec(stdout)?.[0] ?? 'ripgrep' };
  } catch {
    // Not installed: the suites that compare with it are skipped and say so.
    return undefined;
  }
}

/** One line that ripgrep shows, as bytes without its line break. */
export interface RipgrepLine {
  readonly number: number;
  readonly text: Buffer;
  readonly match: boolean;
  /** Bytes before the first match on the line. */
  readonly column: number | undefined;
}

/** What ripgrep gives: lines by file, or nothing when it refuses the pattern. Files that it takes for binary are left out. */
export function ripgrepLines(
  { path }: Ripgrep,
  folder: string,
  args: readonly string[],
): Map<string, RipgrepLine[]> | undefined {
  const { status, stdout } = spawnSync(path, ['--no-config', '--json', '--hidden', '--crlf', ...args, '.'], {
    cwd: folder,
    maxBuffer: 1 << 30,
  });
  if (status === 2) return undefined;
  const files = new Map<string, RipgrepLine[]>();
  for (const row of stdout.toString('utf8').split('\n')) {
    if (row === '') continue;
    const event = JSON.parse(row) as RipgrepEvent;
    const name = event.data.path ? bytesOf(event.data.path).toString('utf8').replace(/^\.\//, '') : '';
    if (event.type === 'end' && event.data.binary_offset !== null) files.delete(name);
    if (event.type !== 'match' && event.type !== 'context') continue;
    const lines = files.get(name) ?? [];
    files.set(name, lines);
    const shown = splitLines(bytesOf(event.data.lines));
    shown.forEach((text, index) => {
      const column = index === 0 ? event.data.submatches[0]?.start : undefined;
      lines.push({ number: event.data.line_number + index, text, match: event.type === 'match', column });
    });
  }
  return files;
}

type Text = { readonly text: string } | { readonly bytes: string };
interface ShownLines {
  readonly path: Text;
  readonly lines: Text;
  readonly line_number: number;
  readonly submatches: readonly { readonly start: number }[];
}
type RipgrepEvent =
  | { readonly type: 'match' | 'context'; readonly data: ShownLines }
  | { readonly type: 'end'; readonly data: { readonly path: Text; readonly binary_offset: number | null } }
  | { readonly type: 'begin' | 'summary'; readonly data: { readonly path?: Text } };

function bytesOf(value: Text): Buffer {
  return 'text' in value ? Buffer.from(value.text, 'utf8') : Buffer.from(value.bytes, 'base64');
}

function splitLines(lines: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf(10, at);
    const stop = end === -1 ? lines.length : end;
    // A carriage return belongs to the line break, also where the file ends before the line feed.
    parts.push(lines.subarray(at, stop > at && lines[stop - 1] === 13 ? stop - 1 : stop));
    at = stop + 1;
  }
  return parts;
}
