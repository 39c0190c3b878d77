import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/codex.ts';
import { ofType, play, playRecording, recordingsOf } from './playing.ts';

const THREAD = '01a1e204-e2db-7882-b509-e1ebafbc09b1';
/** Cached tokens are part of the input, reasoning is part of the output. */
const TWO_CALLS = { input: 3900, output: 50, cacheRead: 900, cacheWrite: 0, reasoning: 12 };
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const METADATA =
  'Model metadata for `gpt-5` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.';
const playCase = (name: string, context = {}) => playRecording(adapter, 'codex', name, context);

describe('a recorded run of Codex', () => {
  it('gives session, warning, tool call, answer and usage', async () => {
    const { events, outcome } = await playCase('success');
    expect(outcome).toEqual({
      isDone: true,
      session: THREAD,
      text: 'All done: fake.txt written.',
      usage: TWO_CALLS,
      totals: { usage: TWO_CALLS },
      events: [],
    });
    const command = "/bin/bash -lc 'echo hello-from-fake > fake.txt && cat fake.txt'";
    expect(events).toEqual([
      { type: 'session', id: THREAD },
      { type: 'warning', message: METADATA },
      { type: 'tool-start', id: 'item_1', name: 'shell', input: { command } },
      { type: 'tool-end', id: 'item_1', name: 'shell', isError: false, output: 'hello-from-fake\n' },
      { type: 'text', text: 'All done: fake.txt written.' },
      { type: 'usage', usage: TWO_CALLS },
    ]);
  });

  it('that was resumed used what came on top, although the CLI reports the sum of the thread', async () => {
    const first = await playCase('success');
    const second = await playCase('resume', { before: first.outcome.totals });
    expect(second.outcome.usage).toEqual(TWO_CALLS);
    expect(ofType(second.events, 'usage')).toEqual([{ type: 'usage', usage: TWO_CALLS }]);
    const sum = { input: 7800, output: 100, cacheRead: 1800, cacheWrite: 0, reasoning: 24 };
    expect(second.outcome.totals).toEqual({ usage: sum });
    // Nobody knows of a run before: then the sum is all there is.
    expect((await playCase('resume')).outcome.usage).toEqual(sum);
  });

  it('in which a command fails goes on', async () => {
    const { events, outcome } = await playCase('toolfail');
    expect(outcome).toMatchObject({ isDone: true, text: 'All done: fake.txt written.' });
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: true, output: 'oops\n' }]);
  });

  it.each([
    ['401', 'auth', 401, [1]],
    ['429', 'rate-limit', 429, []],
    ['tool-429', 'rate-limit', 429, []],
    ['500', 'overloaded', undefined, [1]],
    ['midcut', 'network', undefined, [1]],
    ['noauth', 'login-needed', undefined, []],
  ])(
    'that ended with %s failed only at turn.failed; what came before are a warning and retries',
    async (name, fault, status, retries) => {
      const { events, outcome } = await playCase(name);
      expect(outcome.isDone).toBe(false);
      expect(outcome.error?.fault).toBe(fault);
      expect(outcome.error?.status).toBe(status);
      expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
      expect(ofType(events, 'retry')).toMatchObject(retries.map((attempt) => ({ attempt, fault })));
      expect(ofType(events, 'warning')).toEqual([{ type: 'warning', message: METADATA }]);
    },
  );

  it.each([
    ['badresume', 'session-unknown', /no rollout found for thread id/],
    // Its words about a thread that is not found are about something else: it had one.
    ['sigint-tool', 'other', /failed to record rollout items/],
    ['sigterm-tool', 'killed', /143/],
    ['sigkill-tool', 'killed', /137/],
    ['openstdin', 'killed', /137/],
  ])('that ended with %s is known by its exit code and last words', async (name, fault, message) => {
    const { outcome } = await playCase(name);
    expect(outcome).toMatchObject({
      isDone: false,
      usage: NOTHING,
      error: { fault, message: expect.stringMatching(message) },
    });
  });

  it('that Tenon has ended says why', async () => {
    const lines = `{"type":"thread.started","thread_id":"t"}\n`;
    const ended = async (stoppedFor: 'cancel' | 'timeout' | 'idle-timeout' | 'output-limit' | 'hijack') =>
      (await play(adapter, [['stdout', lines]], { signal: 'SIGTERM', stoppedFor })).outcome.error?.fault;
    expect(await ended('cancel')).toBe('killed');
    expect(await ended('hijack')).toBe('killed');
    expect(await ended('timeout')).toBe('timeout');
    expect(await ended('idle-timeout')).toBe('idle-timeout');
    expect(await ended('output-limit')).toBe('output-limit');
    const whole = `${lines}{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Yes."}}\n{"type":"turn.completed","usage":{}}\n`;
    const noisy = await play(adapter, [['stdout', whole]], { code: 0, stoppedFor: 'output-limit' });
    expect(noisy.outcome).toMatchObject({ isDone: true, text: 'Yes.' });
  });

  it('that ran out of time while it tried again failed for what it tried again', async () => {
    const lines = `{"type":"error","message":"Reconnecting... 3/5 (unexpected status 429 Too Many Requests: try again in 20m)"}\n`;
    const { outcome } = await play(adapter, [['stdout', lines]], { signal: 'SIGTERM', stoppedFor: 'idle-timeout' });
    expect(outcome.error).toMatchObject({ fault: 'rate-limit', status: 429, retryAt: '2026-11-17T12:20:00.000Z' });
  });

  it('that stayed after it had finished is done', async () => {
    const lines = `{"type":"turn.started"}\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\n`;
    const { outcome } = await play(adapter, [['stdout', lines]], { signal: 'SIGKILL', stoppedFor: 'idle-timeout' });
    expect(outcome).toMatchObject({ isDone: true });
    expect(outcome.error).toBeUndefined();
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf('codex')).toHaveLength(14);
  });
});

describe('items of Codex that were not recorded', () => {
  it('are file changes, calls of MCP servers, searches and thoughts', async () => {
    const completed = (item: object) => `${JSON.stringify({ type: 'item.completed', item })}\n`;
    const { events } = await play(
      adapter,
      [
        [
          'stdout',
          completed({
            id: '1',
            type: 'file_change',
            changes: [{ path: 'a.ts', kind: 'update' }],
            status: 'completed',
          }) +
            completed({
              id: '2',
              type: 'mcp_tool_call',
              server: 's',
              tool: 't',
              status: 'failed',
              error: { message: 'no' },
            }) +
            completed({ id: '3', type: 'web_search', query: 'q' }) +
            completed({ id: '4', type: 'reasoning', text: 'hm' }) +
            completed({ id: '5', type: 'todo_list', items: [] }),
        ],
      ],
      { code: 0 },
    );
    expect(events.slice(0, -1)).toEqual([
      { type: 'tool-start', id: '1', name: 'apply_patch', input: { changes: [{ path: 'a.ts', kind: 'update' }] } },
      { type: 'tool-end', id: '1', name: 'apply_patch', isError: false },
      { type: 'tool-start', id: '2', name: 'mcp__s__t' },
      { type: 'tool-end', id: '2', name: 'mcp__s__t', isError: true, output: 'no' },
      { type: 'tool-start', id: '3', name: 'web_search', input: { query: 'q' } },
      { type: 'tool-end', id: '3', name: 'web_search', isError: false },
      { type: 'thinking', text: 'hm' },
    ]);
  });
});

describe('the command line of Codex', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
  const line = (more: Partial<WorkerTask> = {}) => adapter.command({ ...task, ...more }).args.join(' ');

  it('runs a task without questions and without a sandbox of its own', () => {
    expect(line()).toBe(
      'exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check -- write fake.txt',
    );
  });

  it('goes on with a session; flags that only exec has stand before the word resume', () => {
    expect(
      line({ session: { id: THREAD, how: 'resume' }, folders: ['/exchange'], options: { sandbox: 'read-only' } }),
    ).toBe(
      `exec --add-dir /exchange --sandbox read-only resume --json --skip-git-repo-check ${THREAD} -- write fake.txt`,
    );
  });

  it('keeps its own sandbox where the user wants it', () => {
    expect(line({ options: { fullAuto: true } })).toBe(
      'exec --sandbox workspace-write --json --skip-git-repo-check -- write fake.txt',
    );
    expect(line({ yolo: false })).toBe('exec --json --skip-git-repo-check -- write fake.txt');
    expect(line({ yolo: false, options: { dangerouslyBypassApprovalsAndSandbox: true } })).toContain(
      '--dangerously-bypass',
    );
  });

  it('writes the schema into a file and the instructions before the task', () => {
    const { args, files } = adapter.command({ ...task, schema: { type: 'array' }, systemPrompt: 'Be brief.' });
    expect(args.slice(0, 3)).toEqual(['exec', '--output-schema', '/scratch/answer-schema.json']);
    expect(args.at(-1)).toBe('Be brief.\n\nwrite fake.txt');
    expect(files).toEqual([{ path: '/scratch/answer-schema.json', text: '{\n  "type": "array"\n}\n' }]);
  });

  it('has a flag for every option, and writes settings as TOML', () => {
    const { args } = adapter.command({
      ...task,
      model: 'gpt-5',
      mcp: { 'my.tools': { command: 'tenon', args: ['mcp', 'serve'], env: { A: '"quoted"' } } },
      options: {
        profile: 'work',
        oss: true,
        localProvider: 'ollama',
        image: ['a.png', 'b.png'],
        addDir: ['/more'],
        outputSchema: '/schema.json',
        outputLastMessage: '/last.txt',
        enable: ['x'],
        disable: ['plugins'],
        config: {
          model_reasoning_effort: 'high',
          'tools.web_search': true,
          list: ['a', 1],
          table: { 'a b': 2 },
          nothing: null,
        },
      },
    });
    expect(args.slice(0, -2)).toEqual([
      ...[
        'exec',
        '--profile',
        'work',
        '--oss',
        '--local-provider',
        'ollama',
        '--add-dir',
        '/more',
        '--output-schema',
        '/schema.json',
      ],
      ...['--json', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', '-m', 'gpt-5'],
      ...['-c', 'mcp_servers.my_tools.command="tenon"', '-c', 'mcp_servers.my_tools.args=["mcp", "serve"]'],
      ...['-c', 'mcp_servers.my_tools.env={"A" = "\\"quoted\\""}'],
      ...[
        '-c',
        'model_reasoning_effort="high"',
        '-c',
        'tools.web_search=true',
        '-c',
        'list=["a", 1]',
        '-c',
        'table={"a b" = 2}',
      ],
      ...[
        '--image',
        'a.png',
        '--image',
        'b.png',
        '--output-last-message',
        '/last.txt',
        '--enable',
        'x',
        '--disable',
        'plugins',
      ],
    ]);
    expect(line({ options: { config: ['a=1', 'b="x"'] } })).toContain('-c a=1 -c b="x"');
  });

  it('pins the folder of its sessions: that of who asked for the run, also for a person who takes over', async () => {
    const prepared = async (env: Record<string, string>) =>
      (await adapter.prepare?.({ scratch: '/scratch', env }))?.env;
    expect(await prepared({ HOME: '/place', CODEX_HOME: '/elsewhere' })).toEqual({ CODEX_HOME: '/elsewhere' });
    expect(await prepared({ HOME: '/place' })).toEqual({ CODEX_HOME: '/place/.codex' });
    const home = process.env['CODEX_HOME'] || join(homedir(), '.codex');
    expect(adapter.command(task).env).toMatchObject({ CODEX_HOME: home, CLAUDECODE: undefined });
    expect(adapter.interactive?.(THREAD, { cwd: '/project', scratch: '/scratch', model: 'gpt-5' })).toMatchObject({
      // The server that it would start in the background keeps the session open after the screen is closed.
      args: ['resume', THREAD, '--no-daemon', '-C', '/project', '-m', 'gpt-5'],
      env: { CODEX_HOME: home },
    });
  });
});
