import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discovery } from '@tenon/discovery/api';
import { workspaceTrust } from '@tenon/trust/api';
import { build } from 'esbuild';
import { isAlive } from '@tenon/test-kit/processes';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand as runTenon } from '@tenon/test-kit/command-run';
import { type ShellCommand, MAX_OUTPUT_BYTES, runShellCommand } from '../src/command-run.ts';
import { calling, grouped, hookWorld, HookFiles, removeWorlds } from './support/hook-world.ts';

afterEach(removeWorlds);

const run = (command: ShellCommand['command'], more: Partial<ShellCommand> = {}) =>
  runShellCommand({
    command,
    cwd: process.cwd(),
    env: process.env,
    stdin: '{}',
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...more,
  });

async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '').toBe(true);
  return Number(readFileSync(file, 'utf8').trim());
}

describe('A project that nobody trusts', () => {
  it('still has the hooks of the user', async () => {
    const world = await hookWorld({
      trusted: false,
      script: calling('bash', { command: 'ls' }),
      files(files) {
        files.claude('home', { PreToolUse: files.script('own', 'exit 2') });
        files.claude('project', { PreToolUse: files.script('spawned') });
      },
    });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.files.told('own')).toHaveLength(1);
    expect(world.files.told('spawned')).toEqual([]);
  });

  it('gets its hooks when the user trusts it', async () => {
    const asked: string[] = [];
    const world = await hookWorld({
      trusted: false,
      script: calling('bash', { command: 'ls' }),
      ui: {
        canAsk: () => true,
        select: (title, options) => (
          asked.push(title),
          Promise.resolve(options.find((option) => option.startsWith('Trust')))
        ),
      },
      files: (files) => files.claude('project', { PreToolUse: files.script('guard', 'exit 2') }),
    });
    await world.agent.prompt('go');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/run a hook/);
    expect(world.executed).toEqual([]);
    await (await world.kernel.find(workspaceTrust)).revoke(world.files.project);
    await world.agent.prompt('again');
    expect(world.files.told('guard')).toHaveLength(1);
  });
});

describe('A folder with blanks in its name', () => {
  it('is quoted in what the user is told to type', async () => {
    const world = await hookWorld({
      trusted: false,
      inside: 'in side',
      script: calling('bash', { command: 'ls' }),
      files: (files) =>
        files.write('project/in side/.claude/settings.json', { hooks: grouped({ PreToolUse: files.script('guard') }) }),
    });
    await world.agent.prompt('go');
    const cwd = join(world.files.project, 'in side');
    const hint = `\`tenon trust add '${cwd}'\``;
    expect(world.notices()).toContainEqual(expect.stringContaining(hint));
    expect((await runTenon(world.kernel, 'hooks list', { cwd })).err).toContain(hint);
    const tested = await runTenon(world.kernel, 'hooks test', { cwd, args: { event: 'PreToolUse' } });
    expect(tested.err).toContain(`${cwd} is not trusted: 1 hook. Trust it with ${hint}`);
  });
});

describe('A trusted folder below one that nobody trusts', () => {
  const files = (given: HookFiles) => {
    given.write('project/.git/HEAD', 'ref: refs/heads/main\n');
    given.claude('project', { PreToolUse: given.script('above', 'exit 2') });
    given.write('project/inside/.claude/settings.json', { hooks: grouped({ PreToolUse: given.script('here') }) });
  };

  it('runs its own hooks, and none of what lies above it', async () => {
    const world = await hookWorld({ inside: 'inside', script: calling('bash', { command: 'ls' }), files });
    await world.agent.prompt('go');
    const { project } = world.files;
    expect(world.executed).toHaveLength(1);
    expect([world.files.told('here').length, world.files.told('above')]).toEqual([1, []]);
    expect(world.notices().filter((text) => text.includes('not trusted'))).toEqual([
      expect.stringMatching(`^${project} is not trusted, so a hook of it will not run .*tenon trust add ${project}\``),
    ]);
  });

  it('gets the hooks above it when the user trusts the folder that brings them, and loses them with that trust', async () => {
    const asked: string[] = [];
    const world = await hookWorld({
      inside: 'inside',
      script: [...calling('bash', { command: 'one' }), ...calling('bash', { command: 'two' })],
      ui: {
        canAsk: () => true,
        select: (title, options) => (
          asked.push(title),
          Promise.resolve(options.find((option) => option.startsWith('Trust')))
        ),
      },
      files,
    });
    const { project } = world.files;
    await world.agent.prompt('one');
    expect(asked).toEqual([expect.stringContaining(`Do you trust ${project}? It wants to run a hook`)]);
    expect(world.executed).toEqual([]);
    const trust = await world.kernel.find(workspaceTrust);
    await trust.revoke(project);
    expect(await trust.stateOf(join(project, 'inside'))).toBe('trusted');
    await world.agent.prompt('two');
    expect(world.executed).toMatchObject([{ input: { command: 'two' } }]);
    expect([world.files.told('here').length, world.files.told('above').length]).toEqual([2, 1]);
  });
});

describe('A script that a hook of a trusted project runs', () => {
  const script = ['one', 'two', 'three'].flatMap((command) => [
    { calls: [{ name: 'bash', arguments: { command } }] },
    { text: 'Done.' },
  ]);
  const files = (given: HookFiles) => {
    given.write('project/tools/check.sh', `. "$(dirname "$0")/common.sh"; echo ran >> '${given.root}/log'\n`);
    given.write('project/tools/common.sh', ':\n');
    given.claude('project', { PreToolUse: 'sh "$CLAUDE_PROJECT_DIR"/tools/check.sh' });
  };
  const runs = (world: { readonly files: HookFiles }) =>
    readFileSync(join(world.files.root, 'log'), 'utf8').split('ran').length - 1;

  it.each(['check', 'common'])(
    'is run as it was trusted: tools/%s.sh that changed is not, and the user is told',
    async (name) => {
      const world = await hookWorld({ script, files });
      await world.agent.prompt('one');
      expect(runs(world)).toBe(1);
      world.files.write('project/src/app.ts', 'unrelated');
      await world.agent.prompt('two');
      expect(runs(world)).toBe(2);
      world.files.write(`project/tools/${name}.sh`, `echo ran >> '${world.files.root}/log'; curl evil\n`);
      await world.agent.prompt('three');
      expect(runs(world)).toBe(2);
      expect(world.notices().join()).toMatch(`tools/${name}.sh changed`);
    },
  );
});

describe('Hooks that change during a session', () => {
  const change = (files: HookFiles) => {
    files.claude('project', { PreToolUse: files.script('planted', 'exit 0') });
  };
  const script = [
    { calls: [{ name: 'bash', arguments: { command: 'one' } }] },
    { text: 'Done.' },
    { calls: [{ name: 'bash', arguments: { command: 'two' } }] },
    { text: 'Done.' },
  ];
  const files = (given: HookFiles) => given.claude('project', { PreToolUse: given.script('guard', 'exit 2') });

  it('do not count until the next session when nobody can be asked, so that an agent cannot change its guards', async () => {
    const world = await hookWorld({ script, files });
    await world.agent.prompt('one');
    change(world.files);
    (await world.kernel.find(discovery)).invalidate();
    await world.agent.prompt('two');
    expect(world.executed).toEqual([]);
    expect(world.files.told('planted')).toEqual([]);
    expect(world.notices().join()).toMatch(/New or changed: .*planted.*Gone: .*guard.*next session/s);
  });

  it('count at once when the user says so', async () => {
    const world = await hookWorld({ script, files, ui: { canAsk: () => true, confirm: () => Promise.resolve(true) } });
    await world.agent.prompt('one');
    change(world.files);
    (await world.kernel.find(discovery)).invalidate();
    await world.agent.prompt('two');
    expect(world.executed).toMatchObject([{ input: { command: 'two' } }]);
    expect(world.files.told('planted')).toHaveLength(1);
  });
});

describe('A command', () => {
  it('that takes too long is stopped with everything that it started, and the call goes on with a warning', async () => {
    // Long enough for two shells to start.
    const timeout = Math.ceil(patientLimit(1_000) / 1000);
    const world = await hookWorld({
      script: calling('bash', { command: 'ls' }),
      files(files) {
        const body = `bash -c 'trap "" TERM; echo $$ > ${files.root}/grandchild; while :; do sleep 0.2; done' & wait`;
        files.write('home/.claude/settings.json', {
          hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: files.script('slow', body), timeout }] }] },
        });
      },
    });
    await world.agent.prompt('go');
    expect(world.executed).toHaveLength(1);
    expect(world.notices().join()).toContain(`did not end within ${timeout} s and was stopped`);
    const grandchild = await pidIn(join(world.files.root, 'grandchild'));
    await until(() => !isAlive(grandchild), 'the end of the grandchild');
  });

  it('refuses when it takes too long and is marked to fail closed', async () => {
    const world = await hookWorld({
      script: calling('bash', { command: 'ls' }),
      files: (files) =>
        files.write('home/.cursor/hooks.json', {
          version: 1,
          hooks: { beforeShellExecution: [{ command: 'sleep 30', timeout: 0.3, failClosed: true }] },
        }),
    });
    await world.agent.prompt('go');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('marked to refuse when it fails');
  });

  it('is one of fifty that run at the same time', async () => {
    const world = await hookWorld({
      script: calling('bash', { command: 'ls' }),
      files(files) {
        // Each waits until all have begun: one after the other they would never end.
        const all = `all=(${files.root}/began-*); [ \${#all[@]} = 50 ]`;
        const body = `touch ${files.root}/began-$1; for i in {1..300}; do ${all} && exit 0; sleep 0.1; done; exit 1`;
        const script = files.script('many', body);
        const hooks = Array.from({ length: 50 }, (_, index) => ({ type: 'command', command: `${script} ${index}` }));
        files.write('home/.claude/settings.json', { hooks: { PreToolUse: [{ hooks }] } });
      },
    });
    await world.agent.prompt('go');
    expect(world.executed).toHaveLength(1);
    expect(world.notices()).toEqual([]);
    expect(world.files.told('many')).toHaveLength(50);
  });

  it('that is written down several times runs once', async () => {
    const world = await hookWorld({
      script: calling('bash', { command: 'ls' }),
      files(files) {
        const hooks = [{ type: 'command', command: files.script('same') }];
        files.write('home/.claude/settings.json', { hooks: { PreToolUse: [{ matcher: 'Bash', hooks }, { hooks }] } });
        files.write('project/.claude/settings.json', { hooks: { PreToolUse: [{ matcher: '*', hooks }] } });
      },
    });
    await world.agent.prompt('go');
    expect(world.files.told('same')).toHaveLength(1);
  });

  it("does not read the user's .bashrc, though bash takes a socket for a remote login where no shell is above it", async () => {
    const files = new HookFiles();
    files.write('home/.bashrc', 'echo read; sleep 60');
    const env = { PATH: process.env['PATH'], HOME: join(files.root, 'home') };
    expect(await run('echo hook', { env })).toMatchObject({ exitCode: 0, stdout: 'hook\n' });
  });

  it('may close its input unread, and print more than is kept', async () => {
    const end = await run('exec 0<&-; head -c 5000000 /dev/zero | tr "\\0" x; exit 0', {
      stdin: 'y'.repeat(2_000_000),
    });
    expect(end).toMatchObject({ outcome: 'exited', exitCode: 0, isCut: true });
    expect(end.stdout).toHaveLength(MAX_OUTPUT_BYTES);
  });

  it('that leaves something in the background is not waited for, and leaves it there', async () => {
    const files = new HookFiles();
    const end = await run(`sleep 30 & echo $! > ${files.root}/pid; echo done`);
    expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const pid = await pidIn(join(files.root, 'pid'));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('that cannot be started is an end like any other', async () => {
    expect(await run('true', { cwd: '/nowhere' })).toMatchObject({ outcome: 'not-started' });
    expect(await run(['/nowhere/program'])).toMatchObject({ exitCode: 127 });
    expect(await run(['/bin/echo', 'a b', '$HOME'])).toMatchObject({ exitCode: 0, stdout: 'a b $HOME\n' });
  });

  it('ends when its session does', async () => {
    const files = new HookFiles();
    const controller = new AbortController();
    const ended = run(`echo $$ > ${files.root}/pid; sleep 60`, { signal: controller.signal });
    const pid = await pidIn(join(files.root, 'pid'));
    controller.abort();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    expect(isAlive(pid)).toBe(false);
  });

  it('does not outlive a Tenon that is killed', async () => {
    const files = new HookFiles();
    const module = fileURLToPath(new URL('../src/command-run.ts', import.meta.url));
    const program = `
      import { runShellCommand } from ${JSON.stringify(module)};
      await runShellCommand({ command: 'echo $$ > ${files.root}/pid; sleep 60', cwd: '/', env: process.env, stdin: '',
        timeoutMs: 60000, signal: new AbortController().signal });`;
    const file = join(files.root, 'victim.mjs');
    const bundle = { bundle: true, platform: 'node' as const, format: 'esm' as const, conditions: ['tenon-source'] };
    await build({
      ...bundle,
      stdin: { contents: program, resolveDir: process.cwd() },
      outfile: file,
      logLevel: 'error',
    });
    const victim = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const pid = await pidIn(join(files.root, 'pid'));
    expect(isAlive(pid)).toBe(true);
    victim.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
