/** What content needs to know of text; `loadAccelerator('text')` of @tenon/native is one. */
export interface ContentText {
  /** How many columns a terminal gives the text. */
  width(text: string): number;
  /** The text if it fits `width` columns, else its beginning and `ellipsis`. */
  truncate(text: string, width: number, ellipsis?: string): string;
  /** The columns `start` to `end` (exclusive), with the styles that they have. */
  slice(text: string, start: number, end: number): string;
  /** Lines of at most `width` columns; each opens and closes its own styles. */
  wrap(text: string, width: number): string[];
  /** The text without control sequences; `keepStyle` keeps colours and styles. */
  sanitize(text: string, options?: { readonly keepStyle?: boolean }): string;
}

const ASCII = /^[ -~]*$/;

/** True for text whose columns are its characters. */
export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/** How many columns the text takes, without a call for plain text. */
export function columns(text: ContentText, value: string): number {
  return isAscii(value) ? value.length : text.width(value);
}

/** The rows of one value, each cut to the width: a wide character in one column is the case that wrapping cannot solve. */
export function wrapped(text: ContentText, value: string, width: number): string[] {
  if (value.length <= width && isAscii(value)) return [value];
  return text.wrap(value, width).map((row) => fitted(text, row, width));
}

/** The row, cut if it is too wide. */
export function fitted(text: ContentText, row: string, width: number): string {
  return columns(text, row) > width ? text.slice(row, 0, width) : row;
}
