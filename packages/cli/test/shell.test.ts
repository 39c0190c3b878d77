import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import rootPackage from '../../../package.json' with { type: 'json' };
import { ended, Home, MAIN } from '@tenon/test-kit/program';
import { until } from '@tenon/test-kit/waiting';

let home: Home;
beforeEach(() => (home = new Home()));
afterEach(() => home.remove());

describe('tenon --version', () => {
  it('is the version of the package', () => {
    for (const words of [['--version'], ['-V'], ['--version', '--no-color']]) {
      expect(home.tenon(words)).toEqual({ code: 0, out: `tenon ${rootPackage.version}\n`, err: '' });
    }
  });

  it('loads no more than a few kilobytes: nothing of the kernel, of plugins or of the shell', () => {
    // What stands in a function is loaded when that is called.
    const LATER = /=>\s*require\("[^"]+"\)/g;
    const loads = (text: string) =>
      text.replaceAll(LATER, '').matchAll(/(?:\bimport|\bfrom|\(|\))\s*\(?["'](\.\/[^"']+)["']/g);
    const bytes = (file: string): number => {
      const text = readFileSync(file, 'utf8');
      return [...loads(text)].reduce((sum, [, path = '']) => sum + bytes(join(dirname(file), path)), text.length);
    };
    const entry = readFileSync(join(dirname(MAIN), 'main.cjs'), 'utf8');
    expect([...loads(readFileSync(MAIN, 'utf8'))].map(([, path]) => path)).toEqual(['./main.cjs']);
    expect(entry.match(LATER)).toEqual(['=>require("./quick-load.cjs")']);
    expect(bytes(MAIN)).toBeLessThan(5_000);
  });
});

describe('the command line', () => {
  it('alone shows how to begin', () => {
    const { code, out, err } = home.tenon([]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('tenon help COMMAND');
    expect(home.tenon(['--help']).out).toBe(out);
    expect(home.tenon(['help']).out).toBe(out);
  });

  it('starts no plugin and writes no file to show help', () => {
    home.tenon(['help', 'config', 'set']);
    expect(() => statSync(join(home.folder, 'home'))).toThrow(/ENOENT/);
  });

  it('answers an unknown command on standard error with a suggestion, and exits with 2', () => {
    const { code, out, err } = home.tenon(['confg', 'list']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(
      'tenon: There is no command "confg". Did you mean "tenon config list"?\n  next: See all commands with `tenon help`.\n  code: COMMAND_LINE_UNKNOWN_COMMAND\n',
    );
  });

  it.each([
    ['session', 'show'],
    ['skills', 'show'],
    ['plugin', 'inspect'],
    ['approval', 'allow'],
    ['runs', 'show'],
    ['workflow', 'show'],
    ['auth', 'login'],
  ])('exits with 2 for a name that `tenon %s %s` does not know', (...words) => {
    const { code, out, err } = home.tenon([...words, 'nowhere-to-be-found']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/\n {2}next: .+\n {2}code: [A-Z_]+\n$/);
  });

  it('reports errors as JSON when JSON was asked for', () => {
    const { code, out, err } = home.tenon(['config', 'get', 'nothing.here', '--json']);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'SETTINGS_UNKNOWN', owner: 'settings' } });
  });

  it('understands flags before a command, and never sends the name of a command to a model', () => {
    expect(home.tenon(['--json', 'trust', 'list'])).toEqual({ code: 0, out: '[]\n', err: '' });
    const refused = home.tenon(['--model', 'offline/rules', 'trust', 'add']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('`tenon trust add` has no flag "--model". It belongs to `tenon agent`');
    expect(home.tenon(['session', 'list', '--json']).out).toBe('[]\n');
    const prompt = home.tenon(['--model', 'offline/rules', 'list the todos']);
    expect(prompt).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^offline\/rules answers.*\n$/),
      out: expect.stringContaining('No TODO'),
    });
  });

  it('says how to write a prompt when its quotes are missing', () => {
    const { code, err } = home.tenon(['mend', 'the', 'bug']);
    expect(code).toBe(2);
    expect(err).toContain("For a prompt write `tenon 'mend the bug'`.");
  });

  it('never shows a stack unless asked to', () => {
    home.put(home.settings, 'kernel: [\n');
    const quiet = home.tenon(['config', 'get', 'kernel.prefer']);
    expect(quiet.err).not.toMatch(/^\s+at /m);
    expect(home.tenon(['config', 'get', 'kernel.prefer', '--verbose']).err).toMatch(/^\s+at /m);
    expect(home.tenon(['config', 'get', 'kernel.prefer'], { env: { TENON_DEBUG: '1' } }).err).toMatch(/^\s+at /m);
  });

  it('works in the folder that --cwd names, and refuses one that does not exist', () => {
    home.put('other/.git/HEAD', '');
    const { out } = home.tenon(['--cwd', '../other', 'config', 'path', '--json']);
    const project = (JSON.parse(out) as { name: string; file: string }[]).find(({ name }) => name === 'project');
    expect(project?.file).toBe(join(home.folder, 'other', '.tenon', 'settings.yml'));
    const missing = home.tenon(['--cwd', 'nowhere', 'doctor']);
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('"nowhere" (--cwd) cannot be used as the working folder: it does not exist.\n');
  });

  it('says so when the working folder was removed', () => {
    expect(home.bash('mkdir gone && cd gone && rmdir ../gone && tenon config list')).toMatchObject({
      code: 2,
      err: expect.stringContaining('does not exist any more'),
    });
  });
});

describe('settings', () => {
  it('of one run come from --set and TENON_SET', () => {
    const get = (words: string[], env: Record<string, string> = {}) =>
      home.tenon(['config', 'get', 'kernel.prefer', '--json', ...words], { env }).out.replace(/\s+/g, '');
    expect(get(['--set', 'kernel.prefer={"tools/x": a}'])).toBe('{"tools/x":"a"}');
    expect(get([], { TENON_SET: 'kernel.prefer={tools/x: b}' })).toBe('{"tools/x":"b"}');
    expect(get(['--set=kernel.prefer={tools/x: a}'], { TENON_SET: 'kernel.prefer={tools/x: b}' })).toBe(
      '{"tools/x":"a"}',
    );
  });

  it('that cannot be read end the command with 78 and their place', () => {
    home.put(home.settings, 'kernel:\n  prefer: {}\n  prefer: {}\n');
    const { code, err } = home.tenon(['config', 'get', 'kernel.prefer']);
    expect(code).toBe(78);
    expect(err).toContain(`${home.settings}:3:3: the same key stands twice`);
  });

  it('of a plugin that is not there are reported, and the command still runs', () => {
    home.put(home.settings, 'kernle:\n  prefer: {}\n');
    const { code, out, err } = home.tenon(['config', 'get', 'kernel.prefer', '--json']);
    expect([code, out]).toEqual([0, '{}\n']);
    expect(err).toContain('kernle');
    expect(err.match(/SETTINGS_STRAY|section "kernle"/g)?.length).toBeGreaterThan(0);
  });

  it('are set and read back', () => {
    expect(home.tenon(['config', 'set', 'kernel.prefer', '{tools/x: y}']).code).toBe(0);
    expect(readFileSync(home.settings, 'utf8')).toContain('tools/x');
    expect(home.tenon(['config', 'list', '--changed']).out).toMatch(/^kernel\.prefer/);
  });
});

describe('colours', () => {
  const colored = (words: string[], env: Record<string, string> = {}) =>
    home.tenon(['help', ...words], { env }).out.includes('\u001b[');

  it('are off in pipes and files, and on when forced', () => {
    expect(colored([])).toBe(false);
    expect(colored([], { FORCE_COLOR: '1' })).toBe(true);
    expect(colored([], { FORCE_COLOR: '0' })).toBe(false);
    expect(colored(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
  });

  it('are on in a terminal, unless NO_COLOR or a dumb terminal says otherwise', () => {
    const inTerminal = (env: Record<string, string>) =>
      home.bash('script -qec "tenon help" /dev/null', { TERM: 'xterm', ...env }).out.includes('\u001b[1m');
    expect(inTerminal({})).toBe(true);
    expect(inTerminal({ NO_COLOR: '1' })).toBe(false);
    expect(inTerminal({ TERM: 'dumb' })).toBe(false);
  });
});

describe('pipes and signals', () => {
  it('a reader that goes away ends the program without a word', async () => {
    const child = home.start(['help']);
    child.stdout?.destroy();
    expect(await ended(child)).toMatchObject({ code: 141, err: '' });
    const version = home.start(['--version']);
    version.stdout?.destroy();
    expect(await ended(version)).toMatchObject({ code: 141, err: '' });
  });

  it.each(['help', 'config list', 'config schema', 'completion zsh', 'tools list --json', '--json "list the todos"'])(
    'tenon %s | head -1 says one line and nothing about pipes',
    (words) => {
      const { out, err } = home.bash(`tenon ${words} | head -1`);
      expect(out.trim().split('\n')).toHaveLength(1);
      expect(err).toBe('');
    },
  );

  it('a full disk is not a success', () => {
    expect(home.bash('tenon help > /dev/full')).toMatchObject({ code: 1, err: expect.stringContaining('ENOSPC') });
    expect(home.bash('tenon --version > /dev/full')).toMatchObject({ code: 1, err: expect.stringContaining('ENOSPC') });
  });

  it.each([
    ['SIGINT', 130, 'tenon: You stopped it with Ctrl-C.\n'],
    ['SIGTERM', 143, 'tenon: It was stopped from outside (SIGTERM).\n'],
  ] as const)('%s stops a command that waits, with exit code %i, and a word about it', async (signal, code, err) => {
    let result: Awaited<ReturnType<typeof ended>> | undefined;
    // A signal that comes before the program listens kills it (no exit code): on a busy machine it gets more time.
    for (const wait of [700, 3_000, 9_000]) {
      const child = home.start(['tool', 'run', 'nothing', '--input', '-']);
      const end = ended(child);
      await sleep(wait);
      child.kill(signal);
      result = await end;
      if (result.code !== null) break;
    }
    expect(result).toEqual({ code, out: '', err });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s is how a server ends: nothing is said, exit code 0', async (signal) => {
    const child = home.start(['web', '--port', '0', '--json']);
    const end = ended(child);
    let out = '';
    child.stdout?.on('data', (chunk) => (out += String(chunk)));
    await until(() => out.includes('"port"'));
    child.kill(signal);
    expect(await end).toMatchObject({ code: 0, err: '' });
  });

  it('a second Ctrl-C ends a command that does not stop', async () => {
    const { build } = await import('esbuild');
    const script = join(home.folder, 'stubborn.mjs');
    await build({
      stdin: {
        contents: `import { Interrupts } from './interrupts.ts';
          new Interrupts({ stopped: () => undefined, waiting: () => undefined }).listen();
          setInterval(() => undefined, 1000);
          process.stdout.write('ready');`,
        resolveDir: join(import.meta.dirname, '..', 'src'),
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['tenon-source'],
      outfile: script,
    });
    const stubborn = spawn(process.execPath, [script]);
    const end = ended(stubborn);
    await new Promise((resolve) => stubborn.stdout.once('data', resolve));
    stubborn.kill('SIGINT');
    await sleep(200);
    expect(stubborn.exitCode).toBeNull();
    stubborn.kill('SIGINT');
    expect((await end).code).toBe(130);
  });
});

describe('the log', () => {
  it('is written for the user alone, with secrets masked', () => {
    home.put(home.settings, 'sk-abcdefghijklmnopqrstuvwxyz:\n  x: 1\n');
    home.tenon(['config', 'list']);
    const file = join(home.folder, 'home', 'state', 'log', 'tenon.jsonl');
    const [record] = readFileSync(file, 'utf8').trim().split('\n');
    expect(JSON.parse(record ?? '')).toMatchObject({ level: 'warn' });
    expect(readFileSync(file, 'utf8')).not.toContain('abcdefghijklmnop');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written is mentioned once, and the command runs', () => {
    mkdirSync(join(home.folder, 'home'), { recursive: true });
    writeFileSync(join(home.folder, 'home', 'state'), 'not a folder');
    home.put(home.settings, 'stray-a: {}\nstray-b: {}\n');
    const { code, err } = home.tenon(['config', 'list']);
    expect(code).toBe(0);
    expect(err.match(/cannot be written/g)).toHaveLength(1);
  });
});

describe('completion with the real program', () => {
  it('offers settings and plugins in bash', () => {
    const line = (words: string) =>
      home
        .bash(
          `source <(tenon completion bash); COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`,
        )
        .out.split('\n');
    expect(line('tenon config get kernel.')).toContain('kernel.prefer');
    expect(line('tenon doctor sand')).toContain('sandbox');
  });
});

describe('tenon doctor', () => {
  it('looks at everything and gives JSON', () => {
    const { code, out } = home.tenon(['doctor', '--json']);
    const report = JSON.parse(out) as { ok: boolean; checks: { check: string }[] };
    expect(code).toBe(report.ok ? 0 : 1);
    expect(report.checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['versions', 'accelerators', 'plugins', 'folders', 'sandbox', 'settings']),
    );
  });

  it('exits with 1 and says what to do when settings are broken', () => {
    home.put(home.settings, 'kernel: [\n');
    const { code, out, err } = home.tenon(['doctor', 'settings']);
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/PROBLEM {2}settings .*settings\.yml:\d+:\d+/);
  });
});
