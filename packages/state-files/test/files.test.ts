import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changeRecord,
  createFile,
  errors,
  readState,
  readStateSync,
  makeFolders,
  makeFoldersSync,
  readText,
  recordForm,
  replaceFile,
  replaceFileSync,
  stageFile,
  updateFile,
  updateState,
} from '../src/index.ts';
import { buildChild, start } from './support/processes.ts';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-state-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (...names: string[]) => join(folder, ...names);
const mode = (path: string) => statSync(path).mode & 0o777;

describe('folders for a file', () => {
  it('are made as far as they lack, through links too, by several at once', async () => {
    symlinkSync('real', at('link'));
    mkdirSync(at('real'));
    await Promise.all(['a/b/c', 'a/b/d', 'a/b/c', 'link/e/f', '.'].map((name) => makeFolders(at(name))));
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
      expect.arrayContaining(['a', 'a/b', 'a/b/c', 'a/b/d', 'link', 'real', 'real/e', 'real/e/f']),
    );
    writeFileSync(at('file'), '');
    await expect(makeFolders(at('file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolders(at('file/x/y'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.runIf(process.platform === 'linux')('fail where nothing can be made, with the reason', async () => {
    // Node's own recursive mkdir never ends here.
    await expect(makeFolders('/proc/no-such/folder')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => makeFoldersSync('/proc/no-such/folder')).toThrow('ENOENT');
    await expect(replaceFile('/proc/no-such/folder/file', '')).rejects.toMatchObject({ code: 'STATE_FILE_UNWRITABLE' });
    expect(() => replaceFileSync('/proc/no-such/folder/file', '')).toThrow(/ENOENT/);
  });
});

describe('a file that is replaced', () => {
  it('is for its owner alone, and so are folders that are made for it', async () => {
    await replaceFile(at('a/b/x'), 'one');
    expect([mode(at('a/b/x')), mode(at('a/b')), mode(at('a'))]).toEqual([0o600, 0o700, 0o700]);
    chmodSync(at('a/b/x'), 0o644);
    replaceFileSync(at('a/b/x'), Buffer.from('two'));
    expect([mode(at('a/b/x')), readFileSync(at('a/b/x'), 'utf8')]).toEqual([0o600, 'two']);
    expect(readdirSync(at('a/b'))).toEqual(['x']);
  });

  it('keeps its mode where people edit it, and gets the wanted one where it is new', async () => {
    writeFileSync(at('x'), '');
    chmodSync(at('x'), 0o664);
    await replaceFile(at('x'), 'one', { keepMode: true });
    await replaceFile(at('shared/y'), 'one', { keepMode: true, mode: 0o644, folderMode: 0o755 });
    expect([mode(at('x')), mode(at('shared/y')), mode(at('shared'))]).toEqual([0o664, 0o644, 0o755]);
  });

  it('is the one behind a link, also when the link leads to nothing yet; on demand the link itself', async () => {
    symlinkSync('dotfiles/x', at('link'));
    await replaceFile(at('link'), 'one');
    expect([readlinkSync(at('link')), readFileSync(at('dotfiles/x'), 'utf8')]).toEqual(['dotfiles/x', 'one']);
    await replaceFile(at('link'), 'two', { followLinks: false });
    expect(lstatSync(at('link')).isFile()).toBe(true);
    expect(readFileSync(at('dotfiles/x'), 'utf8')).toBe('one');
    symlinkSync('circle', at('circle'));
    await expect(replaceFile(at('circle'), 'x')).rejects.toMatchObject({ code: 'STATE_FILE_UNWRITABLE' });
  });

  it('stays as it was when it would outgrow the limit of the process, also under a lock', async () => {
    const child = await buildChild(folder);
    writeFileSync(at('x'), 'one');
    const limited = ['-c', 'ulimit -f 8 && exec "$@"', 'bash', process.execPath, child, 'outgrow', at('x'), '100000'];
    const { status, signal, stdout } = spawnSync('bash', limited, { encoding: 'utf8' });
    expect([status, signal, stdout]).toEqual([0, null, expect.stringMatching(/EFBIG/)]);
    expect([readFileSync(at('x'), 'utf8'), readdirSync(folder).filter((name) => name.endsWith('.tmp'))]).toEqual([
      'one',
      [],
    ]);
  });

  it('may have the longest name that the system allows', async () => {
    const name = '名'.repeat(85);
    await replaceFile(at(name), 'one');
    replaceFileSync(at(name), 'two');
    expect([readdirSync(folder), readFileSync(at(name), 'utf8')]).toEqual([[name], 'two']);
  });

  it('is made by the first who tries, whole and private', async () => {
    expect([createFile(at('a/key'), 'one'), createFile(at('a/key'), 'two')]).toEqual([true, false]);
    expect([readFileSync(at('a/key'), 'utf8'), mode(at('a/key')), readdirSync(at('a'))]).toEqual([
      'one',
      0o600,
      ['key'],
    ]);
    for (const write of [createFile, replaceFileSync])
      expect(() => write(at('a/key/inside'), 'x')).toThrow('cannot be written');
    await expect(replaceFile(at('a/key/inside'), 'x')).rejects.toMatchObject({ code: 'STATE_FILE_UNWRITABLE' });
  });

  it('stays as it is when the new content cannot be put in place', async () => {
    mkdirSync(at('x/inside'), { recursive: true });
    await expect(replaceFile(at('x'), 'one')).rejects.toMatchObject({ code: 'STATE_FILE_UNWRITABLE' });
    expect(() => replaceFileSync(at('x'), 'one')).toThrow('cannot be written');
    expect([readdirSync(folder), readdirSync(at('x'))]).toEqual([['x'], ['inside']]);
  });

  it('gives a coded error in a folder that may not be written to', async () => {
    const child = await buildChild(at('program'));
    mkdirSync(at('closed'));
    writeFileSync(at('closed/x'), 'old');
    chmodSync(at('closed'), 0o555);
    chmodSync(folder, 0o755);
    // Root may write everywhere, so that the work is done as another user.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    for (const work of ['write', 'lock', 'append']) {
      const { code, said } = await start(child, [work, at('closed/x'), '1'], uid).ended;
      expect([work, code, JSON.parse(said)]).toMatchObject([work, 1, { code: 'STATE_FILE_UNWRITABLE' }]);
    }
    expect([readdirSync(at('closed')), readFileSync(at('closed/x'), 'utf8')]).toEqual([['x'], 'old']);
  });

  it('can be made ready and put in place later, or not at all', async () => {
    async function* pieces() {
      yield Buffer.from('a');
      yield Buffer.from('b');
    }
    writeFileSync(at('x'), 'old');
    const staged = await stageFile(at('x'), pieces(), { mode: 0o640, exact: true });
    expect(readFileSync(at('x'), 'utf8')).toBe('old');
    await staged.commit();
    expect([readFileSync(at('x'), 'utf8'), mode(at('x'))]).toEqual(['ab', 0o640]);
    await (await stageFile(at('x'), 'never', { mode: 0o600 })).discard();
    async function* failing() {
      yield Buffer.from('a');
      throw new Error('no more');
    }
    await expect(stageFile(at('x'), failing(), { mode: 0o600 })).rejects.toThrow('no more');
    expect([readFileSync(at('x'), 'utf8'), readdirSync(folder)]).toEqual(['ab', ['x']]);
  });
});

describe('reading', () => {
  it('gives nothing where there is no file, and says what is wrong with one that is none', async () => {
    expect([await readText(at('x')), await readText(at('x/y'))]).toEqual([undefined, undefined]);
    await expect(readText(folder)).rejects.toMatchObject({ code: 'STATE_FILE_UNREADABLE' });
    await expect(readText('/dev/zero')).rejects.toThrow('it is not a regular file');
    writeFileSync(at('x'), 'ab\nc\xff', 'latin1');
    await expect(readText(at('x'))).rejects.toThrow(':2:2: the file is not valid UTF-8');
    await expect(readText(at('x'), 4)).rejects.toThrow('it is larger than 4 bytes');
  });
});

describe('an update', () => {
  it('sees what is there, and leaves the file alone when it changes nothing', async () => {
    await updateFile(at('x'), (text) => `${text}!`);
    const { ino } = statSync(at('x'));
    await updateFile(at('x'), (text) => text);
    await updateFile(at('x'), () => undefined);
    expect([readFileSync(at('x'), 'utf8'), statSync(at('x')).ino]).toEqual(['undefined!', ino]);
    await updateFile(at('y'), () => undefined);
    expect(existsSync(at('y'))).toBe(false);
  });
});

describe('records', () => {
  const form = recordForm<{ readonly state: string }>({
    version: 1,
    section: 'things',
    problem: (name, record) => (record?.state ? undefined : `"${name}" has no state`),
    damaged: (file, reason, cause) => errors.create('STATE_FILE_UNREADABLE', { file, reason }, cause),
  });

  it('are changed one at a time, and nothing is lost when many do it at once', async () => {
    expect([readStateSync(at('x'), form), await readState(at('x'), form)]).toEqual([{}, {}]);
    const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
    await Promise.all(names.map((name) => changeRecord(at('x'), form, name, () => ({ state: name }))));
    expect(Object.keys(readStateSync(at('x'), form)).toSorted()).toEqual(names.toSorted());
    expect(await changeRecord(at('x'), form, 'r0', async () => undefined)).toBeUndefined();
    expect(await changeRecord(at('x'), form, 'r1', (record) => ({ state: `${record?.state}+` }))).toEqual({
      state: 'r1+',
    });
    expect(Object.keys(readStateSync(at('x'), form))).toHaveLength(19);
  });

  it.each([
    ['{', 'JSON'],
    ['null', 'its version is undefined, not 1'],
    ['{ "version": 2 }', 'its version is 2, not 1'],
    ['{ "version": 1 }', 'it has no "things"'],
    ['{ "version": 1, "things": { "a": {} } }', '"a" has no state'],
  ])('in a damaged file (%s) are an error, and the file stays', async (text, reason) => {
    writeFileSync(at('x'), text);
    expect(() => readStateSync(at('x'), form)).toThrow(reason);
    await expect(changeRecord(at('x'), form, 'a', () => ({ state: 's' }))).rejects.toThrow(reason);
    expect(readFileSync(at('x'), 'utf8')).toBe(text);
  });

  it('start anew where that is wanted, and the damaged file is kept and reported', async () => {
    writeFileSync(at('x'), '{ "version": 1, "thi');
    const notices: string[] = [];
    const onSetAside = ({ message }: Error) => void notices.push(message);
    await updateState(at('x'), form, (now) => ({ ...now, a: { state: 's' } }), { onSetAside });
    const [kept = ''] = readdirSync(folder).filter((name) => name.startsWith('x.damaged-'));
    expect(readFileSync(at(kept), 'utf8')).toBe('{ "version": 1, "thi');
    expect(readStateSync(at('x'), form)).toEqual({ a: { state: 's' } });
    expect(notices).toEqual([expect.stringContaining(`It is kept as ${at(kept)}`)]);
  });
});
