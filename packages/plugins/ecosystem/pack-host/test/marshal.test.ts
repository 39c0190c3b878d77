import { deepStrictEqual } from 'node:assert/strict';
import { TenonError } from '@tenon/kernel';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyFunction, type Exporter, type Importer, marshal, unmarshal, type Wire } from '../src/wire/marshal.ts';

/** Both sides in one: what one exports, the other imports. */
function bothSides(): Exporter & Importer & { stacks: boolean } {
  const functions: AnyFunction[] = [];
  const signals: AbortSignal[] = [];
  return {
    stacks: false,
    exportFunction: (fn) => functions.push(fn) - 1,
    exportSignal: (signal) => signals.push(signal) - 1,
    importFunction: (id) => functions[id] ?? expect.fail('a function that nobody exported'),
    importSignal: (id, aborted, reason) =>
      aborted ? AbortSignal.abort(reason) : (signals[id] ?? expect.fail('no such signal')),
  };
}

function roundTrip(value: unknown): unknown {
  const sides = bothSides();
  return unmarshal(JSON.parse(JSON.stringify(marshal(value, sides))) as Wire, sides);
}

const key = fc.oneof(fc.string(), fc.constantFrom('$', 'v', '__proto__', 'constructor', 'toString', 'then'));
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.bigInt(),
      fc.constantFrom(null, undefined, -0, Number.NaN, Infinity, -Infinity),
      fc.uint8Array(),
      fc.date({ noInvalidDate: true }),
    ),
    fc.array(tie('data')),
    fc.dictionary(
      key,
      tie('data').filter((value) => value !== undefined),
      { noNullPrototype: true },
    ),
    fc.array(fc.tuple(tie('data'), tie('data'))).map((entries) => new Map(entries)),
    fc.array(tie('data')).map((items) => new Set(items)),
  ),
}));

describe('values that cross between Tenon and a pack', () => {
  it('come out as they went in, whatever plain data they are', () => {
    fc.assert(
      fc.property(data, (value) => deepStrictEqual(roundTrip(value), value)),
      { numRuns: caseCount(500) },
    );
  });

  it('keep dates that are none', () => {
    expect((roundTrip(new Date(Number.NaN)) as Date).getTime()).toBeNaN();
  });

  it('never change the prototype of what they are put into', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "$": {"__proto__": {"polluted": true}}}');
    const back = roundTrip(value) as Record<string, unknown>;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(back['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(back).sort()).toEqual(['$', '__proto__']);
  });

  it('cannot pose as references by having the tag as a key', () => {
    expect(roundTrip({ $: 'function', v: 0 })).toEqual({ $: 'function', v: 0 });
    expect(roundTrip({ deep: [{ $: 'signal', v: 3 }] })).toEqual({ deep: [{ $: 'signal', v: 3 }] });
  });

  it('keep the code, owner, next step, exit class and cause of errors', () => {
    const cause = Object.assign(new RangeError('too far'), { code: 'ERANGE' });
    const error = new TenonError({
      code: 'X_Y',
      owner: 'x',
      message: 'it failed',
      next: 'try y',
      details: { file: 'a' },
      exit: 'usage',
      cause,
    });
    const back = roundTrip(error) as TenonError;
    expect(back).toBeInstanceOf(TenonError);
    expect(back).toMatchObject({
      code: 'X_Y',
      owner: 'x',
      message: 'it failed',
      next: 'try y',
      details: { file: 'a' },
      exit: 'usage',
    });
    expect(back.cause).toMatchObject({ name: 'RangeError', message: 'too far', code: 'ERANGE' });
    expect(roundTrip(new DOMException('stop', 'AbortError'))).toMatchObject({ name: 'AbortError', message: 'stop' });
  });

  it('tell stack traces only where that is allowed', () => {
    const error = new Error('x');
    expect(JSON.stringify(marshal(error, bothSides()))).not.toContain('at ');
    expect(JSON.stringify(marshal(error, { ...bothSides(), stacks: true }))).toContain('at ');
  });

  it('carry functions, methods of instances, signals and async iterables', async () => {
    class Counter {
      #count = 0;
      add(by: number): number {
        return (this.#count += by);
      }
    }
    async function* numbers() {
      yield 1;
      yield 2;
    }
    const sent = {
      counter: new Counter(),
      signal: AbortSignal.abort('stop'),
      numbers: numbers(),
      twice: (value: number) => value * 2,
    };
    const back = roundTrip(sent) as typeof sent;
    expect(await back.counter.add(2)).toBe(2);
    expect(await back.counter.add(3)).toBe(5);
    expect(await back.twice(4)).toBe(8);
    expect(back.signal.aborted).toBe(true);
    expect(back.signal.reason).toBe('stop');
    const seen: number[] = [];
    for await (const one of back.numbers) seen.push(one);
    expect(seen).toEqual([1, 2]);
  });

  it('are refused with their place when they cannot cross', () => {
    const circle: Record<string, unknown> = { list: [] };
    (circle['list'] as unknown[]).push(circle);
    expect(() => roundTrip(circle)).toThrow('"list.0" is a reference to an object around it');
    expect(() => roundTrip({ a: { b: Symbol('x') } })).toThrow('"a.b" is a symbol');
    expect(() => roundTrip([new WeakMap()])).toThrow('"0" is a WeakMap');
    expect(() => roundTrip(Promise.resolve(1))).toThrow('it is a Promise');
    let deep: unknown = 1;
    for (let level = 0; level < 200; level++) deep = [deep];
    expect(() => roundTrip(deep)).toThrow('nested deeper than 100 levels');
  });

  it('may share parts, which are not circles', () => {
    const part = { x: 1 };
    expect(roundTrip([part, part])).toEqual([part, part]);
  });

  it('are refused when the other side sends tags that do not exist or are malformed', () => {
    for (const wire of [
      { $: 'native' },
      { $: 'function', v: 'x' },
      { $: 'map', v: 3 },
      { $: 'object', v: [] },
      { $: 7 },
    ]) {
      expect(() => unmarshal(wire as Wire, bothSides())).toThrow(TypeError);
    }
  });
});
