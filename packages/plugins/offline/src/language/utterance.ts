/**
 * A request, prepared for the phrase tables: what is quoted is put aside, politeness and scope are taken out, and what
 * is left is one line of words.
 */
import { globsForType, looksLikeFolder, looksLikePath } from './file-types.ts';

/** Where something is to be done. */
export interface Scope {
  /** Files, folders and globs; empty means the whole project. */
  readonly paths: readonly string[];
  /** True when the user said so ("everywhere"). */
  readonly everywhere: boolean;
}

/** A request in words and quoted pieces. */
export interface Utterance {
  readonly original: string;
  /** One line, quoted pieces as ⟦n⟧. */
  readonly words: string;
  readonly literals: readonly string[];
  readonly scope: Scope;
  /** True for "ignoring case". */
  readonly ignoreCase: boolean;
}

/** The whole project. */
export const WHOLE_PROJECT: Scope = { paths: [], everywhere: false };

const QUOTES = [
  /```[\w-]*\n([\s\S]*?)```/g,
  /`([^`\n]+)`/g,
  /"((?:[^"\\\n]|\\.)*)"/g,
  /“([^”\n]*)”/g,
  /‘([^’\n]*)’/g,
  /«\s?([^»\n]*?)\s?»/g,
  /(?<![\w])'([^'\n]*)'(?![\w])/g,
];

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

const EVERYWHERE =
  /[\s,]*\b(?:everywhere|globally|(?:project|repo|code ?base|tree|workspace)[- ]wide|anywhere|(?:in|across|throughout|over|for|of|from|within)(?: all(?: of)?)?(?: the| this| our| my)?(?: whole| entire| complete| full)? (?:code ?base|project|repo(?:sitory)?|(?:source )?tree|workspace|source(?: code)?|code|all files|all the files|every file|files)|in all(?: of)?(?: the)? files|across all(?: of)?(?: the)? files|across files|in every file)\b(?! (?:named|called|matching|ending|that|with|whose|under|in|of)\b)/i;

const IGNORE_CASE =
  /[\s,]*\(?\b(?:ignor(?:e|ing)(?: the)? case|case[- ]insensitive(?:ly)?|regardless of case|no matter the case)\b\)?/i;

/** Prepares a request; `withScope` off leaves "in src" among the words. */
export function readUtterance(original: string, withScope = true): Utterance {
  const literals: string[] = [];
  let words = original.replace(/\r\n?/g, '\n').trim();
  for (const quote of QUOTES) {
    words = words.replace(quote, (_, inner: string) => ` ⟦${literals.push(unescape(inner, quote)) - 1}⟧ `);
  }
  words = words
    .replace(/\s*(?:-->|->|=>|→|⇒)\s*/g, ' to ')
    .replace(/(\w)['’]s\b/g, "$1 's")
    .replace(/\b(what|where|who|how|that|it|there) 's\b/gi, '$1 is')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?])(?=\s|$)/g, '$1')
    .trim();
  words = withoutPoliteness(words);
  let ignoreCase = false;
  words = words.replace(IGNORE_CASE, () => ((ignoreCase = true), ''));
  const scoped = withScope ? takeScope(words, literals) : { words, scope: WHOLE_PROJECT };
  return { original, words: withoutPoliteness(scoped.words), literals, scope: scoped.scope, ignoreCase };
}

function unescape(inner: string, quote: RegExp): string {
  const text = quote === QUOTES[0] ? inner.replace(/\n$/, '') : inner;
  return quote === QUOTES[2] ? text.replace(/\\(["\\])/g, '$1') : text;
}

function withoutPoliteness(words: string): string {
  let text = words;
  for (let before = ''; before !== text;) {
    before = text;
    for (const pattern of OPENINGS) text = text.replace(pattern, (found) => (found === before ? found : ''));
    for (const pattern of CLOSINGS) text = text.replace(pattern, '');
    text = text.trim();
  }
  return text;
}

const WORD = String.raw`(?:⟦\d+⟧|(?!(?:in|inside|under|within|of|for|from)\b)[^\s,;⟦⟧]+)`;
const IN = String.raw`(?<!\b(?:search|look|grep|scan|hunt|ask|searching|looking|wait|list|show|listed) )\b(in|inside|under|underneath|within|across|throughout|below|of|for|from)`;
const NOUN = String.raw`(?:files?|folders?|director(?:y|ies)|dirs?|modules?|packages?|paths?|subfolders?|subtrees?|scripts?|docs?|documents?)`;
const SCOPE = new RegExp(
  String.raw`[\s,]*${IN}(?: all)?(?: of)?(?: the| our| my| this)?( ${NOUN})? (${WORD}(?:(?:, and |, | and | or )${WORD})*)( ${NOUN})?(?=[\s,:]|$)`,
  'gi',
);
const TYPED_FILES =
  /[\s,]*\b(?:in|inside|within|across|throughout|for|from|of)(?: all| every| each)?(?: of)?(?: the| our| my)? (\*?\.?[\w+#]+)(?: source| code)? files?\b/i;

/** Takes "in src/", "under the lib folder", "in all TypeScript files" out of the words. */
function takeScope(words: string, literals: readonly string[]): { words: string; scope: Scope } {
  const paths: string[] = [];
  let everywhere = false;
  let text = words.replace(TYPED_FILES, (found, type: string) => {
    const globs = globsForType(type);
    if (!globs) return found;
    paths.push(...globs);
    return '';
  });
  text = text.replace(EVERYWHERE, () => ((everywhere = true), ''));
  const folders: string[] = [];
  text = text.replace(SCOPE, (found, preposition: string, noun1: string | undefined, list: string, noun2?: string) => {
    const hasNoun = noun1 !== undefined || noun2 !== undefined;
    const isPlace = (word: string) =>
      looksLikePath(word) ||
      (!isLoose(preposition) && (looksLikeFolder(word) || (hasNoun && /^[\w./@*-]+$/.test(word) && !isNoise(word))));
    const words = list.split(/(, and |, | and | or )/);
    let end = 0;
    while (end < words.length && isPlace(plain(words[end] ?? '', literals))) end += 2;
    if (end === 0) return found;
    const named = words.slice(0, end).filter((_, index) => index % 2 === 0);
    folders.push(...named.map((word) => tidyPath(plain(word, literals))));
    // What follows the last place belongs to the request: "in src and run the tests".
    const rest = words.slice(end - 1).join('');
    return ` ${rest === '' ? '' : rest + (noun2 ?? '')}`;
  });
  const globs = paths.flatMap((glob) =>
    folders.length > 0 ? folders.map((folder) => joinGlob(folder, glob)) : [glob],
  );
  return {
    words: text
      .replace(/\s+/g, ' ')
      .replace(/ ([,.;:!?])(?=\s|$)/g, '$1')
      .replace(/^[\s,;:]+/, '')
      .replace(/[\s,]+(?:and|or)\s*$/i, '')
      .trim(),
    scope: { paths: globs.length > 0 ? globs : folders, everywhere },
  };
}

function isLoose(preposition: string): boolean {
  return /^(?:of|for|from|on|at)$/i.test(preposition);
}

function isNoise(word: string): boolean {
  return /^(?:the|a|an|all|any|every|each|this|that|these|those|it|here|there|files?|named|called|which|with)$/i.test(
    word,
  );
}

/** A word as the user meant it: the quoted text, or the word without the punctuation after it. */
export function plain(word: string, literals: readonly string[]): string {
  const index = /^⟦(\d+)⟧$/.exec(word)?.[1];
  if (index !== undefined) return literals[Number(index)] ?? '';
  return word.length > 1 && !/^\.+\/?$/.test(word) ? word.replace(/[.,;:!?]+$/, '') : word;
}

/** Words with the quoted pieces put back in, as they were. */
export function restore(words: string, literals: readonly string[]): string {
  return words.replace(/⟦(\d+)⟧/g, (_, index: string) => literals[Number(index)] ?? '');
}

/** A path without decoration: no `./` in front, no `/` behind, no leading `@`. */
export function tidyPath(path: string): string {
  const tidy = path.replace(/^@(?=[\w.])/, '').replace(/^\.\/(?=.)/, '');
  return tidy.length > 1 ? tidy.replace(/\/+$/, '') : tidy;
}

/** A glob below a folder; a file or glob instead of a folder wins over it. */
export function joinGlob(folder: string, glob: string): string {
  if (folder === '.' || folder === '') return glob;
  return /[*?]|\.\w{1,5}$/.test(folder) && folder.includes('.') ? folder : `${folder}/${glob}`;
}
