import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from '@tenon/test-kit/plugins';
import { loadSchemaCompiler } from '@tenon/kernel';
import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from '../src/definition.ts';
import { mermaid, outline } from '../src/graph.ts';
import { inputsOf, readDefinition } from '../src/read-definition.ts';

beforeAll(() => loadSchemaCompiler());

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
  ['a strange time', { name: 'x', nodes: [node({ timeout: 'soon' })] }, /timeout/],
])('%s is told', (_, value, problem) => expect(problemsOf(value).join('; ')).toMatch(problem));

test('all examples are valid, and each has a graph', async () => {
  const folder = inCheckout('examples', 'workflows');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));
  expect(files.length).toBeGreaterThanOrEqual(6);
  for (const file of files) {
    const definition = await readDefinition(join(folder, file));
    expect(mermaid(definition).split('\n').length).toBeGreaterThan(definition.nodes.length);
    expect(outline(definition)).toContain(definition.nodes[0]?.id);
  }
});

test('inputs have values: given ones, defaults, or an error that names what is missing', () => {
  const definition = { name: 'x', inputs: { a: { default: '1' }, b: {} }, nodes: [] };
  expect(inputsOf(definition, ['b=x=y'])).toEqual({ a: '1', b: 'x=y' });
  expect(() => inputsOf(definition, [])).toThrow(/"b" is missing/);
  expect(() => inputsOf(definition, ['c=1', 'b=2'])).toThrow(/no input "c"/);
  expect(() => inputsOf(definition, ['b'])).toThrow(/not NAME=VALUE/);
});
