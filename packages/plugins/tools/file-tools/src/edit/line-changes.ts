import { diffArrays } from 'diff';
import type { LineEdit } from './text-lines.ts';

/** The lines that differ between two texts, as edits of the first. */
export function lineChanges(old: readonly string[], now: readonly string[]): LineEdit[] {
  const edits: { start: number; end: number; lines: string[] }[] = [];
  let at = 0;
  let open: (typeof edits)[number] | undefined;
  for (const part of diffArrays([...old], [...now])) {
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
