/** Brace expansion, which bash does before everything else. */
import { NotUnderstood } from '../language.ts';
import type { Part, WordNode } from './syntax.ts';

const MAX_WORDS = 512;

/** One letter that is not quoted, or a part that braces do not look into. */
type Atom = string | Part;

/** The words that `a{b,c}d` stands for. */
export function expandBraces(word: WordNode): readonly (readonly Part[])[] {
  const hasBraces = word.parts.some((part) => part.type === 'text' && !part.quoted && part.value.includes('{'));
  if (!hasBraces) return [word.parts];
  const atoms = word.parts.flatMap((part): Atom[] => (part.type === 'text' && !part.quoted ? [...part.value] : [part]));
  const expanded = expand(atoms, word);
  if (expanded.length === 1) return [word.parts];
  // Bash puts the pieces together before it looks for names: `$x{a,b}` is `$xa $xb`.
  if (word.parts.some((part) => part.type === 'variable' && !part.braced))
    throw new NotUnderstood('a variable beside braces', word);
  return expanded.map(joined);
}

function expand(atoms: readonly Atom[], word: WordNode): Atom[][] {
  for (let at = 0; at < atoms.length; at++) {
    if (atoms[at] !== '{') continue;
    const end = closing(atoms, at);
    if (end === undefined) {
      if (atoms.slice(at).includes(',') || atoms.includes('}')) throw new NotUnderstood('these braces', word);
      return [[...atoms]];
    }
    const choices = choicesOf(atoms.slice(at + 1, end), word);
    if (choices === undefined) {
      // `{}` and `@{1}` stand for themselves; what is inside may still be braces.
      if (atoms.slice(at + 1, end).includes('{')) throw new NotUnderstood('these braces', word);
      continue;
    }
    const before = atoms.slice(0, at);
    const tails = expand(atoms.slice(end + 1), word);
    const middles = choices.flatMap((choice) => expand(choice, word));
    if (middles.length * tails.length > MAX_WORDS) throw new NotUnderstood('braces for this many words', word);
    return middles.flatMap((middle) => tails.map((tail) => [...before, ...middle, ...tail]));
  }
  return [[...atoms]];
}

function closing(atoms: readonly Atom[], from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < atoms.length; at++) {
    if (atoms[at] === '{') depth++;
    else if (atoms[at] === '}' && --depth === 0) return at;
  }
  return undefined;
}

/** The choices between commas, or of a range; undefined when these braces are only letters. */
function choicesOf(inner: readonly Atom[], word: WordNode): readonly (readonly Atom[])[] | undefined {
  const parts: Atom[][] = [[]];
  let depth = 0;
  for (const atom of inner) {
    if (atom === '{') depth++;
    else if (atom === '}') depth--;
    if (atom === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(atom);
  }
  if (parts.length > 1) return parts;
  const text = inner.every((atom) => typeof atom === 'string') ? inner.join('') : undefined;
  if (text === undefined) {
    if (inner.join('').includes('..')) throw new NotUnderstood('these braces', word);
    return undefined;
  }
  if (!text.includes('..')) return undefined;
  const [, from, to] = /^(-?(?:0|[1-9]\d{0,5}))\.\.(-?(?:0|[1-9]\d{0,5}))$/.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new NotUnderstood('this range in braces', word);
  const [first, last] = [Number(from), Number(to)];
  if (Math.abs(last - first) >= MAX_WORDS) throw new NotUnderstood('braces for this many words', word);
  const step = first <= last ? 1 : -1;
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) => [...String(first + index * step)]);
}

function joined(atoms: readonly Atom[]): readonly Part[] {
  const parts: Part[] = [];
  for (const atom of atoms) {
    const last = parts.at(-1);
    if (typeof atom !== 'string') parts.push(atom);
    else if (last?.type === 'text' && !last.quoted) parts[parts.length - 1] = { ...last, value: last.value + atom };
    else parts.push({ type: 'text', value: atom, quoted: false });
  }
  return parts;
}
