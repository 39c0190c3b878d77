/**
 * Phrases as data: `rename [{kind}] {old} (to|into) {new}`.
 *
 * Words match in any case; `(a|b)` is a choice, `[a]` may be missing, `{slot}` takes what the user named. Articles and
 * other small words may stand before every word and slot without being mentioned.
 */
import { restore, type Utterance } from './utterance.ts';
import { looksLikePath } from './file-types.ts';
import { plain } from './scope.ts';

/** From and to, the end excluded. */
export type Span = readonly [start: number, end: number];

/** What slots of a kind look like, and what they mean. */
interface SlotKind {
  readonly pattern: string;
  /** `span` is the place of what was found among the words. */
  read(match: string, utterance: Utterance, span: Span): string | undefined;
}

const SMALL = String.raw`(?:the|a|an|all|any|every|each|our|my|your|this|that|these|those|me|us|single|of the|of all|existing)`;
const SMALL_WORDS = `(?:${SMALL} )*`;
/** Small words are never what a slot means. */
const NO_SMALL_WORD = `(?!${SMALL} )`;

/** Words for kinds of symbols, the plural included. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  function: 'function',
  func: 'function',
  fn: 'function',
  procedure: 'function',
  subroutine: 'function',
  helper: 'function',
  method: 'method',
  class: 'class',
  struct: 'struct',
  interface: 'interface',
  type: 'type',
  'type alias': 'type',
  enum: 'enum',
  trait: 'trait',
  variable: 'variable',
  var: 'variable',
  constant: 'variable',
  const: 'variable',
  symbol: 'symbol',
  identifier: 'symbol',
  component: 'function',
  hook: 'function',
  module: 'symbol',
  name: 'symbol',
  property: 'property',
  field: 'property',
  attribute: 'property',
  test: 'test',
  declaration: 'symbol',
  definition: 'symbol',
  export: 'export',
};

const KINDS = Object.keys(KIND_WORDS)
  .sort((a, b) => b.length - a.length)
  .map((word) => (word.endsWith('s') ? `${word}(?:es)?` : word === 'property' ? 'propert(?:y|ies)' : `${word}s?`))
  .join('|');

/** The kind that a word such as "functions" stands for. */
function kindOf(word: string): string {
  const lower = word.toLowerCase();
  const singular = [lower, lower.replace(/ies$/, 'y'), lower.replace(/es$/, ''), lower.replace(/s$/, '')];
  return singular.map((form) => KIND_WORDS[form]).find((kind) => kind !== undefined) ?? 'symbol';
}

const NAME = String.raw`⟦\d+⟧|[\p{L}_$#@][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*[?!]?(?:\(\))?`;

const isName = (text: string) =>
  /^[\p{L}_$#@][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*[?!]?$/u.test(text);

/** Words that are never meant as the name of something when they stand bare. */
const NO_NAME =
  /^(?:to|into|as|with|by|in|on|it|is|are|was|do|does|did|of|for|from|and|or|the|a|an|all|any|file|files|code|text|folder|directory|everything|something|anything|nothing|this|that|them|these|those|there|here|one|used|called|named|defined|declared|what|where|which|who|how|why|me|you|we|project|app|application|program|codebase|repo|repository|architecture|library|libraries|changes|functions?|variables?|methods?|classes|class|symbols?|names?|constants?|interfaces?|types?|tests?|docs?|documentation|modules?|bugs?|errors?)$/i;

const SLOTS: Readonly<Record<string, SlotKind>> = {
  name: {
    pattern: NAME,
    read(match, { literals }) {
      const name = plain(match, literals).trim().replace(/\(\)$/, '');
      if (!isName(name) || (!match.startsWith('⟦') && NO_NAME.test(name))) return undefined;
      return name;
    },
  },
  /** A name that a reader would take for one even without quotes: `loadUser`, `MAX_SIZE`, `foo()`. */
  marked: {
    pattern: NAME,
    read(match, utterance) {
      const name = SLOTS['name']?.read(match, utterance, [0, 0]);
      const isMarked = match.startsWith('⟦') || /\(\)$|[_$#]|::|\p{Ll}\p{Lu}|^\p{Lu}\p{Ll}+\p{Lu}|\d/u.test(match);
      return isMarked ? name : undefined;
    },
  },
  path: {
    pattern: String.raw`⟦\d+⟧|[^\s,;⟦⟧]+`,
    read(match, { literals }) {
      const path = plain(match, literals);
      return looksLikePath(path) ? path : undefined;
    },
  },
  /** Something that may be a path: quoted, path-like or one bare word. */
  file: {
    pattern: String.raw`⟦\d+⟧|[^\s,;⟦⟧]+`,
    read(match, { literals }) {
      const path = plain(match, literals);
      return /^[^\s]+$/.test(path) && !(NO_NAME.test(path) && !match.startsWith('⟦')) ? path : undefined;
    },
  },
  text: {
    pattern: '.+?',
    read(match, { literals, written }, [start, end]) {
      const text = match.trim();
      if (/^⟦\d+⟧$/.test(text)) return plain(text, literals);
      return written(start, end)?.trim() ?? restore(text, literals);
    },
  },
  quoted: { pattern: String.raw`⟦\d+⟧`, read: (match, { literals }) => plain(match, literals) },
  kind: { pattern: KINDS, read: (match) => kindOf(match) },
  type: {
    pattern: String.raw`(?!(?:files?|folders?) )[\w+#.*-]+`,
    read: (match) => (/^(?:which|what|with|that|and|or|in|of|to)$/i.test(match) ? undefined : match),
  },
  word: { pattern: String.raw`[\p{L}][\p{L}\p{N}:_-]*`, read: (match) => match },
  number: { pattern: String.raw`\d+`, read: (match) => match },
};

/** What a phrase caught. */
export interface Caught {
  readonly slots: Readonly<Record<string, string>>;
  /** Where it stands among the words. */
  readonly spans: Readonly<Record<string, Span>>;
}

/** A compiled phrase. */
export interface Template {
  readonly source: string;
  match(utterance: Utterance): Caught | undefined;
}

/** Compiles a phrase. A slot is `{name}` or `{slot:name}`; the part before the colon is the slot's own name. */
export function compileTemplate(source: string): Template {
  const parser = new Parser(source);
  const pattern = new RegExp(`^${parser.all()}$`, 'diu');
  const { slots, required } = parser;
  return {
    source,
    match(utterance) {
      const spoken = wordsOf(utterance);
      // Most phrases do not fit most requests; this tells so without running the expression.
      if (required.some((group) => !group.some((word) => spoken.has(word)))) return undefined;
      const match = pattern.exec(`${utterance.words} `);
      if (!match) return undefined;
      const values: Record<string, string> = {};
      const spans: Record<string, Span> = {};
      for (const { id, kind } of slots) {
        const [text, span] = [match.groups?.[id], match.indices?.groups?.[id]];
        if (text === undefined || span === undefined) continue;
        const value = kind.read(text, utterance, span);
        if (value === undefined) return undefined;
        values[id] = value;
        spans[id] = span;
      }
      return { slots: values, spans };
    },
  };
}

const spokenWords = new WeakMap<Utterance, ReadonlySet<string>>();

function wordsOf(utterance: Utterance): ReadonlySet<string> {
  const cached = spokenWords.get(utterance);
  if (cached) return cached;
  const words = new Set(
    utterance.words
      .toLowerCase()
      .split(' ')
      .flatMap((word) => [word, word.replace(/[,:]$/, '')]),
  );
  spokenWords.set(utterance, words);
  return words;
}

/** Turns a phrase into a regular expression in which every item ends with one space. */
class Parser {
  readonly slots: { readonly id: string; readonly kind: SlotKind }[] = [];
  /** Of each of these groups one word must have been said. */
  readonly required: string[][] = [];
  readonly #tokens: string[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = source.match(/\{[^}]+\}|[[\]()|]|[^\s[\]()|{}]+/g) ?? [];
  }

  all(): string {
    const start = this.#at;
    const isChoice = this.#hasTopChoice();
    const pattern = this.#choice(!isChoice);
    if (this.#at < this.#tokens.length) throw new Error(`the phrase has an unexpected "${this.#tokens[this.#at]}"`);
    if (isChoice) this.#require(start, this.#at);
    return pattern;
  }

  #hasTopChoice(): boolean {
    let depth = 0;
    return this.#tokens.some((token) => {
      if (token === '(' || token === '[') depth++;
      if (token === ')' || token === ']') depth--;
      return token === '|' && depth === 0;
    });
  }

  #choice(isTop = false): string {
    const options = [this.#sequence(isTop)];
    while (this.#tokens[this.#at] === '|') {
      this.#at++;
      options.push(this.#sequence(false));
    }
    return options.length === 1 ? (options[0] ?? '') : `(?:${options.join('|')})`;
  }

  #sequence(isTop: boolean): string {
    let pattern = '';
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token === undefined || token === '|' || token === ')' || token === ']') return pattern;
      const start = this.#at++;
      if (token === '(' || token === '[') {
        const inner = this.#choice();
        this.#at++;
        pattern += token === '(' ? `(?:${inner})` : `(?:${inner})?`;
        if (isTop && token === '(') this.#require(start, this.#at);
      } else if (token.startsWith('{')) pattern += this.#slot(token.slice(1, -1));
      else {
        pattern += `${SMALL_WORDS}${token.replace(/[.*+?^$\\/]/g, String.raw`\$&`)}[,:]? `;
        if (isTop) this.required.push([token.replace(/[,:]$/, '').toLowerCase()]);
      }
    }
  }

  /** Of a group that is not optional, one word must be there, unless a slot alone would do. */
  #require(start: number, end: number): void {
    const tokens = this.#tokens.slice(start, end);
    if (tokens.some((token) => token.startsWith('{'))) return;
    const words = tokens
      .filter((token) => !/^[[\]()|]$/.test(token))
      .map((token) => token.replace(/[,:]$/, '').toLowerCase());
    if (words.length > 0) this.required.push(words);
  }

  #slot(text: string): string {
    const [id = '', kindName = id] = text.split(':');
    const kind = SLOTS[kindName];
    if (!kind) throw new Error(`there is no slot kind "${kindName}"`);
    this.slots.push({ id, kind });
    const small = kindName === 'text' || kindName === 'quoted' ? '' : SMALL_WORDS + NO_SMALL_WORD;
    const end = kindName === 'text' ? ' ' : '[,:.]? ';
    return `${small}(?<${id}>${kind.pattern})${end}`;
  }
}
