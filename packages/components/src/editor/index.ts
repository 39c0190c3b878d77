/** The prompt editor and what it is made of. */
export { type EditorText } from './columns.ts';
export type { CompletionItem, CompletionRequest, Completions, CompletionSource } from './completion.ts';
export { Editor, type EditorMode, type EditorOptions } from './editor.ts';
export { EDITOR_KEYS, type EditorAction, type KeyAction, type KeyMeaning, usualKeys } from './editor-keys.ts';
export { canonicalKey, matchesKey } from './key-match.ts';
export { LineInput, type LineInputOptions } from './line-input.ts';
export type { Position } from './positions.ts';
export { TextBuffer } from './text-buffer.ts';
export type { Unit } from './units.ts';
export type { ViMode } from './vi/vi-keys.ts';
