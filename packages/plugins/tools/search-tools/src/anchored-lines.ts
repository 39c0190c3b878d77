/** Found lines with the anchors that edits name them by. */
import { decoded, encodingOf } from '@tenon/file-tools/api';
import type { Accelerators } from '@tenon/native';

type GrepLine = Awaited<ReturnType<Accelerators['search']['grep']>>['files'][number]['lines'][number];

/** Rows `*5th|match` and ` 6ab|context`. Anchors are taken from the bytes, so that they fit also where text is not UTF-8. */
export function anchoredRows(
  hashline: Accelerators['hashline'],
  lines: readonly GrepLine[],
  content: Buffer | undefined,
): string[] {
  const fromFile = content ? rowsFromFile(hashline, lines, content) : new Map<number, string>();
  return lines.map(({ number, text, match, cut }) => {
    const mark = match ? '*' : ' ';
    const row = fromFile.get(number);
    const isCut = cut !== undefined;
    if (row !== undefined && !isCut) return mark + row;
    const anchor = row?.slice(0, row.indexOf('|')) ?? (isCut ? String(number) : hashline.anchor(text, number));
    return `${mark}${anchor}|${cut ? '…' : ''}${text}${isCut ? '…' : ''}`;
  });
}

/** Rows `*5|match` of a file that cannot be edited. */
export function numberedRows(lines: readonly GrepLine[]): string[] {
  return lines.map(
    ({ number, text, match, cut }) =>
      `${match ? '*' : ' '}${number}|${cut ? '…' : ''}${text}${cut === undefined ? '' : '…'}`,
  );
}

function rowsFromFile(
  hashline: Accelerators['hashline'],
  lines: readonly GrepLine[],
  content: Buffer,
): Map<number, string> {
  const rows = new Map<number, string>();
  const encoding = encodingOf(content);
  let index = 0;
  while (index < lines.length) {
    const first = lines[index]?.number ?? 1;
    let last = first;
    while (lines[++index]?.number === last + 1) last++;
    const text = decoded(hashline.format(content, { first, last }), encoding).split('\n');
    for (let number = first; number <= last; number++) {
      const row = text[number - first];
      if (row) rows.set(number, row);
    }
  }
  return rows;
}
