import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/gemini.ts';
import { ofType, play, playRecording, recordingsOf } from './playing.ts';

const SESSION = 'cc4ae685-bfad-40a8-b064-ac6e9fc1dcd8';
/** 12 tokens of thoughts are only in the CLI's total. */
const TWO_CALLS = { input: 3900, output: 62, cacheRead: 900, cacheWrite: 0, reasoning: 12 };
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const playCase = (name: string, context = {}) => playRecording(adapter, 'gemini', name, context);

describe('a recorded run of Gemini CLI', () => {
  it('gives session, tool call, answer and usage', async () => {
    const { events, outcome } = await playCase('success');
    expect(outcome).toEqual({
      isDone: true,
      session: SESSION,
      text: 'All done: fake.txt written.',
      usage: TWO_CALLS,
      totals: { usage: TWO_CALLS },
      events: [],
    });
    const id = 'run_shell_command__call_tmlbnv1kwpe';
    const input = { command: 'echo hello-from-fake > fake.txt && cat fake.txt' };
    expect(events).toEqual([
      { type: 'session', id: SESSION, model: 'gemini-2.5-flash' },
      { type: 'tool-start', id, name: 'run_shell_command', input },
      { type: 'tool-end', id, name: 'run_shell_command', isError: false, output: 'hello-from-fake' },
      { type: 'text', text: 'All done: fake.txt written.', delta: true },
      { type: 'usage', usage: TWO_CALLS },
    ]);
  });

  it('that was resumed reports its own usage', async () => {
    const { totals } = (await playCase('success')).outcome;
    const { outcome } = await playCase('resume', { before: totals });
    expect(outcome).toMatchObject({ isDone: true, session: SESSION, usage: TWO_CALLS });
    expect(outcome.totals.usage).toEqual({ input: 7800, output: 124, cacheRead: 1800, cacheWrite: 0, reasoning: 24 });
  });

  it.each(['sessionid', 'openstdin', 'toolfail'])('is done in the case %s', async (name) => {
    const { events, outcome } = await playCase(name);
    expect(outcome).toMatchObject({ isDone: true, text: 'All done: fake.txt written.', usage: TWO_CALLS });
    // It calls a command that exits with 3 a success, too.
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: false }]);
    expect(ofType(events, 'warning')).toEqual([]);
  });

  it.each([
    ['401', 'auth', 401],
    ['429', 'rate-limit', undefined],
    ['midcut', 'network', undefined],
    ['badresume', 'session-unknown', undefined],
    ['noauth', 'login-needed', undefined],
    ['500', 'killed', undefined],
    ['sigint-tool', 'killed', undefined],
    ['sigkill-tool', 'killed', undefined],
    ['sigterm-tool', 'killed', undefined],
  ])('that ended with %s has failed: %s', async (name, fault, status) => {
    const { events, outcome } = await playCase(name);
    expect(outcome).toMatchObject({ isDone: false, usage: NOTHING });
    expect(outcome.error?.fault).toBe(fault);
    expect(outcome.error?.status).toBe(status);
    expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
  });

  it('tells of retries, which it writes to standard error only', async () => {
    const { events } = await playCase('429');
    expect(ofType(events, 'retry').map(({ attempt, fault }) => [attempt, fault])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => [attempt, 'rate-limit']),
    );
    expect(ofType((await playCase('500')).events, 'retry')[0]).toMatchObject({ fault: 'overloaded', attempt: 1 });
  });

  it('says nothing of banners and frames in the message of a failure', async () => {
    const { outcome } = await playCase('noauth');
    expect(outcome.error?.message).toMatch(/^Please set an Auth method in your .*GOOGLE_GENAI_USE_GCA$/);
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf('gemini')).toHaveLength(14);
  });
});

describe('Gemini CLI', () => {
  const init = '{"type":"init","session_id":"s","model":"m"}\n';
  const failed = (message: string) =>
    `{"type":"result","status":"error","error":{"type":"unknown","message":"${message}"}}\n`;

  it.each([
    [145, 'auth', 401],
    [147, 'auth', 403],
    [173, 'rate-limit', 429],
    [244, 'overloaded', 500],
    [247, 'overloaded', 503],
  ])('exits with a status modulo 256: %i is %s', async (code, fault, status) => {
    const { outcome } = await play(adapter, [['stdout', init + failed('[API Error: strange]')]], { code });
    expect(outcome.error).toEqual({ fault, message: '[API Error: strange]', status });
  });

  it('has an exit code for arguments that it does not take', async () => {
    const { outcome } = await play(adapter, [['stderr', 'Something about flags\n']], { code: 42 });
    expect(outcome.error?.fault).toBe('bad-arguments');
  });

  it('that was asked to end by others exits with 0 and no result: that is no end', async () => {
    const { outcome } = await play(adapter, [['stdout', init]], { code: 0 });
    expect(outcome).toMatchObject({ isDone: false, error: { fault: 'other' } });
  });

  it('answers with what it says after its last tool call', async () => {
    const say = (content: string) => `{"type":"message","role":"assistant","content":"${content}","delta":true}\n`;
    const tool =
      '{"type":"tool_use","tool_name":"glob","tool_id":"1","parameters":{}}\n{"type":"tool_result","tool_id":"1","status":"error","error":{"message":"no"}}\n';
    const end = '{"type":"result","status":"success","stats":{"total_tokens":3,"input_tokens":1,"output_tokens":2}}\n';
    const { events, outcome } = await play(
      adapter,
      [['stdout', init + say('I look. ') + tool + say('Two ') + say('files.') + end]],
      { code: 0 },
    );
    expect(outcome.text).toBe('Two files.');
    expect(ofType(events, 'tool-end')).toEqual([
      { type: 'tool-end', id: '1', name: 'glob', isError: true, output: 'no' },
    ]);
  });

  it('reads a structured answer out of its text', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const say = `{"type":"message","role":"assistant","content":"Here:\\n\`\`\`json\\n{\\"n\\": 2}\\n\`\`\`\\nDone.","delta":true}\n`;
    const end = '{"type":"result","status":"success"}\n';
    const { outcome } = await play(adapter, [['stdout', init + say + end]], { code: 0 }, { schema });
    expect(outcome).toMatchObject({ isDone: true, structured: { n: 2 } });
  });
});

describe('the command line of Gemini CLI', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };
  const line = (more: Partial<WorkerTask> = {}) => adapter.command({ ...task, ...more }).args.join(' ');

  it('runs a task without questions in any folder', () => {
    expect(line({ model: 'gemini-2.5-flash' })).toBe(
      '-m gemini-2.5-flash --yolo --skip-trust --output-format stream-json -p write fake.txt',
    );
    expect(line({ yolo: false })).not.toContain('--yolo');
    expect(line({ prompt: '-x' })).toMatch(/--prompt=-x$/);
  });

  it('goes on with a session, or begins one with a known id', () => {
    expect(line({ session: { id: SESSION, how: 'resume' } })).toContain(`--resume ${SESSION} -p`);
    expect(line({ session: { id: SESSION, how: 'preset' } })).toContain(`--session-id ${SESSION} -p`);
  });

  it('has a flag for every option', () => {
    const { args } = adapter.command({
      ...task,
      folders: ['/exchange'],
      options: {
        sandbox: true,
        approvalMode: 'auto_edit',
        allowedTools: ['glob', 'read_file'],
        allowedMcpServerNames: ['a', 'b'],
        extensions: ['e'],
        resume: 'latest',
        listSessions: true,
        deleteSession: '2',
        includeDirectories: ['/x', '/y'],
        policy: ['p.toml'],
        outputFormat: 'text',
      },
      extraArgs: ['--debug'],
    });
    expect(args).toEqual([
      ...['--skip-trust', '--output-format', 'text', '--include-directories', '/exchange', '--sandbox'],
      ...['--approval-mode', 'auto_edit', '--allowed-tools', 'glob,read_file', '--allowed-mcp-server-names', 'a,b'],
      ...['--extensions', 'e', '--resume', 'latest', '--list-sessions', '--delete-session', '2'],
      ...['--include-directories', '/x,/y', '--policy', 'p.toml', '--debug', '-p', 'write fake.txt'],
    ]);
  });

  it('puts instructions and schema into the task, and MCP servers into settings', () => {
    const { args, env, files } = adapter.command({
      ...task,
      systemPrompt: 'Be brief.',
      schema: { type: 'object' },
      mcp: { tenon: { command: 'tenon', args: [] } },
    });
    expect(args.at(-1)).toMatch(
      /^Be brief\.\n\nwrite fake\.txt\n\nYour final answer must be one JSON value[\s\S]*"type": "object"/,
    );
    expect(env).toMatchObject({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/scratch/gemini-settings.json' });
    expect(JSON.parse(files?.[0]?.text ?? '')).toEqual({ mcpServers: { tenon: { command: 'tenon', args: [] } } });
  });

  it('does not start itself again, so that signals reach it', () => {
    expect(adapter.command(task).env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: 'true', GH_TOKEN: undefined });
    expect(adapter.interactive?.(SESSION, { cwd: '/project', scratch: '/scratch' })).toMatchObject({
      args: ['--resume', SESSION],
    });
  });
});
