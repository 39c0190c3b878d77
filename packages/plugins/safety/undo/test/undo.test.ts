import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { holdName } from '@tenon/sandbox/api';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { stateOf } from './tree-state.ts';
import { openBench, type UndoBench } from './undo-bench.ts';

const put = ({ root }: UndoBench, name: string, text: string) => writeFileSync(join(root, name), text);
const get = ({ root }: UndoBench, name: string) => readFileSync(join(root, name), 'utf8');
const has = ({ root }: UndoBench, name: string) => existsSync(join(root, name));
const restore = ({ undo, root }: UndoBench, more = {}) => undo.restore({ cwd: root, ...more });

describe('what somebody else changed', () => {
  it('between two calls is not the agent’s: undo of the calls leaves it alone', async () => {
    const bench = openBench();
    put(bench, 'a', 'start');
    put(bench, 'mine', 'before');
    await bench.call(() => put(bench, 'a', 'agent'));
    put(bench, 'mine', 'edited by the user');
    await bench.call(() => put(bench, 'b', 'new'));
    const { changes, held } = await restore(bench, { count: 2 });
    expect(changes.map(({ path, action }) => [path, action])).toEqual([
      ['a', 'revert'],
      ['b', 'delete'],
    ]);
    expect(held).toEqual([]);
    expect([get(bench, 'a'), get(bench, 'mine'), has(bench, 'b')]).toEqual(['start', 'edited by the user', false]);
  });

  it('after a call is named and kept, and taken back only by force, which can be undone', async () => {
    const bench = openBench();
    put(bench, 'a', 'start');
    await bench.call(() => put(bench, 'a', 'agent'));
    put(bench, 'a', 'user');
    const kept = await restore(bench);
    expect(kept.held).toMatchObject([{ path: 'a', reason: 'changed-since' }]);
    expect([kept.id, get(bench, 'a')]).toEqual([undefined, 'user']);
    await restore(bench, { force: true });
    expect(get(bench, 'a')).toBe('start');
    await restore(bench, { redo: true });
    expect(get(bench, 'a')).toBe('user');
  });

  it('between two calls on the same file: the newer call is taken back, the older one stays', async () => {
    const bench = openBench();
    put(bench, 'a', '1');
    await bench.call(() => put(bench, 'a', '2'));
    put(bench, 'a', 'user');
    await bench.call(() => put(bench, 'a', '3'));
    const { held } = await restore(bench, { count: 2 });
    expect(get(bench, 'a')).toBe('user');
    expect(held).toMatchObject([{ path: 'a', reason: 'changed-since' }]);
  });

  it('with the same size and the same time of change is noticed', async () => {
    const bench = openBench();
    put(bench, 'a', 'old!');
    const { mtime, atime } = statSync(join(bench.root, 'a'));
    await bench.call(() => {
      put(bench, 'a', 'new!');
      utimesSync(join(bench.root, 'a'), atime, mtime);
    });
    await restore(bench);
    expect(get(bench, 'a')).toBe('old!');
  });
});

describe('which calls', () => {
  it('are the last N, those back to an id, those of a session, or exactly those named; undone ones do not count again', async () => {
    const bench = openBench();
    const ids: (number | undefined)[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      ids.push(await bench.call(() => put(bench, name, name), name < 'c' ? 'one' : 'two'));
    await restore(bench);
    expect(readdirSync(bench.root)).toEqual(['a', 'b', 'c']);
    await restore(bench, { session: 'on' });
    expect(readdirSync(bench.root)).toEqual(['a', 'c']);
    await restore(bench, { to: ids[0] });
    expect(readdirSync(bench.root)).toEqual([]);
    await expect(restore(bench)).rejects.toMatchObject({ code: 'UNDO_NOTHING' });
    await expect(restore(bench, { to: 99 })).rejects.toMatchObject({ code: 'UNDO_UNKNOWN' });
    for (let times = 0; times < 3; times++) await restore(bench, { redo: true });
    expect(readdirSync(bench.root)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a call that changed nothing leaves no record', async () => {
    const bench = openBench();
    put(bench, 'a', 'x');
    expect(await bench.call(() => void get(bench, 'a'))).toBeUndefined();
    expect(await bench.undo.list({ cwd: bench.root })).toEqual([]);
  });

  it('are found from a folder below the workspace, too', async () => {
    const bench = openBench();
    mkdirSync(join(bench.root, 'sub'));
    await bench.call(() => put(bench, 'sub/a', 'x'));
    await bench.undo.restore({ cwd: join(bench.root, 'sub') });
    expect(has(bench, 'sub/a')).toBe(false);
  });
});

describe('what is kept', () => {
  it('small ignored files and folders are, build output is not unless set', async () => {
    const bench = openBench();
    execFileSync('git', ['init', '-q'], { cwd: bench.root });
    put(bench, '.gitignore', '.env\nsecrets/\nnode_modules/\ndist/\n');
    for (const folder of ['secrets', 'node_modules', 'dist']) mkdirSync(join(bench.root, folder));
    for (const file of ['.env', 'secrets/key', 'node_modules/m.js', 'dist/out.js']) put(bench, file, 'x');
    const wipe = () => {
      for (const name of ['.env', 'secrets', 'node_modules', 'dist'])
        rmSync(join(bench.root, name), { recursive: true });
    };
    await bench.call(wipe);
    await restore(bench);
    expect([has(bench, '.env'), has(bench, 'secrets/key'), has(bench, 'dist')]).toEqual([true, true, false]);
    const all = bench.again({ includeIgnored: true });
    for (const folder of ['node_modules', 'dist']) mkdirSync(join(bench.root, folder), { recursive: true });
    for (const file of ['node_modules/m.js', 'dist/out.js']) put(bench, file, 'x');
    await all.call(wipe);
    await restore(all);
    expect([has(bench, 'node_modules/m.js'), has(bench, 'dist/out.js')]).toEqual([true, true]);
  });

  it('a rule that appears or goes neither deletes nor restores what it is about', async () => {
    const bench = openBench();
    execFileSync('git', ['init', '-q'], { cwd: bench.root });
    mkdirSync(join(bench.root, 'dist'));
    put(bench, 'dist/out.js', 'made');
    put(bench, '.gitignore', 'dist/\n');
    await bench.call(() => rmSync(join(bench.root, '.gitignore')));
    const { changes, held } = await restore(bench);
    expect([changes.map(({ path }) => path), held]).toEqual([['.gitignore'], []]);
    expect(get(bench, 'dist/out.js')).toBe('made');
    rmSync(join(bench.root, '.gitignore'));
    await bench.call(() => put(bench, '.gitignore', 'dist/\n'));
    const again = await restore(bench);
    expect([again.changes.map(({ path, action }) => [path, action]), again.held]).toEqual([
      [['.gitignore', 'delete']],
      [],
    ]);
    expect(get(bench, 'dist/out.js')).toBe('made');
  });

  it('a file that is too large is told and everything else comes back', async () => {
    const bench = openBench({ maxFileBytes: 10 });
    put(bench, 'large', 'more than ten bytes');
    put(bench, 'small', 'x');
    await bench.call(() => ['large', 'small'].forEach((name) => rmSync(join(bench.root, name))));
    const { held } = await restore(bench);
    expect(held).toMatchObject([{ path: 'large', reason: 'not-kept' }]);
    expect(held[0]?.text).toContain('undo.maxFileBytes');
    expect(get(bench, 'small')).toBe('x');
  });

  it('pipes are skipped and do not hang, sparse files and hard links come back with their bytes', async () => {
    const bench = openBench();
    execFileSync('mkfifo', [join(bench.root, 'pipe')]);
    execFileSync('truncate', ['-s', '500000', join(bench.root, 'sparse')]);
    put(bench, 'one', 'linked');
    linkSync(join(bench.root, 'one'), join(bench.root, 'two'));
    const before = stateOf(bench.root);
    await bench.call(() => {
      put(bench, 'one', 'both');
      rmSync(join(bench.root, 'sparse'));
    });
    await restore(bench);
    expect(stateOf(bench.root)).toEqual(before);
    await bench.call(() => rmSync(join(bench.root, 'pipe')));
    expect((await restore(bench)).held).toMatchObject([{ path: 'pipe', reason: 'not-kept' }]);
  });

  it('the store and everything in it is for the user alone, and lies outside of the workspace and of .git', async () => {
    const bench = openBench();
    execFileSync('git', ['init', '-q'], { cwd: bench.root });
    put(bench, 'a', 'x');
    const git = stateOf(join(bench.root, '.git'), { git: true });
    await bench.call(() => put(bench, 'a', 'y'));
    await restore(bench);
    expect(stateOf(join(bench.root, '.git'), { git: true })).toEqual(git);
    for (const [path, what] of Object.entries(stateOf(join(bench.state, 'undo')))) {
      expect(what.startsWith('folder 700') || what.startsWith('file 600'), `${path}: ${what.slice(0, 20)}`).toBe(true);
    }
  });

  it('expires, and stays within its limit: the oldest calls go first', async () => {
    const bench = openBench({ maxBytes: 300_000 });
    for (let round = 1; round <= 8; round++) {
      await bench.call(() =>
        writeFileSync(join(bench.root, 'a'), execFileSync('head', ['-c', '100000', '/dev/urandom'])),
      );
    }
    const workspace = await bench.workspace();
    await workspace.locked(() => workspace.sweep(true));
    expect(workspace.index.storedBytes).toBeLessThanOrEqual(300_000);
    const left = await bench.undo.list({ cwd: bench.root });
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(8);
    expect(left[0]?.id).toBe(8);
    const expired = bench.again({ keepDays: 1e-9 });
    const other = await expired.workspace();
    await other.locked(async () => {
      await other.refresh();
      await other.sweep(true);
    });
    expect(await expired.undo.list({ cwd: bench.root })).toEqual([]);
    expect(get(bench, 'a').length).toBeGreaterThan(0);
  });

  it('home, a folder above it, and Tenon’s own folders are no workspace; own folders inside one are left out', async () => {
    const bench = openBench();
    for (const folder of [bench.home, '/', join(bench.home, '..')])
      await expect(bench.workspaces.of(folder), folder).rejects.toMatchObject({ code: 'UNDO_NO_WORKSPACE' });
    const inside = openBench({}, { home: join(bench.root, 'inside'), root: join(bench.root, 'inside', 'deep') });
    mkdirSync(inside.state, { recursive: true });
    await expect(inside.workspaces.of(inside.state)).rejects.toMatchObject({ code: 'UNDO_NO_WORKSPACE' });
  });

  it('more files than may be kept are an error that says so, and nothing is written down', async () => {
    const bench = openBench({ maxFiles: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) put(bench, name, 'x');
    await expect(bench.call(() => undefined)).rejects.toThrow(/more than 3 files/);
  });
});

describe('restoring', () => {
  it('never leaves the workspace through a folder that became a link', async () => {
    const bench = openBench();
    mkdirSync(join(bench.root, 'dir'));
    put(bench, 'dir/a', 'inside');
    mkdirSync(join(bench.home, 'elsewhere'));
    writeFileSync(join(bench.home, 'elsewhere', 'a'), 'precious');
    await bench.call(() => put(bench, 'dir/a', 'changed'));
    // Somebody swaps the folder after the call: what the link leads to is not ours.
    renameSync(join(bench.root, 'dir'), join(bench.root, 'moved'));
    symlinkSync('../elsewhere', join(bench.root, 'dir'));
    const outcome = await restore(bench, { force: true });
    expect(readFileSync(join(bench.home, 'elsewhere', 'a'), 'utf8')).toBe('precious');
    expect(outcome.held.length).toBeGreaterThan(0);
    expect(readlinkSync(join(bench.root, 'dir'))).toBe('../elsewhere');
  });

  it('does not write through a link that took the place of a file', async () => {
    const bench = openBench();
    writeFileSync(join(bench.home, 'precious'), 'precious');
    put(bench, 'a', 'one');
    await bench.call(() => {
      rmSync(join(bench.root, 'a'));
      symlinkSync('../precious', join(bench.root, 'a'));
    });
    await restore(bench);
    expect(readFileSync(join(bench.home, 'precious'), 'utf8')).toBe('precious');
    expect(lstatSync(join(bench.root, 'a')).isFile()).toBe(true);
    expect(get(bench, 'a')).toBe('one');
  });

  it('a record that was tampered with writes neither outside nor into .git and .tenon', async () => {
    const bench = openBench();
    mkdirSync(join(bench.root, '.git', 'hooks'), { recursive: true });
    put(bench, 'a', 'one');
    const id = (await bench.call(() => put(bench, 'a', 'two'))) ?? 0;
    const { records } = await bench.workspace();
    const record = await records.read(id);
    if (!record) throw new Error('no record');
    const { before } = record.changes[0] ?? {};
    const evil = [
      '../evil',
      '.git/hooks/pre-commit',
      'sub/.GIT/config',
      '.tenon/settings.yml',
      '/tmp/evil',
      'a//b',
      './c',
    ];
    await records.write({ ...record, changes: evil.map((path) => ({ path, ...(before && { before }) })) });
    const { held, changes } = await restore(bench, { force: true });
    expect(changes).toEqual([]);
    expect(held.map(({ reason }) => reason)).toEqual(evil.map(() => 'unsafe'));
    expect(existsSync(join(bench.home, 'evil'))).toBe(false);
  });

  it('never sets rights that a file had beyond permissions', async () => {
    const bench = openBench();
    put(bench, 'tool', 'x');
    chmodSync(join(bench.root, 'tool'), 0o4755);
    await bench.call(() => rmSync(join(bench.root, 'tool')));
    await restore(bench);
    expect(statSync(join(bench.root, 'tool')).mode & 0o7777).toBe(0o755);
  });

  it('works in folders that are closed to their owner, and closes them again', async () => {
    const bench = openBench();
    mkdirSync(join(bench.root, 'ro'));
    put(bench, 'ro/a', 'one');
    chmodSync(join(bench.root, 'ro'), 0o555);
    const before = stateOf(bench.root);
    await bench.call(() => {
      chmodSync(join(bench.root, 'ro'), 0o755);
      put(bench, 'ro/a', 'two');
      put(bench, 'ro/b', 'new');
      chmodSync(join(bench.root, 'ro'), 0o555);
    });
    await restore(bench);
    expect(stateOf(bench.root)).toEqual(before);
    chmodSync(join(bench.root, 'ro'), 0o755);
  });

  it('works when the call closed the workspace itself', async () => {
    const bench = openBench();
    put(bench, 'a', 'start');
    await bench.call(() => {
      rmSync(join(bench.root, 'a'));
      chmodSync(bench.root, 0o500);
    });
    const { changes } = await restore(bench);
    expect(changes.map(({ path }) => path)).toEqual(['a']);
    expect([get(bench, 'a'), statSync(bench.root).mode & 0o777]).toEqual(['start', 0o500]);
    chmodSync(bench.root, 0o700);
  });

  it('folders with which a sandbox holds names are nobody’s work: a call neither made nor removed them', async () => {
    const bench = openBench();
    put(bench, 'a', 'start');
    const places = ['.mcp.json', '.github/mcp.json'].map((name) => join(bench.root, name));
    const release: (() => void)[] = [];
    const first = await bench.call(async () => {
      for (const place of places) release.push(await holdName(place));
    });
    const second = await bench.call(() => release.forEach((leave) => leave()));
    expect([first, second, has(bench, '.github')]).toEqual([undefined, undefined, false]);
  });

  it('a folder that holds something unknown stays, with what it holds', async () => {
    const bench = openBench();
    await bench.call(() => {
      mkdirSync(join(bench.root, 'new'));
      put(bench, 'new/a', 'x');
    });
    mkdirSync(join(bench.root, 'new', '.git'));
    put(bench, 'new/.git/HEAD', 'theirs');
    const { held } = await restore(bench);
    expect(held).toMatchObject([{ path: 'new', reason: 'failed' }]);
    expect(get(bench, 'new/.git/HEAD')).toBe('theirs');
    expect(has(bench, 'new/a')).toBe(false);
  });

  it('says what a call did to the repository, and how to take it back, and does not do it', async () => {
    const bench = openBench();
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd: bench.root,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    put(bench, 'a', 'one');
    git('add', '.');
    git('commit', '-q', '-m', 'one');
    const first = git('rev-parse', 'HEAD').trim();
    put(bench, 'a', 'two');
    await bench.call(() => void git('commit', '-q', '-am', 'two'));
    await bench.call(() => void git('reset', '-q', '--hard', first));
    const { git: notes } = await bench.undo.preview({ cwd: bench.root, count: 1 });
    expect(notes.map(({ what }) => what).join('\n')).toMatch(/main moved from [0-9a-f]{10} to/);
    const head = git('rev-parse', 'HEAD');
    await restore(bench);
    expect(get(bench, 'a')).toBe('two');
    expect(git('rev-parse', 'HEAD')).toBe(head);
    for (const { command } of notes)
      if (command !== undefined) execFileSync('sh', ['-c', command], { cwd: bench.root });
    expect(git('status', '--porcelain').trim()).toBe('');
  });
});

describe('several processes', () => {
  it('in one workspace: each call is booked what changed while it ran, and edits of declared files are told apart', async () => {
    const bench = openBench();
    put(bench, 'a', 'one');
    put(bench, 'b', 'one');
    const [mine, theirs] = [await bench.workspace(), await bench.again().workspace()];
    const about = (tool: string, only: string[]) => ({ kind: 'call', tool, title: tool, only }) as const;
    const first = await mine.locked(() => mine.begin(about('edit', ['a'])));
    const second = await theirs.locked(() => theirs.begin(about('write', ['b'])));
    put(bench, 'a', 'two');
    put(bench, 'b', 'two');
    await mine.locked(() => mine.end(first.id));
    await theirs.locked(() => theirs.end(second.id));
    const listed = await bench.undo.list({ cwd: bench.root });
    expect(listed.map(({ tool, counts, shared }) => [tool, counts.changed, shared])).toEqual([
      ['write', 1, true],
      ['edit', 1, true],
    ]);
    await restore(bench, { to: first.id });
    expect([get(bench, 'a'), get(bench, 'b')]).toEqual(['one', 'one']);
  });

  it('at the same time leave a store in which everything can be taken back', async () => {
    const bench = openBench();
    const before = stateOf(bench.root);
    const writers = Array.from({ length: 4 }, () => bench.again());
    await Promise.all(
      writers.map(async (writer, number) => {
        for (let times = 0; times < 4; times++)
          await writer.call(() => put(bench, `file-${number}-${times}`, `${number} ${times}`));
      }),
    );
    expect(Object.keys(stateOf(bench.root))).toHaveLength(16);
    const { held } = await restore(bench, { count: 100 });
    expect([stateOf(bench.root), held]).toEqual([before, []]);
  });

  it('a store whose index, records or contents are damaged loses what was damaged and nothing else', async () => {
    const bench = openBench();
    put(bench, 'a', 'one');
    put(bench, 'b', 'one');
    const first = await bench.call(() => put(bench, 'a', 'two'));
    await bench.call(() => put(bench, 'b', 'two'));
    const { folder } = await bench.workspace();
    writeFileSync(join(folder, 'index'), 'tenon-undo-index 1\n{"cut');
    writeFileSync(join(folder, 'records', '000000001.json'), '{"cut');
    const fresh = bench.again();
    expect((await fresh.undo.list({ cwd: bench.root })).map(({ id }) => id)).toEqual([2]);
    const objects = join(folder, 'objects');
    await restore(fresh);
    expect([get(bench, 'b'), get(bench, 'a'), first]).toEqual(['one', 'two', 1]);
    for (const part of readdirSync(objects)) rmSync(join(objects, part), { recursive: true });
    const bare = bench.again();
    const { held } = await restore(bare, { redo: true });
    expect(held).toMatchObject([{ path: 'b', reason: 'failed' }]);
    expect(get(bench, 'b')).toBe('one');
  });
});

describe('folders that are replaced', () => {
  it('are watched as what they are now: a later call in them can be taken back', async () => {
    const bench = openBench();
    mkdirSync(join(bench.root, 'a', 'b'), { recursive: true });
    put(bench, 'a/b/f', 'start');
    const renew = () => {
      rmSync(join(bench.root, 'a', 'b'), { recursive: true });
      mkdirSync(join(bench.root, 'a', 'b'));
      put(bench, 'a/b/f', 'made anew');
    };
    await bench.call(() => put(bench, 'a/b/f', 'first'));
    await bench.call(() => put(bench, 'a/b/f', 'second'));
    await bench.call(renew);
    expect(await bench.call(() => put(bench, 'a/b/f', 'last'))).toBeDefined();
    await restore(bench);
    expect(get(bench, 'a/b/f')).toBe('made anew');
  });

  it('also where another folder takes the name and the first one stays elsewhere', async () => {
    const bench = openBench();
    const folder = (name: string) => join(bench.root, name);
    for (const name of ['one', 'two']) {
      mkdirSync(folder(name));
      put(bench, `${name}/f`, name);
    }
    await bench.call(() => put(bench, 'one/f', 'first'));
    await bench.call(() => put(bench, 'one/f', 'second'));
    await bench.call(() => {
      rmSync(folder('one'), { recursive: true });
      renameSync(folder('two'), folder('one'));
      mkdirSync(folder('two'));
    });
    expect(await bench.call(() => put(bench, 'two/g', 'new'))).toBeDefined();
    await restore(bench);
    expect(has(bench, 'two/g')).toBe(false);
  });

  it('also where a folder above the workspace was moved and another one has its name', async () => {
    const home = temporaryFolder('undo');
    const above = (name: string) => join(home, name);
    for (const name of ['one', 'other']) {
      mkdirSync(join(above(name), 'project'), { recursive: true });
      writeFileSync(join(above(name), 'project', 'f'), name);
    }
    const bench = openBench({}, { home, root: join(above('one'), 'project') });
    // All is watched after some walks, and a quiet queue is believed once no file was written in the last tick of the clock.
    for (let calls = 0; calls < 4; calls += 1) {
      await delay(30);
      await bench.call(() => {});
    }
    renameSync(above('one'), above('away'));
    renameSync(above('other'), above('one'));
    expect(await bench.call(() => put(bench, 'f', 'changed by the call'))).toBeDefined();
    await restore(bench);
    expect(get(bench, 'f')).toBe('other');
  });
});
