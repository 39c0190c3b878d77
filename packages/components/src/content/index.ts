export type { DiffOptions } from './diff.ts';
export { createHighlighter, type Highlighter } from './highlighter.ts';
export { type DiffModule, loadDiff, loadMarkdown, type MarkdownModule } from './lazy.ts';
export type { MarkdownStyle } from './markdown-style.ts';
export type { MarkdownStream } from './markdown.ts';
export { Rows, TextBlock, TruncatedRow } from './rows.ts';
export { Spinner, type SpinnerClock, type SpinnerOptions } from './spinner.ts';
export type { ContentText } from './text-tools.ts';
