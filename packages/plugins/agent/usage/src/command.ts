import type { CommandCall } from '@tenon/command-line/api';
import { counted, plainLine } from '@tenon/wording';
import { errors } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { type Group, GROUPINGS, sinceTime, type Stats, summarize, type Totals } from './stats.ts';

const SHOWN = 10;

/** `tenon stats` */
export async function showStats(ledger: Ledger, { flags, io, cwd }: CommandCall): Promise<void> {
  const value = typeof flags['since'] === 'string' ? flags['since'] : undefined;
  const since = value === undefined ? null : sinceTime(value, new Date());
  if (since === undefined) throw errors.create('USAGE_SINCE', { since: value ?? '' });
  let damagedLines = 0;
  const all = ledger.read(since, () => damagedLines++);
  const records = flags['here'] === true ? only(all, ({ project }) => project === cwd) : all;
  const stats: Stats = { ...(await summarize(records, since)), damagedLines };
  const by = GROUPINGS.find((name) => name === flags['by']);
  if (flags['json']) {
    const { total, damagedLines: damaged } = stats;
    return io.json(by ? { since, total, [by]: stats[by], damagedLines: damaged } : stats);
  }
  if (stats.total.calls === 0) {
    return io.out(`No model was used${since === null ? '' : ` since ${since.slice(0, 10)}`}.\n`);
  }
  const tables = (by ? [by] : GROUPINGS).map((name) => table(name, stats[name]));
  await io.out(`${[totalText(stats.total), ...tables].join('\n')}`);
  if (damagedLines > 0) await io.err(`Lines of the ledger that could not be read and are left out: ${damagedLines}.\n`);
}

async function* only<T>(items: AsyncIterable<T>, wanted: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (wanted(item)) yield item;
}

function totalText(total: Totals): string {
  const parts = [
    `${counted(total.calls, 'call')} in ${counted(total.sessions, 'session')}`,
    `${count(total.totalTokens)} tokens`,
    `${money(total.cost)}`,
  ];
  return `${parts.join(', ')}\n`;
}

function table(title: string, groups: readonly Group[]): string {
  const shown = title === 'day' ? groups.slice(-SHOWN) : groups.slice(0, SHOWN);
  const head = [title, 'calls', 'input', 'output', 'cached', 'tokens', 'cost'];
  const rows = shown.map((group) => [
    plainLine(group.name),
    ...[group.calls, group.input, group.output, group.cacheRead, group.totalTokens].map(count),
    money(group.cost),
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const left = groups.length - shown.length;
  return `${[head, ...rows].map((cells) => `${line(cells)}\n`).join('')}${left > 0 ? `… and ${left} more (--by ${title} --json shows all)\n` : ''}`;
}

function count(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)}M`;
  return value >= 10_000 ? `${(value / 1_000).toFixed(1)}k` : String(value);
}

function money(dollars: number): string {
  return `$${dollars.toFixed(dollars !== 0 && dollars < 0.1 ? 4 : 2)}`;
}
