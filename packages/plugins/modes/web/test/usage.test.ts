import type { Account } from '@tenon/accounts/api';
import type { Run } from '@tenon/runs/api';
import type { UsageRecord } from '@tenon/usage/api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OWN, usageOf } from '../src/handlers/usage.ts';
import { daysOf, spanOf } from '../src/page/views/usage-days.ts';

const record = (more: Partial<UsageRecord>): UsageRecord => ({
  at: '2026-11-02T10:00:00.000Z',
  session: 's1',
  project: '/shop',
  model: 'acme/big',
  purpose: 'turn',
  stopReason: 'stop',
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  totalTokens: 100,
  cost: 0.1,
  ...more,
});

const run = (more: Partial<Run>): Run => ({
  id: 'r1',
  alias: 'brisk-otter',
  request: { task: 'do it\nwell', cwd: '/shop' },
  worker: 'claude',
  state: 'done',
  folder: '/shop',
  session: 1,
  attempt: 1,
  created: '2026-11-01T10:00:00.000Z',
  usage: { input: 400, output: 100, cacheRead: 300, cacheWrite: 0, reasoning: 0 },
  cost: 2,
  sandbox: 'on',
  ...more,
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const sessionsOf = async ({ cliSession }: Run) => (cliSession === undefined ? [] : [cliSession]);

test('runs and sessions are added up by day, model, account, run and session', async () => {
  const accounts = [{ id: 'anthropic-1', label: 'work' }] as Account[];
  const runs = [run({ account: 'anthropic-1' }), run({ id: 'r2', alias: 'calm-fox', usage: zero, cost: 0 })];
  const records = each([record({}), record({ session: 's2', at: '2026-11-01T23:59:59.000Z', cost: 0.2 })]);
  const usage = await usageOf({ records, runs, accounts, sessionsOf });
  expect(usage.total).toEqual({ cost: 2.3, tokens: 700, calls: 3 });
  expect(usage.models.map(({ name, cost }) => [name, cost])).toEqual([
    ['claude', 2],
    ['acme/big', 0.3],
  ]);
  expect(usage.accounts.map(({ name, label }) => [name, label])).toEqual([
    ['anthropic-1', 'work'],
    [OWN, undefined],
  ]);
  expect(usage.runs).toMatchObject([{ name: 'r1', label: 'brisk-otter: do it', tokens: 500 }]);
  expect(usage.sessions.map(({ name }) => name)).toEqual(['s2', 's1']);
  expect(usage.cells.map(({ day }) => day)).toEqual(['2026-11-01', '2026-11-01', '2026-11-02']);
});

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

test('what Tenon has used as a worker is in its run and in the ledger, and counts once', async () => {
  const runs = [run({ worker: 'tenon', cliSession: 's1', created: '2026-01-01T00:00:00.000Z' })];
  const since = '2026-11-01T00:00:00.000Z';
  const all = await usageOf({ records: each([record({})]), runs, accounts: [], sessionsOf });
  expect(all.total).toMatchObject({ cost: 2, calls: 1 });
  // Also when the run itself began before the time that is asked for.
  const late = await usageOf({ since, records: each([record({})]), runs, accounts: [], sessionsOf });
  expect(late.total.calls).toBe(0);
});

test('the days of a chart have no holes, and its bars add up to what was used', () => {
  const cell = fc.record({
    day: fc.nat(40).map((back) => new Date(Date.UTC(2026, 10, 18) - back * 86_400_000).toISOString().slice(0, 10)),
    model: fc.constantFrom(...'abcdefghij'),
    account: fc.constantFrom('x', 'y'),
    cost: fc.nat(1_000),
    tokens: fc.nat(1_000),
  });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), fc.constantFrom('model', 'account'), (cells, by) => {
      const sorted = [...cells].sort((a, b) => (a.day < b.day ? -1 : 1));
      const { days, series } = daysOf(sorted, by, 'tokens', new Date(Date.UTC(2026, 10, 18, 12)));
      const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
      expect(sum(series.map(({ values }) => sum(values)))).toBe(sum(cells.map(({ tokens }) => tokens)));
      expect(days.at(-1)).toBe('2026-11-18');
      expect(new Set(days).size).toBe(days.length);
      expect(series.length).toBeLessThanOrEqual(7);
    }),
  );
  expect(daysOf([], 'model', 'cost')).toEqual({ days: [], series: [] });
});

test('a chart shows its days whole, and a week at least', () => {
  const seconds = (text: string) => Date.parse(`${text}Z`) / 1_000;
  expect(spanOf(['2026-11-18'])).toEqual([seconds('2026-11-11T12:00:00'), seconds('2026-11-18T12:00:00')]);
  const { days } = daysOf(
    [{ day: '2026-10-20', model: 'm', account: 'a', cost: 1, tokens: 1 }],
    'model',
    'cost',
    new Date('2026-11-18T12:00:00Z'),
  );
  expect(spanOf(days)).toEqual([seconds('2026-10-19T12:00:00'), seconds('2026-11-18T12:00:00')]);
});
