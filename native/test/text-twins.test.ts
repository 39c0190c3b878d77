import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';

const available = await implementations('text');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const numRuns = caseCount(1000);

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'word',
      'a',
      ' ',
      '  ',
      '\t',
      '\n',
      '\r',
      '\r\n',
      'camelCaseWord',
      'HTMLParser',
      '1234567',
      '.',
      '->',
      '"x",',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '日本',
      '한국',
      'é',
      'e\u0301',
      '👍',
      '👍🏽',
      '👨‍👩‍👧',
      '🇩🇪',
      '❤\ufe0f',
      '1\ufe0f\u20e3',
      '\u200d',
      '\ufe0f',
      '\u0301',
      '\u00ad',
      'ŝ',
      'я',
      'ก็',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '\x1b[31m',
      '\x1b[0m',
      '\x1b[m',
      '\x1b[1;38;5;9m',
      '\x1b[38;2;1;2;3;4m',
      '\x1b[4:3m',
      '\x1b[22;39m',
      '\x1b[38m',
      '\x1b[2K',
      '\x1b[?25l',
      '\x1b]0;t\x07',
      '\x1b]8;;u\x1b\\',
      '\x1b]8;;https://a.b/c;d\x1b\\',
      '\x1b]8;id=1:x=y;HTTP://a\x07',
      '\x1b]8;;\x07',
      '\x1b]8;;\x1b\\',
      '\x9d8;;mailto:a@b\x9c',
      '\x1b]8;;javascript:alert\x07',
      '\x1b]8;;https://é\x07',
      '\x1b]8;a b;file:///x\x07',
      '\x1b]8;;https:',
      '\x1b]',
      '\x1bP',
      'q\x1b\\',
      '\x1b(B',
      '\x1b',
      '\x9b1m',
      '\x9d',
      '\x9c',
      '\x85',
      '\x18',
      '\x07',
      '\0',
      '\x7f',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom('\ud83d', '\udc4d') },
);
const text = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
const bytes = fc.oneof(
  { weight: 3, arbitrary: text.map((value) => Buffer.from(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value)) },
  { weight: 1, arbitrary: fc.tuple(text, fc.nat()).map(([value, at]) => breakAt(Buffer.from(value), at)) },
);

function breakAt(value: Buffer, at: number): Buffer {
  if (value.length > 0) value[at % value.length] = at % 256;
  return value;
}

/** The last link sequence of a line ends a link. */
function endsOutsideLink(line: string): boolean {
  const links = [...line.matchAll(/\x1b\]8;[^;]*;([^\x07\x1b]*)/g)];
  return (links.at(-1)?.[1] ?? '') === '';
}

describe.skipIf(!native || !js)(`text native and JavaScript (seed ${COMMON_SEED}, ${numRuns} runs each)`, () => {
  const [one, two] = [native!, js!];

  it('clean all output alike', () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), fc.boolean(), (output, keepStyle, keepLinks) => {
        const clean = one.sanitize(output, { keepStyle, keepLinks });
        expect(clean).toBe(two.sanitize(output, { keepStyle, keepLinks }));
        expect(two.sanitize(clean, { keepStyle, keepLinks })).toBe(clean);
      }),
      { numRuns },
    );
  });

  it('clean strings alike, halves of surrogate pairs included', () => {
    fc.assert(
      fc.property(text, fc.boolean(), fc.boolean(), (output, keepStyle, keepLinks) => {
        expect(one.sanitize(output, { keepStyle, keepLinks })).toBe(two.sanitize(output, { keepStyle, keepLinks }));
        expect(two.sanitize(output)).toBe(two.sanitize(Buffer.from(output)));
        expect(one.estimateTokens(output)).toBe(two.estimateTokens(output));
      }),
      { numRuns },
    );
  });

  it('clean output in parts as they clean the whole', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 80 }), { maxLength: 4 }), (value, cuts) => {
        const output = Buffer.from(value);
        for (const tools of [one, two]) {
          const sanitizer = tools.sanitizer();
          let clean = '';
          let from = 0;
          for (const cut of cuts.sort((a, b) => a - b)) {
            clean += sanitizer.push(output.subarray(from, Math.max(cut, from)));
            from = Math.max(cut, from);
          }
          clean += sanitizer.push(output.subarray(from)) + sanitizer.end();
          expect(clean).toBe(tools.sanitize(output));
        }
      }),
      { numRuns },
    );
  });

  it('wrap all text alike, into lines that fit', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 24 }), fc.integer({ min: 1, max: 9 }), (value, width, tabWidth) => {
        const lines = one.wrap(value, width, { tabWidth });
        expect(lines).toEqual(two.wrap(value, width, { tabWidth }));
        const clean = two.wrap(two.sanitize(value, { keepStyle: true, keepLinks: true }), width, { tabWidth });
        for (const line of clean) {
          expect(two.width(line)).toBeLessThanOrEqual(width);
          expect(endsOutsideLink(line)).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  it('estimate the tokens of all text alike', () => {
    fc.assert(
      fc.property(bytes, (content) => {
        expect(one.estimateTokens(content)).toBe(two.estimateTokens(content));
        expect(one.estimateTokens(content.toString())).toBe(two.estimateTokens(content));
      }),
      { numRuns },
    );
  });

  it('give every single character the same width', () => {
    // The widths are in two tables, one per language; wrapping a pair into one column shows the native one.
    for (let code = 0xa0; code < 0x110000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (code > 0x20000 && code % 97 !== 0 && code < 0xe0000) continue;
      const pair = `x${String.fromCodePoint(code)}`;
      if (one.wrap(pair, 2).length !== two.wrap(pair, 2).length) throw new Error(`U+${code.toString(16)} differs`);
    }
  });

  it('find slices and truncations that are as wide as asked', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 20 }), fc.nat({ max: 20 }), (value, start, length) => {
        const line = two
          .sanitize(value, { keepStyle: true, keepLinks: true })
          .replaceAll('\n', ' ')
          .replaceAll('\t', ' ');
        const whole = two.width(line);
        const expected = Math.max(Math.min(whole, start + length) - start, 0);
        expect(two.width(two.slice(line, start, start + length))).toBe(expected);
        expect(two.width(two.truncate(line, length))).toBeLessThanOrEqual(length);
        expect(endsOutsideLink(two.slice(line, start, start + length))).toBe(true);
      }),
      { numRuns },
    );
  });
});
