/** What can be drawn. The contract is pi's, so that components of its extensions can be shown as they are. */

/** Something that draws itself as rows and may take keys. */
export interface Component {
  /** The rows for this many columns; styles (SGR) and links are kept, other sequences are taken out, rows too wide are cut. */
  render(width: number): string[];
  /** The rows for the whole screen while it was taken over; the last rows of `render` are shown unless given. */
  renderScreen?(width: number, height: number): string[];
  /** Gets what was typed while it has the focus: one key, or one whole paste, as the terminal sent it. */
  handleInput?(data: string): void;
  /** For screen readers: what is chosen, and its place, as one line; nothing where there is nothing to choose. */
  spoken?(): string | undefined;
  /** Forgets what it has cached, for instance because the colours changed. */
  invalidate?(): void;
  /** A frame is about to be drawn: the last moment to append what has become final, so that it is not drawn live once more. */
  beforeFrame?(): void;
}

/** Stands in a rendered row where the caret is; the real cursor goes there, which is where input methods open. */
export const CURSOR_MARKER = '\x1b_pi:c\x07';

/** Columns of text; `loadAccelerator('text')` of @tenon/native is one. */
export interface TextColumns {
  /** How many columns a terminal gives the text. */
  width(text: string): number;
  /** The columns `start` to `end` (exclusive), with the styles that they have. */
  slice(text: string, start: number, end: number): string;
  /** The text without control sequences; `keepStyle` keeps colours and styles, `keepLinks` links (OSC 8) that are safe. */
  sanitize(text: string, options: { readonly keepStyle: boolean; readonly keepLinks?: boolean }): string;
}
