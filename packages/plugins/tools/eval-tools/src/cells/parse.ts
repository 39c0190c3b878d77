/**
 * The text of a call as cells. A cell starts with `*** Cell …` and goes on to the next one, `*** End` or the end of the text. Models
 * write this in many ways; whatever has one meaning is taken.
 */
import type { CellLanguage } from '../api.ts';
import { errors } from '../errors.ts';
import { type CellAttributes, languageOf, parseAttributes } from './attributes.ts';

/** One cell. */
export interface ParsedCell extends CellAttributes {
  readonly code: string;
}

/** A call's cells. */
export interface ParsedCells {
  readonly cells: readonly ParsedCell[];
  /** The model broke off: what it was writing is left out. */
  readonly isAborted: boolean;
}

const MARKER = /^[ \t]{0,3}\*{2,}[ \t]*(cell|end|abort)\b(.*)$/i;
const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n([\s\S]*?)\n?[ \t]*\1[ \t]*$/;

interface Draft {
  readonly attributes: CellAttributes;
  readonly lines: string[];
  isEnded: boolean;
}

/** Reads the cells of a call. */
export function parseCells(input: string): ParsedCells {
  const drafts: Draft[] = [];
  let isAborted = false;
  for (const line of input.replace(/\r\n?/g, '\n').split('\n')) {
    const [, word, rest = ''] = MARKER.exec(line) ?? [];
    const last = drafts.at(-1);
    switch (word?.toLowerCase()) {
      case 'cell':
        drafts.push({ attributes: parseAttributes(rest, drafts.length + 1), lines: [], isEnded: false });
        break;
      case 'end':
        if (last) last.isEnded = true;
        break;
      case 'abort':
        isAborted = true;
        if (last && !last.isEnded) drafts.pop();
        break;
      default:
        // Code before the first header is a cell of its own; lines after an end still belong to the cell before.
        if (last) last.lines.push(line);
        else if (line.trim() !== '') drafts.push({ attributes: { reset: false }, lines: [line], isEnded: false });
    }
    if (isAborted) break;
  }
  const cells = drafts.map(finish).filter(({ code, reset }) => code !== '' || reset);
  if (cells.length === 0 && !isAborted) throw errors.create('EVAL_EMPTY');
  return { cells, isAborted };
}

function finish({ attributes, lines }: Draft): ParsedCell {
  const text = withoutBlankEnds(lines).join('\n');
  const [, , info, inner] = FENCE.exec(text) ?? [];
  if (inner === undefined) return { ...attributes, code: text };
  const language: CellLanguage | undefined = attributes.language ?? languageOf(info ?? '');
  return { ...attributes, code: inner, ...(language !== undefined && { language }) };
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const isText = (line: string) => line.trim() !== '';
  const first = lines.findIndex(isText);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}
