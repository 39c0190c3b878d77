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

it('puts the default where Enter takes it, and lets several be ticked where there is a form for that', async () => {
  const offered: (readonly string[])[] = [];
  const ui = asking({
    select: async (_title, options) => (offered.push(options), options[0]),
    fillIn: async ([question]) => [{ id: question?.id ?? '', selected: ['Second'] }],
  });
  const fields = {
    share: { type: 'boolean', default: false },
    scope: {
      type: 'string',
      oneOf: [
        { const: 'a', title: 'All' },
        { const: 'n', title: 'None' },
      ],
      default: 'n',
    },
    parts: {
      type: 'array',
      items: {
        anyOf: [
          { const: '1', title: 'First' },
          { const: '2', title: 'Second' },
        ],
      },
    },
  };
  const content = { share: false, scope: 'n', parts: ['2'] };
  expect(await elicit(ui, 's', form(fields), signal)).toEqual({ action: 'accept', content });
  expect(offered).toEqual([
    ['no', 'yes'],
    ['None', 'All'],
  ]);
});

it.each([
  [{ type: 'integer', minimum: 1, maximum: 9 }, ['many', '1.5', '0'], '10', '3', 3],
  [{ type: 'number', maximum: 1 }, ['x', '2'], '3', '0.5', 0.5],
  [{ type: 'string', format: 'email' }, ['me'], 'me@', 'me@example.com', 'me@example.com'],
  [{ type: 'string', format: 'date' }, ['soon'], '2026-13-40', '2026-11-18', '2026-11-18'],
  [{ type: 'string', minLength: 2, maxLength: 3 }, ['a'], 'abcd', 'abc', 'abc'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['c'], 'a, b', 'b', ['b']],
])(
  'asks again for what does not fit %j, and takes nothing else in its place',
  async (field, wrong, last, right, value) => {
    const play = (typed: string[]) => {
      const titles: string[] = [];
      return { titles, ui: asking({ input: async (title) => (titles.push(title), typed.shift()) }) };
    };
    const required = form({ it: field }, ['it']);
    const good = play([...wrong.slice(0, 2), right]);
    expect(await elicit(good.ui, 's', required, signal)).toEqual({ action: 'accept', content: { it: value } });
    expect(good.titles[1]).toContain('That does not fit: ');
    const bad = play([...wrong, last, last, last]);
    expect(await elicit(bad.ui, 's', required, signal)).toEqual({ action: 'cancel' });
    expect(bad.titles).toHaveLength(3);
  },
);

it('hands the whole form on to a program that shows forms itself', async () => {
  const properties = { age: { type: 'integer', default: 30 }, pick: { enum: ['x'], enumNames: ['An X'] } };
  const shown: unknown[] = [];
  const ui = asking({ askForm: async (given) => (shown.push(given), { action: 'accept', content: { age: 31 } }) });
  const answer = await elicit(ui, 's', form(properties, ['age']), signal);
  expect(answer).toEqual({ action: 'accept', content: { age: 31 } });
  expect(shown).toEqual([{ message: 'The MCP server "s" asks: Go on?', properties, required: ['age'] }]);
});
