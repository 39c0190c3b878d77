/** When servers start and stop, who shares them, and what they cannot do. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '@tenon/test-kit/built-program';
import { foldersIn } from '@tenon/test-kit/kernel';
import { isAlive } from '@tenon/test-kit/processes';
import { inCheckout } from '@tenon/test-kit/plugins';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { workFolder } from '@tenon/test-kit/work-folder';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServerPool } from '../src/servers/pool.ts';

const PLUGINS = ['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
const FAKE = join(import.meta.dirname, 'fake-server.mjs');
/** Other tests use the same server at the same time. */
const MARK = `lifecycle-${process.pid}`;
const loads = vi.hoisted(() => ({ desk: 0, rpc: 0 }));
vi.mock('../src/servers/desk.ts', (original) => {
  loads.desk++;
  return original();
});
vi.mock('../src/servers/json-rpc.ts', (original) => {
  loads.rpc++;
  return original();
});

let bench: Workbench;
let isOpen = false;
afterEach(async () => {
  if (isOpen) await bench.dispose();
  isOpen = false;
});

async function open(command = process.execPath, settings: Record<string, unknown> = {}): Promise<Workbench> {
  const fake = { command, args: [FAKE, 'plain', MARK], languages: { '.fake': 'fake' } };
  bench = await openWorkbench(PLUGINS, {
    ownFolder: '.local',
    files: { 'a.fake': 'one two\n', 'b.fake': 'x\n', 'plain.txt': 'text\n' },
    settings: { lsp: { servers: { fake }, ...settings } },
  });
  isOpen = true;
  // So that the test also runs where no sandbox works.
  if (command === process.execPath) await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
  return bench;
}

/** The processes that this one has started for servers. */
function servers(mark = MARK): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark) && isAlive(pid);
      } catch {
        return false; // It ended while we looked.
      }
    });
}

const at = { file: 'a.fake', line: 1, symbol: 'one' };

describe('language servers', () => {
  it('cost nothing while no server fits: neither code nor processes', async () => {
    await open();
    expect(await bench.ok('write', { path: 'plain.txt', content: 'more\n' })).toMatch(
      /^Updated plain\.txt \(1 line, 5B\)\n\[This replaced .*\]$/,
    );
    expect(bench.kernel.status().find(({ id }) => id === 'lsp')?.state).toBe('active');
    expect(loads).toEqual({ desk: 0, rpc: 0 });
    expect(servers()).toEqual([]);
    await bench.ok('lsp', { action: 'status' });
    expect(loads).toEqual({ desk: 1, rpc: 0 });
    await bench.ok('lsp', { action: 'hover', ...at });
    expect(loads).toEqual({ desk: 1, rpc: 1 });
  });

  it('are shared by all sessions, also when both ask at once', async () => {
    await open();
    await Promise.all(['one', 'two', 'three'].map((session) => bench.ok('lsp', { action: 'hover', ...at }, session)));
    const inner = servers().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(process.execPath));
    expect(inner).toHaveLength(1);
  });

  it('end when the plugin is unloaded', async () => {
    await open();
    await bench.ok('lsp', { action: 'hover', ...at });
    expect(servers().length).toBeGreaterThan(0);
    isOpen = false;
    await bench.dispose();
    await until(() => servers().length === 0, 'the end of the server');
  });

  it('that end with Tenon are no failures; those that end by themselves are logged', async () => {
    const folder = temporaryFolder('pool');
    const said: string[] = [];
    const warn = (text: string) => void said.push(text);
    const pool = new ServerPool({
      folders: foldersIn(folder),
      config: { idleMinutes: 10 } as never,
      log: { debug: () => undefined, info: () => undefined, warn, error: warn } as never,
      env: process.env,
      sandboxes: async () => undefined,
    });
    const data = { command: process.execPath, args: [FAKE, 'plain', MARK], languages: { '.fake': 'fake' } };
    const program = { words: [process.execPath], path: process.execPath, reads: [], ofProject: false };
    const start = (name: string) => pool.get({ name, data, root: folder } as never, program);
    await start('first');
    const lost = await start('second');
    lost.process.kill('it is gone');
    await lost.process.ended;
    await until(() => said.length > 0, 'the word about the server that was lost');
    await pool.close();
    expect(said).toEqual([`language server second ${folder}: it is gone`]);
  });

  it('cannot change the workspace, and read it as it is', async ({ skip }) => {
    await open();
    const state = await bench.ok('lsp', { action: 'request', file: 'a.fake', query: 'fake/state' });
    expect(state).toContain('one two');
    const isConfined = servers().some((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bwrap'));
    if (!isConfined) return skip('no sandbox works here, so nothing keeps a server from writing');
    const tried = await bench.ok('lsp', { action: 'request', file: 'a.fake', query: 'fake/write', payload: '{}' });
    expect(tried).toContain('EROFS');
    expect(readdirSync(bench.root)).not.toContain('written-by-server');
  });

  it('are stopped when nobody has used them for a while, and start again when somebody does', async () => {
    await open(process.execPath, { idleMinutes: 0.01 });
    await bench.ok('lsp', { action: 'hover', ...at });
    await until(() => servers().length === 0, 'the end of the idle server');
    expect(await bench.ok('lsp', { action: 'hover', ...at })).toBe('hello');
  });

  it('are told what other programs have done to the files', async () => {
    await open();
    await bench.ok('lsp', { action: 'hover', ...at });
    bench.put('a.fake', 'changed outside\n');
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toContain('changed outside');
    expect(await bench.ok('lsp', { action: 'hover', ...at, symbol: 'outside' })).toBe('hello');
  });

  it('of the project run only where the folder is trusted', async () => {
    await open('fake-lsp');
    const bin = bench.path('node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'fake-lsp'), `#!/bin/sh\nexec "${process.execPath}" "${FAKE}" plain ${MARK}\n`);
    chmodSync(join(bin, 'fake-lsp'), 0o755);
    expect(await bench.fails('lsp', { action: 'hover', ...at })).toMatch(
      /programs of an untrusted folder are not used|only in a folder that the user trusts/,
    );
    await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
    expect(await bench.ok('lsp', { action: 'hover', ...at })).toBe('hello');
  });

  it('that a file of the project configures run only where the folder is trusted, and never in place of others', async () => {
    const configured = { command: process.execPath, args: [FAKE, 'plain', MARK] };
    const servers = {
      mine: { ...configured, extensionToLanguage: { '.mine': 'mine' } },
      bash: { ...configured, extensionToLanguage: { '.sh': 'shellscript' } },
    };
    bench = await openWorkbench([...PLUGINS, 'discovery'], {
      ownFolder: '.local',
      files: { 'a.mine': 'one two\n', '.tenon/lsp.json': JSON.stringify({ servers }) },
    });
    isOpen = true;
    const hover = { action: 'hover', file: 'a.mine', line: 1, symbol: 'one' };
    expect(await bench.fails('lsp', hover)).toContain('No language server fits a.mine');
    await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
    expect(await bench.ok('lsp', hover)).toBe('hello');
    const status = await bench.ok('lsp', { action: 'status' });
    expect(status).toContain('mine: running');
  });

  it.each(['full', 'auto'])('end with Tenon when it is killed (sandbox: %s)', async (profile) => {
    const work = workFolder();
    mkdirSync(work, { recursive: true });
    const folder = mkdtempSync(join(work, 'killed-'));
    const program = await buildProgram(join(import.meta.dirname, 'support', 'killed-host.ts'), {
      plugins: ['settings', 'tools', 'urls', ...PLUGINS],
    });
    const mark = `orphan-${process.pid}-${profile}`;
    const host = spawn(process.execPath, [program, profile, FAKE, mark], {
      cwd: inCheckout(),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    });
    const said = await new Promise<string>((resolve) => {
      host.stdout.once('data', (text) => resolve(String(text)));
      host.once('exit', (code) => resolve(`it ended with ${code}`));
    });
    expect(said).toBe('ready\n');
    expect(servers(mark).filter((pid) => pid !== host.pid).length).toBeGreaterThan(0);
    host.kill('SIGKILL');
    await until(() => servers(mark).length === 0, 'the end of the server');
    rmSync(folder, { recursive: true, force: true });
  });
});
