/** Workflows with real commands and a real journal; runs are played. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run, Runs } from '@tenon/runs/api';
import { processMark } from '@tenon/state-files';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Definition } from '../src/definition.ts';
import { cancel, Driver, type Stop } from '../src/driver.ts';
import { beginJournal, type Journal, openJournal, readState } from '../src/journal.ts';
import { leaveWish } from '../src/wishes.ts';

interface World {
  readonly folder: string;
  readonly cwd: string;
  begin(definition: Definition, inputs?: Record<string, string>): Promise<Journal>;
  drive(journal: Journal, signal?: AbortSignal): Promise<Stop>;
  readonly lines: string[];
  /** What the commands have written into `log`. */
  log(): string[];
}

function world(runs?: Partial<Runs>): World {
  const folder = temporaryFolder('workflows');
  const cwd = temporaryFolder('workflows');
  const lines: string[] = [];
  const silent = () => undefined;
  return {
    folder,
    cwd,
    lines,
    begin: (definition, inputs = {}) => beginJournal(folder, { file: 'x.yml', cwd, definition, inputs }),
    drive: (journal, signal = new AbortController().signal) =>
      new Driver(
        journal,
        {
          folder: join(folder, journal.state.id),
          tell: (line) => void lines.push(line),
          runs: async () => runs as Runs,
          validation: async () => undefined,
          sandboxes: async () => undefined,
          log: { debug: silent, info: silent, warn: silent, error: silent } as never,
        },
        signal,
      ).drive(),
    log() {
      try {
        return readFileSync(join(cwd, 'log'), 'utf8').split('\n').filter(Boolean);
      } catch {
        return []; // Nothing was written yet.
      }
    },
  };
}

const silentParts = { runs: async () => ({}), log: { warn: () => undefined } } as unknown as Parameters<
  typeof cancel
>[1];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // It is gone.
  }
}

const command = (id: string, more: object = {}) => ({ id, command: `echo ${id} >>log; echo out-${id}`, ...more });

describe('the order of things', () => {
  test('a node begins when what it needs is done, with the outputs in its text; lists fan out in order', async () => {
    const w = world();
    const journal = await w.begin(
      {
        name: 'x',
        nodes: [
          { id: 'list', command: 'printf "%s\\n" "a b" "c; rm -rf x" d' },
          { id: 'each', needs: ['list'], each: 'list.output', command: 'printf "%s|" {{item}} {{inputs.who}}' },
          { id: 'all', needs: ['each'], command: 'printf %s {{each.outputs.1.output}}' },
        ],
      },
      { who: "it's me" },
    );
    expect(await w.drive(journal)).toBe('done');
    const outputs = ['each[0]', 'each[1]', 'each[2]', 'all'].map((step) => journal.state.steps.get(step)?.output);
    expect(outputs).toEqual([
      { output: "a b|it's me|", code: 0 },
      { output: "c; rm -rf x|it's me|", code: 0 },
      { output: "d|it's me|", code: 0 },
      { output: "c; rm -rf x|it's me|", code: 0 },
    ]);
  });

  test('a failure skips what needs it and nothing else; `mayFail` and `when` do what they say', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [
        { id: 'bad', command: 'echo why >&2; exit 3' },
        command('after', { needs: ['bad'] }),
        command('later', { needs: ['after'] }),
        command('beside'),
        { id: 'soft', command: 'exit 1', mayFail: true },
        command('anyway', { needs: ['soft'] }),
        command('never', { when: 'inputs.fix' }),
        command('behind', { needs: ['never'] }),
      ],
    });
    expect(await w.drive(journal)).toBe('failed');
    expect(w.log().sort()).toEqual(['anyway', 'behind', 'beside']);
    expect(journal.state.steps.get('bad')).toMatchObject({ state: 'failed', reason: 'exit code 3: why' });
    expect([...journal.state.skipped.keys()].sort()).toEqual(['after', 'later', 'never']);
  });

  test('a failed step is tried again after a wait, and a retry by hand goes on from there', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [
        { id: 'flaky', command: 'echo try >>log; [ $(wc -l <log) -ge 3 ]', retries: 2, backoff: '10ms' },
        { id: 'stuck', command: '[ -e key ]', needs: ['flaky'] },
        command('end', { needs: ['stuck'] }),
      ],
    });
    expect(await w.drive(journal)).toBe('failed');
    expect(w.log()).toEqual(['try', 'try', 'try']);
    writeFileSync(join(w.cwd, 'key'), '');
    await journal.add({ type: 'retried', steps: ['stuck'] });
    expect(await w.drive(journal)).toBe('done');
    expect(w.log()).toEqual(['try', 'try', 'try', 'end']);
  });

  test('no more run at the same time than allowed, and one of a key at a time', async () => {
    const w = world();
    const busy = (id: string, more: object = {}) => ({
      id,
      command: `echo + >>log; mkdir held-${(more as { key?: string }).key ?? id} || exit 9; sleep 0.15; rmdir held-${(more as { key?: string }).key ?? id}; echo - >>log`,
      ...more,
    });
    const nodes = [
      ...Array.from({ length: 5 }, (_, index) => busy(`n${index}`)),
      ...Array.from({ length: 3 }, (_, index) => busy(`k${index}`, { key: 'one' })),
    ];
    const journal = await w.begin({ name: 'x', concurrency: 3, nodes });
    expect(await w.drive(journal)).toBe('done');
    let now = 0;
    const most = Math.max(...w.log().map((sign) => (now += sign === '+' ? 1 : -1)));
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
  });

  test('one of a key at a time, over all workflows of the machine', async () => {
    const w = world();
    const nodes = [1, 2].map((index) => ({
      id: `n${index}`,
      key: 'deploy',
      command: 'mkdir alone && sleep 0.05 && rmdir alone && echo well >>log',
    }));
    const journals = await Promise.all([w.begin({ name: 'one', nodes }), w.begin({ name: 'two', nodes })]);
    expect(await Promise.all(journals.map((journal) => w.drive(journal)))).toEqual(['done', 'done']);
    expect(w.log()).toHaveLength(4);
  });

  test('time that is up ends a command and what it has started', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [{ id: 'slow', command: 'sleep 300 & echo $! >pid; wait', timeout: '300ms' }],
    });
    expect(await w.drive(journal)).toBe('failed');
    expect(journal.state.steps.get('slow')?.reason).toBe('it took longer than 300ms');
    const pid = Number(readFileSync(join(w.cwd, 'pid'), 'utf8'));
    await until(() => !isAlive(pid));
  });
});

describe('commands that do not behave', () => {
  test('what a command leaves running does not hold it up, and one that left its group is not waited for', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [
        { id: 'job', command: 'sleep 300 & echo $! >pid; echo out' },
        { id: 'daemon', command: 'setsid sleep 300 & echo $! >other; echo out', timeout: '60s' },
        { id: 'slow', command: 'setsid sleep 300 & echo $! >third; sleep 300', timeout: '300ms', mayFail: true },
      ],
    });
    expect(await w.drive(journal)).toBe('done');
    const pid = (name: string) => Number(readFileSync(join(w.cwd, name), 'utf8'));
    await until(() => !isAlive(pid('pid')));
    for (const name of ['other', 'third']) process.kill(pid(name), 'SIGKILL');
    expect(journal.state.steps.get('job')?.output).toEqual({ output: 'out', code: 0 });
    expect(journal.state.steps.get('slow')?.reason).toContain('longer than 300ms');
  });

  test('a value that no program can be given fails its step and nothing else', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [
        { id: 'nul', each: ['a\0b'], command: 'echo {{item}}', mayFail: true },
        { id: 'long', each: ['x'.repeat(200_000)], command: 'echo {{item}}', mayFail: true },
        command('end', { needs: ['nul', 'long'] }),
      ],
    });
    expect(await w.drive(journal)).toBe('done');
    for (const step of ['nul[0]', 'long[0]'])
      expect(journal.state.steps.get(step)).toMatchObject({
        state: 'failed',
        reason: expect.stringMatching(/^it cannot be run/),
      });
  });

  test('a clock that was set back does not hold up the next attempt', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [{ id: 'flaky', command: 'echo try >>log', retries: 1, backoff: '1s' }],
    });
    const entry = { type: 'started', step: 'flaky', attempt: 1 };
    const failed = { type: 'failed', step: 'flaky', reason: 'x', isFinal: false };
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const lines = [entry, failed].map((body) => `${JSON.stringify({ at, ...body })}\n`);
    appendFileSync(join(w.folder, journal.state.id, 'journal.jsonl'), lines.join(''));
    expect(await w.drive(await openJournal(w.folder, journal.state.id))).toBe('done');
    expect(w.log()).toEqual(['try']);
  });
});

describe('people', () => {
  const asking: Definition = {
    name: 'x',
    nodes: [
      command('first'),
      { id: 'gate', approve: 'Ship {{first.output}}?', needs: ['first'] },
      command('ship', { needs: ['gate'] }),
    ],
  };

  test('a question holds nothing up but what needs it, and waits without a process', async () => {
    const w = world();
    const journal = await w.begin({ ...asking, nodes: [...asking.nodes, command('other')] });
    expect(await w.drive(journal)).toBe('waiting');
    expect(w.log().sort()).toEqual(['first', 'other']);
    const again = await openJournal(w.folder, journal.state.id);
    expect(again.state.steps.get('gate')).toMatchObject({ state: 'asking', question: 'Ship out-first?' });
    await again.add({ type: 'answered', step: 'gate', answer: 'yes' });
    expect(await w.drive(again)).toBe('done');
    expect(w.log().sort()).toEqual(['first', 'other', 'ship']);
  });

  test('a no ends what needs it', async () => {
    const w = world();
    const journal = await w.begin(asking);
    await w.drive(journal);
    await journal.add({ type: 'answered', step: 'gate', answer: 'no' });
    expect(await w.drive(journal)).toBe('failed');
    expect(w.log()).toEqual(['first']);
  });

  test('another process cancels a workflow that is under way', async () => {
    const w = world();
    const journal = await w.begin({
      name: 'x',
      nodes: [{ id: 'slow', command: 'echo begun >>log; sleep 300' }, command('never', { needs: ['slow'] })],
    });
    const driving = w.drive(journal);
    await until(() => w.log().length === 1);
    await leaveWish(join(w.folder, journal.state.id), { type: 'cancel' });
    expect(await driving).toBe('cancelled');
    expect((await readState(w.folder, journal.state.id)).state).toBe('cancelled');
  });
});

describe('crashes', () => {
  /** A random graph: each node needs some of those before it. */
  const graph = fc
    .array(fc.record({ needs: fc.array(fc.nat(), { maxLength: 2 }), fails: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((nodes): Definition => ({
      name: 'x',
      concurrency: 2,
      nodes: nodes.map(({ needs, fails }, index) => ({
        id: `n${index}`,
        command: `echo n${index} >>log; ${fails ? 'exit 1' : 'true'}`,
        mayFail: true,
        needs: index === 0 ? [] : [...new Set(needs.map((other) => `n${other % index}`))],
      })),
    }));

  test('wherever it is cut off, it ends as if it had not been; what was finished never runs again', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.array(fc.nat({ max: 8 }), { maxLength: 3 }), async (definition, cuts) => {
        const w = world();
        let journal = await w.begin(definition);
        const done = new Map<string, number>();
        for (const cut of cuts) {
          const control = new AbortController();
          const seen = w.lines.length;
          const watch = setInterval(() => w.lines.length - seen >= cut && control.abort(), 1);
          const stop = await w.drive(journal, control.signal);
          clearInterval(watch);
          for (const { step, state } of journal.state.steps.values())
            if (state === 'done' || state === 'failed') done.set(step, w.log().filter((line) => line === step).length);
          if (stop !== 'interrupted') break;
          // A line that was cut off in the middle.
          appendFileSync(join(w.folder, journal.state.id, 'journal.jsonl'), '{"at":"2026-01-01","type":"do');
          journal = await openJournal(w.folder, journal.state.id);
        }
        if (journal.state.state === 'active') await w.drive(journal);
        expect(journal.state.state).toBe('done');
        for (const [step, count] of done)
          expect([step, w.log().filter((line) => line === step).length]).toEqual([step, count]);
        const whole = await readState(w.folder, journal.state.id);
        expect([...whole.steps.keys()].sort()).toEqual(definition.nodes.map(({ id }) => id).sort());
      }),
      { numRuns: 12 },
    );
  });

  test('a command that outlived its killed driver is ended before it begins again, or when the workflow is cancelled', async () => {
    const w = world();
    const definition = { name: 'x', nodes: [{ id: 'slow', command: 'echo $$ >>log; [ -e go ] || sleep 300' }] };
    for (const isCancelled of [false, true]) {
      const journal = await w.begin(definition);
      const folder = join(w.folder, journal.state.id);
      const child = spawn('sh', ['-c', 'sleep 300'], { detached: true, stdio: 'ignore' });
      later(() => void child.kill('SIGKILL'));
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      await journal.add({ type: 'started', step: 'slow', attempt: 1 });
      await journal.add({ type: 'spawned', step: 'slow', process: processMark(child.pid ?? 0) });
      writeFileSync(join(w.cwd, 'go'), '');
      if (isCancelled) await cancel(await openJournal(w.folder, journal.state.id), silentParts);
      else expect(await w.drive(await openJournal(w.folder, journal.state.id))).toBe('done');
      expect(await ended).toBe('SIGKILL');
      // Whoever goes on later finds the process by what the journal says.
      const text = readFileSync(join(folder, 'journal.jsonl'), 'utf8');
      expect(text.match(/"type":"spawned"/g)).toHaveLength(isCancelled ? 1 : 2);
    }
  });

  test('a damaged journal is told, and not taken for an empty one', async () => {
    const w = world();
    const { state } = await w.begin({ name: 'x', nodes: [command('a')] });
    appendFileSync(join(w.folder, state.id, 'journal.jsonl'), 'rubbish\n{"at":"x","type":"cancelled"}\n');
    await expect(openJournal(w.folder, state.id)).rejects.toMatchObject({ code: 'WORKFLOWS_JOURNAL' });
  });
});

describe('runs', () => {
  test('a run that failed is tried again when a person asks for it; one whose answer was useless is done anew', async () => {
    const known = new Map<string, Run>();
    const calls: string[] = [];
    const runs: Partial<Runs> = {
      async start(request) {
        const id = request.key ?? '';
        if (!known.has(id)) calls.push(`start ${request.task}`);
        const isBad = request.task === 'bad' || calls.filter((call) => call === 'start vague').length > 1;
        const end = request.task === 'bad' ? { state: 'failed' } : { state: 'done' };
        const result = { text: 'x', ...(isBad && { structured: {} }) };
        known.set(id, known.get(id) ?? ({ id, alias: id, request, ...end, result } as unknown as Run));
        return known.get(id) as Run;
      },
      find: async (id) => known.get(id) as Run,
      async retry({ id }) {
        calls.push('retry');
        const run = { ...known.get(id), state: 'done' } as Run;
        known.set(id, run);
        return run;
      },
    };
    const w = world(runs);
    const journal = await w.begin({
      name: 'x',
      nodes: [
        { id: 'bad', agent: 'bad' },
        { id: 'vague', agent: 'vague', needs: ['bad'], output: { type: 'object' }, retries: 1, backoff: '1ms' },
      ],
    });
    expect(await w.drive(journal)).toBe('failed');
    await journal.add({ type: 'retried', steps: ['bad'] });
    expect(await w.drive(journal)).toBe('done');
    expect(calls).toEqual(['start bad', 'retry', 'start vague', 'start vague']);
  });

  test('an agent whose work does not pass its check goes on, told why, until it does', async () => {
    const w: World = world({
      start: async (request) => (run = { ...run, request } as Run),
      find: async () => run,
      async send(_, text) {
        sent.push(text);
        writeFileSync(join(w.cwd, 'tries'), String(sent.length));
        return run;
      },
      async *follow() {},
    });
    let run = { id: 'r', alias: 'otter', state: 'done', result: { text: 'Fixed.' } } as unknown as Run;
    const sent: string[] = [];
    const check = 'test "$(cat tries)" = {{inputs.wanted}} || { echo "tries: $(cat tries)" >&2; exit 1; }';
    const node = { id: 'fix', agent: 'make it pass', check, backoff: '1ms' };
    const journal = await w.begin({ name: 'x', nodes: [{ ...node, retries: 5 }] }, { wanted: '2' });
    expect(await w.drive(journal)).toBe('done');
    expect(sent).toHaveLength(2);
    expect(sent[1]).toContain('its check failed: exit code 1: tries: 1');
    expect(journal.state.steps.get('fix')).toMatchObject({ attempt: 3, output: { text: 'Fixed.' } });
    const failing = await w.begin({ name: 'x', nodes: [{ ...node, retries: 1 }] }, { wanted: 'never' });
    expect(await w.drive(failing)).toBe('failed');
    expect(sent).toHaveLength(3);
  });

  test('a run that begins in the moment of a cancel is cancelled, too', async () => {
    const cancelled: string[] = [];
    let begin = () => {};
    const run = { id: 'r1', alias: 'r1', state: 'running' } as unknown as Run;
    const starting = new Promise<void>((resolve) => (begin = resolve));
    const isAsked = { now: false };
    const runs: Partial<Runs> = {
      async start() {
        isAsked.now = true;
        await starting;
        return run;
      },
      find: async () => run,
      async cancel({ id }) {
        cancelled.push(id);
        return run;
      },
    };
    const w = world(runs);
    const journal = await w.begin({ name: 'x', nodes: [{ id: 'a', agent: 'do it' }] });
    const driving = w.drive(journal);
    await until(() => isAsked.now);
    await leaveWish(join(w.folder, journal.state.id), { type: 'cancel' });
    await until(() => journal.state.state === 'cancelled');
    begin();
    expect(await driving).toBe('cancelled');
    expect(cancelled).toEqual(['r1']);
  });

  test('a step is one run, however often it is begun; a retry goes on with it, and costs are added up', async () => {
    const known = new Map<string, Run>();
    const calls: string[] = [];
    const finish = (id: string, change: Partial<Run>) => {
      const run = { ...known.get(id), ...change } as Run;
      known.set(id, run);
      return run;
    };
    const runs: Partial<Runs> = {
      async start(request) {
        const id = request.key ?? '';
        calls.push(`start ${request.worker}`);
        if (!known.has(id))
          known.set(id, {
            id,
            alias: `a-${id}`,
            request,
            state: 'failed',
            error: { fault: 'other', message: 'no luck' },
            cost: 1,
          } as unknown as Run);
        return known.get(id) as Run;
      },
      find: async (id) => known.get(id) as Run,
      async retry({ id }) {
        calls.push('retry');
        return finish(id, { state: 'done', cost: 2, result: { text: 'well', structured: { n: 1 } } });
      },
      async *follow() {},
    };
    const w = world(runs);
    const journal = await w.begin({
      name: 'x',
      budget: { usd: 1.5 },
      nodes: [
        { id: 'ask', worker: 'do it', with: 'hand', retries: 1, backoff: '1ms', output: { type: 'object' } },
        { id: 'more', agent: 'and more', needs: ['ask'] },
      ],
    });
    expect(await w.drive(journal)).toBe('failed');
    expect(calls).toEqual(['start hand', 'retry']);
    expect(journal.state.steps.get('ask')).toMatchObject({ state: 'done', output: { text: 'well', data: { n: 1 } } });
    // A run tells what it has cost in all.
    expect(journal.state.usd).toBe(2);
    expect(journal.state.steps.get('more')?.reason).toMatch(/budget of \$1.5 is spent/);
  });
});
