/** Runs the corpus: every edit, in every mode, on every drifted file. */
import { TenonError } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import type { EditCall, EditMode } from '../../src/api.ts';
import { builtinModes } from '../../src/edit/modes.ts';
import { drift, DRIFTS } from './drifts.ts';
import { inputFor, type ModeName, MODES } from './editor.ts';
import { type CorpusEdit, makeEdits } from './mutations.ts';
import { Random } from './random.ts';
import { LANGUAGES, sourcesOf } from './sources.ts';

/** What became of an edit: as it should be, refused, or not as it should be. */
export type Outcome = 'exact' | 'refused' | 'wrong';

/** How many of each, by drift and mode. */
export type Tally = Record<string, Record<ModeName, Record<Outcome, number>>>;

/** Something that went wrong, with what is needed to see why. */
export interface Failure {
  readonly edit: CorpusEdit;
  readonly drift: string;
  readonly mode: ModeName;
  readonly input: unknown;
  readonly content: string;
  readonly expected: string | undefined;
  readonly actual: string;
}

/** The result of a run. */
export interface CorpusReport {
  readonly edits: number;
  readonly tally: Tally;
  readonly failures: readonly Failure[];
  /** Bytes of the arguments of all edits, by mode. */
  readonly payload: Record<ModeName, number>;
  /** Edits and payload by language. */
  readonly languages: Record<string, { edits: number; payload: Record<ModeName, number> }>;
}

/** Makes all edits, about `perLanguage` of each language. */
export async function makeCorpus(root: string, perLanguage: number): Promise<CorpusEdit[]> {
  const syntax = await loadAccelerator('syntax');
  const edits: CorpusEdit[] = [];
  for (const language of LANGUAGES) {
    const sources = sourcesOf(root, language);
    for (const [index, source] of sources.entries()) {
      edits.push(...(await makeEdits(syntax, source, Math.ceil(perLanguage / sources.length), 1000 + index)));
    }
  }
  return edits;
}

/** Runs edits in all modes on all drifts, in memory. */
export async function runCorpus(edits: readonly CorpusEdit[]): Promise<CorpusReport> {
  const hashline = await loadAccelerator('hashline');
  const modes = builtinModes(async () => hashline);
  const tally: Tally = Object.fromEntries(
    Object.keys(DRIFTS).map((name) => [name, emptyModes(() => ({ exact: 0, refused: 0, wrong: 0 }))]),
  );
  const failures: Failure[] = [];
  const payload = emptyModes(() => 0);
  const languages: CorpusReport['languages'] = {};
  for (const [number, edit] of edits.entries()) {
    const inputs = emptyModes(() => ({}) as Record<string, unknown>);
    const language = (languages[edit.source.language] ??= { edits: 0, payload: emptyModes(() => 0) });
    language.edits++;
    for (const mode of MODES) {
      inputs[mode] = inputFor(mode, edit, edit.source.path, hashline);
      const bytes = Buffer.byteLength(JSON.stringify(inputs[mode]));
      payload[mode] += bytes;
      language.payload[mode] += bytes;
    }
    for (const [index, name] of Object.keys(DRIFTS).entries()) {
      const drifted = drift(name, edit, new Random(number * 31 + index + 7));
      if (!drifted) continue;
      for (const mode of MODES) {
        const actual = await applyEdit(modes[mode], inputs[mode], edit, drifted.content);
        const outcome: Outcome = actual === undefined ? 'refused' : actual === drifted.expected ? 'exact' : 'wrong';
        const counts = tally[name]?.[mode];
        if (counts) counts[outcome]++;
        if (outcome === 'wrong') {
          failures.push({
            edit,
            drift: name,
            mode,
            input: inputs[mode],
            content: drifted.content,
            expected: drifted.expected,
            actual: actual ?? '',
          });
        }
      }
    }
  }
  return { edits: edits.length, tally, failures, payload, languages };
}

function emptyModes<T>(make: () => T): Record<ModeName, T> {
  return Object.fromEntries(MODES.map((mode) => [mode, make()])) as Record<ModeName, T>;
}

/** The new content; undefined when the edit is refused with an error that explains itself. */
export async function applyEdit(
  mode: EditMode | undefined,
  input: Record<string, unknown>,
  edit: CorpusEdit,
  content: string,
): Promise<string | undefined> {
  const path = edit.source.path;
  const file = {
    path,
    shownPath: path,
    content: Buffer.from(content),
    seen: [Buffer.from(`${edit.before.join('\n')}\n`)],
  };
  const call: EditCall = { session: 'corpus', cwd: '/', file: async () => file, shown: () => {} };
  try {
    const plan = await mode?.plan(input, call);
    const after = plan?.edits[0]?.after;
    if (after === undefined) throw new Error(`${edit.id}: the mode planned nothing`);
    return Buffer.concat(after instanceof Uint8Array ? [after] : [...after]).toString('utf8');
  } catch (fault) {
    if (fault instanceof TenonError && fault.message !== '' && fault.next) return undefined;
    throw fault;
  }
}
