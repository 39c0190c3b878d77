import type { Addon } from '../addon.ts';
import { callNativeSync } from '../task.ts';
import type { TextAddon } from './addon.ts';
import type { SanitizeOptions, TextTools } from './contract.ts';
import { createJs, TAB_WIDTH } from './js.ts';
import { createSanitizer, hasControl } from './sanitize.ts';

/** The text accelerator served by the addon. What works on single lines stays in JavaScript, where it is quicker. */
export function fromAddon(addon: Pick<Addon, keyof TextAddon>): TextTools {
  const js = createJs();
  const sanitize = (bytes: Uint8Array, options: SanitizeOptions): string =>
    callNativeSync(() => addon.textSanitize(bytes, options.keepStyle ?? false, options.keepLinks ?? false));
  return {
    ...js,
    wrap: (text, width, options = {}) =>
      callNativeSync(() => addon.textWrap(text, Math.max(width, 1), Math.max(options.tabWidth ?? TAB_WIDTH, 1))).split(
        '\n',
      ),
    sanitize: (output, options = {}) => {
      // Most strings are clean already; finding that out is quicker here than the way across.
      if (typeof output === 'string' && !hasControl(output)) return js.sanitize(output);
      return sanitize(bytesOf(output), options);
    },
    sanitizer: (options = {}) => createSanitizer((part) => sanitize(part, options)),
    estimateTokens: (text) => callNativeSync(() => addon.textEstimateTokens(bytesOf(text))),
  };
}

function bytesOf(text: Uint8Array | string): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
