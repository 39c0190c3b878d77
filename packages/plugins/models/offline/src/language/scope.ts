/** Where something is to be done: "in src/", "in all TypeScript files", "but not in tests". */
import { globsForType, looksLikeFolder, looksLikePath } from './file-types.ts';
import type { Traced } from './traced.ts';

/** Where something is to be done. */
export interface Scope {
  /** Files, folders and globs; empty means the whole project. */
  readonly paths: readonly string[];
  /** True when the user said so ("everywhere"). */
  readonly everywhere: boolean;
  /** Files, folders and globs that are to be left out. */
  readonly without?: readonly string[];
  /** True when the place tells which thing is meant ("the function a in b.py") rather than how far to go. */
  readonly isLocator?: boolean;
}

/** The whole project. */
export const WHOLE_PROJECT: Scope = { paths: [], everywhere: false };

const EVERYWHERE =
  /[\s,]*\b(?:everywhere|globally|(?:project|repo|code ?base|tree|workspace)[- ]wide|anywhere|(?:in|across|throughout|over|for|of|from|within)(?: all(?: of)?)?(?: the| this| our| my)?(?: whole| entire| complete| full)? (?:code ?base|project|repo(?:sitory)?|(?:source )?tree|workspace|source(?: code)?|code|all files|all the files|every file|files)|in all(?: of)?(?: the)? files|across all(?: of)?(?: the)? files|across files|in every file)\b(?! (?:named|called|matching|ending|that|with|whose|under|in|of)\b)/i;

const WORD = String.raw`(?:⟦\d+⟧|(?!(?:in|inside|under|within|of|for|from)\b)[^\s,;()⟦⟧]+)`;
const LIST = String.raw`${WORD}(?:(?:, and |, | and | or | and in | or in )${WORD})*`;
const IN = String.raw`(?<!\b(?:search|look|grep|scan|hunt|ask|searching|looking|wait|list|show|listed) )\b(in|inside|under|underneath|within|across|throughout|below|of|for|from)`;
const NOUN = String.raw`(?:files?|folders?|director(?:y|ies)|dirs?|modules?|packages?|paths?|subfolders?|subtrees?|scripts?|docs?|documents?)`;
const SCOPE = new RegExp(
  String.raw`[\s,]*(?:\b(?:only|just) )?${IN}(?: all)?(?: of)?(?: the| our| my| this)?( ${NOUN})? (${WORD}(?:(?:, and |, | and | or )${WORD})*)( ${NOUN})?(?=[\s,:]|$)`,
  'gi',
);
const TYPED_FILES =
  /[\s,]*\b(?:in|inside|within|across|throughout|for|from|of)(?: all| every| each)?(?: of)?(?: the| our| my)? (\*?\.?[\w+#]+)(?: source| code)? files?\b/i;
const NOT_IN = String.raw`(?:but |and |, )?(?:(?:not|never) (?:in|inside|under|within|for)|except(?: for)?(?: those| the ones| that)?(?: in| inside| under| within)?|excluding(?: those| the ones)?(?: in)?|other than(?: in)?|apart from(?: in)?|outside(?: of)?|leaving out|skipping|ignoring|without(?: touching| changing)?)`;
const WITHOUT = new RegExp(
  String.raw`[\s,(]*\b${NOT_IN}(?: the| our| any| all)?( ${NOUN})? (${LIST})( ${NOUN}| code)?\)?(?=[\s,:.]|$)`,
  'gi',
);

/** Words that leave something out; where they are left over, nothing may be changed. */
export const LEAVES_OUT =
  /\b(?:but not|except|excepting|excluding|other than|apart from|unless|but only|not in|leaving out|skipping|outside of)\b/i;

/** Takes scope out of the words; `onTake` gets the stretches of the origin that it stood in. */
export function takeScope(
  words: Traced,
  literals: readonly string[],
  onTake: (span: readonly [number, number]) => void,
): { words: Traced; scope: Scope } {
  const globs: string[] = [];
  const folders: string[] = [];
  const without: string[] = [];
  let everywhere = false;
  let isLocator = false as boolean;
  const take = (text: Traced, match: RegExpExecArray) =>
    onTake(text.span(match.index + (/^[\s,(]*/.exec(match[0])?.[0].length ?? 0), match.index + match[0].length));
  let text = words.replace(WITHOUT, (match) => {
    const [, noun1, list = '', noun2] = match;
    const excluded = listed(list).map((word) => leftOut(plain(word, literals), (noun1 ?? noun2) !== undefined));
    if (excluded.includes(undefined)) return undefined;
    without.push(...excluded.flatMap((paths) => paths ?? []));
    take(words, match);
    return '';
  });
  const withoutText = text;
  text = text.replace(TYPED_FILES, (match) => {
    const typeGlobs = globsForType(match[1] ?? '');
    if (!typeGlobs) return undefined;
    globs.push(...typeGlobs);
    take(withoutText, match);
    return '';
  });
  const typedText = text;
  text = text.replace(EVERYWHERE, (match) => {
    everywhere = true;
    take(typedText, match);
    return '';
  });
  const wideText = text;
  text = text.replace(SCOPE, (match) => {
    const [whole, preposition = '', noun1, list = '', noun2] = match;
    const hasNoun = noun1 !== undefined || noun2 !== undefined;
    const isPath = (word: string) =>
      looksLikePath(word) ||
      (!isLoose(preposition) && (looksLikeFolder(word) || (hasNoun && /^[\w./@*-]+$/.test(word) && !isNoise(word))));
    const words = list.split(/(, and |, | and | or )/);
    let end = 0;
    while (end < words.length && isPath(plain(words[end] ?? '', literals))) end += 2;
    // "in docs with …": what looks like the noun is the place itself.
    const bare = noun1?.trim();
    if (end === 0 && bare !== undefined && looksLikeFolder(bare) && !isLoose(preposition)) {
      folders.push(bare);
      take(wideText, match);
      return ` ${list}${noun2 ?? ''}`;
    }
    if (end === 0) return undefined;
    const named = words.slice(0, end).filter((_, index) => index % 2 === 0);
    folders.push(...named.map((word) => tidyPath(plain(word, literals))));
    take(wideText, match);
    if (/^\s*(?:to|into|as)\s/.test(wideText.text.slice(match.index + whole.length))) isLocator = true;
    // What follows the last place belongs to the request: "in src and run the tests".
    const rest = words.slice(end - 1).join('');
    return ` ${rest === '' ? '' : rest + (noun2 ?? '')}`;
  });
  const paths = globs.flatMap((glob) =>
    folders.length > 0 ? folders.map((folder) => joinGlob(folder, glob)) : [glob],
  );
  return {
    words: text
      .replace(/\s+/g, () => ' ')
      .replace(/ (?=[,.;:!?](?:\s|$))/g, () => '')
      .replace(/^[\s,;:]+/, () => '')
      .replace(/[\s,]+(?:and|or|but)\s*$/i, () => '')
      .trim(),
    scope: {
      paths: paths.length > 0 ? paths : folders,
      everywhere,
      ...(without.length > 0 && { without }),
      ...(isLocator && { isLocator }),
    },
  };
}

function listed(list: string): string[] {
  return list.split(/, and |, | and in | or in | and | or /);
}

const TESTS = ['test', 'tests', '__tests__', 'spec', 'specs'];

/** What a word after "but not in" stands for; undefined when that is not clear. */
function leftOut(word: string, hasNoun: boolean): string[] | undefined {
  const below = (folder: string) => [folder, `**/${folder}/**`];
  if (/^(?:tests?|specs?|unit tests)$/i.test(word)) return [...TESTS.flatMap(below), ...(globsForType('test') ?? [])];
  if (looksLikePath(word)) return [tidyPath(word)];
  const typed = hasNoun ? globsForType(word) : undefined;
  if (typed) return [...typed];
  if (
    looksLikeFolder(word) ||
    /^(?:node_modules|dist|build|vendor|target|out|generated|fixtures|mocks|__mocks__)$/.test(word)
  ) {
    return below(word);
  }
  return hasNoun && /^[\w./@*-]+$/.test(word) && !isNoise(word) ? below(tidyPath(word)) : undefined;
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
