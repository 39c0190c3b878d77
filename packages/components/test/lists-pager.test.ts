import { loadAccelerator } from '@tenon/native';
import { CURSOR_MARKER } from '@tenon/screen';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pager, type PagerOptions } from '../src/index.ts';
import { COLOURED, KEYS, PLAIN, shown, type } from './lists-support.ts';

const text = await loadAccelerator('text');

function pager(count: number, options: Partial<PagerOptions> = {}) {
  let asked = 0;
  let frames = 0;
  const closed: boolean[] = [];
  const made = new Pager({
    look: { theme: { ...PLAIN, inverse: (part) => `<${part}>` }, text },
    title: 'Transcript',
    rows: () => ({
      length: count,
      row: (index) => {
        asked += 1;
        return `row ${index}`;
      },
    }),
    height: () => 6,
    onClose: () => closed.push(true),
    requestFrame: () => (frames += 1),
    ...options,
  });
  return { made, closed, asked: () => asked, frames: () => frames };
}

describe('a pager', () => {
  it('begins at the end, scrolls, counts, and asks only for the rows that it shows', () => {
    const { made, asked, closed } = pager(100_000);
    expect(shown(made.render(80))).toEqual([
      expect.stringMatching(/^Transcript +99997-100000\/100000$/),
      'row 99996',
      'row 99997',
      'row 99998',
      'row 99999',
      expect.stringContaining('q close'),
    ]);
    for (const key of [KEYS.pageUp, 'k', KEYS.up, 'b']) made.handleInput(key);
    expect(shown(made.render(50))[1]).toBe('row 99986');
    made.handleInput('g');
    expect(shown(made.render(50))[1]).toBe('row 0');
    for (const key of [KEYS.down, 'j', ' ']) made.handleInput(key);
    expect(shown(made.render(50))[1]).toBe('row 6');
    expect(asked()).toBe(16);
    made.handleInput('q');
    expect(closed).toEqual([true]);
  });

  it('stays at the end when rows are added there', () => {
    let length = 10;
    const rows = () => ({ length, row: (index: number) => `row ${index}` });
    const { made } = pager(0, { rows });
    made.render(40);
    length = 20;
    made.invalidate();
    expect(shown(made.render(40))[4]).toBe('row 19');
    made.handleInput(KEYS.up);
    length = 30;
    made.invalidate();
    expect(shown(made.render(40))[4]).toBe('row 18');
  });

  it('searches forwards and backwards, around the ends, and marks what it found', async () => {
    const { made, closed, frames } = pager(50_000, { start: 'top' });
    made.render(40);
    made.handleInput('/');
    type(made, 'row 4999');
    expect(shown(made.render(40)).at(-1)).toBe('/row 4999');
    made.handleInput(KEYS.enter);
    await until(() => frames() === 1);
    expect(shown(made.render(40))[1]).toBe('<row 4999>');
    made.handleInput('n');
    await until(() => frames() === 2);
    expect(shown(made.render(40))[1]).toBe('<row 4999>0');
    made.handleInput('N');
    await until(() => frames() === 3);
    made.handleInput('N');
    await until(() => frames() === 4);
    expect(shown(made.render(40))[4]).toBe('<row 4999>9');
    made.handleInput('/');
    type(made, 'nowhere');
    made.handleInput(KEYS.enter);
    await until(() => frames() === 5);
    expect(shown(made.render(40)).at(-1)).toBe('not found');
    made.handleInput(KEYS.escape);
    expect(closed).toEqual([]);
    made.handleInput(KEYS.escape);
    expect(closed).toEqual([true]);
  });

  it('has rows that fit every width, with hits in them', async () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('\x1b[31mred\x1b[39m', '日本語', 'x\ty\nz', '\x1b[2J', 'İx', '👩‍🚀'),
    );
    const line = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.integer({ min: 1, max: 400 }),
        fc.string({ maxLength: 2 }),
        async (lines, width, needle) => {
          const { made } = pager(0, {
            look: { theme: COLOURED, text },
            rows: () => ({ length: lines.length, row: (index) => lines[index] ?? '' }),
          });
          made.render(width);
          made.handleInput('/');
          made.handleInput(`\x1b[200~${needle}\x1b[201~`);
          made.handleInput(KEYS.enter);
          for (const row of made.render(width)) {
            const plain = row.replaceAll(CURSOR_MARKER, '');
            expect(text.width(plain)).toBeLessThanOrEqual(width);
            expect(plain).not.toMatch(/[\n\t]/);
          }
        },
      ),
    );
  });
});
