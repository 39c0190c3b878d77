import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildSync } from 'esbuild';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { ACCELERATOR_NAMES, createAccelerators } from '../src/accelerators.ts';
import { cacheFolder, findAddon, platformPackages } from '../src/loader.ts';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '..', 'src');
const real = findAddon();
const withAddon = { skip: !real.addon };
const HASH = real.sourceHash ?? '';

const scratch = mkdtempSync(join(tmpdir(), 'tenon-loader-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A checkout as the loader sees it: root, native package, and the folder of a built program to search from. */
let root: string;
let native: string;
let from: string;
let count = 0;
const env: NodeJS.ProcessEnv = { HOME: scratch, TENON_HOME: join(scratch, 'home') };

beforeEach(() => {
  root = join(scratch, `checkout-${(count += 1)}`);
  native = join(root, 'native');
  from = join(root, 'packages', 'cli', 'dist');
  mkdirSync(native, { recursive: true });
  mkdirSync(from, { recursive: true });
  writeJson(join(root, 'package.json'), { name: 'tenon' });
  writeJson(join(native, 'package.json'), { name: '@tenon/native', version: '1.0.0' });
});

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

/** A copy has a path of its own, so the loader really opens it. */
function placeAddon(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(real.path ?? '', path);
  return path;
}

describe('finding the addon', () => {
  it('says that the file is missing and how to build it', () => {
    const lookup = findAddon({ env, searchFrom: from });
    expect(lookup.addon).toBeUndefined();
    expect(lookup.attempts).toEqual([
      { origin: 'checkout', path: join(native, 'tenon.node'), reason: expect.stringContaining('npm run setup') },
    ]);
  });

  it('says which package is missing where there is nothing to build', () => {
    writeJson(join(native, 'tenon.node.json'), { hash: 'new', published: true });
    expect(findAddon({ env, searchFrom: from }).attempts).toEqual([
      { origin: 'package', path: join(native, 'tenon.node'), reason: expect.stringContaining('npm install') },
    ]);
  });

  it('repeats why the last build failed', () => {
    writeJson(join(native, 'tenon.node.json'), { hash: 'new', failure: 'cargo is not installed' });
    expect(findAddon({ env, searchFrom: from }).attempts[0]?.reason).toContain('cargo is not installed');
  });

  it('gives the text of the system when a file is not a library', () => {
    writeFileSync(join(native, 'tenon.node'), 'not a library');
    const lookup = findAddon({ env, searchFrom: from });
    expect(lookup.addon).toBeUndefined();
    expect(lookup.attempts[0]?.reason).toMatch(/^load error: .*tenon\.node/);
  });

  it('does not trust a damaged stamp', () => {
    writeFileSync(join(native, 'tenon.node'), 'whatever');
    writeFileSync(join(native, 'tenon.node.json'), '{');
    expect(findAddon({ env, searchFrom: from }).attempts[0]?.reason).toContain('damaged');
  });

  it('uses an explicit path and looks nowhere else', () => {
    const lookup = findAddon({ env: { ...env, TENON_ADDON: join(root, 'gone.node') }, searchFrom: from });
    expect(lookup.attempts).toEqual([{ origin: 'explicit', path: join(root, 'gone.node'), reason: 'file missing' }]);
  });

  it('refuses a native folder that lies above the repository', () => {
    rmSync(native, { recursive: true });
    writeJson(join(scratch, 'native', 'package.json'), { name: '@tenon/native' });
    writeFileSync(join(scratch, 'native', 'tenon.node'), 'planted');
    const lookup = findAddon({ env, searchFrom: from });
    rmSync(join(scratch, 'native'), { recursive: true });
    expect(lookup.attempts).toHaveLength(1);
    expect(lookup.attempts[0]?.path.startsWith(root)).toBe(true);
  });

  it('refuses a platform package of another version', () => {
    const name = platformPackages()[0] ?? '';
    writeJson(join(root, 'node_modules', name, 'package.json'), { name, version: '0.9.0' });
    const [attempt] = findAddon({ env, searchFrom: from }).attempts;
    expect(attempt).toMatchObject({ origin: 'package', reason: expect.stringContaining('0.9.0') });
  });

  it('opens the addon of the checkout when its hash is the expected one', withAddon, () => {
    const path = placeAddon(join(native, 'tenon.node'));
    writeJson(join(native, 'tenon.node.json'), { hash: HASH });
    expect(findAddon({ env, searchFrom: from })).toMatchObject({ path, sourceHash: HASH });
  });

  it('refuses a stale addon by name, with both hashes', withAddon, () => {
    placeAddon(join(native, 'tenon.node'));
    writeJson(join(native, 'tenon.node.json'), { hash: 'f00d' });
    const lookup = findAddon({ env, searchFrom: from });
    expect(lookup.addon).toBeUndefined();
    expect(lookup.attempts[0]?.reason).toContain(`stale: expected f00d, got ${HASH}`);
  });

  it('falls back to the cache when the checkout has no copy', withAddon, () => {
    const cached = placeAddon(join(cacheFolder(env), 'native', 'key', 'tenon.node'));
    writeJson(join(native, 'tenon.node.json'), { hash: HASH, key: 'key' });
    const lookup = findAddon({ env, searchFrom: from });
    expect(lookup.attempts.map((attempt) => attempt.origin)).toEqual(['checkout', 'cache']);
    expect(lookup.path).toBe(cached);
  });

  // Only the system's administrator can give a file away.
  it.skipIf(process.getuid?.() !== 0)('opens no addon of another user', () => {
    const cached = join(cacheFolder(env), 'native', 'foreign', 'tenon.node');
    mkdirSync(dirname(cached), { recursive: true });
    writeFileSync(cached, 'somebody else');
    chownSync(cached, 54_321, 54_321);
    writeJson(join(native, 'tenon.node.json'), { hash: 'f00d', key: 'foreign' });
    const [, attempt] = findAddon({ env, searchFrom: from }).attempts;
    expect(attempt).toEqual({ origin: 'cache', path: cached, reason: 'it belongs to another user' });
  });

  it('prefers a matching platform package', withAddon, () => {
    const name = platformPackages()[0] ?? '';
    const folder = join(root, 'node_modules', name);
    writeJson(join(folder, 'package.json'), { name, version: '1.0.0', main: 'tenon.this-platform.node' });
    const path = placeAddon(join(folder, 'tenon.this-platform.node'));
    expect(findAddon({ env, searchFrom: from }).path).toBe(path);
    writeJson(join(native, 'tenon.node.json'), { hash: 'f00d' });
    expect(findAddon({ env, searchFrom: from }).attempts[0]?.reason).toContain('stale: expected f00d');
  });

  it('finds the addon from a built program in a sibling package', withAddon, () => {
    const path = placeAddon(join(native, 'tenon.node'));
    const outfile = join(from, 'loader.mjs');
    buildSync({ entryPoints: [join(SOURCE, 'loader.ts')], bundle: true, platform: 'node', format: 'esm', outfile });
    const program = `import { findAddon } from ${JSON.stringify(outfile)}; process.stdout.write(findAddon().path ?? 'none');`;
    const { TENON_ADDON: _own, ...rest } = process.env;
    const found = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: rest });
    expect(found.toString()).toBe(path);
  });

  it('keeps the cache inside TENON_HOME when that is set', () => {
    expect(cacheFolder({ TENON_HOME: '/t', XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/t/cache');
    expect(cacheFolder({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/x/tenon');
    expect(cacheFolder({ XDG_CACHE_HOME: 'relative', HOME: '/h' })).toBe('/h/.cache/tenon');
  });
});

describe('choosing implementations', () => {
  it('opens nothing when the package is imported', async () => {
    const dlopen = vi.spyOn(process, 'dlopen');
    vi.resetModules();
    await import('../src/index.ts');
    expect(dlopen).not.toHaveBeenCalled();
    dlopen.mockRestore();
  });

  it('lets JavaScript serve without the addon and says why', async () => {
    const set = createAccelerators({ env, searchFrom: from });
    const sandbox = await set.load('sandbox');
    expect(sandbox.selfRestriction().available).toBe(false);
    const report = await set.report();
    expect(report.addon.attempts[0]?.reason).toContain('missing');
    const line = report.accelerators.find((entry) => entry.name === 'sandbox');
    expect(line).toMatchObject({
      serves: 'js',
      skipped: [
        { kind: 'native', reason: expect.stringContaining('missing') },
        { kind: 'wasm', reason: 'there is no wasm twin of it' },
      ],
    });
  });

  it('reports on every accelerator', async () => {
    const report = await createAccelerators({ env, searchFrom: from }).report();
    expect(report.accelerators.map((entry) => entry.name)).toEqual(ACCELERATOR_NAMES);
    expect(ACCELERATOR_NAMES).toEqual([
      'scan',
      'search',
      'syntax',
      'hashline',
      'shell',
      'sandbox',
      'text',
      'code-map',
      'images',
      'memory',
    ]);
  });

  it('fails clearly when native is forced and cannot serve', async () => {
    const set = createAccelerators({ env: { ...env, TENON_ACCEL: 'native' }, searchFrom: from });
    await expect(set.load('sandbox')).rejects.toThrow(/TENON_ACCEL=native.*missing.*unset TENON_ACCEL/);
    const report = await set.report();
    expect(report.accelerators.every((entry) => entry.serves === undefined)).toBe(true);
  });

  it('uses JavaScript where WASM is forced but does not exist, and says so', async () => {
    const set = createAccelerators({ env: { ...env, TENON_ACCEL: 'wasm' }, searchFrom: from });
    await set.load('sandbox');
    const line = (await set.report()).accelerators.find((entry) => entry.name === 'sandbox');
    expect(line?.serves).toBe('js');
    expect(line?.skipped).toContainEqual({ kind: 'wasm', reason: 'there is no wasm twin of it' });
    expect(line?.skipped).toContainEqual({ kind: 'native', reason: 'forced to wasm by TENON_ACCEL' });
  });

  it('refuses a word in TENON_ACCEL that it does not know', async () => {
    const set = createAccelerators({ env: { ...env, TENON_ACCEL: 'fast' }, searchFrom: from });
    await expect(set.load('sandbox')).rejects.toThrow('TENON_ACCEL=fast is not one of native, wasm, js, auto');
  });

  it('serves by the addon, once per process, and lists all usable kinds', withAddon, async () => {
    placeAddon(join(native, 'tenon.node'));
    const set = createAccelerators({ env, searchFrom: from });
    const sandbox = await set.load('sandbox');
    expect(await set.load('sandbox')).toBe(sandbox);
    expect((await set.implementations('sandbox')).map((entry) => entry.kind)).toEqual(['native', 'js']);
    const line = (await set.report()).accelerators.find((entry) => entry.name === 'sandbox');
    expect(line).toMatchObject({ serves: 'native', skipped: [] });
  });

  it('gives exactly the kind that is asked for, or throws', withAddon, async () => {
    placeAddon(join(native, 'tenon.node'));
    const set = createAccelerators({ env, searchFrom: from });
    expect((await set.load('sandbox', 'js')).selfRestriction().available).toBe(false);
    await expect(set.load('sandbox', 'wasm')).rejects.toThrow('sandbox has no usable wasm part');
  });
});
