/** What a renaming came to, told honestly. */
import { familyOf } from '../code/languages.ts';
import { failed, type Outcome, said } from '../plan.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile } from './reading.ts';
import type { Leftover, RenameTarget } from './rename-lines.ts';
import { bullets, code, count } from './wording.ts';

/** The facts of a renaming. */
export interface RenameFacts {
  readonly target: RenameTarget;
  readonly replaced: number;
  readonly files: readonly string[];
  readonly leftovers: readonly Leftover[];
  /** Lines in files that have something else of the same name. */
  readonly foreign: readonly FoundLine[];
  /** Every line that still holds the old name, by a last search. */
  readonly remaining: readonly FoundLine[];
  /** Every line that holds the new name. */
  readonly now: readonly FoundLine[];
  readonly notes: readonly string[];
}

/** The report. */
export function renameReport(facts: RenameFacts): Outcome {
  const { target, replaced, remaining, foreign, leftovers, now, notes } = facts;
  const { old, next, kind, file } = target;
  if (replaced === 0) {
    const reasons = notes.length > 0 ? `\n\n${bullets(notes).join('\n')}` : '';
    return failed(`Nothing was renamed: no place of ${code(old)} could be changed safely.${reasons}`);
  }
  const changed = facts.files.filter((path) => now.some((line) => line.path === path));
  const places = byFile(now.filter(({ path }) => changed.includes(path)));
  const parts = [
    `Renamed the ${kind} ${code(old)} (${code(file)}) to ${code(next)}: ${count(replaced, 'place')} in ${count(changed.length, 'file')}.`,
    '',
  ];
  parts.push(...bullets([...places].map(([path, lines]) => `${code(path)}: ${lineNumbers(lines)}`)));
  const text = (why: Leftover['why']) => leftovers.filter((left) => left.why === why && stillThere(left, remaining));
  const documents = remaining.filter(({ path }) => !familyOf(path));
  const others = foreign.filter((line) => stillThere(line, remaining));
  section(parts, `Still mentioned in comments, which I left alone`, text('comment'));
  section(parts, `Still mentioned in texts (strings), which I left alone`, text('string'));
  section(parts, `Still mentioned in files that are not code`, documents);
  section(
    parts,
    `Members named ${code(old)} of other things; the rules cannot tell whether they are this ${kind}`,
    text('member'),
  );
  section(parts, `Other uses of the name that the rules could not place; please look at them`, text('other'));
  const listed = [...leftovers, ...documents, ...others];
  const kept = remaining.filter((line) => changed.includes(line.path) && !stillThere(line, listed));
  section(parts, `Kept as the name of a property, so that users of the object still find it`, kept);
  section(parts, `Left alone, because these files have or use something else of that name`, others);
  if (notes.length > 0) parts.push('', 'Problems:', '', ...bullets(notes));
  const unclear = text('other').length + text('member').length + kept.length + notes.length;
  parts.push(
    '',
    remaining.length === 0
      ? `Checked by searching again: ${code(old)} occurs nowhere any more.`
      : `Checked by searching again: ${code(old)} is left on ${count(remaining.length, 'line')}${unclear === 0 && others.length === 0 ? ', none of them code' : ''}.`,
  );
  if (text('comment').length + text('string').length + documents.length > 0) {
    parts.push(`To change the text too, say: replace "${old}" with "${next}" everywhere.`);
  }
  parts.push('The tests were not run; say "run the tests" to do so.');
  return notes.length > 0 ? { text: parts.join('\n'), failed: true } : said(parts.join('\n'));
}

type Place = { readonly path: string; readonly line: number };

function stillThere({ path, line }: Place, remaining: readonly Place[]): boolean {
  return remaining.some((other) => other.path === path && other.line === line);
}

function section(
  parts: string[],
  title: string,
  lines: readonly { readonly path: string; readonly line: number; readonly text: string }[],
): void {
  if (lines.length === 0) return;
  const unique = lines.filter(
    (line, index) => lines.findIndex((other) => other.path === line.path && other.line === line.line) === index,
  );
  parts.push(
    '',
    `${title}:`,
    '',
    ...bullets(
      unique.map(({ path, line, text }) => `${code(`${path}:${line}`)} ${text.trim().slice(0, 120)}`),
      15,
    ),
  );
}

function lineNumbers(lines: readonly FoundLine[]): string {
  const numbers = lines.map(({ line }) => line);
  const shown = numbers.slice(0, 12).join(', ');
  return `${numbers.length === 1 ? 'line' : 'lines'} ${shown}${numbers.length > 12 ? ' …' : ''}`;
}
