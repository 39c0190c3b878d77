/** Which language each cell of a call is in. */
import type { CellLanguage } from './api.ts';
import type { ParsedCell } from './cells/parse.ts';
import { sniffLanguage } from './cells/sniff.ts';
import { errors } from './errors.ts';

/** A cell whose language is known. */
export type ReadyCell = ParsedCell & { readonly language: CellLanguage };

/** Settles the languages. A cell that does not say goes with the one before it, then by its looks, then by what there is. */
export function chooseLanguages(
  cells: readonly ParsedCell[],
  enabled: readonly CellLanguage[],
  hasPython: () => boolean,
): { readonly cells: readonly ReadyCell[]; readonly notices: readonly string[] } {
  const notices = new Set<string>();
  let before: CellLanguage | undefined;
  const ready = cells.map((cell): ReadyCell => {
    if (cell.language !== undefined) {
      if (!enabled.includes(cell.language)) throw errors.create('EVAL_LANGUAGE_OFF', { language: cell.language });
      before = cell.language;
      return { ...cell, language: cell.language };
    }
    let language = before ?? sniffLanguage(cell.code) ?? 'python';
    if (!enabled.includes(language)) {
      const [other] = enabled;
      if (other === undefined) throw errors.create('EVAL_LANGUAGE_OFF', { language });
      notices.add(`Cells in ${language} are switched off; ${other} was used.`);
      language = other;
    }
    if (language === 'python' && enabled.includes('javascript') && !hasPython()) {
      notices.add('There is no Python here; JavaScript was used.');
      language = 'javascript';
    }
    before = language;
    return { ...cell, language };
  });
  return { cells: ready, notices: [...notices] };
}
