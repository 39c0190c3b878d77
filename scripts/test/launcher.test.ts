/** Runs the real launcher and the real set-up in small checkouts of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { REPOSITORY } from '../workspace.mjs';

const BUBBLEWRAP = '/usr/bin/bwrap';
let checkouts: string;
let checkout: string;

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(command: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  // A machine without Rust: these checkouts have nothing to compile, and cargo would find the repository around them.
  const env = {
    ...process.env,
    // Whoever runs the tests may have set it for the repository; these checkouts have to be set up.
    TENON_SKIP_SETUP: undefined,
    RUSTC: join(checkout, 'no-rustc'),
    TENON_CACHE_DIR: join(checkout, 'cache'),
    ...options.env,
  };
  const child = spawn(command, args, { cwd: options.cwd ?? checkout, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, ended: collect(child) };
}

function collect(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

const tenon = (args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  start(join(checkout, 'tenon'), args, options).ended;

function writeProgram(text: string): void {
  writeFileSync(join(checkout, 'packages/cli/src/main.ts'), text);
}

function locks(): string[] {
  return readdirSync(join(checkout, '.setup')).filter((name) => name.includes('lock'));
}

/** A compiler that works until it is told to finish; the real one takes minutes. */
function scriptedCompiler(end: 'built' | 'failed'): { env: NodeJS.ProcessEnv; finish: () => void } {
  const [rustc, cargo, signal] = ['rustc', 'cargo', 'finish'].map((name) => join(checkout, `scripted-${name}`)) as [
    string,
    string,
    string,
  ];
  const artifact = {
    reason: 'compiler-artifact',
    package_id: 'tenon-native',
    target: { name: 'tenon_native', kind: ['cdylib'] },
    filenames: [join(checkout, 'built.so')],
  };
  const ending =
    end === 'failed'
      ? 'echo "error: it does not compile" >&2; exit 101'
      : `mkdir -p "\${CARGO_TARGET_DIR:-target}"; echo addon > built.so; echo '${JSON.stringify(artifact)}'`;
  writeFileSync(rustc, '#!/bin/sh\nprintf "release: 1.0.0\\nhost: here\\n"\n', { mode: 0o755 });
  writeFileSync(
    cargo,
    `#!/bin/sh\n[ "$1" = tree ] && exit 0\nwhile [ ! -e '${signal}' ]; do sleep 0.05; done\n${ending}\n`,
    { mode: 0o755 },
  );
  return { env: { RUSTC: rustc, CARGO: cargo }, finish: () => writeFileSync(signal, '') };
}

beforeAll(() => {
  // Inside the repository, so that esbuild is found: what these checkouts install is a link to themselves.
  mkdirSync(join(REPOSITORY, '.setup'), { recursive: true });
  checkouts = mkdtempSync(join(REPOSITORY, '.setup', 'test-'));
});

afterAll(() => {
  rmSync(checkouts, { recursive: true, force: true });
});

beforeEach(() => {
  checkout = mkdtempSync(join(checkouts, 'checkout-'));
  cpSync(join(REPOSITORY, 'tenon'), join(checkout, 'tenon'));
  cpSync(join(REPOSITORY, 'scripts'), join(checkout, 'scripts'), {
    recursive: true,
    filter: (path) => !path.endsWith(join('scripts', 'test')),
  });
  mkdirSync(join(checkout, 'packages/cli/src'), { recursive: true });
  const root = { name: 'small', version: '1.0.0', private: true, type: 'module', workspaces: ['packages/cli'] };
  const cli = { name: '@small/cli', version: '1.0.0', type: 'module' };
  const link = { resolved: 'packages/cli', link: true };
  const packages = { '': root, 'node_modules/@small/cli': link, 'packages/cli': cli };
  const lock = { name: root.name, version: root.version, lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(root));
  writeFileSync(join(checkout, 'packages/cli/package.json'), JSON.stringify(cli));
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock));
  writeProgram('process.stdout.write(`ran ${JSON.stringify(process.argv.slice(2))}`);');
});

describe('./tenon', () => {
  it('sets up on the first run with its progress on stderr, and is silent on the second', async () => {
    const first = await tenon(['hello', 'two words']);
    expect(first.stdout).toBe('ran ["hello","two words"]');
    expect(first.stderr).toContain('tenon set-up: program');
    expect(first.code).toBe(0);

    const second = await tenon(['again']);
    expect(second).toEqual({ code: 0, stdout: 'ran ["again"]', stderr: '' });
  });

  it('tells the version from the manifest once the program is there, whatever has changed since', async () => {
    const first = await tenon(['--version']);
    expect([first.stdout, first.stderr]).toEqual([
      'ran ["--version"]',
      expect.stringContaining('tenon set-up: program'),
    ]);
    writeFileSync(
      join(checkout, 'packages/cli/package.json'),
      JSON.stringify({ name: '@small/cli', version: '2.0.0' }),
    );
    const told = { code: 0, stdout: 'tenon 2.0.0\n', stderr: '' };
    expect([await tenon(['--version']), await tenon(['-V'])]).toEqual([told, told]);
  });

  it('says that the twins serve when the addon cannot be built, runs, and does not try again', async () => {
    const first = await tenon([]);
    expect(first.stderr).toContain('no native addon:');
    expect(first.stderr).toContain('the JavaScript twins serve instead');
    expect(first.stdout).toBe('ran []');
    expect((await tenon([])).stderr).toBe('');
  });

  it('answers before the addon is built, tells of the build once, and keeps nothing of the compiler', async () => {
    const { env, finish } = scriptedCompiler('built');
    const first = await tenon(['now'], { env });
    expect(first.stdout).toBe('ran ["now"]');
    expect(first.stderr).toContain('being built in the background');
    await until(() => existsSync(join(checkout, '.setup/addon.lock')), 'the build in the background');
    expect(await tenon(['meanwhile'], { env })).toEqual({ code: 0, stdout: 'ran ["meanwhile"]', stderr: '' });
    finish();
    await until(() => existsSync(join(checkout, 'native/tenon.node')) && locks().length === 0, 'the addon');
    expect([existsSync(join(checkout, 'target')), existsSync(join(checkout, '.setup/target'))]).toEqual([false, false]);
    expect(await tenon(['later'], { env })).toEqual({ code: 0, stdout: 'ran ["later"]', stderr: '' });
  });

  it('tells once that a build in the background failed', async () => {
    const { env, finish } = scriptedCompiler('failed');
    await tenon([], { env });
    await until(() => existsSync(join(checkout, '.setup/addon.lock')), 'the build in the background');
    finish();
    await until(() => locks().length === 0, 'the end of the build');
    const next = await tenon([], { env });
    expect(next.stdout).toBe('ran []');
    expect(next.stderr).toContain('no native addon: cargo build failed: error: it does not compile');
    expect(next.stderr).toContain('npm run setup');
    expect((await tenon([], { env })).stderr).toBe('');
  });

  it('waits for a build where the compiler has only little to do', async () => {
    const { env, finish } = scriptedCompiler('built');
    mkdirSync(join(checkout, 'target/release'), { recursive: true });
    finish();
    const first = await tenon([], { env });
    expect(first.stderr).toContain('native addon: built');
    expect(existsSync(join(checkout, 'native/tenon.node'))).toBe(true);
  });

  it('runs through a symbolic link, from any folder', async () => {
    await tenon([]);
    const folder = mkdtempSync(join(tmpdir(), 'tenon-link-'));
    try {
      symlinkSync(join(checkout, 'tenon'), join(folder, 'direct'));
      symlinkSync('direct', join(folder, 'relative'));
      const ended = await start('./relative', ['x'], { cwd: folder }).ended;
      expect(ended).toEqual({ code: 0, stdout: 'ran ["x"]', stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('builds again after a source changed, and leaves no temporary file', async () => {
    await tenon([]);
    writeProgram("const text = await import('./late.ts'); process.stdout.write(text.late);");
    writeFileSync(join(checkout, 'packages/cli/src/late.ts'), "export const late = 'late chunk';");
    expect((await tenon([])).stdout).toBe('late chunk');
    const written = readdirSync(join(checkout, 'packages/cli/dist'), { recursive: true }).map(String);
    expect(written.filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('names file and line of a source that cannot be built, and recovers when it is corrected', async () => {
    writeProgram('const broken = ;');
    const broken = await tenon([]);
    expect(broken.code).toBe(69);
    expect(broken.stdout).toBe('');
    expect(broken.stderr).toContain('packages/cli/src/main.ts:1:');
    writeProgram("process.stdout.write('fine');");
    expect((await tenon([])).stdout).toBe('fine');
  });

  it('passes the exit code of the program on', async () => {
    writeProgram('process.exitCode = 42;');
    expect((await tenon([])).code).toBe(42);
  });

  it('serves several first runs at once, one of which sets up', async () => {
    const all = await Promise.all([tenon(['1']), tenon(['2']), tenon(['3'])]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(all.map(({ stdout }) => stdout)).toEqual(['ran ["1"]', 'ran ["2"]', 'ran ["3"]']);
    const builders = all.filter(({ stderr }) => stderr.includes('program: done'));
    expect(builders).toHaveLength(1);
    expect(locks()).toEqual([]);
  });

  it('takes over the lock of a set-up that was killed', async () => {
    const gone = start('true', []);
    await gone.ended;
    mkdirSync(join(checkout, '.setup'));
    writeFileSync(join(checkout, '.setup/program.lock'), JSON.stringify({ pid: gone.child.pid, host: hostname() }));
    expect((await tenon(['x'])).stdout).toBe('ran ["x"]');
  });

  it('ends at once on Ctrl-C during set-up, and the next run completes it', async () => {
    // A compiler that does not answer keeps set-up busy.
    const slow = join(checkout, 'slow-rustc');
    writeFileSync(slow, '#!/bin/sh\nexec sleep 30\n', { mode: 0o755 });
    const run = start(join(checkout, 'tenon'), [], { env: { RUSTC: slow } });
    while (!existsSync(join(checkout, '.setup/addon.lock'))) await sleep(20);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toBe('');
    expect(locks()).toEqual([]);
    expect((await tenon([])).stdout).toBe('ran []');
  });

  it('skips set-up when told to, and says what is missing', async () => {
    const ended = await tenon([], { env: { TENON_SKIP_SETUP: '1' } });
    expect(ended.code).toBe(78);
    expect(ended.stderr).toContain('npm run setup');
  });

  it('passes over a Node that is too old', async () => {
    const old = join(checkout, 'old-node');
    writeFileSync(old, '#!/bin/sh\necho v18.20.0\n', { mode: 0o755 });
    expect((await tenon(['x'], { env: { TENON_NODE: old } })).stdout).toBe('ran ["x"]');
  });

  it('runs what was built before when the checkout became read-only', async ({ skip }) => {
    skip(!existsSync(BUBBLEWRAP), 'bubblewrap is not installed, and permissions do not bind root');
    await tenon([]);
    writeProgram("process.stdout.write('newer');");
    const readOnly = ['--dev-bind', '/', '/', '--ro-bind', checkout, checkout, join(checkout, 'tenon'), 'x'];
    const ended = await start(BUBBLEWRAP, readOnly).ended;
    expect(ended.stdout).toBe('ran ["x"]');
    expect(ended.stderr).toContain('cannot be written');
  });

  it('says what to do when a read-only checkout was never set up', async ({ skip }) => {
    skip(!existsSync(BUBBLEWRAP), 'bubblewrap is not installed, and permissions do not bind root');
    const readOnly = ['--dev-bind', '/', '/', '--ro-bind', checkout, checkout, join(checkout, 'tenon')];
    const ended = await start(BUBBLEWRAP, readOnly).ended;
    expect(ended.code).toBe(69);
    expect(ended.stderr).toContain('Make the checkout writable');
  });
});
