/** Runs in PostgreSQL: the contract of all stores, a server that crashes, hosts that are fenced, and who may begin. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@tenon/runs/api';
import { sampleRun, sampleSession, storeContract } from '@tenon/test-kit/run-store-contract';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Database } from '../src/database/database.ts';
import { type Holding, PostgresStore } from '../src/database/postgres-store.ts';
import { migrate, SCHEMA } from '../src/database/schema.ts';
import { enter } from '../src/host/presence.ts';
import { admit } from '../src/queue/admission.ts';
import { claim } from '../src/queue/claim.ts';
import { limitOf } from '../src/queue/keys.ts';
import { sealedSecrets, seal, unseal } from '../src/secrets.ts';
import { fetchWork, keepWork, makeCheckout, sendWorkspace } from '../src/work/travel.ts';
import { remoteProblem } from '../src/work/remotes.ts';
import { POSTGRES, type Server, startPostgres } from './postgres.ts';

const TABLES = ['run', 'session', 'log', 'question', 'message', 'wish', 'secret', 'bundle', 'worker', 'lim'];
const KEY = Buffer.alloc(32, 7);

describe.skipIf(POSTGRES === undefined)('runs in PostgreSQL', () => {
  let server: Server;
  let database: Database;

  beforeAll(async () => {
    server = await startPostgres(temporaryFolder('postgres'));
    later(() => server.stop());
    database = connect();
    await migrate(database);
  });

  beforeEach(async () => {
    await database.transaction((sql) => sql.rows(`TRUNCATE ${TABLES.map((table) => `${SCHEMA}.${table}`).join(', ')}`));
  });

  function connect(): Database {
    const made = new Database({ url: server.url, patienceMs: 60_000, connections: 4 });
    later(() => made.close());
    return made;
  }

  async function open(holding?: Holding): Promise<PostgresStore> {
    const store = await PostgresStore.open(database, holding);
    later(() => store.close());
    return store;
  }

  const holder = (host: string, token: () => string | undefined): Holding => ({
    host,
    token,
    capture: async () => ({}),
  });
  const nowhere = async () => undefined;

  /** Hosts that are in the table alone. */
  const hosts = (...names: readonly string[]) =>
    Promise.all(
      names.map((name) => enter(database, { name, machine: name, slots: 4, labels: [], hasKey: false, version: '1' })),
    );

  test.each(Object.entries(storeContract))('%s', async (_, holds) => {
    await holds(() => open());
  });

  test('the schema is made by several at once, and made again it stays as it is', async () => {
    const store = await open();
    await store.add(sampleRun('a'));
    await Promise.all([migrate(database), migrate(connect()), migrate(connect())]);
    expect((await store.list()).map(({ id }) => id)).toEqual(['a']);
  });

  test('keeps every character that a worker can write, also those that PostgreSQL cannot hold', async () => {
    const store = await open();
    const odd = 'a\0b\uD800c\u0001😀';
    await store.add(sampleRun('a', { request: { task: odd, cwd: '/' } }));
    await store.change('a', {
      run: { session: 1, result: { text: odd } },
      begin: sampleSession('a', 1),
      ask: [{ id: 'q\0', text: odd }],
      events: [{ type: 'notice', message: odd }],
    });
    const offsets = { stdout: 1, stderr: 0 };
    const outputs = [{ stream: 'stdout' as const, text: odd }];
    const from = { stdout: 0, stderr: 0 };
    await store.take([{ run: 'a', session: 1, outputs, events: [], from, offsets }]);
    await store.addMessage('a', odd);
    expect(await store.answer('a', { 'q\0': odd })).toBe(0);
    expect((await store.get('a'))?.result?.text).toBe(odd);
    expect((await store.outputs('a', { session: 0, sequence: 0 }, 9))[0]?.text).toBe(odd);
    expect((await store.messages('a'))[0]?.text).toBe(odd);
    expect((await store.questions('a'))[0]).toMatchObject({ text: odd, answer: odd });
    expect((await store.events(0, 9, 'a')).at(-1)?.what).toEqual({ type: 'notice', message: odd });
  });

  test('a server that crashes in the middle of writes loses none and doubles none', async () => {
    const stores = [await open(), await PostgresStore.open(connect()), await PostgresStore.open(connect())];
    later(async () => {
      for (const store of stores.slice(1)) await store.close();
    });
    await stores[0]?.add(sampleRun('a'));
    const writes = stores.map(async (store, writer) => {
      for (let count = 0; count < 60; count++) await store.addMessage('a', `${writer}:${count}`);
    });
    const crashes = async () => {
      for (let count = 0; count < 2; count++) await server.crash();
    };
    await Promise.all([...writes, crashes()]);
    const messages = (await stores[0]?.messages('a')) ?? [];
    expect(messages.map(({ number }) => number)).toEqual(messages.map((_, index) => index + 1));
    const expected = stores.flatMap((_, writer) => Array.from({ length: 60 }, (__, count) => `${writer}:${count}`));
    expect(messages.map(({ text }) => text).toSorted()).toEqual(expected.toSorted());
  });

  test('only who has claimed a run last can write to it; the session that was cut off is over', async () => {
    const [one, two] = await hosts('one', 'two');
    const store = await open();
    await store.add(sampleRun('a', { request: { task: 'x', cwd: '/' }, next: { reason: 'start' } }));
    await admit(database, nowhere);
    const tokens = new Map<string, string>();
    const take = async (host: typeof one) => {
      const claimed = host && (await claim(database, host, 'a', 1, '/w'));
      if (typeof claimed !== 'object') throw new Error(`not claimed: ${String(claimed)}`);
      if (host) tokens.set(host.name, claimed.token);
    };
    await take(one);
    const first = await open(holder('one', () => tokens.get('one')));
    const second = await open(holder('two', () => tokens.get('two')));
    await first.change('a', { run: { state: 'running', session: 1 }, begin: sampleSession('a', 1) });
    expect(await second.list()).toEqual([]);
    expect(await second.change('a', { run: { state: 'done' } })).toBeUndefined();
    await take(two);
    expect(await store.get('a')).toMatchObject({
      state: 'queued',
      host: 'two',
      next: { reason: 'retry', isFresh: true },
    });
    expect((await store.sessions('a'))[0]).toMatchObject({ exitSignal: 'LOST' });
    const from = { stdout: 0, stderr: 0 };
    const late = { run: 'a', session: 1, outputs: [], events: [], from, offsets: { stdout: 9, stderr: 0 } };
    expect(await first.take([late])).toEqual([undefined]);
    expect(await first.change('a', { run: { state: 'failed' } })).toBeUndefined();
    expect(await first.list()).toEqual([]);
    expect((await second.change('a', { run: { state: 'done' } }))?.run.state).toBe('done');
    // Over: its place is free, and a claim of the same leg comes too late.
    expect(await claim(database, one ?? { name: '', epoch: '' }, 'a', 1, '/w')).toBe('over');
  });

  test('a run that goes on after a wait is another leg, and holds no place meanwhile', async () => {
    await hosts('one');
    const store = await open();
    await store.add(sampleRun('a'));
    const legs: string[] = [];
    const enqueue = async (_: unknown, run: string, leg: number) => void legs.push(`${run}:${leg}`);
    expect(await admit(database, enqueue)).toBe(1);
    await store.change('a', { run: { state: 'waiting' } });
    expect(await database.rows(`SELECT FROM ${SCHEMA}.run WHERE admitted IS NOT NULL`)).toEqual([]);
    expect(await admit(database, enqueue)).toBe(0);
    await store.change('a', { run: { state: 'queued' } });
    expect(await admit(database, enqueue)).toBe(1);
    expect(legs).toEqual(['a:1', 'a:2']);
  });

  test('thousands of runs behind a full limit delay nobody else, and urgent ones begin first', async () => {
    await hosts('one');
    const store = await open();
    await database.transaction((sql) => sql.rows(`INSERT INTO ${SCHEMA}.lim VALUES ('account:busy', 1)`));
    const body = JSON.stringify(sampleRun('x'));
    await database.transaction((sql) =>
      sql.rows(
        `INSERT INTO ${SCHEMA}.run (id, alias, state, created, body, keys)
         SELECT 'b' || n, 'b' || n, 'queued', '2026', $1, '{account:busy}' FROM generate_series(1, 5000) AS n`,
        [body],
      ),
    );
    await store.add(sampleRun('calm'));
    await store.add(sampleRun('urgent', { request: { task: '', cwd: '/', priority: 5 } }));
    const order: string[] = [];
    await admit(database, async (_, run) => void order.push(run));
    expect(order.toSorted()).toEqual(['b1', 'calm', 'urgent']);
    expect(order[0]).toBe('urgent');
  });

  test('property: limits are never passed, and nothing that could begin is left waiting', async () => {
    const keys = fc.uniqueArray(fc.constantFrom('account:a', 'account:b', 'repository:r', 'repository:s'), {
      maxLength: 3,
    });
    const cases = fc.record({
      runs: fc.array(fc.record({ keys, priority: fc.integer({ min: 0, max: 2 }) }), { minLength: 1, maxLength: 15 }),
      limits: fc.dictionary(fc.constantFrom('account:a', 'account:*', 'repository:r', 'repository:*'), fc.nat(3)),
      ends: fc.array(fc.nat(20), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ runs, limits, ends }) => {
        await database.transaction((sql) =>
          sql.rows(`TRUNCATE ${SCHEMA}.run, ${SCHEMA}.lim, ${SCHEMA}.worker, ${SCHEMA}.log`),
        );
        await hosts('one');
        const known = new Map(Object.entries(limits));
        const store = await PostgresStore.open(database);
        try {
          for (const [key, most] of known)
            await database.transaction((sql) => sql.rows(`INSERT INTO ${SCHEMA}.lim VALUES ($1, $2)`, [key, most]));
          for (const [index, run] of runs.entries()) {
            await store.add(sampleRun(`r${index}`, { request: { task: '', cwd: '/', priority: run.priority } }));
            await database.transaction((sql) =>
              sql.rows(`UPDATE ${SCHEMA}.run SET keys = $2 WHERE id = $1`, [`r${index}`, run.keys]),
            );
          }
          const keysOf = (id: string) => runs[Number(id.slice(1))]?.keys ?? [];
          for (const end of [undefined, ...ends]) {
            const held = await database.rows<{ id: string }>(`SELECT id FROM ${SCHEMA}.run WHERE admitted IS NOT NULL`);
            if (end !== undefined && held.length > 0)
              await store.change(held[end % held.length]?.id ?? '', { run: { state: 'done' } });
            await admit(database, nowhere);
            const now = await database.rows<{ id: string; admitted: Date | null; state: Run['state'] }>(
              `SELECT id, admitted, state FROM ${SCHEMA}.run WHERE state = 'queued'`,
            );
            const running = now.filter(({ admitted }) => admitted !== null);
            const used = (key: string) => running.filter(({ id }) => keysOf(id).includes(key as never)).length;
            for (const key of runs.flatMap((run) => run.keys))
              expect(used(key)).toBeLessThanOrEqual(limitOf(known, key));
            expect(running.length).toBeLessThanOrEqual(4);
            const couldBegin = now.filter(
              ({ id, admitted }) => admitted === null && keysOf(id).every((key) => used(key) < limitOf(known, key)),
            );
            if (running.length < 4) expect(couldBegin).toEqual([]);
          }
        } finally {
          await store.close();
        }
      }),
      { numRuns: 15 },
    );
  });

  test('files travel to a host and back, and what came back can travel again', async () => {
    const folder = temporaryFolder('travel');
    const [desk, one, two] = ['desk', 'one', 'two'].map((name) => join(folder, name)) as [string, string, string];
    for (const place of [desk, one, two]) mkdirSync(place);
    const git = (...args: string[]) => execFileSync('git', ['-C', desk, ...args], { encoding: 'utf8' });
    git('init', '-q');
    writeFileSync(join(desk, 'a'), 'one\n');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-q', '-m', 'first');
    const options = { maxBytes: 1_000_000, remotes: undefined };
    const workspace = await sendWorkspace(database, desk, options);
    if (workspace === undefined) throw new Error('nothing was sent');
    const run = sampleRun('a', { request: { task: '', cwd: desk, workspace } });
    await makeCheckout(database, run, one);
    expect(readFileSync(join(one, 'a'), 'utf8')).toBe('one\n');
    const place = { base: workspace.base, folder: one, maxBytes: 1_000_000 };
    expect(await keepWork(database, place)).toBeUndefined();
    writeFileSync(join(one, 'a'), 'one\ntwo\n');
    await expect(keepWork(database, { ...place, maxBytes: 10 })).rejects.toMatchObject({ code: 'FLEET_BUNDLE' });
    const work = await keepWork(database, place);
    expect(await fetchWork(database, { ...run, ...(work !== undefined && { work }) })).toBe(work);
    // The same change by hand is the same commit; its bundle must not be taken for that of the whole.
    writeFileSync(join(desk, 'a'), 'one\ntwo\n');
    const next = await sendWorkspace(database, desk, options);
    expect(next?.base).toBe(work);
    await makeCheckout(database, { ...run, request: { ...run.request, ...(next && { workspace: next }) } }, two);
    expect(readFileSync(join(two, 'a'), 'utf8')).toBe('one\ntwo\n');
    expect(await sendWorkspace(database, temporaryFolder('bare'), options)).toBeUndefined();
    // Most of it from the remote, where the host's owner allows that.
    execFileSync('git', ['clone', '-q', '--bare', desk, join(folder, 'origin')]);
    git('remote', 'add', 'origin', `file://${join(folder, 'origin')}`);
    git('fetch', '-q', 'origin');
    const remotes = { folders: [folder] };
    // A folder of the machine is no remote, unless its owner says so.
    expect((await sendWorkspace(database, desk, { ...options, remotes: { folders: [one] } }))?.remote).toBeUndefined();
    const byRemote = await sendWorkspace(database, desk, { ...options, remotes });
    expect(byRemote?.remote).toContain('file://');
    const far = { ...run, request: { ...run.request, ...(byRemote && { workspace: byRemote }) } };
    for (const place_ of [one, two]) rmSync(place_, { recursive: true });
    for (const place_ of [one, two]) mkdirSync(place_);
    const refused = { code: 'FLEET_BUNDLE' };
    await expect(makeCheckout(database, far, one)).rejects.toMatchObject(refused);
    await expect(makeCheckout(database, far, one, { folders: [] })).rejects.toMatchObject(refused);
    await expect(makeCheckout(database, far, one, { folders: [one, '/none'] })).rejects.toMatchObject(refused);
    await makeCheckout(database, far, two, remotes);
    expect(readFileSync(join(two, 'a'), 'utf8')).toBe('one\ntwo\n');
    // An address with a password stays here; everything travels then.
    git('remote', 'set-url', 'origin', 'https://me:secret@host.invalid/x.git');
    expect((await sendWorkspace(database, desk, { ...options, remotes }))?.remote).toBeUndefined();
  });

  test.each(['/srv/secret', '../secret', 'ext::sh -c id', 'http://host.invalid/x', 'file:/srv/secret', '-u:x'])(
    'the remote %s, which a database may name, is not fetched from',
    (url) => expect(remoteProblem(url, { folders: [] })).toBeDefined(),
  );

  test('secrets are sealed in the database, and open only under their own name and key, for hosts with a label that allows it', async () => {
    const key = KEY.toString('base64');
    const secrets = sealedSecrets(database, { key, allowed: ['trusted'] });
    await secrets.changeSecret('run a', () => 'sk-very-secret');
    const [row] = await database.rows<{ sealed: string }>(`SELECT sealed FROM ${SCHEMA}.secret`);
    expect(Buffer.from(row?.sealed ?? '', 'base64').toString('latin1')).not.toContain('sk-very');
    expect(await secrets.secret('run a')).toBe('sk-very-secret');
    const of = (...labels: string[]) => sealedSecrets(database, { key, labels }).secret('run a');
    expect(await of('trusted', 'gpu')).toBe('sk-very-secret');
    expect(await of('gpu')).toBeUndefined();
    expect(await of()).toBeUndefined();
    const sealed = seal(KEY, 'run a', 'x');
    expect(() => unseal(KEY, 'run b', sealed)).toThrow();
    expect(() => unseal(Buffer.alloc(32, 8), 'run a', sealed)).toThrow();
    await secrets.changeSecret('run a', () => undefined);
    expect(await secrets.secret('run a')).toBeUndefined();
  });
});
