import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import type { Manifest } from '@tenon/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentLayer, fileLayer, flagsLayer, refuseUserOnly, splitAssignments } from '../src/layers.ts';
import { projectSettings, settingsIn } from '../src/locations.ts';
import { PRIVATE } from '../src/settings-file.ts';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-settings-')))));
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

const layer = (at = folder) => fileLayer({ name: 'global', location: () => settingsIn(at), modes: PRIVATE });
const write = (text: string | Buffer, name = 'settings.yml') => writeFileSync(join(folder, name), text);
const read = (name = 'settings.yml') => readFileSync(join(folder, name), 'utf8');
const failureOf = async (text: string | Buffer) => {
  write(text);
  return layer()
    .read()
    .then(
      () => 'read',
      (fault: Error) => fault.message.replace(folder, ''),
    );
};

describe('reading a settings file', () => {
  it('gives no values where there is no file', async () => {
    expect(await layer(join(folder, 'nowhere')).read()).toMatchObject({ values: {} });
  });

  it('says where each setting stands', async () => {
    write('# x\na:\n  b: 1\n  c: {d: 2}\n');
    const content = await layer().read();
    expect(content.values).toEqual({ a: { b: 1, c: { d: 2 } } });
    expect(content.locate?.(['a', 'b'])).toEqual({ line: 3, column: 3 });
    expect(content.locate?.(['a', 'c', 'd'])).toEqual({ line: 4, column: 7 });
    expect(content.locate?.(['x'])).toBeUndefined();
  });

  it.each([
    ['a: 1\nb: 2\na: 3\n', '/settings.yml:3:1: the same key stands twice in one section'],
    ['a:\n\tb: 1\n', /^\/settings.yml:2:1: .*tab/i],
    ['a: [1, 2\nb: 3\n', /^\/settings.yml:\d+:\d+: /],
    ['- a\n- b\n', '/settings.yml:1:1: settings must be "plugin: …" pairs, but the file holds a list.'],
    ['just text\n', '/settings.yml:1:1: settings must be "plugin: …" pairs, but the file holds one value.'],
    ['a: 1\n---\nb: 2\n', /^\/settings.yml:2:1: a second document/],
    ['a: *nowhere\n', /^\/settings.yml:1:\d+: .*nowhere/],
    [
      Buffer.concat([Buffer.from('a: 1\nb: é'), Buffer.from([0xff, 0xfe])]),
      '/settings.yml:2:5: the file is not valid UTF-8.',
    ],
  ])('names the place of what is wrong in %j', async (text, message) => {
    expect(await failureOf(text)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  it('takes an empty file and a file of comments for no settings', async () => {
    for (const text of ['', '# nothing\n', '---\n', '\uFEFF']) expect(await failureOf(text)).toBe('read');
  });

  it('reads settings.json where there is no YAML file, and keeps it when the YAML file takes over', async () => {
    write('{"a": {"b": 1}}', 'settings.json');
    expect((await layer().read()).values).toEqual({ a: { b: 1 } });
    await layer().write?.([{ path: ['a', 'c'], value: 2 }]);
    expect(read()).toBe('a:\n  b: 1\n  c: 2\n');
    expect(read('settings.json')).toBe('{"a": {"b": 1}}');
  });

  it.skipIf(process.getuid?.() === 0)('says that a file cannot be read', async () => {
    write('a: 1\n');
    chmodSync(join(folder, 'settings.yml'), 0o000);
    await expect(layer().read()).rejects.toMatchObject({ code: 'STATE_FILE_UNREADABLE' });
  });

  it('says that a folder is not a file', async () => {
    mkdirSync(join(folder, 'settings.yml'));
    await expect(layer().read()).rejects.toMatchObject({ code: 'STATE_FILE_UNREADABLE' });
  });
});

describe('writing a settings file', () => {
  it('makes folder and file for the user alone', async () => {
    const inner = join(folder, 'a', 'b');
    await layer(inner).write?.([{ path: ['x'], value: 1 }]);
    expect(statSync(join(inner, 'settings.yml')).mode & 0o777).toBe(0o600);
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    expect(readdirSync(inner)).toEqual(['settings.yml']);
  });

  it('keeps the mode of a file that exists', async () => {
    write('a: 1\n');
    chmodSync(join(folder, 'settings.yml'), 0o640);
    await layer().write?.([{ path: ['a'], value: 2 }]);
    expect(statSync(join(folder, 'settings.yml')).mode & 0o777).toBe(0o640);
  });

  it('writes through a symbolic link, also one that leads to nothing yet', async () => {
    mkdirSync(join(folder, 'dotfiles'));
    symlinkSync('dotfiles/mine.yml', join(folder, 'settings.yml'));
    await layer().write?.([{ path: ['a'], value: 1 }]);
    await layer().write?.([{ path: ['b'], value: 2 }]);
    expect(lstatSync(join(folder, 'settings.yml')).isSymbolicLink()).toBe(true);
    expect(read('dotfiles/mine.yml')).toBe('a: 1\nb: 2\n');
  });

  it('does not touch a file that it cannot read', async () => {
    write('a: [\n');
    await expect(layer().write?.([{ path: ['b'], value: 1 }])).rejects.toMatchObject({ code: 'SETTINGS_FILES_SYNTAX' });
    expect(read()).toBe('a: [\n');
    expect(readdirSync(folder)).toEqual(['settings.yml']);
  });

  it('loses nothing when many processes write at once', async () => {
    const { build } = await import('esbuild');
    const writer = join(folder, 'writer.mjs');
    const source = new URL('../src/layers.ts', import.meta.url).pathname;
    const locations = new URL('../src/locations.ts', import.meta.url).pathname;
    const file = new URL('../src/settings-file.ts', import.meta.url).pathname;
    await build({
      stdin: {
        contents: `import { fileLayer } from ${JSON.stringify(source)}; import { PRIVATE } from ${JSON.stringify(file)}; import { settingsIn } from ${JSON.stringify(locations)};
          const [, , folder, name] = process.argv;
          const layer = fileLayer({ name: 'global', location: () => settingsIn(folder), modes: PRIVATE });
          await layer.write([{ path: ['shared', name], value: name }]);
          await layer.write([{ path: [name, 'done'], value: true }]);`,
        resolveDir: import.meta.dirname,
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['tenon-source'],
      outfile: writer,
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    });
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    writeFileSync(join(shared, 'settings.yml'), '# kept\nfirst: 1 # also kept\n');
    const names = Array.from({ length: caseCount(50) }, (_, index) => `w${index}`);
    // One shell starts them all, so that they really run side by side.
    const script = `${names.map((name) => `"$NODE" "${writer}" "${shared}" ${name} & pids="$pids $!"`).join('\n')}\nfor pid in $pids; do wait $pid || exit 1; done`;
    execFileSync('sh', ['-c', script], { env: { ...process.env, NODE: process.execPath }, stdio: 'pipe' });
    const text = readFileSync(join(shared, 'settings.yml'), 'utf8');
    const { values } = await layer(shared).read();
    expect(text).toContain('# kept\nfirst: 1 # also kept\n');
    expect(Object.keys(values['shared'] as object).sort()).toEqual([...names].sort());
    for (const name of names) expect(values[name]).toEqual({ done: true });
    expect(readdirSync(shared)).toEqual(['settings.yml']);
  });
});

describe('the project', () => {
  it('is found from a folder below, up to the root of the repository', () => {
    mkdirSync(join(folder, 'repo', '.git'), { recursive: true });
    mkdirSync(join(folder, 'repo', 'a', 'b'), { recursive: true });
    mkdirSync(join(folder, '.tenon'));
    writeFileSync(join(folder, '.tenon', 'settings.yml'), 'outside: 1\n');
    const inside = join(folder, 'repo', 'a', 'b');
    expect(projectSettings(inside)).toMatchObject({
      exists: false,
      write: join(folder, 'repo', '.tenon', 'settings.yml'),
    });
    mkdirSync(join(folder, 'repo', '.tenon'));
    writeFileSync(join(folder, 'repo', '.tenon', 'settings.yml'), 'x: 1\n');
    mkdirSync(join(inside, '.tenon'));
    expect(projectSettings(inside)).toMatchObject({
      exists: true,
      read: join(folder, 'repo', '.tenon', 'settings.yml'),
    });
  });

  it('outside of a repository is the working folder only', () => {
    mkdirSync(join(folder, '.tenon'));
    writeFileSync(join(folder, '.tenon', 'settings.yml'), 'x: 1\n');
    mkdirSync(join(folder, 'below'));
    expect(projectSettings(join(folder, 'below')).exists).toBe(false);
    expect(projectSettings(folder).exists).toBe(true);
  });
});

const manifests: Manifest[] = [
  {
    id: 'pack-host',
    version: '1.0.0',
    kernel: '*',
    settings: {
      type: 'object',
      properties: {
        memory: { type: 'integer', 'x-env': 'TENON_MEMORY' },
        name: { type: 'string', 'x-env': ['TENON_NAME', 'OLD_NAME'] },
        languages: {
          type: 'array',
          'x-env': ['TENON_LANGUAGES', { name: 'PI_PY', values: { '0': ['javascript'], py: ['python'] } }],
        },
        start: { type: 'boolean', 'x-env': { name: 'NO_START', values: { '1': false } } },
        model: { anyOf: [{ type: 'string' }, { type: 'array' }], 'x-env': 'PI_SMOL_MODEL' },
        trust: { type: 'object', 'x-scope': 'user', properties: { level: { type: 'string' } } },
      },
    },
  },
];

describe('overrides', () => {
  it('of the environment come from named variables, then from TENON_SET', async () => {
    const environment = {
      TENON_MEMORY: '512',
      OLD_NAME: '007',
      TENON_SET: 'pack-host.memory=1; other.list=[a, b];x.y=a\\;b',
    };
    const { values } = await environmentLayer(environment, () => manifests).read();
    expect(values).toEqual({ 'pack-host': { memory: 1, name: '007' }, other: { list: ['a', 'b'] }, x: { y: 'a;b' } });
  });

  it.each([
    [
      { PI_PY: '0', NO_START: '1' },
      { languages: ['javascript'], start: false },
    ],
    [{ PI_PY: ' PY ', TENON_LANGUAGES: '[r]' }, { languages: ['r'] }],
    [{ PI_PY: 'nonsense', NO_START: '0' }, undefined],
    [{ PI_SMOL_MODEL: '*haiku*' }, { model: '*haiku*' }],
    [{ PI_SMOL_MODEL: '[haiku, mini]' }, { model: ['haiku', 'mini'] }],
  ])('of other agents have words of their own: %j', async (environment, expected) => {
    const { values } = await environmentLayer(environment, () => manifests).read();
    expect(values['pack-host']).toEqual(expected);
  });

  it('of flags keep text as text where only text is allowed', async () => {
    const assignments = ['pack-host.name=on', 'pack-host.memory=64', 'a.b={c: 1}', 'a.d='];
    const { values } = await flagsLayer(assignments, () => manifests).read();
    expect(values).toEqual({ 'pack-host': { name: 'on', memory: 64 }, a: { b: { c: 1 }, d: null } });
  });

  it.each(['novalue', '=1', 'a..b=1', '__proto__.x=1'])('that set nothing are refused: %s', async (text) => {
    await expect(flagsLayer([text], () => manifests).read()).rejects.toMatchObject({
      code: 'SETTINGS_FILES_ASSIGNMENT',
    });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('with broken YAML name the setting', async () => {
    await expect(flagsLayer(['a.b=[1'], () => manifests).read()).rejects.toThrow(/"a\.b"/);
  });

  it('are split at semicolons that are not escaped', () => {
    expect(splitAssignments('a=1;;b=2\\;3; ')).toEqual(['a=1', 'b=2;3']);
  });
});

describe('settings that only the user may set', () => {
  it('are not written into a project, nor inside such a section', () => {
    for (const path of [
      ['pack-host', 'trust'],
      ['pack-host', 'trust', 'level'],
    ]) {
      expect(() => refuseUserOnly([{ path, value: 'full' }], manifests, 'f')).toThrow(/repository must not decide/);
    }
    expect(() => refuseUserOnly([{ path: ['pack-host', 'memory'], value: 1 }], manifests, 'f')).not.toThrow();
    expect(() => refuseUserOnly([{ path: ['pack-host', 'trust'] }], manifests, 'f')).not.toThrow();
  });
});
