/** A unified diff as lines that know where they stand. */

/** A line of a diff. */
export interface DiffLine {
  readonly kind: 'file' | 'place' | 'added' | 'removed' | 'same' | 'other';
  readonly text: string;
  /** The file that it belongs to, once one was named. */
  readonly file?: string;
  /** Its number in the new file; for a removed line, in the old one. */
  readonly number?: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Whether a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) && /^--- /m.test(text);
}

/** The lines. What stands before the names of the files repeats them, and is left out. */
export function diffLines(text: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let file: string | undefined;
  let [before, after] = [0, 0];
  // How much of a part is still to come: within it, `--- x` is a removed line and no name.
  let [oldLeft, newLeft] = [0, 0];
  for (const line of text.trimEnd().split('\n')) {
    const named = file !== undefined && { file };
    const isInside = oldLeft > 0 || newLeft > 0;
    const hunk = isInside ? null : HUNK.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[3])];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      lines.push({ kind: 'place', text: line, ...named });
    } else if (isInside && line.startsWith('+')) {
      lines.push({ kind: 'added', text: line, ...named, number: after++ });
      newLeft -= 1;
    } else if (isInside && line.startsWith('-')) {
      lines.push({ kind: 'removed', text: line, ...named, number: before++ });
      oldLeft -= 1;
    } else if (isInside && !line.startsWith('\\')) {
      lines.push({ kind: 'same', text: line, ...named, number: after++ });
      before += 1;
      oldLeft -= 1;
      newLeft -= 1;
    } else if (/^(?:Index: .*|=+|diff --git .*|index [0-9a-f]+\.\..*)$/.test(line)) {
      continue;
    } else if (/^(?:---|\+\+\+) /.test(line)) {
      const name = nameOf(line);
      if (name !== undefined) file = name;
      // A new or removed file has one name.
      if (line.startsWith('+++') || name !== undefined)
        lines.push({ kind: 'file', text: line, ...(file !== undefined && { file }) });
    } else lines.push({ kind: 'other', text: line, ...named });
  }
  return lines;
}

function nameOf(line: string): string | undefined {
  const [path = ''] = line.slice(4).split('\t', 1);
  if (path === '/dev/null') return undefined;
  return path.trim().replace(/^[ab]\//, '');
}
