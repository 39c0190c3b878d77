import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram } from '@tenon/test-kit/built-program';
import { recordedIo } from '@tenon/test-kit/command-run';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import type { CommandCall, CommandIo } from '@tenon/command-line/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { isUnfinished } from '../src/folders.ts';
import { npmIn } from '../src/npm.ts';
import { findPlace, type GlobalPlace } from '../src/place.ts';
import { uninstall } from '../src/uninstall.ts';
import { rollBack, update } from '../src/update.ts';

let prefix: string;
let asked: string[][];
/** The registry of these tests: tag -> version. */
let latest: string;
let changelog: string;

beforeEach(() => {
  prefix = temporaryFolder();
  asked = [];
  latest = '1.1.0';
  changelog = '## 1.1.0\n\n- quicker\u001b[2J\n\n## 1.0.0\n\n- first\n';
  writePackage(prefix, '1.0.0');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A program that answers --version, installed as npm does it. */
function writePackage(into: string, version: string, says = `tenon ${version}`): void {
  const folder = join(into, 'lib/node_modules/tenon-agent');
  put(join(folder, 'package.json'), JSON.stringify({ name: 'tenon-agent', version, type: 'module' }));
  put(join(folder, 'bin/tenon.mjs'), `console.log(${JSON.stringify(says)});\n`);
  put(join(folder, 'CHANGELOG.md'), changelog ?? '');
  put(join(into, 'bin/tenon'), '');
}

const place = (version = '1.0.0'): GlobalPlace => {
  const modules = join(prefix, 'lib/node_modules');
  return {
    kind: 'global',
    folder: join(modules, 'tenon-agent'),
    modules,
    prefix,
    command: join(prefix, 'bin/tenon'),
    version,
  };
};
const installed = () =>
  (JSON.parse(readFileSync(join(place().folder, 'package.json'), 'utf8')) as { version: string }).version;
const npm = async (words: readonly string[]): Promise<string> => {
  asked.push([...words]);
  if (words[0] === 'view') return `${latest}\n`;
  if (words[0] === 'install') writePackage(words[words.indexOf('--prefix') + 1] ?? '', latest);
  return '';
};

function call(flags: CommandCall['flags'], more: Partial<CommandIo> = {}, args: CommandCall['args'] = {}) {
  const { io, written } = recordedIo(more);
  return { written, call: { args, flags, io, cwd: prefix, signal: new AbortController().signal } };
}

describe('an update', () => {
  it('shows the changes without what could steer a terminal, puts the new version in place and keeps the old one', async () => {
    const { call: now, written } = call({ yes: true });
    expect(await update({ place: place(), npm }, now)).toBe(0);
    expect(written.out).toContain('## 1.1.0\n\n- quicker');
    expect(written.out).not.toContain('\u001b');
    expect(written.out).not.toContain('## 1.0.0');
    expect(installed()).toBe('1.1.0');

    const { call: back } = call({ rollback: true, yes: true });
    expect(await rollBack({ place: place('1.1.0') }, back)).toBe(0);
    expect(installed()).toBe('1.0.0');
    await rollBack({ place: place() }, call({ rollback: true, yes: true }).call);
    expect(installed()).toBe('1.1.0');
    expect(readdirSync(place().modules).sort()).toEqual(['.tenon-agent-previous', 'tenon-agent']);
  });

  it('changes nothing with --check, with a no, and when nobody can answer', async () => {
    const { call: look, written } = call({ check: true });
    await update({ place: place(), npm }, look);
    expect(written.out).toBe('Tenon 1.0.0 is installed; 1.1.0 is available.\n');
    await update({ place: place(), npm }, call({}, { interactive: true, ask: async () => '' }).call);
    await expect(update({ place: place(), npm }, call({}).call)).rejects.toMatchObject({
      code: 'INSTALLATION_CONFIRM',
    });
    expect(installed()).toBe('1.0.0');
    expect(readdirSync(place().modules)).toEqual(['tenon-agent']);
  });

  it('never goes to an older version by itself, but to one that is named', async () => {
    latest = '0.9.0';
    const { call: now, written } = call({ yes: true });
    await update({ place: place(), npm }, now);
    expect([installed(), written.out]).toEqual([
      '1.0.0',
      'Tenon 1.0.0 is newer than 0.9.0, the newest in the registry.\n',
    ]);
    await update({ place: place(), npm }, call({ yes: true }, {}, { version: '0.9.0' }).call);
    expect(installed()).toBe('0.9.0');
  });

  it('refuses a version that does not start here, and one that is none', async () => {
    const broken = async (words: readonly string[]) => {
      if (words[0] === 'install') writePackage(words[words.indexOf('--prefix') + 1] ?? '', latest, 'something else');
      return latest;
    };
    await expect(update({ place: place(), npm: broken }, call({ yes: true }).call)).rejects.toMatchObject({
      code: 'INSTALLATION_BROKEN',
    });
    for (const version of ['--registry=http://evil', 'file:../x', ''])
      await expect(update({ place: place(), npm }, call({ yes: true }, {}, { version }).call)).rejects.toMatchObject({
        code: 'INSTALLATION_VERSION',
      });
    latest = '<html>';
    await expect(update({ place: place(), npm }, call({ yes: true }).call)).rejects.toMatchObject({
      code: 'INSTALLATION_VERSION',
    });
    expect([installed(), readdirSync(place().modules)]).toEqual(['1.0.0', ['tenon-agent']]);
  });

  it('changes nothing when another one was quicker, so that the version before stays within reach', async () => {
    let isFirst = true;
    const slow = async (words: readonly string[]) => {
      if (words[0] === 'view' && isFirst) {
        isFirst = false;
        await update({ place: place(), npm }, call({ yes: true }).call);
      }
      return npm(words);
    };
    const { call: late, written } = call({ yes: true });
    expect(await update({ place: place(), npm: slow }, late)).toBe(0);
    expect(written.out).toContain('1.1.0 is installed already');
    expect(asked.filter(([word]) => word === 'install')).toHaveLength(1);
    await rollBack({ place: place('1.1.0') }, call({ yes: true }).call);
    expect(installed()).toBe('1.0.0');
  });

  it('two ways back at once are two ways, one after the other', async () => {
    await update({ place: place(), npm }, call({ yes: true }).call);
    const answers: string[] = [];
    const ask = async (question: string) => {
      answers.push(question);
      return 'y';
    };
    const back = () => rollBack({ place: place('1.1.0') }, call({}, { interactive: true, ask }).call);
    await Promise.all([back(), back()]);
    expect(answers).toEqual(['Replace 1.1.0 with 1.0.0? [y/N] ', 'Replace 1.0.0 with 1.1.0? [y/N] ']);
    expect(installed()).toBe('1.1.0');
  });

  it('clears away what killed ones have left, and keeps a version that was on its way back', async () => {
    const { modules } = place();
    put(join(modules, '.tenon-agent-new-abc123/lib/node_modules/tenon-agent/package.json'), '{}');
    put(join(modules, '.tenon-agent-old-abc123/tenon-agent/package.json'), '{"version":"0.8.0"}');
    put(join(modules, '.tenon-agent-old-abc123/tenon-agent/bin/tenon.mjs'), "console.log('tenon 0.8.0');");
    await rollBack({ place: place() }, call({ yes: true }).call);
    expect(installed()).toBe('0.8.0');
    await update({ place: place('0.8.0'), npm }, call({ yes: true }).call);
    expect(readdirSync(modules).sort()).toEqual(['.tenon-agent-previous', 'tenon-agent']);
    put(join(modules, '.tenon-agent-new-abc123/x'), '');
    const folders = { config: prefix, data: prefix, state: prefix, cache: prefix };
    await uninstall({ place: place('1.1.0'), folders, npm }, call({ yes: true }).call);
    expect(readdirSync(modules)).toEqual(['tenon-agent']);
  });

  it('leaves a command that works, wherever it is killed, and the next one carries it out to its end', async () => {
    const program = await buildProgram(join(import.meta.dirname, '../src/folders.ts'));
    const script = join(prefix, 'exchange.mjs');
    // Each step that changes a folder is counted, and the last one that is wanted does not happen.
    put(
      script,
      `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const [step, work, next] = process.argv.slice(2);
      let done = 0;
      for (const name of ['renameSync', 'symlinkSync', 'rmSync', 'mkdtempSync']) {
        const real = fs[name];
        fs[name] = (...words) => (done++ === Number(step) ? process.kill(process.pid, 'SIGKILL') : real(...words));
      }
      syncBuiltinESMExports();
      const { replace, swap } = await import(${JSON.stringify(program)});
      const place = ${JSON.stringify(place())};
      work === 'swap' ? swap(place) : replace(place, next);\n`,
    );
    const { modules, folder, command } = place();
    const says = () => spawnSync(process.execPath, [command], { encoding: 'utf8' }).stdout.trim();
    for (const work of ['replace', 'swap'])
      for (let step = 0, isOver = false; !isOver; step++) {
        rmSync(join(prefix, 'lib'), { recursive: true });
        rmSync(join(prefix, 'bin'), { recursive: true });
        const fresh = join(modules, '.tenon-agent-new-abc123');
        writePackage(fresh, '1.1.0');
        if (work === 'swap')
          spawnSync('cp', ['-a', join(fresh, 'lib/node_modules/tenon-agent'), join(modules, '.tenon-agent-previous')]);
        writePackage(prefix, '1.0.0');
        rmSync(command);
        symlinkSync('../lib/node_modules/tenon-agent/bin/tenon.mjs', command);
        const next = join(fresh, 'lib/node_modules/tenon-agent');
        if (work === 'swap') rmSync(fresh, { recursive: true });
        isOver = spawnSync(process.execPath, [script, String(step), work, next]).status === 0;
        const when = `${work}, step ${step}`;
        // What is left of it then is for its caller to remove.
        if (isOver) rmSync(fresh, { recursive: true, force: true });
        expect([when, says()]).toEqual([when, expect.stringMatching(/^tenon 1\.[01]\.0$/)]);
        const found = findPlace(realpathSync(command));
        expect([when, found]).toEqual([when, expect.objectContaining({ kind: 'global', folder, modules, prefix })]);
        latest = '1.1.0';
        await update({ place: found as GlobalPlace, npm }, call({ yes: true }).call);
        expect([when, says(), installed()]).toEqual([when, 'tenon 1.1.0', '1.1.0']);
        expect(realpathSync(command)).toBe(join(folder, 'bin/tenon.mjs'));
        expect([when, readdirSync(modules).sort()]).toEqual([when, ['.tenon-agent-previous', 'tenon-agent']]);
        expect(readdirSync(join(prefix, 'bin'))).toEqual(['tenon']);
      }
  });

  it('has nothing to carry out where the command leads to the package, or is no link', () => {
    const { command, modules } = place();
    const unfinished = (target: string) => {
      rmSync(command, { force: true });
      symlinkSync(target, command);
      return isUnfinished(place());
    };
    expect(isUnfinished(place())).toBe(false);
    expect(unfinished('../lib/node_modules/tenon-agent/bin/tenon.cjs')).toBe(false);
    expect(unfinished('../lib/node_modules/.tenon-agent-previous/bin/tenon.cjs')).toBe(true);
    rmSync(join(modules, 'tenon-agent'), { recursive: true });
    expect(unfinished('../lib/node_modules/tenon-agent/bin/tenon.cjs')).toBe(true);
  });

  it('shows the beginning of changes that would fill screens', async () => {
    changelog = `## 1.1.0\n\n${'- much\n'.repeat(5_000)}${'x'.repeat(1_000_000)}\n`;
    const { call: now, written } = call({ yes: true });
    await update({ place: place(), npm }, now);
    expect(written.out.split('\n').length).toBeLessThan(150);
    expect(written.out).toMatch(/… \d+ more lines: .*CHANGELOG\.md/);
    changelog = `## 1.2.0\n\n${'x'.repeat(1_000_000)}\n`;
    latest = '1.2.0';
    const { call: wide, written: cut } = call({ yes: true });
    await update({ place: place('1.1.0'), npm }, wide);
    expect(cut.out.length).toBeLessThan(20_000);
  });

  // Only there can it be tried; what is mounted is seen by nobody else, and gone with its process.
  it.skipIf(spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status !== 0)(
    'works where the present version lies in a layer of an image, which cannot be renamed',
    async () => {
      const program = await buildProgram(join(import.meta.dirname, '../src/folders.ts'));
      const base = join(prefix, 'base');
      mkdirSync(base);
      const modules = `${base}/top/lib/node_modules`;
      put(
        join(prefix, 'exchange.mjs'),
        `import { replace, swap, versionIn } from ${JSON.stringify(program)};
        const place = { modules: '${modules}', folder: '${modules}/tenon-agent', command: '${base}/top/bin/tenon' };
        replace(place, '${base}/top/next');
        console.log(versionIn(place.folder), versionIn('${modules}/.tenon-agent-previous'));
        swap(place);
        console.log(versionIn(place.folder), versionIn('${modules}/.tenon-agent-previous'));\n`,
      );
      const script = `
        mount -t tmpfs none ${base} && cd ${base} && mkdir lower upper work top && cp -a ${prefix}/lib lower/ || exit 77
        mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work top || exit 77
        cp -a top/lib/node_modules/tenon-agent top/next && echo '{"version":"1.1.0"}' >top/next/package.json
        exec '${process.execPath}' ${prefix}/exchange.mjs`;
      const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'bash', '-c', script], { encoding: 'utf8' });
      // Some systems have no overlays.
      if (status !== 77) expect([stdout, stderr]).toEqual(['1.1.0 1.0.0\n1.0.0 1.1.0\n', '']);
    },
  );

  it('has nothing to go back to before the first one', async () => {
    await expect(rollBack({ place: place() }, call({ rollback: true, yes: true }).call)).rejects.toMatchObject({
      code: 'INSTALLATION_NO_PREVIOUS',
    });
  });
});

describe('npm', () => {
  it('works in the home of the user, so that no project names the registry, and its failure is told in its own words', async () => {
    const bin = join(prefix, 'tools');
    put(
      join(bin, 'npm'),
      `#!/bin/sh\nfail() { printf 'npm error %s\\n' "$@" >&2; exit 1; }
case "$1" in
  missing) fail 'code E404' '404 Not Found' '404' 'A complete log of this run' ;;
  offline) fail 'code ECONNREFUSED' 'syscall connect' 'errno ECONNREFUSED' 'FetchError: request failed' '    at send' ;;
  locked) fail 'code EACCES' 'syscall rename' 'path /a' 'dest /b' 'errno -13' 'Error: EACCES: permission denied' ;;
esac\npwd\n`,
    );
    chmodSync(join(bin, 'npm'), 0o755);
    const home = temporaryFolder();
    const ask = npmIn(home, { PATH: `${bin}:/usr/bin:/bin` });
    const { signal } = new AbortController();
    expect((await ask(['where'], signal)).trim()).toBe(home);
    // A user of a container may have a home that nobody has made.
    const homeless = npmIn(join(home, 'none'), { PATH: `${bin}:/usr/bin:/bin` });
    expect((await homeless(['where'], signal)).trim()).toBe('/');
    for (const [word, reason] of [
      ['missing', '404 Not Found'],
      ['offline', 'FetchError: request failed'],
      ['locked', 'Error: EACCES: permission denied'],
    ] as const)
      await expect(ask([word], signal)).rejects.toMatchObject({ code: 'INSTALLATION_NPM', details: { reason } });
    await expect(npmIn(home, { PATH: '' })(['where'], signal)).rejects.toMatchObject({ code: 'INSTALLATION_NO_NPM' });
  });
});

describe('a removal', () => {
  it('names what goes and what stays, and asks', async () => {
    const home = temporaryFolder();
    const folders = {
      config: join(home, 'config'),
      data: join(home, 'my data'),
      state: join(home, 'state'),
      cache: join(home, 'cache'),
    };
    mkdirSync(folders.data);
    for (const name of ['@tenon/grammars', 'sharp']) mkdirSync(join(place().modules, name), { recursive: true });
    const { call: no, written } = call({}, { interactive: true, ask: async () => 'n' });
    await uninstall({ place: place(), folders, npm }, no);
    expect(written.out).toContain(`Removes Tenon 1.0.0:\n  ${place().folder}\n  ${place().command}\n`);
    expect(written.out).toContain(`${folders.data}  (sessions, packs, stored credentials)`);
    expect(written.out).toContain(`rm -rf '${folders.data}'`);
    expect(written.out).not.toContain(folders.config);
    expect(written.out).toContain('installed them for it: npm uninstall -g @tenon/grammars sharp\n');
    expect(asked).toEqual([]);

    await update({ place: place(), npm }, call({ yes: true }).call);
    await uninstall({ place: place('1.1.0'), folders, npm }, call({ yes: true }).call);
    expect(asked.at(-1)).toEqual(['uninstall', '--global', '--prefix', prefix, 'tenon-agent']);
    expect(existsSync(join(place().modules, '.tenon-agent-previous'))).toBe(false);
    expect(existsSync(folders.data)).toBe(true);
  });

  it('is refused before anything is asked where the installation belongs to somebody else', async () => {
    const folders = { config: prefix, data: prefix, state: prefix, cache: prefix };
    const other = { ...place(), modules: '/proc/sys', folder: '/proc/sys' };
    await expect(uninstall({ place: other, folders, npm }, call({ yes: true }).call)).rejects.toMatchObject({
      code: 'INSTALLATION_READ_ONLY',
    });
    expect(asked).toEqual([]);
  });
});
