import { type AssistantMessage, NO_USAGE, type StreamEvent } from '@tenon/models/api';
import type { Rule } from '@tenon/discovery/api';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerWatch } from '../src/stream/answer-watch.ts';
import { ArgumentText } from '../src/stream/argument-text.ts';
import { parseScope } from '../src/stream/scope.ts';
import { StreamRule } from '../src/stream/stream-rule.ts';
import { LOOK_BACK, STEP } from '../src/stream/watched-text.ts';

const CWD = '/work';
const compiled = (rule: Partial<Rule>) =>
  new StreamRule({ name: 'r', path: '/r.md', content: 'text', ...rule }, CWD, (problem) => {
    throw problem;
  });
const message = (content: AssistantMessage['content']): AssistantMessage => ({
  role: 'assistant',
  content,
  api: 'test',
  provider: 'test',
  model: 'm',
  usage: NO_USAGE,
  stopReason: 'stop',
  timestamp: 1,
});

/** The events of an answer with one block whose text comes in these pieces. */
function events(kind: 'text' | 'thinking' | 'toolcall', pieces: readonly string[], tool = 'edit'): StreamEvent[] {
  const block = (text: string): AssistantMessage['content'][number] => {
    if (kind === 'text') return { type: 'text', text };
    if (kind === 'thinking') return { type: 'thinking', thinking: text };
    return { type: 'toolCall', id: 'c', name: tool, arguments: {} };
  };
  const whole = pieces.join('');
  const partial = message([block(whole)]);
  const deltas = pieces.map((delta) => ({ type: `${kind}_delta` as 'text_delta', contentIndex: 0, delta, partial }));
  const end =
    kind === 'toolcall'
      ? { type: 'toolcall_end' as const, contentIndex: 0, toolCall: block('') as never, partial }
      : { type: `${kind}_end` as 'text_end', contentIndex: 0, content: whole, partial };
  return [{ type: 'start', partial: message([]) }, ...deltas, end];
}

/** What the tool of these tests declares. */
const touches = (_tool: string, { path }: Readonly<Record<string, unknown>>) =>
  typeof path === 'string' ? { writes: [`${CWD}/${path}`] } : {};

/** Which rules match, and where. */
function matches(rules: readonly StreamRule[], list: readonly StreamEvent[], tooSlow: string[] = []) {
  const watch = new AnswerWatch({ rules, cwd: CWD, touches, tooSlow: ({ name }) => void tooSlow.push(name) });
  return list
    .flatMap((event) => watch.see(event))
    .map(({ at, rules: found }) => [at, found.map(({ name }) => name)] as const);
}

/** A text and a way to cut it into pieces. */
const cutText = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(fc.nat({ max: 400 }), { maxLength: 40 })).map(([whole, sizes]) => {
    const pieces: string[] = [];
    let at = 0;
    for (const size of sizes) {
      pieces.push(whole.slice(at, at + size));
      at += size;
    }
    return { whole, pieces: [...pieces, whole.slice(at)] };
  });
const words = fc
  .array(fc.constantFrom('foo', 'bar', 'baz', ' ', '\n', '"', '\\', 'console.log(', 'é', '😀', 'end'), {
    maxLength: 400,
  })
  .map((list) => list.join(''));
const CONDITIONS = [
  'foobar',
  'foo$',
  '^bar',
  'foo(?!bar)',
  'b.z\\s+foo',
  '(?i)FOO\\nbar',
  '\\bend\\b',
  'foo.*end',
  '.*',
];

describe('matching a text that comes in pieces', () => {
  it('gives the same whatever the pieces are, and at the same place', () => {
    fc.assert(
      fc.property(cutText(words), fc.subarray(CONDITIONS, { minLength: 1 }), ({ whole, pieces }, conditions) => {
        const scope = ['text', 'thinking'];
        const rules = () => conditions.map((condition) => compiled({ name: condition, condition: [condition], scope }));
        for (const kind of ['text', 'thinking'] as const) {
          expect(matches(rules(), events(kind, pieces))).toEqual(matches(rules(), events(kind, [whole])));
        }
      }),
      { numRuns: caseCount(150) },
    );
  });

  it('gives the same for arguments of a call, with the files that it names', () => {
    fc.assert(
      fc.property(
        fc
          .tuple(words, words, fc.constantFrom('a.ts', 'src/b.ts', 'c.md'), fc.boolean())
          .chain(([one, two, path, first]) => {
            const input = first ? { path, old: one, content: two } : { old: one, content: two, path };
            return cutText(fc.constant(JSON.stringify(input)));
          }),
        ({ whole, pieces }) => {
          const rules = () => [
            compiled({ name: 'ts', condition: ['foobar'], scope: ['tool:edit(*.ts)'] }),
            compiled({ name: 'any', condition: ['baz\\n"'], scope: ['tool'] }),
            compiled({ name: 'all', condition: ['.*'], scope: ['tool:edit(src/**)'] }),
            compiled({ name: 'bash', condition: ['.*'], scope: ['tool:bash'] }),
          ];
          const result = matches(rules(), events('toolcall', pieces));
          expect(result).toEqual(matches(rules(), events('toolcall', [whole])));
          const { path, old, content } = JSON.parse(whole) as Record<string, string>;
          const text = `${old}\n${content}`;
          const names = result.flatMap(([, list]) => list);
          expect(names.includes('bash')).toBe(false);
          expect(names.includes('all')).toBe(path === 'src/b.ts');
          if (text.length < LOOK_BACK) expect(names.includes('ts')).toBe(path !== 'c.md' && text.includes('foobar'));
        },
      ),
      { numRuns: caseCount(150) },
    );
  });

  it('finds what the expression finds in the whole text, when it does not look at the end', () => {
    fc.assert(
      fc.property(
        cutText(words),
        fc.constantFrom('foobar', 'b.z\\s+foo', 'foo.*end', 'é😀?', '"\\\\'),
        ({ whole, pieces }, condition) => {
          fc.pre(whole.length < LOOK_BACK);
          const found = matches([compiled({ condition: [condition] })], events('text', pieces)).length > 0;
          expect(found).toBe(new RegExp(condition).test(whole));
        },
      ),
      { numRuns: caseCount(300) },
    );
  });

  it('cuts in at the latest two steps after a match, long before the end', () => {
    const text = `${'x'.repeat(1000)}foobar${'y'.repeat(5000)}`;
    const [[at] = []] = matches([compiled({ condition: ['foobar'] })], events('text', [...text]));
    expect(at).toBeGreaterThan(1000);
    expect(at).toBeLessThanOrEqual(1006 + 2 * STEP);
  });

  it('does not take the end of a packet for the end of the text', () => {
    const rule = () => [compiled({ condition: ['foo$'] }), compiled({ name: 'n', condition: ['foo(?!bar)'] })];
    expect(matches(rule(), events('text', ['foo', 'bar']))).toEqual([]);
    expect(matches(rule(), events('text', ['bar', 'foo']))).toEqual([[6, ['r', 'n']]]);
  });

  it('forgets what came before when the call is tried again', () => {
    const half = events('text', ['foo', 'b']).slice(0, -1);
    expect(matches([compiled({ condition: ['foobar'] })], [...half, ...events('text', ['ar'])])).toEqual([]);
  });

  it('looks at what was not streamed when the answer is complete', () => {
    const call = { type: 'toolCall' as const, id: 'c', name: 'bash', arguments: { command: 'rm -rf "x"' } };
    const done: StreamEvent = { type: 'done', reason: 'toolUse', message: message([call]) };
    expect(matches([compiled({ condition: ['rm -rf "x"'], scope: ['tool:bash'] })], [done])).toHaveLength(1);
  });

  it('gives up a condition that explodes, and keeps the others', () => {
    const slow: string[] = [];
    const rules = [compiled({ name: 'bomb', condition: ['^(a+)+$'] }), compiled({ name: 'good', condition: ['aab'] })];
    const result = matches(rules, events('text', [`${'a'.repeat(40)}b`]), slow);
    expect(slow).toEqual(['bomb']);
    expect(result).toEqual([[41, ['good']]]);
  });

  it('keeps only as much text as a match may span', () => {
    const far = `foo${'.'.repeat(LOOK_BACK * 2)}bar`;
    expect(matches([compiled({ condition: ['foo.*bar'] })], events('text', [far]))).toEqual([]);
    const near = `${'.'.repeat(LOOK_BACK * 3)}foo${'.'.repeat(LOOK_BACK / 2)}bar`;
    expect(matches([compiled({ condition: ['foo.*bar'] })], events('text', [near]))).toHaveLength(1);
  });
});

describe('scopes', () => {
  const watched = (scope: string[] | undefined, globs?: string[]) => {
    const rule = compiled({ condition: ['x'], ...(scope && { scope }), ...(globs && { globs }) });
    const call = (name: string, ...paths: string[]) =>
      rule.isAbout({ name, paths: paths.map((path) => `${CWD}/${path}`) });
    return { text: rule.watches('text'), thinking: rule.watches('thinking'), call };
  };

  it('watch what the model says and does when there is no scope', () => {
    const { text, thinking, call } = watched(undefined);
    expect([text, thinking, call('bash')]).toEqual([true, false, true]);
  });

  it('can be thinking alone', () => {
    const { text, thinking, call } = watched(['thinking']);
    expect([text, thinking, call('bash')]).toEqual([false, true, false]);
  });

  it('can be one tool, and files of it', () => {
    const { text, call } = watched(['tool:edit(*.{ts,tsx}, lib/**)', 'tool:bash']);
    expect(text).toBe(false);
    expect([call('edit', 'deep/a.tsx'), call('edit', 'lib/x/y.rs'), call('edit', 'a.md'), call('edit')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([call('bash'), call('Bash'), call('write', 'a.ts')]).toEqual([true, true, false]);
  });

  it('are narrowed by the globs of the rule, which prose never meets', () => {
    const { text, call } = watched(['text', 'tool'], ['*.py']);
    expect([text, call('write', 'a.py'), call('write', 'a.ts')]).toEqual([false, true, false]);
  });

  it('that are unknown are reported', () => {
    const unknown: string[] = [];
    expect(parseScope(['text', 'smell'], (word) => unknown.push(word)).text).toBe(true);
    expect(unknown).toEqual(['smell']);
  });
});

describe('the text of arguments', () => {
  it('is what the strings say, decoded, whatever the pieces are', () => {
    fc.assert(
      fc.property(cutText(fc.json()), ({ whole, pieces }) => {
        const strings: string[] = [];
        const visit = (value: unknown): void => {
          if (typeof value === 'string') strings.push(value);
          else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) visit(one);
        };
        const reader = new ArgumentText();
        const text = pieces.map((piece) => reader.add(piece)).join('');
        // The order of keys that look like numbers is JavaScript's own.
        visit(JSON.parse(whole));
        expect([...text].sort().join('')).toBe([...strings.map((one) => `${one}\n`).join('')].sort().join(''));
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('comes with the input so far: whole texts, and whole lines of the last one', () => {
    const reader = new ArgumentText();
    reader.add(JSON.stringify({ input: '@@ src/a.ts\n= 1ab..1ab\n~x', more: { paths: ['b.ts'] } }));
    expect(reader.inputAt(5)).toEqual({});
    expect(reader.inputAt(14)).toEqual({ input: '@@ src/a.ts\n' });
    expect(reader.inputAt(26)).toEqual({ input: '@@ src/a.ts\n= 1ab..1ab\n~x' });
    expect(reader.inputAt(1000)).toEqual({ input: '@@ src/a.ts\n= 1ab..1ab\n~x', more: { paths: ['b.ts'] } });
  });
});
