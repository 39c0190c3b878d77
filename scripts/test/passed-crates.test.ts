/** Crates whose tests have passed with the same sources are not tested again by `npm test`, and that is said. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { crateKeys } from '../passed-crates.mjs';
import { runCargoTests } from '../run-cargo-tests.mjs';

const hasCargo = spawnSync('cargo', ['--version']).status === 0;

const test = (holds: boolean) => `#[test]\nfn holds() { assert!(${holds}); }\n`;
const manifest = (name: string, more = '') =>
  `[package]\nname = "tenon-${name}"\nversion = "0.1.0"\nedition = "2021"\n[lib]\ndoctest = false\n[dependencies]\n${more}`;

/** A workspace of two crates, of which `upper` is built on `lower`. */
function workspace(): string {
  const root = temporaryFolder('crates');
  putFiles(root, {
    'Cargo.toml': '[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n',
    'Cargo.lock': `version = 3\n[[package]]\nname = "tenon-lower"\nversion = "0.1.0"\n[[package]]\nname = "tenon-upper"\nversion = "0.1.0"\ndependencies = ["tenon-lower"]\n`,
    'crates/lower/Cargo.toml': manifest('lower'),
    'crates/lower/src/lib.rs': test(true),
    'crates/upper/Cargo.toml': manifest('upper', 'tenon-lower = { path = "../lower" }\n'),
    'crates/upper/src/lib.rs': test(true),
  });
  return root;
}

describe.skipIf(!hasCargo)('the crates', () => {
  let root: string;
  beforeEach(() => {
    root = workspace();
    vi.stubEnv('TENON_CACHE_DIR', join(root, 'cache'));
  });
  const run = (options = { again: false }) => runCargoTests(root, () => undefined, options);
  const counts = async (options = { again: false }) => {
    const { passed, failed, skips } = await run(options);
    return [passed, failed, skips.length];
  };

  it('are tested again when they, or what they are built on, have changed, when they failed, and when all is asked for', async () => {
    expect(await counts()).toEqual([2, 0, 0]);
    const { passed, skips } = await run();
    expect(passed).toBe(0);
    expect(skips).toEqual([expect.stringMatching(/lower, upper.*passed.*same sources.*npm run test:all/)]);
    expect(await counts({ again: true })).toEqual([2, 0, 0]);
    putFiles(root, { 'crates/upper/src/lib.rs': test(false) });
    expect(await counts()).toEqual([0, 1, 1]);
    expect(await counts()).toEqual([0, 1, 1]);
    putFiles(root, { 'crates/upper/src/lib.rs': test(true) });
    expect(await counts()).toEqual([0, 0, 1]);
  });

  it('have keys that change with what they are built from, and with nothing else', async () => {
    const names = ['lower', 'upper'];
    const before = await crateKeys(root, names);
    putFiles(root, { 'README.md': 'x' });
    expect(await crateKeys(root, names)).toEqual(before);
    const changedBy = async (file: string, text: string) => {
      putFiles(root, { [file]: text });
      const now = await crateKeys(root, names);
      return names.filter((name) => now.get(name) !== before.get(name));
    };
    expect(await changedBy('crates/upper/tests/more.rs', test(true))).toEqual(['upper']);
    expect(await changedBy('crates/lower/src/lib.rs', `//\n${test(true)}`)).toEqual(names);
    vi.stubEnv('PROPTEST_CASES', '1');
    const few = await crateKeys(root, names);
    expect(await changedBy('Cargo.lock', 'version = 4\n')).toEqual(names);
    expect(few.get('upper')).not.toBe(before.get('upper'));
  });
});
