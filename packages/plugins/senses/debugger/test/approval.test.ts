/** What approval sees of a call, and that attaching leaves the sandbox. */
import { touchesOf, tools } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DebugBench, openDebugBench } from './support/debug-bench.ts';

let bench: DebugBench;
beforeEach(async () => {
  bench = await openDebugBench({
    'a b.cjs': 'setInterval(() => {}, 1000);\n',
    'a.py': '',
    'loop.cjs': 'setInterval(() => {}, 1000);\n',
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await bench.dispose();
});

async function touched(action: string, input: Record<string, unknown> = {}) {
  const tool = await bench.kernel.read(tools).resolve('debug');
  const scope = { session: 'one', cwd: bench.root };
  return touchesOf(tool, { ...input, action }, { signal: AbortSignal.timeout(60_000), scope });
}

describe('what a call touches', () => {
  it('is the command that a launch would run, as a shell would', async () => {
    expect(await touched('launch', { program: 'a b.cjs', args: ["it's", '$HOME'] })).toEqual({
      commands: [{ text: `node '${bench.path('a b.cjs')}' 'it'\\''s' '$HOME'`, cwd: bench.root }],
    });
    const { commands } = await touched('launch', { program: 'a.py', file: 'a.py', line: 1, condition: 'import_os()' });
    expect(commands).toMatchObject([
      { text: expect.stringMatching(/python[\d.]* \S+a\.py$/) },
      { text: 'import_os()', language: 'debugger' },
    ]);
    await expect(touched('launch', { program: 'missing.py' })).rejects.toMatchObject({ code: 'DEBUG_NO_PROGRAM' });
  });

  it('names the Python of the PATH as a shell would, so that both are judged alike', async () => {
    vi.stubEnv('VIRTUAL_ENV', '');
    const { commands } = await touched('launch', { program: 'a.py' });
    expect(commands).toEqual([{ text: `python3 ${bench.path('a.py')}`, cwd: bench.root }]);
  });

  it('is code where the debugger runs some, and nothing where it only looks', async () => {
    for (const [action, input, text] of [
      ['evaluate', { expression: 'rm()' }, 'rm()'],
      ['set_variable', { name: 'a', value: 'f()' }, 'f()'],
      ['set_breakpoint', { file: 'a', line: 1, condition: 'g()' }, 'g()'],
      ['set_breakpoint', { file: 'a', line: 1, log_message: '{h()}' }, '{h()}'],
      ['custom_request', { command: 'evaluate', arguments: { expression: 'x' } }, 'evaluate\n{"expression":"x"}'],
    ] as const)
      expect(await touched(action, input), action).toEqual({
        commands: [{ text, language: 'debugger', cwd: bench.root }],
      });
    for (const action of ['threads', 'continue', 'stack_trace', 'terminate', 'output', 'sessions'])
      expect(await touched(action), action).toEqual({});
    expect(await touched('set_breakpoint', { file: 'a', line: 1 })).toEqual({});
  });

  it('is a process outside of the sandbox for an attach, and the host of a port elsewhere', async () => {
    expect(await touched('attach', { pid: 77 })).toMatchObject({
      commands: [
        { text: 'attach a debugger to pid 77', language: 'debugger', unsandboxed: expect.stringContaining('outside') },
      ],
    });
    expect(await touched('attach', { port: 5678, host: 'build.example.com' })).toMatchObject({
      hosts: ['build.example.com'],
    });
    expect(await touched('attach', { port: 5678 })).not.toHaveProperty('hosts');
    // Nobody is asked about a call that cannot be made.
    await expect(touched('attach')).rejects.toMatchObject({ code: 'DEBUG_MISSING_INPUT' });
  });

  it('is code outside of the sandbox while a program is debugged without one', async () => {
    await bench.debug('launch', { program: 'loop.cjs' });
    expect(await touched('evaluate', { expression: '1' })).toMatchObject({
      commands: [{ language: 'debugger', unsandboxed: expect.stringContaining('outside') }],
    });
  });

  it('must stay inside where the sandbox is required', async () => {
    await bench.dispose();
    bench = await openDebugBench({}, { sandbox: { required: true } });
    expect(await bench.refused('attach', { pid: process.pid })).toMatch(/nothing may run outside/);
  });
});
