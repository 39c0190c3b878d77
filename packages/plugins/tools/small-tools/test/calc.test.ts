import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/calc/evaluate.ts';

/** Evaluates with JavaScript itself. */
const reference = (expression: string): unknown => new Function(`return (${expression})`)() as unknown;

const fraction = fc
  .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 1, max: 9 }))
  .map(([whole, part]) => `${whole}.${part}`);

/** Expressions of fractions, as text. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    fraction,
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%'), tie('expression'))
      .map(([a, sign, b]) => `${a} ${sign} ${b}`),
    tie('expression').map((inner) => `(${inner})`),
    // JavaScript wants parentheses where a sign meets a power.
    tie('expression').map((inner) => `-(${inner})`),
    fc.tuple(tie('expression'), fc.constantFrom('2.0', '0.5', '3.0')).map(([base, power]) => `(${base}) ** ${power}`),
  ),
}));

describe('arithmetic', () => {
  it('gives what JavaScript gives for fractions', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const wanted = reference(text) as number;
        if (Number.isFinite(wanted)) expect(evaluate(text)).toBe(wanted === 0 ? 0 : wanted);
        else expect(() => evaluate(text)).toThrow(/not a finite number/);
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('is exact for whole numbers of any size', () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, whole, (a, b, c) => {
        expect(evaluate(`(${a}) * (${b}) - (${c})`)).toBe(a * b - c);
        expect(evaluate(`((${a}) * (${b})) % (${c === 0n ? 7n : c})`)).toBe((a * b) % (c === 0n ? 7n : c));
        if (b !== 0n) expect(evaluate(`(${a * b}) / (${b})`)).toBe(a);
      }),
    );
  });

  it('reads the same number in every base', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), (value) => {
        const forms = [`0x${value.toString(16)}`, `0b${value.toString(2)}`, `0o${value.toString(8)}`, `${value}`];
        for (const form of forms) expect(evaluate(form)).toBe(value);
      }),
    );
  });

  it('never does anything but evaluate or refuse', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.eExX+-*/%() ab') }), (text) => {
        try {
          const value = evaluate(text);
          expect(typeof value === 'bigint' || Number.isFinite(value)).toBe(true);
        } catch (fault) {
          expect(fault).toMatchObject({ owner: 'small-tools' });
        }
      }),
      { numRuns: caseCount(1000) },
    );
  });

  it.each([
    ['2 ** 3 ** 2', 512n],
    ['-2 ** 2', -4n],
    ['2 ** -1', 0.5],
    ['7 / 2', 3.5],
    ['8 / 2', 4n],
    ['.5 + 2.5E-3', 0.5025],
    ['0xFF + 0b11 + 0o7', 265n],
    ['- -3', 3n],
    ['-0.0', 0],
    ['2 ** 200', 2n ** 200n],
    ['1 + 2 * (3 - 4) % 5', -1n],
  ])('evaluates %s', (text, value) => expect(evaluate(text)).toBe(value));

  it.each([
    ['', /Expression is empty/],
    ['1 +', /Unexpected end of expression/],
    ['1 2', /Unexpected token in expression.*character 3/],
    ['(1', /Missing closing parenthesis.*character 1/],
    ['sqrt(16)', /Invalid character "s"/],
    ['1e', /Invalid exponent/],
    ['0xZZ', /Invalid number "0xZZ"/],
    ['1.2.3', /Invalid number "1.2.3"/],
    ['1 / 0', /not a finite number/],
    ['5 % 0', /not a finite number/],
    ['9 ** 9 ** 9', /not a finite number/],
    ['2 ** 99999999999999999999', /not a finite number/],
    ['('.repeat(5_000), /nested too deeply/],
    ['💥', /Invalid character "💥"/],
  ])('refuses %s', (text, message) => expect(() => evaluate(text)).toThrow(message));
});
