/** Workflows as other plugins see and steer them: real commands, real journals, real locks. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import type { Definition } from '../src/definition.ts';
import { beginJournal } from '../src/journal.ts';
import { type Steering, steerWorkflows } from '../src/steering.ts';

interface World {
  readonly folder: string;
  readonly cwd: string;
  readonly steering: Steering;
  begin(definition: Definition): Promise<string>;
  /** Another process that steers the same workflows. */
  another(): Steering;
}

function world(): World {
  const [folder, cwd] = [temporaryFolder('workflows'), temporaryFolder('workflows')];
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent } as never;
  const another = () => {
    const ending = new AbortController();
    const none = async () => undefined;
    const runs = () => Promise.reject(new Error('no run is part of this test'));
    const steering = steerWorkflows({ workflows: folder, runs, validation: none, sandboxes: none, log }, ending.signal);
    later(async () => {
      ending.abort();
      await steering.settled();
    });
    return steering;
  };
  const begin = async (definition: Definition) => {
    const { state } = await beginJournal(folder, { file: 'x.yml', cwd, definition, inputs: {} });
    return state.id;
  };
  return { folder, cwd, steering: another(), begin, another };
}

const release: Definition = {
  name: 'Release',
  nodes: [
    { id: 'build', command: 'echo built' },
    { id: 'ask', needs: ['build'], approve: 'Ship it?' },
    { id: 'ship', needs: ['ask'], command: 'echo shipped >>shipped; echo done' },
  ],
};

const stateOf = async (steering: Steering, id: string) => (await steering.details(id)).state;

test('a workflow that was begun goes on here, waits for an answer, and ends with it', async () => {
  const { steering, begin, cwd } = world();
  const id = await begin(release);
  await steering.continue(id);
  await until(async () => (await steering.details(id)).questions === 1);
  await steering.settled();
  const waiting = await steering.details(id);
  expect(waiting).toMatchObject({ state: 'active', nodes: 3, over: 1, isWorkedOn: false });
  expect(waiting.graph.map(({ id: node, state, wave }) => [node, state, wave])).toEqual([
    ['build', 'done', 0],
    ['ask', 'asking', 1],
    ['ship', 'open', 2],
  ]);
  expect(waiting.graph[0]?.steps).toMatchObject([{ step: 'build', output: 'built' }]);
  expect(waiting.graph[1]?.steps).toMatchObject([{ step: 'ask', question: 'Ship it?' }]);
  await steering.answer(id, 'ask', 'yes');
  await until(async () => (await stateOf(steering, id)) === 'done');
  expect(readFileSync(join(cwd, 'shipped'), 'utf8')).toBe('shipped\n');
  await expect(steering.answer(id, 'ask', 'no')).rejects.toMatchObject({ code: 'WORKFLOWS_NO_QUESTION' });
  await expect(steering.continue(id)).rejects.toMatchObject({ code: 'WORKFLOWS_OVER' });
  await expect(steering.cancel(id)).rejects.toMatchObject({ code: 'WORKFLOWS_OVER' });
});

test('of two answers at the same time, from two processes, one counts', async () => {
  const { steering, another, begin, cwd } = world();
  const id = await begin(release);
  await steering.continue(id);
  await steering.settled();
  const other = another();
  const answers = await Promise.allSettled([steering.answer(id, 'ask', 'yes'), other.answer(id, 'ask', 'yes')]);
  expect(answers.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  await until(async () => (await stateOf(steering, id)) === 'done');
  expect(readFileSync(join(cwd, 'shipped'), 'utf8')).toBe('shipped\n');
});

test('what failed runs again and what was done does not; a workflow in which nothing failed is left alone', async () => {
  const { steering, begin, cwd } = world();
  const id = await begin({
    name: 'Fix',
    nodes: [
      { id: 'once', command: 'echo once >>log' },
      { id: 'needy', needs: ['once'], command: 'test -e ready && echo fine' },
    ],
  });
  await steering.continue(id);
  await until(async () => (await stateOf(steering, id)) === 'failed');
  await steering.settled();
  writeFileSync(join(cwd, 'ready'), '');
  await steering.retry(id);
  await until(async () => (await stateOf(steering, id)) === 'done');
  await steering.settled();
  expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe('once\n');
  await expect(steering.retry(id)).rejects.toMatchObject({ code: 'WORKFLOWS_NOTHING_FAILED' });
});

test('a workflow that works is said to, is not worked on twice, and ends when it is cancelled from elsewhere', async () => {
  const { steering, another, begin } = world();
  const id = await begin({ name: 'Long', nodes: [{ id: 'sleep', command: 'sleep 600' }] });
  await steering.continue(id);
  const other = another();
  expect((await other.details(id)).isWorkedOn).toBe(true);
  await expect(other.continue(id)).rejects.toMatchObject({ code: 'WORKFLOWS_BUSY' });
  await expect(steering.continue(id)).rejects.toMatchObject({ code: 'WORKFLOWS_BUSY' });
  await other.cancel(id);
  await until(async () => (await stateOf(other, id)) === 'cancelled');
  await steering.settled();
});

test('when this process ends, the workflow is as one that was interrupted: another goes on', async () => {
  const { folder, begin, another, cwd } = world();
  const id = await begin({ name: 'Long', nodes: [{ id: 'wait', command: 'test -e ready || sleep 600' }] });
  const ending = new AbortController();
  const none = async () => undefined;
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent } as never;
  const parts = { workflows: folder, runs: none as never, validation: none, sandboxes: none, log };
  const first = steerWorkflows(parts, ending.signal);
  await first.continue(id);
  ending.abort();
  await first.settled();
  const second = another();
  expect(await second.details(id)).toMatchObject({ state: 'active', isWorkedOn: false });
  writeFileSync(join(cwd, 'ready'), '');
  await second.continue(id);
  await until(async () => (await stateOf(second, id)) === 'done');
});

test('a process that was killed while it worked holds up nobody', async () => {
  const { folder, steering, begin } = world();
  const id = await begin({ name: 'Long', nodes: [{ id: 'sleep', command: 'sleep 600' }] });
  await steering.continue(id);
  const lock = join(folder, id, 'journal.jsonl.lock');
  const holder = JSON.parse(readFileSync(join(lock, 'holder.json'), 'utf8')) as object;
  await steering.cancel(id);
  await steering.settled();
  // The same lock, of a process that is gone.
  const gone = spawn('true');
  await new Promise((resolve) => gone.once('exit', resolve));
  const next = await begin(release);
  const left = join(folder, next, 'journal.jsonl.lock');
  mkdirSync(left);
  writeFileSync(join(left, 'holder.json'), JSON.stringify({ ...holder, pid: gone.pid }));
  expect(await steering.details(next)).toMatchObject({ state: 'active', isWorkedOn: false });
});

test('an answer that is given while another process works is taken by that one', async () => {
  const { steering, another, begin, cwd } = world();
  const id = await begin({
    name: 'Both',
    nodes: [
      { id: 'ask', approve: 'Now?' },
      { id: 'slow', command: 'until test -e ready; do sleep 0.05; done' },
      { id: 'last', needs: ['ask', 'slow'], command: 'echo last >>log' },
    ],
  });
  await steering.continue(id);
  await until(async () => (await steering.details(id)).questions === 1);
  // It waits for `slow`, so the answer is left for it.
  await another().answer(id, 'ask', 'yes');
  await until(async () => (await steering.details(id)).questions === 0);
  writeFileSync(join(cwd, 'ready'), '');
  await until(async () => (await stateOf(steering, id)) === 'done');
  expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe('last\n');
});

test('journals that cannot be read are told by name; hostile ones neither hang nor flood', async () => {
  const { folder, steering, begin } = world();
  const fine = await begin(release);
  mkdirSync(join(folder, 'torn'));
  writeFileSync(join(folder, 'torn', 'journal.jsonl'), '{"type":"began"\n{}\n');
  // Nodes that wait for each other, and one with very many steps.
  const circle = await begin({
    name: 'Circle',
    nodes: [
      { id: 'a', needs: ['b'], command: 'true' },
      { id: 'b', needs: ['a'], command: 'true' },
      { id: 'many', each: [], command: 'x'.repeat(100_000) },
    ],
  });
  const at = '2026-01-01T00:00:00.000Z';
  const add = (entry: object) =>
    appendFileSync(join(folder, circle, 'journal.jsonl'), `${JSON.stringify({ at, ...entry })}\n`);
  add({ type: 'listed', node: 'many', items: Array.from({ length: 5_000 }, () => 'y'.repeat(10)) });
  for (let index = 0; index < 5_000; index += 1)
    add({ type: 'failed', step: `many[${index}]`, reason: 'z'.repeat(5_000), isFinal: true });
  const { workflows, damaged } = await steering.list();
  expect(workflows.map(({ id }) => id).sort()).toEqual([circle, fine].sort());
  expect(damaged).toMatchObject([{ id: 'torn', problem: expect.stringContaining('line 1') }]);
  const details = await steering.details(circle);
  expect(details.graph.map(({ id }) => id)).toEqual(['a', 'b', 'many']);
  expect(details.graph[2]).toMatchObject({ counts: { failed: 5_000 } });
  expect(JSON.stringify(details).length).toBeLessThan(400_000);
  await expect(steering.details('../torn')).rejects.toMatchObject({ code: 'WORKFLOWS_UNKNOWN' });
});
