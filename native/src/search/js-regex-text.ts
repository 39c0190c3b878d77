/** What the pattern parser and the set parser share. */
import { NativeError } from '../task.ts';

/** A refusal in the words that the native side uses. */
export function invalid(detail: string): NativeError {
  return new NativeError('failure', `invalid pattern: ${detail}`);
}

/** Line breaks, as members of a set. */
export const LINE_BREAKS = '\\n\\r';

/** What `\w` means in Unicode, as members of a set. */
export const WORD_MEMBERS = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** What `\w` means in Unicode, as a set. */
export const WORD = `[${WORD_MEMBERS}]`;

/** A character that means itself, inside and outside of sets. */
export function escapeCodePoint(code: number): string {
  const character = String.fromCodePoint(code);
  return /^[\dA-Za-z]$/u.test(character) ? character : `\\u{${code.toString(16)}}`;
}

/** Characters that are equal when case is ignored. Made on first use: few patterns switch case inside. */
export class CaseVariants {
  enabled = false;
  #classes: Map<number, readonly number[]> | undefined;

  /** The variants of a character as regex source. */
  set(code: number): string {
    const variants = this.of(code);
    return variants.length === 1 ? escapeCodePoint(code) : `[${variants.map(escapeCodePoint).join('')}]`;
  }

  /** Members of a set, with everything that equals one of them. */
  closed(members: string): string {
    this.#classes ??= caseClasses();
    const contains = new RegExp(`^[${members}]$`, 'v');
    let all = members;
    for (const [code, variants] of this.#classes) {
      const inside = variants.filter((variant) => contains.test(String.fromCodePoint(variant)));
      if (inside.length > 0 && inside.length < variants.length) all += escapeCodePoint(code);
    }
    return all;
  }

  /** A character and all that equal it. */
  of(code: number): readonly number[] {
    this.#classes ??= caseClasses();
    return this.#classes.get(code) ?? [code];
  }
}

const LAST_WITH_CASE = 0x1_e943;

/** Joins characters that simple case mapping links, in either direction. */
function caseClasses(): Map<number, readonly number[]> {
  const classes = new Map<number, number[]>();
  const join = (left: number, right: number): void => {
    const a = classes.get(left) ?? [left];
    const b = classes.get(right) ?? [right];
    if (a === b) return;
    const joined = [...a, ...b];
    for (const code of joined) classes.set(code, joined);
  };
  for (let code = 0; code <= LAST_WITH_CASE; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      const target = other.codePointAt(0) ?? code;
      // Mappings to several characters are not simple; the engine is asked whether the two really are equal.
      if (target === code || String.fromCodePoint(target) !== other) continue;
      if (new RegExp(escapeCodePoint(code), 'iv').test(other)) join(code, target);
    }
  }
  return classes;
}
