/** Command output as plain text; what goes and what stays is in `crates/text/src/sanitize.rs`. */
import type { SanitizeOptions, Sanitizer } from './contract.ts';
import { safeLink } from './link.ts';
import { wellFormed } from './well-formed.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
// oxlint-disable no-control-regex -- control characters are what this is about
const HAS_CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const CONTROL = new RegExp(
  [
    '\\r+\\n?',
    // CSI
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    // OSC, which a bell may end too
    '(?:\\x1b\\]|\\x9d)[^\\x07\\x18\\x1a\\x1b\\x90\\x98\\x9c-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    // DCS, SOS, PM, APC
    '(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x18\\x1a\\x1b\\x90\\x98\\x9c-\\x9f]*(?:\\x1b\\\\|\\x9c)',
    // any other escape sequence, and the introducer of one that is broken
    '\\x1b[ -/]*[0-~]',
    '[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]',
  ].join('|'),
  'g',
);
const STYLE = /^(?:\x1b\[|\x9b)([0-9;:]*m)$/;
/** A sequence that has begun at the end of a part and may be completed by the next; on bytes, one character each. */
const UNFINISHED = new RegExp(
  `(?:${[
    '(?:\\x1b\\[|\\xc2\\x9b)[0-?]*[ -/]*',
    '(?:\\x1b\\]|\\xc2\\x9d)(?:[^\\x07\\x18\\x1a\\x1b\\xc2]|\\xc2[^\\x90\\x98\\x9c-\\x9f])*(?:\\x1b|\\xc2)?',
    '(?:\\x1b[PX^_]|\\xc2[\\x90\\x98\\x9e\\x9f])(?:[^\\x18\\x1a\\x1b\\xc2]|\\xc2[^\\x90\\x98\\x9c-\\x9f])*(?:\\x1b|\\xc2)?',
    '\\x1b[ -/]*',
  ].join('|')})$`,
);
// oxlint-enable no-control-regex
/** A string sequence that is still open after this much is taken to be broken. */
const MOST_HELD_BYTES = 64 * 1024;

/** True when there may be something to take out. */
export function hasControl(text: string): boolean {
  return HAS_CONTROL.test(text);
}

/** Terminal output as plain text; styles (SGR) and safe links (OSC 8) stay on request. */
export function sanitizeText(output: Uint8Array | string, { keepStyle, keepLinks }: SanitizeOptions): string {
  const text = typeof output === 'string' ? wellFormed(output) : decoder.decode(output);
  if (!hasControl(text)) return text;
  return text.replace(CONTROL, (sequence) => {
    if (sequence.charCodeAt(0) === 13) return '\n';
    const style = keepStyle && STYLE.exec(sequence);
    if (style) return `\x1b[${style[1]}`;
    return (keepLinks && safeLink(sequence)) || '';
  });
}

/** A sanitizer for output in parts, over any implementation of the whole. */
export function createSanitizer(clean: (part: Uint8Array) => string): Sanitizer {
  let held = Buffer.alloc(0);
  return {
    push(part) {
      const all = Buffer.concat([held, part]);
      const complete = completeLength(all);
      held = Buffer.from(all.subarray(complete));
      return clean(all.subarray(0, complete));
    },
    end() {
      const rest = held;
      held = Buffer.alloc(0);
      return clean(rest);
    },
  };
}

/** How much of the bytes can be cleaned without knowing what follows. */
function completeLength(bytes: Buffer): number {
  const tail = bytes.subarray(Math.max(bytes.length - MOST_HELD_BYTES, 0)).toString('latin1');
  const unfinished = UNFINISHED.exec(tail);
  if (unfinished) return bytes.length - unfinished[0].length;
  // Carriage returns that a newline may still join.
  let returns = bytes.length;
  while (returns > 0 && bytes[returns - 1] === 13) returns--;
  if (returns < bytes.length) return returns;
  // A character whose bytes are not all there yet.
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc2 && byte <= 0xf4)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
    if ((byte & 0xc0) !== 0x80) break;
  }
  return bytes.length;
}
