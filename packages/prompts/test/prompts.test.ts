import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fg from 'fast-glob';
import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { PRECOMPILED } from '../../../scripts/program/modules.mjs';
import { renderPrompt } from '../src/index.ts';
import { templateOf } from '../src/precompiled.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const files = fg.sync('packages/**/src/**/prompts/*.md', { cwd: root, ignore: ['**/node_modules/**'] });

/** What the build makes of a text. */
function precompiled(text: string): string {
  return new Function(`return ${String(Handlebars.precompile(text, PRECOMPILED))}`)() as string;
}

const values = { name: 'Ada', tools: [{ name: 'read', summary: '<b>' }], cwd: '/work', count: 2, isOn: true };

/** Something under every name of a text, at every depth: in each round other kinds of things. */
function filled(text: string, round: number, depth = 0): Record<string, unknown> {
  const names = [...new Set(text.match(/[a-zA-Z]\w*/g) ?? [])].filter((name) => name !== 'root');
  const kinds = [
    () => `<${depth}>`,
    () => '',
    () => true,
    () => false,
    () => 0,
    () => 7,
    () => undefined,
    () => null,
    () => [],
    () => (depth < 2 ? [filled(text, round + 1, depth + 1), 'text', filled(text, round + 5, depth + 1)] : ['a', 'b']),
    () => (depth < 2 ? { one: filled(text, round + 2, depth + 1), other: 'b' } : { a: 1 }),
    () => ['one'],
  ];
  return Object.fromEntries(names.map((name, at) => [name, kinds[(at * 5 + round * 7 + depth) % kinds.length]?.()]));
}

describe('prompts', () => {
  it('finds the prompts of the tree', () => expect(files.length).toBeGreaterThan(20));

  it.each(files)('renders %s the same from its text and compiled', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const template = templateOf(precompiled(text));
    expect(template(values).trim()).toBe(renderPrompt(text, values));
    for (let round = 0; round < 24; round++) {
      const all = filled([...text.matchAll(/\{\{[^}]*\}\}/g)].join(' '), round);
      expect(template(all).trim()).toBe(renderPrompt(text, all));
    }
  });

  it('escapes nothing and trims', () => {
    expect(renderPrompt('\n{{#each tools}}{{name}}: {{summary}}{{/each}}\n', values)).toBe('read: <b>');
  });

  it.each([
    '{{#each list}}{{@index}}{{@key}}{{@first}}{{@last}} {{this}} {{../name}} {{@root.name}}{{#each ../list}}[{{@index}} {{../../name}}]{{/each}}{{/each}}',
    '{{#each map}}{{@key}}={{this.a}}{{#unless @last}}, {{/unless}}{{else}}none{{/each}}',
    '{{#if zero}}a{{else if list}}b{{#if name}}{{name}} {{zero}}{{/if}}{{else}}c{{/if}}',
    '{{#unless none}}{{name.length}} {{list.length}} {{name.constructor}} {{list.[1]}} {{map.x.a}}{{else}}d{{/unless}}',
    '{{#each none}}x{{else}}nothing for {{name}}{{/each}}{{{name}}}{{missing.deeper.still}}',
    '{{#each name}}x{{else}}no list{{/each}}{{#each deep}}{{#each this}}{{this}}{{@index}}{{/each}};{{/each}}',
  ])('renders %s as the package does', (text) => {
    const all = {
      name: 'Ada <b>',
      list: ['a', 'b'],
      map: { x: { a: 1 }, y: { a: 0 } },
      zero: 0,
      deep: [[1, 2], [], [3]],
    };
    for (const given of [all, {}, { list: [], map: {} }, { list: [undefined, null, 0], name: '' }])
      expect(templateOf(precompiled(text))(given).trim()).toBe(renderPrompt(text, given));
  });

  it('refuses helpers that the program does not have', () => {
    for (const text of ['{{#with a}}x{{/with}}', '{{lookup a b}}', '{{log a}}', '{{upper a}}'])
      expect([text, () => precompiled(text)]).toEqual([
        text,
        expect.toSatisfy((make: () => string) => {
          expect(make).toThrow(/unknown helper/i);
          return true;
        }),
      ]);
  });
});
