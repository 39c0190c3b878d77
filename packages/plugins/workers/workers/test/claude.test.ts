import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/claude.ts';
import { ofType, play, playRecording, recordingsOf, textOfEvents } from './playing.ts';

const SESSION = 'ca2521aa-f08a-40f9-87f9-5ed1b3024c43';
/** 3000 fresh tokens, 900 from the cache and 40 into it. */
const TWO_CALLS = { input: 3940, output: 50, cacheRead: 900, cacheWrite: 40, reasoning: 0 };
/** The first call alone, as the result line counts it. */
const ONE_CALL = { input: 1340, output: 20, cacheRead: 300, cacheWrite: 40, reasoning: 0 };
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const play1 = (name: string, context = {}) => playRecording(adapter, 'claude', name, context);

describe('a recorded run of Claude Code', () => {
  it('gives session, tool call, answer, usage and cost', async () => {
    const { events, outcome } = await play1('success');
    expect(outcome).toEqual({
      isDone: true,
      session: SESSION,
      text: 'All done: fake.txt written.',
      usage: TWO_CALLS,
      cost: 0.01338,
      totals: { usage: TWO_CALLS, cost: 0.01338 },
      events: [],
    });
    expect(events).toEqual([
      { type: 'session', id: SESSION, model: 'claude-opus-5-5' },
      {
        type: 'tool-start',
        id: 'toolu_gu1mq3ne1ja',
        name: 'Bash',
        input: { command: 'echo hello-from-fake > fake.txt && cat fake.txt' },
      },
      { type: 'tool-end', id: 'toolu_gu1mq3ne1ja', name: 'Bash', isError: false, output: 'hello-from-fake' },
      { type: 'text', text: 'All done: fake.txt written.' },
      { type: 'usage', usage: TWO_CALLS },
    ]);
  });

  it('that was resumed costs what came on top of the runs before, although the CLI reports the sum', async () => {
    const first = await play1('success');
    const second = await play1('resume', { before: first.outcome.totals });
    expect(second.outcome).toMatchObject({ isDone: true, session: SESSION, usage: TWO_CALLS, cost: 0.01338 });
    expect(second.outcome.totals).toEqual({
      usage: { input: 7880, output: 100, cacheRead: 1800, cacheWrite: 80, reasoning: 0 },
      cost: 0.02676,
    });
    const third = await play1('fork', { before: second.outcome.totals });
    expect(third.outcome).toMatchObject({ session: 'be907640-7cb0-4482-aeec-707eb5aafd36', usage: TWO_CALLS });
    expect(third.outcome.cost).toBeCloseTo(0.01338, 9);
  });

  it('with partial messages gives the text once, in parts, and the usage of every call', async () => {
    const { events, outcome } = await play1('sessionid');
    expect(outcome).toMatchObject({ isDone: true, session: '11111111-2222-4333-8444-555555555555', usage: TWO_CALLS });
    expect(ofType(events, 'text')).toEqual([{ type: 'text', text: 'All done: fake.txt written.', delta: true }]);
    expect(ofType(events, 'usage').map(({ usage }) => usage)).toEqual([
      ONE_CALL,
      { input: 2600, output: 30, cacheRead: 600, cacheWrite: 0, reasoning: 0 },
    ]);
    expect(ofType(events, 'tool-start')).toHaveLength(1);
  });

  it('in which a tool fails goes on', async () => {
    const { events, outcome } = await play1('toolfail');
    expect(outcome).toMatchObject({ isDone: true, text: 'All done: fake.txt written.' });
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: true, output: 'Exit code 3\noops' }]);
  });

  it('says on standard error that it waited for input, and is done all the same', async () => {
    expect((await play1('openstdin')).outcome).toMatchObject({ isDone: true, usage: TWO_CALLS });
  });

  it.each([
    ['401', { fault: 'auth', status: 401, message: 'Failed to authenticate. API Error: 401 fake: invalid api key' }],
    ['429', { fault: 'rate-limit', status: 429 }],
    ['500', { fault: 'overloaded', status: 500 }],
    ['noauth', { fault: 'login-needed', message: 'Not logged in · Please run /login' }],
    ['badresume', { fault: 'session-unknown' }],
    ['midcut', { fault: 'network' }],
    ['sigint-tool', { fault: 'killed' }],
    ['sigterm-tool', { fault: 'killed' }],
    ['sigkill-tool', { fault: 'killed' }],
  ])(
    'that ended with %s has failed, although the subtype may be "success" and the exit code 0',
    async (name, error) => {
      const { events, outcome } = await play1(name);
      expect(outcome.isDone).toBe(false);
      expect(outcome.error).toMatchObject(error);
      expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
      // The CLI's own words in the place of the model's are no answer.
      expect(textOfEvents(events)).toBe('');
    },
  );

  it('that failed after a call counts what it has used', async () => {
    const { events, outcome } = await play1('tool-429');
    expect(outcome).toMatchObject({
      isDone: false,
      error: { fault: 'rate-limit', status: 429 },
      usage: ONE_CALL,
      cost: 0.00466,
    });
    expect(ofType(events, 'retry')).toEqual([
      { type: 'retry', fault: 'rate-limit', message: '429 rate_limit', attempt: 1 },
    ]);
    expect((await play1('401')).outcome.usage).toEqual(NOTHING);
  });

  it('that was killed counts at least what its calls have said so far', async () => {
    const { outcome } = await play1('sigkill-tool');
    expect(outcome.usage).toEqual({ ...ONE_CALL, output: 1 });
    expect(outcome).not.toHaveProperty('cost');
    expect((await play1('resume')).outcome.cost).toBe(0.01338);
    const before = { usage: TWO_CALLS, cost: 0.5 };
    expect((await play1('sigkill-tool', { before })).outcome.totals.cost).toBe(0.5);
  });

  it('ends each started tool that the CLI ended', async () => {
    const { events } = await play1('sigterm-tool');
    expect(ofType(events, 'tool-end')).toMatchObject([{ name: 'Bash', isError: true, output: 'Exit code 137' }]);
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf('claude')).toHaveLength(16);
  });
});

describe('events of Claude Code that were not recorded', () => {
  const lines = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const result = (fields: object) => ({
    type: 'result',
    session_id: 's',
    is_error: false,
    subtype: 'success',
    ...fields,
  });

  it('tell what is left of a limit', async () => {
    const event = {
      type: 'rate_limit_event',
      rate_limit_info: { rateLimitType: 'five_hour', utilization: 0.75, resetsAt: 1794924000 },
    };
    const { events } = await play(adapter, [['stdout', lines(event)]], { code: 0 });
    expect(ofType(events, 'limit')).toEqual([
      { type: 'limit', remaining: 0.25, resetsAt: '2026-11-17T14:00:00.000Z', window: 'five_hour' },
    ]);
  });

  it('cannot make a flag of a session', async () => {
    const event = { type: 'system', subtype: 'init', session_id: '--dangerously-do=it' };
    const { events, outcome } = await play(adapter, [['stdout', lines(event)]], { code: 0 });
    expect(ofType(events, 'session')).toEqual([]);
    expect(outcome).not.toHaveProperty('session');
  });

  it('of sub-agents give tool calls, but their text is not the answer', async () => {
    const message = (id: string, content: object[], parent: string | null) => ({
      type: 'assistant',
      session_id: 's',
      parent_tool_use_id: parent,
      message: { id, role: 'assistant', content },
    });
    const { events, outcome } = await play(
      adapter,
      [
        [
          'stdout',
          lines(
            message('1', [{ type: 'text', text: 'mine' }], null),
            message(
              '2',
              [
                { type: 'text', text: 'of another' },
                { type: 'tool_use', id: 't', name: 'Read', input: {} },
              ],
              'p',
            ),
          ),
        ],
      ],
      { code: 0 },
    );
    expect(textOfEvents(events)).toBe('mine');
    expect(ofType(events, 'tool-start')).toHaveLength(1);
    expect(outcome).toMatchObject({ text: 'mine', isDone: false });
  });

  it('of older versions have the cost of the process alone, and newer ones several results', async () => {
    const usage = { input_tokens: 20, output_tokens: 10 };
    const old = result({
      result: 'x',
      total_cost_usd: 0.00035,
      usage,
      modelUsage: { m: { inputTokens: 20, outputTokens: 10, costUSD: 0.00035 } },
    });
    const before = { usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, cost: 0.0001 };
    const first = await play(adapter, [['stdout', lines(old)]], { code: 0 }, { before });
    expect(first.outcome).toMatchObject({ cost: 0.00035, totals: { cost: 0.00045, usage: { input: 30 } } });
    const model = { inputTokens: 20, outputTokens: 10, costUSD: 0.5 };
    const again = (text: string, total: number) =>
      result({ result: text, total_cost_usd: total, usage, model_usage_since_last_result: { m: model } });
    const both = await play(adapter, [['stdout', lines(again('one', 0.5), again('two', 1))]], { code: 0 });
    expect(both.outcome).toMatchObject({ isDone: true, text: 'two', cost: 1, usage: { input: 40, output: 20 } });
    expect(both.outcome.totals.cost).toBe(1);
  });

  it('say when a subscription is used up and when it is free again', async () => {
    const text = "You've hit your session limit · resets 3pm (America/New_York)";
    const event = result({ is_error: true, result: text, api_error_status: 429 });
    const { outcome } = await play(adapter, [['stdout', lines(event)]], { code: 1 });
    expect(outcome.error).toEqual({ fault: 'quota', message: text, status: 429, retryAt: '2026-11-17T20:00:00.000Z' });
  });

  const schema = { type: 'object', properties: { files: { type: 'number' } }, required: ['files'] };

  it('carry the structured answer, which is checked', async () => {
    const good = result({ result: 'two', structured_output: { files: 2 } });
    const bad = result({ result: 'two', structured_output: { files: 'two' } });
    expect((await play(adapter, [['stdout', lines(good)]], { code: 0 }, { schema })).outcome).toMatchObject({
      isDone: true,
      structured: { files: 2 },
    });
    expect((await play(adapter, [['stdout', lines(bad)]], { code: 0 }, { schema })).outcome).toMatchObject({
      isDone: false,
      error: { fault: 'schema', message: expect.stringContaining('files: must be number') },
    });
    const tired = result({ is_error: true, subtype: 'error_max_structured_output_retries' });
    expect((await play(adapter, [['stdout', lines(tired)]], { code: 1 }, { schema })).outcome.error?.fault).toBe(
      'schema',
    );
  });

  it('are left out by --output-format text: then the text is the answer', async () => {
    const { outcome } = await play(adapter, [['stdout', 'Two files.\nNo more.\n']], { code: 0 });
    expect(outcome).toMatchObject({ isDone: true, text: 'Two files.\nNo more.' });
    expect((await play(adapter, [['stdout', 'Execution error\n']], { code: 1 })).outcome).toMatchObject({
      isDone: false,
      error: { fault: 'other', message: 'Execution error' },
    });
  });
});

describe('the command line of Claude Code', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };

  it('runs a task without questions, reads nothing, and shows events', () => {
    const { program, args } = adapter.command(task);
    expect([program, ...args].join(' ')).toBe(
      'claude -p --verbose --output-format stream-json --dangerously-skip-permissions -- write fake.txt',
    );
  });

  it('goes on with a session, or begins one with a known id', () => {
    expect(adapter.command({ ...task, session: { id: SESSION, how: 'resume' } }).args.join(' ')).toContain(
      `--resume ${SESSION}`,
    );
    expect(adapter.command({ ...task, session: { id: SESSION, how: 'preset' } }).args.join(' ')).toContain(
      `--session-id ${SESSION}`,
    );
  });

  it('asks again when the user wants questions, or names a permission mode', () => {
    expect(adapter.command({ ...task, yolo: false }).args).not.toContain('--dangerously-skip-permissions');
    const { args } = adapter.command({ ...task, options: { permissionMode: 'plan' } });
    expect(args).not.toContain('--dangerously-skip-permissions');
    expect(args.join(' ')).toContain('--permission-mode plan');
  });

  it('carries instructions, folders, schema, model and MCP servers', () => {
    const { args, files } = adapter.command({
      ...task,
      model: 'opus',
      systemPrompt: '- be brief',
      folders: ['/exchange'],
      schema: { type: 'object' },
      mcp: { tenon: { command: 'tenon', args: ['mcp', 'serve'] } },
      options: { appendSystemPrompt: 'and kind' },
      extraArgs: ['--chrome'],
    });
    expect(args.slice(5, -2)).toEqual([
      '--model',
      'opus',
      '--append-system-prompt=- be brief\n\nand kind',
      '--add-dir',
      '/exchange',
      '--json-schema',
      '{"type":"object"}',
      '--mcp-config',
      '/scratch/mcp.json',
      '--chrome',
    ]);
    expect(JSON.parse(files?.[0]?.text ?? '')).toEqual({
      mcpServers: { tenon: { command: 'tenon', args: ['mcp', 'serve'] } },
    });
  });

  it('puts a task that is too long for one word into a file', () => {
    const prompt = `begin ${'x'.repeat(200_000)}`;
    const { args, files } = adapter.command({ ...task, prompt });
    expect(args.at(-1)).toContain('/scratch/task.md');
    expect(files).toEqual([{ path: '/scratch/task.md', text: prompt }]);
  });

  it('takes a task that begins with a dash for a task', () => {
    expect(adapter.command({ ...task, prompt: '--help me' }).args.slice(-2)).toEqual(['--', '--help me']);
  });

  it('has a flag for every option', () => {
    const { args } = adapter.command({
      ...task,
      options: {
        permissionMode: 'acceptEdits',
        allowedTools: ['Read', 'Bash(git log:*)'],
        disallowedTools: ['WebFetch'],
        tools: ['Read', 'Bash'],
        disableSlashCommands: true,
        maxBudgetUsd: 2.5,
        maxTurns: 9,
        mcpConfig: ['a.json', 'b.json'],
        strictMcpConfig: true,
        mcpDebug: true,
        addDir: ['/more'],
        file: ['file_1:doc.txt'],
        fromPr: '12',
        fallbackModel: 'haiku',
        effort: 'high',
        systemPrompt: 'You are brief.',
        agents: { reviewer: { description: 'reviews' } },
        agent: 'Plan',
        betas: ['x', 'y'],
        pluginDir: ['/plugins'],
        settings: '/settings.json',
        settingSources: ['user', 'project'],
        resume: 'one',
        sessionId: 'two',
        forkSession: true,
        jsonSchema: { type: 'null' },
        includePartialMessages: true,
        inputFormat: 'text',
        outputFormat: 'json',
      },
    });
    expect(args.slice(0, -2)).toEqual([
      ...['-p', '--output-format', 'json', '--permission-mode', 'acceptEdits'],
      ...['--allowedTools', 'Read,Bash(git log:*)', '--disallowedTools', 'WebFetch', '--tools', 'Read,Bash'],
      ...['--disable-slash-commands', '--max-budget-usd', '2.5', '--max-turns', '9'],
      ...['--mcp-config', 'a.json', '--mcp-config', 'b.json', '--strict-mcp-config', '--debug=mcp'],
      ...['--add-dir', '/more', '--file', 'file_1:doc.txt', '--from-pr', '12', '--fallback-model', 'haiku'],
      ...['--effort', 'high', '--system-prompt', 'You are brief.'],
      ...['--agents', '{"reviewer":{"description":"reviews"}}', '--agent', 'Plan', '--betas', 'x', '--betas', 'y'],
      ...['--plugin-dir', '/plugins', '--settings', '/settings.json', '--setting-sources', 'user,project'],
      ...['--resume', 'one', '--session-id', 'two', '--fork-session', '--json-schema', '{"type":"null"}'],
      ...['--include-partial-messages', '--input-format', 'text'],
    ]);
  });

  it('refuses options that it does not have, and values of another kind', () => {
    const withOptions = (options: Record<string, unknown>) => () => adapter.command({ ...task, options });
    expect(withOptions({ allowedTool: [] })).toThrow(
      /option "allowedTool" of the worker claude.*Did you mean "allowedTools"/,
    );
    expect(withOptions({ maxTurns: 'many' })).toThrow(/it must be a whole number/);
    expect(withOptions({ permissionMode: 'yes' })).toThrow(/it must be one of acceptEdits, auto/);
    expect(withOptions({ inputFormat: 'stream-json' })).toThrow(/it must be one of text/);
    expect(withOptions({ constructor: 'x' })).toThrow(/option "constructor"/);
  });

  it('loses the marks of an agent around it and the tokens of GitHub, and does not try a bad key for minutes', () => {
    const { env } = adapter.command(task);
    for (const name of ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'GH_TOKEN', 'GITHUB_TOKEN']) {
      expect(Object.hasOwn(env, name) && env[name] === undefined, name).toBe(true);
    }
    expect(env).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '3', DISABLE_AUTOUPDATER: '1', NO_COLOR: '1' });
  });

  it('opens its own screen on a session', () => {
    expect(adapter.interactive?.(SESSION, { cwd: '/project', scratch: '/scratch' })).toMatchObject({
      program: 'claude',
      args: ['--resume', SESSION],
    });
  });
});
