/** Which sessions get a title of a model, and what becomes of its words. */
import type { Model } from '@tenon/models/api';
import { describe, expect, it } from 'vitest';
import { giveTitle, type TitleParts } from '../src/session-title.ts';

const model = (id: string, more: Partial<Model> = {}) => ({ provider: 'acme', id, ...more }) as Model;

interface Case {
  readonly prompt?: string;
  readonly title?: string;
  readonly lead?: Model;
  readonly small?: Model;
  readonly answer?: string;
  /** What the user names the session while the model is asked. */
  readonly meanwhile?: string;
}

async function named({ prompt = 'Why do logins fail?', title, lead = model('large'), ...rest }: Case) {
  const { small = model('mini'), answer = 'Failing logins', meanwhile } = rest;
  const asked: string[] = [];
  const header: { title?: string; titleSource?: string } = title === undefined ? {} : { title };
  const session = {
    header,
    path: () => [
      { id: 'a', type: 'model_change' },
      { id: 'b', type: 'message' },
    ],
    entry: () => ({ type: 'message', message: { role: 'user', content: prompt } }),
    setTitle: async (text: string, titleSource: string) => void Object.assign(header, { title: text, titleSource }),
  };
  const agent = {
    session,
    state: { model: lead },
    aside: async (question: string) => {
      asked.push(question);
      if (meanwhile !== undefined) header.title = meanwhile;
      return answer;
    },
  };
  const given = await giveTitle({
    agent,
    models: { forRole: async () => ({ model: small }) },
  } as unknown as TitleParts);
  return { given, asked, header };
}

describe('the title of a session', () => {
  it('is what a small model makes of the first prompt', async () => {
    const { given, asked, header } = await named({});
    expect(given).toBe('Failing logins');
    expect(header).toEqual({ title: 'Failing logins', titleSource: 'auto' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Why do logins fail?');
  });

  it('is one short line without quotes, marks and a full stop', async () => {
    expect((await named({ answer: '\n**"Failing logins."**\n\nBecause…' })).given).toBe('Failing logins');
    expect((await named({ answer: '# Title: Failing\tlogins' })).given).toBe('Failing logins');
    expect((await named({ answer: '\u001b[31mred\u001b[0m' })).given).toBe('red');
    const long = (await named({ answer: 'word '.repeat(50) })).given ?? '';
    expect(long.length).toBeGreaterThan(20);
    expect(long.length).toBeLessThanOrEqual(61);
  });

  it('is not asked for where there is one, where nothing was said, and where no smaller model is there', async () => {
    for (const without of [
      { title: 'mine' },
      { prompt: '  ' },
      { small: model('large') },
      { lead: model('rules', { isRules: true }) },
      { small: model('rules', { isRules: true }) },
    ])
      expect(await named(without)).toMatchObject({ given: undefined, asked: [] });
  });

  it('leaves alone what the user has called the session meanwhile, and what is no title', async () => {
    expect(await named({ meanwhile: 'mine' })).toMatchObject({ given: undefined, header: { title: 'mine' } });
    expect(await named({ answer: '"".' })).toMatchObject({ given: undefined, header: {} });
  });
});
