import { anchorLetters, lineCode } from './anchor.ts';
import type { ParseResult } from './contract.ts';

const encoder = new TextEncoder();
/** Under the `u` flag a whole pair is one character, so this finds only halves. */
const HALF_PAIR = /\p{Surrogate}/u;

/** A patch as bytes; nothing when the string holds half of a surrogate pair, which no file can hold as it is. */
export function patchBytes(patch: string | Uint8Array): Uint8Array | undefined {
  if (typeof patch !== 'string') return patch;
  return HALF_PAIR.test(patch) ? undefined : encoder.encode(patch);
}

/** The refusal of a string that is not well formed, naming the line. */
export function brokenString(patch: string): ParseResult {
  const line = patch.split('\n').findIndex((text) => HALF_PAIR.test(text)) + 1;
  return {
    ok: false,
    line,
    message: `line ${line}: the text holds half of a surrogate pair. Send the whole character.`,
  };
}

/** The anchor (`41th`) of one line; quicker here than a call across the boundary, so that both implementations share it. */
export function anchorOf(line: Uint8Array | string, number: number): string {
  const bytes = typeof line === 'string' ? encoder.encode(line) : line;
  return `${number}${anchorLetters(lineCode(bytes, 0, bytes.length, number))}`;
}
