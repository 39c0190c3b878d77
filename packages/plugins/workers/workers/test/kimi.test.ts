import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import type { WorkerTask } from '../src/api.ts';
import { adapter } from '../src/adapters/kimi.ts';
import { newestSession } from '../src/adapters/kimi/sessions.ts';
import { ofType, play, playRecording, recordingsOf } from './playing.ts';
import { program } from './programs.ts';

const SESSION = 'session_ccdb4fc5-ace8-4430-b7cd-dbe24ec268fb';
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const playCase = (name: string, context = {}) => playRecording(adapter, 'kimi', name, context);

describe('a recorded run of Kimi Code', () => {
  it('gives tool call, answer and, on its last line, the session', async () => {
    const { events, outcome } = await playCase('success');
    expect(outcome).toEqual({
      isDone: true,
      session: SESSION,
      text: 'All done: fake.txt written.',
      usage: NOTHING,
      totals: { usage: NOTHING },
      events: [],
    });
    const id = 'call_0wwxnfbztmz';
    const input = { command: 'echo hello-from-fake > fake.txt && cat fake.txt' };
    expect(events).toEqual([
      { type: 'tool-start', id, name: 'Bash', input },
      { type: 'tool-end', id, name: 'Bash', isError: false, output: 'hello-from-fake\n' },
      { type: 'text', text: 'All done: fake.txt written.' },
      { type: 'session', id: SESSION },
    ]);
  });

  it('knows from its words that a command has failed', async () => {
    const { events, outcome } = await playCase('toolfail');
    expect(outcome.isDone).toBe(true);
    expect(ofType(events, 'tool-end')).toMatchObject([{ isError: true }]);
  });

  it.each([
    ['401', 'auth', 401],
    ['429', 'rate-limit', 429],
    ['badresume', 'session-unknown', undefined],
    ['noauth', 'login-needed', undefined],
    ['500', 'killed', undefined],
    ['midcut', 'killed', undefined],
    ['sigkill-tool', 'killed', undefined],
    ['sigterm-tool', 'killed', undefined],
  ])('that ended with %s has failed: %s', async (name, fault, status) => {
    const { events, outcome } = await playCase(name);
    expect(outcome.isDone).toBe(false);
    expect(outcome.error?.fault).toBe(fault);
    expect(outcome.error?.status).toBe(status);
    expect(ofType(events, 'error')).toEqual([{ type: 'error', ...outcome.error }]);
  });

  it('tells of retries and why', async () => {
    expect(ofType((await playCase('500')).events, 'retry').map(({ attempt, fault }) => [attempt, fault])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => [attempt, 'overloaded']),
    );
    expect(ofType((await playCase('midcut')).events, 'retry')[0]).toMatchObject({ fault: 'network' });
  });

  it('has the reason of a failure without the path of a log, although tools write to standard error, too', async () => {
    const { outcome } = await play(
      adapter,
      [
        [
          'stderr',
          'rate limit of my own test\nerror: failed to run prompt: provider.auth_error: 401 no\nSee log: /x\n',
        ],
      ],
      { code: 1 },
    );
    expect(outcome.error).toMatchObject({ fault: 'auth', message: 'provider.auth_error: 401 no' });
  });

  it('is understood whichever it is', () => {
    expect(recordingsOf('kimi')).toHaveLength(12);
  });
});

describe('the command line of Kimi Code', () => {
  const task: WorkerTask = { prompt: 'write fake.txt', cwd: '/project', scratch: '/scratch' };

  it('never has --yolo, which is an error beside a prompt', () => {
    expect(adapter.command(task).args).toEqual(['--output-format', 'stream-json', '-p', 'write fake.txt']);
    expect(adapter.command({ ...task, prompt: '-x' }).args.at(-1)).toBe('--prompt=-x');
  });

  it('has a flag or a variable for every option', () => {
    const { args, env } = adapter.command({
      ...task,
      model: 'k3',
      folders: ['/exchange'],
      session: { id: SESSION, how: 'resume' },
      options: {
        thinking: 'high',
        agent: 'a',
        agentFile: 'a.md',
        continue: true,
        session: 's',
        skillsDir: ['/s'],
        addDir: ['/d'],
        maxStepsPerTurn: 7,
        maxRetriesPerStep: 2,
        outputFormat: 'text',
      },
    });
    expect(args).toEqual([
      ...['--session', SESSION, '--output-format', 'text', '-m', 'k3', '--add-dir', '/exchange'],
      ...['--agent', 'a', '--agent-file', 'a.md', '--session', 's', '--continue', '--skills-dir', '/s'],
      ...['--add-dir', '/d', '-p', 'write fake.txt'],
    ]);
    expect(env).toMatchObject({
      KIMI_MODEL_THINKING_EFFORT: 'high',
      KIMI_LOOP_MAX_STEPS_PER_TURN: '7',
      KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: '3',
    });
  });
});

describe('the home of a run of Kimi Code', () => {
  const folders = () => {
    const home = realpathSync(temporaryFolder('kimi'));
    const own = join(home, '.kimi-code');
    const scratch = join(home, 'scratch');
    mkdirSync(scratch);
    putFiles(own, {
      'config.toml': 'default_model = "k3"\n',
      'mcp.json': '{"mcpServers":{"mine":{"command":"m"}}}',
      'credentials/kimi.json': 'old login',
      'session_index.jsonl': '{"sessionId":"before"}\n',
    });
    return { home, own, scratch };
  };
  const prepare = (scratch: string, env: Record<string, string>) => {
    if (!adapter.prepare) throw new Error('it must prepare a home');
    return adapter.prepare({ scratch, env });
  };

  it('holds copies of settings, shares logins and sessions, and is removed afterwards', async () => {
    const { home, own, scratch } = folders();
    const { env, clean } = await prepare(scratch, { HOME: home });
    const place = env['KIMI_CODE_HOME'] ?? '';
    expect(place.startsWith(scratch)).toBe(true);
    expect(readFileSync(join(place, 'config.toml'), 'utf8')).toContain('k3');
    writeFileSync(join(place, 'config.toml'), 'changed');
    writeFileSync(join(place, 'credentials/kimi.json'), 'new login');
    putFiles(place, { 'sessions/wd/s1/state.json': '{}' });
    await clean();
    expect(existsSync(place)).toBe(false);
    expect(readFileSync(join(own, 'config.toml'), 'utf8')).toContain('k3');
    expect(readFileSync(join(own, 'credentials/kimi.json'), 'utf8')).toBe('new login');
    expect(existsSync(join(own, 'sessions/wd/s1/state.json'))).toBe(true);
  });

  it('gives new sessions to the index of the user, with paths that last', async () => {
    const { home, own, scratch } = folders();
    const first = await prepare(scratch, { HOME: home });
    const place = first.env['KIMI_CODE_HOME'] ?? '';
    const line = (id: string, folder: string) =>
      `${JSON.stringify({ sessionId: id, sessionDir: `${folder}/sessions/${id}` })}\n`;
    writeFileSync(join(place, 'session_index.jsonl'), `{"sessionId":"before"}\n${line('s1', place)}`);
    // Meanwhile another process has added one.
    writeFileSync(join(own, 'session_index.jsonl'), '{"sessionId":"before"}\n{"sessionId":"other"}\n');
    await first.clean();
    expect(readFileSync(join(own, 'session_index.jsonl'), 'utf8')).toBe(
      `{"sessionId":"before"}\n{"sessionId":"other"}\n${line('s1', own)}`,
    );
  });

  it('takes no lines from a file that a link of the worker leads to', async () => {
    const { home, own, scratch } = folders();
    const { env, clean } = await prepare(scratch, { HOME: home });
    const secret = join(home, 'secret');
    writeFileSync(secret, 'key = hidden\n');
    const index = join(env['KIMI_CODE_HOME'] ?? '', 'session_index.jsonl');
    rmSync(index);
    symlinkSync(secret, index);
    await clean();
    expect(readFileSync(join(own, 'session_index.jsonl'), 'utf8')).not.toContain('hidden');
    expect(readFileSync(secret, 'utf8')).toContain('hidden');
  });

  it('offers the servers of the task beside those of the user', async () => {
    const { home, scratch } = folders();
    const { files = [] } = adapter.command({
      prompt: 'x',
      cwd: '/project',
      scratch,
      mcp: { tenon: { command: 't', args: ['serve'] } },
    });
    for (const { path, text } of files) writeFileSync(path, text);
    const { env } = await prepare(scratch, { HOME: home });
    const { mcpServers } = JSON.parse(readFileSync(join(env['KIMI_CODE_HOME'] ?? '', 'mcp.json'), 'utf8'));
    expect(mcpServers).toEqual({ mine: { command: 'm' }, tenon: { command: 't', args: ['serve'] } });
  });

  it('is left alone where somebody has chosen one', async () => {
    const { scratch } = folders();
    const { env, clean } = await prepare(scratch, { KIMI_CODE_HOME: '/chosen' });
    expect(env['KIMI_CODE_HOME']).toBe('/chosen');
    await clean();
  });

  it('makes a key of the vendor one that it reads', async () => {
    const { home, scratch } = folders();
    const { env } = await prepare(scratch, { HOME: home, MOONSHOT_API_KEY: 'sk-1' });
    expect(env).toMatchObject({ KIMI_MODEL_API_KEY: 'sk-1', KIMI_MODEL_NAME: 'kimi-for-coding' });
    expect(
      (await prepare(scratch, { HOME: home, MOONSHOT_API_KEY: 'a', KIMI_MODEL_API_KEY: 'b' })).env,
    ).not.toHaveProperty('KIMI_MODEL_API_KEY');
  });
});

describe('what Kimi Code says only to itself', () => {
  it('is its usage, in the records of the session and of its subagents', async () => {
    const home = temporaryFolder('kimi-usage');
    const record = (time: number, usage: object) => `${JSON.stringify({ type: 'usage.record', usage, time })}\n`;
    const usage = { inputOther: 700, output: 20, inputCacheRead: 300, inputCacheCreation: 5 };
    putFiles(home, {
      '.kimi-code/sessions/wd_1/s1/agents/main/wire.jsonl': `${record(500, usage)}{"type":"other"}\n${record(2000, usage)}{"type":"usage.rec`,
      '.kimi-code/sessions/wd_1/s1/agents/agent-0/wire.jsonl': record(2001, usage),
      '.kimi-code/sessions/wd_1/s2/agents/main/wire.jsonl': record(2002, usage),
    });
    const find = (session: string) => adapter.findUsage?.({ session, env: { HOME: home }, since: new Date(1000) });
    // The first record is older than the process.
    expect(await find('s1')).toEqual({ input: 2010, output: 40, cacheRead: 600, cacheWrite: 10, reasoning: 0 });
    expect(await find('unknown')).toBeUndefined();
  });

  it('is the session of a process that was killed', async () => {
    const list = JSON.stringify([
      { id: 'old', workDir: '/project', updatedAt: '2026-11-17T10:00:00Z' },
      { id: 'elsewhere', workDir: '/other', updatedAt: '2026-11-17T12:30:00Z' },
      { id: 'newest', workDir: '/project', updatedAt: Date.parse('2026-11-17T12:20:00Z') },
      { id: 'newer', workDir: '/project', updatedAt: Date.parse('2026-11-17T12:10:00Z') / 1000 },
    ]);
    const since = new Date('2026-11-17T12:00:00Z');
    expect(newestSession(list, '/project', since)).toBe('newest');
    expect(newestSession(`{"sessions":${list}}`, '/other', since)).toBe('elsewhere');
    expect(newestSession(list, '/project', new Date('2026-11-18'))).toBeUndefined();
    expect(newestSession('error: unknown command', '/project', since)).toBeUndefined();
  });

  it('is asked of the program itself', async () => {
    const cwd = realpathSync(temporaryFolder('kimi-list'));
    const PATH = program(
      'kimi',
      `[ "$1 $2 $3" = "session list --json" ] || exit 1\necho '[{"id":"s9","workDir":"'"$PWD"'","updatedAt":4102444800}]'`,
    );
    const find = (env: NodeJS.ProcessEnv) => adapter.findSession?.({ cwd, env, since: new Date() });
    expect(await find({ PATH, KIMI_CODE_HOME: '/gone' })).toBe('s9');
    expect(await find({ PATH: '/nowhere' })).toBeUndefined();
  });
});
