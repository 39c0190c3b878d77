import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAlive } from '@tenon/test-kit/processes';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { PtySession, SessionOptions, ShellAccelerator, ShellSession } from '../src/shell/contract.ts';
import { FUNCTIONS, GUARD, PRELUDE } from '../src/shell/scripts.ts';
import { createSnapshot } from '../src/shell/snapshot.ts';
import { eventually, runAll, shells } from './shell-implementations.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const open: { close(): Promise<void> }[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-test-'));
  folders.push(folder);
  return folder;
}

it('keeps the twin’s copies of the scripts equal to those of the crate', () => {
  const scripts = join(HERE, '../../crates/shell/scripts');
  expect(GUARD).toBe(readFileSync(join(scripts, 'guard.sh'), 'utf8'));
  expect(FUNCTIONS).toBe(readFileSync(join(scripts, 'functions.sh'), 'utf8'));
  expect(PRELUDE).toBe(readFileSync(join(scripts, 'prelude.sh'), 'utf8'));
});

describe.each(shells)('shell sessions ($kind)', ({ kind, implementation: shell }) => {
  const session = (options: SessionOptions = {}): ShellSession => {
    const opened = shell.openSession({ cwd: '/tmp', graceMs: patientLimit(200), ...options });
    open.push(opened);
    return opened;
  };

  it('keep folder, variables, functions and aliases between commands', async () => {
    const one = session();
    await one.run("cd /usr; A=1; export B=2; f() { echo f:$1; }; alias g='f alias'");
    const ran = await runAll(one, 'pwd; echo $A; bash -c "echo \\$B"; f x; g');
    expect(ran).toMatchObject({ output: '/usr\n1\n2\nf:x\nf:alias\n', exitCode: 0, cwd: '/usr', shell: 'kept' });
  });

  it('show both streams in the order in which they were written, or attribute them', async () => {
    const text = 'for i in 1 2 3; do echo o$i; echo e$i >/dev/stderr; done; exit 5';
    expect(await runAll(session(), text)).toMatchObject({ output: 'o1\ne1\no2\ne2\no3\ne3\n', exitCode: 5 });
    const apart = await runAll(session({ output: 'separate' }), text);
    expect(apart).toMatchObject({ stdout: 'o1\no2\no3\n', stderr: 'e1\ne2\ne3\n', output: '', exitCode: 5 });
  });

  it('survive what would end or confuse a shell', async () => {
    const one = session();
    const texts = [
      "echo 'a",
      'if',
      'cat <<X\nopen',
      'break',
      'return 3',
      'exit 3',
      'set -e; false',
      'exec true',
      'kill -9 $$',
      'exec >/dev/null 2>&1',
      'kill -TERM 0',
      'cat',
      'read x',
      'set -u; echo $nope',
      'trap "" TERM; exec 3>&- 244>&-',
      'set -t',
      'set -o posix',
      'IFS=0123456789abcdef',
      'readonly PWD IFS',
      'unset PATH; PATH=/usr/bin:/bin',
      'unset -f $(compgen -A function)',
      '__tenon() { :; }',
      'alias __tenon=false builtin=false',
      'eval() { :; }; printf() { :; }',
      'unset -f eval printf',
      'read -r -u 255 line',
      'trap "sleep 0.1" DEBUG',
      'trap - DEBUG; exec 0<&- 1>&- 2>&-',
    ];
    for (const text of texts) {
      await one.run(text);
      expect(await runAll(one, 'echo fine'), text).toMatchObject({ output: 'fine\n', exitCode: 0 });
    }
  });

  it('end a shell that reads and runs nothing, and go on with the state from before the command', async () => {
    for (const text of [
      'set -n',
      'set -o noexec; echo never',
      "shopt -s extdebug; trap 'false' DEBUG; echo never",
      'trap "set -n" DEBUG',
      'builtin() { :; }',
      'exec 244>/dev/null',
      'sleep 100 & set -n',
      'builtin() { echo fooled; }; enable() { :; }; unset() { :; }',
    ]) {
      const one = session();
      await one.run('cd /usr; v=\'a b\'; f() { echo "f $v"; }');
      const ended = { outcome: 'exited', exitCode: 0, shell: 'restored', switchedOff: true, output: '' };
      expect(await runAll(one, text, { timeoutMs: 60_000 }), text).toMatchObject(ended);
      expect((await runAll(one, 'f; pwd')).output, text).toBe('f a b\n/usr\n');
      await one.close();
    }
  });

  it('outlive builtins that a command has switched off or replaced, and keep their state', async () => {
    const one = session();
    await one.run('cd /usr; v=kept; f() { echo "f $v"; }; alias al="echo al"');
    const long = `: ${'long '.repeat(100)}; echo "$v"`;
    for (const text of [
      'enable -n eval',
      'enable -n builtin',
      'enable -n printf exit read cd set unset return local',
      'enable -n builtin eval enable',
      'enable -n command; false',
      'enable() { :; }; builtin enable -n eval; unset -f enable',
      'eval() { echo eval; }; printf() { echo printf; }; exit() { echo exit; }; command() { echo command; }',
      'alias eval=false printf=false exit=false builtin=false',
      'unset -f eval printf exit command; unalias eval printf exit builtin',
    ]) {
      await one.run(text, { timeoutMs: 60_000 });
      expect((await runAll(one, 'f; al; pwd')).output, text).toBe('f kept\nal\n/usr\n');
      expect((await runAll(one, long)).output, text).toBe('kept\n');
      expect((await runAll(one, 'echo "$E"; pwd', { env: { E: 'e' }, cwd: '/' })).output, text).toBe('e\n/\n');
      await one.run('cd /usr');
    }
    expect(await one.run('enable -n eval; (exit 3)')).toMatchObject({ exitCode: 3, shell: 'kept' });
  });

  it('keep what a sourced file has changed beside what it has switched off', async () => {
    const file = join(temporaryFolder(), 'off.sh');
    for (const off of ['enable -n eval', 'enable -n builtin', 'builtin() { :; }']) {
      writeFileSync(file, `w=changed\nalias al='echo al'\n${off}\n`);
      const one = session();
      await one.run('v=kept');
      expect(await one.run(`. ${file}`, { timeoutMs: 60_000 }), off).toMatchObject({
        shell: 'restored',
        switchedOff: true,
      });
      expect((await runAll(one, 'echo "$v $w"; al')).output, off).toBe('kept changed\nal\n');
      await one.close();
    }
  });

  it('run the text they are given, whatever an earlier command has made read-only', async () => {
    const one = session();
    await one.run('readonly __tenon_c="echo fooled"; compgen -v __tenon_ | while read -r n; do readonly "$n"; done');
    expect((await runAll(one, `echo right # ${'long '.repeat(100)}`)).output).toBe('right\n');
    expect((await runAll(one, 'compgen -v __tenon_')).output).toBe('__tenon_c\n');
  });

  it('show `set -v` as bash does: the lines of the command, nothing of what drives the shell', async () => {
    const one = session();
    expect((await runAll(one, 'set -v\necho a')).output).toBe('echo a\na\n');
    expect((await runAll(one, 'echo b')).output).toBe('echo b\nb\n');
    expect((await runAll(one, 'set +v')).output).toBe('set +v\n');
    expect((await runAll(one, 'echo c')).output).toBe('c\n');
  });

  it('carry their state over `exit` and say when they could not', async () => {
    const one = session();
    await one.run("cd /usr; v='a b'; export E=e; f() { echo f; }; alias al='echo al'");
    expect(await one.run('exit 7')).toMatchObject({ exitCode: 7, shell: 'restored', cwd: '/usr' });
    expect((await runAll(one, 'pwd; echo "$v"; f; al; bash -c "echo \\$E"')).output).toBe('/usr\na b\nf\nal\ne\n');
    expect(await one.run('kill -9 $$')).toMatchObject({ exitCode: 137, shell: 'fresh' });
    expect((await runAll(one, 'pwd; echo "[$v]"')).output).toBe('/usr\n[]\n');
  });

  it('deliver every byte and take every command unchanged', async () => {
    const one = session();
    const chunks: Buffer[] = [];
    await one.run("printf 'a\\0b\\377\\r\\nend'", { onOutput: ({ bytes }) => void chunks.push(Buffer.from(bytes)) });
    expect(Buffer.concat(chunks).toString('latin1')).toBe('a\0b\xff\r\nend');
    const word = 'é"$`\\!\n\t'.repeat(20_000);
    expect((await runAll(one, `printf %s '${word}'`)).output).toBe(word);
    await expect(one.run('a\0b')).rejects.toThrow('NUL byte');
  });

  it('give a command variables and a folder of its own, and refuse bad ones with a reason', async () => {
    const one = session();
    const ran = await runAll(one, 'bash -c \'echo "$V"\'; pwd', { env: { V: "it's\ntwo" }, cwd: '/usr/lib' });
    expect(ran).toMatchObject({ output: "it's\ntwo\n/usr/lib\n", cwd: '/usr/lib' });
    expect((await runAll(one, 'echo ${V-unset}')).output).toBe('unset\n');
    await expect(one.run('true', { env: { 'A-B': '1' } })).rejects.toThrow('invalid variable name');
    await expect(one.run('true', { cwd: '/no/such' })).rejects.toThrow('/no/such');
    expect(() => shell.openSession({ bash: '/no/such/bash' })).toThrow('/no/such/bash');
  });

  it('stop a cancelled command with all it started, keep older background processes and the state', async () => {
    const one = session();
    const old = Number((await runAll(one, 'v=kept; sleep 71.5 >/dev/null & echo $!')).output);
    const abort = new AbortController();
    let printed = '';
    const running = one.run(
      'w=set; bash -c \'trap "" INT TERM; echo $$; sleep 72\' & setsid sleep 72 & echo $!; sleep 72; echo never',
      {
        signal: abort.signal,
        onOutput: ({ bytes }) => void (printed += Buffer.from(bytes).toString()),
      },
    );
    await eventually('both print their id', () => printed.split('\n').length === 3);
    abort.abort();
    expect(await running).toMatchObject({ exitCode: null, outcome: 'cancelled', shell: 'restored' });
    // Behind the two ids bash may say that it saw one of them killed.
    const started = printed.trim().split('\n').slice(0, 2).map(Number);
    expect(started.map(isAlive)).toEqual([false, false]);
    expect(isAlive(old)).toBe(true);
    expect((await runAll(one, 'echo $v $w')).output).toBe('kept set\n');
  });

  it('stop at the time limit, also inside the shell itself', async () => {
    const one = session();
    for (const text of ['sleep 60; echo never', 'while :; do :; done', 'x=$(sleep 60)']) {
      expect(await runAll(one, text, { timeoutMs: 150 }), text).toMatchObject({
        outcome: 'timed-out',
        exitCode: null,
        output: '',
      });
    }
    expect((await runAll(one, 'echo fine')).output).toBe('fine\n');
  });

  it('let background processes go, list them and end them', async () => {
    const one = session();
    await one.run('sleep 73.25 & (setsid sleep 73.25 &)');
    await eventually(
      'both are listed',
      () => one.background().filter(({ command }) => command === 'sleep 73.25').length === 2,
    );
    for (const { pid } of one.background()) expect(await one.endBackground(pid)).toBe(true);
    expect(one.background()).toEqual([]);
    expect(await one.endBackground(process.pid)).toBe(false);
  });

  it('never take the shell that replaces an ended one for a background process', async () => {
    const one = session();
    const { output } = await runAll(one, 'sleep 73.75 >/dev/null & echo $!');
    for (let round = 0; round < 5; round++) {
      expect(await one.run('exit 3')).toMatchObject({ shell: 'restored' });
      for (const until = Date.now() + 30; Date.now() < until; await new Promise(setImmediate)) {
        expect(one.background().map(({ pid }) => pid)).toEqual([Number(output)]);
      }
    }
  });

  it('keep a bounded part of what background processes write between commands', async () => {
    const one = session();
    await one.run('(sleep 0.1; head -c 600000 /dev/zero | tr "\\0" x; echo last) &');
    let kept = '';
    let dropped = 0;
    await eventually('the last line', () => {
      const taken = one.takeBackgroundOutput();
      kept += Buffer.from(taken.bytes).toString();
      dropped += taken.dropped;
      return kept.endsWith('last\n');
    });
    expect(kept.length + dropped).toBe(600_005);
  });

  it('hold a fast writer back while the consumer is busy', async () => {
    const one = session();
    let seen = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const running = one.run('head -c 40000000 /dev/zero', {
      onOutput: async ({ bytes }) => {
        seen += bytes.length;
        await gate;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const rss = process.memoryUsage.rss();
    expect(seen).toBeLessThanOrEqual(256 * 1024);
    release();
    await running;
    expect(seen).toBe(40_000_000);
    expect(process.memoryUsage.rss() - rss).toBeLessThan(64 * 1024 * 1024);
  });

  it('give the consumer’s own error to the caller and stop the command', async () => {
    const one = session();
    const running = one.run('echo x; sleep 60', {
      onOutput: () => {
        throw new Error('no room');
      },
    });
    await expect(running).rejects.toThrow('no room');
    expect((await runAll(one, 'echo fine')).output).toBe('fine\n');
  });

  it('run commands one after the other and end those that wait when they are closed', async () => {
    const one = session();
    const order: string[] = [];
    const first = runAll(one, 'sleep 0.1; echo 1').then(({ output }) => order.push(output.trim()));
    const second = runAll(one, 'echo 2').then(({ output }) => order.push(output.trim()));
    await Promise.all([first, second]);
    expect(order).toEqual(['1', '2']);
    const hanging = one.run('sleep 60');
    const failed = expect(hanging).rejects.toThrow('the shell session is over');
    await one.close();
    await failed;
    await expect(one.run('true')).rejects.toThrow('open a new one');
    expect(one.background()).toEqual([]);
  });

  it('leave neither processes nor files when they are closed', async () => {
    // A folder of its own: other tests open sessions at the same time.
    const temporary = temporaryFolder();
    vi.stubEnv('TMPDIR', temporary);
    const one = session();
    vi.unstubAllEnvs();
    expect(readdirSync(temporary)).toMatchObject([expect.stringMatching(/^tenon-shell-/)]);
    const { output } = await runAll(
      one,
      'sleep 74.5 >/dev/null & echo $!; (setsid sleep 74.5 >/dev/null & echo $!); echo $$; echo $PPID',
    );
    const pids = output.trim().split('\n').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true, true, true]);
    await one.close();
    await eventually('all are gone', () => !pids.some(isAlive));
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('source a snapshot of the user’s shell, made once', async () => {
    const home = temporaryFolder();
    const bashrc =
      'case $- in *i*) ;; *) return ;; esac\nalias hello="echo from alias"\ngreet() { echo "hi $1"; }\nexport ADDED=yes\nshopt -s nullglob\necho noise\n';
    writeFileSync(join(home, '.bashrc'), bashrc);
    const env = { PATH: process.env['PATH'], HOME: home };
    const file = join(home, 'cache', 'snapshot.sh');
    const wait = new Promise((resolve) => setTimeout(resolve, 20));
    await wait;
    expect(await createSnapshot(shell, { file, env })).toEqual({ ok: true, file, reused: false });
    expect(await createSnapshot(shell, { file, env })).toEqual({ ok: true, file, reused: true });
    const one = session({ env, snapshot: file });
    const ran = await runAll(one, 'hello; greet you; bash -c "echo \\$ADDED"; shopt -q nullglob && echo nullglob');
    expect(ran.output).toBe('from alias\nhi you\nyes\nnullglob\n');
    expect(
      await createSnapshot(shell, { file: join(home, 'x.sh'), env, bash: 'false' }).catch((error: Error) => error),
    ).toBeInstanceOf(Error);
  });

  it('leave aliases that ask out of a snapshot, which only its owner can read', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, '.bashrc'), "alias rm='rm -i' cp='cp -vi' ll='ls -li'\n");
    const file = join(home, 'cache', 'snapshot.sh');
    await createSnapshot(shell, { file, env: { PATH: process.env['PATH'], HOME: home } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await runAll(session({ snapshot: file }), 'alias')).output).toBe("alias ll='ls -li'\n");
  });

  it('use a folder that was made for them', async () => {
    const folder = join(temporaryFolder(), 'tenon-shell-own');
    mkdirSync(folder);
    const one = session({ folder });
    expect((await runAll(one, `test -L ${folder}/bash && echo seen`)).output).toBe('seen\n');
    await one.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('run behind a wrapping command line', async () => {
    const one = session({ wrap: (folder) => ['env', `SESSION_FOLDER=${folder}`] });
    const ran = await runAll(one, 'test -L "$SESSION_FOLDER/bash" && echo seen; exit 4');
    expect(ran).toMatchObject({ output: 'seen\n', exitCode: 4, shell: 'restored' });
    expect((await runAll(one, 'echo fine')).output).toBe('fine\n');
  });

  it('leave nothing behind when their host is killed with SIGKILL', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'host.mjs');
    const { build } = await import('esbuild');
    await build({
      stdin: {
        contents: `import { findAddon } from './src/loader.ts';
          import { createJs } from './src/shell/js.ts';
          import { fromAddon } from './src/shell/native.ts';
          const shell = process.argv[2] === 'js' ? createJs() : fromAddon(findAddon().addon);
          const session = shell.openSession({ cwd: '/tmp' });
          let text = '';
          await session.run(process.argv[3], { onOutput: ({ bytes }) => { text += Buffer.from(bytes); } });
          const pty = shell.openPty({ program: ['bash', '-c', 'echo pty $$; sleep 75.5'], onOutput: (bytes) => { text += Buffer.from(bytes); } });
          while (!/pty \\d+/.test(text)) await new Promise((resolve) => setTimeout(resolve, 10));
          process.stdout.write(text + 'ready\\n');
          setInterval(() => {}, 1000);`,
        resolveDir: join(HERE, '..'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      packages: 'external',
      logLevel: 'error',
      define: { 'import.meta.url': JSON.stringify(new URL('../src/index.ts', import.meta.url).href) },
    });
    // The last one also drops its environment, which only a subreaper survives: see docs/design/shell.md.
    const escapes = [
      'sleep 75.5 & echo $!',
      'setsid sleep 75.5 & echo $!',
      '(setsid sleep 75.5 & echo $!)',
      '(nohup setsid bash -c "trap \\"\\" TERM INT HUP; echo \\$\\$; sleep 75.5; sleep 75.5" &) ; sleep 0.2',
    ];
    if (kind === 'native') escapes.push('(setsid env -i sleep 75.5 & echo $!)');
    const host = spawn(process.execPath, [program, kind, `${escapes.join('; ')}; echo $$; echo $PPID`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    host.stdout.on('data', (data: Buffer) => (printed += data.toString()));
    await eventually('the host is ready', () => printed.includes('ready'));
    const pids = [...printed.matchAll(/\d+/g)].map(Number);
    expect(pids.length).toBe(escapes.length + 3);
    expect(pids.every(isAlive)).toBe(true);
    host.kill('SIGKILL');
    await eventually(
      'nothing is left',
      () => !pids.some(isAlive) && !commandLines().some((line) => line.startsWith('sleep\u000075.5')),
    );
  });
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      } catch {
        return ''; // It ended between the listing and the look.
      }
    });
}

describe.each(shells)('terminals ($kind)', ({ implementation: shell }) => {
  const terminal = (program: [string, ...string[]]): { pty: PtySession; screen: () => string } => {
    const chunks: Buffer[] = [];
    const pty = openTerminal(shell, program, chunks);
    return { pty, screen: () => Buffer.concat(chunks).toString() };
  };

  it('have the given size, tell about a new one and give the exit status', async () => {
    const { pty, screen } = terminal([
      'bash',
      '-c',
      'trap \'stty size; seen=1\' WINCH; tty -s && stty size; until [ -n "$seen" ]; do sleep 0.05; done; exit 3',
    ]);
    await eventually('the first size', () => screen().includes('30 100'));
    pty.resize(132, 43);
    expect(await pty.exit).toEqual({ exitCode: 3 });
    expect(screen()).toContain('43 132');
  });

  it('take input and control characters like a person’s', async () => {
    const { pty, screen } = terminal(['bash', '--norc', '-i']);
    pty.write('echo $((40+2))-answer\n');
    await eventually('the answer', () => screen().includes('42-answer'));
    pty.write('sleep 60\n');
    await eventually('the echo', () => screen().includes('sleep 60'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    pty.write('\u0003');
    pty.write('echo after-$?\n');
    await eventually('the interrupt', () => screen().includes('after-130'));
    pty.write('exit 6\n');
    expect(await pty.exit).toEqual({ exitCode: 6 });
  });

  it('deliver all output before the end and end what was left running', async () => {
    const { pty, screen } = terminal([
      'bash',
      '-c',
      'setsid sleep 76.5 </dev/null >/dev/null 2>&1 & echo pid=$!=; seq 1 5000; exit 4',
    ]);
    expect(await pty.exit).toEqual({ exitCode: 4 });
    expect(screen().endsWith('4999\r\n5000\r\n')).toBe(true);
    const left = Number(screen().split('=')[1]);
    await eventually('it is gone', () => !isAlive(left));
  });

  it('end on request, whatever the program thinks of it', async () => {
    const { pty, screen } = terminal(['bash', '-c', "trap '' HUP INT TERM; echo ready; while :; do sleep 1; done"]);
    await eventually('ready', () => screen().includes('ready'));
    pty.signal('SIGTERM');
    await pty.close();
    expect(await pty.exit).toEqual({ exitCode: null });
  });
});

function openTerminal(shell: ShellAccelerator, program: [string, ...string[]], chunks: Buffer[]): PtySession {
  const home = temporaryFolder();
  const pty = shell.openPty({
    program,
    columns: 100,
    rows: 30,
    cwd: '/tmp',
    // An interactive shell writes its history when it ends: not into that of whoever runs the tests.
    env: { ...process.env, HOME: home, HISTFILE: join(home, 'history') },
    onOutput: (bytes) => void chunks.push(Buffer.from(bytes)),
  });
  open.push(pty);
  return pty;
}
