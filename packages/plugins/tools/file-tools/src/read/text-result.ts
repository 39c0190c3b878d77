/** Texts, whole in memory or as a stream. */
import type { ToolResult } from '@tenon/tools/api';
import { outlineView } from './outline-view.ts';
import { type Reading, type Subject, subjectResult } from './reading.ts';
import { streamedView } from './streamed-view.ts';
import { textView } from './text-view.ts';

/** Larger texts are read through, not into memory. */
export const MAX_MEMORY_BYTES = 16 * 1024 * 1024;

/** What kind of text it is. */
export interface TextKind {
  /** True for a file that edit can change: its lines get anchors. */
  readonly isEditable: boolean;
  /** The path or name that tells the language; only then is a long text shown as an outline. */
  readonly outlineAs?: string;
}

/** Shows a text that is in memory. */
export async function textResultOf(
  { host, signal }: Reading,
  subject: Subject,
  content: Buffer,
  { isEditable, outlineAs }: TextKind,
): Promise<ToolResult> {
  const { selector, shownPath } = subject;
  const { defaultLimit, summaryFromLines: fromLines } = host.config.read;
  const hashline = await host.accelerator('hashline');
  if (outlineAs !== undefined && !selector.raw && selector.first === undefined) {
    const syntax = await host.accelerator('syntax');
    const about = { path: outlineAs, shownPath, fromLines, anchors: isEditable };
    const outline = await outlineView({ hashline, syntax }, content, about, signal);
    if (outline) return subjectResult(subject, outline.text, { details: { summary: outline.summary } });
  }
  const { text, meta } = textView(hashline, content, { selector, shownPath, defaultLimit, anchors: isEditable });
  return subjectResult(subject, text, { meta });
}

/** Shows the wanted lines of a text that is too large for memory. */
export async function streamResultOf(
  { host }: Reading,
  subject: Subject,
  chunks: AsyncIterable<Buffer>,
  { bytes, isEditable }: { readonly bytes: number; readonly isEditable: boolean },
): Promise<ToolResult> {
  const { selector, shownPath } = subject;
  const { defaultLimit } = host.config.read;
  const hashline = await host.accelerator('hashline');
  const view = await streamedView(hashline, chunks, bytes, { selector, shownPath, defaultLimit, anchors: isEditable });
  return subjectResult(subject, view.text, { meta: view.meta });
}
