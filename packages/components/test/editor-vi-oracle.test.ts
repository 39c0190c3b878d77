import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { makeEditor, press, type } from './editor-support.ts';

const hasVim = spawnSync('vim', ['--version']).stdout?.includes('+eval') ?? false;

interface Case {
  readonly lines: readonly string[];
  readonly line: number;
  readonly column: number;
  /** Commands; what they type ends with an escape. */
  readonly commands: readonly string[];
}

interface Outcome {
  readonly lines: readonly string[];
  readonly caret: readonly [number, number];
}

/** Both begin with the same register, the same last change and the same last search in a line. */
const START = { line: 'ab', command: 'fbrbyl' };

const SCRIPT = `
set nocompatible encoding=utf-8 nojoinspaces noautoindent
let cases = json_decode(join(readfile($VI_CASES), ''))
let outcomes = []
for case in cases
  enew!
  call setline(1, '${START.line}')
  normal! fb
  normal! rb
  normal! yl
  set undolevels=-1
  %delete _
  call setline(1, case.lines)
  set undolevels=1000
  call setcursorcharpos(case.line + 1, case.column + 1)
  for command in case.commands
    let &undolevels = &undolevels
    silent! execute "normal! " . command
  endfor
  call add(outcomes, {'lines': getline(1, '$'), 'caret': [line('.') - 1, charcol('.') - 1]})
endfor
call writefile([json_encode(outcomes)], $VI_OUTCOMES)
qall!
`;

function askVim(cases: readonly Case[]): Outcome[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-vi-'));
  try {
    const files = { script: join(folder, 'run.vim'), cases: join(folder, 'cases'), outcomes: join(folder, 'outcomes') };
    writeFileSync(files.script, SCRIPT);
    writeFileSync(files.cases, JSON.stringify(cases));
    execFileSync('vim', ['-u', 'NONE', '-i', 'NONE', '-n', '-N', '-es', '-S', files.script], {
      env: { ...process.env, VI_CASES: files.cases, VI_OUTCOMES: files.outcomes, LC_ALL: 'C.UTF-8' },
      stdio: 'pipe',
    });
    return JSON.parse(readFileSync(files.outcomes, 'utf8')) as Outcome[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function askEditor({ lines, line, column, commands }: Case): Outcome {
  const editor = makeEditor();
  editor.mode = 'vi';
  editor.setDraft(START.line);
  press(editor, 'escape');
  type(editor, `0${START.command}`);
  editor.setDraft(lines.join('\n'));
  type(editor, `${line + 1}G0${column === 0 ? '' : `${column}l`}`);
  for (const command of commands) {
    type(editor, command);
    press(editor, 'escape');
  }
  const now = editor.text.split('\n');
  const { line: at, offset } = editor.caret;
  return { lines: now, caret: [at, [...(now[at] ?? '').slice(0, offset)].length] };
}

function compareAll(cases: readonly Case[], isCaretCompared: (one: Case) => boolean = () => true): void {
  const outcomes = askVim(cases);
  expect(outcomes).toHaveLength(cases.length);
  const differences = cases.flatMap((one, at) => {
    const wanted = outcomes[at];
    const got = askEditor(one);
    const isSame =
      JSON.stringify(wanted?.lines) === JSON.stringify(got.lines) &&
      (!isCaretCompared(one) || JSON.stringify(wanted?.caret) === JSON.stringify(got.caret));
    return isSame ? [] : [{ ...one, vim: wanted, editor: got }];
  });
  expect(differences.slice(0, 5).map((difference) => JSON.stringify(difference))).toEqual([]);
}

const WORDS = [
  'foo',
  'a',
  'bar-baz',
  'x.y',
  '  ',
  'call(one, two)',
  '"quoted text"',
  "it's",
  'éàü',
  '[1, 2]',
  '{ a }',
  '...',
  'end;',
];
const lineOf = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
// Vim knows a buffer without lines from one with an empty line; here both are empty.
const textOf = fc.array(lineOf, { minLength: 1, maxLength: 5 }).filter((lines) => lines.join('\n') !== '');
const count = fc.constantFrom('', '', '', '2', '3', '12');
const MOTIONS = [
  'h',
  'l',
  'w',
  'b',
  'e',
  'W',
  'B',
  'E',
  '0',
  '^',
  '$',
  'j',
  'k',
  'G',
  'gg',
  'fa',
  'to',
  'F ',
  'Te',
  'f"',
  ';',
  ',',
];
const motion = fc
  .tuple(count, fc.constantFrom(...MOTIONS))
  .map(([times, name]) => (name === '0' ? name : times + name));

function casesOf(command: fc.Arbitrary<string>, most: number, amount: number): Case[] {
  const one = textOf.chain((lines) =>
    fc.nat(lines.length - 1).chain((line) =>
      fc.record({
        lines: fc.constant(lines),
        line: fc.constant(line),
        column: fc.nat(Math.max(0, [...(lines[line] ?? '')].length - 1)),
        commands: fc.array(command, { minLength: 1, maxLength: most }),
      }),
    ),
  );
  return fc.sample(one, amount);
}

describe.skipIf(!hasVim)('beside vim', () => {
  it('moves as vim does', () => compareAll(casesOf(motion, 4, 1500)));

  it('deletes, changes and yanks by motions as vim does', () => {
    // Vim moves the caret even if it gives up an operation for lack of words before it.
    const by = motion.filter((name) => !/^\d+[bB]$/.test(name));
    const operation = fc
      .tuple(fc.constantFrom('d', 'c', 'y'), by)
      .map(([operator, by]) => `${operator}${by}${operator === 'c' ? 'NEW' : ''}`);
    compareAll(casesOf(operation, 1, 2500));
  });

  it('deletes, changes and yanks words, quotations and brackets as vim does', () => {
    const object = fc.constantFrom(
      'iw',
      'aw',
      'iW',
      'aW',
      'i"',
      'a"',
      "i'",
      "a'",
      'i(',
      'a(',
      'ib',
      'i[',
      'a]',
      'i{',
      'aB',
    );
    const operation = fc
      .tuple(fc.constantFrom('d', 'c', 'y'), object)
      .map(([operator, what]) => `${operator}${what}${operator === 'c' ? 'NEW' : ''}`);
    // Behind the last word of a line, and on empty lines, vim goes on in the next line; here an object stays in its line.
    const staysInLine = ({ lines, line, column, commands }: Case): boolean =>
      !/[wW]/.test(commands[0] ?? '') || [...(lines[line] ?? '')].slice(column).join('').trim() !== '';
    compareAll(casesOf(operation, 1, 2000).filter(staysInLine));
  });

  it('does the commands without motions as vim does', () => {
    const names = [
      'x',
      'X',
      'D',
      'dd',
      'yy',
      'p',
      'P',
      'rZ',
      '~',
      'J',
      'Cnew',
      'snew',
      'Snew',
      'ccnew',
      'Y',
      'iTXT',
      'aTXT',
      'ITXT',
      'ATXT',
      'oTXT',
      'OTXT',
    ];
    const command = fc
      .tuple(count, fc.constantFrom(...names))
      .map(([times, name]) => (/[JD]/.test(name) ? name : times + name));
    compareAll(casesOf(fc.oneof(command, motion), 4, 2500));
  });

  it('repeats and undoes as vim does', () => {
    // To delete nothing with x is a step of undo in vim, and none here.
    const names = ['dw', 'dd', 'p', 'cwnew', 'iTXT', 'ATXT', 'oTXT', 'rZ', 'da"', 'D', '.', '.', '2.', 'u', 'u'];
    // Where the caret is after an undo is told by lines in vim, by what was before the change here.
    compareAll(
      casesOf(fc.oneof(fc.constantFrom(...names), motion), 6, 2500).filter(
        ({ commands }) =>
          !commands.includes('u') || commands.slice(commands.indexOf('u')).every((command) => command === 'u'),
      ),
      ({ commands }) => !commands.includes('u'),
    );
  });
});
