import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import type { ToolResult } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkbench, surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import { type JobOutcome, type JobRun, type Jobs, jobs } from '../src/api.ts';
import plugin from '../src/plugin.ts';

const agentHooks = inlineCandidate(
  { id: 'agent', defines: [sessionShutdown, sessionSwitch], activate() {} },
  { defines: { hooks: [sessionShutdown.id, sessionSwitch.id] } },
);

let bench: Workbench;
let table: Jobs;
beforeEach(async () => {
  bench = await openWorkbench(['jobs'], { settings: { jobs: { maxRunning: 3, pollSeconds: 1 } } });
  bench.kernel.install(agentHooks);
  table = await bench.kernel.find(jobs);
});
afterEach(() => bench.dispose());

/** A job that ends when it is told to. */
function startJob(label = 'work', session = 'one') {
  let end: (outcome: JobOutcome) => void = () => {};
  let fail: (fault: Error) => void = () => {};
  const seen: { run?: JobRun } = {};
  const outcome = new Promise<JobOutcome>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const { id } = table.start({
    session,
    type: 'bash',
    label,
    run: (run) => {
      seen.run = run;
      return Promise.race([
        outcome,
        new Promise<JobOutcome>((resolve) =>
          run.signal.addEventListener('abort', () => resolve({ text: 'stopped half-way', isError: true })),
        ),
      ]);
    },
  });
  return { id, end, fail, seen };
}

describe('jobs', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings(agentHooks) });
  });

  it('limits how many run in a session', async () => {
    const [first] = [startJob(), startJob(), startJob()];
    expect(table.hasRoom('one')).toBe(false);
    expect(() => startJob()).toThrow(/already 3 background jobs/);
    expect(startJob('other', 'two').id).toBe('bash-1');
    first.end({ text: 'done' });
    await expect.poll(() => table.hasRoom('one')).toBe(true);
    expect(startJob().id).toBe('bash-4');
  });

  it('cancels the jobs of a session that ends or is left', async () => {
    const [one, two] = [startJob(), startJob('x', 'two')];
    await expect.poll(() => two.seen.run).toBeDefined();
    await bench.kernel.run(sessionShutdown, { session: 'one', cwd: '/' });
    expect(one.seen.run?.signal.aborted).toBe(true);
    expect(two.seen.run?.signal.aborted).toBe(false);
    await bench.kernel.run(sessionSwitch, { session: 'three', previous: 'two', cwd: '/', reason: 'new' });
    expect(two.seen.run?.signal.aborted).toBe(true);
    expect(table.list('two')).toEqual([]);
  });

  it('waits for its jobs when it is unloaded', async () => {
    const job = startJob();
    await expect.poll(() => job.seen.run).toBeDefined();
    await bench.kernel.unload('jobs');
    expect(job.seen.run?.signal.aborted).toBe(true);
    expect(() => startJob()).toThrow(/being unloaded/);
  });
});

describe('job', () => {
  it('lists jobs without waiting', async () => {
    expect(await bench.ok('job', { list: true })).toBe('There are no background jobs.');
    startJob('npm test');
    startJob('other session', 'two');
    const result = await bench.run('job', { list: true });
    expect(textOf(result)).toBe('## Jobs (1)\n- bash-1 (npm test), 0s: running');
    expect(result.details).toMatchObject({
      jobs: [{ id: 'bash-1', type: 'bash', status: 'running', label: 'npm test' }],
    });
    expect(await bench.fails('job', { list: true, poll: ['bash-1'] })).toMatch(/cannot be combined/);
  });

  it('waits for the first job to end and says which still run', async () => {
    const [slow, quick] = [startJob('slow'), startJob('quick')];
    const updates: ToolResult[] = [];
    const polled = bench.run('job', {}, { updates });
    await expect.poll(() => updates.length).toBeGreaterThan(0);
    slow.seen.run?.progress('half way');
    quick.end({ text: 'all good' });
    const result = await polled;
    expect(textOf(result)).toBe(
      '## Completed (1)\n### bash-2 (quick), 0s: completed\nall good\n\n## Still Running (1)\n### bash-1 (slow), 0s\nhalf way',
    );
    expect(updates[0]?.details).toMatchObject({ jobs: [{ status: 'running' }, { status: 'running' }] });
  });

  it('gives up waiting after the time of the setting, or when the call is aborted', async () => {
    startJob();
    expect(await bench.ok('job', { poll: ['bash-1', 'bash-9'] })).toMatch(/^## Still Running \(1\)\n### bash-1/);
    const controller = new AbortController();
    const polled = bench.run('job', {}, { signal: controller.signal });
    controller.abort(new Error('stopped'));
    await polled.catch((fault: Error) => expect(fault.message).toBe('stopped'));
    expect(table.get('one', 'bash-1')?.status).toBe('running');
  });

  it('tells about failures, and about jobs that do not exist', async () => {
    expect(await bench.ok('job', {})).toBe('No running background jobs to wait for.');
    startJob().fail(new Error('no such file'));
    expect(await bench.ok('job', {})).toMatch(/bash-1 \(work\), 0s: failed\nno such file$/);
    expect(await bench.ok('job', { poll: ['bash-7'] })).toMatch(
      /No matching jobs found for IDs: bash-7\. Known jobs: bash-1/,
    );
  });

  it('cancels, at once', async () => {
    const job = startJob();
    const done = startJob();
    done.end({ text: 'x' });
    await expect.poll(() => table.get('one', done.id)?.status).toBe('completed');
    const result = await bench.run('job', { cancel: [job.id, done.id, 'bash-9'] });
    expect(textOf(result)).toMatch(
      /^## Cancelled \(3\)\n- bash-1: cancelled\n- bash-2: already_completed\n- bash-9: not_found\n\n## Completed \(2\)/,
    );
    expect(result.details).toMatchObject({ cancelled: [{ status: 'cancelled' }, { status: 'already_completed' }, {}] });
    expect(job.seen.run?.signal.aborted).toBe(true);
    await expect.poll(() => table.get('one', job.id)?.errorText).toBe('stopped half-way');
    expect(table.get('one', job.id)?.status).toBe('cancelled');
  });

  it('shows the whole output of one job, and the end of a long one', async () => {
    const job = startJob();
    await expect.poll(() => job.seen.run).toBeDefined();
    job.seen.run?.progress('first\nsecond');
    expect(await bench.ok('job', { output: job.id })).toBe('bash-1 (work), 0s: running\n\nfirst\nsecond');
    job.end({ text: Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n') });
    await expect.poll(() => table.get('one', job.id)?.status).toBe('completed');
    const text = await bench.ok('job', { output: job.id });
    expect(text).toMatch(/completed\n\n\[The last 50\.0KB:\]\nline \d+\n/);
    expect(text.endsWith('line 19999')).toBe(true);
    expect(await bench.fails('job', { output: 'bash-9' })).toMatch(/no job bash-9; known jobs: bash-1/);
  });
});
