/** Questions to the user before anything is changed. */
import type { Clash } from '../code/clash.ts';
import type { Mention } from '../code/facts.ts';
import { ask, type Asked } from '../plan.ts';
import type { Request } from '../request.ts';
import { leave } from './rename-target.ts';
import { bullets, code, count, listed } from './wording.ts';

/** A mention as the user sees it. */
export interface ShownMention {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly why: string;
  /** False for files that the rules cannot change in this way. */
  readonly canRename: boolean;
}

/** Asks about mentions that may or may not mean what is renamed. */
export function askAboutDoubts(request: Request, old: string, what: string, doubts: readonly ShownMention[]): Asked {
  const shown = bullets(
    doubts.map(({ path, line, text, why }) => `${code(`${path}:${line}`)} ${text.trim().slice(0, 100)} (${why})`),
    20,
  );
  const files = new Set(doubts.map(({ path }) => path)).size;
  const able = doubts.filter(({ canRename }) => canRename);
  const answer = (unsure: string): Request => ({ ...request, slots: { ...request.slots, unsure } });
  return ask({
    text: `The rules cannot decide whether ${code(old)} means the ${what} on ${count(doubts.length, 'line')} in ${count(files, 'file')}:\n\n${shown.join('\n')}\n\nWhat should happen there?`,
    choices: [
      ...(able.length > 0
        ? [
            {
              label:
                able.length === doubts.length
                  ? 'rename there, too'
                  : `rename there, too, where I can (${count(able.length, 'line')})`,
              words: ['yes', 'y', 'rename', 'too', 'all', 'rename there too', 'rename all'],
              request: answer('yes'),
            },
          ]
        : []),
      {
        label: 'rename what is certain, and leave these lines alone',
        words: ['certain', 'only certain', 'leave', 'leave these', 'leave them', 'skip'],
        request: answer('no'),
      },
      leave(request),
    ],
  });
}

/** A part of the project was named, but what is renamed is used outside of it. */
export function askAboutOutside(request: Request, old: string, outside: readonly Mention[]): Asked {
  const files = [...new Set(outside.map(({ path }) => path))];
  const answer = (value: string): Request => ({ ...request, slots: { ...request.slots, outside: value } });
  return ask({
    text: `${code(old)} is also used outside of what you named, in ${listed(files.slice(0, 8).map(code))}${files.length > 8 ? ' and more' : ''} (${count(outside.length, 'place')}). Without a change there, that code breaks.`,
    choices: [
      { label: 'rename there, too', words: ['yes', 'y', 'too', 'everywhere', 'all'], request: answer('yes') },
      { label: 'rename only what was named', words: ['only', 'only there', 'only named'], request: answer('no') },
      leave(request),
    ],
  });
}

/** The new name may be taken already; then two things would have one name. */
export function askAboutClash(
  request: Request,
  old: string,
  next: string,
  home: string,
  clashes: readonly Clash[],
): Asked {
  const linesOf = (some: readonly Clash[]) => listed(some.slice(0, 6).map(({ path, line }) => code(`${path}:${line}`)));
  const declared = clashes.filter(({ isDeclared }) => isDeclared);
  const first =
    declared.length > 0
      ? `${code(next)} is already declared in ${linesOf(declared)}. Renaming ${code(old)} (${code(home)}) would make two things of one name.`
      : `${code(next)} is already used in ${linesOf(clashes)} for something else. Renaming ${code(old)} (${code(home)}) would change what that means.`;
  return ask({
    text: first,
    choices: [
      {
        label: 'rename anyway',
        words: ['yes', 'y', 'anyway', 'rename anyway', 'go ahead'],
        request: { ...request, slots: { ...request.slots, force: 'yes' } },
      },
      leave(request),
    ],
  });
}
