/** The four debuggers, each with a real program in the real sandbox. */
import { execFileSync, spawn } from 'node:child_process';
import { isAlive } from '@tenon/test-kit/processes';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it } from 'vitest';
import { type DebugBench, openDebugBench } from './support/debug-bench.ts';
import { readableByDelve } from '../src/adapters/go-debug-info.ts';
import { go, type Language, native, node, python } from './support/languages.ts';

let bench: DebugBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  bench = undefined;
});

/** Where the sandbox does not work, programs run without one, and the tests mean that. */
const settings = { sandbox: { profile: 'auto' } };

async function open({ source, text, endless }: Language): Promise<DebugBench> {
  bench = await openDebugBench({ [source]: text, [endless.source]: endless.text }, settings);
  return bench;
}

for (const language of [python, native, go, node]) {
  describe.skipIf(language.missing !== undefined)(
    `${language.name}${language.missing ? `: ${language.missing}` : ''}`,
    () => {
      const { source, returnLine, callLine, printLine, functionName } = language;

      it('stops at lines, with conditions and hit counts, and tells what is there', async () => {
        const { debug, build } = { ...(await open(language)), build: language.build };
        const program = await build(bench as DebugBench);
        const launched = await debug('launch', { program });
        expect(launched.details['adapter']).toBe(language.adapter);
        expect(launched.details.snapshot).toMatchObject({ state: 'stopped', adapter: language.adapter });

        const set = await debug('set_breakpoint', { file: source, line: returnLine, condition: language.condition });
        expect(set.details['breakpoints']).toMatchObject([{ line: returnLine, verified: true }]);
        const stopped = await debug('continue');
        expect(stopped.details).toMatchObject({ state: 'stopped', timedOut: false });
        expect(stopped.details.snapshot.place).toMatchObject({ line: returnLine });
        expect(stopped.text).toContain(`${source}:${returnLine}`);

        const stack = await debug('stack_trace', { levels: 2 });
        expect(stack.text).toMatch(
          new RegExp(`#0 ${functionName}.* at ${source}:${returnLine}[^]*#1 .*${source}:${callLine}`),
        );
        const evaluated = await debug('evaluate', { expression: language.evaluation.expression });
        expect(evaluated.text.split('\n')[0]).toMatch(language.evaluation.result);
        const scopes = await debug('scopes');
        const [scope] = scopes.details['scopes'] as { variablesReference: number }[];
        const variables = await debug('variables', { scope_id: scope?.variablesReference });
        expect(variables.text).toMatch(/^result.* = 6/m);
        expect((await debug('threads')).text).toMatch(/^\* /m);

        expect((await debug('remove_breakpoint', { file: source, line: returnLine })).text).toMatch(/^Removed/);
        expect((await debug('step_out')).details.snapshot.place?.line).toBeGreaterThanOrEqual(callLine - 1);
        await debug('set_breakpoint', { file: source, line: printLine });
        expect((await debug('continue')).details.snapshot.place).toMatchObject({ line: printLine });
        const changed = await debug('set_variable', { name: 'total', value: '1000' });
        expect(changed.text).toMatch(/1000/);
        const ended = await debug('continue');
        expect(ended.details['state']).toBe('ended');
        // Delve tells it in its output alone.
        if (language.adapter !== 'dlv') expect(ended.details.snapshot.exitCode).toBe(0);
        // What a program writes last may come after its end.
        await until(async () => language.changedOutput.test((await debug('output')).text));
        expect((await debug('output')).text).toMatch(language.changedOutput);
        expect(await bench?.refused('continue')).toMatch(/No program is being debugged/);
      });

      it('runs to a hit count or a function, steps, and is ended', async () => {
        const { debug } = await open(language);
        const program = await language.build(bench as DebugBench);
        const launched = await debug('launch', { program, file: source, line: returnLine, hit_condition: '3' });
        expect(launched.details.snapshot.place).toMatchObject({ line: returnLine });
        expect((await debug('evaluate', { expression: 'b', context: 'watch' })).text).toMatch(/\b2\b/);
        await debug('remove_breakpoint', { file: source, line: returnLine });
        await debug('set_breakpoint', { function: functionName });
        const inside = await debug('continue');
        expect(inside.details.snapshot.place?.name).toContain('add');
        expect(inside.details.snapshot.place?.line).toBeLessThan(returnLine);
        await debug('remove_breakpoint', { function: functionName });
        let steps = 0;
        for (let line = 0; line !== returnLine && steps < 4; steps++)
          line = (await debug('step_over')).details.snapshot.place?.line ?? 0;
        expect(steps).toBeLessThan(4);
        for (let name = 'add'; name.includes('add');)
          name = (await debug('step_out')).details.snapshot.place?.name ?? '';
        for (let tries = 0, name = ''; !name.includes('add'); tries++) {
          expect(tries).toBeLessThan(8);
          name = (await debug('step_in')).details.snapshot.place?.name ?? '';
        }
        expect((await debug('sessions')).text).toMatch(/^debug-1 /);
        expect((await debug('terminate')).text).toMatch(/has ended/);
        expect((await debug('terminate')).text).toBe('No debug session to terminate.');
        expect((await debug('sessions')).text).toBe('There are no debug sessions.');
      });

      it('is paused while it runs', async () => {
        const { debug } = await open(language);
        const program = await language.endless.build(bench as DebugBench);
        await debug('launch', { program });
        const running = await debug('continue', { timeout: 5 });
        expect(running.details).toMatchObject({ state: 'running', timedOut: true });
        expect(await bench?.refused('step_over')).toMatch(/The program is running/);
        const paused = await debug('pause');
        expect(paused.details.snapshot.state).toBe('stopped');
        expect((await debug('stack_trace')).text).toMatch(/#0 /);
        await debug('terminate');
      });

      it('is attached to, looked at and let go', async () => {
        const { debug } = await open(language);
        const program = await language.endless.build(bench as DebugBench);
        const child = startEndless(language, bench as DebugBench, program);
        try {
          const { input, ready } = child;
          await until(ready, 'the program to attach to runs');
          const attached = await debug('attach', { adapter: language.adapter, ...input() });
          expect(attached.details['adapter']).toBe(language.adapter);
          expect(attached.text).toMatch(/No sandbox/);
          if (attached.details.snapshot.state !== 'stopped') await debug('pause');
          expect((await debug('stack_trace')).text).toMatch(/#0 /);
          await debug('terminate');
          expect(isAlive(child.pid)).toBe(true);
        } finally {
          process.kill(child.pid, 'SIGKILL');
        }
      });
    },
  );
}

describe.skipIf(python.missing !== undefined)('exceptions in Python', () => {
  it('stop where they are raised, and are told', async () => {
    const text =
      'def fail():\n    raise ValueError("wrong")\n\ntry:\n    fail()\nexcept ValueError:\n    pass\nint("x")\n';
    bench = await openDebugBench({ 'a.py': text }, settings);
    const { debug } = bench;
    await debug('launch', { program: 'a.py' });
    await debug('set_exception_breakpoints', { filters: ['raised'] });
    const raised = await debug('continue');
    expect(raised.details.snapshot).toMatchObject({ state: 'stopped', place: { line: 2, name: 'fail' } });
    expect((await debug('exception_info')).text).toMatch(/ValueError.*wrong/);
    await debug('set_exception_breakpoints', { filters: ['uncaught'] });
    expect((await debug('continue')).details.snapshot.place).toMatchObject({ line: 8 });
    expect((await debug('modules')).text).toMatch(/__main__/);
    const logged = await debug('set_breakpoint', { file: 'a.py', line: 5, log_message: 'x is {1 + 1}' });
    expect(logged.text).toMatch(/logs "x is/);
    expect(await bench.refused('read_memory', { memory_reference: '0', count: 1 })).toMatch(
      /does not support reading memory/,
    );
    const ended = await debug('continue');
    expect(ended.details.snapshot).toMatchObject({ state: 'ended', exitCode: 1 });
    expect((await debug('output')).text).toMatch(/ValueError: invalid literal/);
  });
});

describe.skipIf(native.missing !== undefined)('a native program', () => {
  it('stops where it crashes, and takes commands of the debugger', async () => {
    const text = '#include <stdlib.h>\nint main(int n, char **words) {\n  int *p = NULL;\n  *p = n;\n  return 0;\n}\n';
    bench = await openDebugBench({ 'a.c': text }, settings);
    execFileSync('gcc', ['-g', '-O0', '-o', 'a.out', 'a.c'], { cwd: bench.root });
    const { debug } = bench;
    const crashed = await debug('launch', { program: 'a.out', args: ['one', 'two'], stop_on_entry: false });
    expect(crashed.details.snapshot).toMatchObject({ state: 'stopped', place: { line: 4 } });
    expect(crashed.text).toMatch(/SIGSEGV/);
    expect((await debug('evaluate', { expression: 'n' })).text).toMatch(/3/);
    expect((await debug('evaluate', { expression: '`register read rip' })).text).toMatch(/rip = 0x/);
    expect((await debug('modules')).text).toMatch(/a\.out/);
    // A debugger that may trace sees no process outside of its sandbox.
    const seen = await debug('evaluate', { expression: `\`platform shell ls -d /proc/1 /proc/${process.pid}` });
    const isConfined = crashed.details.snapshot.sandbox.includes('bubblewrap');
    expect(seen.text).toContain('/proc/1\n');
    expect(seen.text.includes('No such file')).toBe(isConfined);
  });
});

describe.skipIf(go.missing !== undefined)('a program of Go', async () => {
  const isDelveOlder = Object.keys(await readableByDelve('dlv', process.env)).length > 0;
  it('is built from its source, disassembled, and stops at instructions and panics', async () => {
    const text = 'package main\n\nfunc main() {\n\tlist := []int{1}\n\tindex := 5\n\tprintln(list[index])\n}\n';
    bench = await openDebugBench({ 'a.go': text, 'go.mod': 'module a\n\ngo 1.19\n' }, settings);
    const { debug } = bench;
    const launched = await debug('launch', { program: 'a.go', file: 'a.go', line: 5, timeout: 300 });
    expect(launched.details.snapshot.place).toMatchObject({ line: 5, name: 'main.main' });
    const code = await debug('disassemble', { instruction_count: 4 });
    expect(code.text.split('\n')).toHaveLength(4);
    const [, second] = code.details['disassembly'] as { address: string }[];
    await debug('set_instruction_breakpoint', { instruction_reference: second?.address });
    expect((await debug('continue')).details.snapshot.stopReason).toMatch(/instruction/);
    const panicked = await debug('continue');
    expect(panicked.text).toMatch(/runtime\.(?:fatalpanic|panicIndex|goPanicIndex)/);
    // An older Delve stops at the panic of a newer Go, but cannot read its message; it says so.
    if (isDelveOlder) expect((await debug('output')).text).toContain('This Delve is older than Go');
    else expect(panicked.text).toMatch(/index out of range/);
    expect((await debug('exception_info')).text).toMatch(isDelveOlder ? /panic/ : /index out of range/);
    expect(await bench.refused('set_data_breakpoint', { data_id: 'x' })).toMatch(/does not support data breakpoints/);
  });
});

/** Starts the endless program outside of every sandbox. */
function startEndless({ adapter }: Language, { root, path }: DebugBench, program: string) {
  let said = '';
  const words =
    adapter === 'debugpy'
      ? ['/usr/bin/python3', '-m', 'debugpy', '--listen', '127.0.0.1:0', path(program)]
      : adapter === 'node'
        ? [process.execPath, '--inspect=127.0.0.1:0', path(program)]
        : [path(program)];
  if (adapter === 'debugpy') words[4] = `127.0.0.1:${20_000 + (process.pid % 20_000)}`;
  const [command = '', ...args] = words;
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const port = () =>
    adapter === 'debugpy' ? Number(words[4]?.split(':')[1]) : Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  const isServer = adapter === 'debugpy' || adapter === 'node';
  return {
    pid: child.pid ?? 0,
    input: () => (isServer ? { port: port() } : { pid: child.pid }),
    // debugpy runs the program once its port is open, which takes longer than an attach waits on a busy machine.
    ready: () => child.pid !== undefined && (adapter === 'debugpy' ? said.includes('runs') : !isServer || port() > 0),
  };
}
