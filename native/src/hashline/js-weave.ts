import type { Section } from './contract.ts';
import { type Edit, payloadOf } from './js-edit.ts';
import type { Ending, LineText } from './js-text.ts';

const ENDINGS: Record<Ending, Uint8Array> = {
  '\r\n': Buffer.from('\r\n'),
  '\n': Buffer.from('\n'),
  '': Buffer.alloc(0),
};

/** Lays out the unchanged spans and the payloads in order; `edits` are sorted and do not overlap. */
export function weave(text: LineText, section: Section, edits: readonly Edit[]): Uint8Array[] {
  const { bytes, bom, count } = text;
  const openEnd = count > 0 && text.ending(count - 1) === '';
  const pieces: Uint8Array[] = [bytes.subarray(0, bom)];
  let copied = 0;
  // The last line laid out, which loses its ending again if the file had none at its end.
  let lastEnding: Ending = '';
  let lastLength = 0;
  for (const edit of edits) {
    if (edit.start > copied) {
      pieces.push(bytes.subarray(text.start(copied), text.start(edit.start)));
      lastEnding = text.ending(edit.start - 1);
      lastLength = text.textEnd(edit.start - 1) - text.start(edit.start - 1);
    }
    copied = Math.max(copied, edit.end);
    const payload = payloadOf(section, edit.op);
    if (payload.length === 0) continue;
    const parts: Uint8Array[] = [];
    if (edit.start === count && lastEnding === '' && lastLength > 0) parts.push(ENDINGS[text.endingNear(count - 1)]);
    const [ending, closing] = endings(text, edit);
    for (let start = 0; start < payload.length;) {
      const end = payload.indexOf(10, start);
      lastEnding = end + 1 < payload.length ? ending : closing;
      lastLength = end - start;
      parts.push(payload.subarray(start, end), ENDINGS[lastEnding]);
      start = end + 1;
    }
    pieces.push(Buffer.concat(parts));
  }
  const last = pieces.at(-1)!;
  if (copied < count) {
    pieces.push(bytes.subarray(text.start(copied)));
  } else if (openEnd && lastLength > 0) {
    // An empty last line exists only through its ending; any other gives it up.
    pieces[pieces.length - 1] = last.subarray(0, last.length - lastEnding.length);
  }
  return pieces;
}

/** The endings for a payload's lines and for its last one, taken from the lines it stands next to or replaces. */
function endings(text: LineText, edit: Edit): [Ending, Ending] {
  if (edit.start < edit.end) return [text.endingNear(edit.start), text.endingNear(edit.end - 1)];
  const after = edit.op.kind === 'insert-after' && edit.op.start !== 'BOF';
  const near = after || edit.start === text.count ? Math.max(edit.start - 1, 0) : edit.start;
  const ending = text.endingNear(near);
  return [ending, ending];
}
