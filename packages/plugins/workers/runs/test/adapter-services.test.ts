/** What an adapter does around its process: files, usage that stands elsewhere, tools that are offered, logins that nobody makes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerAdapter, PreparePlace } from '@tenon/workers/api';
import { expect, test } from 'vitest';
import { fakeWorker } from './fake-worker.ts';
import { makeWorld, registryOf } from './world.ts';

const USAGE = { input: 700, output: 7, cacheRead: 3, cacheWrite: 0, reasoning: 0 };
const worldOf = (more: Partial<WorkerAdapter>) =>
  makeWorld({ registry: async () => registryOf({ ...fakeWorker, ...more }) });

test('usage that a CLI writes only to files of its own is that of the run', async () => {
  const asked: unknown[] = [];
  const world = await worldOf({
    findUsage: async ({ session, since }) => {
      asked.push([session, since.getTime() <= Date.now()]);
      return USAGE;
    },
  });
  const run = await world.reaches(await world.start('say session s-1; say done'), 'done');
  expect(asked).toEqual([['s-1', true]]);
  expect(run.usage).toEqual(USAGE);
});

test('a run ends well although its usage cannot be read', async () => {
  const world = await worldOf({ findUsage: () => Promise.reject(new Error('no access')) });
  const run = await world.reaches(await world.start('say session s-1; say done'), 'done');
  expect(run.usage).toMatchObject({ input: 10 });
});

test('the files of a command are there when the adapter prepares its folders', async () => {
  const seen: string[] = [];
  const world = await worldOf({
    command: (task) => ({
      ...fakeWorker.command(task),
      files: [{ path: join(task.scratch, 'servers.json'), text: 'servers' }],
    }),
    prepare: async ({ scratch }) => {
      seen.push(readFileSync(join(scratch, 'servers.json'), 'utf8'));
      return { env: {}, clean: async () => undefined };
    },
  });
  await world.reaches(await world.start('say done'), 'done');
  expect(seen).toEqual(['servers']);
});

test("Tenon's own tools are offered with words about them, where the CLI can use them", async () => {
  const script = 'say text "$2"; say done';
  const capabilities = { ...fakeWorker.spec.capabilities, mcp: 'flag' as const };
  const servers: unknown[] = [];
  const world = await worldOf({
    spec: { ...fakeWorker.spec, capabilities },
    command: (task) => {
      servers.push(task.mcp);
      return fakeWorker.command(task);
    },
  });
  const run = await world.reaches(await world.start(script, { offerTools: true }), 'done');
  expect(servers).toEqual([{ tenon: { command: 'tenon', args: ['mcp', 'serve'] } }]);
  expect(await world.output(run)).toContain('Tools are offered.');
  const words: unknown[] = [];
  const choosing = await worldOf({
    spec: { ...fakeWorker.spec, capabilities },
    command: (task) => {
      words.push(task.yolo);
      return fakeWorker.command(task);
    },
  });
  const registry = await choosing.parts.registry();
  const asked: unknown[] = [];
  const contract = registry.contract.bind(registry);
  Object.assign(choosing.parts, {
    registry: async () => ({ ...registry, contract: (options: unknown) => (asked.push(options), contract()) }),
  });
  await choosing.reaches(await choosing.start(script, { offerTools: 'raw', yolo: false }), 'done');
  expect([asked, words]).toEqual([[{ surface: 'raw' }], [false]]);
  const plain = await worldOf({});
  await expect(plain.start(script, { offerTools: true })).rejects.toThrow('takes no MCP servers');
});

test('what a CLI could ask nobody is a question of the run, and its adapter is given the answer', async () => {
  const questions = [{ id: 'approval-1', text: 'May it?', options: ['allow', 'deny'] }];
  const places: PreparePlace[] = [];
  const world = await worldOf({
    parser: (context) => {
      const parser = fakeWorker.parser(context);
      return {
        push: (piece, stream) => parser.push(piece, stream),
        end: (exit) => ({ ...parser.end(exit), ...(exit.code === 7 && { questions }) }),
      };
    },
    prepare: async (place) => {
      places.push(place);
      return { env: {}, clean: async () => undefined };
    },
  });
  const run = await world.start('say session s1; exit 7', { resume: 'say text "$1"; say done' });
  await world.reaches(run, 'waiting');
  expect((await world.service.details(run)).questions).toMatchObject(questions);
  await world.service.answer(run, { 'approval-1': 'allow' });
  await world.reaches(run, 'done');
  expect(await world.output(run)).toMatch(/May it\?[^]*allow/);
  expect(places.map(({ answers }) => answers)).toEqual([[], [{ id: 'approval-1', answer: 'allow' }]]);
  expect(new Set(places.map(({ kept }) => kept)).size).toBe(1);
  expect(places[0]?.kept).toContain(run.id);
});

test('a CLI that waits for a login is ended', async () => {
  const world = await worldOf({});
  const run = await world.reaches(await world.start('say error login-needed nobody; exec sleep 600'), 'failed');
  expect(run.error).toMatchObject({ fault: 'login-needed' });
});
