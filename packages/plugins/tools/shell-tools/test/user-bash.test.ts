import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { userBash, type UserCommandResult } from '@tenon/agent/api';
import { sandboxes } from '@tenon/sandbox/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { toolCall } from '@tenon/tools/api';
import { isAlive } from '@tenon/test-kit/processes';
import { afterEach, describe, expect, it } from 'vitest';
import type { Workbench } from '@tenon/test-kit/workbench';
import { workFolder } from '@tenon/test-kit/work-folder';
import { openShellBench } from './shell-bench.ts';

let bench: Workbench;
afterEach(() => bench.dispose());

async function type(command: string, signal = new AbortController().signal): Promise<UserCommandResult | undefined> {
  const typed = { session: 'one', cwd: bench.root, command, excludeFromContext: false, signal };
  return (await bench.kernel.run(userBash, typed))?.result;
}

describe('a command of the user', () => {
  it('shares folder, variables and functions with the commands of the model, as it was typed', async () => {
    bench = await openShellBench({ files: { 'src/a.txt': 'x' } });
    await bench.ok('bash', { command: 'cd src; word=hello; say() { echo "$word $1"; }' });
    expect(await type('say you; pwd; word=bye')).toEqual({
      output: `hello you\n${bench.path('src')}\n`,
      exitCode: 0,
      cancelled: false,
      truncated: false,
    });
    expect(await type('cat a.txt; exit 3')).toMatchObject({ output: 'x', exitCode: 3 });
    expect(await bench.ok('bash', { command: 'say again' })).toBe('bye again');
    // A model's habits are not repaired in what a person typed.
    expect(await type("printf 'a\\r\\n' | od -An -c; $ echo x")).toMatchObject({
      output: expect.stringMatching(/\\r +\\n\n.*\$: command not found\n$/),
    });
  });

  it('is not judged: the user has decided', async () => {
    bench = await openShellBench();
    bench.kernel.install(
      inlineCandidate(
        { id: 'gate', activate: (ctx) => void ctx.on(toolCall, () => ({ deny: 'nothing runs here' })) },
        { handles: ['tool.call'] },
      ),
    );
    expect(await bench.fails('bash', { command: 'echo hi' })).toMatch(/nothing runs here/);
    expect(await type('echo hi')).toMatchObject({ output: 'hi\n' });
  });

  it('does not wait for a command of the model, and sees the state from before it', async () => {
    bench = await openShellBench();
    await bench.ok('bash', { command: 'word=hello' });
    const stop = new AbortController();
    const running = bench.run('bash', { command: 'word=later; touch begun; sleep 60' }, { signal: stop.signal });
    await expect.poll(() => existsSync(bench.path('begun'))).toBe(true);
    expect(await type('echo $word; word=mine')).toMatchObject({
      output: expect.stringMatching(/^hello\n\[Another command runs/),
      exitCode: 0,
    });
    stop.abort();
    await expect(running).rejects.toThrow();
    expect(await bench.ok('bash', { command: 'echo $word' })).toBe('later');
  });

  it('is stopped with all that it started, and what it printed is kept', async () => {
    bench = await openShellBench();
    const stop = new AbortController();
    const running = type('word=kept; sleep 100 & echo $! | tee pid; sleep 200', stop.signal);
    await expect.poll(() => existsSync(bench.path('pid')) && bench.get('pid')).toMatch(/^\d+\n$/);
    stop.abort();
    const pid = bench.get('pid');
    expect(await running).toEqual({ output: pid, cancelled: true, truncated: false });
    expect(isAlive(Number(pid))).toBe(false);
    expect(await type('echo $word')).toMatchObject({ output: 'kept\n' });
    expect(await type('echo', AbortSignal.abort())).toEqual({ output: '', cancelled: true, truncated: false });
  });

  it('gives the end of a long output, and all of it in a file', async () => {
    bench = await openShellBench();
    const { output = '', truncated, fullOutputPath = '' } = (await type('seq 20000')) ?? {};
    expect(truncated).toBe(true);
    expect(output.endsWith('20000\n')).toBe(true);
    expect(readFileSync(fullOutputPath, 'utf8')).toMatch(/^1\n2\n[^]*\n20000\n$/);
  });

  it('says in words why no shell can be started', async () => {
    bench = await openShellBench({ settings: { 'shell-tools': { bash: '/nowhere/bash' } } });
    expect(await type('true')).toMatchObject({ exitCode: 1, output: expect.stringMatching(/No shell can be started/) });
  });

  it('runs in the sandbox of the session', async (context) => {
    bench = await openShellBench({
      settings: { sandbox: { profile: 'workspace-write' } },
      more: ['sandbox'],
    });
    const isThere = (await bench.kernel.find(sandboxes)).wrap({ cwd: bench.root }).then(
      (confinement) => confinement.dispose().then(() => true),
      () => false,
    );
    if (!(await isThere)) return context.skip();
    const work = workFolder();
    mkdirSync(work, { recursive: true });
    const outside = mkdtempSync(join(work, 'user-bash-'));
    try {
      expect(await type('touch inside && echo made')).toMatchObject({ output: 'made\n', exitCode: 0 });
      const { output, exitCode } = (await type(`touch ${outside}/x`)) ?? {};
      expect(exitCode).not.toBe(0);
      expect(output).toMatch(/\[Sandbox workspace-write .*Run it in your own terminal/);
      expect(existsSync(join(outside, 'x'))).toBe(false);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});
