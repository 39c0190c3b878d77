import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { ensureAddon, sourceHash } from '../../scripts/build-native.mjs';

/** The name of an addon in the cache. */
const keyOf = (addon: Awaited<ReturnType<typeof ensureAddon>>) => ('key' in addon ? addon.key : addon.reason);

const scratch = mkdtempSync(join(tmpdir(), 'tenon-build-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const cargo = spawnSync('cargo', ['--version']).status === 0;

/** A workspace with the shape of ours and almost no code, so that the build takes a moment. */
function workspace(name: string): string {
  const root = join(scratch, name);
  mkdirSync(join(root, 'native', 'rust'), { recursive: true });
  mkdirSync(join(root, 'crates'), { recursive: true });
  writeFileSync(join(root, 'Cargo.toml'), '[workspace]\nresolver = "3"\nmembers = ["native"]\n');
  writeFileSync(
    join(root, 'native', 'Cargo.toml'),
    '[package]\nname = "tenon-native"\nversion = "0.1.0"\nedition = "2024"\n[lib]\ncrate-type = ["cdylib"]\npath = "rust/lib.rs"\n',
  );
  writeFileSync(join(root, 'Cargo.lock'), 'version = 4\n\n[[package]]\nname = "tenon-native"\nversion = "0.1.0"\n');
  writeFileSync(join(root, 'native', 'build.rs'), 'fn main() {}\n');
  writeFileSync(join(root, 'native', 'rust', 'lib.rs'), '//! Nothing.\n');
  return root;
}

function stampOf(root: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, 'native', 'tenon.node.json'), 'utf8'));
}

// A target folder of the machine's own settings would mix the workspaces of this test.
const { CARGO_TARGET_DIR: _target, ...inherited } = process.env;
const env = { ...inherited, TENON_CACHE_DIR: join(scratch, 'cache') };

describe('building the addon', () => {
  it('returns a reason instead of throwing when there is no compiler', async () => {
    const root = workspace('bare');
    const result = await ensureAddon({ root, env: { ...env, RUSTC: join(scratch, 'no-rustc') } });
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('cargo is not installed') });
    expect(stampOf(root)).toMatchObject({ hash: sourceHash(root), failure: expect.stringContaining('cargo') });
  });

  it.skipIf(!cargo)('builds once, then reuses the cache for a second clone, then does nothing', async () => {
    const root = workspace('first');
    const first = await ensureAddon({ root, env, release: false });
    expect(first).toMatchObject({ ok: true, how: 'built', hash: sourceHash(root) });
    expect(existsSync(join(root, 'native', 'tenon.node'))).toBe(true);

    const clone = workspace('second');
    const second = await ensureAddon({ root: clone, env, release: false });
    expect(second).toMatchObject({ ok: true, how: 'cached', key: keyOf(first) });
    expect(await ensureAddon({ root: clone, env, release: false })).toMatchObject({ ok: true, how: 'unchanged' });

    rmSync(join(clone, 'native', 'tenon.node'));
    expect(await ensureAddon({ root: clone, env, release: false })).toMatchObject({ ok: true, how: 'cached' });
  });

  it.skipIf(!cargo)('builds once for clones of the same sources that are set up at the same time', async () => {
    const roots = ['left', 'right'].map((name) => workspace(name));
    for (const root of roots) appendFileSync(join(root, 'native', 'rust', 'lib.rs'), '//! Built by two.\n');
    const lines: string[] = [];
    const build = (root: string) => ensureAddon({ root, env, release: false, log: (line: string) => lines.push(line) });
    const results = await Promise.all(roots.map(build));
    expect(results.map((result) => 'how' in result && result.how).toSorted()).toEqual(['built', 'cached']);
    expect(lines).toContainEqual(expect.stringMatching(/waits for process \d+, which builds the same/));
    expect(readdirSync(env.TENON_CACHE_DIR)).toEqual(['native']);
  });

  it.skipIf(!cargo)('names the first error of a failing build and lets the old addon count as stale', async () => {
    const root = workspace('broken');
    appendFileSync(join(root, 'native', 'rust', 'lib.rs'), 'fn broken( {}\n');
    const lines: string[] = [];
    const result = await ensureAddon({ root, env, release: false, log: (line: string) => lines.push(line) });
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/^cargo build failed: error/) });
    expect(lines.join('\n')).toContain('building');
    expect(stampOf(root)['hash']).toBe(sourceHash(root));

    // The same sources are not built again at once, unless the caller insists.
    const again: string[] = [];
    const rested = await ensureAddon({ root, env, release: false, log: (line: string) => again.push(line) });
    expect(rested).toEqual(result);
    expect(again).toEqual([]);
  });

  it.skipIf(!cargo)('keeps a handful of cache entries', async () => {
    const folder = join(env.TENON_CACHE_DIR, 'native');
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) mkdirSync(join(folder, name), { recursive: true });
    const root = workspace('pruning');
    appendFileSync(join(root, 'native', 'rust', 'lib.rs'), '//! Another one.\n');
    const result = await ensureAddon({ root, env, release: false });
    expect(result).toMatchObject({ ok: true, how: 'built' });
    expect(readdirSync(folder)).toHaveLength(4);
    expect(readdirSync(folder)).toContain(keyOf(result));
  });

  it('gives another hash when any source changes, and the same when only tests of a crate do', () => {
    const root = workspace('hashing');
    const before = sourceHash(root);
    mkdirSync(join(root, 'crates', 'x', 'tests'), { recursive: true });
    writeFileSync(join(root, 'crates', 'x', 'tests', 'a.rs'), '//! A test.\n');
    expect(sourceHash(root)).toBe(before);
    writeFileSync(join(root, 'crates', 'x', 'lib.rs'), '//! Code.\n');
    expect(sourceHash(root)).not.toBe(before);
  });
});
