/** Renaming in languages whose scopes the rules do not know: words in code, and only after asking. */
import { ecosystemOf, familyOf } from '../code/languages.ts';
import { regionsOf } from '../code/regions.ts';
import { nameInText } from '../code/study.ts';
import type { Mention } from '../code/facts.ts';
import { ask, call, failed, type Outcome } from '../plan.ts';
import type { Request } from '../request.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile, editInput, readAll, searchAll, type Steps, wordPattern } from './reading.ts';
import { renamedLines } from './rename-edit.ts';
import { renameReport } from './rename-report.ts';
import { type Candidate, describe, leave } from './rename-target.ts';
import { code, count } from './wording.ts';

/** Renames a word in the code of one language. */
export function* renameWords(request: Request, target: Candidate, lines: readonly FoundLine[]): Steps<Outcome> {
  const { old = '', new: next = '', words } = request.slots;
  const language = ecosystemOf(target.path) ?? 'this language';
  const files = byFile(lines.filter(({ path }) => ecosystemOf(path) === language));
  if (words === undefined) return askHowFar(request, target, language, files);
  const paths = words === 'file' ? [target.path] : [...files.keys()];
  const texts = yield* readAll(paths, `Reading ${count(paths.length, 'file')}.`);
  const mentions: Mention[] = [];
  for (const [path, file] of texts) {
    if ('problem' in file) return failed(`${file.problem} Nothing was changed.`);
    mentions.push(...wordsIn(path, file.text, old));
  }
  const isCode = ({ usage }: Mention) => usage === 'name';
  const renamed = renamedLines(next, mentions.filter(isCode), lines, texts);
  if ('problem' in renamed) return failed(`${renamed.problem} Nothing was changed.`);
  const edited = yield* call(
    'edit',
    { input: editInput(renamed) },
    { say: `Changing ${count(renamed.length, 'line')}.`, mayFail: true },
  );
  if (edited.isError) return failed(`The change was refused, nothing was changed: ${edited.text}`);
  const last = yield* searchAll(wordPattern(old), ['.'], { say: 'Checking what is left.' });
  return renameReport({
    old,
    next,
    what: describe(target, old),
    home: target.path,
    lines: renamed,
    changed: mentions.filter(isCode),
    doubts: [],
    wished: [],
    files: paths.map((path) => ({
      path,
      hasErrors: false,
      bindings: [],
      mentions: mentions.filter((mention) => mention.path === path),
      module: { stars: [], isModule: false },
    })),
    remaining: last.lines,
    searched: '',
    isPartial: last.isPartial,
    notes: [],
  });
}

function askHowFar(
  request: Request,
  target: Candidate,
  language: string,
  files: ReadonlyMap<string, readonly FoundLine[]>,
): Outcome {
  const { old = '' } = request.slots;
  const here = files.get(target.path)?.length ?? 0;
  const total = [...files.values()].reduce((sum, lines) => sum + lines.length, 0);
  const answer = (words: string): Request => ({
    ...request,
    slots: { ...request.slots, home: target.path, at: String(target.line), words },
  });
  return ask({
    text: `The rules do not know what names mean in ${language}. They can change the word ${code(old)} wherever it stands in code, be it this ${describe(target)} or something else. Where?`,
    choices: [
      {
        label: `in ${code(target.path)} (${count(here, 'line')})`,
        words: [target.path, 'here', 'this file', 'only here'],
        request: answer('file'),
      },
      ...(files.size > 1
        ? [
            {
              label: `in all ${count(files.size, `${language} file`)} that mention it (${count(total, 'line')})`,
              words: ['all', 'everywhere', 'all files', 'in all files'],
              request: answer('all'),
            },
          ]
        : []),
      leave(request),
    ],
  });
}

function wordsIn(path: string, text: string, name: string): Mention[] {
  const family = familyOf(path);
  const regions = family ? regionsOf(text, family) : new Uint8Array(text.length);
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return [...text.matchAll(nameInText(name))].map(({ index }) => {
    const line = lineStarts.findLastIndex((start) => start <= index);
    const region = regions[index];
    return {
      path,
      name,
      start: index,
      line: line + 1,
      column: index - (lineStarts[line] ?? 0),
      usage: region === 1 ? 'comment' : region === 2 ? 'string' : 'name',
      inner: [],
    };
  });
}
