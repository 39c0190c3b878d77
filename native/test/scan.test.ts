import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import { newFolder, plant, unprivileged } from './scan-trees.ts';

const available = await implementations('scan');

/** What makes a folder a repository for git. */
const REPOSITORY = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/': '', '.git/refs/': '' };

describe.each(available)('$kind scan', ({ kind, implementation: scan }) => {
  let root: string;
  beforeEach(() => {
    root = newFolder();
  });
  afterEach(() => {
    scan.invalidate();
    rmSync(root, { recursive: true, force: true });
  });

  const paths = async (pattern: string | string[], options = {}): Promise<string[]> =>
    (await scan.glob({ path: root, pattern, ...options })).matches.map((match) => match.path);

  it('lists depth first with siblings in the order of their bytes', async () => {
    plant(root, { 'b.txt': '', 'a/z': '', 'a-b': '', 'a/b/c': '', Z: '' });
    expect(await paths('**')).toEqual(['Z', 'a/b/c', 'a/z', 'a-b', 'b.txt']);
  });

  it('leaves out .git always, dotfiles and node_modules unless asked for', async () => {
    plant(root, { '.git/config': '', '.env': '', 'node_modules/x/i.js': '', 'a.js': '' });
    expect(await paths('**')).toEqual(['a.js']);
    expect(await paths('**', { hidden: true, nodeModules: true })).toEqual(['.env', 'a.js', 'node_modules/x/i.js']);
    expect(await paths('node_modules/**')).toEqual(['node_modules/x/i.js']);
  });

  it('applies nested and negated rules, .ignore over .gitignore, and the repository above the root', async () => {
    plant(root, {
      ...REPOSITORY,
      '.git/info/exclude': 'excluded\n',
      '.gitignore': '*.log\nbuild/\n',
      '.ignore': '!keep.log\n',
      'sub/.gitignore': '!deep.log\n',
      'sub/deep.log': '',
      'sub/other.log': '',
      'keep.log': '',
      'build/x': '',
      excluded: '',
      shown: '',
    });
    expect(await paths('**')).toEqual(['keep.log', 'shown', 'sub/deep.log']);
    const below = await scan.glob({ path: join(root, 'sub'), pattern: '**' });
    expect(below.matches.map((match) => match.path)).toEqual(['deep.log']);
  });

  it('does not apply outer rules inside a nested repository, which is more than a folder called .git', async () => {
    plant(root, { '.gitignore': '*.log\n', 'inner/a.log': '', 'fake/.git/': '', 'fake/a.log': '', 'a.log': '' });
    plant(join(root, 'inner'), REPOSITORY);
    expect(await paths('**')).toEqual(['inner/a.log']);
  });

  it('reads no rules through a link, and keeps names with line ends', async () => {
    plant(root, { rules: '*.log\n', 'a.log': '', 'b\nc': '', 'd\r': '', 'e\u2028': '', '.x': '*\n' });
    symlinkSync('rules', join(root, '.gitignore'));
    expect(await paths('**')).toEqual(['a.log', 'b\nc', 'd\r', 'e\u2028', 'rules']);
  });

  it('survives symlink loops and lists links as links', async () => {
    mkdirSync(join(root, 'a'));
    symlinkSync('..', join(root, 'a', 'up'));
    const { matches } = await scan.glob({ path: root, pattern: '**', kind: 'any' });
    expect(matches).toEqual([
      { path: 'a', kind: 'directory' },
      { path: 'a/up', kind: 'symlink' },
    ]);
  });

  it.skipIf(!process.geteuid)('reports a folder that cannot be read', async () => {
    plant(root, { 'closed/x': '', open: '' });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'closed'), 0);
    const { problems, problemCount, matches } = await unprivileged(() => scan.glob({ path: root, pattern: '**' }));
    chmodSync(join(root, 'closed'), 0o755);
    expect(problems).toEqual([{ path: 'closed', reason: 'permission denied' }]);
    expect(problemCount).toBe(1);
    expect(matches.map((match) => match.path)).toEqual(['open']);
  });

  it('keeps names that are not UTF-8 apart and shows them with replacement characters', async () => {
    plant(root, { seed: '' });
    for (const last of [0xfe, 0xff]) {
      linkSync(join(root, 'seed'), Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([last])]));
    }
    expect(await paths('x*', { times: true })).toEqual(['x\ufffd', 'x\ufffd']);
  });

  it('gives the newest first when sorted by time, and counts what the limit cuts off', async () => {
    plant(root, { old: '', new: '', middle: '' });
    utimesSync(join(root, 'old'), 1, 1);
    utimesSync(join(root, 'middle'), 2, 2);
    const result = await scan.glob({ path: root, pattern: '**', sort: 'modified', limit: 2 });
    expect(result.matches.map((match) => match.path)).toEqual(['new', 'middle']);
    expect(result.matches[1]?.modifiedMs).toBe(2000);
    expect(result.total).toBe(3);
  });

  it('streams every match to a listener', async () => {
    plant(root, Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`d${index % 7}/f${index}.ts`, ''])));
    const streamed: string[] = [];
    const onBatch = (batch: string[]): void => void streamed.push(...batch);
    const { matches } = await scan.glob({ path: root, pattern: '*.ts', onBatch });
    await sleep(20);
    expect(streamed.sort()).toEqual(matches.map((match) => match.path).sort());
    expect(matches).toHaveLength(600);
  });

  it('says which folder is missing', async () => {
    await expect(scan.glob({ path: join(root, 'nowhere'), pattern: '*' })).rejects.toThrow(
      /nowhere: not found; give an existing/,
    );
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('changed my mind');
    await expect(scan.glob({ path: root, pattern: '*', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('serves a second call from the cache and sees a new file after invalidation', async () => {
    plant(root, { a: '' });
    const ask = (): ReturnType<typeof scan.glob> => scan.glob({ path: root, pattern: '**', cache: true });
    expect((await ask()).scan.source).toBe('walk');
    expect((await ask()).scan.source).not.toBe('walk');
    expect(scan.cacheReport()).toMatchObject([{ root, entries: 1 }]);
    writeFileSync(join(root, 'b'), '');
    scan.invalidate(join(root, 'b'));
    expect((await ask()).matches).toHaveLength(2);
  });

  it('keeps scans with another policy apart', async () => {
    plant(root, { '.a': '', b: '' });
    await scan.glob({ path: root, pattern: '**', cache: true });
    expect(await paths('**', { cache: true, hidden: true })).toEqual(['.a', 'b']);
    expect(scan.cacheReport()).toHaveLength(2);
  });

  it('looks again when an empty answer comes from an older scan', async () => {
    plant(root, { a: '' });
    await paths('**', { cache: true });
    await sleep(250);
    writeFileSync(join(root, 'late.ts'), '');
    expect(await paths('*.ts', { cache: true })).toEqual(['late.ts']);
  });

  it('puts what a person means first', async () => {
    plant(root, { 'kernel/src/index.ts': '', 'src/kernel.ts': '', 'src/kind-of-error-nel.ts': '' });
    const { matches } = await scan.fuzzyFind({ path: root, query: 'kernel', kind: 'file' });
    expect(matches.map((match) => match.path)).toEqual([
      'src/kernel.ts',
      'kernel/src/index.ts',
      'src/kind-of-error-nel.ts',
    ]);
  });

  it.runIf(kind === 'native' && process.platform === 'linux')(
    'serves a watched scan past its time limit and notices every kind of change at once',
    async () => {
      plant(root, { 'd/a': '', '.gitignore': '' });
      const ask = (): ReturnType<typeof scan.glob> => scan.glob({ path: root, pattern: '**', cache: true });
      const settle = async (): Promise<void> => {
        for (let tries = 0; scan.cacheReport()[0]?.watch !== 'live' && tries < 100; tries += 1) {
          await ask();
          await sleep(20);
        }
        expect(scan.cacheReport()[0]?.watch).toBe('live');
      };
      await settle();
      await sleep(1100);
      expect((await ask()).scan.source).toBe('watched');
      const changes: [() => void, number][] = [
        [() => writeFileSync(join(root, 'd/b'), ''), 2],
        [() => plant(root, { 'new/deep/c': '' }), 3],
        [() => writeFileSync(join(root, '.gitignore'), 'new/\n'), 2],
        [() => rmSync(join(root, 'd/a')), 1],
        [() => writeFileSync(join(root, 'd/b'), 'content does not matter'), 1],
      ];
      for (const [change, expected] of changes) {
        await settle();
        change();
        expect((await ask()).total).toBe(expected);
      }
    },
  );
});
