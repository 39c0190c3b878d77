import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildProgram } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import type { FactSource, NewFact } from '../src/api.ts';
import { Bank } from '../src/bank/bank.ts';
import { openBankFile } from '../src/bank/bank-file.ts';

const fact = (text: string, source: FactSource = 'agent', more: Partial<NewFact> = {}): NewFact => ({
  text,
  source,
  ...more,
});
const DAY = 86_400_000;

async function open({ maxBytes = 100_000, file = join(temporaryFolder('bank'), 'banks', 'b.db') } = {}) {
  const bank = await Bank.open(file, 'project', { maxBytes });
  later(() => bank.close());
  return { bank, file };
}

/** Every byte that the bank has on disk. */
function bytesOf(file: string): string {
  return readdirSync(dirname(file))
    .map((name) => readFileSync(join(dirname(file), name), 'latin1'))
    .join('');
}

describe('a bank', () => {
  it('keeps a fact with who said it, where and when, and only the user can read the file', async () => {
    const { bank, file } = await open();
    const { fact: kept, outcome } = bank.add(
      fact('Builds need make 4', 'user', { session: 's1', entry: 'e7', context: 'asked' }),
      Date.UTC(2026, 0, 2),
    );
    expect(outcome).toBe('new');
    expect(kept).toMatchObject({
      text: 'Builds need make 4',
      source: 'user',
      scope: 'project',
      created: '2026-01-02T00:00:00.000Z',
      mentions: [{ at: '2026-01-02T00:00:00.000Z', source: 'user', session: 's1', entry: 'e7', context: 'asked' }],
    });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(dirname(file)).mode & 0o077).toBe(0);
  });

  it('counts a second mention instead of keeping the same twice', async () => {
    const { bank } = await open();
    const first = bank.add(fact('The release branch is cut by Ada'), 1_000);
    const again = bank.add(fact('The release branch is cut by Ada.'), 2_000);
    const worded = bank.add(fact('Release branches are cut by Ada'), 3_000);
    expect([again.outcome, worded.outcome]).toEqual(['known', 'known']);
    expect(worded.fact.id).toBe(first.fact.id);
    expect(bank.list()).toHaveLength(1);
    expect(bank.list()[0]?.fact.mentions).toHaveLength(3);
  });

  it('does not let words from outside replace those of the user, and lets the user confirm what was outside', async () => {
    const { bank } = await open();
    bank.add(fact('Deploys go through the release branch', 'user'));
    const { fact: kept } = bank.add(fact('The deploys go through release branch', 'outside'));
    expect(kept).toMatchObject({ text: 'Deploys go through the release branch', source: 'user' });
    bank.add(fact('Tests need docker', 'outside'));
    expect(bank.add(fact('Tests need docker', 'user')).fact.source).toBe('user');
  });

  it('finds facts by any of their words, the best first, whatever is typed', async () => {
    const { bank } = await open();
    bank.add(fact('Database migrations are in db/migrate'));
    bank.add(fact('The database password is rotated by the platform team'));
    bank.add(fact('Icons are drawn by Kim'));
    expect(bank.search('where are database migrations?', 5).map(({ fact: { text } }) => text)).toEqual([
      'Database migrations are in db/migrate',
      'The database password is rotated by the platform team',
    ]);
    for (const typed of ['"', 'NEAR(', 'a AND', '* OR (', "'; DROP TABLE facts; --", 'the', '', '\u0000'])
      expect(() => bank.search(typed, 5)).not.toThrow();
    expect(bank.list()).toHaveLength(3);
  });

  it('lets the least useful facts make room, and never the newest', async () => {
    const { bank } = await open({ maxBytes: 300 });
    const now = Date.UTC(2026, 5, 1);
    const text = (name: string) => `${name} ${'word '.repeat(10)}${name}`.slice(0, 60);
    const old = bank.add(fact(text('Alpha')), now - 300 * DAY).fact;
    const said = bank.add(fact(text('Bravo'), 'user'), now - 100 * DAY).fact;
    const used = bank.add(fact(text('Charlie')), now - 90 * DAY).fact;
    bank.used([bank.list().find((entry) => entry.fact.id === used.id)?.n ?? -1], now - DAY);
    bank.add(fact(text('Delta')), now - 80 * DAY);
    bank.add(fact(text('Echo')), now - 2 * DAY);
    const { evicted, fact: newest } = bank.add(fact(text('Foxtrot'), 'outside'), now);
    expect(evicted).toEqual([old.id]);
    const ids = bank.list().map((entry) => entry.fact.id);
    expect(ids).toContain(newest.id);
    expect(ids).toContain(said.id);
    expect(ids).toContain(used.id);
  });

  it('leaves no word of what it forgets on disk', async () => {
    const { bank, file } = await open();
    const { fact: secret } = bank.add(
      fact('The codename is Zweisimmen and nobody may know', 'user', { context: 'told at Gstaad' }),
    );
    bank.add(fact('Something else entirely'));
    expect(bytesOf(file)).toMatch(/zweisimmen/i);
    // Another session has the bank open, too.
    const other = await open({ file });
    expect(other.bank.search('codename', 5)).toHaveLength(1);
    expect(bank.remove([secret.id])).toBe(1);
    expect(bytesOf(file)).not.toMatch(/zweisimmen|gstaad/i);
    expect(bank.search('Zweisimmen', 5)).toEqual([]);
    expect(bank.list()).toHaveLength(1);
  });

  it('refuses a file of a newer version, and says when a file is no bank', async () => {
    const { bank, file } = await open();
    bank.add(fact('Anything at all'));
    const db = await openBankFile(file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(Bank.open(file, 'user', { maxBytes: 1 })).rejects.toMatchObject({ code: 'MEMORY_STORE_NEWER' });
    await expect(Bank.open(import.meta.filename, 'user', { maxBytes: 1 })).rejects.toMatchObject({
      code: 'MEMORY_STORE',
    });
  });

  it('is written by several processes at once without losing a fact', async () => {
    const file = join(temporaryFolder('bank'), 'shared.db');
    const program = await buildProgram(join(import.meta.dirname, 'bank-writer.ts'));
    const run = (name: string) => promisify(execFile)(process.execPath, [program, file, name]);
    await Promise.all(['ant', 'bee', 'cat', 'dog'].map(run));
    const { bank } = await open({ file });
    expect(bank.list()).toHaveLength(41);
    expect(bank.list().find(({ fact: { text } }) => text.startsWith('All agree'))?.fact.mentions.length).toBe(4);
  });
});
