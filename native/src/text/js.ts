import type { TextTools } from './contract.ts';
import { createSanitizer, sanitizeText } from './sanitize.ts';
import { sliceColumns, truncateColumns } from './slice.ts';
import { estimateTokens } from './tokens.ts';
import { textWidth } from './width.ts';
import { wrapText } from './wrap.ts';

/** The tab width unless a caller gives one. */
export const TAB_WIDTH = 4;

/** The text accelerator in plain JavaScript. */
export function createJs(): TextTools {
  return {
    width: textWidth,
    truncate: (text, width, ellipsis = '…') => truncateColumns(text, width, ellipsis),
    slice: sliceColumns,
    wrap: (text, width, options = {}) => wrapText(text, width, options.tabWidth ?? TAB_WIDTH),
    sanitize: (output, options = {}) => sanitizeText(output, options),
    sanitizer: (options = {}) => createSanitizer((part) => sanitizeText(part, options)),
    estimateTokens,
  };
}
