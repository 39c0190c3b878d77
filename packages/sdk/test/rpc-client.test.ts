import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rpcCommands } from '@tenon/rpc-mode/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RpcClient, type RpcEvent } from '../src/index.ts';
import { buildProgram } from './process.ts';

let built: Awaited<ReturnType<typeof buildProgram>>;
let home: string;
const clients: RpcClient[] = [];
beforeAll(async () => {
  built = await buildProgram(join(import.meta.dirname, 'scripted-tenon.ts'));
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-sdk-rpc-')));
});
afterEach(async () => void (await Promise.all(clients.splice(0).map((client) => client.stop()))));
afterAll(() => {
  built.remove();
  rmSync(home, { recursive: true, force: true });
});

const environment = () => ({ TENON_HOME: join(home, 'tenon'), HOME: home });
async function start(...args: string[]): Promise<RpcClient> {
  const client = await RpcClient.start({
    command: [process.execPath, built.program],
    args: ['--tools=inquire,get', ...args],
    cwd: home,
    env: environment(),
  });
  clients.push(client);
  return client;
}
const tenon = (words: readonly string[], input = '') =>
  spawnSync(process.execPath, [built.program, ...words], {
    cwd: home,
    env: { ...process.env, ...environment() },
    input,
    encoding: 'utf8',
  });

describe('the client', () => {
  it('has a method for every command', async () => {
    const client = (await start('--no-session')) as unknown as Record<string, unknown>;
    const methods = Object.keys(rpcCommands).map((name) =>
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(methods.filter((method) => typeof client[method] !== 'function')).toEqual([]);
  });

  it('drives a session: prompts, events, state, sessions', async () => {
    const client = await start();
    const events: RpcEvent[] = [];
    client.onEvent((event) => events.push(event));
    expect(await client.run('hello')).toBe('You said: hello');
    expect(events.at(-1)?.type).toBe('agent_end');
    await client.setModel('test', 'seeing');
    await client.setThinkingLevel('high');
    await client.setSteeringMode('all');
    await client.setFollowUpMode('all');
    await client.setInterruptMode('wait');
    await client.setAutoCompaction(false);
    await client.setAutoRetry(false);
    await client.setSessionName('Named');
    await client.setTodos([{ id: 'p', name: 'Plan', tasks: [{ id: 't', content: 'Do it', status: 'pending' }] }]);
    expect(await client.getState()).toMatchObject({
      model: { id: 'seeing' },
      thinkingLevel: 'high',
      steeringMode: 'all',
      followUpMode: 'all',
      interruptMode: 'wait',
      autoCompactionEnabled: false,
      sessionName: 'Named',
      todoPhases: [{ name: 'Plan' }],
    });
    expect(await client.cycleThinkingLevel()).toEqual({ level: 'xhigh' });
    expect((await client.cycleModel())?.model.id).toBe('m');
    expect(await client.getAvailableModels()).toHaveLength(2);
    expect(await client.getSessionStats()).toMatchObject({ userMessages: 1, assistantMessages: 1 });
    expect(await client.getMessages()).toHaveLength(2);
    expect((await client.bash('echo hi')).output).toBe('hi\n');
    await client.abortBash();
    await client.abortRetry();
    const [first] = await client.getBranchMessages();
    expect(await client.branch(first?.entryId ?? '')).toMatchObject({ text: 'hello' });
    expect(await client.newSession()).toEqual({ cancelled: false });
    expect(await client.getLastAssistantText()).toBeNull();
    await expect(client.compact()).rejects.toThrow('nothing to summarize');
    await expect(client.setSessionName(' ')).rejects.toMatchObject({
      code: 'SDK_RPC_FAILED',
      message: expect.stringContaining('cannot be empty'),
    });
    expect(await client.stop()).toBe(0);
  });

  it('steers, follows up, aborts and starts over', async () => {
    const client = await start('--no-session');
    await client.prompt('slow');
    await client.followUp('later');
    await client.steer('now');
    await expect(client.prompt('too much')).rejects.toThrow('earlier prompt');
    await client.abort();
    const done = client.waitForIdle();
    await client.abortAndPrompt('again');
    await done;
    expect(await client.getLastAssistantText()).toContain('You said:');
  });

  it('carries out tools and URLs of the program, and answers questions of plugins', async () => {
    const client = await start('--no-session');
    const results: string[] = [];
    client.onEvent((event) => {
      if (event.type === 'tool_execution_end') results.push(JSON.stringify(event.result.content));
    });
    const parameters = { type: 'object' };
    const seen: unknown[] = [];
    let begin: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (begin = resolve));
    expect(
      await client.setHostTools({
        double: {
          description: 'doubles',
          parameters,
          run: async ({ n }, { update }) => (update({ content: [] }), `${Number(n) * 2}`),
        },
        broken: { description: 'breaks', parameters, run: () => Promise.reject(new Error('out of order')) },
        endless: {
          description: 'never ends',
          parameters,
          run: (_, { signal }) => {
            begin();
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => (seen.push('cancelled'), reject(new Error('x')))),
            );
          },
        },
      }),
    ).toEqual(['double', 'broken', 'endless']);
    expect(await client.setHostUriSchemes({ DB: { read: async (url) => ({ content: `row of ${url}` }) } })).toEqual([
      'db',
    ]);
    client.onUiRequest((request) => (seen.push(request.method), request.method === 'confirm' ? true : undefined));
    await client.run('call double {"n": 21}');
    await client.run('call broken {}');
    await client.run('call get {"url": "db://1"}');
    await client.run('call inquire {"question": "sure?"}');
    client.onUiRequest(undefined);
    await client.run('call inquire {"question": "sure?"}');
    await client.prompt('call endless {}');
    await called;
    await client.abort();
    expect(results.map((text) => (JSON.parse(text) as { text: string }[])[0]?.text)).toEqual([
      '42',
      'out of order',
      'row of db://1',
      'answer: true',
      'answer: false',
      expect.any(String),
    ]);
    expect(seen).toContain('confirm');
    await expect.poll(() => seen).toContain('cancelled');
  });

  it('starts the program that comes with the SDK unless it is told another', async () => {
    const client = await RpcClient.start({ args: ['--no-session', '--tools='], cwd: home, env: environment() });
    clients.push(client);
    expect(await client.getState()).toMatchObject({ messageCount: 0 });
  });

  it('says why when the process cannot start or ends', async () => {
    await expect(RpcClient.start({ command: [join(home, 'no-such-program')] })).rejects.toMatchObject({
      code: 'SDK_RPC_NOT_STARTED',
      message: expect.stringContaining('no-such-program" could not be started: there is no such program.'),
    });
    await expect(RpcClient.start({ cwd: join(home, 'gone') })).rejects.toThrow('gone does not exist');
    await expect(RpcClient.start({ command: [process.execPath, '-p', '"hello"', '--'] })).rejects.toThrow(
      'it wrote a line that is not a frame: hello',
    );
    await expect(
      RpcClient.start({
        command: [process.execPath, built.program],
        args: ['--tools=nope'],
        cwd: home,
        env: environment(),
      }),
    ).rejects.toThrow('nope');
    const client = await start('--no-session');
    await client.stop();
    await expect(client.getState()).rejects.toMatchObject({ code: 'SDK_RPC_GONE' });
  });
});

describe('another language', () => {
  it('drives a whole session with tools and URLs of its own (Python)', () => {
    const { status, stdout, stderr } = spawnSync(
      'python3',
      [join(import.meta.dirname, 'host.py'), process.execPath, built.program, '--mode', 'rpc', '--tools=inquire,get'],
      { cwd: home, env: { ...process.env, ...environment() }, encoding: 'utf8', timeout: 60_000 },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as Record<string, any>;
    expect(report).toMatchObject({
      tools: ['add'],
      schemes: ['db'],
      said: 'You said: grüß dich 😀',
      sum: ['sum: 42'],
      row: ['row behind db://users/42'],
      asked: ['answer: true'],
      odd: true,
      bash: 'from bash\n',
      branched: 'call add {"numbers": [1, 2, 39]}',
      page: join(home, 'page.html'),
      exit: 0,
    });
    expect(report['wrong']).toContain('invalid');
    expect(report['stats']).toMatchObject({ userMessages: 5, toolCalls: 4, toolResults: 4 });
    // Prompts and answers, calls and results, and the command of the user.
    expect(report['messages']).toBe(5 * 2 + 4 * 2 + 1);
    expect(readFileSync(report['page'], 'utf8')).toContain('grüß dich');
  });
});

describe('the program without its command word', () => {
  it('answers once, continues, and counts what it used', () => {
    const words = ['-p', '--tools=inquire', 'one'];
    expect(tenon(words)).toMatchObject({ status: 0, stdout: 'You said: one\n', stderr: '' });
    const json = tenon(['--json', '--continue', '--tools=inquire', 'two']);
    const lines = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines[0]).toMatchObject({ type: 'session', cwd: home });
    expect(lines.at(-1)?.type).toBe('agent_end');
    expect(tenon(['-p', '--tools=inquire'], 'from a pipe').stdout).toBe('You said: from a pipe\n');
    expect(tenon(['-p', '--tools=inquire', 'fail'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('on fire'),
    });
    const stats = JSON.parse(tenon(['stats', '--here', '--json']).stdout) as { total: { calls: number } };
    expect(stats.total.calls).toBeGreaterThanOrEqual(3);
    expect(JSON.parse(tenon(['session', 'list', '--json']).stdout)).not.toHaveLength(0);
  });

  it('shows its flags in the help of the command', () => {
    const { stdout } = tenon(['-p', '--help']);
    for (const flag of [
      'print',
      'mode',
      'json',
      'continue',
      'resume',
      'fork',
      'session',
      'no-session',
      'model',
      'thinking',
      'tools',
      'system-prompt',
      'append-system-prompt',
    ])
      expect(stdout).toContain(`--${flag}`);
    expect(stdout).toContain('tenon [agent]');
  });
});
