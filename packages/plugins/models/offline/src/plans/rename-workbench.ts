/** What a renaming reads and finds out before anything is changed. */
import { declares } from '../code/declarations.ts';
import type { Binding, FileFacts } from '../code/facts.ts';
import { grammarFor } from '../code/grammars/index.ts';
import { ecosystemOf } from '../code/languages.ts';
import { beyondRules, type Outcome } from '../plan.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile, readAll, type Steps, type WholeFile, wordPattern } from './reading.ts';
import type { Candidate } from './rename-target.ts';
import { code, count } from './wording.ts';

/** Files of one language that are parsed for one renaming. */
const MAX_FILES = 200;
/** Up to here all files are parsed; of more, those of languages in which a line looks like a declaration. */
const FEW_FILES = 40;

/** What was read and found out so far. */
export interface Workbench {
  readonly old: string;
  readonly next: string;
  readonly texts: Map<string, WholeFile>;
  readonly facts: Map<string, FileFacts>;
  /** Why files could not be used, by their paths. */
  readonly problems: Map<string, string>;
}

/** True for lines with a name. */
export function holds(name: string): (line: FoundLine) => boolean {
  const pattern = new RegExp(wordPattern(name));
  return ({ text }) => pattern.test(text);
}

/** The files to look for the declaration in. */
export function likelyFiles(lines: readonly FoundLine[], old: string): string[] {
  const paths = [...byFile(lines).keys()].filter((path) => grammarFor(path) !== undefined);
  if (paths.length <= FEW_FILES) return paths;
  const declaring = new Set(
    lines.filter(({ text }) => declares(text, old) !== undefined).map(({ path }) => ecosystemOf(path)),
  );
  return declaring.size === 0 ? paths : paths.filter((path) => declaring.has(ecosystemOf(path)));
}

/** Reads and parses files, unless that was done already. */
export function* studyFiles(bench: Workbench, paths: readonly string[]): Steps<Outcome | undefined> {
  const unread = paths.filter((path) => !bench.texts.has(path));
  if (unread.length === 0) return undefined;
  if (unread.length > MAX_FILES) {
    return beyondRules(
      `${code(bench.old)} stands in ${unread.length} files, and the rules follow a name through ${MAX_FILES} at most. Nothing was changed. This needs a real model or a language server.`,
    );
  }
  const texts = yield* readAll(
    unread,
    `Reading ${count(unread.length, 'file')} that ${unread.length === 1 ? 'mentions' : 'mention'} it.`,
  );
  for (const [path, text] of texts) bench.texts.set(path, text);
  const sources = [...texts].flatMap(([path, file]) => ('text' in file ? [{ path, text: file.text }] : []));
  const study = { sources, names: [bench.old, bench.next], facts: new Map() };
  yield { calls: [], study };
  for (const path of unread) {
    const file = texts.get(path);
    const facts = study.facts.get(path) ?? {
      problem: file && 'problem' in file ? file.problem : `${path} was not read.`,
    };
    if ('problem' in facts) bench.problems.set(path, facts.problem);
    else bench.facts.set(path, facts);
  }
  return undefined;
}

/** All that is declared. */
export function bindingsOf({ facts }: Workbench): Binding[] {
  return [...facts.values()].flatMap(({ bindings }) => bindings);
}

/** Everything that declares the name. */
export function candidatesIn(bench: Workbench, lines: readonly FoundLine[]): Candidate[] {
  const textAt = (path: string, line: number) =>
    lines.find((other) => other.path === path && other.line === line)?.text ?? '';
  const bindings = bindingsOf(bench).filter(
    ({ name, origin, kinds }) => name === bench.old && (!origin || kinds.includes('module')),
  );
  const hasDefinition = bindings.some(({ isForward }) => !isForward);
  const parsed = bindings
    .filter(({ isForward }) => !(hasDefinition && isForward))
    .map((binding) => ({ ...binding, text: textAt(binding.path, binding.line), binding }));
  const guessed = lines
    .filter(({ path }) => ecosystemOf(path) !== undefined && grammarFor(path) === undefined)
    .flatMap(({ path, line, text }) => {
      const kind = declares(text, bench.old);
      return kind === undefined ? [] : [{ path, line, text, kinds: [kind] }];
    });
  return [...parsed, ...guessed];
}
