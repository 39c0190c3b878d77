/** How wide text is on a terminal, and how it is cut and wrapped. Colour codes take no room, and go on in the next line. */
import { StyleState } from './text-style.ts';

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPES = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|[\]_P^][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const PLAIN = /^[\u0020-\u007e]*$/;
const RESET = '\u001b[0m';

/** Columns that a text takes. */
export function visibleWidth(text: string): number {
  const bare = text.includes('\u001b') ? text.replace(ESCAPES, '') : text;
  if (PLAIN.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of segmenter.segment(bare)) width += widthOf(segment);
  return width;
}

function widthOf(segment: string): number {
  if (NOTHING.test(segment)) return segment === '\t' ? 3 : 0;
  return WIDE.test(segment) ? 2 : 1;
}

/** The beginning of a text that fits, with an ellipsis when something was cut off; with `pad`, filled up with blanks. */
export function truncateToWidth(text: string, width: number, ellipsis = '…', pad = false): string {
  const whole = visibleWidth(text);
  if (whole <= width) return pad ? text + ' '.repeat(width - whole) : text;
  const room = Math.max(0, width - visibleWidth(ellipsis));
  let used = 0;
  let cut = '';
  for (const part of split(text)) {
    const columns = part.isEscape ? 0 : widthOf(part.text);
    if (used + columns > room) break;
    used += columns;
    cut += part.text;
  }
  const done = `${cut}${text.includes('\u001b') ? RESET : ''}${width > 0 ? ellipsis : ''}`;
  return pad ? done + ' '.repeat(Math.max(0, width - visibleWidth(done))) : done;
}

/** Lines of at most this width, broken between words where that is possible. Each line has the styles that it needs. */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  const style = new StyleState();
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '   '), Math.max(1, width), style));
}

interface Word {
  text: string;
  columns: number;
  readonly isBlank: boolean;
}

function wrapLine(line: string, width: number, style: StyleState): string[] {
  const lines: string[] = [];
  let current = style.open();
  let used = 0;
  let blank: Word | undefined;
  const end = () => {
    lines.push(current + style.close());
    current = style.open();
    used = 0;
    blank = undefined;
  };
  for (const word of wordsOf(line)) {
    if (word.isBlank) {
      // Blanks at the end of a line are left out; at its beginning they are the indentation.
      if (used === 0 && lines.length > 0) current += escapesIn(word.text, style);
      else blank = word;
      continue;
    }
    const gap = blank?.columns ?? 0;
    if (used + gap + word.columns > width && used > 0) {
      if (blank) current += escapesIn(blank.text, style);
      end();
    } else if (blank) {
      current += told(blank.text, style);
      used += gap;
    }
    blank = undefined;
    for (const part of word.columns > width ? split(word.text) : [{ text: word.text, isEscape: false }]) {
      const columns = visibleWidth(part.text);
      if (used + columns > width && used > 0) end();
      current += told(part.text, style);
      used += columns;
    }
  }
  if (blank) current += used + blank.columns <= width ? told(blank.text, style) : escapesIn(blank.text, style);
  lines.push(current + style.close());
  return lines;
}

function told(text: string, style: StyleState): string {
  for (const match of text.matchAll(ESCAPES)) style.note(match[0]);
  return text;
}

function escapesIn(text: string, style: StyleState): string {
  return [...text.matchAll(ESCAPES)].map(([sequence]) => told(sequence, style)).join('');
}

/** Words and what is between them; sequences belong to what follows them. */
function* wordsOf(line: string): Generator<Word> {
  let word: Word | undefined;
  let waiting = '';
  for (const part of split(line)) {
    if (part.isEscape) {
      waiting += part.text;
      continue;
    }
    const isBlank = part.text === ' ';
    if (word && word.isBlank !== isBlank) {
      yield word;
      word = undefined;
    }
    word ??= { text: '', columns: 0, isBlank };
    word.text += waiting + part.text;
    word.columns += widthOf(part.text);
    waiting = '';
  }
  if (word) yield { ...word, text: word.text + waiting };
  else if (waiting !== '') yield { text: waiting, columns: 0, isBlank: false };
}

/** The characters of a text and the sequences between them. */
export function* split(text: string): Generator<{ text: string; isEscape: boolean }> {
  let at = 0;
  for (const match of text.matchAll(ESCAPES)) {
    for (const { segment } of segmenter.segment(text.slice(at, match.index))) yield { text: segment, isEscape: false };
    yield { text: match[0], isEscape: true };
    at = match.index + match[0].length;
  }
  for (const { segment } of segmenter.segment(text.slice(at))) yield { text: segment, isEscape: false };
}
