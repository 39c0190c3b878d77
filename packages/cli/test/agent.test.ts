import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAddon } from '@tenon/native';
import { ended, Home } from '@tenon/test-kit/program';
import { until } from '@tenon/test-kit/waiting';

const hasAddon = findAddon().addon !== undefined;

let home: Home;
beforeAll(() => {
  home = new Home();
  home.put('work/a.js', 'export function first() { return 1; }\n');
  home.put('work/b.js', "import { first } from './a.js';\nfirst();\n");
});
afterAll(() => home.remove());

/** Without keys and without a network the offline model answers. */
describe('the agent on the command line', () => {
  it('answers once, and the word "agent" may be left out', () => {
    const { code, out, err } = home.tenon(['-p', 'find files named a.js']);
    expect(code).toBe(0);
    // Who has no model must see that none answered.
    expect(err).toMatch(/^No model is set up, so offline\/rules answers: fixed rules.*\n$/);
    expect(out).toContain('a.js');
    expect(home.tenon(['agent', '-p', 'find files named a.js']).out).toBe(out);
  });

  it('goes on with the session, copies it, and makes a page of it', () => {
    home.tenon(['-p', 'find files named b.js']);
    expect(home.tenon(['--continue', '-p', 'find files named a.js']).code).toBe(0);
    const [newest] = JSON.parse(home.tenon(['session', 'list', '--json']).out) as { id: string }[];
    const shown = home.tenon(['session', 'show', newest?.id ?? '']).out;
    expect(shown).toMatch(/find files named b\.js[\s\S]*find files named a\.js/);
    expect(home.tenon(['--fork', newest?.id ?? '', '-p', 'find files named a.js']).code).toBe(0);
    expect(home.tenon(['session', 'export', newest?.id ?? '', '-']).out).toContain('find files named b.js');
  });

  it('tells a wrong command line from a failure', () => {
    expect(home.tenon(['-p', '--continue', '--resume', 'x', 'go'])).toMatchObject({ code: 2, out: '' });
    expect(home.tenon(['-p', '--mode', 'jsn', 'go'])).toMatchObject({ code: 2 });
    expect(home.tenon(['-p'])).toMatchObject({ code: 2, err: expect.stringContaining('nothing to do') });
    expect(home.tenon(['-p', '--resume', 'ffffffff', 'go'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('session list'),
    });
    expect(home.tenon(['-p', '@gone.txt'])).toMatchObject({ code: 2, err: expect.stringContaining('gone.txt') });
  });

  it('ends with 3 when the prompt needs a model that is not there, in every form of output', () => {
    const text = home.tenon(['-p', 'write a poem about the sea']);
    expect(text).toMatchObject({ code: 3, err: expect.stringMatching(/needs a real model.*\n {2}next: .*auth login/) });
    const { code, out, err } = home.tenon(['--output-format', 'json', '-p', 'write a poem about the sea']);
    expect(code).toBe(3);
    const error = { code: 'PRINT_NEEDS_MODEL', class: 'unavailable' };
    expect(JSON.parse(out)).toMatchObject({ type: 'result', is_error: true, offline: true, error });
    expect(JSON.parse(err)).toMatchObject({ error });
    expect(home.tenon(['-p', 'rename the function nowhere to somewhere']).code).toBe(1);
  });

  it('names the class of an error for programs', () => {
    const { code, err } = home.tenon(['--json', '--no-such-flag', 'x']);
    expect(code).toBe(2);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'COMMAND_LINE_UNKNOWN_FLAG', class: 'usage' } });
  });

  it('has a hint for flags of other agents, and takes those that it has', () => {
    const hint = home.tenon(['--dangerously-skip-permissions', '-p', 'x']);
    expect(hint).toMatchObject({ code: 2, err: expect.stringContaining('Use --yolo') });
    expect(home.tenon(['--list-sessions']).out).toBe(home.tenon(['session', 'list']).out);
  });

  it('changes settings for one run by flags that stand for them', () => {
    const code = (flags: string[]) => home.tenon([...flags, '-p', 'run `touch made`']).code;
    expect(code(['--approval-mode', 'strict', '--sandbox', 'full'])).toBe(1);
    expect(code(['--yolo', '--sandbox', 'full'])).toBe(0);
  });

  it('allows and refuses calls by rules of the command line', () => {
    const run = (flags: string[]) => home.tenon([...flags, '--approval-mode', 'strict', '-p', 'run `touch made`']);
    expect(run(['--allowedTools', 'Read,Bash(touch:*)', '--sandbox', 'full']).code).toBe(0);
    expect(run(['--allowed-tools', 'Bash(cp:*)', '--sandbox', 'full']).code).toBe(1);
    const refused = home.tenon(['--yolo', '--disallowed-tools', 'Bash(touch:*)', '-p', 'run `touch made`']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--disallowed-tools') });
  });

  it('lets no agent loosen what holds it by a flag', () => {
    for (const flags of [['--yolo'], ['--sandbox', 'full'], ['--allowed-tools', 'Bash'], ['--add-dir', '/']]) {
      const { code, err } = home.tenon([...flags, '-p', 'x'], { env: { TENON_SHELL: '1' } });
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(`so ${flags[0]} cannot`) });
    }
  });

  it('says that you stopped it', async () => {
    const child = home.start(['--verbose', '-p', 'run `sleep 60`']);
    child.stdin?.end();
    let seen = '';
    child.stderr?.on('data', (part: Buffer) => (seen += part.toString()));
    const end = ended(child);
    await until(() => seen.includes('bash: sleep 60'), 'the command');
    child.kill('SIGINT');
    const { code, err } = await end;
    expect(code).toBe(130);
    expect(err).toContain('tenon: You stopped it with Ctrl-C.');
    expect(err).toMatch(/--resume [0-9a-f]+/);
  });

  it('takes what is piped in for the prompt when nothing else was written', () => {
    const piped = home.bash('echo "create a file piped.txt with hello" | tenon');
    expect(piped).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.work, 'piped.txt'), 'utf8').trim()).toBe('hello');
    // Programs that start others leave a socket or nothing: there the help is the answer.
    for (const input of ['</dev/null', '<&-']) expect(home.bash(`tenon ${input}`).out).toContain('USAGE');
  });

  it('writes events as lines, and is quiet when their reader goes away', () => {
    const { code, out, err } = home.bash(
      'tenon --json --no-session "find files named a.js" </dev/null | head -n 1; exit ${PIPESTATUS[0]}',
    );
    expect(JSON.parse(out)).toMatchObject({ type: 'session', cwd: home.work });
    expect(err).toBe('');
    expect([0, 141]).toContain(code);
  });

  it('serves another program until its input ends', async () => {
    const child = home.start(['--mode', 'rpc', '--no-session']);
    child.stdin?.end('{"id":"1","type":"get_state"}\nnonsense\n');
    const { code, out, err } = await ended(child);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const frames = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(frames).toMatchObject([{ type: 'ready' }, { id: '1', success: true }, { command: 'parse', success: false }]);
  });

  it.runIf(process.platform === 'linux' && hasAddon)(
    'gives memory back while the other program has nothing to ask, and goes on as before',
    async () => {
      const child = home.start(['--mode', 'rpc', '--no-session']);
      let out = '';
      child.stdout?.on('data', (part) => (out += part));
      const megabytesOfFiles = () => {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        return Number(/^RssFile:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      };
      child.stdin?.write('{"id":"1","type":"get_state"}\n');
      await until(() => out.includes('"get_state"'), 'the first answer');
      const first = megabytesOfFiles();
      // A Node that only waits has 30 MB and more.
      expect(first).toBeGreaterThan(25);
      await until(() => megabytesOfFiles() < 20, 'memory given back', 40_000);
      child.stdin?.end('{"id":"2","type":"prompt","message":"find files named a.js"}\n');
      const { code, err } = await ended(child);
      expect(code).toBe(0);
      expect(err).not.toContain('memory');
      expect(out).toMatch(/a\.js[^]*"agent_end"/);
    },
  );

  it('reads the prompt from a pipe and from a file', () => {
    writeFileSync(join(home.work, 'task.md'), 'find files named b.js\n');
    expect(home.tenon(['-p'], { input: 'find files named b.js' }).out).toContain('b.js');
    expect(home.tenon(['-p', '@task.md']).out).toContain('b.js');
  });
});
