import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from '@tenon/test-kit/plugins';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, test } from 'vitest';
import { milliseconds, problemsOf } from '../src/definition.ts';
import { mermaid, outline } from '../src/graph.ts';
import { inputsOf, readDefinition } from '../src/read-definition.ts';

const node = (more: object) => ({ id: 'a', command: 'true', ...more });

test.each([
  ['no nodes', { name: 'x', nodes: [] }, /nodes/],
  ['two of a name', { name: 'x', nodes: [node({}), node({})] }, /two nodes are called "a"/],
  ['two kinds', { name: 'x', nodes: [node({ agent: 'do' })] }, /exactly one of/],
  ['no kind', { name: 'x', nodes: [{ id: 'a' }] }, /exactly one of/],
  ['an unknown need', { name: 'x', nodes: [node({ needs: ['b'] })] }, /needs "b", which is not there/],
  ['itself', { name: 'x', nodes: [node({ needs: ['a'] })] }, /wait for each other: a → a/],
  [
    'a circle',
    {
      name: 'x',
      nodes: [node({ needs: ['b'] }), { id: 'b', command: 'x', needs: ['c'] }, { id: 'c', command: 'x', needs: ['a'] }],
    },
    /a → b → c → a/,
  ],
  ['a merge that does not wait', { name: 'x', nodes: [node({}), { id: 'm', merge: ['a'] }] }, /must also need it/],
  ['an unknown word', { name: 'x', nodes: [node({ retry: 3 })] }, /retry/],
  ['a strange id', { name: 'x', nodes: [node({ id: '../a' })] }, /id/],
  ['a name that texts use', { name: 'x', nodes: [node({ id: 'inputs' })] }, /cannot be called "inputs"/],
  ['a check of a command', { name: 'x', nodes: [node({ check: 'true' })] }, /has a check, but is neither an agent/],
  [
    'a check that could run a value',
    { name: 'x', nodes: [{ id: 'a', agent: 'x', check: 'echo `{{inputs.x}}`' }] },
    /could read its value as a command/,
  ],
  ['a strange time', { name: 'x', nodes: [node({ timeout: 'soon' })] }, /timeout/],
])('%s is told', async (_, value, problem) => expect((await problemsOf(value)).join('; ')).toMatch(problem));

test('all examples are valid, and each has a graph', async () => {
  const folder = inCheckout('examples', 'workflows');
  const files = readdirSync(folder).filter((name) => /\.(?:yml|ts)$/.test(name));
  expect(files.length).toBeGreaterThanOrEqual(7);
  for (const file of files) {
    const definition = await readDefinition(join(folder, file));
    expect(mermaid(definition).split('\n').length).toBeGreaterThan(definition.nodes.length);
    expect(outline(definition)).toContain(definition.nodes[0]?.id);
  }
});

test.each([
  ['a list that holds itself', 'name: x\nnodes:\n  - { id: a, command: x, each: &l [*l] }\n', /circular/i],
  [
    'aliases that grow',
    `name: x\ndescription: &d ${'d'.repeat(50_000)}\nnodes:\n${Array.from({ length: 60 }, (_, index) => `  - { id: a${index}, agent: *d }\n`).join('')}`,
    /written out/,
  ],
  [
    'a bomb',
    `a: &a [x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]\n`).join('')}`,
    /alias/i,
  ],
])('%s is no definition', async (_, text, reason) => {
  const file = join(temporaryFolder('workflows'), 'x.yml');
  writeFileSync(file, text);
  await expect(readDefinition(file)).rejects.toMatchObject({
    code: 'WORKFLOWS_UNREADABLE',
    message: expect.stringMatching(reason),
  });
});

test('a file that is not there is said to be so, without the words of the system', async () => {
  await expect(readDefinition(join(temporaryFolder('workflows'), 'x.yml'))).rejects.toThrow(
    /x\.yml cannot be read: it does not exist\.$/,
  );
});

test('an input that is not there is told with the nearest, as one sentence', () => {
  const definition = { name: 'x', nodes: [], inputs: { target: {} } } as unknown as Parameters<typeof inputsOf>[0];
  expect(() => inputsOf(definition, ['tagret=a'])).toThrow(
    /^There is no input "tagret" \(did you mean "target"\?\)\.$/,
  );
});

test('a time is never longer than a timer can hold', () => {
  expect(milliseconds('90s')).toBe(90_000);
  expect(milliseconds('9999h')).toBeLessThan(2 ** 31);
});

test('inputs with names of prototypes are inputs like others', () => {
  const definition = { name: 'x', inputs: { constructor: { default: '1' }, toString: {} }, nodes: [] };
  expect(inputsOf(definition, ['toString=2'])).toEqual({ constructor: '1', toString: '2' });
  expect(() => inputsOf(definition, [])).toThrow(/"toString" is missing/);
});

test('inputs have values: given ones, defaults, or an error that names what is missing', () => {
  const definition = { name: 'x', inputs: { a: { default: '1' }, b: {} }, nodes: [] };
  expect(inputsOf(definition, ['b=x=y'])).toEqual({ a: '1', b: 'x=y' });
  expect(() => inputsOf(definition, [])).toThrow(/"b" is missing/);
  expect(() => inputsOf(definition, ['c=1', 'b=2'])).toThrow(/no input "c"/);
  expect(() => inputsOf(definition, ['b'])).toThrow(/not NAME=VALUE/);
});
