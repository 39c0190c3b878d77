import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StdioTransport } from '../src/connection/stdio-transport.ts';
import { isAlive } from '@tenon/test-kit/processes';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { marks, plain, PLAIN, textOf } from './servers/programs.ts';
import { until } from '@tenon/test-kit/waiting';
import { world } from '@tenon/test-kit/mcp-world';

describe('a server that is a program', () => {
  it('leaves no process behind when Tenon is killed, not even one that its programs started', async () => {
    const folder = temporaryFolder();
    const pids = join(folder, 'pids');
    const parent = join(folder, 'parent.mts');
    const transport = join(import.meta.dirname, '../src/connection/stdio-transport.ts');
    writeFileSync(
      parent,
      `import { StdioTransport } from ${JSON.stringify(transport)};
       const args = [${JSON.stringify(PLAIN)}, ${JSON.stringify(`--child=${pids}`)}, '--stubborn'];
       const program = { command: process.execPath, args, env: process.env, cwd: ${JSON.stringify(folder)}, onStderr() {} };
       await new StdioTransport(program).start();
       setInterval(() => undefined, 1000);`,
    );
    const { build } = await import('esbuild');
    const program = join(folder, 'parent.mjs');
    await build({
      entryPoints: [parent],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['tenon-source'],
      logLevel: 'silent',
    });
    const tenon = spawn(process.execPath, [program], { stdio: 'ignore' });
    later(() => void tenon.kill('SIGKILL'));
    await until(() => marks(pids).length === 2);
    const started = marks(pids);
    expect(started.every(isAlive)).toBe(true);
    tenon.kill('SIGKILL');
    await until(() => !started.some(isAlive));
  });

  it('is ended with all that it started, also when it does not want to', async () => {
    const pids = join(temporaryFolder(), 'pids');
    const w = await world({ user: { one: plain(`--child=${pids}`, '--stubborn') } });
    await w.settle();
    const started = marks(pids);
    expect(started.map(isAlive)).toEqual([true, true]);
    await w.dispose();
    expect(started.map(isAlive)).toEqual([false, false]);
  });

  it('takes what it started with it when it ends by itself', async () => {
    const pids = join(temporaryFolder(), 'pids');
    const program = {
      command: process.execPath,
      args: [PLAIN, `--child=${pids}`],
      env: {},
      cwd: '/',
      onStderr: () => undefined,
    };
    const transport = new StdioTransport(program);
    await transport.start();
    await until(() => marks(pids).length === 2);
    process.kill(marks(pids)[0] ?? 0, 'SIGKILL');
    expect(await transport.ended).toBe('it was ended by SIGKILL');
    await until(() => !marks(pids).some(isAlive));
  });

  it('may print what is no message before it speaks the protocol', async () => {
    const w = await world({ user: { one: plain('--greet', '--stderr=starting up') } });
    await w.settle();
    expect(textOf(await w.call('mcp__one__greet'))).toBe('greet!');
    await w.dispose();
    const again = await world({ like: w });
    const { out } = await again.command('mcp logs', { args: { name: 'one' }, flags: { lines: '50' } });
    expect(out).toMatch(/stderr +starting up/);
    expect(out).toMatch(/tenon +it printed something that is not a message: Welcome!/);
    expect(out).toMatch(/tenon +connected/);
  });

  it('is started again when it was lost, and a call that was under way is told so', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const w = await world({ user: { one: plain(`--mark=${mark}`, '--tools=die,pid') } });
    await w.settle();
    const died = await w.call('mcp__one__die');
    expect([died.isError, textOf(died)]).toEqual([true, expect.stringContaining('ended during the call')]);
    await until(() => marks(mark).length === 2);
    expect(textOf(await w.call('mcp__one__pid'))).toBe(String(marks(mark)[1]));
  });

  it('is not started again without end', async () => {
    const folder = temporaryFolder();
    const mark = join(folder, 'mark');
    const w = await world({ user: { one: plain(`--mark=${mark}`, '--tools=die') } });
    await w.settle();
    await w.call('mcp__one__die');
    await until(() => marks(mark).length === 2);
    const waits: number[] = [];
    for (let round = 3; round <= 4; round++) {
      await w.call('mcp__one__die');
      const lost = Date.now();
      await until(() => marks(mark).length === round);
      waits.push(Date.now() - lost);
    }
    // Each wait is longer than the one before.
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
  });

  it('is told when a call is not wanted any more', async () => {
    const seen = join(temporaryFolder(), 'seen');
    const w = await world({ user: { one: plain('--tools=wait', `--cancelled=${seen}`) } });
    await w.settle();
    const stop = new AbortController();
    const running = w.call('mcp__one__wait', {}, { signal: stop.signal });
    running.catch(() => undefined);
    await until(() => existsSync(seen));
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await until(() => readFileSync(seen, 'utf8') === 'called\ncancelled\n');
  });

  it('gives up on a call that shows no sign of progress, and says what can be done', async () => {
    const w = await world({ user: { one: plain('--tools=wait') }, settings: { 'mcp.toolTimeoutMs': 1_000 } });
    await w.settle();
    const result = await w.call('mcp__one__wait');
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('did not answer within 1 s')]);
  });
});

describe('results', () => {
  it('are cut to a limit, and the whole is kept as an artifact', async () => {
    const w = await world({
      user: { one: plain('--tools=long') },
      script: [{ calls: [{ name: 'mcp__one__long' }] }, { text: 'done' }],
      settings: { 'mcp.startupBudgetMs': 20_000, 'mcp.maxOutputBytes': 4_000 },
    });
    const { session } = await w.tenon.createAgentSession();
    const ended: { text: string; details: unknown }[] = [];
    session.subscribe((event) => {
      if (event.type === 'tool_execution_end')
        ended.push({ text: textOf(event.result as never), details: event.result.details });
    });
    await session.prompt('go');
    const [{ text, details } = { text: '', details: {} }] = ended;
    expect(Buffer.byteLength(text)).toBeLessThan(4_500);
    expect(text).toMatch(/^line 0\n[\s\S]*bytes left out here\. Everything: artifact:\/\/\S+\.\][\s\S]*line 19999$/);
    const { truncated } = details as { truncated: { artifact: string } };
    const file = await session.session.artifactPath(truncated.artifact.replace('artifact://', ''));
    expect(readFileSync(file ?? '', 'utf8').split('\n')).toHaveLength(20_000);
    await session.dispose();
  });

  it('of every kind become something that a model can use', async () => {
    const w = await world({ user: { one: plain('--tools=structured,audio,blob,fail') } });
    await w.settle();
    const structured = await w.call('mcp__one__structured');
    expect(JSON.parse(textOf(structured))).toEqual({ answer: 42 });
    expect(textOf(await w.call('mcp__one__audio'))).toMatch(/^\[audio, audio\/wav, 4 bytes: .*audio\.wav\]$/);
    const blob = textOf(await w.call('mcp__one__blob'));
    const [, path = ''] = /bytes: (.*)\]$/.exec(blob) ?? [];
    expect(readFileSync(path, 'utf8')).toBe('%PDF');
    const failed = await w.call('mcp__one__fail');
    expect([failed.isError, textOf(failed)]).toEqual([true, 'It did not work.']);
  });
});

describe('two folders', () => {
  it('have servers of their own, also where they are called the same', async () => {
    const w = await world({ user: { one: { ...plain('--tools=cwd') } } });
    const other = join(w.cwd, 'other');
    mkdirSync(other);
    const hub = await w.hub();
    await hub.prepare(w.cwd);
    await hub.prepare(other);
    const { toolRunner } = await import('@tenon/tools/api');
    const runner = await w.kernel.find(toolRunner);
    await until(async () => (await hub.servers(other)).every(({ state }) => state === 'ready'));
    await until(() => w.kernel.diagnostics().length === 0);
    for (const cwd of [w.cwd, other]) {
      const result = await runner.run('mcp__one__cwd', {}, { scope: { session: 's', cwd } });
      expect(textOf(result)).toBe(cwd);
    }
    const elsewhere = await runner.run('mcp__one__cwd', {}, { scope: { session: 's', cwd: '/' } });
    expect(textOf(elsewhere)).toContain('not configured for /');
  });
});
