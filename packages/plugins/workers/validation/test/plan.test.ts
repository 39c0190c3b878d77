/** Which commands validate a change, in projects of all kinds with a real git. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planValidation } from '../src/plan.ts';
import { packagesOf } from '../src/project.ts';
import { crateName } from '../src/projects/cargo.ts';
import { detectPackageManager } from '../src/projects/package-manager.ts';

const SCRIPTS = { build: 'tsc', test: 'vitest run' };
const json = (value: unknown) => JSON.stringify(value);

function project(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder('validation'), 'shop');
  gitRepository(folder, files);
  return folder;
}

const commands = async (cwd: string, base?: string, overrides = {}) => {
  const plan = await planValidation({ cwd, ...(base !== undefined && { base }) }, overrides);
  return {
    by: plan.by,
    lines: plan.steps.map(({ argv, cwd: folder }) => `${folder.slice(plan.root.length)}$ ${argv.join(' ')}`),
  };
};

describe('a simple project', () => {
  test.each([
    ['yarn.lock', 'yarn'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['bun.lockb', 'bun'],
    ['bun.lock', 'bun'],
    ['package-lock.json', 'npm'],
  ])('with %s is built and tested with %s', async (lock, manager) => {
    const folder = project({ 'package.json': json({ scripts: SCRIPTS }), [lock]: '' });
    expect(await commands(folder)).toEqual({
      by: 'simple',
      lines: [`$ ${manager} run build`, `$ ${manager} run test`],
    });
  });

  test('follows the field packageManager before any lock file, and npm without a sign', () => {
    const folder = project({ 'package.json': json({ packageManager: 'yarn@4.1.0' }), 'package-lock.json': '' });
    expect(detectPackageManager(folder)).toEqual({ manager: 'yarn', because: 'packageManager yarn@4.1.0' });
    expect(detectPackageManager(project({ 'package.json': '{}' })).manager).toBe('npm');
    expect(
      detectPackageManager(project({ 'package.json': json({ packageManager: 'odd@1' }), 'yarn.lock': '' })).manager,
    ).toBe('yarn');
  });

  test('has no test step when its test script is the one that npm init writes', async () => {
    const scripts = { build: 'tsc', test: 'echo "Error: no test specified" && exit 1' };
    expect((await commands(project({ 'package.json': json({ scripts }) }))).lines).toEqual(['$ npm run build']);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['Rust', { 'Cargo.toml': '[package]\nname = "a"\n' }, ['$ cargo build', '$ cargo test']],
    ['Go', { 'go.mod': 'module a\n' }, ['$ go build ./...', '$ go vet ./...', '$ go test ./...']],
    ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['$ python3 -m pytest -q']],
    ['pytest under uv', { 'pytest.ini': '', 'uv.lock': '' }, ['$ uv run python -m pytest -q']],
    ['unittest', { 'setup.py': '', 'tests/test_a.py': '' }, ['$ python3 -m unittest discover -s tests -t .']],
    ['tox', { 'tox.ini': '' }, ['$ tox']],
    ['Maven', { 'pom.xml': '' }, ['$ mvn --batch-mode verify']],
    ['a Maven wrapper', { 'pom.xml': '', mvnw: '' }, ['$ ./mvnw --batch-mode verify']],
    ['Gradle', { 'build.gradle.kts': '', gradlew: '' }, ['$ ./gradlew check']],
  ])('of %s gets its own commands', async (_name, files, lines) => {
    expect(await commands(project(files))).toEqual({ by: 'simple', lines });
  });

  test('without anything that Tenon knows gets no steps and a reason', async () => {
    const plan = await planValidation({ cwd: project({ 'a.txt': '' }) }, {});
    expect(plan).toMatchObject({ by: 'none', steps: [] });
    expect(plan.reason).toContain('no build or test command');
  });

  test('in a folder below a repository that is no project is found from there', async () => {
    const folder = project({ 'README.md': '', 'app/package.json': json({ scripts: SCRIPTS }) });
    expect((await commands(join(folder, 'app'))).lines).toEqual(['$ npm run build', '$ npm run test']);
  });

  test('outside of any repository is found, too', async () => {
    const folder = temporaryFolder('validation-plain');
    putFiles(folder, { 'package.json': json({ scripts: SCRIPTS }) });
    expect((await commands(folder)).by).toBe('simple');
  });
});

describe('a workspace', () => {
  const files = {
    'package.json': json({ workspaces: ['packages/*'], scripts: { ...SCRIPTS, 'test-packages': 'x' } }),
    'packages/a/package.json': json({ name: '@shop/a', scripts: SCRIPTS }),
    'packages/a/src/x.ts': '',
    'packages/b/package.json': json({ name: 'b', scripts: { build: 'tsc' } }),
    'packages/b/y.ts': '',
    'packages/c/package.json': json({ scripts: { test: 'vitest' } }),
  };

  test.each<[string, string[]]>([
    ['yarn.lock', ['$ yarn workspace @shop/a run build', '$ yarn workspace @shop/a run test']],
    ['pnpm-lock.yaml', ['$ pnpm --filter @shop/a run build', '$ pnpm --filter @shop/a run test']],
    ['bun.lock', ['$ bun run --filter @shop/a build', '$ bun run --filter @shop/a test']],
    ['package-lock.json', ['$ npm run build --workspace @shop/a', '$ npm run test --workspace @shop/a']],
  ])('with %s validates only the package that changed', async (lock, lines) => {
    const folder = project({ ...files, [lock]: '' });
    putFiles(folder, { 'packages/a/src/x.ts': 'changed', 'README.md': 'words' });
    expect(await commands(folder)).toEqual({ by: 'monorepo', lines });
  });

  test('counts commits since the base and files that git does not know yet', async () => {
    const folder = project({ ...files, 'yarn.lock': '' });
    putFiles(folder, { 'packages/a/src/x.ts': 'changed' });
    const git = (await import('@tenon/test-kit/git-repository')).gitIn;
    git(folder, 'commit', '-qam', 'x');
    putFiles(folder, { 'packages/c/new/deep/z.ts': '' });
    expect((await commands(folder, 'HEAD~1')).lines).toEqual([
      '$ yarn workspace @shop/a run build',
      '$ yarn workspace @shop/a run test',
      '/packages/c$ yarn run test',
    ]);
  });

  test("uses the root's test-packages for a package without tests of its own", async () => {
    const folder = project({ ...files, 'yarn.lock': '' });
    putFiles(folder, { 'packages/b/y.ts': 'changed' });
    expect((await commands(folder)).lines).toEqual([
      '$ yarn workspace b run build',
      '$ yarn run test-packages packages/b',
    ]);
  });

  test('is validated whole when something at its root changed that all packages may use', async () => {
    const folder = project({ ...files, 'yarn.lock': '', 'tsconfig.json': '' });
    putFiles(folder, { 'packages/a/src/x.ts': 'changed', 'tsconfig.json': '{}' });
    expect(await commands(folder)).toEqual({ by: 'simple', lines: ['$ yarn run build', '$ yarn run test'] });
  });

  test('of crates validates those that changed', async () => {
    const folder = project({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n',
      'crates/a/Cargo.toml': '[package] # the first\nname = "alpha"\nversion = "1.0.0"\n[lib]\nname = "other"\n',
      'crates/a/src/lib.rs': '',
    });
    putFiles(folder, { 'crates/a/src/lib.rs': '//' });
    expect((await commands(folder)).lines).toEqual(['$ cargo build --package alpha', '$ cargo test --package alpha']);
  });

  test('of Go modules validates those that changed', async () => {
    const folder = project({ 'go.work': 'use ./a\n', 'a/go.mod': 'module a\n', 'a/x/x.go': '' });
    putFiles(folder, { 'a/x/x.go': 'package x' });
    expect((await commands(folder)).lines).toEqual(['/a$ go build ./...', '/a$ go vet ./...', '/a$ go test ./...']);
  });
});

test('settings name other commands, by the name or by the path of the folder, also of the repository behind a worktree', async () => {
  const folder = project({ 'package.json': json({ scripts: SCRIPTS }) });
  expect(await commands(folder, undefined, { shop: 'make check' })).toEqual({
    by: 'override',
    lines: ['$ /bin/sh -c make check'],
  });
  expect((await commands(folder, undefined, { [folder]: ['a', 'b'] })).lines).toEqual([
    '$ /bin/sh -c a',
    '$ /bin/sh -c b',
  ]);
  const plan = await planValidation({ cwd: folder, names: ['/somewhere/kiosk'] }, { kiosk: 'k', shop: 's' });
  expect(plan.steps.map(({ title }) => title)).toEqual(['k']);
});

test('nothing is run when nothing differs from the base', async () => {
  const folder = project({ 'package.json': json({ scripts: SCRIPTS }) });
  expect(await planValidation({ cwd: folder, base: 'HEAD' }, {})).toMatchObject({
    by: 'none',
    reason: 'Nothing was changed.',
  });
});

test('a base that looks like an option, or is no commit, is never given to git as one', async () => {
  const folder = project({ 'package.json': json({ scripts: SCRIPTS }) });
  for (const base of ['--output=x', 'no-such-branch']) expect((await commands(folder, base)).by).toBe('simple');
});

test('the name of a crate is the one of its package', () => {
  expect(crateName('[dependencies]\nname = "x"\n\n[package]\nedition = "2021"\nname = \'right\'\n')).toBe('right');
  expect(crateName('[workspace]\n')).toBeUndefined();
});

test('every changed file belongs to the nearest package above it', () => {
  const part = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), fc.array(path, { maxLength: 5 }), (files, packages) => {
      const isPackage = (folder: string) => packages.includes(folder);
      const nearest = (file: string) =>
        packages.filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? '';
      expect([...packagesOf(files, isPackage)].sort()).toEqual([...new Set(files.map(nearest))].sort());
    }),
  );
});

test('looking for changes runs nothing that a repository in the project names', async () => {
  const folder = project({ 'package.json': json({ scripts: SCRIPTS }) });
  gitRepository(join(folder, 'inner'), { x: 'x' });
  const mark = join(folder, '..', 'ran');
  gitIn(join(folder, 'inner'), 'config', 'core.fsmonitor', `touch ${mark}; false`);
  gitIn(folder, 'add', 'inner');
  await commands(folder);
  expect(existsSync(mark)).toBe(false);
});
