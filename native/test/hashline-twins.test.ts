import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';

import type { Hashline } from '../src/hashline/contract.ts';
import { implementations } from '../src/index.ts';

const available = await implementations('hashline');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const numRuns = caseCount(500);

/** Few different lines, so that repeats are common; odd bytes, so that nothing can assume UTF-8. */
const lineText = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('', '}', '  }', 'a', 'b', 'c  ', 'return x;', '\tif y {', 'é', '日本')
      .map((s) => Buffer.from(s)),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(0, 9, 11, 12, 13, 32, 65, 0x80, 0xbf, 0xe2, 0xed, 0xf0, 0xff), { maxLength: 6 })
      .map((b) => Buffer.from(b)),
  },
  {
    weight: 2,
    arbitrary: fc.string({ maxLength: 40, unit: 'grapheme' }).map((s) => Buffer.from(s.replaceAll('\n', ' '))),
  },
  { weight: 1, arbitrary: fc.integer({ min: 390, max: 410 }).map((n) => Buffer.from('é'.repeat(n / 2) + 'x')) },
);
const ending = fc.constantFrom('\n', '\n', '\r\n');
const file = fc
  .tuple(fc.constantFrom('', '', '\ufeff'), fc.array(fc.tuple(lineText, ending), { maxLength: 30 }), fc.boolean())
  .map(([bom, lines, open]) => {
    const parts = lines.flatMap(([text, end], at) => [text, Buffer.from(open && at === lines.length - 1 ? '' : end)]);
    return Buffer.concat([Buffer.from(bom), ...parts]);
  });

interface Change {
  readonly mark: string;
  readonly at: number;
  readonly length: number;
  readonly spoil: boolean;
  readonly edge: string;
  readonly payload: readonly Buffer[];
}
const change: fc.Arbitrary<Change> = fc.record({
  mark: fc.constantFrom('+', '<', '-', '='),
  at: fc.nat({ max: 30 }),
  length: fc.nat({ max: 3 }),
  spoil: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  edge: fc.constantFrom('', '', '', '', 'BOF', 'EOF'),
  payload: fc.array(lineText, { maxLength: 3 }),
});
const drift = fc.array(
  fc.record({ at: fc.nat({ max: 30 }), remove: fc.nat({ max: 2 }), lines: fc.array(lineText, { maxLength: 2 }) }),
  { maxLength: 3 },
);

/** A patch whose anchors are those of `file`, except where a change is spoiled. */
function writePatch(hashline: Hashline, content: Buffer, changes: readonly Change[]): Buffer {
  const anchors = hashline
    .format(content)
    .toString('latin1')
    .split('\n')
    .slice(0, -1)
    .map((row) => row.split('|')[0]!);
  const anchor = (index: number, spoil: boolean): string => {
    const shown = anchors[Math.min(index, anchors.length - 1)] ?? '1aa';
    return spoil ? `${Number.parseInt(shown, 10)}zz` : shown;
  };
  const parts: Buffer[] = [Buffer.from('@@ some/file.ts\n')];
  for (const { mark, at, length, spoil, edge, payload } of changes) {
    const index = anchors.length === 0 ? 0 : at % anchors.length;
    const insert = mark === '+' || mark === '<';
    const target = insert ? edge || anchor(index, spoil) : `${anchor(index, spoil)}..${anchor(index + length, spoil)}`;
    parts.push(Buffer.from(`${mark} ${target}\n`));
    const lines = mark === '-' ? [] : insert && payload.length === 0 ? [Buffer.from('x')] : payload;
    for (const line of lines) parts.push(Buffer.from('~'), line, Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

function drifted(content: Buffer, changes: typeof drift extends fc.Arbitrary<infer Changes> ? Changes : never): Buffer {
  const lines = content.toString('latin1').split('\n');
  for (const { at, remove, lines: added } of changes) {
    lines.splice(at % lines.length, remove, ...added.map((line) => line.toString('latin1')));
  }
  return Buffer.from(lines.join('\n'), 'latin1');
}

describe.skipIf(!native || !js)(`hashline native and JavaScript (seed ${COMMON_SEED}, ${numRuns} runs each)`, () => {
  const [one, two] = [native!, js!];
  const check = (property: fc.IProperty<never> | fc.IRawProperty<unknown>): void => {
    fc.assert(property as fc.IProperty<unknown>, { numRuns });
  };

  it('hash and show every file alike', () => {
    check(
      fc.property(file, fc.nat({ max: 40 }), fc.nat({ max: 40 }), (content, first, last) => {
        expect(one.hashLines(content)).toEqual(two.hashLines(content));
        expect(one.format(content).equals(two.format(content))).toBe(true);
        expect(one.format(content, { first, last }).equals(two.format(content, { first, last }))).toBe(true);
      }),
    );
  });

  it('read every patch alike, malformed ones with the same words', () => {
    const token = fc.constantFrom(
      '@@ a',
      '@ b',
      '@@',
      '+ ',
      '< ',
      '- ',
      '= ',
      '~',
      '1aa',
      '12zz',
      '0aa',
      '4fb..6qx',
      '6qx..4fb',
      '..',
      'BOF',
      'EOF',
      '|',
      '\n',
      '\n',
      '\n~text\n',
      '\r\n',
      ' ',
      '\t',
      '*** Begin Patch\n',
      '*** End Patch\n',
      '*** Abort\n',
      '\ufeff',
      'é',
    );
    const text = fc.array(fc.oneof({ weight: 6, arbitrary: token }, { weight: 1, arbitrary: fc.string() }), {
      maxLength: 24,
    });
    const bytes = fc.oneof(
      text.map((parts) => Buffer.from(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }).map((b) => Buffer.from(b)),
    );
    check(
      fc.property(bytes, fc.option(fc.constant('fallback.ts'), { nil: undefined }), (patch, path) => {
        const options = path === undefined ? {} : { path };
        expect(one.parse(patch, options)).toEqual(two.parse(patch, options));
      }),
    );
  });

  it('apply or refuse every edit alike, with and without a snapshot', () => {
    const seen = new Map<string, number>();
    check(
      fc.property(file, fc.array(change, { minLength: 1, maxLength: 4 }), drift, (content, changes, drifting) => {
        const parsed = two.parse(writePatch(two, content, changes));
        if (!parsed.ok) throw new Error(parsed.message);
        const section = parsed.sections[0]!;
        const now = drifted(content, drifting);
        for (const [current, options] of [
          [content, {}],
          [now, {}],
          [now, { snapshot: content }],
        ] as const) {
          const ours = one.apply(current, section, options);
          const theirs = two.apply(current, section, options);
          expect({ ...ours, pieces: [] }).toEqual({ ...theirs, pieces: [] });
          if (ours.ok && theirs.ok) expect(ours.content.equals(theirs.content)).toBe(true);
          const kind = ours.ok ? (ours.recovered ? 'recovered' : 'applied') : ours.code;
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
      }),
    );
    // A suite that only ever met one outcome would prove little.
    for (const kind of ['applied', 'recovered', 'stale', 'overlap']) expect(seen.get(kind) ?? 0).toBeGreaterThan(0);
  });

  it('write nothing but what was asked: outside the edited lines every byte is the same', () => {
    check(
      fc.property(file, change, (content, only) => {
        const parsed = two.parse(writePatch(two, content, [{ ...only, spoil: false, edge: '' }]));
        if (!parsed.ok) throw new Error(parsed.message);
        const [op] = parsed.sections[0]!.ops;
        for (const hashline of [one, two]) {
          const result = hashline.apply(content, parsed.sections[0]!);
          if (!result.ok || typeof op!.start === 'string') continue;
          const starts = lineStarts(content);
          const head = starts[op!.start.line - 1]!;
          const tail = starts[op!.end?.line ?? op!.start.line] ?? content.length;
          // The line before the last ones of an open-ended file may give up its ending to them.
          const kept = tail === content.length ? Math.max(head - 2, 0) : head;
          expect(result.content.subarray(0, kept).equals(content.subarray(0, kept))).toBe(true);
          expect(
            result.content.subarray(result.content.length - (content.length - tail)).equals(content.subarray(tail)),
          ).toBe(true);
        }
      }),
    );
  });
});

function lineStarts(content: Buffer): number[] {
  const starts = [content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0];
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}
