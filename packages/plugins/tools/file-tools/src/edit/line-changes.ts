import { diffArrays } from 'diff';
import type { LineEdit } from './text-lines.ts';

/** The lines that differ between two texts, as edits of the first. What one edit can say is one edit. */
export function lineChanges(old: readonly string[], now: readonly string[]): LineEdit[] {
  const edits: { start: number; end: number; lines: string[] }[] = [];
  const first = sharedAtStart(old, now);
  const last = sharedAtEnd(old, now, Math.min(old.length, now.length) - first);
  let at = first;
  let open: (typeof edits)[number] | undefined;
  for (const part of diffArrays(old.slice(first, old.length - last), now.slice(first, now.length - last))) {
    if (!part.added && !part.removed) {
      at += part.value.length;
      open = undefined;
      continue;
    }
    if (!open) edits.push((open = { start: at, end: at, lines: [] }));
    if (part.added) open.lines.push(...part.value);
    else open.end = at += part.value.length;
  }
  return edits;
}

function sharedAtStart(old: readonly string[], now: readonly string[]): number {
  let shared = 0;
  while (shared < old.length && old[shared] === now[shared]) shared++;
  return shared;
}

function sharedAtEnd(old: readonly string[], now: readonly string[], most: number): number {
  let shared = 0;
  while (shared < most && old.at(-1 - shared) === now.at(-1 - shared)) shared++;
  return shared;
}
