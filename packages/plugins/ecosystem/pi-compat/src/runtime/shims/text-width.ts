/** How wide text is on a terminal, and how it is cut and wrapped. Colour codes take no room. */

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|_[^\u001b]*\u001b\\)/g;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

/** Columns that a text takes. */
export function visibleWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text.replace(ESCAPES, ''))) width += widthOf(segment);
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
    if (!part.isEscape && used + columns > room) break;
    used += columns;
    cut += part.text;
  }
  const done = `${cut}${ESCAPES.test(text) ? '\u001b[0m' : ''}${width > 0 ? ellipsis : ''}`;
  ESCAPES.lastIndex = 0;
  return pad ? done + ' '.repeat(Math.max(0, width - visibleWidth(done))) : done;
}

/** Lines of at most this width, broken between words where that is possible. */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (visibleWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\s)/)) {
    if (visibleWidth(current + word.trimEnd()) <= width) {
      current += word;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    current = word;
    while (visibleWidth(current) > width) {
      const head = truncateToWidth(current, width, '');
      lines.push(head);
      current = current.slice(head.length || 1);
    }
  }
  return current.trim() === '' && lines.length > 0 ? lines : [...lines, current.trimEnd()];
}

function* split(text: string): Generator<{ text: string; isEscape: boolean }> {
  let at = 0;
  for (const match of text.matchAll(ESCAPES)) {
    for (const { segment } of segmenter.segment(text.slice(at, match.index))) yield { text: segment, isEscape: false };
    yield { text: match[0], isEscape: true };
    at = match.index + match[0].length;
  }
  for (const { segment } of segmenter.segment(text.slice(at))) yield { text: segment, isEscape: false };
}
