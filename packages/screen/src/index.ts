/** A terminal screen that knows nothing of agents; docs/design/screen.md says how it works. */
export { AppendScreen } from './append-screen.ts';
export { type Component, CURSOR_MARKER, type TextColumns } from './component.ts';
export { type Environment, environmentHints, type EnvironmentHints } from './environment-hints.ts';
export { type Colour, FactFinder, type FactFinderOptions, type TerminalFacts } from './facts.ts';
export type { EarlierRows } from './finished-rows.ts';
export { FullScreen, type FullScreenOptions } from './full-screen.ts';
export { type ImageLimits, type ImageProtocol, imageProtocol, imageRows, type TerminalImage } from './images.ts';
export { KeyDecoder, type TerminalInput } from './key-decoder.ts';
export { type Key, readKey } from './keys.ts';
export { LineScreen, type LineScreenOptions } from './line-screen.ts';
export { LineTerminal } from './line-terminal.ts';
export { MainScreen, type MainScreenOptions } from './main-screen.ts';
export { type MouseEvent, readMouse } from './mouse.ts';
export type { OverlayOptions } from './overlay.ts';
export type { Screen, ScreenOptions, StopOptions } from './screen.ts';
export {
  type ClipboardOptions,
  copyToClipboard,
  link,
  notify,
  type NotifyKind,
  notifyKind,
  setTitle,
} from './sequences.ts';
export { ProcessTerminal, type Terminal, type TerminalHandlers } from './terminal.ts';
