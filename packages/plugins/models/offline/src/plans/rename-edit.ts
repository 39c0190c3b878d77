/** From mentions to changed lines. */
import type { Mention } from '../code/facts.ts';
import { type FoundLine, isShortened } from '../tool-output.ts';
import type { LineChange, WholeFile } from './reading.ts';
import { code } from './wording.ts';

/** A line that changes, and how often the name stands on it. */
export interface RenamedLine extends LineChange {
  readonly line: number;
  readonly count: number;
}

/** The new lines, or why there are none. */
export function renamedLines(
  next: string,
  mentions: readonly Mention[],
  searchLines: readonly FoundLine[],
  texts: ReadonlyMap<string, WholeFile>,
): readonly RenamedLine[] | { readonly problem: string } {
  const byLine = new Map<string, Mention[]>();
  for (const mention of mentions) {
    const key = `${mention.path}:${mention.line}`;
    byLine.set(key, [...(byLine.get(key) ?? []), mention]);
  }
  const lines: RenamedLine[] = [];
  for (const here of byLine.values()) {
    const [first] = here;
    if (!first) continue;
    const { path, line } = first;
    const location = code(`${path}:${line}`);
    const shown = searchLines.find((other) => other.path === path && other.line === line);
    if (shown?.anchor === undefined) return { problem: `The search shows no anchor for ${location}.` };
    const file = texts.get(path);
    const text = file && 'text' in file ? lineOf(file.text, line) : undefined;
    // Both tools must speak of the same line; a line of many thousand characters is cut by both.
    if (text === undefined || (!isShortened(shown) && shown.text !== text) || text.endsWith('…')) {
      return { problem: `${location} could not be read as a whole.` };
    }
    const column = isFirst(file, line) ? -1 : 0;
    lines.push({ path, anchor: shown.anchor, line, count: here.length, text: renamed(text, here, next, column) });
  }
  return lines;
}

function lineOf(text: string, line: number): string | undefined {
  const content = text.split('\n')[line - 1]?.replace(/\r$/, '');
  return line === 1 ? content?.replace(/^\uFEFF/, '') : content;
}

/** A byte order mark stands before the first line and is not shown as a part of it. */
function isFirst(file: WholeFile | undefined, line: number): boolean {
  return line === 1 && file !== undefined && 'text' in file && file.text.startsWith('\uFEFF');
}

function renamed(text: string, mentions: readonly Mention[], next: string, shift: number): string {
  return mentions
    .toSorted((a, b) => b.column - a.column)
    .reduce((line, mention) => {
      const at = mention.column + shift;
      return line.slice(0, at) + wordFor(mention, next) + line.slice(at + mention.name.length);
    }, text);
}

/** A property keeps its name, so `{ a }` becomes `{ a: b }`; what is taken out of a module has the new name there, too. */
function wordFor({ shorthand, name, binding, isDefinition }: Mention, next: string): string {
  const isTaken = isDefinition === true && binding?.origin !== undefined;
  return shorthand && !isTaken ? `${name}: ${next}` : next;
}

/** Mentions whose word stays as the name of a property. */
export function isKept({ shorthand, binding, isDefinition }: Mention): boolean {
  return shorthand === true && !(isDefinition === true && binding?.origin !== undefined);
}
