import type { ModelMessage } from '@tenon/models/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../src/decide.ts';
import { createParser } from '../src/parser.ts';
import { PHRASES } from '../src/language/phrases.ts';
import { compileTemplate } from '../src/language/template.ts';
import { INTENTS } from '../src/plans/index.ts';
import { CORPUS } from './corpus.ts';

const TOOLS = ['read', 'search', 'find', 'ast_grep', 'ast_edit', 'edit', 'write', 'bash', 'resolve'].map((name) => ({
  name,
}));
const user = (content: string): ModelMessage => ({ role: 'user', content, timestamp: 1 });
const parser = createParser();
const answer = (says: string) => decide({ messages: [user(says)], tools: TOOLS, parser });

describe('the corpus of phrasings', () => {
  it('is large enough to mean something', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(150);
    expect(new Set(CORPUS.map(([says]) => says)).size).toBe(CORPUS.length);
  });

  it.each(CORPUS.map((entry) => [...entry] as const))('%j leads to %s', async (says, tool, expects) => {
    const { text, calls } = await answer(says);
    if (tool === null) {
      expect(calls).toEqual([]);
      expect(text).toMatch(expects as RegExp);
      return;
    }
    expect(calls.map(({ name }) => name)).toEqual([tool]);
    const args = calls[0]?.arguments;
    if (expects instanceof RegExp) expect(`${JSON.stringify(args)} ${String(args?.['pattern'])}`).toMatch(expects);
    else expect(args).toEqual(expects);
  });

  it('takes a long text for a task that needs a model, however it begins, but not a long quotation', async () => {
    expect((await answer(`replace ${'the text with all of it '.repeat(60)}`)).calls).toEqual([]);
    expect((await answer(`create a file long.txt with "${'x '.repeat(2000)}"`)).calls).toHaveLength(1);
  });

  it('does not depend on case, politeness, punctuation or the quotes around names', async () => {
    const plain = await answer('rename loadUser to fetchUser');
    for (const says of [
      'RENAME loadUser TO fetchUser',
      'Hey, please rename loadUser to fetchUser, thanks!',
      'could you please rename "loadUser" to \'fetchUser\'?',
      'rename   `loadUser`\nto `fetchUser`',
    ]) {
      expect(await answer(says)).toEqual(plain);
    }
  });
});

describe('the help', () => {
  /** Code of Markdown: from a run of backticks to the next one of the same length. */
  const codeOf = (line: string) =>
    [...line.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , code = '']) =>
      code.replace(/^ (`.*|.*`) $/, '$1').trim(),
    );

  it('shows requests that work, as code that Markdown reads as it is meant', async () => {
    const { text } = await answer('help');
    const [, abilities = ''] = /\n\n(- find files[^]*?)\n\n/.exec(text) ?? [];
    const examples = abilities.split('\n').flatMap(codeOf);
    expect(examples).toContain('rewrite `console.log($A)` to `logger.info($A)`');
    expect(examples).toContain('run `npm run build`');
    expect(abilities.split('\n').every((line) => codeOf(line).length > 0)).toBe(true);
    for (const example of examples) {
      const understood = await answer(example);
      expect(understood.text, example).not.toContain('needs a real model');
    }
  });
});

describe('the phrase tables', () => {
  it('compile, and lead to plans that exist', () => {
    for (const { says, intent } of PHRASES) {
      expect(() => compileTemplate(says), says).not.toThrow();
      expect(INTENTS, says).toContain(intent);
    }
  });

  it('refuse a phrase with a slot that nobody knows or a bracket too many', () => {
    expect(() => compileTemplate('do {thing:nonsense}')).toThrow('no slot kind "nonsense"');
    expect(() => compileTemplate('do it)')).toThrow('unexpected ")"');
  });
});
