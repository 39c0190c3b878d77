/** Programs that try to leave the sandbox, under every mechanism that works on this machine. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAddon, loadAccelerator } from '@tenon/native';
import { buildProgram } from '@tenon/test-kit/built-program';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMechanism } from '../src/find-mechanism.ts';
import { Machine, type Outcome, runIn } from './support/machine.ts';

const ATTACKS = fileURLToPath(new URL('./support/attacks.py', import.meta.url));
const { abilities } = await findMechanism(await loadAccelerator('sandbox'), 'auto', {});
const SECRETS = {
  DEMO_API_KEY: 'SECRET',
  SSH_AUTH_SOCK: '/nowhere/agent',
  DEMO_URL: 'https://u:SECRET@example.invalid/',
};

const servers: Server[] = [];
let reached = 0;

function listen(place: ListenOptions): Promise<Server> {
  const server = createServer((socket) => {
    reached++;
    socket.on('error', () => socket.destroy()).end();
  });
  servers.push(server);
  return new Promise((resolve) => void server.listen(place).once('listening', () => resolve(server)));
}

afterAll(() => {
  for (const server of servers) server.close();
});

for (const mechanism of ['bubblewrap', 'landlock'] as const) {
  const { available, detail } = abilities[mechanism];
  describe.skipIf(!available)(`a program under ${mechanism}${available ? '' : ` (skipped: ${detail})`}`, () => {
    let machine: Machine;
    let facts: Record<string, unknown>;

    beforeAll(async () => {
      machine = new Machine();
      machine.initGit();
      mkdirSync(join(machine.workspace, 'sub'));
      mkdirSync(join(machine.workspace, '.vscode'));
      writeFileSync(join(machine.workspace, '.vscode', 'tasks.json'), '{}');
      const server = await listen({ port: 0, host: '127.0.0.1' });
      const address = server.address();
      const daemon =
        join(machine.outside, 'd.sock').length < 100 ? join(machine.outside, 'd.sock') : `/tmp/tenon-d-${process.pid}`;
      await listen({ path: daemon });
      const abstract = `tenon-test-${process.pid}-${mechanism}`;
      await listen({ path: `\0${abstract}` });
      const port = typeof address === 'object' && address ? address.port : 0;
      const { home, outside, workspace } = machine;
      facts = { hostPid: process.pid, home, outside, workspace, port, daemon, abstract };
    });

    afterAll(() => machine.close());

    const attack = async (profile: 'read-only' | 'workspace-write'): Promise<Map<string, unknown>> => {
      const env = { ...process.env, ...SECRETS, HOME: machine.home, PATH: `/usr/bin:/bin:${process.env['PATH']}` };
      const sandboxes = machine.sandboxes({ mechanism }, env);
      reached = 0;
      const outcome = await machine.run(
        sandboxes,
        { profile, extraRead: [ATTACKS] },
        ['python3', ATTACKS, JSON.stringify(facts)],
        env,
      );
      expect(outcome, outcome.err).toMatchObject({ code: 0 });
      return new Map(
        outcome.out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as [string, unknown]),
      );
    };

    const REFUSED =
      /^(EPERM|EACCES|EROFS|EXDEV|ENOENT|ENOSYS|ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL|ESRCH|ENXIO|EAFNOSUPPORT|EPROTONOSUPPORT|EBUSY|timeout)$/;
    const expected: Record<string, unknown> = {
      'unshare program': expect.any(Number),
      "read our first process's environment": expect.stringMatching(/clean|EACCES|EPERM/),
      'secret in the environment': 'absent',
      'login agent in the environment': 'absent',
      'become root': expect.anything(),
      'write a temporary file': 'written',
      // Landlock has no rule for modes and times; the confinement says so in its description.
      ...(mechanism === 'landlock' && { 'change permissions outside': null }),
    };

    const verdicts = (results: Map<string, unknown>) =>
      Object.fromEntries(
        [...results.keys()].map((name) => [name, name in expected ? expected[name] : expect.stringMatching(REFUSED)]),
      );

    it('cannot write or read outside, reach the network or other processes, mount, trace or type', async () => {
      const results = await attack('workspace-write');
      expect(results.get('write in the workspace')).toBe('written');
      results.delete('write in the workspace');
      expect(Object.fromEntries(results)).toEqual(verdicts(results));
      expect(results.get('unshare program')).not.toBe(0);
      expect(results.size).toBeGreaterThan(45);
      expect(reached).toBe(0);
      expect(readFileSync(join(machine.outside, 'victim'), 'utf8')).toBe('original');
      expect(readdirSync(machine.outside).filter((name) => name !== 'd.sock')).toEqual(['victim']);
      expect(existsSync(join(machine.home, '.bashrc'))).toBe(false);
      expect(readFileSync(join(machine.workspace, 'sub', 'made.txt'), 'utf8')).toBe('OWNED');
    });

    it('changes nothing at all when it is read-only', async () => {
      execFileSync('git', ['clean', '-qfdx', '-e', '.vscode'], { cwd: machine.workspace });
      mkdirSync(join(machine.workspace, 'sub'), { recursive: true });
      const before = readdirSync(machine.workspace, { recursive: true });
      const results = await attack('read-only');
      expect(Object.fromEntries(results)).toEqual(verdicts(results));
      expect(readdirSync(machine.workspace, { recursive: true })).toEqual(before);
      expect(reached).toBe(0);
    });

    const shell = (script: string, profile: 'read-only' | 'workspace-write' = 'workspace-write'): Promise<Outcome> =>
      machine.run(machine.sandboxes({ mechanism }), { profile }, ['bash', '-c', script], {
        ...process.env,
        HOME: machine.home,
      });

    it('cannot change what would run code outside later: hooks and settings of git, Tenon and editors', async () => {
      const files = [
        '.git/config',
        '.git/hooks/pre-commit',
        '.git/info/attributes',
        '.vscode/tasks.json',
        '.tenon/settings.yml',
      ];
      const before = files.map(
        (file) => existsSync(join(machine.workspace, file)) && readFileSync(join(machine.workspace, file), 'utf8'),
      );
      const tricks = files.flatMap((file) => [`echo OWNED >> ${file}`, `rm -rf ${file}`, `ln -sf /bin/sh ${file}`]);
      const renames = [
        'mv .git .git2 && cp -r .git2 .git && echo OWNED > .git/config',
        'mv .git/config .git/config2; mv .git/hooks .git/hooks2 && mkdir .git/hooks && echo OWNED > .git/hooks/pre-commit',
        'mv .vscode .vscode2 && mkdir .vscode && echo OWNED > .vscode/tasks.json',
        'mkdir .tenon; echo OWNED > .tenon/settings.yml; mv .tenon x; mkdir .tenon && echo OWNED > .tenon/settings.yml',
        'git config core.fsmonitor "touch owned"',
        'git config --file .git/config core.hooksPath /tmp',
      ];
      await shell([...tricks, ...renames].map((trick) => `{ ${trick}; } 2>/dev/null`).join('\n'));
      const after = files.map(
        (file) => existsSync(join(machine.workspace, file)) && readFileSync(join(machine.workspace, file), 'utf8'),
      );
      expect(after).toEqual(before);
      expect(
        execFileSync('git', ['status', '--short', '--', 'file.txt'], { cwd: machine.workspace, encoding: 'utf8' }),
      ).toBe('');
    });

    it('gets nowhere by swapping a link while it writes', async () => {
      const { workspace, outside, home } = machine;
      mkdirSync(join(workspace, 'sub', 'real'), { recursive: true });
      const swap = `import os, itertools
end = __import__('time').monotonic() + 1.5
os.chdir(${JSON.stringify(join(workspace, 'sub'))})
while __import__('time').monotonic() < end:
    for target in (${JSON.stringify(outside)}, ${JSON.stringify(join(home, '.ssh'))}, 'real'):
        try: os.symlink(target, 'next'); os.rename('next', 'race')
        except OSError: pass
`;
      const write = `import os, time
end = time.monotonic() + 1.5
count = 0
os.chdir(${JSON.stringify(join(workspace, 'sub'))})
while time.monotonic() < end:
    for name in ('race/victim', 'race/id_ed25519'):
        try:
            with open(name, 'r') as file:
                if 'PRIVATE' in file.read(): print('LEAKED')
        except OSError: pass
        try:
            with open(name, 'w') as file: file.write('OWNED'); count += 1
        except OSError: pass
print(count)
`;
      const sandboxes = machine.sandboxes({ mechanism });
      const [swapped, wrote] = await Promise.all([
        machine.run(sandboxes, { profile: 'workspace-write' }, ['python3', '-c', swap]),
        machine.run(sandboxes, { profile: 'workspace-write' }, ['python3', '-c', write]),
      ]);
      expect([swapped.code, wrote.code, wrote.out.includes('LEAKED')]).toEqual([0, 0, false]);
      expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('original');
      expect(readFileSync(join(home, '.ssh', 'id_ed25519'), 'utf8')).toBe('PRIVATE');
    });

    it('gets nowhere by swapping a protected folder for a link while the next sandbox is made', async () => {
      const { workspace, home } = machine;
      // `.zed` does not exist when the first program starts, so nothing keeps that from making and replacing it.
      const swap = `import os, time
os.chdir(${JSON.stringify(workspace)})
print('ready', flush=True)
while True:
    for make in (lambda: os.mkdir('.zed'), lambda: os.symlink('../.ssh', '.zed')):
        try: make()
        except OSError: pass
        time.sleep(0.0005)
        try: os.rmdir('.zed')
        except OSError:
            try: os.unlink('.zed')
            except OSError: pass
`;
      const sandboxes = machine.sandboxes({ mechanism });
      const first = await sandboxes.wrap({ cwd: workspace, profile: 'workspace-write' });
      const [file = '', ...args] = [...first.argv, 'python3', '-c', swap];
      const swapper = spawn(file, args, {
        cwd: workspace,
        env: { ...process.env, ...first.env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await new Promise((resolve) => swapper.stdout.once('data', resolve));
      const outcomes: Outcome[] = [];
      for (let round = 0; round < 25; round++) {
        const script = `cat ${home}/.ssh/* .zed/id_ed25519; echo OWNED > ${home}/.ssh/id_ed25519`;
        outcomes.push(await machine.run(sandboxes, { profile: 'workspace-write' }, ['sh', '-c', script]));
      }
      swapper.kill('SIGKILL');
      await first.dispose();
      expect(outcomes.filter(({ out }) => out.includes('PRIVATE'))).toEqual([]);
      expect(readFileSync(join(home, '.ssh', 'id_ed25519'), 'utf8')).toBe('PRIVATE');
    });

    const addon = findAddon().path;
    it.skipIf(addon === undefined)('gets no folder that Tenon was started with', async () => {
      const program = await buildProgram(join(import.meta.dirname, 'support/inheriting.ts'));
      const script = `exec 200<${machine.home} && exec "$@"`;
      const words = ['-c', script, 'bash', process.execPath, program, mechanism, '200'];
      // Without the addon Node closes the low ones only.
      const env = { ...process.env, TENON_ADDON: addon };
      expect(execFileSync('bash', words, { encoding: 'utf8', env })).toBe('closed\n');
    });

    it('ends with whoever started it', async () => {
      const confinement = await machine.sandboxes({ mechanism }).wrap({ cwd: machine.workspace, profile: 'read-only' });
      const mark = `31${process.pid}`;
      const words = [...confinement.argv, 'sleep', mark].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      // By its name: the words alone are also those of the program that becomes it, which is not tied to its parent from the beginning.
      const parent = `${words} & until pgrep -x sleep -a | grep -q ' ${mark}$'; do sleep 0.05; done; kill -9 $$`;
      await runIn({ ...confinement, argv: [] }, ['bash', '-c', parent], machine.workspace);
      const running = () => {
        try {
          return execFileSync('pgrep', ['-x', 'sleep', '-a'], { encoding: 'utf8' })
            .split('\n')
            .filter((line) => line.endsWith(` ${mark}`));
        } catch {
          return []; // pgrep fails when there is none.
        }
      };
      await expect.poll(running).toEqual([]);
      await confinement.dispose();
    });
  });
}
