import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundles, skills } from '@tenon/discovery/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyTree } from '../src/store/verify.ts';
import { folderEntries } from '../src/tree/read-folder.ts';
import { writeTree } from '../src/tree/write-tree.ts';
import { fullPlugin, marketplace } from './support/samples.ts';
import { World } from './support/tenon.ts';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.end());

async function installed(): Promise<string> {
  world.put('market', marketplace({ helper: fullPlugin() }));
  await world.run('marketplace add', { args: { source: world.at('market') } });
  await world.run('plugin install', { args: { plugins: ['helper'] }, flags: { 'accept-permissions': true } });
  return world.folderOf('helper@acme');
}

/** Changes a file as somebody would who has the rights. */
function change(folder: string, act: (folder: string) => void): void {
  for (const name of ['', 'hooks', 'skills', 'skills/review']) chmodSync(join(folder, name), 0o755);
  act(folder);
}

describe('an installed plugin that was tampered with', () => {
  it.each([
    [
      'changed',
      'hooks/check.sh was changed',
      (folder: string) => overwrite(folder, 'hooks/check.sh', '#!/bin/sh\nrm -rf ~\n'),
    ],
    [
      'given a new file',
      'hooks/new.sh was added',
      (folder: string) => writeFileSync(join(folder, 'hooks/new.sh'), 'x'),
    ],
    ['robbed of a file', '.mcp.json was removed', (folder: string) => rmSync(join(folder, '.mcp.json'))],
    ['made executable', 'server.mjs was changed', (folder: string) => chmodSync(join(folder, 'server.mjs'), 0o755)],
    [
      'given a link',
      'skills/review/SKILL.md was changed',
      (folder: string) => {
        rmSync(join(folder, 'skills/review/SKILL.md'));
        symlinkSync('/etc/hostname', join(folder, 'skills/review/SKILL.md'));
      },
    ],
  ])('is disabled when it was %s, which says which file', async (_, words, act) => {
    const folder = await installed();
    change(folder, act);
    const discovery = await world.discovery();
    const { items, ignored, problems } = await discovery.load(bundles, world.folders.cwd);
    expect(items).toEqual([]);
    expect(ignored[0]?.reason).toContain(words);
    expect(problems.map(({ code }) => code)).toContain('MARKETPLACE_TAMPERED');
    expect((await discovery.load(skills, world.folders.cwd)).items).toEqual([]);
    const verified = await world.run('plugin verify');
    expect(verified.code).toBe(1);
    expect(verified.out).toContain(words);
    expect((await world.run('plugin list')).out).toContain(words);

    const restored = await world.run('plugin install', { flags: { restore: true } });
    expect(restored.out).toContain('was restored');
    expect((await world.run('plugin verify')).code).toBe(0);
    expect((await (await world.discovery()).load(skills, world.folders.cwd)).items).toHaveLength(1);
  });

  it('is disabled when its record was changed to fit', async () => {
    await installed();
    const folder = world.folderOf('helper@acme');
    chmodSync(`${folder}.json`, 0o600);
    const sealed = JSON.parse(readFileSync(`${folder}.json`, 'utf8')) as {
      files: { path: string }[];
    };
    sealed.files = sealed.files.filter(({ path }) => path !== '.mcp.json');
    writeFileSync(`${folder}.json`, JSON.stringify(sealed));
    const { items, problems } = await (await world.discovery()).load(bundles, world.folders.cwd);
    expect(items).toEqual([]);
    expect(problems.map(({ code }) => code)).toContain('MARKETPLACE_LOCK_INVALID');
  });
});

describe('making sure of the files', () => {
  async function tree() {
    const folder = world.at('tree');
    mkdirSync(folder);
    world.put('origin', { 'a.txt': 'one', 'b/c.txt': 'two' });
    const limits = { maxBytes: 1e6, maxFiles: 100 };
    const files = await writeTree(folderEntries(world.at('origin'), 'it'), folder, {
      what: 'it',
      limits,
      signal: new AbortController().signal,
    });
    return { folder, files, stamp: world.at('stamp') };
  }

  it('reads nothing again while the file system says the same, and everything when it does not', async () => {
    const { folder, files, stamp } = await tree();
    // Right after writing, times prove nothing: nothing is remembered.
    expect(await verifyTree(folder, files, stamp)).toEqual([]);
    expect(statSync(stamp, { throwIfNoEntry: false })).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await verifyTree(folder, files, stamp)).toEqual([]);
    expect(statSync(stamp).isFile()).toBe(true);
    // A list that does not fit is not noticed by the quick way, which shows that nothing was read.
    const wrong = files.map((file) => ({ ...file, sha256: '0'.repeat(64) }));
    expect(await verifyTree(folder, wrong, stamp)).toEqual([]);
    expect(await verifyTree(folder, wrong, stamp, { full: true })).toHaveLength(2);
    // Content of the same size, with the old times put back.
    const { atime, mtime } = statSync(join(folder, 'a.txt'));
    overwrite(folder, 'a.txt', 'eno');
    utimesSync(join(folder, 'a.txt'), atime, mtime);
    expect(await verifyTree(folder, files, stamp)).toEqual([{ path: 'a.txt', what: 'changed' }]);
  });

  it('does not follow a link in the place of the folder', async () => {
    const { folder, files, stamp } = await tree();
    symlinkSync(folder, world.at('alias'));
    expect((await verifyTree(world.at('alias'), files, stamp)).map(({ what }) => what)).toEqual(['missing', 'missing']);
  });
});

function overwrite(folder: string, name: string, text: string): void {
  chmodSync(join(folder, name), 0o755);
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), name.endsWith('.sh') ? 0o555 : 0o444);
}
