/** The life of sessions: one for each agent session, bounded in time, and nothing of them is left behind. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { UNCONFINED } from '@tenon/sandbox/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { inCheckout } from '@tenon/test-kit/plugins';
import { isAlive } from '@tenon/test-kit/processes';
import { until } from '@tenon/test-kit/waiting';
import { workFolder } from '@tenon/test-kit/work-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { Companion } from '../src/companion/companion.ts';
import { type DebugBench, openDebugBench } from './support/debug-bench.ts';
import { native, node, python } from './support/languages.ts';

let bench: DebugBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  bench = undefined;
});

/** Processes whose command line holds a text. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
      } catch {
        return false; // It ended while we looked.
      }
    })
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid));
}

const LOOP = `setInterval(() => {}, 1000);\n`;

describe('a debug session', () => {
  it('is one at a time for each agent session, and another agent session has its own', async () => {
    bench = await openDebugBench({ 'a.cjs': node.text });
    await bench.debug('launch', { program: 'a.cjs' });
    expect(await bench.refused('launch', { program: 'a.cjs' })).toMatch(/debug-1 .* is still active.*terminate/s);
    await bench.debug('launch', { program: 'a.cjs' }, 'two');
    expect((await bench.debug('sessions', {}, 'two')).text).toMatch(/^debug-2/);
    await bench.debug('terminate', {}, 'two');
    expect((await bench.debug('sessions')).text).toMatch(/^debug-1/);
    await bench.debug('continue');
    // A program that has ended makes room.
    await bench.debug('launch', { program: 'a.cjs' });
  });

  it('ends with its agent session', async () => {
    bench = await openDebugBench({ 'unlikely-name.cjs': LOOP });
    const path = bench.path('unlikely-name.cjs');
    const place = { session: 'one', cwd: bench.root };
    for (const end of [
      () => bench?.kernel.run(sessionShutdown, place),
      () => bench?.kernel.run(sessionSwitch, { ...place, session: 'three', previous: 'one', reason: 'new' as const }),
    ]) {
      await bench.debug('launch', { program: 'unlikely-name.cjs' });
      expect(processesWith(path).length).toBeGreaterThan(0);
      await end();
      await until(() => processesWith(path).length === 0, 'the program ends');
      expect((await bench.debug('sessions')).text).toBe('There are no debug sessions.');
    }
  });

  it('ends when nobody uses it', async () => {
    bench = await openDebugBench({ 'a.cjs': LOOP });
    const { Debugger } = await import('../src/debugger.ts');
    const { readAdapter } = await import('../src/adapters/definition.ts');
    const sandboxes = { profileFor: async () => 'full' as const, wrap: async () => UNCONFINED };
    const log = { error: () => undefined } as never;
    const sessions = new Debugger({ sandboxes: async () => sandboxes, log, idleMs: 60_000, outputBytes: 1024 });
    const data = { name: 'x', commands: [['node']], transport: 'node-inspector', launch: [] };
    const adapter = readAdapter('node', data, false);
    await sessions.open(
      {
        owner: 'one',
        adapter,
        commands: [[process.execPath]],
        program: bench.path('a.cjs'),
        cwd: bench.root,
        workspace: bench.root,
        request: 'launch',
        template: { program: '{program}', cwd: '{cwd}' },
        fillings: { program: bench.path('a.cjs') },
        breakpoints: [],
      },
      { timeoutMs: 60_000 },
    );
    await sessions.sweep(Date.now() + 30_000);
    expect(sessions.list('one')).toHaveLength(1);
    await sessions.sweep(Date.now() + 90_000);
    expect(sessions.list('one')).toHaveLength(0);
    await until(() => processesWith(bench?.path('a.cjs') ?? '').length === 0, 'the program ends');
    await sessions.close();
  });

  it('is cancelled in the middle without being lost', async () => {
    bench = await openDebugBench({ 'a.cjs': LOOP });
    await bench.debug('launch', { program: 'a.cjs' });
    const stop = new AbortController();
    const waiting = bench.run('debug', { action: 'continue', timeout: 300 }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(waiting).rejects.toThrow('enough');
    expect((await bench.debug('pause')).details.snapshot.state).toBe('stopped');
  });

  it('that cannot begin says why, and leaves nothing', async () => {
    bench = await openDebugBench(
      { 'a.py': '1', 'talker.sh': 'echo hello\n', 'a.talk': '', 'a.gone': '', 'syntax.cjs': 'let let = 1;\n' },
      {
        debugger: {
          adapters: {
            talker: {
              name: 'Talks',
              commands: [['sh', 'talker.sh']],
              launch: [{ extensions: ['.talk'], runs: ['true'], arguments: {} }],
            },
            gone: {
              name: 'Ends',
              commands: [['sh', '-c', 'echo "no licence" >&2; exit 3']],
              launch: [{ extensions: ['.gone'], runs: ['true'], arguments: {} }],
            },
          },
        },
      },
    );
    expect(await bench.refused('launch', {})).toMatch(/launch needs program/);
    expect(await bench.refused('launch', { program: 'missing.py' })).toMatch(/missing\.py cannot be used/);
    expect(await bench.refused('attach', {})).toMatch(/attach needs pid or port/);
    expect(await bench.refused('variables', {})).toMatch(/No program is being debugged/);
    expect(await bench.refused('launch', { program: 'a.talk' })).toMatch(/not a message of the protocol.*hello/s);
    expect(await bench.refused('launch', { program: 'a.gone' })).toMatch(/exit code 3.*no licence/s);
    expect(await bench.refused('attach', { adapter: 'node', port: 9 })).toMatch(/ECONNREFUSED|refused/);
    const ended = await bench.debug('launch', { program: 'syntax.cjs', stop_on_entry: false });
    expect(ended.details.snapshot.state).toBe('ended');
    expect((await bench.debug('output')).text).toMatch(/SyntaxError/);
    expect((await bench.debug('sessions')).text).toMatch(/ended with exit code 1/);
  });
});

describe.skipIf(native.missing !== undefined)('a process that is attached to', () => {
  it('goes on unharmed when the debugger is ended, also with a breakpoint in it', async () => {
    bench = await openDebugBench({ 'loop.c': native.endless.text });
    const program = await native.endless.build(bench);
    const child = spawn(bench.path(program), { stdio: 'ignore' });
    try {
      await bench.debug('attach', { adapter: 'lldb-dap', pid: child.pid });
      const set = await bench.debug('set_breakpoint', { file: 'loop.c', line: 5 });
      expect(set.text).toMatch(/loop\.c:5: set/);
      await bench.kernel.run(sessionShutdown, { session: 'one', cwd: bench.root });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect([isAlive(child.pid ?? 0), child.exitCode, child.signalCode]).toEqual([true, null, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('the companion', () => {
  it('ends everything that it has started, also what has moved itself to another session', async () => {
    const companion = await Companion.start(UNCONFINED, { cwd: process.cwd(), env: process.env });
    const mark = `8${process.pid}`;
    const program = await companion.start({ argv: ['setsid', '-f', 'sleep', mark], cwd: process.cwd() });
    await program.ended;
    await until(() => processesWith(mark).length > 0, 'the program runs');
    await companion.close();
    await until(() => processesWith(mark).length === 0, 'the program ends');
    await expect(companion.start({ argv: ['true'], cwd: '/' })).rejects.toThrow();
  });

  it('says why a program could not be started or connected to', async () => {
    const companion = await Companion.start(UNCONFINED, { cwd: process.cwd(), env: process.env });
    await expect(companion.start({ argv: ['/no/such/program'], cwd: '/' })).rejects.toThrow(/ENOENT/);
    await expect(companion.connect('127.0.0.1', 9, 0)).rejects.toThrow(/ECONNREFUSED/);
    await expect(companion.signal(2 ** 22 + 1, 'SIGUSR1')).rejects.toThrow(/ESRCH|EINVAL/);
    await companion.close();
  });
});

const CASES = [
  { name: 'JavaScript', file: 'kill-me.cjs', text: LOOP, skip: false, build: undefined, at: [] as string[] },
  {
    name: 'Python, stopped at a breakpoint',
    file: 'kill-me.py',
    text: 'import subprocess\nsubprocess.Popen(["sleep", "86399"])\nx = 1\nx = 2\n',
    skip: python.missing !== undefined,
    build: undefined,
    at: ['kill-me.py', '4'],
  },
  {
    name: 'C',
    file: 'kill-me.c',
    text: native.endless.text,
    skip: native.missing !== undefined,
    build: 'kill-me.out',
    at: [],
  },
];

describe('when Tenon itself is killed', () => {
  for (const profile of ['full', 'auto'] as const)
    for (const { name, file, text, skip, build, at } of CASES)
      it.skipIf(skip)(`neither adapter nor program is left behind (${name}, ${profile})`, async () => {
        const work = workFolder();
        mkdirSync(work, { recursive: true });
        const folder = mkdtempSync(join(work, 'debugged-'));
        writeFileSync(join(folder, file), text);
        if (build !== undefined) execFileSync('gcc', ['-g', '-o', build, file], { cwd: folder });
        const host = await buildProgram(join(import.meta.dirname, 'support', 'killed-host.ts'), {
          plugins: ['settings', 'tools', 'urls', 'debugger', 'sandbox'],
        });
        const child = spawn(process.execPath, [host, profile, join(folder, build ?? file), ...at], {
          cwd: inCheckout(),
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { ...process.env, TMPDIR: folder },
        });
        const said = await new Promise<string>((resolve) => {
          child.stdout.once('data', (words) => resolve(String(words)));
          child.once('exit', (code) => resolve(`it ended with ${code}`));
        });
        expect(said).toMatch(/^ready (running|stopped)/);
        const family = descendants(child.pid ?? 0);
        expect(family.length).toBeGreaterThan(2);
        child.kill('SIGKILL');
        await until(() => family.every((pid) => !isAlive(pid)), 'the session ends with Tenon');
        await until(() => processesWith(folder).length === 0, 'nothing of the folder runs');
        rmSync(folder, { recursive: true, force: true });
        expect(existsSync(folder)).toBe(false);
      });
});

function descendants(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry): [number, number][] => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        return [[Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return []; // It ended while we looked.
      }
    });
  const below = (pid: number): number[] =>
    parents.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(root);
}
