/** The parts of set-up and of the test runner that can be tried alone. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { splitStatements } from '../docs/api-report.mjs';
import { digestOf, staleParts } from '../freshness.mjs';
import { generateBuiltins } from '../generate-builtins.mjs';
import { countLine } from '../run-cargo-tests.mjs';
import { isHeld, takeLock } from '../setup/lock.mjs';
import { hasDevelopmentPackages, missingPackages } from '../setup/packages.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tenon-house-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the freshness check', () => {
  it('notices a changed, an added, a removed and a renamed source', () => {
    const seen = new Set<string>();
    const note = () => seen.add(digestOf(root, 'program'));
    write('packages/plugins/tools/a/src/deep/one.ts', '1');
    note();
    write('packages/plugins/tools/a/src/deep/one.ts', '1 + 1');
    note();
    write('packages/plugins/tools/a/src/two.ts', '');
    note();
    rmSync(join(root, 'packages/plugins/tools/a/src/deep/one.ts'));
    note();
    rmSync(join(root, 'packages/plugins/tools/a/src/two.ts'));
    write('packages/plugins/tools/a/src/three.ts', '');
    note();
    expect(seen.size).toBe(5);
  });

  it('notices a change that leaves the size as it was', () => {
    write('native/src/index.ts', 'a');
    utimesSync(join(root, 'native/src/index.ts'), 1000, 1000);
    const before = digestOf(root, 'program');
    utimesSync(join(root, 'native/src/index.ts'), 1000, 1000.001);
    expect(digestOf(root, 'program')).not.toBe(before);
  });

  it('looks only at the sources of the part that is asked for', () => {
    write('crates/scan/src/lib.rs', '');
    const before = digestOf(root, 'program');
    write('crates/scan/src/lib.rs', 'fn main() {}');
    write('packages/kernel/test/a.test.ts', '');
    expect(digestOf(root, 'program')).toBe(before);
  });

  it('notices when the table of built-in plugins, which is not committed, is gone or not that of the manifests', async () => {
    const manifest = (summary: string) =>
      write('packages/plugins/tools/a/package.json', JSON.stringify({ name: 'a', tenon: { id: 'a', summary } }));
    manifest('first');
    const table = join(root, 'packages/sdk/src/generated/builtins.ts');
    expect(await generateBuiltins({ root })).toContain('packages/sdk/src/generated/builtins.ts');
    const made = digestOf(root, 'program');
    rmSync(table);
    expect(digestOf(root, 'program')).not.toBe(made);
    await generateBuiltins({ root });
    expect(await generateBuiltins({ root })).toEqual([]);
    manifest('second');
    expect(await generateBuiltins({ root })).toEqual(['packages/sdk/src/generated/builtins.ts']);
    expect(readFileSync(table, 'utf8')).toContain('second');
  });

  it('finds everything stale in a fresh clone', () => {
    expect(staleParts(root)).toEqual(['packages', 'addon', 'program']);
  });
});

describe('the npm packages', () => {
  const entry = (version: string) => ({ version, integrity: `sha512-${version}` });
  const lock = (path: string, packages: Record<string, unknown>) => write(path, JSON.stringify({ packages }));

  it('are all there after an install by hand', () => {
    lock('package-lock.json', { '': {}, 'node_modules/a': entry('1.0.0') });
    lock('node_modules/.package-lock.json', { 'node_modules/a': entry('1.0.0') });
    write('node_modules/a/package.json', '{}');
    expect(missingPackages(root)).toEqual([]);
  });

  it('are missing when the version differs, the folder is gone, or nothing was installed', () => {
    lock('package-lock.json', { '': {}, 'node_modules/a': entry('2.0.0'), 'node_modules/b': entry('1.0.0') });
    expect(missingPackages(root)).toEqual(['node_modules']);
    lock('node_modules/.package-lock.json', { 'node_modules/a': entry('1.0.0'), 'node_modules/b': entry('1.0.0') });
    write('node_modules/a/package.json', '{}');
    expect(missingPackages(root)).toEqual(['node_modules/a', 'node_modules/b']);
  });

  it('may lack those for tests and checks where only the program runs', () => {
    lock('package-lock.json', {
      'node_modules/a': entry('1.0.0'),
      'node_modules/tests': { ...entry('1.0.0'), dev: true },
    });
    lock('node_modules/.package-lock.json', { 'node_modules/a': entry('1.0.0') });
    write('node_modules/a/package.json', '{}');
    expect(missingPackages(root, false)).toEqual([]);
    expect(missingPackages(root)).toEqual(['node_modules/tests']);
    expect(hasDevelopmentPackages(root)).toBe(false);
    lock('node_modules/.package-lock.json', { 'node_modules/tests': { ...entry('1.0.0'), dev: true } });
    expect(hasDevelopmentPackages(root)).toBe(true);
  });

  it('may lack optional ones that npm left out for this platform', () => {
    lock('package-lock.json', { 'node_modules/mac-only': { ...entry('1.0.0'), optional: true } });
    lock('node_modules/.package-lock.json', {});
    expect(missingPackages(root)).toEqual([]);
  });

  it('cannot be judged without a lock file, and the error says so', () => {
    expect(() => missingPackages(root)).toThrow('package-lock.json is missing or damaged');
  });
});

describe('the set-up lock', () => {
  it('is held by one at a time', async () => {
    const path = join(root, 'lock');
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const release = await takeLock(path);
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside -= 1;
        release();
      }),
    );
    expect(most).toBe(1);
  });

  // Only Linux tells when a process began.
  it.skipIf(process.platform !== 'linux')(
    'is taken from a holder whose id a later process has, and not from one that runs',
    async () => {
      const path = join(root, 'setup.lock');
      const release = await takeLock(path);
      const mine = JSON.parse(readFileSync(path, 'utf8'));
      expect(isHeld(path)).toBe(true);
      release();
      write('setup.lock', JSON.stringify({ ...mine, started: '1' }));
      expect(isHeld(path)).toBe(false);
      (await takeLock(path))();
      expect(existsSync(path)).toBe(false);
    },
  );
});

describe('the count of Rust tests', () => {
  it('adds up the crates and keeps the names of failures and the reasons of skips', () => {
    const summary = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
    const lines = [
      'test walk::tests::finds ... ok',
      'test walk::tests::loops ... FAILED',
      'test huge ... ignored, needs 1M files',
      'test result: FAILED. 11 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s',
      'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    ];
    for (const line of lines) countLine(summary, line);
    expect(summary).toEqual({
      passed: 14,
      failed: 1,
      skipped: 1,
      failures: ['crates: walk::tests::loops'],
      skips: ['crates: huge (needs 1M files)'],
    });
  });
});

describe('the API report', () => {
  it('splits declarations into statements with their comments', () => {
    const text =
      '/** One. */\nexport interface One {\n    /** Inner. */\n    a: string;\n}\n/**\n * Two.\n */\nexport declare const two: {\n    b: 1;\n};\nexport {};\n';
    expect(splitStatements(text)).toEqual([
      '/** One. */\nexport interface One {\n    /** Inner. */\n    a: string;\n}',
      '/**\n * Two.\n */\nexport declare const two: {\n    b: 1;\n};',
      'export {};',
    ]);
  });
});
