/**
 * A request, prepared for the phrase tables: what is quoted is put aside, politeness and scope are taken out, and what
 * is left is one line of words. Every word still knows the characters that the user wrote for it.
 */
import { type Scope, takeScope, WHOLE_PROJECT } from './scope.ts';
import { Traced } from './traced.ts';

/** A request in words and quoted pieces. */
export interface Utterance {
  readonly original: string;
  /** One line, quoted pieces as ⟦n⟧. */
  readonly words: string;
  readonly literals: readonly string[];
  readonly scope: Scope;
  /** True for "ignoring case". */
  readonly ignoreCase: boolean;
  /** What the user wrote for a part of the words; undefined when something was taken out of its middle. */
  written(start: number, end: number): string | undefined;
  /** All that the user wrote from a part of the words on. */
  writtenFrom(start: number): string;
  /** True when something that was taken out as scope stands behind the start of this part. */
  hasScopeAfter(start: number): boolean;
}

/** Quotations; the outermost counts, so that what is quoted inside of another stays as it is. */
export const QUOTE =
  /```[\w-]*\n(?<block>[\s\S]*?)```|`(?<code>[^`\n]+)`|"(?<double>(?:[^"\\\n]|\\.)*)"|“(?<curly>[^”\n]*)”|‘(?<single>[^’\n]*)’|«\s?(?<angle>[^»\n]*?)\s?»|(?<![\w])'(?<plain>[^'\n]*)'(?![\w])/g;

const OPENINGS = [
  /^(?:hey|hi|hello|ok(?:ay)?|so|well|now|next|then|first|also|and|great|thanks|tenon)\b[\s,!.:-]+/i,
  /^(?:please|pls|kindly|just|quickly|simply)\b[\s,]*/i,
  /^(?:can|could|would|will) (?:you|we|i)(?: please)?(?: help me)?(?: to)?\s+(?!be\b)/i,
  /^(?:i(?:'d| would) like(?: for)?(?: you)? to|i want(?: you)? to|i need(?: you)? to|i'd love(?: you)? to)\s+/i,
  /^(?:let's|lets|let us|help me(?: to)?|go ahead and|try to|you should|we should|we need to|we want to|you need to|your task is to|your job is to|do me a favou?r and|be so kind (?:as )?to)\s+/i,
];

const CLOSINGS = [
  /[\s,]+(?:please|pls|thanks|thank you|thx|for me|now|right now|asap|if you can|if possible|would you)$/i,
  /(?<=\S)\s*[!?]+$/,
  /(?<=[^\s.])\.$/,
  /[,;:]$/,
];

const IGNORE_CASE =
  /[\s,]*\(?\b(?:ignor(?:e|ing)(?: the)? case|case[- ]insensitive(?:ly)?|regardless of case|no matter the case)\b\)?/i;

/** Prepares a request; `withScope` off leaves "in src" among the words. */
export function readUtterance(original: string, withScope = true): Utterance {
  const literals: string[] = [];
  const source = original.replace(/\r\n?/g, '\n').trim();
  const spans: (readonly [number, number])[] = [];
  let words = Traced.of(source)
    .replace(QUOTE, ({ groups = {} }) => ` ⟦${literals.push(quoted(groups)) - 1}⟧ `)
    .replace(/\s*(?:-->|->|=>|→|⇒)\s*/g, () => ' to ')
    .replace(/(?<=\w)['’](?=s\b)/g, () => " '")
    .replace(/(?<=\b(?:what|where|who|how|that|it|there) )'s\b/gi, () => 'is')
    .replace(/\s+/g, () => ' ')
    .replace(/ (?=[,.;:!?](?:\s|$))/g, () => '')
    .trim();
  words = withoutPoliteness(words);
  let ignoreCase = false;
  words = words.replace(IGNORE_CASE, (match) => {
    ignoreCase = true;
    spans.push(words.span(match.index, match.index + match[0].length));
    return '';
  });
  const scoped = withScope ? takeScope(words, literals, (span) => spans.push(span)) : { words, scope: WHOLE_PROJECT };
  const traced = withoutPoliteness(scoped.words);
  return {
    original,
    words: traced.text,
    literals,
    scope: scoped.scope,
    ignoreCase,
    written(start, end) {
      const [first, last] = traced.span(start, end);
      return spans.some(([from, to]) => from >= first && to <= last) ? undefined : source.slice(first, last);
    },
    writtenFrom: (start) => source.slice(traced.span(start, start + 1)[0]),
    hasScopeAfter: (start) => spans.some(([from]) => from >= traced.span(start, start + 1)[0]),
  };
}

function quoted(groups: Readonly<Record<string, string | undefined>>): string {
  const { block, double } = groups;
  if (block !== undefined) return block.replace(/\n$/, '');
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1');
  return Object.values(groups).find((text) => text !== undefined) ?? '';
}

function withoutPoliteness(words: Traced): Traced {
  let text = words;
  for (let before = ''; before !== text.text;) {
    before = text.text;
    for (const pattern of OPENINGS) text = text.replace(pattern, ([match]) => (match === before ? undefined : ''));
    for (const pattern of CLOSINGS) text = text.replace(pattern, () => '');
    text = text.trim();
  }
  return text;
}

/** Words with the quoted pieces put back in, as they were. */
export function restore(words: string, literals: readonly string[]): string {
  return words.replace(/⟦(\d+)⟧/g, (_, index: string) => literals[Number(index)] ?? '');
}
