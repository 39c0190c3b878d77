/** The keeper is killed at random moments: nothing is lost, nothing is doubled, nothing is left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProgram } from '@tenon/test-kit/built-program';
import { caseCount } from '@tenon/test-kit/properties';
import { later } from '@tenon/test-kit/temporary';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { beforeAll, expect, test } from 'vitest';
import { processTable } from '../src/keeper/process-table.ts';
import { ENDED_STATES, type Run } from '../src/run.ts';
import { makeWorld, type World } from './world.ts';

let program: string;
beforeAll(async () => {
  program = await buildProgram(join(import.meta.dirname, 'keeper-program.ts'));
});

/** Writes numbered lines in odd portions, with a tool call of its own process; then says that it is done. */
const LINES = 120;
const SCRIPT = `say session s$$; i=0
while [ $i -lt ${LINES} ]; do
  i=$((i+1)); say "text $i ä€😀"
  case $i in *0) say tool-start t$i bash; sleep 0.1; say tool-end t$i; echo "noise $i" >&2;; esac
done; say done`;

/** Kills a process, unless it has ended by itself. */
async function killed(child: ChildProcess): Promise<void> {
  const hasEnded = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill('SIGKILL')) await hasEnded;
}

/** Waits until a keeper is at work, or has nothing to do. */
function hasBegun({ parts }: World, child: ChildProcess): Promise<void> {
  const folder = join(parts.folders.state, 'runs');
  const isAtWork = () => readdirSync(folder).includes('keeper.json');
  return until(() => child.exitCode !== null || isAtWork());
}

test(
  'killed again and again while workers run, it loses no output, doubles none and leaves no process',
  async () => {
    const world = await makeWorld({ ensureKeeper: async () => undefined });
    let keeper: ChildProcess | undefined;
    later(() => void keeper?.kill('SIGKILL'));
    const kills = caseCount(15);
    const runs: Run[] = [];
    const isOver = async () => (await world.store.list()).every(({ state }) => ENDED_STATES.includes(state));
    for (let kill = 0; kill < kills; kill++) {
      if (runs.length < 3 || (await isOver())) runs.push(await world.start(SCRIPT), await world.start(SCRIPT));
      rmSync(join(world.parts.folders.state, 'runs', 'keeper.json'), { force: true });
      keeper = spawn(process.execPath, [program, world.base], { stdio: 'inherit' });
      // Now and then before it has begun, else at any moment of its work.
      if (Math.random() > 0.2) await hasBegun(world, keeper);
      await sleep(Math.random() * 500);
      await killed(keeper);
    }
    keeper = spawn(process.execPath, [program, world.base], { stdio: 'inherit' });
    await until(isOver, 'the end of all runs', 120_000);
    const numbers = Array.from({ length: LINES }, (_, index) => String(index + 1));
    for (const { id } of runs) {
      const run = await world.store.get(id);
      const sessions = await world.store.sessions(id);
      expect(run, JSON.stringify(run?.error)).toMatchObject({ state: 'done', session: 1 });
      const outputs = await world.store.outputs(id, { session: 0, sequence: 0 }, 1_000_000);
      expect(outputs.map(({ sequence }) => sequence)).toEqual(outputs.map((_, index) => index + 1));
      const stdout = outputs
        .filter(({ stream }) => stream === 'stdout')
        .map(({ text }) => text)
        .join('');
      expect([...stdout.matchAll(/^text (\d+) ä€😀$/gm)].map(([, number]) => number)).toEqual(numbers);
      const events = (await world.store.events(0, 1_000_000, id)).flatMap(({ what }) =>
        what.type === 'worker' ? [what.event] : [],
      );
      expect(events.flatMap((event) => (event.type === 'text' ? [event.text.split(' ')[0]] : []))).toEqual(numbers);
      expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(LINES / 10);
      expect(sessions).toHaveLength(1);
    }
    const marks = new Set(runs.map(({ id }) => `${id}:1`));
    expect((await processTable()).filter(({ run }) => run !== undefined && marks.has(run))).toEqual([]);
    // It ends by itself when all is done.
    await until(() => keeper?.exitCode === 0, 'the end of the keeper');
  },
  patientLimit(600_000),
);

test('killed while it ends a worker, its successor goes on with that', async () => {
  const world = await makeWorld({ ensureKeeper: async () => undefined });
  const run = await world.start(
    `trap '' TERM; say session s1; (trap '' TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done`,
  );
  let keeper = spawn(process.execPath, [program, world.base], { stdio: 'inherit' });
  later(() => void keeper.kill('SIGKILL'));
  await until(async () => (await world.output(run)).includes('s1'));
  await world.service.cancel(run);
  await until(async () => (await world.store.sessions(run.id))[0]?.stoppedFor === 'cancel');
  await killed(keeper);
  keeper = spawn(process.execPath, [program, world.base], { stdio: 'inherit' });
  await world.reaches(run, 'cancelled');
  expect((await processTable()).filter((row) => row.run === `${run.id}:1`)).toEqual([]);
});

test('frozen while another one takes over, it writes nothing more when it goes on, and leaves', async () => {
  const world = await makeWorld({ ensureKeeper: async () => undefined });
  const keepers: ChildProcess[] = [];
  const start = () => {
    const child = spawn(process.execPath, [program, world.base], { stdio: 'inherit' });
    keepers.push(child);
    return child;
  };
  later(() => keepers.forEach((child) => void child.kill('SIGKILL')));
  const runs = [await world.start(SCRIPT), await world.start(SCRIPT)];
  const frozen = start();
  await until(async () => (await world.output(runs[0] as Run)).includes('text 10 '), 'some output');
  frozen.kill('SIGSTOP');
  // While it lives, its lock is its own, and its workers run on. Whoever cannot see that it lives (another container) takes it over.
  const folder = join(world.parts.folders.state, 'runs');
  rmSync(join(folder, 'keeper.lock'), { recursive: true });
  const second = start();
  const isOver = async () => (await world.store.list()).every(({ state }) => ENDED_STATES.includes(state));
  await until(isOver, 'the end of all runs', 60_000);
  const before = await Promise.all(runs.map((run) => world.news(run)));
  frozen.kill('SIGCONT');
  await until(() => frozen.exitCode !== null && second.exitCode !== null, 'the end of both keepers', 30_000);
  expect(await Promise.all(runs.map((run) => world.news(run)))).toEqual(before);
  const numbers = Array.from({ length: LINES }, (_, index) => String(index + 1));
  for (const run of runs) {
    const said = [...(await world.output(run)).matchAll(/text (\d+) ä€😀/g)].map(([, number]) => number);
    expect(said).toEqual(numbers);
    expect((await world.store.sessions(run.id)).length).toBe(1);
  }
});
