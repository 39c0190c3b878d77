import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { buildSync } from 'esbuild';
import { isAlive } from '@tenon/test-kit/processes';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { createAccelerators } from '../src/accelerators.ts';
import { findAddon } from '../src/loader.ts';
import type { SelfPolicy } from '../src/sandbox/contract.ts';
import { createJs } from '../src/sandbox/js.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const CHILD = join(HERE, 'sandbox-child.mjs');
const { path: addonPath, attempts } = findAddon();
const set = createAccelerators();
const js = createJs();
const probe = await (addonPath ? await set.load('sandbox', 'native') : js).probe();
const canRestrict = addonPath !== undefined && probe.landlock.available && probe.seccomp.available;
const why = canRestrict ? '' : ` (skipped: ${attempts.map((a) => a.reason).join('; ')} ${probe.landlock.detail})`;

let folder: string;
let built: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-sandbox-')));
  for (const name of ['read', 'write', 'secret']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'read', 'file'), 'readable');
  writeFileSync(join(folder, 'secret', 'key'), 'private');
  built = join(folder, 'sandbox.mjs');
  const entryPoints = [join(HERE, '..', 'src', 'sandbox', 'native.ts')];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: built });
  server = createServer((socket) => socket.on('error', () => socket.destroy()).end());
  port = await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
});

afterEach(() => vi.unstubAllEnvs());

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

// A certificate file named in the environment would have to be in every policy of these tests.
const { NODE_EXTRA_CA_CERTS: _certificates, ...childEnv } = process.env;

type Attempt = [name: string, argument?: unknown];

function childPolicy(extra: SelfPolicy & { keepDescriptors?: number[] }): SelfPolicy {
  const runtime = js.runtimePaths();
  return {
    ...extra,
    read: [...runtime.read, CHILD, built, addonPath ?? '', ...(extra.read ?? [])],
    write: [...runtime.write, ...(extra.write ?? [])],
  };
}

function childArguments(policy: SelfPolicy, tries: Attempt[], seal: SelfPolicy | null): string[] {
  return [CHILD, built, addonPath ?? '', JSON.stringify(policy), JSON.stringify(tries), JSON.stringify(seal)];
}

/** What became of each attempt: its result, or the code of its error. */
function restricted(policy: SelfPolicy, tries: Attempt[], seal: SelfPolicy | null = null): string[] {
  const child = spawnSync(process.execPath, childArguments(childPolicy(policy), tries, seal), {
    encoding: 'utf8',
    env: childEnv,
  });
  const lines = child.stdout.split('\n').filter(Boolean);
  if (lines.length !== tries.length)
    throw new Error(`the child failed: ${child.stderr} ${child.signal ?? child.status}`);
  return lines.map((line) => JSON.parse(line)).map((result) => result.ok ?? result.code);
}

describe.skipIf(!canRestrict)(`a Node process that restricts itself${why}`, () => {
  it('reads only what its policy names, on the main thread, in the libuv pool and in workers', () => {
    const secret = join(folder, 'secret', 'key');
    const file = join(folder, 'read', 'file');
    const tries: Attempt[] = [
      ['read', file],
      ['readInPool', file],
      ['readInWorker', file],
      ['read', secret],
      ['readInPool', secret],
      ['readInWorker', secret],
      ['list', join(folder, 'secret')],
      ['readInPool', '/etc/passwd'],
    ];
    const denied = ['EACCES', 'EACCES', 'EACCES', 'EACCES', 'EACCES'];
    const results = restricted({ read: [join(folder, 'read')] }, tries);
    expect(results).toEqual(['readable', 'readable', 'readable', ...denied]);
  });

  it('writes only where its policy says, and cannot move files out', () => {
    const outside = join(folder, 'secret', 'planted');
    const inside = join(folder, 'write', 'made');
    const tries: Attempt[] = [
      ['write', inside],
      ['writeInPool', outside],
      ['write', join(folder, 'read', 'file')],
      ['move', [inside, outside]],
      ['remove', join(folder, 'secret', 'key')],
    ];
    const results = restricted({ read: [join(folder, 'read')], write: [join(folder, 'write')] }, tries);
    expect(results[0]).toBe('');
    expect(results.slice(1, 3)).toEqual(['EACCES', 'EACCES']);
    expect(['EACCES', 'EXDEV']).toContain(results[3]);
    expect(results[4]).toBe('EACCES');
    expect(readFileSync(inside, 'utf8')).toBe('written');
    expect(existsSync(outside)).toBe(false);
    expect(readFileSync(join(folder, 'read', 'file'), 'utf8')).toBe('readable');
    expect(existsSync(join(folder, 'secret', 'key'))).toBe(true);
  });

  it('has no network unless it asks for one', () => {
    expect(
      restricted({}, [
        ['connect', port],
        ['listen', 0],
      ]),
    ).toEqual(['EACCES', 'EACCES']);
    expect(
      restricted({ net: 'full' }, [
        ['connect', port],
        ['listen', 0],
      ]),
    ).toEqual(['connected', 'listening']);
  });

  it('can be bound to TCP ports', () => {
    expect(
      restricted({ net: { connect: [port] } }, [
        ['connect', port],
        ['listen', 0],
      ]),
    ).toEqual(['connected', 'EACCES']);
    expect(restricted({ net: { connect: [port + 1] } }, [['connect', port]])).toEqual(['EACCES']);
  });

  it('starts only the programs of its policy, and none once it is sealed', () => {
    const tries: Attempt[] = [
      ['run', '/bin/ls'],
      ['run', process.execPath],
    ];
    // Only the program that it became can start, under the same restriction.
    expect(restricted({}, tries)).toEqual(['EACCES', process.version]);
    expect(restricted({}, tries, { exec: 'off' })).toEqual(['EACCES', 'EACCES']);
    const [listed] = restricted({ exec: ['/bin/ls', '/lib64', '/lib'] }, [['run', '/bin/ls']]);
    expect(listed).toContain('coreutils');
  });

  it('cannot take a restriction back, but can add one', () => {
    const wider: SelfPolicy = { net: 'full', exec: 'any' };
    const tries: Attempt[] = [
      ['restrictAgain', wider],
      ['connect', port],
      ['read', join(folder, 'secret', 'key')],
    ];
    const results = restricted({}, tries);
    expect(results[0]).toContain('system calls');
    expect(results.slice(1)).toEqual(['EACCES', 'EACCES']);
  });

  it('is held to a memory limit', () => {
    const limits = { dataBytes: 700e6, coreBytes: 0 };
    const tries: Attempt[] = [
      ['allocate', 1e6],
      ['allocate', 2e9],
    ];
    const [small, large] = restricted({ limits }, tries);
    expect(small).toBe('1000000');
    expect(large).toMatch(/allocation.failed/i);
  });

  it('has lost every capability', () => {
    expect(restricted({ read: ['/proc'] }, [['capabilities']])).toEqual(['0000000000000000']);
  });

  it('keeps only the descriptors that are handed over', async () => {
    const run = async (keepDescriptors: number[]): Promise<string> => {
      const policy = childPolicy({ keepDescriptors } as SelfPolicy);
      const args = childArguments(policy, [['sayOn', 3]], null);
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: childEnv });
      let text = '';
      child.stdio[3]?.on('data', (chunk) => (text += chunk));
      await new Promise((resolve) => child.on('close', resolve));
      return text;
    };
    expect(await run([3])).toBe('hello');
    expect(await run([])).toBe('');
  });

  it('ends with its parent', async () => {
    const policy = childPolicy({ dieWithParent: true });
    const args = childArguments(policy, [['pid'], ['sleep']], null);
    const parentCode = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, { stdio: ['ignore', 'inherit', 'inherit'] })`;
    const parent = spawn(process.execPath, ['-e', parentCode], { stdio: ['ignore', 'pipe', 'inherit'], env: childEnv });
    const line = await new Promise<string>((resolve) => parent.stdout?.once('data', (chunk) => resolve(String(chunk))));
    const pid = Number(JSON.parse(line).ok);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    for (let tries = 0; tries < 200 && isAlive(pid); tries += 1) await delay(10);
    expect(isAlive(pid)).toBe(false);
  });

  it.each([false, true])(
    'begins only if its starter is still there when Node has started (killed: %s)',
    async (isKilled) => {
      const at = (name: string) => join(folder, `late-${name}-${isKilled}`);
      // A Node that starts when the test wants it to.
      const wait = `: > ${at('began')}\nwhile [ ! -e ${at('go')} ]; do sleep 0.01; done`;
      writeFileSync(at('node'), `#!/bin/sh\n${wait}\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });
      const code = `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fromAddon } from ${JSON.stringify(built)};
const files = ${JSON.stringify({ addon: addonPath, policyFile: at('policy') })};
const { argv, policy } = fromAddon({}).selfRestrictingCommand({ exec: 'any', dieWithParent: true }, files);
writeFileSync(files.policyFile, policy);
const [shell, ...words] = argv.map((word) => (word === process.execPath ? ${JSON.stringify(at('node'))} : word));
const child = spawn(shell, [...words, '/bin/sh', '-c', ': > ${at('ran')}'], { stdio: 'ignore' });
console.log(child.pid);
child.on('exit', () => process.exit());`;
      const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((resolve) => starter.once('exit', resolve));
      const pid = Number(await new Promise((resolve) => starter.stdout.once('data', resolve)));
      await until(() => existsSync(at('began')), 'the start of the command');
      if (isKilled) starter.kill('SIGKILL');
      if (isKilled) await ended;
      writeFileSync(at('go'), '');
      await until(() => !isAlive(pid), 'the end of the command');
      expect(existsSync(at('ran'))).toBe(!isKilled);
    },
  );

  it('is refused a restriction that would bind only one of its threads', async () => {
    const sandbox = await set.load('sandbox', 'native');
    if ((probe.landlockAbi ?? 0) >= 8) return; // From Linux 7.0 on all threads are reached; see docs/design/sandbox.md.
    expect(() => sandbox.restrictSelf({ read: ['/usr'] })).toThrow(/threads.*use restrictAndExec/);
  });

  it('learns from a dry run what would hold, without being restricted', async () => {
    const sandbox = await set.load('sandbox', 'native');
    const report = sandbox.dryRun({ read: ['/usr', '/no/such/place'] }, process.execPath);
    expect(report.enforced).toEqual(expect.arrayContaining(['files', 'no network']));
    expect(report).toMatchObject({ unenforced: [], missing: ['/no/such/place'], landlockAbi: probe.landlockAbi });
    expect(readFileSync(join(folder, 'secret', 'key'), 'utf8')).toBe('private');
    const hidden = { read: [folder], deny: [join(folder, 'secret')] };
    expect(() => sandbox.dryRun(hidden)).toThrow(/Landlock cannot hide .*secret.* use bubblewrap/);
    expect(() => sandbox.dryRun({ read: ['relative'] })).toThrow('resolve it first');
  });
});

const implementations = await set.implementations('sandbox');

describe.each(implementations)('the $kind sandbox', ({ kind, implementation: sandbox }) => {
  it('probes with a reason for every answer', async () => {
    const found = await sandbox.probe();
    expect(found.platform).toBe(process.platform);
    for (const part of ['landlock', 'seccomp', 'userNamespaces', 'bubblewrap', 'seatbelt'] as const) {
      expect(found[part].detail).not.toBe('');
    }
    expect(found.bubblewrap).toEqual(probe.bubblewrap);
    expect(found.bubblewrapPath).toBe(probe.bubblewrapPath);
    expect(found.surroundings).toEqual(probe.surroundings);
  });

  it('waits for nothing that a broken bubblewrap leaves behind, and keeps Ctrl-C from it', async () => {
    const bin = join(folder, `broken-${kind}`);
    mkdirSync(bin);
    const script =
      '[ "$1" = --version ] && { echo "bubblewrap 0"; exit; }; sleep 1000 & echo $! $(ps -o pgid= $$) >&2; exit 3';
    writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    const { detail } = (await sandbox.probe()).bubblewrap;
    const [, left, group] = /here: (\d+) (\d+) \(exit status: 3\)/.exec(detail) ?? [];
    expect(detail).toContain('bubblewrap 0 does not start');
    await until(() => !isAlive(Number(left)), 'the end of what it started');
    const own = spawnSync('ps', ['-o', 'pgid=', String(process.pid)], { encoding: 'utf8' }).stdout;
    expect(group).not.toBe(own.trim());
  });

  it('says whether a process can restrict itself, and refuses where it cannot', () => {
    const able = sandbox.selfRestriction();
    expect(able.available).toBe(kind === 'native' && process.platform === 'linux');
    if (!able.available) expect(() => sandbox.restrictSelf({})).toThrow(/native addon|cannot restrict itself/);
  });

  it('refuses bad policies and says what to change', () => {
    expect(() => sandbox.bubblewrap({ read: ['a'] }, ['true'])).toThrow('policy path "a" is not absolute');
    expect(() => sandbox.bubblewrap({}, [])).toThrow('no command');
    expect(() => sandbox.seatbelt({ write: ['/a/../b'] }, ['true'])).toThrow("contains '..'");
    expect(() => sandbox.bubblewrap({ env: { 'A=B': '' } }, ['true'])).toThrow('environment name');
  });

  describe.skipIf(!probe.bubblewrap.available)('with a real bubblewrap', () => {
    const system = ['/usr', '/bin', '/lib', '/lib64', '/etc'].filter((path) => existsSync(path));
    const run = (script: string, extra: object = {}) => {
      const policy = { read: [...system, join(folder, 'read')], write: [join(folder, 'write')], ...extra };
      const line = sandbox.bubblewrap(policy, ['sh', '-c', script]);
      const { bubblewrapPath = 'bwrap' } = probe;
      const result = spawnSync(bubblewrapPath, line.argv, { encoding: 'utf8' });
      return { ...result, text: `${result.stdout}${result.stderr}` };
    };

    it('shows what is allowed and nothing else', () => {
      expect(run(`cat ${folder}/read/file`).stdout).toBe('readable');
      expect(run(`cat ${folder}/secret/key`).text).toContain('No such file');
      expect(run(`echo x > ${folder}/read/file`).text).toContain('Read-only');
      expect(run(`echo x > /planted`).text).toContain('Read-only');
      expect(run(`echo ${kind} > ${folder}/write/${kind} && cat ${folder}/write/${kind}`).stdout.trim()).toBe(kind);
    });

    it('hides a folder and a file inside an allowed folder', () => {
      const deny = [
        { path: join(folder, 'secret'), directory: true },
        { path: join(folder, 'read', 'file'), directory: false },
      ];
      const policy = { read: [...system, folder], write: [], deny };
      expect(run(`ls -A ${folder}/secret`, policy)).toMatchObject({ status: 0, text: '' });
      expect(run(`cat ${folder}/read/file`, policy).stdout).toBe('');
      expect(run(`echo x > ${folder}/secret/new`, policy).text).toContain('Read-only');
    });

    it('cuts the network and other processes off', () => {
      const connect = `exec 3<>/dev/tcp/127.0.0.1/${port}`;
      expect(run(`bash -c '${connect}'`).status).not.toBe(0);
      expect(run(`bash -c '${connect}'`, { net: true }).status).toBe(0);
      expect(Number(run('ls -d /proc/[0-9]* | wc -l').stdout)).toBeLessThan(10);
    });

    it('sets exactly the given environment and working folder', () => {
      const extra = { env: { PATH: '/usr/bin:/bin', WORD: 'a b' }, cwd: join(folder, 'write') };
      expect(run('echo "$WORD|$HOME|$(pwd)"', extra).stdout.trim()).toBe(`a b||${join(folder, 'write')}`);
    });
  });
});
