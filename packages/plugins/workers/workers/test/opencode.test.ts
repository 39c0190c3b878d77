import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/opencode.ts';
import { ofType, play, playRecording, recordingsOf } from './playing.ts';

const SESSION = 'ses_e1de449b2ffer8nG54jI3vdCwH';
const TWO_CALLS = { input: 3900, output: 50, cacheRead: 900, cacheWrite: 0, reasoning: 12 };
const playCase = (name: string, context = {}) => playRecording(adapter, 'opencode', name, context);

describe('a recorded run of opencode', () => {
  it('gives session, tool call, answer, usage and cost', async () => {
    const { events, outcome } = await playCase('success');
    expect(outcome).toMatchObject({
      isDone: true,
      session: SESSION,
      text: 'All done: fake.txt written.',
      usage: TWO_CALLS,
    });
    expect(outcome.cost).toBeCloseTo(0.00319, 9);
    const input = { command: 'echo hello-from-fake > fake.txt && cat fake.txt' };
    expect(events.slice(0, 3)).toEqual([
      { type: 'session', id: SESSION },
      { type: 'tool-start', id: 'call_oazpqyiq5mg', name: 'bash', input },
      { type: 'tool-end', id: 'call_oazpqyiq5mg', name: 'bash', isError: false, output: 'hello-from-fake\n' },
    ]);
    // Its output does not count thoughts, ours does.
    expect(ofType(events, 'usage')[0]?.usage).toMatchObject({ input: 1300, output: 20, reasoning: 5 });
  });

  it('that was resumed reports its own usage', async () => {
    const { totals } = (await playCase('success')).outcome;
    const { outcome } = await playCase('resume', { before: totals });
    expect(outcome).toMatchObject({ isDone: true, session: SESSION, usage: TWO_CALLS });
    expect(outcome.totals.usage.input).toBe(7800);
  });

  it('sees by the exit code that a command has failed', async () => {
    const { events, outcome } = await playCase('toolfail');
    expect(outcome.isDone).toBe(true);
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: true, output: 'oops\n' }]);
  });

  it.each([
    ['401', 'auth', 401],
    ['429', 'rate-limit', 429],
    ['badresume', 'session-unknown', undefined],
    ['500', 'killed', undefined],
    ['midcut', 'killed', undefined],
    ['openstdin', 'killed', undefined],
    ['sigkill-tool', 'killed', undefined],
    ['sigterm-tool', 'killed', undefined],
  ])('that ended with %s has failed: %s', async (name, fault, status) => {
    const { events, outcome } = await playCase(name);
    expect(outcome.isDone).toBe(false);
    expect(outcome.error?.fault).toBe(fault);
    expect(outcome.error?.status).toBe(status);
    expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf('opencode')).toHaveLength(11);
  });
});

describe('opencode', () => {
  const step = (reason: string) =>
    `${JSON.stringify({ type: 'step_start', sessionID: 'ses_1', part: {} })}\n${JSON.stringify({ type: 'text', part: { text: 'Half.' } })}\n${JSON.stringify({ type: 'step_finish', part: { reason } })}\n`;

  it('has not finished when its last step asked for a tool, whatever its exit code', async () => {
    const { outcome } = await play(adapter, [['stdout', step('stop') + step('tool-calls')]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'other' } });
  });

  it('says when an answer was cut off', async () => {
    const { events, outcome } = await play(adapter, [['stdout', step('length')]], { code: 0 });
    expect(outcome.isDone).toBe(true);
    expect(ofType(events, 'warning')).toHaveLength(1);
  });

  it('tells a used-up account from one that was too fast, and when it may be used again', async () => {
    const data = {
      message: 'Too many requests',
      statusCode: 429,
      responseHeaders: { 'retry-after': '60' },
      responseBody: '{"error":{"code":"insufficient_quota"}}',
    };
    const line = `${JSON.stringify({ type: 'error', sessionID: 'ses_1', error: { name: 'APIError', data } })}\n`;
    const { outcome } = await play(adapter, [['stdout', line]], { code: 1 });
    expect(outcome.error).toEqual({
      fault: 'quota',
      message: 'Too many requests',
      status: 429,
      retryAt: '2026-11-17T12:01:00.000Z',
    });
  });
});

describe('the command line of opencode', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
  const line = (more: Partial<WorkerTask> = {}) => adapter.command({ ...task, ...more }).args.join(' ');

  it('runs and resumes', () => {
    expect(line({ model: 'fake/fake-model' })).toBe('run --format json --auto -m fake/fake-model write fake.txt');
    expect(line({ yolo: false, session: { id: SESSION, how: 'resume' } })).toBe(
      `run --format json --session ${SESSION} write fake.txt`,
    );
    expect(adapter.command({ ...task, prompt: '--help' }).args.at(-1)).toBe(' --help');
    expect(adapter.interactive?.(SESSION, task).args).toEqual(['/project', '--session', SESSION]);
  });

  it('has a flag for every option', () => {
    const options = {
      agent: 'build',
      variant: 'high',
      thinking: true,
      command: 'review',
      file: ['a.png'],
      continue: true,
      session: 'ses_2',
      fork: true,
      share: true,
      title: 't',
      attach: 'http://localhost:1',
      port: 0,
      format: 'default',
    };
    expect(Object.keys(options).sort()).toEqual(
      Object.keys((adapter.spec.options as unknown as { properties: object }).properties).sort(),
    );
    expect(line({ options })).toBe(
      'run --format default --auto --agent build --variant high --thinking --command review --file a.png --continue --session ses_2 --fork --share --title t --attach http://localhost:1 --port 0 -- write fake.txt',
    );
  });

  it('offers MCP servers in the variable that comes on top of its settings', () => {
    const { env } = adapter.command({ ...task, mcp: { tenon: { command: 't', args: ['serve'], env: { A: '1' } } } });
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
      mcp: { tenon: { type: 'local', command: ['t', 'serve'], enabled: true, environment: { A: '1' } } },
    });
    expect(adapter.command(task).env).not.toHaveProperty('OPENCODE_CONFIG_CONTENT');
  });
});
