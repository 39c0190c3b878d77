/** The parts of the runtime that can be tested without a session. */
import { Type } from '@sinclair/typebox';
import * as zod from 'zod';
import { describe, expect, test } from 'vitest';
import { dispatch } from '../src/runtime/dispatch.ts';
import { plain } from '../src/runtime/plain.ts';
import { applySchema, toJsonSchema } from '../src/runtime/schema.ts';
import { withMissing } from '../src/runtime/shims/missing.ts';
import { createModules } from '../src/runtime/shims/modules.ts';
import { createTheme } from '../src/runtime/shims/theme.ts';
import { truncateHead, truncateTail } from '../src/runtime/shims/truncate.ts';
import {
  fuzzyFilter,
  Key,
  matchesKey,
  Text,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from '../src/runtime/shims/tui.ts';

const about = {
  home: '/home/me',
  cwd: '/work',
  bridge: { ask: () => [], call: async () => undefined },
  theme: createTheme(() => undefined),
  place: () => ({ cwd: '/work' }),
};

describe('schemas', () => {
  test('of zod, TypeBox and JSON become JSON Schema of an object', () => {
    const expected = { type: 'object', properties: { a: { type: 'string', description: 'A' } }, required: ['a'] };
    expect(toJsonSchema(zod.object({ a: zod.string().describe('A') }))).toMatchObject(expected);
    expect(toJsonSchema(Type.Object({ a: Type.String({ description: 'A' }) }))).toEqual(expected);
    expect(toJsonSchema(expected)).toEqual(expected);
    expect(toJsonSchema(undefined)).toEqual({ type: 'object', properties: {} });
    expect(() => toJsonSchema(zod.string())).toThrow('not "object"');
    expect(() => toJsonSchema('nonsense')).toThrow();
  });

  test('of zod fill in defaults and convert', () => {
    const schema = zod.object({
      n: zod.coerce.number().default(3),
      s: zod
        .string()
        .transform((text) => text.toUpperCase())
        .optional(),
    });
    expect(applySchema(schema, { s: 'x' })).toEqual({ n: 3, s: 'X' });
    expect(() => applySchema(schema, { n: 'many' })).toThrow();
    expect(applySchema({ type: 'object' }, { a: 1 })).toEqual({ a: 1 });
  });
});

test('what crosses is plain: circles, functions and symbols stay behind', () => {
  const circle: Record<string, unknown> = {
    a: [1, undefined, () => 1],
    date: new Date(0),
    error: new Error('x'),
    map: new Map([['k', 1]]),
    big: 1n,
  };
  circle['self'] = circle;
  const shared = { b: 2 };
  circle['twice'] = [shared, shared];
  expect(plain(circle)).toEqual({
    a: [1, null, null],
    date: '1970-01-01T00:00:00.000Z',
    error: { name: 'Error', message: 'x' },
    map: { k: 1 },
    big: '1',
    twice: [{ b: 2 }, { b: 2 }],
  });
});

describe('modules', () => {
  const { byName } = createModules({ ...about, confined: undefined });

  test('answer to the names under which pi was and is published, and to paths inside of them', () => {
    for (const name of [
      '@oh-my-pi/pi-coding-agent',
      '@mariozechner/pi-coding-agent',
      '@earendil-works/pi-coding-agent',
      '@oh-my-pi/pi-coding-agent/extensibility/hooks',
      '@earendil-works/pi-ai/compat',
      'typebox/compile',
      'zod/v4',
    ])
      expect(name in byName, name).toBe(true);
    expect('lodash' in byName).toBe(false);
    expect('@mariozechner/pi-unknown' in byName).toBe(false);
    expect(byName['@mariozechner/pi-tui/package.json']).toEqual({ name: '@mariozechner/pi-tui', version: '0.0.0' });
  });

  test('check values with typebox as pi does', () => {
    const { Compile } = byName['typebox/compile'] as {
      Compile(schema: unknown): { Check(value: unknown): boolean; Errors(value: unknown): unknown[] };
    };
    const compiled = Compile(Type.Object({ a: Type.Number() }));
    expect(compiled.Check({ a: 1 })).toBe(true);
    expect(compiled.Errors({ a: 'x' })).toMatchObject([{ instancePath: '/a' }]);
  });

  test('say what is missing when it is used, not when it is imported', () => {
    const module = withMissing('pi-x', { known: 1 }) as Record<string, never>;
    const { Thing, known } = module as unknown as { Thing: new () => object; known: number };
    class Own extends Thing {}
    expect(known).toBe(1);
    expect(module['then']).toBeUndefined();
    expect(() => new Own()).toThrow('"Thing" of pi-x is not available');
    expect(() => (Thing as unknown as { open(): void }).open()).toThrow('"Thing" of pi-x');
  });
});

describe('text', () => {
  test('is measured, cut and wrapped by what is seen of it', () => {
    const red = '\u001b[31mred\u001b[0m';
    expect([visibleWidth(red), visibleWidth('日本'), visibleWidth('e\u0301')]).toEqual([3, 4, 1]);
    expect(truncateToWidth('abcdef', 4)).toBe('abc…');
    expect(visibleWidth(truncateToWidth(`${red}${red}`, 4))).toBe(4);
    expect(truncateToWidth('ab', 4, '…', true)).toBe('ab  ');
    expect(wrapTextWithAnsi('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapTextWithAnsi('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(new Text('hello', 1, 1).render(10)).toEqual(['', ' hello', '']);
  });

  test('is shortened from its beginning or its end', () => {
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`).join('\n');
    expect(truncateHead(lines, { maxLines: 2 })).toMatchObject({
      content: 'line 0\nline 1',
      truncated: true,
      truncatedBy: 'lines',
      totalLines: 10,
    });
    expect(truncateTail(lines, { maxBytes: 13 })).toMatchObject({ content: 'line 8\nline 9', truncatedBy: 'bytes' });
    expect(truncateHead('short')).toMatchObject({ content: 'short', truncated: false });
  });

  test('is found by letters, and keys by their names', () => {
    expect(fuzzyFilter(['alpha', 'beta'], 'bt', (item) => item)).toEqual(['beta']);
    expect((Key as { ctrl(key: string): string }).ctrl('c')).toBe('ctrl+c');
    expect((Key as { ctrlShift(key: string): string }).ctrlShift('p')).toBe('ctrl+shift+p');
    expect([matchesKey('\u0003', 'ctrl+c'), matchesKey('\u001b', 'esc'), matchesKey('a', 'b')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('handlers of one extension', () => {
  const run = (
    name: string,
    event: Record<string, unknown>,
    ...handlers: ((event: Record<string, unknown>) => unknown)[]
  ) => {
    const faults: unknown[] = [];
    const done = dispatch({
      name,
      event,
      handlers: handlers as never,
      context: {},
      fault: (fault) => void faults.push(fault),
    });
    return done.then((answer) => ({ answer, faults }));
  };

  test('are asked in order, and what the first one changes the second one sees', async () => {
    const { answer } = await run(
      'context',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
      ({ messages }) => ({ messages: [...(messages as unknown[]), { role: 'user', content: 'c' }] }),
      ({ messages }) => ({ messages: (messages as unknown[]).slice(1) }),
    );
    expect(answer).toEqual({ messages: [1, { role: 'user', content: 'c' }] });
  });

  test('that fail do not keep the others from answering, except before a tool runs', async () => {
    const fail = () => {
      throw new Error('no');
    };
    const { answer, faults } = await run('tool_result', { content: [] }, fail, () => ({ isError: true }));
    expect(answer).toEqual({ isError: true });
    expect(faults).toHaveLength(1);
    await expect(run('tool_call', { input: {} }, fail)).rejects.toThrow('no');
  });

  test('end a change of session with the first cancellation, and an input with the first that deals with it', async () => {
    expect(
      (
        await run(
          'session_before_switch',
          {},
          () => ({ cancel: false }),
          () => ({ cancel: true }),
          () => ({ cancel: false }),
        )
      ).answer,
    ).toEqual({ cancel: true });
    expect(
      (
        await run(
          'input',
          { text: 'a' },
          () => ({ text: 'b' }),
          ({ text }) => ({ action: 'transform', text: `${String(text)}c` }),
        )
      ).answer,
    ).toEqual({ text: 'bc' });
    expect(
      (
        await run(
          'input',
          { text: 'a' },
          () => ({ action: 'handled' }),
          () => ({ text: 'x' }),
        )
      ).answer,
    ).toEqual({ handled: true });
  });
});
