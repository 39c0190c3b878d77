/** What `npm test` makes of files that fail outside of a test, end their process or never end. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith } from '@tenon/test-kit/processes';
import { caseCount, someOf } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { patientLimit, until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { EXTENDED_SUITES } from '../extended-suites.mjs';
import { isLongSuite, LONG_SUITES } from '../long-suites.mjs';
import { cargoTarget } from '../run-cargo-tests.mjs';
import { runFailedAgain, runVitest } from '../run-vitest.mjs';
import { needsOwnProcess } from '../shared-forks.mjs';
import { manifestsKey } from '../transform-cache.mjs';
import { REPOSITORY } from '../workspace.mjs';

const CONFIG = `import { sharedForks } from './scripts/shared-forks.mjs';
export default { test: { include: ['*.test.mjs'], pool: sharedForks, isolate: process.env.TENON_TEST_SHARED !== 'true',
  maxWorkers: 2, setupFiles: ['./scripts/test-fresh.mjs'] } };`;

afterEach(() => vi.unstubAllEnvs());

/** All test files that git knows. */
function testFiles(): string[] {
  const files = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: REPOSITORY, encoding: 'utf8' });
  return files.trim().split('\n');
}

/** Vitest on files of a folder of its own, as `npm test` runs it. */
async function runFiles(files: Readonly<Record<string, string>>, { everyday = false } = {}) {
  const root = temporaryFolder('runs');
  for (const name of ['node_modules', 'scripts']) symlinkSync(join(REPOSITORY, name), join(root, name));
  const tests = Object.entries(files).map(([name, text]) => [
    name,
    `import { existsSync, writeFileSync } from 'node:fs';
     import { expect, it } from 'vitest';
     const isFirst = () => { const seen = existsSync('${name}.seen'); writeFileSync('${name}.seen', ''); return !seen; };
     ${text}`,
  ]);
  putFiles(root, { 'vitest.config.mjs': CONFIG, ...Object.fromEntries(tests) });
  const first = await runVitest(root, [], { shared: true, everyday, quiet: true });
  return { root, first, whole: await runFailedAgain(root, first, { everyday, quiet: true }) };
}

describe('a run of all tests', () => {
  it('spares every process of a test the certificates of this machine', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/somewhere/certificates.crt');
    const { first } = await runFiles({
      'quick.test.mjs': `it('reads none', () => expect(process.env.NODE_EXTRA_CA_CERTS).toBe(''));`,
    });
    expect(first).toMatchObject({ code: 0, passed: 1, failures: [] });
  });

  it('gives a second chance to a file whose process ended, and to one with an error outside of its tests', async () => {
    const { first, whole } = await runFiles({
      'good.test.mjs': `it('adds', () => expect(1 + 1).toBe(2));`,
      'killed.test.mjs': `it('lives', () => { if (isFirst()) process.kill(process.pid, 'SIGKILL'); });`,
      'stray.test.mjs': `it('one', () => {});
        it('rejects', async () => { if (isFirst()) void Promise.reject(new Error('stray')); await new Promise((done) => setTimeout(done, 50)); });`,
    });
    expect(first.code).not.toBe(0);
    expect(first.failures.toSorted()).toEqual([
      'killed.test.mjs: did not finish',
      'stray.test.mjs: outside of any test: stray',
    ]);
    expect(whole).toMatchObject({ code: 0, passed: 4, failed: 0, failures: [] });
    expect(whole.unsteady).toEqual(first.failures);
  });

  it('ends a file that blocks its process, and runs it again', async () => {
    vi.stubEnv('TENON_TEST_FILE_MINUTES', String(patientLimit(5_000) / 60_000));
    const { first, whole } = await runFiles({
      'good.test.mjs': `it('adds', () => expect(1 + 1).toBe(2));`,
      'stuck.test.mjs': `it('ends', () => { if (isFirst()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
    });
    expect(first.failures).toEqual(['stuck.test.mjs: did not finish']);
    expect(whole).toMatchObject({ code: 0, passed: 2, failed: 0, unsteady: ['stuck.test.mjs: did not finish'] });
  });

  it('says which files were running when its time is up', async () => {
    const root = temporaryFolder('late');
    for (const name of ['node_modules', 'scripts']) symlinkSync(join(REPOSITORY, name), join(root, name));
    const program = `import { runVitest } from './scripts/run-vitest.mjs';
      import { stopCommandsAfter } from './scripts/setup/run-command.mjs';
      import { existsSync, writeFileSync } from 'node:fs';
      const started = setInterval(() => { if (existsSync('started')) { clearInterval(started); stopCommandsAfter(1_000); } }, 50);
      const first = await runVitest(process.cwd(), [], { quiet: true });
      const second = await runVitest(process.cwd(), [], { quiet: true });
      writeFileSync('answer.json', JSON.stringify([first, second]));`;
    putFiles(root, {
      'vitest.config.mjs': CONFIG,
      'program.mjs': program,
      'stuck.test.mjs': `import { writeFileSync } from 'node:fs'; import { it } from 'vitest';
        it('waits', async () => { writeFileSync('started', ''); await new Promise((done) => setTimeout(done, 3_600_000)); }, 3_600_000);`,
    });
    execFileSync(process.execPath, ['program.mjs'], { cwd: root, env: { ...process.env, TENON_TEST_ROOT: root } });
    const [first, second] = JSON.parse(readFileSync(join(root, 'answer.json'), 'utf8'));
    expect(first).toMatchObject({ code: 124, failedFiles: ['stuck.test.mjs'] });
    expect(first.failures[0]).toBe('stuck.test.mjs: did not finish, in "waits"');
    expect(second).toMatchObject({ code: 124, failures: ['vitest did not finish'] });
    await until(() => processesWith(root).length === 0, 'the end of all processes');
  });

  it('does not excuse what fails again', async () => {
    const { whole } = await runFiles({
      'good.test.mjs': `it('adds', () => expect(1 + 1).toBe(2));`,
      'bad.test.mjs': `it('fails', () => expect(1 + 1).toBe(3)); it('passes', () => {}); it.skip('waits', () => {});`,
      'stray.test.mjs': `it('rejects', async () => { void Promise.reject(new Error('always')); await new Promise((done) => setTimeout(done, 50)); });`,
    });
    expect(whole.code).not.toBe(0);
    expect(whole).toMatchObject({ passed: 3, failed: 2, skipped: 1, unsteady: [] });
    expect(whole.failures.toSorted()).toEqual(['bad.test.mjs: fails', 'stray.test.mjs: outside of any test: always']);
    expect(whole.skips).toHaveLength(1);
  });

  it('draws the same cases when a file runs again, and keeps the costs of all', async () => {
    const costs = join(temporaryFolder('costs'), 'costs.tsv');
    vi.stubEnv('TENON_TEST_COSTS', costs);
    vi.stubEnv('TENON_TEST_CASES', undefined);
    const files = {
      'good.test.mjs': `it('adds', () => expect(1 + 1).toBe(2));`,
      'few.test.mjs': `it('draws', () => { expect(process.env.TENON_TEST_CASES).toBe(undefined); });`,
    };
    const { first, whole } = await runFiles(files, { everyday: true });
    expect(first.failures).toEqual(['few.test.mjs: draws']);
    expect(whole).toMatchObject({ passed: 1, failed: 1, unsteady: [] });
    const listed = readFileSync(costs, 'utf8').match(/\w+\.test\.mjs$/gm);
    expect(listed?.toSorted()).toEqual(['few.test.mjs', 'good.test.mjs']);
  });

  it('writes what each file cost, also in processes that it started', async () => {
    const costs = join(temporaryFolder('costs'), 'costs.tsv');
    vi.stubEnv('TENON_TEST_COSTS', costs);
    const busy = `const end = performance.now() + 400; while (performance.now() < end);`;
    const { whole } = await runFiles({
      'idle.test.mjs': `it('waits', () => new Promise((done) => setTimeout(done, 100)));`,
      'parent.test.mjs': `import { execFileSync } from 'node:child_process';
        it('works elsewhere', () => void execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]));`,
    });
    expect(whole).toMatchObject({ code: 0, passed: 2 });
    const [head = '', ...rows] = readFileSync(costs, 'utf8').trim().split('\n');
    expect(head.split('\t')).toEqual(['cpu', 'clock', 'tests', 'file']);
    const cpu = new Map(rows.map((row) => [row.split('\t').at(-1), Number(row.split('\t')[0])]));
    expect([...cpu.keys()].toSorted()).toEqual(['idle.test.mjs', 'parent.test.mjs']);
    // Only Linux tells; a busy core may have given the child less than it took on the clock.
    if (process.platform === 'linux')
      expect(cpu.get('parent.test.mjs')).toBeGreaterThan((cpu.get('idle.test.mjs') ?? 0) + 0.05);
  });

  it('shares a process among files and puts back what a file changed', async () => {
    const state = `it('finds a fresh process', () => {
      expect(process.env.LEFT_BEHIND).toBeUndefined();
      expect(process.cwd()).toBe(import.meta.dirname);
      expect(globalThis.alone).toBeUndefined();
      globalThis.seen = (globalThis.seen ?? 0) + 1;
      process.env.LEFT_BEHIND = 'yes';
      process['chdir']('/');
      writeFileSync(import.meta.dirname + '/seen-' + globalThis.seen, '');
    });`;
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.test.mjs`);
    const { root, whole } = await runFiles({
      ...Object.fromEntries(names.map((name) => [name, state])),
      'own.test.mjs': `// @own-process\nit('has a process of its own', () => { expect(globalThis.seen).toBeUndefined(); globalThis.alone = true; });`,
    });
    expect(whole).toMatchObject({ code: 0, passed: 6, failed: 0 });
    expect(existsSync(join(root, 'seen-2'))).toBe(true);
  });
});

describe('the order and the processes of test files', () => {
  it('knows long suites by patterns, of which each means a file', () => {
    const files = testFiles();
    const unused = LONG_SUITES.filter((glob) => !files.some((file) => isLongSuite(file, [glob])));
    expect(unused).toEqual([]);
    expect(files.filter((file) => !isLongSuite(file)).length).toBeGreaterThan(250);
    expect(isLongSuite('packages/cli/test/cookbook.test.ts')).toBe(true);
    expect(isLongSuite('packages/cli/test/parts.test.ts')).toBe(false);
  });

  it('leaves suites to `npm run test:all` only by patterns that mean files, and says what covers them', () => {
    const files = testFiles();
    for (const { files: glob, covered } of EXTENDED_SUITES) {
      const names = files.filter((file) => isLongSuite(file, [glob]));
      // Every name between the braces is one of them.
      const wanted = /\{(.*)\}/.exec(glob)?.[1]?.split(',') ?? [glob];
      expect([glob, names.length]).toEqual([glob, wanted.length]);
      expect(covered).not.toBe('');
    }
    const left = files.filter((file) =>
      isLongSuite(
        file,
        EXTENDED_SUITES.map(({ files: glob }) => glob),
      ),
    );
    expect(left.length).toBeLessThan(files.length / 20);
    expect(readFileSync(join(REPOSITORY, '.ci/run'), 'utf8')).toContain('export CI=');
  });

  it('draws fewer cases of a property suite in everyday runs, and never none', () => {
    vi.stubEnv('TENON_TEST_CASES', undefined);
    vi.stubEnv('TENON_TWIN_RUNS', undefined);
    expect([caseCount(500), caseCount(2)]).toEqual([500, 2]);
    vi.stubEnv('TENON_TEST_CASES', '0.2');
    expect([caseCount(500), caseCount(20), caseCount(5), caseCount(2)]).toEqual([100, 4, 3, 2]);
    const list = Array.from({ length: 23 }, (_, at) => at);
    expect(someOf(list)).toEqual([0, 4, 9, 13, 18]);
    vi.stubEnv('TENON_TWIN_RUNS', '10000');
    expect([caseCount(5), someOf(list)]).toEqual([10_000, list]);
  });

  it('shares what cargo built where nobody has built yet, and begins anew when there is too much', () => {
    const root = temporaryFolder('cargo');
    const env = { TENON_CACHE_DIR: join(root, 'cache') };
    const shared = join(root, 'cache', 'cargo-target');
    expect(cargoTarget(root, env)).toBe(shared);
    const part = (number: number) => `cache/cargo-target/debug/deps/${number}.rlib`;
    putFiles(root, Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [part(at), ''])));
    expect([cargoTarget(root, env), existsSync(shared)]).toEqual([shared, true]);
    putFiles(root, { [part(2_000)]: '', 'target/debug/build': '' });
    expect([cargoTarget(root, { ...env, CI: 'true' }), existsSync(shared)]).toEqual([shared, false]);
    expect(cargoTarget(root, env)).toBe(join(root, 'target'));
  });

  it('makes sources anew when a manifest decides anew where imports lead', () => {
    const root = temporaryFolder('manifests');
    const manifest = (target: string) => ({
      'packages/schema/package.json': JSON.stringify({ name: '@tenon/schema', exports: { '.': target } }),
    });
    const names = ['kernel', 'sdk', 'cli'].map((name) => `packages/${name}/package.json`);
    putFiles(root, { ...Object.fromEntries(names.map((name) => [name, '{}'])), 'packages/plugins/README.md': '' });
    const keys = ['./a.ts', './b.ts', './a.ts'].map((target) => {
      putFiles(root, manifest(target));
      return manifestsKey(root);
    });
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('gives no test a limit that stays the same on a busy machine', () => {
    // `}, 60_000);` ends a test with its limit; what runs for minutes even on a quiet machine says so with patientLimit.
    const fixed = /^\s*\}, \d[\d_]*_000\);$|^\s*\{ timeout: \d|\b(?:it|test|describe)[\w.]*\(.*\{ timeout: \d/gm;
    const limits = testFiles().flatMap((file) =>
      (readFileSync(join(REPOSITORY, file), 'utf8').match(fixed) ?? []).map((line) => `${file}: ${line.trim()}`),
    );
    expect(limits).toEqual([]);
  });

  it('keeps files apart that replace modules or measure their process', () => {
    const folder = temporaryFolder('own');
    const shared = ["import { it } from 'vitest';", "vi.stubEnv('HOME', '/x');"];
    const own = ["vi.mock('node:fs')", 'vi.useFakeTimers()', 'process.memoryUsage()', "process.on('exit', () => {})"];
    putFiles(folder, Object.fromEntries([...shared, ...own].map((text, at) => [`${at}.ts`, text])));
    const answers = [...shared, ...own].map((_, at) => needsOwnProcess(join(folder, `${at}.ts`)));
    expect(answers).toEqual([false, false, true, true, true, true]);
  });
});
