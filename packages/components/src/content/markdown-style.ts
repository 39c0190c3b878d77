/** How Markdown looks: what the renderer is handed. */
import type { Theme } from '../theme/theme.ts';
import type { Highlighter } from './highlighter.ts';
import type { ContentText } from './text-tools.ts';

/** What Markdown is drawn with. */
export interface MarkdownStyle {
  readonly theme: Theme;
  readonly text: ContentText;
  /** Makes a hyperlink of styled text; without it the address stands behind the text. It must add no columns. */
  readonly link?: (text: string, url: string) => string;
  /** Colours closed code blocks whose language is loaded. */
  readonly highlighter?: Highlighter;
  /** How plain text looks, for instance the colour of thoughts; the terminal's own unless given. */
  readonly base?: (text: string) => string;
}

/** A function that styles text. */
export type Paint = (text: string) => string;

/** Text as it is. */
export const plain: Paint = (text) => text;
