/** What extensions import of pi-tui. Components live in the extension's process; only their rows reach the screen. */
export { truncateToWidth, visibleWidth, wrapTextWithAnsi } from './text-width.ts';
export { fuzzyFilter, fuzzyMatch } from './fuzzy.ts';
export {
  decodeKittyPrintable,
  isKeyRelease,
  isKeyRepeat,
  isKittyProtocolActive,
  Key,
  matchesKey,
  parseKey,
  setKittyProtocolActive,
} from './keys.ts';
export {
  DEFAULT_EDITOR_KEYBINDINGS,
  EditorKeybindingsManager,
  EditorKeybindingsManager as KeybindingsManager,
  getEditorKeybindings,
  getEditorKeybindings as getKeybindings,
  setEditorKeybindings,
  setEditorKeybindings as setKeybindings,
} from './keybindings.ts';
export { Box, Container, CURSOR_MARKER, Image, Spacer, Text, TruncatedText } from './tui-basics.ts';
export { Editor } from './tui-editor.ts';
export { Input } from './tui-input.ts';
export { SelectList, SettingsList } from './tui-lists.ts';
export { CancellableLoader, Loader } from './tui-loader.ts';
export { Markdown } from './tui-markdown.ts';

/** Whether a component can have the caret. */
export function isFocusable(component: unknown): boolean {
  return typeof component === 'object' && component !== null && 'focused' in component;
}

/** What the terminal can show beside text: components of extensions are text. */
export function getCapabilities(): Readonly<Record<string, unknown>> {
  return { images: null, trueColor: true, hyperlinks: false };
}

/** The size of a character in pixels, as pi assumes it where nothing is known. */
export function getCellDimensions(): { widthPx: number; heightPx: number } {
  return { widthPx: 9, heightPx: 18 };
}

/** What stands for an image. */
export function imageFallback(type: string): string {
  return `[${String(type)}]`;
}

/** A link where terminals show one. */
export function hyperlink(text: string, _url: string): string {
  return text;
}
