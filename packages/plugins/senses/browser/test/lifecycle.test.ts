import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sessionShutdown, sessionSwitch } from '@tenon/agent/api';
import { buildProgram } from '@tenon/test-kit/built-program';
import { inCheckout } from '@tenon/test-kit/plugins';
import { until } from '@tenon/test-kit/waiting';
import { workFolder } from '@tenon/test-kit/work-folder';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import { toolRunner } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { chromium, openBrowserBench, processesWith, serve } from './browser-bench.ts';

const SITE = {
  '/': '<title>Home</title><script>document.cookie = "seen=1; max-age=9999"; localStorage.kept = (Number(localStorage.kept ?? 0) + 1);</script>',
};

async function openPage(settings: Record<string, unknown> = {}, sandbox = 'full') {
  const site = await serve(SITE);
  const bench = await openBrowserBench({ allowHosts: [site.host], ...settings }, { sandbox });
  await bench.ok('browser', { action: 'open', url: site.origin });
  return { bench, site };
}

const folders = (bench: Workbench) => join(bench.home, 'own', 'browser');
const processes = (bench: Workbench) => processesWith(folders(bench));

describe.skipIf(chromium === undefined)('the life of a browser', () => {
  it('ends with its session, and takes its files along', async () => {
    const { bench, site } = await openPage();
    expect(processes(bench).length).toBeGreaterThan(2);
    await bench.ok('browser', { action: 'open', url: site.origin }, 'two');
    await bench.kernel.run(sessionShutdown, { session: 'one', cwd: bench.root });
    expect(readdirSync(folders(bench)).length).toBe(1);
    await bench.kernel.run(sessionSwitch, { session: 'three', previous: 'two', cwd: bench.root, reason: 'new' });
    await until(() => processes(bench).length === 0, 'the end of both browsers');
    expect(readdirSync(folders(bench))).toEqual([]);
  });

  it('ends with the plugin, also while it starts', async () => {
    const { bench } = await openPage();
    const starting = bench.run('browser', { action: 'open' }, { session: 'two' });
    const settled = starting.then(textOf, String);
    await until(() => readdirSync(folders(bench)).length === 2, 'the second start');
    await bench.kernel.unload('browser');
    await until(() => processes(bench).length === 0, 'the end of the browsers');
    expect(await settled).toMatch(/not available|did not start|unloaded|has ended|Opened/);
    expect(readdirSync(folders(bench))).toEqual([]);
  });

  it('says that it crashed, and the next call opens another one', async () => {
    const { bench, site } = await openPage();
    const main = processes(bench).find((pid) => isMain(pid));
    process.kill(main ?? 0, 'SIGKILL');
    await until(() => processes(bench).filter(isMain).length === 0, 'the crash');
    const text = await bench.fails('browser', { action: 'observe' });
    expect(text).toMatch(/no tab "main"|has ended/);
    expect(text).toMatch(/The last browser has ended|start/);
    expect(await bench.ok('browser', { action: 'open', url: site.origin })).toMatch(/Opened tab "main"/);
  });

  it('reports a page that crashes, and goes on', async () => {
    const { bench, site } = await openPage();
    await bench.ok('browser', { action: 'open', name: 'other', url: site.origin });
    for (const pid of processes(bench)) if (isRenderer(pid)) process.kill(pid, 'SIGKILL');
    await until(
      async () => /No tabs are open/.test(await bench.ok('browser', { action: 'tabs' })),
      'the end of the tabs',
    );
    expect(await bench.ok('browser', { action: 'open', url: site.origin })).toMatch(/Opened tab "main".*"Home"/);
  });

  it('stops at once when its call is cancelled', async () => {
    const { bench } = await openPage();
    const controller = new AbortController();
    const running = bench.run('browser', { action: 'run', code: 'while (true);' }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(running).rejects.toThrow('enough');
    expect(await bench.ok('browser', { action: 'run', code: '1 + 1' })).toMatch(/\n2\n/);
  });

  it('keeps nothing from one browser to the next, unless the user wants it', async () => {
    const count = async (bench: Workbench) =>
      /\n(\d+)\n/.exec(await bench.ok('browser', { action: 'run', code: 'localStorage.kept' }))?.[1];
    for (const [keepProfile, kept] of [
      [false, '1'],
      [true, '2'],
    ] as const) {
      const { bench, site } = await openPage({ keepProfile });
      expect(await count(bench)).toBe('1');
      await bench.ok('browser', { action: 'close', all: true });
      await bench.ok('browser', { action: 'open', url: site.origin });
      expect(await count(bench)).toBe(kept);
    }
  });

  it('works by hand, without a session', async () => {
    const site = await serve(SITE);
    const bench = await openBrowserBench({ allowHosts: [site.host] });
    const runner = await bench.kernel.find(toolRunner);
    const steps = [{ action: 'open', url: site.origin }, { action: 'get_html' }];
    expect(textOf(await runner.run('browser', { steps }))).toMatch(/1\. Opened[\s\S]*<title>Home<\/title>/);
  });

  it('connects to a browser that runs, and leaves it running', async () => {
    const site = await serve(SITE);
    const folder = mkdtempSync(join(workRoot(), 'attached-'));
    const child = spawn(
      chromium ?? '',
      ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${folder}`, site.origin],
      { stdio: 'ignore', detached: true },
    );
    try {
      const file = join(folder, 'DevToolsActivePort');
      await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('\n'), 'the port of the browser');
      const [port] = readFileSync(file, 'utf8').split('\n');
      const bench = await openBrowserBench({ cdpUrl: `http://127.0.0.1:${port}`, allowHosts: [site.host] });
      expect(await bench.ok('browser', { action: 'open', target: 'home' })).toMatch(/Opened tab "main": .*"Home"/);
      expect(await bench.fails('browser', { action: 'goto', url: 'http://127.0.0.1:9999' })).toMatch(/was refused/);
      expect(await bench.fails('browser', { action: 'open', name: 'x', target: 'nowhere' })).toMatch(
        /No page of the connected/,
      );
      await bench.kernel.unload('browser');
      expect((await fetch(`http://127.0.0.1:${port}/json/version`)).status).toBe(200);
      const lost = await openBrowserBench({ cdpUrl: 'http://127.0.0.1:9' });
      expect(await lost.fails('browser', { action: 'open' })).toMatch(/No browser answers at/);
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await until(() => processesWith(folder).length === 0, 'the end of the other browser');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('removes what a Tenon that was killed has left', async () => {
    const site = await serve(SITE);
    const bench = await openBrowserBench({ allowHosts: [site.host] });
    // Process ids end below this number.
    mkdirSync(join(folders(bench), '4999999-dead', 'data'), { recursive: true });
    await bench.ok('browser', { action: 'open', url: site.origin });
    expect(readdirSync(folders(bench)).map((name) => name.split('-')[0])).toEqual([String(process.pid)]);
  });

  it('says which browsers it looked for', async () => {
    const bench = await openBrowserBench({ program: 'no-such-browser' });
    expect(await bench.fails('browser', { action: 'open' })).toMatch(/browser\.program names "no-such-browser"/);
  });

  for (const sandbox of ['full', 'auto']) {
    it(`leaves no process behind when Tenon is killed (${sandbox})`, async () => {
      const folder = mkdtempSync(join(workRoot(), 'killed-'));
      const program = await buildProgram(join(import.meta.dirname, 'support', 'killed-host.ts'), {
        plugins: ['settings', 'tools', 'urls', 'browser', 'sandbox', 'documents', 'web-tools'],
      });
      const host = spawn(process.execPath, [program, sandbox], {
        cwd: inCheckout(),
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR: folder },
      });
      const said = await new Promise<string>((resolve) => {
        host.stdout.once('data', (text) => resolve(String(text).trim()));
        host.once('exit', (code) => resolve(`it ended with ${code}`));
      });
      expect(said).toMatch(/^\//);
      expect(processesWith(folder).length).toBeGreaterThan(3);
      host.kill('SIGKILL');
      await until(() => processesWith(folder).length === 0, 'the end of everything');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });
  }
});

/** Sandboxes replace /tmp. */
function workRoot(): string {
  const folder = workFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It ended just now.
  }
}

const isMain = (pid: number) =>
  commandOf(pid).includes('--remote-debugging-pipe') && !/--type=|sh\0/.test(commandOf(pid));
const isRenderer = (pid: number) => commandOf(pid).includes('--type=renderer');
