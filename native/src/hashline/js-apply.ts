/**
 * Operations on named lines to new bytes. All anchors are checked before a byte is written; see
 * `crates/hashline/src/apply.rs` for the rules, which are the same here.
 */
import { isTelling, trimmedEnd } from './anchor.ts';
import { AppliedEdit } from './applied-edit.ts';
import type { Anchor, ApplyResult, Op, Refused, Section, StaleAnchor } from './contract.ts';
import { type Edit, payloadOf } from './js-edit.ts';
import { Locator, type Unproven } from './js-locate.ts';
import { staleAnchor, staleMessage } from './js-report.ts';
import { asBuffer, LineText } from './js-text.ts';
import { weave } from './js-weave.ts';

/** Applies a section's operations to `content`; `snapshot` is what the editor read, if it is still known. */
export function applySection(content: Uint8Array, section: Section, snapshot: Uint8Array | undefined): ApplyResult {
  const overlap = findOverlap(section.ops.map((op) => ({ op, ...namedLines(op), located: false })));
  if (overlap) return overlap;
  const bytes = asBuffer(content);
  const text = new LineText(bytes);
  const base = snapshot && !bytes.equals(snapshot) ? new LineText(snapshot) : undefined;
  const edits = resolve(text, section, base);
  if ('ok' in edits) return edits;
  const recovered = edits.some((edit) => edit.located);
  const warnings: string[] = [];
  if (recovered) {
    warnings.push(`${section.path} changed since it was read; the edit was placed by the unchanged lines around it.`);
  }
  for (const edit of edits) warnings.push(...doubledLines(text, section, edit));
  // Inserts come before a range that starts at the same line; otherwise the patch's own order stands.
  edits.sort(byPlace);
  const edit = new AppliedEdit(weave(text, section, edits), {
    warnings,
    firstChangedLine: (edits[0]?.start ?? 0) + 1,
    linesAdded: edits.reduce((sum, { op }) => sum + newlines(payloadOf(section, op)), 0),
    linesRemoved: edits.reduce((sum, edit) => sum + edit.end - edit.start, 0),
    recovered,
  });
  // Equal length is a cheap sign that the contents may be equal; only then are they compared.
  const length = edit.pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length === bytes.length && edit.content.equals(bytes)) {
    return refuse('no-change', `The edits to ${section.path} change nothing.`);
  }
  return edit;
}

function refuse(code: Refused['code'], message: string): Refused {
  return { ok: false, code, message, stale: [] };
}

function byPlace(a: { start: number; end: number }, b: { start: number; end: number }): number {
  // The end of the file is Infinity before it is resolved, and Infinity - Infinity would not compare.
  if (a.start !== b.start) return a.start - b.start;
  return a.end === b.end ? 0 : a.end - b.end;
}

function newlines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

/** The lines that an operation names, as indexes into the file it was made for; empty for inserts. */
function namedLines({ kind, start, end }: Op): { start: number; end: number } {
  if (start === 'BOF') return { start: 0, end: 0 };
  if (start === 'EOF') return { start: Infinity, end: Infinity };
  const first = Math.max(start.line - 1, 0);
  if (kind === 'insert-after') return { start: first + 1, end: first + 1 };
  if (kind === 'insert-before') return { start: first, end: first };
  return { start: first, end: Math.max(end?.line ?? 0, first + 1) };
}

function findOverlap(claims: Edit[]): Refused | undefined {
  let widest: Edit | undefined;
  for (const claim of claims.sort(byPlace)) {
    if (widest && claim.start < widest.end && claim.end > widest.start) {
      const first = Math.min(widest.op.patchLine, claim.op.patchLine);
      const second = Math.max(widest.op.patchLine, claim.op.patchLine);
      return refuse(
        'overlap',
        `The operations in lines ${first} and ${second} of the patch overlap, so nothing was changed. ` +
          'Join them into one operation.',
      );
    }
    if (claim.start < claim.end && (!widest || claim.end > widest.end)) widest = claim;
  }
  return undefined;
}

function anchorsOf({ start, end }: Op): Anchor[] {
  if (typeof start === 'string') return end ? [end] : [];
  return end && (end.line !== start.line || end.code !== start.code) ? [start, end] : [start];
}

function resolve(text: LineText, section: Section, base: LineText | undefined): Edit[] | Refused {
  const locator = base && new Locator(base, text);
  const edits: Edit[] = [];
  const stale: StaleAnchor[] = [];
  const reasons: string[] = [];
  let lastLocated = 0;
  // Base order, so that located edits can be checked to have kept it.
  const named = section.ops.map((op) => ({ op, anchors: anchorsOf(op), ...namedLines(op) })).sort(byPlace);
  for (const { op, anchors, start, end } of named) {
    if (anchors.length === 0) {
      const edge = Math.min(start, text.count);
      edits.push({ op, start: edge, end: edge, located: false });
    } else if (base && locator && anchors.every((anchor) => base.fits(anchor))) {
      const location = locator.locate(start, end);
      const position = typeof location === 'number' && location < lastLocated ? 'changed' : location;
      if (typeof position === 'number') {
        lastLocated = position + end - start;
        edits.push({ op, start: position, end: lastLocated, located: true });
      } else {
        reasons.push(unprovenReason(op, position));
        stale.push(...anchors.map((anchor) => staleAnchor(op.patchLine, anchor, text)));
      }
    } else {
      const unfit = anchors.filter((anchor) => !text.fits(anchor));
      stale.push(...unfit.map((anchor) => staleAnchor(op.patchLine, anchor, text)));
      edits.push({ op, start, end, located: false });
    }
  }
  if (stale.length > 0) {
    const anchors = named.reduce((sum, entry) => sum + entry.anchors.length, 0);
    return { ok: false, code: 'stale', message: staleMessage(section.path, text, stale, anchors, reasons), stale };
  }
  edits.sort((a, b) => a.op.patchLine - b.op.patchLine);
  // Located and directly named lines can meet only here, where both are lines of the current file.
  return findOverlap([...edits]) ?? edits;
}

function unprovenReason({ patchLine }: Op, why: Unproven): string {
  const cause =
    why === 'changed'
      ? 'the lines it names, or the lines next to them, have changed'
      : 'the same lines stand there more than once';
  return `The file changed since it was read, and the operation in line ${patchLine} of the patch cannot be placed with certainty: ${cause}.`;
}

/** A payload that repeats the line just outside its range is most often a slip; it is written as asked, but said. */
function doubledLines(text: LineText, section: Section, edit: Edit): string[] {
  const payload = payloadOf(section, edit.op);
  if (payload.length === 0) return [];
  const lines = payload.subarray(0, -1);
  const firstEnd = lines.indexOf(10);
  const first = lines.subarray(0, firstEnd < 0 ? lines.length : firstEnd);
  const last = lines.subarray(lines.lastIndexOf(10) + 1);
  const warnings: string[] = [];
  for (const [line, index, which] of [
    [first, edit.start - 1, 'first'],
    [last, edit.end, 'last'],
  ] as const) {
    if (index < 0 || index >= text.count) continue;
    const trimmed = line.subarray(0, trimmedEnd(line, 0, line.length));
    const there = asBuffer(text.text(index));
    if (
      !isTelling(trimmed, 0, trimmed.length) ||
      !trimmed.equals(there.subarray(0, trimmedEnd(there, 0, there.length)))
    ) {
      continue;
    }
    warnings.push(
      `The ${which} payload line of the operation in line ${edit.op.patchLine} of the patch repeats line ${index + 1}, ` +
        'which stays next to it: check that it is not doubled.',
    );
  }
  return warnings;
}
