/** Finds the old text of an edit: exactly, or as closely as can be said without guessing. */
import { type Closeness, CONFIDENCE, findLines, findSimilar } from './fuzzy-lines.ts';
import { IndentMap } from './reindent.ts';
import { payloadLines } from './text-lines.ts';
import type { SearchedText, Span } from './text-match.ts';

/** One replacement of a text. */
export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly all?: boolean;
}

/** Where the old text stands, and what takes its place there. */
export interface FoundText {
  readonly how: Closeness;
  readonly confidence: number;
  /** What differs, for people. */
  readonly difference: string;
  readonly spans: readonly (Span & { readonly text: string })[];
}

/** The closest kind of match that exists. By likeness only where nobody's change can be lost by it. */
export function findText(text: SearchedText, edit: TextEdit, mayBeSimilar: boolean): FoundText | undefined {
  const { old_text: wanted, new_text: substitute } = edit;
  const exact = text.find(wanted, 'exact');
  const same = (span: Span) => ({ ...span, text: substitute });
  if (exact.length > 0) return { how: 'exact', confidence: 1, difference: '', spans: exact.map(same) };
  const loose = text.find(wanted, 'loose');
  if (loose.length > 0) {
    const difference = 'blanks at line ends or typographic quotes differ';
    return { how: 'loose', confidence: CONFIDENCE.loose, difference, spans: loose.map(same) };
  }
  const lines = wholeLines(edit);
  if (!lines) return undefined;
  const { texts } = text.lines;
  const indented = findLines(texts, lines.old, 'indent').map((at) => lineSpan(text, at, lines));
  if (indented.length > 0) {
    const spans = indented.filter((span) => span !== undefined);
    // All or none: places that cannot be indented still are places.
    if (spans.length < indented.length) return undefined;
    return { how: 'indent', confidence: CONFIDENCE.indent, difference: 'the indentation differs', spans };
  }
  const similar = mayBeSimilar ? findSimilar(texts, lines.old) : undefined;
  const span = similar && lineSpan(text, similar.at, lines);
  if (!similar || !span) return undefined;
  return {
    how: 'similar',
    confidence: similar.confidence,
    difference: 'the text is similar, not the same',
    spans: [span],
  };
}

interface WholeLines {
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** The edit as one of whole lines; undefined when it ends inside of a line that goes on. */
function wholeLines({ old_text: wanted, new_text: substitute }: TextEdit): WholeLines | undefined {
  const old = payloadLines(wanted);
  if (old.every((line) => line.trim() === '')) return undefined;
  if (!wanted.endsWith('\n')) return { old, new: substitute.split(/\r?\n/) };
  return substitute === '' || substitute.endsWith('\n') ? { old, new: payloadLines(substitute) } : undefined;
}

/** The span of whole lines, their last ending aside unless all of them go, and the new text as it is indented there. */
function lineSpan(text: SearchedText, at: number, lines: WholeLines): (Span & { text: string }) | undefined {
  const { texts, starts } = text.lines;
  const indents = IndentMap.learn(lines.old.map((line, index) => [line, texts[at + index] ?? ''] as const));
  const substitute = indents?.apply(lines.new);
  if (!substitute) return undefined;
  const last = at + lines.old.length - 1;
  const end = (starts[last] ?? 0) + (texts[last] ?? '').length;
  const start = starts[at] ?? 0;
  if (substitute.length > 0) return { start, end, text: substitute.join('\n') };
  // A text without a last line ending stays without one: the ending before goes.
  const isOpen = last === texts.length - 1 && starts[last + 1] === end;
  const previous = at - 1;
  const from = isOpen && previous >= 0 ? (starts[previous] ?? 0) + (texts[previous] ?? '').length : start;
  return { start: from, end: starts[last + 1] ?? end, text: '' };
}

/** Where the text starts to differ is the most useful thing to know. */
export function hintFor(text: SearchedText, wanted: string): string {
  const lines = wanted.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const [place] = text.find(line.trim(), 'loose');
    if (!place) return index === 0 ? '' : ` This line of it is not there: "${line.trim().slice(0, 120)}".`;
  }
  const [first] = text.find(lines[0]?.trim() ?? '', 'loose');
  return first
    ? ` Its lines are there (the first at line ${text.lineOf(first.start)}), but not like this: check the indentation.`
    : '';
}
