import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPacks } from '../src/find-packs.ts';
import { findJsonMistake } from '../src/json-position.ts';
import { changeRecord, readRecords, recordsFile } from '../src/trust-records.ts';
import { type Home, makeHome, startTenon } from './support/tenon.ts';

let home: Home;

beforeEach(() => {
  home = makeHome();
});

afterEach(() => home.remove());

const userPack = (name: string) => join(home.folders.data, 'packs', name);

describe('finding packs', () => {
  it('finds packs of the user, of scopes, through links, and of the project', async () => {
    home.writePack(userPack('one'), { id: 'one' });
    home.writePack(join(userPack('@scope'), 'two'), { id: 'scope-two' });
    home.writePack(join(home.base, 'elsewhere'), { id: 'three' });
    symlinkSync(join(home.base, 'elsewhere'), userPack('three'));
    home.writePack(join(home.folders.project ?? '', 'packs', 'four'), { id: 'four' });
    mkdirSync(userPack('.hidden'));
    writeFileSync(userPack('notes.txt'), 'no pack');
    const { packs, problems } = await findPacks(home.folders);
    expect(problems).toEqual([]);
    expect(packs.map(({ manifest, level }) => [manifest.id, level])).toEqual([
      ['scope-two', 'user'],
      ['one', 'user'],
      ['three', 'user'],
      ['four', 'project'],
    ]);
  });

  it('reports every broken pack by file, plugin and key, and starts the rest', async () => {
    home.writePack(userPack('fine'), { id: 'fine' });
    home.writePack(
      userPack('json'),
      { id: 'json' },
      { 'package.json': '{\n  "name": "x",\n  "tenon": { "id": "json", }\n}' },
    );
    home.writePack(userPack('keys'), { id: 'keys', colour: 'red', handles: 'tool.call' });
    home.writePack(userPack('range'), { id: 'range', kernel: '^99' });
    home.writePack(userPack('entry'), { id: 'entry', entry: '../fine/plugin.ts' });
    home.writePack(userPack('lost'), { id: 'lost', entry: 'nowhere.ts' });
    home.writePack(userPack('globs'), {
      id: 'globs',
      permissions: { fs: { read: ['./src/*.ts'] }, env: ['LD_PRELOAD'], exec: ['/bin/sh'] },
    });
    home.writePack(userPack('twin'), { id: 'fine' });
    home.writePack(userPack('plain'), { id: 'x' }, { 'package.json': '{"name": "plain"}' });
    mkdirSync(userPack('empty'));
    const tenon = await startTenon(home);
    const complaints = tenon.complaints().join('\n');
    expect(complaints).toMatch(/json\/package\.json:3:28 is not valid JSON: a key in double quotes is expected/);
    expect(complaints).toMatch(/plugin "keys" in .*keys\/package\.json is invalid: .*colour.*/);
    expect(complaints).toMatch(/handles: must be array/);
    expect(complaints).toMatch(/Plugin "range" \(.*range\/package\.json\) asks for kernel "\^99"/);
    expect(complaints).toMatch(/entry "\.\.\/fine\/plugin\.ts" of pack "entry" .* lies outside the pack/);
    expect(complaints).toMatch(/entry "nowhere\.ts" of pack "lost" .* does not exist/);
    expect(complaints).toMatch(/permissions\.fs\.read "\.\/src\/\*\.ts" of plugin "globs" .*only a trailing/);
    expect(complaints).toMatch(/permissions\.env "LD_PRELOAD" of plugin "globs"/);
    expect(complaints).toMatch(/permissions\.exec "\/bin\/sh" of plugin "globs"/);
    expect(complaints).toMatch(/Plugin "fine" from .*twin.* has the same id/);
    expect(complaints).toMatch(/plain is not a pack: its package\.json has no "tenon" section/);
    expect(complaints).toMatch(/empty is not a pack/);
    expect(tenon.kernel.diagnostics().map(({ error }) => error.code)).toContain('PACKS_JSON_INVALID');
    expect(tenon.state('fine')).toBe('installed');
    expect(tenon.complaints()).toHaveLength(11);
    await tenon.end();
  });

  it.skipIf(process.getuid?.() === 0)('reports folders that it may not read', async () => {
    home.writePack(userPack('shut'), { id: 'shut' });
    chmodSync(userPack('shut'), 0);
    const { problems } = await findPacks(home.folders);
    chmodSync(userPack('shut'), 0o700);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/shut cannot be read: EACCES/)]);
  });

  it('reports a packs folder that is no folder', async () => {
    mkdirSync(home.folders.data, { recursive: true });
    writeFileSync(join(home.folders.data, 'packs'), 'a file');
    const { problems } = await findPacks(home.folders);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/packs cannot be read: ENOTDIR/)]);
  });
});

describe('the index of packs', () => {
  const indexFile = () => join(home.folders.cache, 'packs-index.json');

  it('reads a manifest once and again only after it changed', async () => {
    home.writePack(userPack('one'), { id: 'one' });
    const file = join(userPack('one'), 'package.json');
    const [atime, mtime] = [new Date(2026, 1, 1), new Date(2026, 1, 1)];
    utimesSync(file, atime, mtime);
    await findPacks(home.folders);
    // The same length and time: whoever reads the file itself would see the other id.
    writeFileSync(file, readFileSync(file, 'utf8').replace('"id": "one"', '"id": "two"'));
    utimesSync(file, atime, mtime);
    expect((await findPacks(home.folders)).packs.map(({ manifest }) => manifest.id)).toEqual(['one']);
    utimesSync(file, atime, new Date(mtime.getTime() + 5_000));
    expect((await findPacks(home.folders)).packs.map(({ manifest }) => manifest.id)).toEqual(['two']);
  });

  it('does not rewrite itself when nothing changed, and survives damage', async () => {
    home.writePack(userPack('one'), { id: 'one' });
    home.writePack(userPack('bad'), { id: 'bad', colour: 'red' });
    const first = await findPacks(home.folders);
    const { ino } = statSync(indexFile());
    const second = await findPacks(home.folders);
    expect(statSync(indexFile()).ino).toBe(ino);
    expect(second.problems.map(({ message }) => message)).toEqual(first.problems.map(({ message }) => message));
    writeFileSync(indexFile(), '{"version": 1, "ker');
    expect((await findPacks(home.folders)).packs.map(({ manifest }) => manifest.id)).toEqual(['one']);
  });

  it('looks again for an entry that was missing', async () => {
    home.writePack(userPack('late'), { id: 'late', entry: 'late.ts' });
    expect((await findPacks(home.folders)).problems).toHaveLength(1);
    writeFileSync(join(userPack('late'), 'late.ts'), 'export default 1;');
    expect(await findPacks(home.folders)).toMatchObject({ problems: [], packs: [{ manifest: { id: 'late' } }] });
  });

  it('goes on without a place to write to', async () => {
    home.writePack(userPack('one'), { id: 'one' });
    writeFileSync(home.folders.cache, 'a file where a folder should be');
    const { packs, indexFault } = await findPacks(home.folders);
    expect(packs).toHaveLength(1);
    expect(String(indexFault)).toMatch(/EEXIST|ENOTDIR/);
  });

  it('notices a pack that was replaced by another of the same length', async () => {
    home.writePack(userPack('one'), { id: 'one' });
    home.writePack(join(home.base, 'other'), { id: 'two' });
    await findPacks(home.folders);
    renameSync(userPack('one'), join(home.base, 'gone'));
    renameSync(join(home.base, 'other'), userPack('one'));
    expect((await findPacks(home.folders)).packs.map(({ manifest }) => manifest.id)).toEqual(['two']);
  });
});

describe('the record of trusted packs', () => {
  it('loses no decision when many are made at once', async () => {
    const file = recordsFile(home.folders.data);
    const folders = Array.from({ length: 20 }, (_, index) => `/packs/${index}`);
    await Promise.all(
      folders.map((folder) => changeRecord(file, folder, () => ({ id: 'x', enabled: true, trust: 'isolated' }))),
    );
    expect(Object.keys(readRecords(file)).sort()).toEqual([...folders].sort());
  });
});

describe('finding mistakes in JSON', () => {
  it('agrees with JSON.parse about what is JSON', () => {
    const mangled = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '{', 'x', '\n', '\\'))
      .map(([text, at, piece]) => {
        const where = at % (text.length + 1);
        return text.slice(0, where) + piece + text.slice(where + (at % 2));
      });
    fc.assert(
      fc.property(mangled, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonMistake(text) === undefined).toBe(isJson);
      }),
      { numRuns: caseCount(2_000) },
    );
  });
});
