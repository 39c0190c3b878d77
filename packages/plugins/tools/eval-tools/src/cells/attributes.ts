/** The header of a cell: `*** Cell py:"title" t:30s rst`, read leniently. */
import type { CellLanguage } from '../api.ts';
import { errors } from '../errors.ts';

/** What a header says. */
export interface CellAttributes {
  readonly language?: CellLanguage;
  readonly title?: string;
  readonly timeoutMs?: number;
  readonly reset: boolean;
}

const LANGUAGES: Readonly<Record<string, CellLanguage>> = {
  py: 'python',
  python: 'python',
  python3: 'python',
  ipy: 'python',
  ipython: 'python',
  js: 'javascript',
  javascript: 'javascript',
  node: 'javascript',
  ts: 'javascript',
  typescript: 'javascript',
};
const TITLES = new Set(['id', 'title', 'name', 'cell', 'file', 'label']);
const TIMES = new Set(['t', 'timeout', 'duration', 'time']);
const RESETS = new Set(['rst', 'reset']);
const TRUE = new Set(['', 'true', '1', 'yes', 'on']);
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The language that a word names, if it names one. */
export function languageOf(word: string): CellLanguage | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
}

/** Reads the rest of a header line. `cell` is its number, for messages. */
export function parseAttributes(text: string, cell: number): CellAttributes {
  let language: CellLanguage | undefined;
  let timeoutMs: number | undefined;
  let reset = false;
  const titles: string[] = [];
  for (const token of tokensOf(text)) {
    const { key, value } = token;
    const named = key === undefined ? undefined : key.toLowerCase();
    if (key !== undefined && languageOf(key) !== undefined) {
      language = languageOf(key);
      if (value !== '') titles.push(value);
    } else if (named !== undefined && TITLES.has(named)) titles.push(value);
    else if (named !== undefined && TIMES.has(named)) timeoutMs = durationOf(value, cell);
    else if (named !== undefined && RESETS.has(named)) reset = TRUE.has(value.toLowerCase());
    else if (key !== undefined) titles.push(`${key}:${value}`);
    else if (token.quoted) titles.push(value);
    else if (languageOf(value) !== undefined) language = languageOf(value);
    else if (RESETS.has(value.toLowerCase())) reset = true;
    else if (/^\d+(?:\.\d+)?(?:ms|s|m)$/i.test(value)) timeoutMs = durationOf(value, cell);
    else titles.push(value);
  }
  const title = titles.filter((part) => part !== '').join(' ');
  return {
    reset,
    ...(language !== undefined && { language }),
    ...(title !== '' && { title }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

interface Token {
  readonly key?: string;
  readonly value: string;
  readonly quoted: boolean;
}

/** `key:value`, `key:"a value"`, `"words"` or a plain word. A quote that is not closed ends with the line. */
function tokensOf(text: string): Token[] {
  const pattern =
    /([A-Za-z]\w*)[:=](?=\s|$)|(?:([A-Za-z]\w*)[:=])?(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s"':=]\S*|[:=]+))|\S/g;
  return [...text.matchAll(pattern)].map(([all, bare, key, double, single, plain]) => {
    if (bare !== undefined) return { key: bare, value: '', quoted: false };
    const value = double ?? single ?? plain ?? all;
    return { value, quoted: double !== undefined || single !== undefined, ...(key !== undefined && { key }) };
  });
}

function durationOf(text: string, cell: number): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|sec|min)?$/i.exec(text.trim()) ?? [];
  const factor = UNITS[unit.toLowerCase().replace('sec', 's').replace('min', 'm')];
  if (digits === undefined || factor === undefined) throw errors.create('EVAL_TIMEOUT_INVALID', { value: text, cell });
  return Number(digits) * factor;
}
