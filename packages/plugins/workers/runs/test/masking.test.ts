/** The secrets that a worker was given do not get into what is stored and shown of it. */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import type { Accounts } from '@tenon/accounts/api';
import type { WorkerAdapter, WorkerEvent } from '@tenon/workers/api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keep } from '../src/keeper/keep.ts';
import { exchangeFolder, sessionFolder } from '../src/keeper/places.ts';
import { proposalsOf } from '../src/exchange/exchange.ts';
import { Tail } from '../src/keeper/tail.ts';
import { EventMask } from '../src/masking/event-mask.ts';
import { SecretMask } from '../src/masking/mask.ts';
import { fakeWorker } from './fake-worker.ts';
import { makeWorld, registryOf } from './world.ts';

const KEY = 'sk-fake-abab-abab/0123"456';

describe('a mask', () => {
  test('knows a secret as it is, in JSON, in JSON within JSON, in an address and as base64', () => {
    const mask = new SecretMask([KEY]);
    for (const text of [
      KEY,
      JSON.stringify({ key: KEY }),
      JSON.stringify({ line: JSON.stringify({ key: KEY }) }),
      `https://example.com/?key=${encodeURIComponent(KEY)}`,
      Buffer.from(`${KEY}\n`).toString('base64'),
    ]) {
      const masked = mask.text(text);
      expect(masked).toContain('[redacted]');
      expect(masked).not.toMatch(/sk-fake|0123/);
    }
  });

  test('bears any depth', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(20_000)}"${KEY.slice(0, 10)}"${']}'.repeat(20_000)}`) as unknown;
    expect(JSON.stringify(new SecretMask([KEY]).value({ deep, key: KEY }))).toMatch(/….*"key":"\[redacted\]"/);
  });

  test('leaves short values alone, which would be ordinary words', () => {
    expect(new SecretMask(['x', 'test']).text('a test of x')).toBe('a test of x');
  });
});

/** Secrets of few letters: their beginnings and ends are found in each other. */
const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 8, maxLength: 12 });
const piece = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '\n'), maxLength: 12 }), fc.constant('S'));

test('property: however a stream is cut, and by whomever it is read on, no secret is in what was read', () => {
  fc.assert(
    fc.property(
      secret,
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(40), { maxLength: 8 }),
      (key, parts, cuts) => {
        const bytes = Buffer.from(parts.join('').replaceAll('S', key));
        const mask = new SecretMask([key]);
        const folder = temporaryFolder('mask');
        let tail = new Tail(folder, { stdout: 0, stderr: 0 }, 1e9, mask);
        let text = '';
        const read = (isFinal: boolean) => {
          const { pieces, offsets } = tail.read(isFinal);
          text += pieces.map((one) => one.text).join('');
          tail.close();
          tail = new Tail(folder, offsets, 1e9, mask);
        };
        let from = 0;
        for (const cut of cuts) {
          appendFileSync(join(folder, 'stdout'), bytes.subarray(from, from + cut));
          from += cut;
          read(false);
          expect(text).not.toContain(key);
        }
        appendFileSync(join(folder, 'stdout'), bytes.subarray(from));
        read(true);
        tail.close();
        expect(text).not.toContain(key);
        if (!bytes.toString().includes(key)) expect(text).toBe(bytes.toString());
      },
    ),
    { numRuns: caseCount(300) },
  );
});

test('property: a text that comes in parts has no secret, and is whole where it has none', () => {
  fc.assert(
    fc.property(secret, fc.array(piece, { maxLength: 12 }), (key, parts) => {
      const mask = new EventMask(new SecretMask([key]));
      const texts = parts.flatMap((part) => (part === 'S' ? [key.slice(0, 5), key.slice(5)] : [part]));
      const events = texts.map((text): WorkerEvent => ({ type: 'text', text, delta: true }));
      const shown = [...events.flatMap((event) => mask.push([event])), ...mask.end()];
      const text = shown.map((event) => (event.type === 'text' ? event.text : '')).join('');
      expect(text).not.toContain(key);
      if (!texts.join('').includes(key)) expect(text).toBe(texts.join(''));
    }),
  );
});

describe('a run', () => {
  const key = 'fk-0123456789abcdef';

  test('shows its key nowhere: not in output, events, questions, result, error, proposals or files', async () => {
    const world = await makeWorld({ env: { PATH: process.env['PATH'], FAKE_KEY: key } });
    const script = `say session s1; say "text my key is $FAKE_KEY"; printf 'half: fk-0123456'; sleep 0.3; printf '789abcdef\\n'; say "$FAKE_KEY" >&2
say "tool-start t1 $FAKE_KEY"; printf '# %s' "$FAKE_KEY" >"$EXCHANGE/output/session-1/proposals/plan.md"
signal "{\\"session\\":1,\\"status\\":\\"questions\\",\\"questions\\":[{\\"id\\":\\"a\\",\\"text\\":\\"Is it $FAKE_KEY?\\"}]}"`;
    const run = await world.start(script, { resume: 'say error other "bad $FAKE_KEY"; exit 1', mode: 'plan' });
    await world.reaches(run, 'waiting');
    const { questions } = await world.service.details(run);
    expect(questions[0]?.text).toBe('Is it [redacted]?');
    expect(await proposalsOf(exchangeFolder(world.parts.folders.state, run.id), 1)).toMatchObject([
      { text: '# [redacted]' },
    ]);
    await world.service.answer(run, { a: 'no' });
    await world.reaches(run, 'failed');
    const seen = JSON.stringify([await world.service.details(run), await world.news(run), world.told]);
    expect(await world.output(run)).toContain('half: [redacted]\n');
    expect(seen).toContain('bad [redacted]');
    expect(seen).not.toContain(key);
    expect(seen).not.toContain(key.slice(4));
    for (const name of ['stdout', 'stderr'])
      await until(() => !existsSync(join(sessionFolder(world.parts.folders.state, run.id, 2), name)), `${name} gone`);
  });

  test('does not show it when another keeper reads on, nor the login of its account or CLI', async () => {
    const token = 'login-0123456789abcdef';
    const accounts = { list: async () => [], next: async () => undefined, secrets: async () => [token] };
    const world = await makeWorld({
      env: { PATH: process.env['PATH'], FAKE_KEY: key },
      accounts: async () => accounts as unknown as Accounts,
      ensureKeeper: async () => undefined,
    });
    const go = join(world.base, 'go');
    const run = await world.start(
      `printf 'text %s fk-01234' ${token}; while [ ! -e ${go} ]; do sleep 0.05; done; say 56789abcdef; say done`,
    );
    const keepUntil = async (isSeen: () => Promise<boolean>) => {
      const ending = new AbortController();
      const keeping = keep(world.parts, ending.signal).catch(() => undefined); // It was told to end.
      await until(isSeen, 'the output');
      ending.abort();
      await keeping;
    };
    await keepUntil(async () => (await world.output(run)) === 'text [redacted] ');
    writeFileSync(go, '');
    await keepUntil(async () => (await world.store.get(run.id))?.state === 'done');
    expect(await world.output(run)).toBe('text [redacted] [redacted]\ndone\n');
    expect((await world.service.details(run)).run.result?.text).toBe('[redacted] [redacted]');
  });
});

test('what validation prints has no secret of the worker', async () => {
  const key = 'fk-0123456789abcdef';
  const adapter: WorkerAdapter = fakeWorker;
  const plan = { steps: [{ argv: ['x'], cwd: '/' }], by: 'simple', root: '/', reason: 'All.' };
  const validation = {
    plan: async () => plan,
    async run(_: unknown, { output }: { output(text: string): void }) {
      output('the key: fk-01234');
      await new Promise((resolve) => setTimeout(resolve, 250));
      output('56789abcdef.\n');
      return { state: 'passed', plan, steps: [{ argv: ['x'], cwd: '/', code: 0, durationMs: 1, tail: key }] };
    },
  };
  const world = await makeWorld({
    env: { PATH: process.env['PATH'], FAKE_KEY: key },
    registry: async () => registryOf(adapter),
    validation: async () => validation as never,
  });
  mkdirSync(world.work, { recursive: true });
  writeFileSync(join(world.work, 'a'), '');
  const run = await world.start('say done');
  const done = await world.reaches(run, 'done');
  expect(done.validation?.steps[0]).toMatchObject({ tail: '[redacted]' });
  expect(await world.output(run)).toContain('the key: [redacted].');
});

test('raw output that a killed keeper has left is cleaned up', async () => {
  const world = await makeWorld();
  const run = await world.start('say done');
  await world.reaches(run, 'done');
  const file = join(sessionFolder(world.parts.folders.state, run.id, 1), 'stdout');
  await until(() => !existsSync(file), 'the output gone');
  writeFileSync(file, 'left');
  expect((await world.service.collect({ dryRun: true })).map(({ path }) => path)).toContain(file);
  expect(existsSync(file)).toBe(true);
  await world.service.collect({ dryRun: false });
  expect(existsSync(file)).toBe(false);
});
