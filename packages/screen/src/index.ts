/** A terminal screen that knows nothing of agents; docs/design/screen.md says how it works. */
export { type Component, CURSOR_MARKER, type TextColumns } from './component.ts';
export { KeyDecoder, type TerminalInput } from './key-decoder.ts';
export { type Key, readKey } from './keys.ts';
export { MainScreen, type ScreenOptions } from './main-screen.ts';
export type { OverlayOptions } from './overlay.ts';
export { ProcessTerminal, type Terminal, type TerminalHandlers } from './terminal.ts';
