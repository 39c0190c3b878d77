import { SILENT, type UserInterface } from '@tenon/host';
import { expect, it } from 'vitest';
import { elicit } from '../src/connection/elicitation.ts';

const form = (properties: object, required: readonly string[] = []) =>
  ({ message: 'Go on?', requestedSchema: { type: 'object', properties, required } }) as Parameters<typeof elicit>[2];
const asking = (answers: Partial<UserInterface>): UserInterface => ({ ...SILENT, canAsk: () => true, ...answers });
const { signal } = new AbortController();

it('takes no default of the server where the user waves a question away', async () => {
  const away = asking({ select: async () => undefined, input: async () => undefined });
  const fields = {
    share: { type: 'boolean', default: true },
    scope: { type: 'string', enum: ['all', 'none'], default: 'all' },
    path: { type: 'string', default: '/' },
    parts: { type: 'array', items: { enum: ['a', 'b'] }, default: ['a', 'b'] },
  };
  expect(await elicit(away, 's', form(fields), signal)).toEqual({ action: 'accept', content: {} });
  for (const name of Object.keys(fields))
    expect(await elicit(away, 's', form(fields, [name]), signal)).toEqual({ action: 'cancel' });
});

it('takes the default that it shows for an empty answer', async () => {
  const asked: string[] = [];
  const empty = asking({ input: async (title) => (asked.push(title), '') });
  const answer = await elicit(empty, 's', form({ path: { type: 'string', default: '/srv' } }, ['path']), signal);
  expect(answer).toEqual({ action: 'accept', content: { path: '/srv' } });
  expect(asked[0]).toContain('default: "/srv"');
});
