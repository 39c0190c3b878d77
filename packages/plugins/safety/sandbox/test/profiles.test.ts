/** Which profile holds, what it shows and protects, and what is said when it cannot be enforced. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { loadAccelerator } from '@tenon/native';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findingsOf, noticeOf } from '../src/doctor-check.ts';
import { isWithheld } from '../src/environment.ts';
import { findMechanism, type MechanismChoice } from '../src/find-mechanism.ts';
import { seatbelt } from '../src/mechanisms/seatbelt.ts';
import { policyOf } from '../src/policy.ts';
import { chooseProfile } from '../src/sandboxes.ts';
import { DEFAULTS, Machine, runIn } from './support/machine.ts';

const sandbox = await loadAccelerator('sandbox');
const here = await findMechanism(sandbox, 'auto', {});
const no = { available: false, detail: 'not here' };
const NOTHING: MechanismChoice = {
  mechanism: undefined,
  abilities: { bubblewrap: no, landlock: no, seatbelt: no },
  reasons: ['bubblewrap: not installed', 'landlock: needs Linux 5.13'],
  outer: [],
  bubblewrapPath: undefined,
};
const ONLY_LANDLOCK: MechanismChoice = {
  ...NOTHING,
  mechanism: 'landlock',
  abilities: { ...NOTHING.abilities, landlock: { available: true, detail: 'ABI 7' } },
};

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

describe('the profile', () => {
  it('is workspace-write where a sandbox works, and what was asked for where somebody asked', async () => {
    if (here.mechanism !== undefined) {
      expect(await machine.sandboxes().profileFor({ cwd: machine.workspace })).toBe('workspace-write');
    }
    for (const profile of ['read-only', 'workspace-write', 'full'] as const) {
      expect(await machine.sandboxes({ profile }).profileFor({ cwd: machine.workspace })).toBe(profile);
    }
  });

  it('is full where nothing works, and says why', () => {
    const { profile, reason } = chooseProfile(DEFAULTS, NOTHING, machine.workspace, machine.home);
    expect(profile).toBe('full');
    expect(reason).toContain('bubblewrap: not installed');
    const nested = { ...NOTHING, outer: ["Tenon's sandbox (TENON_SANDBOX=read-only bubblewrap)"] };
    expect(chooseProfile(DEFAULTS, nested, machine.workspace, machine.home).reason).toContain(
      'an outer sandbox may hold',
    );
  });

  it('is read-only in a home, which is no project', () => {
    const choice = { ...ONLY_LANDLOCK, mechanism: 'bubblewrap' as const };
    expect(chooseProfile(DEFAULTS, choice, machine.home, machine.home).profile).toBe('read-only');
    expect(chooseProfile(DEFAULTS, choice, '/', machine.home).profile).toBe('read-only');
  });

  it('is not weakened by Landlock alone: a repository needs bubblewrap, or somebody who asks', () => {
    machine.initGit();
    expect(chooseProfile(DEFAULTS, ONLY_LANDLOCK, machine.workspace, machine.home)).toMatchObject({
      profile: 'full',
      reason: expect.stringMatching(/only Landlock works here.*bubblewrap: /),
    });
    expect(chooseProfile(DEFAULTS, ONLY_LANDLOCK, machine.outside, join(machine.home, 'elsewhere')).profile).toBe(
      'workspace-write',
    );
  });

  it('that is asked for and unavailable is an error with the next step', async () => {
    const { wrap } = machine.sandboxes({ mechanism: 'seatbelt' });
    if (process.platform === 'darwin') return;
    await expect(wrap({ cwd: machine.workspace, profile: 'read-only' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('seatbelt: only on macOS'),
      next: expect.stringContaining('Install bubblewrap'),
    });
    // Naming a mechanism is asking, too.
    await expect(machine.sandboxes({ mechanism: 'seatbelt' }).wrap({ cwd: machine.workspace })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    });
    machine.initGit();
    const landlock = { ...DEFAULTS, mechanism: 'landlock' as const };
    expect(chooseProfile(landlock, ONLY_LANDLOCK, machine.workspace, machine.home).profile).toBe('workspace-write');
  });

  it('refuses to let a home or the whole machine be changed', async () => {
    if (here.mechanism === undefined) return;
    for (const cwd of [machine.home, '/', machine.folder]) {
      const wrapped = machine.sandboxes().wrap({ cwd, profile: 'workspace-write' });
      await expect(wrapped).rejects.toMatchObject({ code: 'SANDBOX_WORKSPACE_TOO_WIDE' });
    }
    const missing = machine.sandboxes().wrap({ cwd: join(machine.home, 'gone'), profile: 'read-only' });
    await expect(missing).rejects.toMatchObject({ code: 'SANDBOX_FOLDER_MISSING' });
  });

  it('full puts nothing before the program and changes no variable', async () => {
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'full' });
    expect([confinement.argv, confinement.env, confinement.argvWith({ extraRead: ['/x'] })]).toEqual([[], {}, []]);
    expect(confinement.describe()).toContain('No sandbox');
  });
});

describe('the policy', () => {
  const policy = (settings = {}) =>
    policyOf(
      { cwd: machine.workspace, profile: 'workspace-write' },
      { ...DEFAULTS, ...settings },
      machine.surroundings([join(machine.home, '.tenon-data')]),
    );

  it('hides keys and Tenon’s own folders, and shows what the user wants shown', async () => {
    mkdirSync(join(machine.home, '.tenon-data'));
    const paths = (await policy()).hidden.map(({ path }) => path);
    for (const name of ['.ssh', '.netrc', '.config/gh', '.tenon-data'])
      expect(paths).toContain(join(machine.home, name));
    const shown = await policy({ readable: ['~/.netrc', '~/.ssh/known_hosts'], hidden: ['~/notes.txt'] });
    const now = shown.hidden.map(({ path }) => path);
    expect(now).not.toContain(join(machine.home, '.netrc'));
    expect(now).toContain(join(machine.home, '.ssh'));
    expect(now).toContain(join(machine.home, 'notes.txt'));
  });

  it('lets git commit but not change its settings, also from a folder inside the repository', async () => {
    machine.initGit();
    const git = join(machine.workspace, '.git');
    const top = await policy();
    expect(top.write).toContain(git);
    expect(top.protect).toEqual(expect.arrayContaining([join(git, 'hooks'), join(git, 'config'), join(git, 'info')]));
    const strict = await policy({ git: 'read-only' });
    expect(strict.write).not.toContain(git);
    expect(strict.protect).toContain(git);
    const inner = join(machine.workspace, 'deep', 'er');
    mkdirSync(inner, { recursive: true });
    const below = await policyOf({ cwd: inner, profile: 'workspace-write' }, DEFAULTS, machine.surroundings());
    expect(below.write).toEqual([inner, git]);
  });

  it('follows a worktree’s .git file only to a folder that points back', async () => {
    machine.initGit();
    const tree = join(machine.outside, 'tree');
    execFileSync('git', ['worktree', 'add', '-q', tree, '-b', 'side'], { cwd: machine.workspace });
    const of = () => policyOf({ cwd: tree, profile: 'workspace-write' }, DEFAULTS, machine.surroundings());
    const common = join(machine.workspace, '.git');
    expect((await of()).write).toEqual([tree, common]);
    expect((await of()).protect).toContain(join(tree, '.git'));
    const forged = join(machine.home, '.git', 'worktrees', 'x');
    mkdirSync(forged, { recursive: true });
    writeFileSync(join(tree, '.git'), `gitdir: ${forged}\n`);
    expect((await of()).write).toEqual([tree]);
  });

  it('names a protected name that is a link, because it cannot be held', async () => {
    symlinkSync(machine.outside, join(machine.workspace, '.vscode'));
    expect((await policy()).notes).toEqual(['.vscode is a link and cannot be protected']);
  });
});

describe.skipIf(here.mechanism !== 'bubblewrap')('a confined program', () => {
  it('commits, in a repository and in a worktree of it', async () => {
    machine.initGit();
    const tree = join(machine.outside, 'tree');
    execFileSync('git', ['worktree', 'add', '-q', tree, '-b', 'side'], { cwd: machine.workspace });
    for (const cwd of [machine.workspace, tree]) {
      const confinement = await machine.sandboxes().wrap({ cwd });
      const script =
        'echo more >> file.txt && git add -A && git commit -qm second && git log --format=%s && git status --short';
      const outcome = await runIn(confinement, ['sh', '-c', script], cwd);
      await confinement.dispose();
      expect(outcome).toEqual({ code: 0, out: 'second\nfirst\n', err: '' });
    }
  });

  it('keeps Tenon’s folder from being made, and leaves no trace of that', async () => {
    const marker = join(machine.workspace, '.tenon');
    const [one, two] = [
      await machine.sandboxes().wrap({ cwd: machine.workspace }),
      await machine.sandboxes().wrap({ cwd: machine.workspace }),
    ];
    await one?.dispose();
    const outcome = await runIn(
      two as NonNullable<typeof two>,
      ['sh', '-c', 'mkdir -p .tenon && echo x > .tenon/settings.yml'],
      machine.workspace,
    );
    expect(outcome.code).not.toBe(0);
    await two?.dispose();
    expect(existsSync(marker)).toBe(false);
  });

  it('sees and changes the paths that its starter adds at the last moment', async () => {
    const session = join(machine.home, '.ssh', 'session');
    mkdirSync(session);
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'read-only' });
    const argv = confinement.argvWith({ extraWrite: [session], extraRead: [join(machine.home, '.netrc')] });
    const script = `echo made > ${session}/file; cat ${machine.home}/.netrc; ls ${machine.home}/.ssh`;
    const outcome = await runIn({ ...confinement, argv }, ['sh', '-c', script], machine.workspace);
    expect(outcome).toEqual({ code: 0, out: 'PRIVATEsession\n', err: '' });
    expect(readFileSync(join(session, 'file'), 'utf8')).toBe('made\n');
    await confinement.dispose();
  });

  it('starts although sockets that were to be hidden are gone, hides those that are left, and changes no word of it', async () => {
    const names = ['one', 'two', 'three'].map((name) => join(machine.outside, `${name}.sock`));
    const servers = await Promise.all(names.map(listening));
    try {
      const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, profile: 'workspace-write' });
      // Once with all of them, then as one and another goes away.
      const program = ['sh', '-c', `ls ${machine.outside}/*.sock | wc -l; printf '[%s]' "$@"`, 'sh'];
      const words = ['--', '/dev/./null', join(machine.outside, 'none'), '', ' a "b" $c\n*'];
      for (const left of [3, 2, 1]) {
        const { code, out, err } = await runIn(confinement, [...program, ...words], machine.workspace);
        expect({ code, out, err }).toEqual({
          code: 0,
          out: `${left}\n${words.map((word) => `[${word}]`).join('')}`,
          err: '',
        });
        const last = names[left - 1] ?? '';
        const connect = `try: s.connect(${JSON.stringify(names[0])}); print('IN')\nexcept OSError: print('out')`;
        const tried = await runIn(
          confinement,
          ['python3', '-c', `import socket\ns = socket.socket(socket.AF_UNIX)\n${connect}`],
          machine.workspace,
        );
        expect(tried).toEqual({ code: 0, out: 'out\n', err: '' });
        await closed(servers[left - 1]);
        expect(existsSync(last)).toBe(false);
      }
      await confinement.dispose();
    } finally {
      await Promise.all(servers.map(closed));
    }
  });

  it('keeps a terminal that is its own', async () => {
    const confinement = await machine.sandboxes().wrap({ cwd: machine.workspace, terminal: true });
    const words = [...confinement.argv, 'sh', '-c', 'tty < /dev/tty && ps -o tpgid= -p $$'];
    const script = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
try:
    while data := os.read(fd, 4096): sys.stdout.buffer.write(data)
except OSError: pass
`;
    const outcome = await runIn({ ...confinement, argv: [] }, ['python3', '-c', script, ...words], machine.workspace);
    expect(outcome.out).toMatch(/^\/dev\/\S+\r\n\s*\d+/);
    await confinement.dispose();
  });
});

async function listening(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return server;
}

async function closed(server: Server | undefined): Promise<void> {
  if (server?.listening) await new Promise((resolve) => server.close(resolve));
}

describe.skipIf(!here.abilities.landlock.available)('Landlock', () => {
  it('hands the program’s descriptors on, and no others', async () => {
    const confinement = await machine
      .sandboxes({ mechanism: 'landlock' })
      .wrap({ cwd: machine.workspace, profile: 'read-only' });
    const listed = (argv: readonly string[]) => {
      const [file = '', ...args] = [...argv, 'sh', '-c', 'ls /proc/self/fd | tr "\\n" " "; echo given >&5'];
      const child = spawn(file, args, {
        cwd: machine.workspace,
        stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe'],
      });
      return Promise.all([1, 5].map((number) => textOf(child.stdio[number] as NodeJS.ReadableStream)));
    };
    const plain = await listed([]);
    expect(plain[0]).toContain('3 4 5');
    expect(await listed(confinement.argv)).toEqual(plain);
    await confinement.dispose();
  });

  it.skipIf(!here.abilities.bubblewrap.available)(
    'still works inside of bubblewrap, which does not work inside of itself',
    async () => {
      const outer = await machine.sandboxes({ mechanism: 'bubblewrap' }).wrap({ cwd: machine.workspace });
      const inner = await machine
        .sandboxes({ mechanism: 'landlock' })
        .wrap({ cwd: machine.workspace, profile: 'read-only' });
      const needed = {
        extraRead: [inner.argv.find((word) => word.endsWith('.node')) ?? ''],
        extraWrite: [join(inner.env['TMPDIR'] ?? '', '..')],
      };
      const argv = [...outer.argvWith(needed), ...inner.argv];
      const both = await runIn({ ...inner, argv }, ['sh', '-c', 'cat file.txt; echo x > file.txt'], machine.workspace);
      expect(both).toMatchObject({
        code: expect.any(Number),
        out: 'content',
        err: expect.stringMatching(/Permission denied|EACCES|cannot create/i),
      });
      const again = await runIn(outer, [here.bubblewrapPath ?? '', '--ro-bind', '/', '/', 'true'], machine.workspace);
      expect(again.code).not.toBe(0);
      await outer.dispose();
      await inner.dispose();
    },
  );
});

describe('what is said', () => {
  it('an outer sandbox is recognised by its marks', async () => {
    const { outer } = await findMechanism(sandbox, 'auto', { TENON_SANDBOX: 'read-only bubblewrap' });
    expect(outer).toContain("Tenon's sandbox (TENON_SANDBOX=read-only bubblewrap)");
  });

  it('the doctor calls a profile that was asked for and does not work a problem, and none a warning', () => {
    const auto = chooseProfile(DEFAULTS, NOTHING, machine.workspace, machine.home);
    const advice = expect.stringContaining('`apt install bubblewrap`');
    expect(findingsOf(NOTHING, auto, DEFAULTS)).toMatchObject([{ status: 'warning', next: advice }]);
    expect(noticeOf(NOTHING, auto, DEFAULTS)).toMatch(
      /^Programs of the agent run without a sandbox: .*`apt install bubblewrap`/,
    );
    const required = { ...DEFAULTS, required: true };
    const none = chooseProfile(required, NOTHING, machine.workspace, machine.home);
    expect(none).toMatchObject({ profile: 'workspace-write', reason: 'sandbox.required asks for a sandbox' });
    expect(findingsOf(NOTHING, none, required)).toMatchObject([{ status: 'problem', next: advice }]);
    expect(chooseProfile({ ...required, profile: 'full' }, NOTHING, '/w', '/h').profile).toBe('workspace-write');
    const asked = { ...DEFAULTS, profile: 'read-only' as const };
    expect(findingsOf(NOTHING, chooseProfile(asked, NOTHING, '/', '/'), asked)).toMatchObject([{ status: 'problem' }]);
    const works = chooseProfile(DEFAULTS, ONLY_LANDLOCK, machine.outside, join(machine.home, 'x'));
    expect(findingsOf(ONLY_LANDLOCK, works, DEFAULTS)).toMatchObject([{ status: 'ok' }]);
  });

  it('nobody is told to install what is there: the advice names what keeps bubblewrap from starting', () => {
    const detail = "bubblewrap 0.8.0 does not start a command here: bwrap: Can't mount proc";
    const blocked = {
      ...ONLY_LANDLOCK,
      abilities: { ...ONLY_LANDLOCK.abilities, bubblewrap: { available: false, detail } },
    };
    mkdirSync(join(machine.workspace, '.git'), { recursive: true });
    const profile = chooseProfile(DEFAULTS, blocked, machine.workspace, machine.home);
    expect(profile).toMatchObject({ profile: 'full', reason: expect.stringContaining(detail) });
    const contained = { ...blocked, outer: ['Docker container (/.dockerenv exists)'] };
    for (const [choice, advice] of [
      [blocked, /user namespaces/],
      [contained, /systempaths=unconfined.*unmask=ALL/],
    ] as const) {
      const said = [noticeOf(choice, profile, DEFAULTS), findingsOf(choice, profile, DEFAULTS)[0]?.next];
      for (const text of said) {
        expect(text).toMatch(advice);
        expect(text).not.toContain('apt install');
      }
    }
  });

  it('a program is told by its environment what holds it, and gets no secrets', async () => {
    if (here.mechanism === undefined) return;
    const env = {
      A_TOKEN: 'x',
      OPENAI_API_KEY: 'x',
      SSH_AUTH_SOCK: '/x',
      DB_URL: 'postgres://u:p@h/d',
      KEPT_KEY: 'x',
      PATH: '/bin',
      HOME: '/h',
    };
    const confinement = await machine
      .sandboxes({ keepEnvironment: ['KEPT_KEY'] }, env)
      .wrap({ cwd: machine.workspace });
    const removed = Object.entries(confinement.env)
      .filter(([, value]) => value === undefined)
      .map(([name]) => name);
    expect(removed).toEqual(expect.arrayContaining(['A_TOKEN', 'OPENAI_API_KEY', 'SSH_AUTH_SOCK', 'DB_URL']));
    for (const name of ['KEPT_KEY', 'PATH', 'HOME']) expect(removed).not.toContain(name);
    expect(confinement.env['TENON_SANDBOX']).toBe(`workspace-write ${here.mechanism}`);
    await confinement.dispose();
  });

  it('secrets are withheld without a sandbox too, and nothing else is', async () => {
    const env = {
      A_TOKEN: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_PROFILE: 'work',
      SSH_AUTH_SOCK: '/x',
      DB_URL: 'postgres://u:p@h/d',
      ODD_NAME: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
      KEPT_KEY: 'x',
      DISPLAY: ':0',
      PATH: '/bin',
    };
    const confinement = await machine
      .sandboxes({ keepEnvironment: ['KEPT_KEY'] }, env)
      .wrap({ cwd: machine.workspace, profile: 'full' });
    expect(Object.keys(confinement.env).sort()).toEqual(['AWS_SECRET_ACCESS_KEY', 'A_TOKEN', 'DB_URL', 'ODD_NAME']);
  });

  it('names tell secrets from settings', () => {
    for (const name of [
      'GITHUB_TOKEN',
      'npm_config__authToken',
      'AWS_SECRET_ACCESS_KEY',
      'DB_PASSWORD',
      'MY_PAT',
      'STRIPE_SECRET_KEY',
      'SENTRY_DSN',
    ]) {
      expect([name, isWithheld(name, 'x')]).toEqual([name, true]);
    }
    for (const name of [
      'PATH',
      'KEYBOARD',
      'TOKENIZERS_PARALLELISM',
      'PATTERN',
      'EDITOR',
      'MONKEY',
      'LANG',
      'AWS_REGION',
      'COMPASS',
    ]) {
      expect([name, isWithheld(name, 'x')]).toEqual([name, false]);
    }
  });
});

describe('for other machines', () => {
  it('macOS gets a profile that hides, protects and opens only the proxy', async () => {
    machine.initGit();
    const policy = await policyOf(
      { cwd: machine.workspace, profile: 'workspace-write' },
      DEFAULTS,
      machine.surroundings(),
    );
    const folder = join(machine.outside, 'private');
    mkdirSync(folder);
    const { argv, env } = seatbelt(sandbox, { policy, folder, terminal: false, proxy: { port: 4711 } });
    const [program, flag, profile = '', ...rest] = argv({ extraWrite: [machine.outside] });
    expect([program, flag, rest]).toEqual(['/usr/bin/sandbox-exec', '-p', ['--']]);
    const order = [
      '(deny default)',
      `(allow file-read* (subpath "/"))`,
      `(deny file-read* file-write* (subpath "${join(machine.home, '.ssh')}"))`,
      `(allow file-read* file-write* (subpath "${machine.workspace}"))`,
      `(deny file-write* (subpath "${join(machine.workspace, '.git', 'config')}"))`,
      '(deny network*)',
      '(allow network-outbound (remote ip "localhost:4711"))',
    ];
    expect(order.filter((line) => !profile.includes(line))).toEqual([]);
    expect(profile.indexOf('(deny network*)')).toBeLessThan(profile.indexOf('localhost:4711'));
    expect(env['HTTPS_PROXY']).toBe('http://127.0.0.1:4711');
  });
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}
