/** Changes of files as rows. What marks words is loaded when it is first needed; until then signs and colours have to do. */
import { type DiffModule, loadDiff, type ThemeColor } from '@tenon/components';
import { type Accelerators, loadAccelerator } from '@tenon/native';
import type { CardStyle } from '@tenon/screen-slots/api';

interface DiffParts {
  readonly diff: DiffModule;
  readonly text: Accelerators['text'];
}

let parts: DiffParts | undefined;
let loading: Promise<void> | undefined;

/** Loads what draws differences with numbers and marked words; best after the first frame. */
export function prepareDiffs(): Promise<void> {
  loading ??= Promise.all([loadDiff(), loadAccelerator('text')]).then(([diff, text]) => {
    parts = { diff, text };
  });
  return loading;
}

/** How many lines a unified diff adds and removes: `+3 -1`. */
export function changeCount(diff: string): string {
  const count = (sign: string) =>
    diff.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return diff === '' ? '' : `+${count('+')} -${count('-')}`;
}

/** The rows of a unified diff of one file, without its name: titles have that. */
export function patchRows(diff: string, style: CardStyle): readonly string[] {
  const start = /^@@ /m.exec(diff)?.index;
  if (start === undefined) return [];
  const hunks = diff.slice(start);
  const { theme, width } = style;
  if (parts) return parts.diff.renderPatch(hunks, { theme, width, text: parts.text });
  // The next one is drawn well; whoever loaded nothing before has not shown many yet.
  prepareDiffs().catch(() => undefined); // Rows without marks are right, too.
  return diffLineRows(hunks, style);
}

/** The rows of the difference of two texts; none until `prepareDiffs` is done. */
export function changeRows(before: string, after: string, { theme, width }: CardStyle): readonly string[] {
  return parts?.diff.renderDiff(before, after, { theme, width, text: parts.text }) ?? [];
}

/** The rows of a text whose lines begin with `+`, `-`, `~` or a blank, as models write changes. */
export function diffLineRows(text: string, style: CardStyle, otherwise: ThemeColor = 'toolDiffContext'): string[] {
  const shown = style.plain(text).replace(/\s+$/, '');
  if (shown === '') return [];
  return shown.split('\n').flatMap((line) => {
    const color = line.startsWith('-') ? 'toolDiffRemoved' : /^[+~]/.test(line) ? 'toolDiffAdded' : otherwise;
    return style.wrap(line === '' ? ' ' : line, style.width).map((row) => style.theme.fg(color, row));
  });
}
