import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fg from 'fast-glob';
import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../src/index.ts';
import { templateOf } from '../src/precompiled.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const files = fg.sync('packages/**/src/**/prompts/*.md', { cwd: root, ignore: ['**/node_modules/**'] });

/** What the build makes of a text. */
function precompiled(text: string): string {
  return new Function(`return ${String(Handlebars.precompile(text, { noEscape: true }))}`)() as string;
}

const values = { name: 'Ada', tools: [{ name: 'read', summary: '<b>' }], cwd: '/work', count: 2, isOn: true };

describe('prompts', () => {
  it('finds the prompts of the tree', () => expect(files.length).toBeGreaterThan(20));

  it.each(files)('renders %s the same from its text and compiled', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(templateOf(precompiled(text))(values).trim()).toBe(renderPrompt(text, values));
  });

  it('escapes nothing and trims', () => {
    expect(renderPrompt('\n{{#each tools}}{{name}}: {{summary}}{{/each}}\n', values)).toBe('read: <b>');
  });
});
