/** The leniency of crates/search/src/pattern.rs: braces that are no repetition and lone parentheses are literal. */

/** Quotes braces that are no repetition and parentheses without a partner. */
export function repair(pattern: string): string {
  const characters = [...pattern];
  const quoted = new Set<number>();
  const open: number[] = [];
  // What a repetition may follow: something, but not the start of a group or alternative.
  let hasOperand = false;
  let escapedDollar = false;
  for (let at = 0; at < characters.length; at += 1) {
    if (characters[at] !== '{') escapedDollar = characters[at] === '\\' && characters[at + 1] === '$';
    switch (characters[at]) {
      case '\\':
        at = escapeEnd(characters, at);
        hasOperand = true;
        break;
      case '[':
        at = setEnd(characters, at) ?? at;
        hasOperand = true;
        break;
      case '{': {
        const end = hasOperand ? repetitionEnd(characters, at) : undefined;
        // Nothing can follow the end of a line, so the dollar of `${name}` is meant literally too.
        if (end === undefined && characters[at - 1] === '$' && !escapedDollar) quoted.add(at - 1);
        if (end === undefined) quoted.add(at);
        at = end ?? at;
        hasOperand = true;
        break;
      }
      case '(':
        open.push(at);
        // The question mark of (?: or (?i) is part of the opening.
        if (characters[at + 1] === '?') at += 1;
        hasOperand = false;
        break;
      case ')':
        if (open.pop() === undefined) quoted.add(at);
        hasOperand = true;
        break;
      case '|':
        hasOperand = false;
        break;
      default:
        hasOperand = true;
    }
  }
  for (const at of open) quoted.add(at);
  return characters.map((character, at) => (quoted.has(at) ? `\\${character}` : character)).join('');
}

/** True for a line break as a character or as an escape, which needs a search across lines. */
export function namesLineBreak(source: string): boolean {
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === '\n' || source[at] === '\r') return true;
    if (source[at] === '\\') {
      at += 1;
      if (source[at] === 'n' || source[at] === 'r') return true;
    }
  }
  return false;
}

function escapeEnd(characters: readonly string[], at: number): number {
  const end = Math.min(at + 1, Math.max(characters.length - 1, 0));
  if (characters[at + 2] !== '{') return end;
  const close = characters.indexOf('}', at + 2);
  const letter = characters[at + 1] ?? '';
  if (close < 0) return end;
  if ('pPxuU'.includes(letter)) return close;
  const word = characters.slice(at + 3, close).join('');
  return letter === 'b' && ['start', 'end', 'start-half', 'end-half'].includes(word) ? close : end;
}

function setEnd(characters: readonly string[], at: number): number | undefined {
  let depth = 0;
  for (let next = at; next < characters.length; next += 1) {
    if (characters[next] === '\\') next += 1;
    else if (characters[next] === '[') {
      depth += 1;
      if (characters[next + 1] === '^') next += 1;
      // A bracket right at the start is a member.
      if (characters[next + 1] === ']') next += 1;
    } else if (characters[next] === ']') {
      depth -= 1;
      if (depth === 0) return next;
    }
  }
  return undefined;
}

function repetitionEnd(characters: readonly string[], at: number): number | undefined {
  const close = characters.indexOf('}', at);
  if (close < 0) return undefined;
  return /^\d+(?:,\d*)?$/u.test(characters.slice(at + 1, close).join('')) ? close : undefined;
}
