/** The life of kernels: how many, how long, under which sandbox, and that none is left behind. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sessionShutdown } from '@tenon/agent/api';
import { type Profile, UNCONFINED } from '@tenon/sandbox/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { inCheckout } from '@tenon/test-kit/plugins';
import { isAlive } from '@tenon/test-kit/processes';
import { workFolder } from '@tenon/test-kit/work-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { findPython, kernelCommand } from '../src/kernels/languages.ts';
import { type EvalBench, openEvalBench } from './support/eval-bench.ts';

let bench: EvalBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  bench = undefined;
});

const open = UNCONFINED;

function pool(options: { maxKernels?: number; idleMs?: number; profile?: () => Profile } = {}) {
  return new KernelPool({
    maxKernels: options.maxKernels ?? 4,
    idleMs: options.idleMs ?? 60_000,
    obstacle: async (_, { confinement }) =>
      options.profile && options.profile() !== confinement.profile ? 'the profile has changed' : undefined,
    prepare: async ({ cwd, language }) => ({
      ...kernelCommand(language, cwd, { python: undefined, env: process.env }),
      cwd,
      confinement: open,
    }),
  });
}

const owner = (session: string) => ({ session, cwd: process.cwd(), language: 'python' as const });
const use = (kernels: KernelPool, session: string, reset = false) =>
  kernels.use(owner(session), reset, async ({ kernel, lost }) => ({ pid: kernel.pid ?? 0, lost }));

describe('kernels', () => {
  it('are kept for their session, and new after a reset', async () => {
    const kernels = pool();
    const first = await use(kernels, 'a');
    expect(await use(kernels, 'a')).toEqual(first);
    const other = await use(kernels, 'b');
    expect(other.pid).not.toBe(first.pid);
    const again = await use(kernels, 'a', true);
    expect(again.pid).not.toBe(first.pid);
    expect(again.lost).toBeUndefined();
    await kernels.close();
    await expect.poll(() => [first, other, again].filter(({ pid }) => isAlive(pid))).toEqual([]);
    await expect(use(kernels, 'c')).rejects.toMatchObject({ code: 'EVAL_CLOSED' });
  });

  it('are limited in number: the one that was used longest ago gives way, and its session is told', async () => {
    const kernels = pool({ maxKernels: 2 });
    const [a] = [await use(kernels, 'a'), await use(kernels, 'b')];
    await use(kernels, 'a');
    await use(kernels, 'c');
    expect(kernels.size).toBe(2);
    expect((await use(kernels, 'a')).pid).toBe(a?.pid);
    expect((await use(kernels, 'b')).lost).toMatch(/another one was needed/);
    await kernels.close();
  });

  it('are ended when nobody has used them for long', async () => {
    const kernels = pool({ idleMs: 60_000 });
    const { pid } = await use(kernels, 'a');
    await kernels.sweep(Date.now() + 30_000);
    expect(isAlive(pid)).toBe(true);
    await kernels.sweep(Date.now() + 90_000);
    expect(isAlive(pid)).toBe(false);
    expect((await use(kernels, 'a')).lost).toBe('it was not used for 1 minutes');
    await kernels.close();
  });

  it('are new when the sandbox profile has changed', async () => {
    let profile: Profile = 'full';
    const kernels = pool({ profile: () => profile });
    const { pid } = await use(kernels, 'a');
    profile = 'read-only';
    const next = await use(kernels, 'a');
    expect([next.pid === pid, next.lost]).toEqual([false, 'the profile has changed']);
    await kernels.close();
  });

  it('end with their session', async () => {
    bench = await openEvalBench();
    const pid = Number(await bench.cells('*** Cell py\nimport os\nos.getpid()', 'short'));
    await bench.kernel.run(sessionShutdown, { session: 'short', cwd: bench.root } as never);
    expect(isAlive(pid)).toBe(false);
  });

  it('say why when they cannot be started', async () => {
    bench = await openEvalBench({ 'eval-tools': { python: '/nowhere/python' } });
    expect(await bench.fails('eval', { input: '*** Cell py\n1' })).toMatch(
      /No Python was found: eval-tools\.python names "\/nowhere\/python"[^]*Install python3/,
    );
    expect(() => findPython('/', undefined, { PATH: '/nowhere' })).toThrow(
      expect.objectContaining({ code: 'EVAL_NO_PYTHON' }),
    );
    await bench.dispose();
    bench = await openEvalBench({ 'eval-tools': { python: '/bin/false' } });
    expect(await bench.fails('eval', { input: '*** Cell py\n1' })).toMatch(
      /python kernel could not be started: it ended with exit code 1/,
    );
  });
});

describe('kernels in a real sandbox', () => {
  it('change the workspace and nothing else, and have no network', async (context) => {
    const work = workFolder();
    mkdirSync(work, { recursive: true });
    const outside = mkdtempSync(join(work, 'eval-'));
    bench = await openEvalBench({ sandbox: { profile: 'workspace-write' } });
    const { text, result } = await bench.call('*** Cell py\nopen("inside.txt", "w").write("x")');
    if (result.isError && /cannot be enforced/.test(text)) return context.skip();
    expect([text, bench.get('inside.txt')]).toEqual(['1', 'x']);
    const python = await bench.call(`*** Cell py\nopen(${JSON.stringify(join(outside, 'x'))}, "w")`);
    expect(python.text).toMatch(/OSError|PermissionError[^]*\[Sandbox workspace-write/);
    const javascript = await bench.call(
      `*** Cell js\nrequire("fs").writeFileSync(${JSON.stringify(join(outside, 'x'))}, "")`,
    );
    expect(javascript.text).toMatch(/EROFS|EACCES[^]*\[Sandbox workspace-write/);
    expect(javascript.details.sandbox).toMatch(/^Sandbox workspace-write/);
    const net = await bench.call(
      '*** Cell js\nawait fetch("http://127.0.0.1:59999/").catch((e) => e.cause?.code)\n*** Cell py\nimport socket\ntry: socket.create_connection(("192.0.2.1", 80), 2)\nexcept OSError as e: print(e.strerror or e)',
    );
    expect(net.text).toMatch(/ECONNREFUSED|EACCES|EPERM|ENETUNREACH/);
    expect(net.text).toMatch(/unreachable|Permission denied|timed out/);
    expect(existsSync(join(outside, 'x'))).toBe(false);
    // A stopped cell keeps its kernel there too.
    await bench.call('*** Cell py t:1s\nwhile True: pass\n');
    expect(await bench.cells('*** Cell py\nsocket.__name__')).toBe("'socket'");
    rmSync(outside, { recursive: true, force: true });
  });

  it('work under Landlock as well', async (context) => {
    bench = await openEvalBench({ sandbox: { profile: 'read-only', mechanism: 'landlock' } });
    const { text, result } = await bench.call(
      '*** Cell py\n6 * 7\n*** Cell js\nawait 1; 6 * 7\n*** Cell py\nopen("x", "w")',
    );
    if (result.isError && /cannot be enforced/.test(text)) return context.skip();
    expect(text).toMatch(/^\[1\/3\]\n42\n\[2\/3\]\n42\n\[3\/3\]\n[^]*PermissionError/);
  });
});

describe('when Tenon itself is killed', () => {
  for (const profile of ['full', 'auto'] as const) {
    it(`no kernel and nothing that it started is left behind (${profile})`, async () => {
      const work = workFolder();
      mkdirSync(work, { recursive: true });
      const folder = mkdtempSync(join(work, 'killed-'));
      const program = await buildProgram(join(import.meta.dirname, 'support', 'killed-host.ts'), {
        plugins: ['settings', 'tools', 'urls', 'eval-tools', 'sandbox'],
      });
      const mark = `${process.pid}${profile === 'full' ? 1 : 2}`;
      const host = spawn(process.execPath, [program, profile, mark], {
        cwd: inCheckout(),
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR: folder },
      });
      const said = await new Promise<string>((resolve) => {
        host.stdout.once('data', (text) => resolve(String(text)));
        host.once('exit', (code) => resolve(`it ended with ${code}`));
      });
      expect(said).toBe('ready\n');
      const family = descendants(host.pid ?? 0);
      const sleepers = () => [...processes()].filter(([, { line }]) => line === `sleep 7${mark}`).map(([pid]) => pid);
      expect(sleepers().length).toBe(2);
      expect(family.length).toBeGreaterThan(4);
      host.kill('SIGKILL');
      await expect.poll(() => [...family.filter(isAlive), ...sleepers()]).toEqual([]);
      rmSync(folder, { recursive: true, force: true });
    });
  }
});

function processes(): Map<number, { parent: number; line: string }> {
  const found = new Map<number, { parent: number; line: string }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      found.set(Number(name), { parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), line });
    } catch {
      continue; // It ended while we looked.
    }
  }
  return found;
}

function descendants(root: number): number[] {
  const all = [...processes()];
  const below = (pid: number): number[] =>
    all.filter(([, { parent }]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(root);
}
