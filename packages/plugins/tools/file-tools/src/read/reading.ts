import { type ResultMeta, textResult, type ToolResult, type ToolScope } from '@tenon/tools/api';
import type { FileToolsHost } from '../host.ts';
import type { Selector } from './selector.ts';
import { linesWanted, pastEnd, shownLines } from './text-view.ts';

/** One call of read. */
export interface Reading {
  readonly host: FileToolsHost;
  readonly scope: ToolScope;
  readonly signal: AbortSignal;
}

/** What is read and what to say about it. */
export interface Subject {
  /** As the reader would write it, without a selector. */
  readonly shownPath: string;
  readonly selector: Selector;
  readonly source: NonNullable<ResultMeta['source']>;
  readonly details: Readonly<Record<string, unknown>>;
  /** For the reader, in front of the content. */
  readonly notes?: readonly string[];
}

/** A result about the subject. */
export function subjectResult(
  { source, details, notes = [] }: Subject,
  text: string,
  more: { readonly meta?: Omit<ResultMeta, 'source'>; readonly details?: Readonly<Record<string, unknown>> } = {},
): ToolResult {
  const lines = [...notes.map((note) => `[${note}]`), text].join('\n');
  return textResult(lines, { ...details, ...more.details, meta: { source, ...more.meta } });
}

/** Rows of a list without numbers, by the page. */
export function listResult(
  subject: Subject,
  lines: readonly string[],
  limit: number,
  more: Parameters<typeof subjectResult>[2] = {},
): ToolResult {
  const { selector, shownPath } = subject;
  const wanted = linesWanted({ ...selector, raw: true }, limit, lines.length);
  if (!wanted) return subjectResult(subject, pastEnd(selector.first ?? 1, lines.length, shownPath), more);
  const shown = lines.slice(wanted.first - 1, wanted.last);
  const totalBytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const view = shownLines(shown, { ...wanted, total: lines.length, totalBytes, shownPath, raw: false });
  return subjectResult(subject, view.text, { ...more, meta: { ...more.meta, ...view.meta } });
}
