/**
 * Text as a terminal and a model see it: columns, escape sequences, tokens. `docs/design/text.md` says which parts
 * the addon serves and what the estimate's error is.
 */

/** What to keep of terminal output. */
export interface SanitizeOptions {
  /** Keep colours and styles (SGR sequences); off unless asked for. */
  readonly keepStyle?: boolean;
  /** Keep links (OSC 8) to http, https, mailto and file addresses; off unless asked for. */
  readonly keepLinks?: boolean;
}

/** How to break text into lines. */
export interface WrapOptions {
  /** Tabs become spaces up to the next multiple of this; 4 unless given, at most 16. */
  readonly tabWidth?: number;
}

/** Cleans terminal output that arrives in parts; a sequence or character cut by a border is held back. */
export interface Sanitizer {
  /** The clean text of what is complete so far. */
  push(part: Uint8Array): string;
  /** The clean text of what was held back. */
  end(): string;
}

/** The text accelerator. All calls are synchronous; strings may carry styles (SGR) and links (OSC 8), which take no columns. */
export interface TextTools {
  /** How many columns a terminal gives the text. */
  width(text: string): number;
  /** The text if it fits `width` columns, else its beginning and `ellipsis` (`…` unless given) in that width. */
  truncate(text: string, width: number, ellipsis?: string): string;
  /** The columns `start` to `end` (exclusive); half of a wide character becomes a space, styles and links are kept whole. */
  slice(text: string, start: number, end: number): string;
  /** Lines of at most `width` columns, broken at spaces where possible; each opens and closes its own styles and links. */
  wrap(text: string, width: number, options?: WrapOptions): string[];
  /** Terminal output as plain text: control sequences taken out, `\r` and `\r\n` as `\n`, broken bytes as U+FFFD. */
  sanitize(output: Uint8Array | string, options?: SanitizeOptions): string;
  /** The same for output that arrives in parts. */
  sanitizer(options?: SanitizeOptions): Sanitizer;
  /** About how many tokens the text costs a model: within 4 % in the median, 10 % for nine files of ten. */
  estimateTokens(text: Uint8Array | string): number;
}
