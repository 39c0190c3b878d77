import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';

const FILES = 60;

/** More text than one block of the index holds, so that files are told apart. */
const textOf = (number: number) => `${'some words of prose '.repeat(1_500)}\nneedle${number}x\n`;

describe.each(await implementations('search'))('$kind search with an index', ({ kind, implementation: search }) => {
  let tree: string;
  let folder: string;
  beforeAll(async () => {
    tree = mkdtempSync(join(tmpdir(), 'tenon-index-tree-'));
    folder = mkdtempSync(join(tmpdir(), 'tenon-index-'));
    for (let number = 0; number < FILES; number += 1) writeFileSync(join(tree, `${number}.txt`), textOf(number));
    // A file that was written just now is not trusted.
    await until(() => Date.now() - statSync(join(tree, `${FILES - 1}.txt`)).ctimeMs > 100, 'older files');
  });
  afterAll(() => {
    for (const path of [tree, folder]) rmSync(path, { recursive: true, force: true });
  });
  const ask = (pattern: string) =>
    search.grep({ path: tree, pattern, gitignore: false, index: { folder, fromEntries: 1 } });
  const found = async (pattern: string) => (await ask(pattern)).files.map(({ path }) => path);

  it('answers as without, and from some search on reads only what can match', async () => {
    expect(await found('needle7x')).toEqual(['7.txt']);
    if (kind === 'js') return expect((await ask('needle7x')).spared).toBe(0);
    await until(async () => (await ask('needle8x')).spared > FILES - 10, 'an index');
    const { files, searched } = await ask('needle9x');
    expect({ files: files.map(({ path }) => path), searched }).toEqual({ files: ['9.txt'], searched: FILES });
    const [index = ''] = readdirSync(folder);
    expect(statSync(join(folder, index)).mode & 0o777).toBe(0o600);
    return undefined;
  });

  it('sees every change at once', async () => {
    writeFileSync(join(tree, '7.txt'), 'another needle9x\n');
    writeFileSync(join(tree, 'new.txt'), 'needle9x\n');
    rmSync(join(tree, '9.txt'));
    expect(await found('needle9x')).toEqual(['7.txt', 'new.txt']);
    expect(await found('needle7x')).toEqual([]);
  });
});
