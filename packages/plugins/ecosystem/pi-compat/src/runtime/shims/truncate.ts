/** Cuts long output, as tools of pi do. */

/** Lines that a tool shows at most. */
export const DEFAULT_MAX_LINES = 2_000;
/** Bytes that a tool shows at most. */
export const DEFAULT_MAX_BYTES = 50 * 1024;
/** Characters of a line that `grep` shows. */
export const GREP_MAX_LINE_LENGTH = 500;

interface Limits {
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

/** What is left of a text, and what was cut. */
export interface Truncation {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: 'lines' | 'bytes' | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly lastLinePartial: boolean;
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** Keeps the beginning. */
export function truncateHead(text: string, limits: Limits = {}): Truncation {
  return truncate(
    text,
    limits,
    (lines) => lines,
    (lines) => lines,
  );
}

/** Keeps the end. */
export function truncateTail(text: string, limits: Limits = {}): Truncation {
  return truncate(
    text,
    limits,
    (lines) => [...lines].reverse(),
    (lines) => [...lines].reverse(),
  );
}

type Order = (lines: readonly string[]) => readonly string[];

function truncate(text: string, limits: Limits, inOrder: Order, back: Order): Truncation {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const lines = text.split('\n');
  const kept: string[] = [];
  let bytes = 0;
  let truncatedBy: Truncation['truncatedBy'] = null;
  for (const line of inOrder(lines)) {
    const size = Buffer.byteLength(line) + (kept.length > 0 ? 1 : 0);
    if (kept.length >= maxLines) truncatedBy = 'lines';
    else if (bytes + size > maxBytes) truncatedBy = 'bytes';
    if (truncatedBy) break;
    kept.push(line);
    bytes += size;
  }
  return {
    content: back(kept).join('\n'),
    truncated: truncatedBy !== null,
    truncatedBy,
    totalLines: lines.length,
    totalBytes: Buffer.byteLength(text),
    outputLines: kept.length,
    outputBytes: bytes,
    lastLinePartial: false,
    firstLineExceedsLimit: truncatedBy === 'bytes' && kept.length === 0,
    maxLines,
    maxBytes,
  };
}

/** Cuts one line. */
export function truncateLine(line: string, max = GREP_MAX_LINE_LENGTH): { text: string; wasTruncated: boolean } {
  return line.length <= max
    ? { text: line, wasTruncated: false }
    : { text: `${line.slice(0, max)}... [truncated]`, wasTruncated: true };
}

/** `1.5KB` */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
