/** Workers in the real sandbox. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { chooseMechanism, sandboxes } from '@tenon/sandbox/api';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import type { WorkerSpec } from '@tenon/workers/api';
import { describe, expect, test } from 'vitest';
import { exchangeFolder } from '../src/keeper/places.ts';
import { processTable } from '../src/keeper/process-table.ts';
import type { RunsParts } from '../src/parts.ts';
import { fakeWorker } from './fake-worker.ts';
import { makeWorld, registryOf } from './world.ts';

const { mechanism } = await chooseMechanism('auto');

async function sandboxedWorld(more: Partial<RunsParts> = {}) {
  const base = temporaryFolder('runs');
  const kernel = await startKernel({ folders: separateFolders(base), plugins: ['sandbox', 'settings'] });
  later(() => endKernel(kernel));
  return makeWorld({ sandboxes: () => kernel.find(sandboxes), ...more }, base);
}

describe.skipIf(mechanism !== 'bubblewrap')('a worker in the sandbox', () => {
  test('writes in its folder and in the exchange, and sees nothing of Tenon', async () => {
    const world = await sandboxedWorld();
    const secret = join(world.parts.folders.data, 'secret');
    mkdirSync(world.parts.folders.data, { recursive: true });
    writeFileSync(secret, 'hidden');
    const run = await world.start(
      `echo x >made; cat ${secret}; echo y >${world.base}/outside; signal '{"session":1,"status":"done","result":"fine"}'`,
    );
    const done = await world.reaches(run, 'done');
    expect(done.result?.text).toBe('fine');
    expect(done.sandbox).toContain('bubblewrap');
    expect(readFileSync(join(world.work, 'made'), 'utf8')).toBe('x\n');
    expect(existsSync(join(world.base, 'outside'))).toBe(false);
    expect(await world.output(run)).not.toContain('hidden');
  });

  test('is ended with everything that it has started, also what hides its environment', async () => {
    const world = await sandboxedWorld();
    const run = await world.start(
      `(env -i setsid sh -c 'while :; do sleep 0.123; done' &); say text ready; sleep 1000`,
    );
    await until(async () => (await world.output(run)).includes('ready'));
    const before = new Set(
      (await processTable()).filter(({ run: mark }) => mark === `${run.id}:1`).map(({ pid }) => pid),
    );
    expect(before.size).toBeGreaterThan(0);
    await world.service.cancel(run);
    await world.reaches(run, 'cancelled');
    expect((await processTable()).filter(({ pid }) => before.has(pid))).toEqual([]);
    const commands = (await processTable()).map(({ pid }) => commandOf(pid));
    expect(commands.filter((command) => command.includes('0.123'))).toEqual([]);
  });

  test("writes to its CLI's own folder, but not what the user's own use of the CLI runs: neither what is there nor what is missing", async () => {
    const place: WorkerSpec['state'][number] = {
      path: '~/.fake',
      closed: {
        'settings.json': '{}',
        'local.json': '{"x":1}',
        hooks: null,
        plugins: null,
        '*.sh': false,
        none: false,
      },
    };
    const adapter = { ...fakeWorker, spec: { ...fakeWorker.spec, state: [place] } };
    const world = await sandboxedWorld({ registry: async () => registryOf(adapter) });
    const own = join(world.parts.folders.home, '.fake');
    mkdirSync(join(own, 'plugins/a'), { recursive: true });
    for (const name of ['settings.json', 'plugins/a/run', 'status.sh']) writeFileSync(join(own, name), 'mine');
    const before = treeOf(own);
    const run = await world.start(`cd ${own}; say text "$(cat local.json)"
for name in settings.json local.json hooks/x plugins/a/run plugins/b status.sh; do echo evil >$name && say changed $name; done
rm -rf hooks plugins settings.json; mv plugins elsewhere; mv local.json elsewhere; ln -s /etc/passwd hooks
mkdir -p sessions && echo kept >sessions/s1; cd ..; mv .fake other; say done`);
    const done = await world.reaches(run, 'done');
    expect(done.result?.text).toBe('{"x":1}');
    expect(await world.output(run)).not.toContain('changed');
    expect(readFileSync(join(own, 'sessions/s1'), 'utf8')).toBe('kept\n');
    // What stood there meanwhile is gone.
    await until(
      () => JSON.stringify(treeOf(own)) === JSON.stringify([...before, 'sessions', 'sessions/s1:kept\n'].sort()),
    );
  });

  test('reads its input and its context, and changes neither', async () => {
    const world = await sandboxedWorld();
    writeFileSync(join(world.work, 'facts.txt'), 'FACTS');
    const run = await world.start(
      `cd "$EXCHANGE"; say text "$(cat input/notes.md | tail -1) $(cat context/facts.txt)"
chmod -R u+w context input; echo evil >context/facts.txt; echo evil >input/task.md; echo evil >context/new; rm -rf context input; mv context other
signal '{"session":1,"status":"done"}'`,
      { inputs: { 'notes.md': 'NOTES' }, context: ['facts.txt'] },
    );
    expect((await world.reaches(run, 'done')).result?.text).toBe('NOTES FACTS');
    const exchange = exchangeFolder(world.parts.folders.state, run.id);
    expect(treeOf(join(exchange, 'context'))).toEqual(['facts.txt:FACTS']);
    expect(readFileSync(join(exchange, 'input/task.md'), 'utf8')).not.toContain('evil');
  });

  test('can be left out, which the record says', async () => {
    const world = await sandboxedWorld();
    const run = await world.start(`echo y >${world.base}/outside; say done`, { sandbox: 'off' });
    expect((await world.reaches(run, 'done')).sandbox).toContain('off: the request says so');
    expect(existsSync(join(world.base, 'outside'))).toBe(true);
  });
});

/** The names below a folder, and what files hold. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return relative(folder, path) + (entry.isFile() ? `:${readFileSync(path, 'utf8')}` : '');
    })
    .sort();
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // It has ended meanwhile.
  }
}
