/** Where in a file a call means: a line, and a text on it. */
import { errors } from '../errors.ts';
import type { Position, TextDocument } from '../text-document.ts';

/** A position in words: the line from 1, and a part of the line; `name#2` is its second occurrence. */
export interface PlaceInFile {
  readonly line: number;
  readonly symbol?: string | undefined;
}

/** The position that is meant; without a symbol, the first character of the line that is no blank. */
export function positionIn(document: TextDocument, { line, symbol }: PlaceInFile, path: string): Position {
  const text = document.line(line - 1);
  if (text === undefined) throw errors.create('LSP_LINE', { path, line, count: document.lineCount });
  if (symbol === undefined || symbol === '') return { line: line - 1, character: Math.max(0, text.search(/\S/)) };
  const selector = /^(.+)#(\d+)$/s.exec(symbol);
  // A `#2` that is written in the line itself is no selector.
  const [wanted, nth] = selector && !text.includes(symbol) ? [selector[1] ?? '', Number(selector[2])] : [symbol, 1];
  const character = occurrence(text, wanted, nth) ?? occurrence(text.toLowerCase(), wanted.toLowerCase(), nth);
  if (character !== undefined) return { line: line - 1, character };
  const often = nth > 1 ? ` ${nth} times` : '';
  throw errors.create('LSP_SYMBOL', { path, line, symbol: wanted, often, text: text.trim().slice(0, 200) });
}

/** Where a text occurs for the nth time; as a whole word before as a part of one. */
function occurrence(text: string, wanted: string, nth: number): number | undefined {
  const all: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) all.push(at);
  const isWord = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}_$]/u.test(sign);
  const starts = isWord(wanted[0]);
  const ends = isWord(wanted.at(-1));
  const whole = all.filter((at) => !(starts && isWord(text[at - 1])) && !(ends && isWord(text[at + wanted.length])));
  return (whole.length >= nth ? whole : all)[nth - 1];
}
