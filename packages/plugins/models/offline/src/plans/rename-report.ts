/** What a renaming came to, told honestly. */
import type { FileFacts, Mention } from '../code/facts.ts';
import { canUse, ecosystemOf, familyOf } from '../code/languages.ts';
import type { Doubt } from '../code/reach.ts';
import { failed, type Outcome } from '../plan.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile } from './reading.ts';
import { isKept, type RenamedLine } from './rename-edit.ts';
import { bullets, code, count } from './wording.ts';

/** The facts of a renaming. */
export interface RenameFacts {
  readonly old: string;
  readonly next: string;
  /** What it is: "function `load`", "method `total` of `Cart`". */
  readonly what: string;
  readonly home: string;
  readonly lines: readonly RenamedLine[];
  readonly changed: readonly Mention[];
  /** Places that were left because the user wanted it so. */
  readonly wished: readonly Mention[];
  /** Mentions that were left alone because their meaning is in doubt. */
  readonly doubts: readonly Doubt[];
  /** What is known of the files that were parsed. */
  readonly files: readonly FileFacts[];
  /** Every line that still holds the old name, by a last search. */
  readonly remaining: readonly FoundLine[];
  /** Where was searched: the project, or one file. */
  readonly searched: string;
  readonly isPartial: boolean;
  readonly notes: readonly string[];
}

/** Why a line still has the old name; the first that fits. */
const REASONS = {
  doubt: 'Left alone, because the rules could not decide what the name means there',
  wished: 'Left alone, as you wished, though it is the same thing',
  broken: 'Left alone, because the file has a syntax error',
  kept: 'Kept as the name of a property, so that users of the object still find it',
  comment: 'Still mentioned in comments, which I left alone',
  string: 'Still mentioned in texts (strings), which I left alone',
  member: 'Members of that name of other things',
  same: 'Left alone, because it is something else of that name',
  language: 'Left alone, because it is another language',
  path: 'Names of files and modules, which stay as they are',
  document: 'Still mentioned in files that are not code',
} as const;

type Reason = keyof typeof REASONS;

/** The report. */
export function renameReport(facts: RenameFacts): Outcome {
  const { old, next, what, home, lines, remaining, notes } = facts;
  if (lines.length === 0) {
    const reasons = notes.length > 0 ? `\n\n${bullets(notes).join('\n')}` : '';
    return failed(`Nothing was renamed: no place of ${code(old)} could be changed safely.${reasons}`);
  }
  const byPath = new Map<string, RenamedLine[]>();
  for (const line of lines) byPath.set(line.path, [...(byPath.get(line.path) ?? []), line]);
  const mentions = lines.reduce((sum, line) => sum + line.count, 0);
  const parts = [
    `Renamed the ${what} (${code(home)}) to ${code(next)}: ${count(mentions, 'place')} in ${count(byPath.size, 'file')}.`,
    '',
    ...bullets([...byPath].map(([path, changed]) => `${code(path)}: ${lineNumbers(changed)}`)),
  ];
  const byReason = new Map<Reason, FoundLine[]>();
  for (const line of remaining) {
    const reason = reasonFor(line, facts);
    byReason.set(reason, [...(byReason.get(reason) ?? []), line]);
  }
  for (const reason of Object.keys(REASONS) as Reason[]) section(parts, REASONS[reason], byReason.get(reason) ?? []);
  if (notes.length > 0) parts.push('', 'Problems:', '', ...bullets(notes));
  parts.push('', checked(facts, byReason));
  // Where other things have the name, too, replacing the text would change them as well.
  if (isText(byReason) && byReason.size > 0 && !(byReason.size === 1 && byReason.has('path'))) {
    parts.push(`To change the text too, say: replace "${old}" with "${next}" everywhere.`);
  }
  return { text: parts.join('\n'), isUntested: true, ...(notes.length > 0 && { failed: true }) };
}

function checked({ old, remaining, searched, isPartial }: RenameFacts, byReason: ReadonlyMap<Reason, unknown>): string {
  const where = searched === '' ? '' : ` in ${code(searched)}`;
  if (remaining.length === 0 && !isPartial) {
    return `Checked by searching again: ${code(old)} no longer occurs${searched === '' ? ' anywhere' : where}.`;
  }
  const least = isPartial ? 'at least ' : '';
  return `Checked by searching again: ${code(old)} is left on ${least}${count(remaining.length, 'line')}${where}${isText(byReason) ? ', none of them code' : ''}.`;
}

function isText(byReason: ReadonlyMap<Reason, unknown>): boolean {
  return [...byReason.keys()].every((reason) => /^(?:comment|string|document|path)$/.test(reason));
}

function reasonFor({ path, line }: FoundLine, { home, files, doubts, changed, wished }: RenameFacts): Reason {
  const isHere = (other: { readonly path: string; readonly line: number }) =>
    other.path === path && other.line === line;
  if (doubts.some(({ mention }) => isHere(mention)) || canUse(ecosystemOf(home) ?? '', path)) return 'doubt';
  if (wished.some(isHere)) return 'wished';
  if (changed.some((mention) => isHere(mention) && isKept(mention))) return 'kept';
  if (!familyOf(path)) return 'document';
  const file = files.find((other) => other.path === path);
  if (!file) return ecosystemOf(path) === ecosystemOf(home) ? 'same' : 'language';
  if (file.hasErrors) return 'broken';
  const usages = new Set(
    file.mentions.filter((mention) => isHere(mention) && !changed.includes(mention)).map(({ usage }) => usage),
  );
  if (usages.has('name') || usages.has('outside') || usages.has('export')) return 'same';
  for (const usage of ['member', 'key', 'unclear', 'string', 'comment', 'path'] as const) {
    if (usages.has(usage)) return usage === 'key' || usage === 'unclear' ? 'same' : usage;
  }
  return 'same';
}

function section(parts: string[], title: string, lines: readonly FoundLine[]): void {
  if (lines.length === 0) return;
  // Of another language it is enough to know the files.
  const items =
    title === REASONS.language
      ? [...byFile(lines)].map(([path, fileLines]) => `${code(path)} (${count(fileLines.length, 'line')})`)
      : lines.map(({ path, line, text }) => `${code(`${path}:${line}`)} ${text.trim().slice(0, 120)}`);
  parts.push('', `${title}:`, '', ...bullets(items, 15));
}

function lineNumbers(lines: readonly RenamedLine[]): string {
  const numbers = lines.map(({ line }) => line).toSorted((a, b) => a - b);
  const shown = numbers.slice(0, 12).join(', ');
  return `${numbers.length === 1 ? 'line' : 'lines'} ${shown}${numbers.length > 12 ? ' …' : ''}`;
}
