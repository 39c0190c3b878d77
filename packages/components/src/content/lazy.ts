/** Parts with libraries behind them, which are loaded when they are first needed. */

/** `MarkdownStream` and `renderMarkdown`. */
export type MarkdownModule = typeof import('./markdown.ts');

/** `renderDiff` and `renderPatch`. */
export type DiffModule = typeof import('./diff.ts');

/** Loads what draws Markdown (about 15 ms the first time). */
export function loadMarkdown(): Promise<MarkdownModule> {
  return import('./markdown.ts');
}

/** Loads what draws differences. */
export function loadDiff(): Promise<DiffModule> {
  return import('./diff.ts');
}
