/** What has to be clear before anything is renamed: which declaration is meant, and whether the new name is free. */
import { declares } from '../code/declarations.ts';
import { familyOf } from '../code/languages.ts';
import { type Asked, asked } from '../plan.ts';
import type { Request } from '../request.ts';
import type { FoundLine } from '../tool-output.ts';
import { byFile, wordPattern } from './reading.ts';
import { code, count } from './wording.ts';

/** What the declarations say about the thing to rename. */
export interface Declared extends FoundLine {
  readonly kind: string;
}

/** The declaration that is meant; a question when there are several, or none. */
export function chooseDeclaration(request: Request, old: string, lines: readonly FoundLine[]): Declared | Asked {
  const declared = lines.flatMap((line): Declared[] => {
    const kind = familyOf(line.path) ? declares(line.text, old) : undefined;
    return kind === undefined ? [] : [{ ...line, kind }];
  });
  const wanted = request.slots['kind'];
  const ofKind = declared.filter(
    ({ kind }) => wanted !== undefined && (kind === wanted || (wanted === 'class' && kind === 'struct')),
  );
  const candidates = ofKind.length > 0 ? ofKind : declared;
  const home = request.slots['home'];
  const inHome = home === undefined ? candidates : candidates.filter(({ path }) => path === home);
  const files = [...new Set(inHome.map(({ path }) => path))];
  const [only] = inHome;
  const kinds = new Set(inHome.map(({ kind }) => kind));
  if (only && files.length === 1 && (kinds.size === 1 || request.slots['all'] === 'yes')) return only;
  if (!only) return noDeclaration(request, old, lines);
  const narrowed = (slots: Readonly<Record<string, string>>): Request => ({
    ...request,
    slots: { ...request.slots, ...slots },
  });
  if (files.length === 1) {
    return asked({
      text: `${code(old)} is declared more than once in ${code(only.path)}, as ${[...kinds].join(' and ')}. The rules cannot tell the scopes apart.`,
      choices: [
        {
          label: 'rename all of them',
          words: ['all', 'all of them', 'both', 'yes'],
          request: narrowed({ all: 'yes', home: only.path }),
        },
        {
          label: 'leave everything as it is',
          words: ['no', 'none', 'stop', 'cancel'],
          request: { ...request, intent: 'nothing', slots: {} },
        },
      ],
    });
  }
  return asked({
    text: `${code(old)} is declared in ${count(files.length, 'file')}. Which one should be renamed?`,
    choices: inHome
      .filter(({ path }, index) => inHome.findIndex((other) => other.path === path) === index)
      .map(({ path, line, text }) => ({
        label: `${code(path)}, line ${line}: ${code(text.trim())}`,
        words: [path, `in ${path}`, `the one in ${path}`],
        request: narrowed({ home: path }),
      })),
  });
}

function noDeclaration(request: Request, old: string, lines: readonly FoundLine[]): Asked {
  const files = [...byFile(lines).keys()];
  const next = request.slots['new'] ?? '';
  return asked({
    text:
      `${code(old)} occurs on ${count(lines.length, 'line')} in ${count(files.length, 'file')}, but no line declares it in a way the rules know. ` +
      'Should the text be replaced instead?',
    choices: [
      {
        label: `replace the text ${code(old)} by ${code(next)} on these lines`,
        words: ['yes', 'y', 'replace', 'ok', 'sure', 'go ahead', 'do it'],
        request: {
          ...request,
          intent: 'replace',
          slots: { old, new: next, whole: 'yes' },
          scope: { ...request.scope, everywhere: true },
        },
      },
      {
        label: 'leave everything as it is',
        words: ['no', 'n', 'stop', 'cancel'],
        request: { ...request, intent: 'nothing', slots: {} },
      },
    ],
  });
}

/** The new name may be taken already; then two things would have one name. */
export function clashWith(
  request: Request,
  old: string,
  next: string,
  lines: readonly FoundLine[],
  home: Declared,
): Asked | undefined {
  const touched = new Set(lines.filter(({ text }) => new RegExp(wordPattern(old)).test(text)).map(({ path }) => path));
  const taken = lines.filter(
    ({ path, text }) => touched.has(path) && familyOf(path) && declares(text, next) !== undefined,
  );
  if (taken.length === 0) return undefined;
  return asked({
    text: `${code(next)} is already declared in ${taken.map(({ path, line }) => code(`${path}:${line}`)).join(', ')}. Renaming ${code(old)} (${code(`${home.path}:${home.line}`)}) would make two things of one name.`,
    choices: [
      {
        label: 'rename anyway',
        words: ['yes', 'y', 'anyway', 'rename anyway', 'go ahead'],
        request: { ...request, slots: { ...request.slots, force: 'yes' } },
      },
      {
        label: 'leave everything as it is',
        words: ['no', 'n', 'stop', 'cancel'],
        request: { ...request, intent: 'nothing', slots: {} },
      },
    ],
  });
}
