/** What a person reads about a call before they decide. */
import type { ApprovalQuestion } from '@tenon/host';
import { changeRows, patchRows } from '../cards/diff-rows.ts';
import { cardStyleOf, type Look, plainRows } from './look.ts';

/** What a call would change in a file. */
export type FilePreview =
  /** `diff` is unified. */
  | { readonly path: string; readonly diff: string }
  | { readonly path: string; readonly before: string; readonly after: string };

const TIERS = [
  'reads only',
  'changes the workspace',
  'uses the network or is hard to undo',
  'destroys something or cannot be undone',
] as const;

/** How risky it is, in a few words. */
export function tierRow({ theme }: Look, { tier }: Pick<ApprovalQuestion, 'tier'>): string {
  const words = `tier ${tier}: ${TIERS[tier] ?? 'unknown'}`;
  return theme.fg(tier >= 3 ? 'error' : tier === 2 ? 'warning' : 'muted', words);
}

/** The whole command or input, with the risky parts marked by colour, weight and a line: not everyone sees colours. */
export function callRows(look: Look, { pieces }: Pick<ApprovalQuestion, 'pieces'>, width: number): string[] {
  const { theme, text } = look;
  // A style must not reach over a line feed: rows are broken there.
  const risky = (part: string) =>
    part
      .split('\n')
      .map((line) => (line === '' ? '' : theme.bold(theme.underline(theme.fg('warning', line)))))
      .join('\n');
  const whole = pieces.map((piece) => (piece.isRisky ? risky(piece.text) : piece.text)).join('');
  const bar = theme.fg('borderMuted', '│ ');
  return text.wrap(text.sanitize(whole, { keepStyle: true }), Math.max(1, width - 2)).map((row) => `${bar}${row}`);
}

/** Why it is asked about, and what the sandbox has to do with it. */
export function reasonRows(look: Look, { reasons, notes }: ApprovalQuestion, width: number): string[] {
  return [
    ...reasons.flatMap((reason) => bulletRows(look, reason, width)),
    ...notes.flatMap((note) => plainRows(look, note, width, 'muted')),
  ];
}

function bulletRows(look: Look, reason: string, width: number): string[] {
  return plainRows(look, reason, width - 2).map((row, index) => `${index === 0 ? '• ' : '  '}${row}`);
}

/** The changes of files, for calls that change some. */
export function previewRows(look: Look, previews: readonly FilePreview[], width: number): string[] {
  const style = cardStyleOf(look, width);
  return previews.flatMap((preview) => [
    ...plainRows(look, preview.path, width, 'accent'),
    ...('diff' in preview ? patchRows(preview.diff, style) : changeRows(preview.before, preview.after, style)),
    '',
  ]);
}
