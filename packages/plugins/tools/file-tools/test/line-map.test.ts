import { describe, expect, it } from 'vitest';

import { LineMap } from '../src/edit/line-map.ts';

const FUNCTIONS = [
  'function one() {',
  '  first = 1;',
  '}',
  '',
  'function two() {',
  '  second = 2;',
  '  third = 3;',
  '}',
  '',
  'function three() {',
  '  last = 4;',
  '}',
];

/** The lines of a function, and most of them once more. */
const TWICE = ['function one() {', '}', '', 'function two() {', '  step();', '}', '', '  step();', '}'];

/** The lines with others in the place of `size` of them. */
function spliced(lines: readonly string[], at: number, size: number, ...fresh: readonly string[]): string[] {
  return lines.toSpliced(at, size, ...fresh);
}

describe('lines whose place somebody else has taken', () => {
  it('are not found in a copy elsewhere', () => {
    const before = [...TWICE.slice(0, 9), '', 'function three() {', '  last = 4;', '}'];
    // `function two() {` is copied down, then the original is changed.
    const now = spliced(spliced(before, 9, 0, 'function two() {'), 3, 1, 'function two(name) {');
    expect(new LineMap(before, now).locate(3, 4)).toEqual({ reason: 'repeated' });
  });

  it('are not found in a copy at the start of the file', () => {
    const before = ['function one() {', '  first = 1;', '  return null;', '}'];
    const now = ['function one(name) {', '  return null;', 'function one() {', '  first = 1;', '}'];
    expect(new LineMap(before, now).locate(0, 1)).toEqual({ reason: 'repeated' });
  });

  it('are found where they were moved to, because nothing is left of them', () => {
    const block = FUNCTIONS.slice(4, 9);
    const now = [...FUNCTIONS.toSpliced(4, 5), '', ...block];
    expect(new LineMap(FUNCTIONS, now).locate(5, 6)).toEqual({ at: 9 });
  });

  it('are found between changed neighbours', () => {
    const now = spliced(spliced(FUNCTIONS, 4, 1, 'function two(name) {'), 6, 1, '  third = 33;');
    expect(new LineMap(FUNCTIONS, now).locate(5, 6)).toEqual({ at: 5 });
  });
});

describe('a gap that others have torn open', () => {
  const before = [
    ...['function one() {', '  if (ok) {', '    go();', '  }', '  first = 1;', '  return null;', '}', ''],
    ...['function two() {', '  if (ok) {', '    go();', '  }', '}', ''],
  ];

  it('is not filled beside a copy of the line with what stands before it', () => {
    // The blank line and `function two() {` are copied; the second of the two is changed.
    const now = spliced(spliced(before, 9, 0, '', 'function two(name) {'), 4, 1, '  first = 11;');
    expect(new LineMap(before, now).locateGap(9, 'above')).toEqual({ reason: 'repeated' });
  });

  it('is filled beside its line when a line came that the file did not have', () => {
    const now = spliced(spliced(before, 9, 0, '  came();'), 4, 1, '  first = 11;');
    expect(new LineMap(before, now).locateGap(9, 'above')).toEqual({ at: 9 });
  });
});

describe('lines of which there is almost one more', () => {
  const steps = [
    '  open();',
    '  write(key);',
    '  await prompt(go);',
    '  const texts = read();',
    '  expect(texts).toBe(one);',
  ];
  const before = [...FUNCTIONS.slice(0, 4), ...steps, '  const apart = texts.find(two);', '  close(apart);', '}'];

  it('are not found in a copy while the original has another indentation', () => {
    const read = [
      '    if (label) labels.set(above);',
      '  }',
      '  const children = new Map();',
      '  for (const id of views) add(id);',
    ];
    const loop = [
      '',
      '  const shown = [];',
      '  // A list and not recursion.',
      '  const waiting = roots(children);',
      '  while (waiting.length > 0) {',
    ];
    const file = [...read, ...loop, '    const { id, depth } = waiting.pop();', '    const view = views.get(id);'];
    // From `}` to `while` everything is copied below itself, and the first lines are indented.
    const now = ['// new', ...read.map((line) => `  ${line}`), ...loop, ...file.slice(1)];
    expect(new LineMap(file, now).locate(6, 7)).toEqual({ reason: 'repeated' });
  });

  it('are not found in a copy when somebody has changed a word of the original', () => {
    const now = spliced(FUNCTIONS, 1, 2, '  first1 = 1;', '}', '  first = 1;', '}');
    expect(new LineMap(FUNCTIONS, now).locate(1, 3)).toEqual({ reason: 'repeated' });
  });

  it('are not taken for whole where a changed copy stands between them', () => {
    // `await` to `const apart` are copied above themselves, then two words of the second are changed.
    const changed = [
      '  await prompt(go);',
      '  const texts = read();',
      '  expect2(texts).toBe(one);',
      '  const2 apart = texts.find(two);',
    ];
    const now = spliced(before, 10, 0, ...changed);
    expect(new LineMap(before, now).locate(4, 8)).toEqual({ reason: 'repeated' });
  });

  it('are found when the line that is like them was changed from another', () => {
    const now = spliced(spliced(FUNCTIONS, 6, 1, '  third = 33;'), 0, 0, '// new');
    expect(new LineMap(FUNCTIONS, now).locate(5, 6)).toEqual({ at: 6 });
  });

  it('are found in a table that has got a row more', () => {
    const table = ['const table = {', '  one: 1,', '  two: 2,', '  six: 6,', '  ten: 10,', '};'];
    const now = spliced(table, 3, 0, '  fix: 7,');
    expect(new LineMap(table, now).locate(4, 5)).toEqual({ at: 5 });
  });
});

describe('lines whose indentation was changed', () => {
  it('are not found in others that are indented now as they were', () => {
    const before = ['one(', '  text', '    .trim(),', ');', 'two(', '    text', '      .trim(),', ');', 'end();'];
    const now = before.map((line, at) => (at >= 1 && at <= 6 ? `  ${line}` : line));
    expect(new LineMap(before, now).locate(5, 6)).not.toEqual({ at: 1 });
  });
});

describe('lines whose block was copied', () => {
  it('are not found in the copy when the rest of the original is gone', () => {
    const [above, own, ...rest] = [
      ['}', '', 'const head = 1;'],
      'const move = 2;',
      '',
      'function read() {',
      '  parse();',
      '}',
    ];
    const before = [...above, own, ...rest, '', 'function last() {', '  go();', '}'];
    const now = [
      own,
      ...rest,
      ...above.map((line) => `  ${line}`),
      `  ${own}`,
      '',
      'function last() {',
      '  go2();',
      '}',
    ];
    expect(new LineMap(before, now).locate(3, 4)).toEqual({ reason: 'repeated' });
  });
});

describe('lines beside equal ones that were taken away', () => {
  const save = (name: string) => [`function save${name}() {`, `  put('${name}');`, '  log();', '}', ''];
  const before = [...save('One'), ...save('Two'), ...save('Three'), 'end();'];

  it('are not found if their first lines could be those that went', () => {
    // Without `saveTwo` the same is left as without `}`, a blank line and most of `saveTwo`.
    const now = [...save('One'), ...save('Three'), 'other();', 'end();'];
    expect(new LineMap(before, now).locate(8, 11)).toEqual({ reason: 'repeated' });
  });

  it('are not found if a changed line beside them hides which of the two went', () => {
    const list = (name: string) => [`const ${name} = {`, '  id: 0,', "  name: '',", '  active: true,', '};', ''];
    const old = [...list('one'), ...list('two'), ...list('three'), 'end();'];
    const now = ['begin();', ...list('one').with(1, '//  id: 0,'), ...list('three'), 'end();'];
    expect(new LineMap(old, now).locate(9, 13)).toEqual({ reason: 'repeated' });
  });

  it('are not found in another block that came elsewhere', () => {
    const service = (name: string) => [`- name: ${name}`, '  image: app', '  ports:', '    - 80'];
    const rest = ['begin();', 'middle();', 'end();'];
    const now = [...service('other'), ...rest];
    expect(new LineMap([...rest, ...service('one')], now).locate(5, 7)).toEqual({ reason: 'repeated' });
  });

  it('are not found if their last lines could be those that went', () => {
    const now = ['other();', ...save('One'), ...save('Three'), 'end();'];
    expect(new LineMap(before, now).locate(2, 4)).toEqual({ reason: 'repeated' });
  });

  it('are found if their first and last line are there once', () => {
    const now = [...save('One'), ...save('Three'), 'other();', 'end();'];
    expect(new LineMap(before, now).locate(10, 12)).toEqual({ at: 5 });
  });

  it('are not found if a blank line before them came with something new', () => {
    const blanks = (name: string) => [`def ${name}():`, `    call_${name}()`, '', ''];
    const old = [...blanks('one'), ...blanks('two')];
    const now = [...blanks('one'), ...blanks('three'), ...blanks('two')];
    expect(new LineMap(old, now).locate(3, 5)).toEqual({ reason: 'repeated' });
  });
});
