import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/pi.ts';
import { ofType, play, playRecording, recordingsOf } from './playing.ts';

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** The caches are counted apart by pi; only 0.87 counts reasoning. */
const usage = (reasoning: number) => ({ input: 3900, output: 50, cacheRead: 900, cacheWrite: 0, reasoning });

describe.each([
  ['pi', 'pi 0.73', '01a1e212-f12f-766b-ba78-490e8f8cd22d', 0],
  ['pi-new', 'pi 0.87', '01a1e212-f7bc-75ba-ba4d-f62c58fd5347', 12],
])('a recorded run (%s) of %s', (cli, _name, session, reasoning) => {
  const playCase = (name: string, context = {}) => playRecording(adapter, cli, name, context);

  it('gives session, tool call, answer, usage and cost', async () => {
    const { events, outcome } = await playCase('success');
    expect(outcome).toMatchObject({
      isDone: true,
      session,
      text: 'All done: fake.txt written.',
      usage: usage(reasoning),
      events: [],
    });
    expect(outcome.cost).toBeCloseTo(0.00319, 9);
    expect(events.map(({ type }) => type)).toEqual(['session', 'usage', 'tool-start', 'tool-end', 'text', 'usage']);
    expect(ofType(events, 'tool-start')).toMatchObject([
      { name: 'bash', input: { command: 'echo hello-from-fake > fake.txt && cat fake.txt' } },
    ]);
    expect(ofType(events, 'tool-end')).toMatchObject([{ name: 'bash', isError: false, output: 'hello-from-fake\n' }]);
    expect(ofType(events, 'text')).toEqual([{ type: 'text', text: 'All done: fake.txt written.', delta: true }]);
  });

  it('that was resumed reports its own usage and cost', async () => {
    const first = await playCase('success');
    const { outcome } = await playCase('resume', { before: first.outcome.totals });
    expect(outcome).toMatchObject({ isDone: true, session, usage: usage(reasoning) });
    expect(outcome.cost).toBeCloseTo(0.00319, 9);
    expect(outcome.totals.usage.input).toBe(7800);
    expect(outcome.totals.cost).toBeCloseTo(0.00638, 9);
  });

  it('in which a command fails goes on', async () => {
    const { events, outcome } = await playCase('toolfail');
    expect(outcome.isDone).toBe(true);
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: true, output: expect.stringContaining('oops') }]);
  });

  it.each([
    ['401', 'auth', 401, []],
    ['429', 'rate-limit', 429, [1, 2, 3]],
  ])(
    'that ended with %s has failed although the exit code is 0, after its last retry',
    async (name, fault, status, attempts) => {
      const { events, outcome } = await playCase(name);
      expect(outcome).toMatchObject({ isDone: false, usage: NOTHING, error: { fault, status } });
      expect(ofType(events, 'retry')).toMatchObject(attempts.map((attempt) => ({ attempt, fault })));
      // Each attempt has an agent_end of its own; one failure is told.
      expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
    },
  );

  it.each([
    ['badresume', 'session-unknown'],
    ['noauth', 'login-needed'],
    ['sigkill-tool', 'killed'],
    ['sigterm-tool', 'killed'],
    ['openstdin', 'killed'],
  ])('that ended with %s has failed: %s', async (name, fault) => {
    expect((await playCase(name)).outcome).toMatchObject({ isDone: false, error: { fault } });
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf(cli)).toHaveLength(cli === 'pi' ? 10 : 11);
  });
});

describe('pi', () => {
  it('0.87 takes the id of a session', async () => {
    const { outcome } = await playRecording(adapter, 'pi-new', 'sessionid');
    expect(outcome).toMatchObject({ isDone: true, session: 'my-task-1' });
  });

  it('0.73 that asks about another folder exits with 0 and no event: that is no end', async () => {
    const { outcome } = await play(adapter, [['stderr', 'Session is from another folder. Fork it here? (y/n)\n']], {
      code: 0,
    });
    expect(outcome).toMatchObject({
      isDone: false,
      error: { fault: 'other', message: expect.stringContaining('another folder') },
    });
  });

  const message = (fields: object) =>
    `${JSON.stringify({ type: 'message_end', message: { role: 'assistant', content: [], ...fields } })}\n`;

  it('that answers after a retry is done', async () => {
    const lines =
      message({ stopReason: 'error', errorMessage: '529 overloaded' }) +
      '{"type":"agent_end"}\n{"type":"auto_retry_start","attempt":1,"errorMessage":"529 overloaded"}\n{"type":"agent_start"}\n' +
      message({
        stopReason: 'stop',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'ok' },
        ],
      }) +
      '{"type":"agent_end"}\n{"type":"auto_retry_end","success":true,"attempt":1}\n';
    const { events, outcome } = await play(adapter, [['stdout', lines]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'ok' });
    expect(events.map(({ type }) => type)).toEqual(['retry', 'thinking', 'text']);
  });

  it('that was interrupted, or cut off, says so', async () => {
    const cut = message({ stopReason: 'length', content: [{ type: 'text', text: 'half' }] }) + '{"type":"agent_end"}\n';
    const { events, outcome } = await play(adapter, [['stdout', cut]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'half' });
    expect(ofType(events, 'warning')).toHaveLength(1);
    const stopped = message({ stopReason: 'aborted' }) + '{"type":"agent_end"}\n';
    expect((await play(adapter, [['stdout', stopped]], { code: 0 })).outcome.error?.fault).toBe('killed');
  });
});

describe('the command line of pi', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
  const line = (more: Partial<WorkerTask> = {}) => adapter.command({ ...task, ...more }).args.join(' ');

  it('runs a task', () => {
    expect(line({ model: 'm', options: { provider: 'p' } })).toBe(
      '--mode json --provider p --model m -p write fake.txt',
    );
  });

  it('takes a task that begins with a dash or an @ for a task', () => {
    expect(adapter.command({ ...task, prompt: '--help' }).args.at(-1)).toBe(' --help');
    expect(adapter.command({ ...task, prompt: '@mention' }).args.at(-1)).toBe(' @mention');
  });

  it('goes on with a session, or begins one with a known id', () => {
    expect(line({ session: { id: 's', how: 'resume' } })).toBe('--mode json --session s -p write fake.txt');
    expect(line({ session: { id: 's', how: 'preset' } })).toBe('--mode json --session-id s -p write fake.txt');
    expect(adapter.interactive?.('s', { cwd: '/', scratch: '/s' })).toMatchObject({
      program: 'pi',
      args: ['--session', 's'],
    });
  });

  it('has a flag for every option', () => {
    const { args } = adapter.command({
      ...task,
      systemPrompt: 'Be brief.',
      options: {
        thinking: 'high',
        mode: 'text',
        print: true,
        continue: true,
        resume: 'a',
        session: 'b',
        fork: 'c',
        sessionDir: '/sessions',
        noSession: true,
        models: ['x', 'y'],
        listModels: true,
        extension: ['e1', 'e2'],
        noExtensions: true,
        skill: ['s1'],
        noSkills: true,
        promptTemplate: ['t1'],
        noPromptTemplates: true,
        theme: ['dark'],
        noThemes: true,
        tools: ['read', 'bash'],
        noTools: true,
        noBuiltinTools: true,
        excludeTools: ['ls'],
        noContextFiles: true,
        approve: true,
        systemPrompt: 'You are X.',
        appendSystemPrompt: 'And kind.',
        export: 'out.html',
        files: ['a.png'],
      },
    });
    expect(args).toEqual([
      ...['--mode', 'text', '--thinking', 'high', '--continue', '--session', 'a', '--session', 'b', '--fork', 'c'],
      ...['--session-dir', '/sessions', '--no-session', '--models', 'x,y', '--list-models'],
      ...['--extension', 'e1', '--extension', 'e2', '--no-extensions', '--skill', 's1', '--no-skills'],
      ...['--prompt-template', 't1', '--no-prompt-templates', '--theme', 'dark', '--no-themes'],
      ...[
        '--tools',
        'read,bash',
        '--no-tools',
        '--no-builtin-tools',
        '--exclude-tools',
        'ls',
        '--no-context-files',
        '--approve',
        '--system-prompt',
        'You are X.',
        '--export',
        'out.html',
      ],
      ...['--append-system-prompt', 'Be brief.\n\nAnd kind.', '@a.png', '-p', 'write fake.txt'],
    ]);
  });
});
