import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readText, updateFile, withLock } from '../src/index.ts';
import { processNamespace, thisProcess } from '../src/process-mark.ts';
import { buildChild, start } from './support/processes.ts';

let programs: string;
let child: string;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'tenon-state-child-'));
  child = await buildChild(programs);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-state-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = () => join(folder, 'x.json');

function me() {
  return { ...thisProcess(), namespace: processNamespace() };
}

/** A lock as another process would leave it. */
function leaveLock(holder: object | string): void {
  mkdirSync(`${file()}.lock`);
  writeFileSync(`${file()}.lock/holder.json`, typeof holder === 'string' ? holder : JSON.stringify(holder));
}

describe('many processes', () => {
  it('change one file at once, and no change is lost', async () => {
    const children = Array.from({ length: 8 }, () => start(child, ['append', file(), '20']));
    const ends = await Promise.all(children.map(({ ended }) => ended));
    expect(ends.map(({ code, said }) => `${code} ${said}`)).toEqual(children.map(() => '0 '));
    const lines = readFileSync(file(), 'utf8').trim().split('\n');
    expect(new Set(lines).size).toBe(160);
    expect(lines).toHaveLength(160);
    for (const { process } of children) {
      const own = lines.filter((line) => line.startsWith(`${process.pid}:`));
      expect(own).toEqual(own.map((_, index) => `${process.pid}:${index}`));
    }
    expect(readdirSync(folder)).toEqual(['x.json']);
  });

  it('that are killed in the middle leave the old or the new content, and the next one cleans up after them', async () => {
    for (let round = 0; round < 8; round++) {
      const writer = start(child, ['replace', file()]);
      await writer.firstWord;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 120));
      writer.process.kill('SIGKILL');
      await writer.ended;
      const left = (await readText(file())) ?? '';
      expect(left === '' || (left.length === 2_000_000 && left === (left[0] ?? '').repeat(2_000_000))).toBe(true);
      const waited = start(child, ['lock', file()]);
      expect(await waited.ended).toEqual({ code: 0, said: 'locked\n' });
    }
    expect(readdirSync(folder).filter((name) => /\.(?:lock|tmp)$/.test(name))).toEqual([]);
  });

  it('let go of a lock when they exit, and are named while they hold it', async () => {
    await start(child, ['exit', file()]).ended;
    expect(readdirSync(folder)).toEqual([]);
    const holder = start(child, ['hold', file()]);
    await holder.firstWord;
    await expect(withLock(file(), async () => 'in', { waitMs: 100 })).rejects.toMatchObject({
      code: 'STATE_FILE_LOCKED',
      message: expect.stringContaining(`process ${holder.process.pid} on ${hostname()}`) as string,
      next: expect.stringContaining(`${file()}.lock`) as string,
    });
    holder.process.kill('SIGKILL');
    await holder.ended;
    expect(await withLock(file(), async () => 'in', { waitMs: 100 })).toBe('in');
  });

  it('remove what a killed writer left unfinished', async () => {
    const holder = start(child, ['hold', file()]);
    await holder.firstWord;
    writeFileSync(join(folder, `.x.json.${holder.process.pid}-0123456789ab.tmp`), 'half');
    writeFileSync(join(folder, `.x.json.1-0123456789ab.tmp`), 'of another');
    holder.process.kill('SIGKILL');
    await holder.ended;
    await updateFile(file(), () => 'new');
    expect(readdirSync(folder).toSorted()).toEqual(['.x.json.1-0123456789ab.tmp', 'x.json']);
  });
});

describe('a lock', () => {
  it('keeps two users in one process apart, and is gone afterwards', async () => {
    const order: string[] = [];
    const use = (name: string) =>
      withLock(file(), async () => {
        order.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`${name} out`);
      });
    await Promise.all([use('a'), use('b'), use('c')]);
    for (let index = 0; index < order.length; index += 2)
      expect(order[index + 1]).toBe(order[index]?.replace('in', 'out'));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('belongs to the file, whichever link leads to it', async () => {
    mkdirSync(join(folder, 'inner'));
    symlinkSync('inner/real', join(folder, 'link'));
    await updateFile(join(folder, 'link'), async () => {
      expect(existsSync(join(folder, 'inner/real.lock/holder.json'))).toBe(true);
      return 'x';
    });
  });

  it.each([
    ['was given the id of another process', { ...me(), started: '1', token: 'old' }],
    ['ended', { ...me(), pid: 2 ** 22 + 1, token: 'old' }],
  ])('is taken at once from a process that %s', async (_, holder) => {
    leaveLock(holder);
    expect(await withLock(file(), (lock) => lock.isHeld(), { waitMs: 0 })).toBe(true);
  });

  it.each([
    ['on another machine', { ...me(), host: 'elsewhere', token: 'old' }],
    ['in another container', { ...me(), pid: 2 ** 22 + 1, namespace: 'pid:[1]', token: 'old' }],
    ['that wrote nothing readable', '{'],
  ])('of a process %s is taken only when it has been silent for too long', async (_, holder) => {
    leaveLock(holder);
    await expect(withLock(file(), async () => 'in', { waitMs: 50 })).rejects.toMatchObject({
      code: 'STATE_FILE_LOCKED',
    });
    utimesSync(`${file()}.lock`, new Date(0), new Date(0));
    expect(await withLock(file(), async () => 'in')).toBe('in');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that goes from one process to the next is waited for longer than for one that keeps it', async () => {
    const hold = (turn: number) => {
      writeFileSync(join(folder, 'draft'), JSON.stringify({ ...me(), token: `turn ${turn}` }));
      renameSync(join(folder, 'draft'), `${file()}.lock/holder.json`);
    };
    mkdirSync(`${file()}.lock`);
    hold(0);
    const waitMs = 1_000;
    const waiting = withLock(file(), async () => 'in', { waitMs }).catch(String);
    for (let turn = 1, started = Date.now(); Date.now() - started < 2 * waitMs; turn++) {
      hold(turn);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    rmSync(`${file()}.lock`, { recursive: true });
    expect(await waiting).toBe('in');
  });

  it('that is a plain file, as older versions made them, is taken when it is old', async () => {
    writeFileSync(`${file()}.lock`, '{}');
    await expect(withLock(file(), async () => 'in', { waitMs: 50 })).rejects.toMatchObject({
      code: 'STATE_FILE_LOCKED',
    });
    utimesSync(`${file()}.lock`, new Date(0), new Date(0));
    expect(await withLock(file(), async () => 'in')).toBe('in');
  });

  it('that was lost is noticed by its holder and left to the new one', async () => {
    const other = { ...me(), token: 'other' };
    await withLock(file(), async (lock) => {
      rmSync(`${file()}.lock`, { recursive: true });
      leaveLock(other);
      expect(await lock.isHeld()).toBe(false);
    });
    expect(JSON.parse(readFileSync(`${file()}.lock/holder.json`, 'utf8'))).toEqual(other);
  });

  it('that was lost makes the change begin again, so that the change of the other process stays', async () => {
    writeFileSync(file(), 'a');
    let calls = 0;
    await updateFile(file(), (text) => {
      if (calls++ === 0) {
        // What a process does that believes this one to be gone.
        rmSync(`${file()}.lock`, { recursive: true });
        writeFileSync(file(), 'a b');
      }
      return `${text} c`;
    });
    expect([calls, readFileSync(file(), 'utf8')]).toEqual([2, 'a b c']);
  });

  it('is released when the work fails', async () => {
    await expect(withLock(file(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that the same work takes again is refused at once, but not that of another file or of later work', async () => {
    await withLock(file(), async () => {
      await expect(withLock(file(), async () => 'in')).rejects.toMatchObject({ code: 'STATE_FILE_LOCKED_TWICE' });
      await expect(updateFile(file(), () => 'in')).rejects.toMatchObject({ code: 'STATE_FILE_LOCKED_TWICE' });
      expect(await withLock(`${file()}.other`, async () => 'in')).toBe('in');
    });
    let later: Promise<string> | undefined;
    await withLock(file(), async () => {
      const wait = new Promise((resolve) => setTimeout(resolve, 50));
      later = wait.then(() => withLock(file(), async () => 'later'));
    });
    expect(await later).toBe('later');
  });

  it('is no longer waited for when the waiting is cancelled', async () => {
    leaveLock({ ...me(), token: 'live' });
    const stop = new AbortController();
    const waiting = withLock(file(), async () => 'in', { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await expect(withLock(file(), async () => 'in', { signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
