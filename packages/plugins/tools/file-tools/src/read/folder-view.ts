import type { ToolResult } from '@tenon/tools/api';
import { folderTree } from './folder-tree.ts';
import { listResult, type Reading, type Subject, subjectResult } from './reading.ts';

const DEFAULT_LINES = 500;
const MAX_LINES = 3000;

/** Shows a folder as a tree; a line selector pages through it. */
export async function folderView({ signal }: Reading, subject: Subject, path: string): Promise<ToolResult> {
  const { first = 1, last = first + DEFAULT_LINES - 1 } = subject.selector;
  const until = Math.min(last, first + MAX_LINES - 1);
  const { lines, left, hidden } = await folderTree(path, { maxLines: until, signal });
  const details = { isDirectory: true };
  if (lines.length === 0) return subjectResult(subject, '(empty directory)', { details });
  const limits = left + hidden > 0 ? { limits: { hiddenEntries: left + hidden } } : {};
  const result = listResult(subject, lines, MAX_LINES, { details, meta: limits });
  if (left === 0 || first > lines.length) return result;
  const name = left === 1 ? 'entry' : 'entries';
  const hint = `[${left} more ${name}. Use ${subject.shownPath}:${lines.length + 1} to continue, or find with a pattern.]`;
  return { ...result, content: [...result.content, { type: 'text', text: hint }] };
}
