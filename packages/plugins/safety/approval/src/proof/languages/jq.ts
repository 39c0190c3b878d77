/** jq: a filter cannot write or run anything, but it can import other files; `--arg` takes two words. */
import type { CallWord, Language, Meaning } from '../language.ts';
import { valueOf } from './known-words.ts';

const SHORT = /^-[nrjasSCMceR]+$/;
const LONG =
  /^--(?:null-input|raw-output|raw-output0|join-output|ascii-output|slurp|sort-keys|color-output|monochrome-output|compact-output|exit-status|raw-input|tab|seq|stream|stream-errors|unbuffered)$/;
/** Names that load other files. */
const LOADING = /^(?:import|include|modulemeta|module)$/;

/** Reads the words: the first that is no flag is the filter. */
export const language: Language = {
  read(words, meaning) {
    let hasFilter = false;
    let isText = false;
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as CallWord;
      if (word.below === undefined && word.isMany) meaning.refuse('a word that may become several', word);
      const text = word.value;
      if (word.below === undefined && word.prefix === '' && text === undefined)
        meaning.refuse('a word that is only known when it runs, where a flag could stand', word);
      if (word.below === undefined && word.prefix.startsWith('-') && text !== '-') {
        const flag = valueOf(word, meaning, 'a flag of jq');
        if (flag === '--arg' || flag === '--argjson') at = skip(words, at, meaning);
        else if (flag === '--slurpfile' || flag === '--rawfile') {
          at = skip(words, at, meaning);
          meaning.role('read', words[at] as CallWord);
        } else if (flag === '--indent') at++;
        else if (flag === '--args' || flag === '--jsonargs') isText = true;
        else if (!SHORT.test(flag) && !LONG.test(flag)) meaning.refuse(`the flag ${flag} of jq`, word);
      } else if (!hasFilter) {
        hasFilter = true;
        filter(word, meaning);
      } else if (!isText) meaning.role('read', word);
    }
    if (!hasFilter) meaning.refuse('jq without a filter');
  },
};

/** Passes over a name and a value, each one word. */
function skip(words: readonly CallWord[], at: number, meaning: Meaning): number {
  const [name, value] = [words[at + 1], words[at + 2]];
  valueOf(name, meaning, 'the name of a variable of jq');
  if (value === undefined || value.isMany) meaning.refuse('the value of a variable of jq', value);
  return at + 2;
}

function filter(word: CallWord, meaning: Meaning): void {
  const code = valueOf(word, meaning, 'a filter of jq');
  // eslint-disable-next-line no-control-regex
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(code)) meaning.refuse('a control character in the filter of jq', word);
  const end = tokens(code, 0, false);
  if (end !== code.length) meaning.refuse('the filter of jq', word);
}

const PLAIN =
  /[ \t\n]+|\.[A-Za-z_]\w*|\$(?:__loc__|[A-Za-z_]\w*(?:::\w+)*)|@[a-z0-9]+|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+*/%|,.:;=<>!?[\]{}]|#[^\n\\]*(?=\n|$)/y;

/** Passes over tokens up to the end, or to a closing parenthesis of an interpolation; gives where it stopped. */
function tokens(code: string, start: number, isInner: boolean): number {
  let at = start;
  let depth = 0;
  while (at < code.length) {
    const letter = code[at];
    if (letter === '"') {
      at = string(code, at + 1);
      if (at < 0) return -1;
      continue;
    }
    if (letter === '(') depth++;
    if (letter === ')' && depth-- === 0) return isInner ? at : -1;
    if (letter === '(' || letter === ')') {
      at++;
      continue;
    }
    PLAIN.lastIndex = at;
    const [token] = PLAIN.exec(code) ?? [];
    if (token === undefined || LOADING.test(token)) return -1;
    at += token.length;
  }
  return isInner || depth > 0 ? -1 : at;
}

/** The place behind a string's end, or -1. */
function string(code: string, start: number): number {
  for (let at = start; at < code.length; at++) {
    if (code[at] === '"') return at + 1;
    if (code[at] !== '\\') continue;
    at++;
    if (code[at] !== '(') {
      if (!/["\\/bfnrtu]/.test(code[at] ?? '')) return -1;
      continue;
    }
    at = tokens(code, at + 1, true);
    if (at < 0) return -1;
  }
  return -1;
}
