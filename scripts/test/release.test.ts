/** The packages as they would be published: packed, installed from the archives without a network, and used. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageProblems } from '../release/check-package.mjs';
import { allFiles, sizeOf } from '../release/files.mjs';
import { startLocalRegistry } from '../release/local-registry.mjs';
import { packAll } from '../release/pack.mjs';
import { ownPlatform, PLATFORMS } from '../release/platforms.mjs';
import { mustRun, pathWithout, run } from '../release/run.mjs';
import { stageRelease } from '../release/stage.mjs';
import { licenceProblems, thirdPartyPage } from '../release/third-party.mjs';
import { servedBy } from '../release/trial.mjs';
import { readJson, REPOSITORY } from '../workspace.mjs';

let folder: string;
let staged: Awaited<ReturnType<typeof stageRelease>>;
let registry: Awaited<ReturnType<typeof startLocalRegistry>>;
let env: Record<string, string>;
let app: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-release-test-')));
  staged = await stageRelease(REPOSITORY, join(folder, 'staged'), { only: ['tenon-agent', 'native'], crates: false });
  const packed = await packAll(staged.packages, join(folder, 'packed'));
  registry = await startLocalRegistry(join(REPOSITORY, 'node_modules'));
  const home = join(folder, 'home');
  app = join(folder, 'app');
  for (const path of [home, app, join(app, 'work')]) mkdirSync(path);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }\n');
  writeFileSync(join(app, 'work', 'notes.txt'), 'a TODO\n');
  env = {
    PATH: pathWithout(['cargo', 'rustc']),
    HOME: home,
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: registry.url,
    TENON_SET: 'providers.probeLocal=false',
  };
  const files = packed.map(({ file }) => file);
  await mustRun(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...files], { cwd: app, env });
});
afterAll(() => {
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const tenon = (...words: string[]) =>
  run([join(app, 'node_modules/.bin/tenon'), ...words], { cwd: join(app, 'work'), env });

describe('the package of the program', () => {
  it('leaks nothing of the workspace, has known licences and complete manifests', () => {
    expect(staged.problems).toEqual([]);
    expect(staged.packages.map(({ name }) => name)).toContain('tenon-agent');
  });

  it('answers --version and does a task, from its archive, without Rust, without this checkout', async () => {
    expect(await tenon('--version')).toEqual({
      code: 0,
      out: `tenon ${readJson(join(REPOSITORY, 'packages/cli/package.json')).version}\n`,
      err: '',
    });
    const hello = await tenon('-p', 'hello');
    expect(hello.code).toBe(0);
    expect(hello.out).toContain("I am Tenon's offline model");
    const found = await tenon('-p', 'find all files that mention TODO');
    expect(found.out).toContain('notes.txt');
  });

  it('is served by the addon where the package of the platform is there, else by the twins', async () => {
    const served = Object.values(servedBy((await tenon('doctor', '--json')).out));
    expect(served.length).toBeGreaterThan(4);
    const expected = staged.addon ? ['native'] : ['js', 'wasm'];
    expect(served.filter((by) => !expected.includes(by))).toEqual([]);
  });

  it('has not grown by accident, the addon included', () => {
    // `npm run release:dry` holds it to 60 MB; here a change of some other part must not wait for that.
    const spare = staged.addon ? 0 : 33e6;
    expect(sizeOf(join(app, 'node_modules')) + spare).toBeLessThan(66e6);
  });

  it('starts a pack in a process of its own', async () => {
    expect(await tenon('plugin', 'new', 'greeter')).toMatchObject({ code: 0 });
    const tested = await tenon('plugin', 'test', 'greeter');
    expect({ code: tested.code, text: tested.err + tested.out }).toMatchObject({ code: 0 });
  });

  it('says that npm, not it, looks after an installation of a project', async () => {
    const { code, err } = await tenon('update', '--check');
    expect([code, err]).toEqual([1, expect.stringContaining('belongs to a project or to another package manager')]);
  });

  it('has a manual page, completion scripts, the changelog, and the licences of what is inside', () => {
    const own = join(app, 'node_modules/tenon-agent');
    const files = allFiles(own);
    const wanted = [
      'man/tenon.1',
      'completions/tenon.bash',
      'completions/_tenon',
      'completions/tenon.fish',
      'completions/tenon.ps1',
      'CHANGELOG.md',
    ];
    expect(files).toEqual(expect.arrayContaining(wanted));
    const page = readFileSync(join(own, 'THIRD-PARTY.md'), 'utf8');
    for (const name of ['jiti', 'web-tree-sitter', 'zod']) expect(page).toMatch(new RegExp(`^## ${name} \\d`, 'm'));
    expect(readFileSync(join(own, 'man/tenon.1'), 'utf8')).toContain('.SS "tenon update"');
  });
});

describe('the checks of a package', () => {
  const problemsOf = (manifest: object, files: Readonly<Record<string, string>>): string[] => {
    const made = mkdtempSync(join(folder, 'made-'));
    for (const [name, text] of Object.entries({
      'package.json': JSON.stringify(manifest),
      LICENSE: '',
      'README.md': '',
      ...files,
    })) {
      mkdirSync(join(made, name, '..'), { recursive: true });
      writeFileSync(join(made, name), text);
    }
    return packageProblems(made, { root: REPOSITORY });
  };
  const fine = {
    name: 'x',
    license: 'MIT',
    repository: { type: 'git', url: 'git+https://tenon.example/tenon.git' },
    publishConfig: { provenance: true },
  };

  it('find nothing in a good one', () => {
    expect(problemsOf({ ...fine, dependencies: { jiti: '^2.0.0' } }, { 'dist/a.js': 'export {};\n' })).toEqual([]);
  });

  it.each([
    [
      'a path of this machine',
      fine,
      { 'dist/a.js': `const at = ${JSON.stringify(REPOSITORY)};\n` },
      'contains the path',
    ],
    ['a dependency without a version', { ...fine, dependencies: { a: '*' } }, {}, 'bound to no version'],
    ['a package of the workspace', { ...fine, dependencies: { '@tenon/host': '0.1.0' } }, {}, 'not published'],
    ['a test', fine, { 'test/a.test.js': '' }, 'does not belong'],
    ['a source map', fine, { 'dist/a.js.map': '{}' }, 'maps name sources'],
    ['the name of a map', fine, { 'dist/a.js': 'x;\n//# sourceMappingURL=a.js.map\n' }, 'names a map'],
    ['an export of sources', { ...fine, exports: { '.': { 'tenon-source': './a.ts' } } }, {}, 'leads to sources'],
    ['no provenance', { ...fine, publishConfig: {} }, {}, 'provenance is not true'],
    ['a script', { ...fine, scripts: { install: 'x' } }, {}, 'has scripts'],
  ])('find %s', (_, manifest, files, problem) => {
    expect(problemsOf(manifest, files)).toEqual([expect.stringContaining(problem)]);
  });

  it('want to know every licence, and print its text', () => {
    const part = { name: 'a', version: '1.0.0', licence: 'GPL-3.0', texts: [], author: 'Ann' };
    expect(licenceProblems([part])).toEqual([expect.stringContaining('"GPL-3.0"')]);
    expect(
      licenceProblems([
        { ...part, licence: '(MIT OR GPL-3.0)' },
        { ...part, licence: 'Apache-2.0 AND MIT' },
      ]),
    ).toEqual([]);
    expect(licenceProblems([{ ...part, licence: 'MIT AND GPL-3.0' }])).toHaveLength(1);
    expect(thirdPartyPage('x', [{ ...part, licence: 'MIT' }])).toContain('Permission is hereby granted');
    expect(thirdPartyPage('x', [{ ...part, texts: ['My terms'] }])).toContain('    My terms');
  });
});

describe('the platforms', () => {
  it('are those that the manifests of the addon and the release workflow name', () => {
    const workflow = readFileSync(join(REPOSITORY, '.github/workflows/release.yml'), 'utf8');
    for (const { name, target } of PLATFORMS) {
      expect(readJson(join(REPOSITORY, 'native/npm', name, 'package.json')).name).toBe(`@tenon/native-${name}`);
      expect(workflow).toMatch(new RegExp(`name: ${name},.*target: ${target} `));
    }
    expect(workflow.match(/- \{ name: /g)).toHaveLength(PLATFORMS.length);
  });

  it('include this one, or nobody can build its addon', () => {
    if (process.platform === 'linux') expect(ownPlatform()?.name).toMatch(/^linux-(?:x64|arm64)-(?:gnu|musl)$/);
    expect(PLATFORMS).toHaveLength(7);
  });
});
