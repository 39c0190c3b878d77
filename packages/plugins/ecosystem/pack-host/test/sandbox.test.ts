import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '@tenon/test-kit/processes';
import { buildHost, buildProgram } from '@tenon/test-kit/built-program';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Permissions } from '@tenon/kernel';
import { findAddon } from '@tenon/native';
import { chooseMechanism, type Mechanism, type MechanismChoice } from '@tenon/sandbox/api';
import { planLaunch } from '../src/sandbox/launch.ts';
import { policyOf } from '../src/sandbox/policy.ts';
import { examples, packsKernel, type PacksKernel } from './support/packs-kernel.ts';

// Processes are started and stopped all the time here; a busy machine takes its time.
const KINDS: readonly Mechanism[] = ['bubblewrap', 'landlock'];
const choices = await Promise.all(KINDS.map(async (kind) => ({ kind, choice: await chooseMechanism(kind) })));
let program: string;

beforeAll(async () => {
  program = await buildHost('pack-host');
});

/** A pack whose tool `do` runs the code that it is given, with what it was granted. */
const CODE = `import { definePlugin } from '@tenon/kernel';
  import { tools } from '@tenon/tools/api';
  import * as fs from 'node:fs';
  import { execFileSync } from 'node:child_process';
  import { homedir } from 'node:os';
  export default definePlugin({ id: 'doer', activate(ctx) {
    ctx.contribute(tools, 'do', { description: 'x', parameters: {}, execute: async ({ code }) => {
      const run = new Function('fs', 'execFileSync', 'homedir', 'return (async () => ' + code + ')()');
      return { content: [], details: await run(fs, execFileSync, homedir) };
    } });
  } });`;

for (const { kind, choice } of choices) {
  const missing = choice.mechanism === undefined ? ` (SKIPPED: ${choice.reasons.join('; ')})` : '';

  describe.skipIf(missing !== '')(`permissions under ${kind}${missing}`, () => {
    let packs: PacksKernel;
    beforeEach(async () => {
      packs = await packsKernel(program, { config: { sandbox: kind } });
    });
    afterEach(() => packs?.end());

    const install = async (permissions: Permissions) => {
      const manifest = {
        id: 'doer',
        entry: 'plugin.ts',
        contributes: { tools: { do: { summary: 'x' } } },
        permissions,
      };
      await packs.install(packs.writePack(manifest as never, { 'plugin.ts': CODE }));
    };
    const run = async (code: string) => (await packs.runTool('do', { code })).result.details;
    const failure = (code: string) => packs.failureOf('do', { code });

    it('let a pack read and write what was granted, and nothing beside it', async () => {
      const { workspace, home } = packs;
      mkdirSync(join(workspace, 'src', 'deep'), { recursive: true });
      mkdirSync(join(home, '.config'));
      writeFileSync(join(workspace, 'src', 'deep', 'a.txt'), 'a');
      writeFileSync(join(workspace, 'notes.txt'), 'notes');
      writeFileSync(join(workspace, 'other.txt'), 'other');
      writeFileSync(join(home, '.config', 'tool.json'), '{}');
      await install({ fs: { read: ['./src/**', './notes.txt', '~/.config/tool.json'], write: ['./out/**'] } });
      const read = (...path: string[]) => `fs.readFileSync(${JSON.stringify(join(...path))}, 'utf8')`;
      const write = (...path: string[]) => `fs.writeFileSync(${JSON.stringify(join(...path))}, 'new')`;
      expect(await run(read(workspace, 'src', 'deep', 'a.txt'))).toBe('a');
      expect(await run(read(workspace, 'notes.txt'))).toBe('notes');
      expect(await run(read(home, '.config', 'tool.json'))).toBe('{}');
      expect(await failure(read(workspace, 'other.txt'))).toMatch(/ENOENT|EACCES/);
      expect(await failure(read(home, '.ssh', 'id_ed25519'))).toMatch(/ENOENT|EACCES/);
      await run(write(workspace, 'out', 'b.txt'));
      expect(readFileSync(join(workspace, 'out', 'b.txt'), 'utf8')).toBe('new');
      expect(await failure(write(workspace, 'src', 'deep', 'a.txt'))).toMatch(/EROFS|EACCES/);
      expect(await failure(write(workspace, 'notes.txt'))).toMatch(/EROFS|EACCES/);
      expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('notes');
      // A link out of the writable folder leads nowhere.
      expect(
        await failure(
          `(fs.symlinkSync(${JSON.stringify(home)}, ${JSON.stringify(join(workspace, 'out', 'link'))}), ${read(workspace, 'out', 'link', '.ssh', 'id_ed25519')})`,
        ),
      ).toMatch(/ENOENT|EACCES/);
      const { workspace: base } = packs;
      expect(existsSync(join(base, 'out', 'link'))).toBe(true);
    });

    it.skipIf(kind !== 'bubblewrap')(
      'keep what makes other programs run code, in a workspace that may be written',
      async () => {
        const { workspace } = packs;
        const guarded = [
          '.mcp.json',
          '.claude/settings.json',
          '.github/mcp.json',
          '.git/hooks/pre-commit',
          '.git/config',
        ];
        for (const name of [...guarded, 'lib/.mcp.json']) {
          mkdirSync(dirname(join(workspace, name)), { recursive: true });
          writeFileSync(join(workspace, name), 'old');
        }
        await install({ fs: { write: ['./**', './lib/**'] } });
        const at = (name: string) => JSON.stringify(join(workspace, name));
        const write = (name: string) => `fs.writeFileSync(${at(name)}, 'new')`;
        for (const name of ['a.txt', '.git/index', '.github/other', 'lib/a.txt']) await run(write(name));
        expect(readFileSync(join(workspace, '.git', 'index'), 'utf8')).toBe('new');
        for (const name of [...guarded, 'lib/.mcp.json', '.claude/new.json']) {
          expect(await failure(write(name))).toMatch(/EROFS/);
        }
        // Nor by taking them away, or the folder around them, and making others.
        // Node.js 24 says it in words here.
        expect(await failure(`fs.rmSync(${at('.mcp.json')})`)).toMatch(/EBUSY|EROFS|resource busy/);
        for (const name of ['.claude', '.git', '.github', '.git/hooks', 'lib']) {
          expect(await failure(`fs.renameSync(${at(name)}, ${at(`${name}-moved`)})`)).toMatch(/EBUSY|EROFS/);
        }
        for (const name of guarded) expect(readFileSync(join(workspace, name), 'utf8')).toBe('old');
      },
    );

    it.skipIf(kind !== 'bubblewrap')(
      'keep a pack from making the folder that Tenon reads on its next start',
      async () => {
        const own = join(packs.workspace, '.tenon');
        await install({ fs: { write: ['./**'] } });
        const hooks = JSON.stringify(join(own, 'hooks.json'));
        expect(await failure(`fs.writeFileSync(${hooks}, '{}')`)).toMatch(/EROFS/);
        expect(await failure(`fs.rmdirSync(${JSON.stringify(own)})`)).toMatch(/EBUSY|EROFS/);
        await packs.hosts.stopAll();
        await expect.poll(() => existsSync(own)).toBe(false);
      },
    );

    describe.skipIf(kind !== 'landlock')('which cannot keep parts of a writable folder', () => {
      it.each([
        ['.mcp.json', /cannot keep .*\.mcp\.json unchanged/],
        ['a.txt', /cannot keep .*\.tenon from being made/],
      ])('do not start a pack that may write to all of a workspace with %s', async (name, reason) => {
        writeFileSync(join(packs.workspace, name), '{}');
        await install({ fs: { write: ['./**'] } });
        await expect(packs.kernel.activate('doer')).rejects.toMatchObject({
          code: 'PACK_HOST_NO_SANDBOX',
          message: expect.stringMatching(reason),
        });
        expect(existsSync(join(packs.workspace, '.tenon'))).toBe(false);
      });
    });

    it('say why a file that was granted and does not exist cannot be made', async () => {
      await install({ fs: { write: ['./new.txt'] } });
      expect(await failure(`fs.writeFileSync(${JSON.stringify(join(packs.workspace, 'new.txt'))}, '')`)).toMatch(
        /EROFS|EACCES|ENOENT/,
      );
      const said = packs.log.map(({ message }) => message).filter((message) => message.includes('"./new.txt"'));
      expect(said).toEqual([expect.stringContaining('create it empty and reload the pack')]);
    });

    it('refuse to follow a link that stands where a permission points', async () => {
      symlinkSync(packs.home, join(packs.workspace, 'data'));
      await install({ fs: { read: ['./data/**'] } });
      await expect(packs.kernel.activate('doer')).rejects.toMatchObject({ code: 'PACK_HOST_PATH_LEADS_AWAY' });
    });

    it('give scratch space that is gone afterwards', async () => {
      await install({});
      expect(
        await run(
          `(fs.writeFileSync(homedir() + '/x', '1'), fs.writeFileSync(process.env.TMPDIR + '/y', '2'), fs.readdirSync(homedir()).includes('x'))`,
        ),
      ).toBe(true);
      await packs.kernel.reload('doer');
      expect(await run(`fs.existsSync(homedir() + '/x') || fs.existsSync(process.env.TMPDIR + '/y')`)).toBe(false);
      expect(existsSync(join(packs.home, 'x'))).toBe(false);
    });

    it.skipIf(kind !== 'bubblewrap')('show of the system what Node needs, and nothing else', async () => {
      await install({});
      const list = (path: string) => run(`fs.readdirSync(${JSON.stringify(path)}).sort()`) as Promise<string[]>;
      expect(await list(dirname(process.execPath))).toEqual([basename(process.execPath)]);
      expect(await run(`fs.existsSync('/etc/passwd') || fs.existsSync('/bin/sh') || fs.existsSync('/var')`)).toBe(
        false,
      );
      expect((await list('/proc')).filter((name) => /^\d+$/.test(name)).length).toBeLessThan(4);
      expect(await list(packs.home)).toEqual([]);
      expect(await failure(`fs.writeFileSync('/new', '')`)).toMatch(/EROFS/);
    });

    it('let a pack run the programs that were granted, and no others', async () => {
      await install({ exec: ['git'] });
      expect(await run(`execFileSync('git', ['--version'], { encoding: 'utf8' })`)).toMatch(/git version/);
      expect(await failure(`execFileSync('id', [], { encoding: 'utf8' })`)).toMatch(/ENOENT|EACCES|EPERM/);
      expect(await failure(`execFileSync('/bin/sh', ['-c', 'id'], { encoding: 'utf8' })`)).toMatch(
        /ENOENT|EACCES|EPERM/,
      );
    });

    it.skipIf(!existsSync('/usr/bin/perl') || process.arch !== 'x64')(
      'give the programs of a pack no namespaces, keys or sockets of the internet',
      async () => {
        await install({ exec: ['perl'] });
        // clone with a new user namespace, clone3, keyctl, unshare, an IPv4 socket. A child that came into being ends at once.
        const calls = [
          '56, 0x10000011, 0, 0, 0, 0',
          '435, 0, 0',
          '250, 0, 0, 0, 0, 0',
          '272, 0x10000000',
          '41, 2, 1, 0',
        ];
        const program = calls.map((call) => `$a = syscall(${call}); exit 0 if $a == 0; print "$a ";`).join(' ');
        const said = await run(`execFileSync('perl', ${JSON.stringify(['-e', program])}, { encoding: 'utf8' })`);
        expect(String(said).trim().split(' ')).toEqual(calls.map(() => '-1'));
      },
    );

    it('say which program is not installed', async () => {
      await install({ exec: ['no-such-program'] });
      await expect(packs.kernel.activate('doer')).rejects.toMatchObject({ code: 'PACK_HOST_EXEC_MISSING' });
    });

    it('show the environment variables that were granted, and no others', async () => {
      process.env['TENON_TEST_SHOWN'] = 'shown';
      process.env['TEST_SHOWN'] = 'shown';
      await install({ env: ['TEST_SHOWN', 'TEST_ABSENT'] });
      expect(await run('process.env.TEST_SHOWN')).toBe('shown');
      expect(await run('process.env.TENON_TEST_SHOWN')).toBeUndefined();
      expect(await run('Object.keys(process.env).length')).toBeLessThan(12);
      delete process.env['TENON_TEST_SHOWN'];
      delete process.env['TEST_SHOWN'];
    });

    it('let fetch reach the declared host, also with a streamed body', async () => {
      const server = createServer((request, response) => {
        response.setHeader('x-method', request.method ?? '');
        request.pipe(response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await install({ net: [`localhost:${port}`] });
      const code = `fetch('http://localhost:${port}/', { method: 'POST', body: 'x'.repeat(300_000) }).then(async (r) => [r.status, r.headers.get('x-method'), (await r.text()).length])`;
      expect(await run(code)).toEqual([200, 'POST', 300_000]);
      expect(await failure(`fetch('http://127.0.0.1:${port}/')`)).toMatch(/may not connect/);
      server.close();
    });
  });

  describe.skipIf(missing !== '')(`when Tenon itself is killed under ${kind}${missing}`, () => {
    it('leaves no host behind', async () => {
      const parentProgram = await buildProgram(fileURLToPath(new URL('./support/killed-parent.ts', import.meta.url)));
      const folder = dirname(parentProgram);
      // Built elsewhere it would not find the addon by itself.
      const { path: addon } = findAddon();
      // What it leaves behind because it is killed goes with the program.
      const env = { ...process.env, TMPDIR: folder, ...(addon !== undefined && { TENON_ADDON: addon }) };
      const parent = spawn(process.execPath, [parentProgram, program, kind, join(examples, 'hello-pack')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env,
      });
      const said = await new Promise<string>((resolve) => {
        parent.stdout.once('data', (text) => resolve(String(text)));
        parent.once('exit', (code) => resolve(`it ended with ${code}`));
      });
      const pid = Number(said);
      const family = descendants(parent.pid ?? 0);
      expect(family).toContain(pid);
      process.kill(parent.pid ?? 0, 'SIGKILL');
      await expect.poll(() => family.filter(isAlive)).toEqual([]);
    });
  });
}

const no = { available: false, detail: 'not here' };
const nothing = (choice: Partial<MechanismChoice>): MechanismChoice => ({
  mechanism: undefined,
  abilities: { bubblewrap: no, landlock: no, seatbelt: no },
  reasons: [],
  outer: [],
  bubblewrapPath: undefined,
  ...choice,
});

describe('the choice of a sandbox', () => {
  it('starts nothing where no sandbox works, and says what to do', async () => {
    const choice = nothing({ reasons: ['bubblewrap: not installed', 'landlock: needs the native addon'] });
    const place = { plugin: 'x', folder: examples, workspace: examples, home: examples, own: [], triggers: [] };
    const policy = policyOf({}, place, { always: [], memoryMb: 64 });
    await expect(planLaunch(choice, policy, { entry: 'x', plugin: 'x' })).rejects.toMatchObject({
      code: 'PACK_HOST_NO_SANDBOX',
      message: expect.stringContaining('bubblewrap: not installed; landlock: needs the native addon'),
      next: expect.stringContaining('tenon plugin trust x --full'),
    });
  });

  it('protects what makes other programs run code, inside writable workspaces', () => {
    const workspace = fileURLToPath(new URL('../../../../../', import.meta.url)).replace(/\/$/, '');
    const place = {
      plugin: 'x',
      folder: examples,
      workspace,
      home: '/root',
      own: [join(workspace, 'docs')],
      triggers: [],
    };
    const { policy } = policyOf({ fs: { write: ['./**'] } }, place, { always: [], memoryMb: 64 });
    expect(policy.protect).toContain(join(workspace, 'docs'));
    if (existsSync(join(workspace, '.git', 'config')))
      expect(policy.protect).toContain(join(workspace, '.git', 'config'));
  });

  it('lets no pack write in the folders of Tenon itself, also where they are named', () => {
    const place = {
      plugin: 'x',
      folder: examples,
      workspace: examples,
      home: '/root',
      own: [join(examples, 'hello-pack')],
      triggers: [],
    };
    for (const value of ['./hello-pack/**', './hello-pack/new/**', './hello-pack/package.json']) {
      expect(() => policyOf({ fs: { write: [value] } }, place, { always: [], memoryMb: 64 })).toThrow(
        /a folder of Tenon itself/,
      );
    }
    expect(existsSync(join(examples, 'hello-pack', 'new'))).toBe(false);
  });

  it('makes a profile for macOS that denies what was not granted', async () => {
    const place = { plugin: 'x', folder: examples, workspace: examples, home: '/root', own: [], triggers: [] };
    const policy = policyOf({}, place, { always: [], memoryMb: 64 });
    const choice = nothing({ mechanism: 'seatbelt' });
    const launch = await planLaunch(choice, policy, { entry: '/x/pack-host.js', plugin: 'x' });
    expect(launch.args).toEqual(
      expect.arrayContaining(['/usr/bin/sandbox-exec', '-p', process.execPath, '/x/pack-host.js']),
    );
    const profile = launch.args.find((arg) => arg.includes('(deny default)'));
    expect(profile).toContain('(deny network*)');
    expect(profile).not.toContain('(allow process-exec)\n');
    expect(existsSync(launch.env['HOME'] ?? '')).toBe(true);
    launch.cleanup();
    expect(existsSync(launch.env['HOME'] ?? '')).toBe(false);
  });
});

/** All processes below one, however deep. */
function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      continue; // It ended while we looked.
    }
  }
  const below = (pid: number): number[] =>
    [...parents].filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(root);
}
