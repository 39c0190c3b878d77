import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../src/api.ts';
import { createArchives } from '../src/archive/archives.ts';
import { folder, python, signal, zipOf } from '@tenon/test-kit/office-files';

const archives = createArchives();
let made: ReturnType<typeof folder>;
beforeEach(() => void (made = folder()));
afterEach(() => made.remove());

const MAKE_ZIP = `
import zipfile, sys
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('readme.md', 'hello\\n')
    z.writestr('src/', '')
    z.writestr('src/ü.txt', 'umlaut ' * 1000)
    z.writestr(zipfile.ZipInfo('stored.bin'), bytes(range(256)))
    z.comment = b'kept'
`;
const LIST_ZIP = `
import zipfile, sys
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for i in z.infolist(): print(i.filename, i.file_size, oct(i.external_attr >> 16))
print(z.comment.decode())
`;

async function content(archive: Archive, name: string): Promise<string> {
  const entry = archive.entries.find((one) => one.name === name);
  if (!entry) throw new Error(`no ${name}`);
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(entry, signal)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

describe('zip files', () => {
  it('are listed and read as other programs made them', async () => {
    python(MAKE_ZIP, made.file('a.zip'));
    const archive = await archives.open(made.file('a.zip'), { signal });
    expect(archive.entries.map(({ name, size, kind }) => [name, size, kind])).toEqual([
      ['readme.md', 6, 'file'],
      ['src', 0, 'folder'],
      ['src/ü.txt', 7000, 'file'],
      ['stored.bin', 256, 'file'],
    ]);
    expect(await content(archive, 'src/ü.txt')).toBe('umlaut '.repeat(1000));
    expect(await content(archive, 'readme.md')).toBe('hello\n');
    await archive.close();
  });

  it('with 64-bit records are read', async () => {
    python(
      `import zipfile,sys
with zipfile.ZipFile(sys.argv[1],'w') as z:
    with z.open('big.txt','w',force_zip64=True) as f: f.write(b'large')
    for i in range(70000): z.writestr(str(i),'')`,
      made.file('a.zip'),
    );
    const archive = await archives.open(made.file('a.zip'), { signal });
    expect(archive.entries).toHaveLength(70_001);
    expect(await content(archive, 'big.txt')).toBe('large');
    await archive.close();
    await expect(archives.put(made.file('a.zip'), { name: 'x', content: Buffer.from('') }, { signal })).rejects.toThrow(
      /65,000 entries/,
    );
  });

  it('get entries added and replaced; the others stay byte for byte, also what a program needs to know about them', async () => {
    python(MAKE_ZIP, made.file('a.zip'));
    chmodSync(made.file('a.zip'), 0o640);
    symlinkSync('a.zip', made.file('link.zip'));
    await archives.put(made.file('link.zip'), { name: 'readme.md', content: Buffer.from('new\n') }, { signal });
    await archives.put(
      made.file('a.zip'),
      { name: 'deep/er/new.txt', content: Buffer.from('x'.repeat(5000)) },
      { signal },
    );
    expect(python(LIST_ZIP, made.file('a.zip')).trim().split('\n')).toEqual([
      'src/ 0 0o40775',
      'src/ü.txt 7000 0o600',
      'stored.bin 256 0o600',
      'readme.md 4 0o600',
      'deep/er/new.txt 5000 0o100644',
      'kept',
    ]);
    expect(statSync(made.file('a.zip')).mode & 0o777).toBe(0o640);
    expect(readdirSync(made.path).sort()).toEqual(['a.zip', 'link.zip']);
  });

  it('never name anything outside of themselves', async () => {
    python(
      `import zipfile,sys
with zipfile.ZipFile(sys.argv[1],'w') as z:
    for n in ['../evil','/etc/passwd','a/../../b','C:/x','ok/./fine.txt']: z.writestr(n,'x')`,
      made.file('a.zip'),
    );
    const archive = await archives.open(made.file('a.zip'), { signal });
    expect(archive.entries.map(({ name }) => name)).toEqual(['ok/fine.txt']);
    expect(archive.notes).toEqual(['4 entries with names that lead out of the archive are not shown']);
    await archive.close();
    for (const name of ['../x', '/x', 'a/../..', '', 'dir/']) {
      await expect(
        archives.put(made.file('a.zip'), { name, content: Buffer.alloc(0) }, { signal }),
      ).rejects.toMatchObject({
        code: 'DOCUMENTS_ARCHIVE_NAME',
      });
    }
  });

  it('that claim less than they unpack to are stopped there', async () => {
    const bomb = await zipOf({ 'bomb.txt': Buffer.alloc(10_000_000, 65) });
    // The size in the table of contents says 1000 bytes.
    const at = bomb.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bomb.writeUInt32LE(1000, at + 24);
    const archive = await archives.open(bomb, { signal });
    await expect(content(archive, 'bomb.txt')).rejects.toThrow(/more in it than the archive says/);
  });

  it('that are damaged say so', async () => {
    const zip = await zipOf({ 'a.txt': 'some text that is long enough to be packed '.repeat(20) });
    const broken = Buffer.from(zip);
    broken.fill(0xff, 45, 60);
    await expect(content(await archives.open(broken, { signal }), 'a.txt')).rejects.toMatchObject({
      code: 'DOCUMENTS_ARCHIVE_ENTRY',
    });
    await expect(archives.open(zip.subarray(0, -30), { signal })).rejects.toThrow(/cut off/);
    await expect(archives.open(Buffer.from('hello world'), { signal })).rejects.toThrow(/neither zip nor tar/);
  });
});

describe.each(['tar', 'tar.gz'])('%s files', (extension) => {
  const long = `${'folder/'.repeat(20)}file.txt`;
  const make = (format: string) => {
    execFileSync('mkdir', ['-p', `x/${'folder/'.repeat(20)}`], { cwd: made.path });
    writeFileSync(made.file(`x/${long}`), 'far down\n');
    writeFileSync(made.file('x/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('run.sh', made.file('x/link'));
    const flags = extension === 'tar' ? '-cf' : '-czf';
    execFileSync('tar', [`--format=${format}`, flags, `../a.${extension}`, 'run.sh', 'link', 'folder'], {
      cwd: made.file('x'),
    });
  };

  it.each(['gnu', 'pax', 'ustar'])('of the dialect %s are listed and read', async (format) => {
    make(format);
    const archive = await archives.open(made.file(`a.${extension}`), { signal });
    expect(archive.kind).toBe(extension === 'tar' ? 'tar' : 'tgz');
    expect(archive.entries.find(({ name }) => name === 'link')?.kind).toBe('link');
    expect(await content(archive, long)).toBe('far down\n');
    await archive.close();
  });

  it('get entries added and replaced, and real tar agrees', async () => {
    make('gnu');
    const file = made.file(`a.${extension}`);
    await archives.put(file, { name: 'run.sh', content: Buffer.from('#!/bin/bash\n') }, { signal });
    await archives.put(
      file,
      { name: `${'n'.repeat(90)}/${'m'.repeat(90)}é.txt`, content: Buffer.from('named\n') },
      { signal },
    );
    execFileSync('mkdir', ['out'], { cwd: made.path });
    execFileSync('tar', ['-xf', file, '-C', made.file('out')]);
    expect(readFileSync(made.file('out/run.sh'), 'utf8')).toBe('#!/bin/bash\n');
    expect(statSync(made.file('out/run.sh')).mode & 0o777).toBe(0o755);
    expect(readFileSync(made.file(`out/${'n'.repeat(90)}/${'m'.repeat(90)}é.txt`), 'utf8')).toBe('named\n');
    expect(readFileSync(made.file(`out/${long}`), 'utf8')).toBe('far down\n');
  });

  it('are made when they do not exist', async () => {
    const file = made.file(`new.${extension}`);
    expect(await archives.put(file, { name: 'a.txt', content: Buffer.from('x\n') }, { signal })).toEqual({
      created: true,
    });
    expect(execFileSync('tar', ['-xOf', file, 'a.txt'], { encoding: 'utf8' })).toBe('x\n');
  });
});

describe('gzip files', () => {
  it('that are no tar show the file inside', async () => {
    const archive = await archives.open(made.file('log.txt.gz', gzipSync('line\n'.repeat(10))), { signal });
    expect(archive.entries).toEqual([{ name: 'log.txt', size: 50, kind: 'file' }]);
    expect(await content(archive, 'log.txt')).toBe('line\n'.repeat(10));
    await archive.close();
  });

  it('that are cut off say so', async () => {
    const packed = gzipSync(Buffer.alloc(100_000, 'abc'));
    const archive = await archives.open(packed.subarray(0, -20), { signal });
    await expect(content(archive, 'content')).rejects.toMatchObject({ code: 'DOCUMENTS_ARCHIVE' });
  });
});

describe('an archive that somebody else changes meanwhile', () => {
  it('is left to them', async () => {
    python(MAKE_ZIP, made.file('a.zip'));
    const big = Buffer.alloc(40_000_000, 7);
    const putting = archives.put(made.file('a.zip'), { name: 'big', content: big }, { signal });
    while (readdirSync(made.path).length === 1) await new Promise((resolve) => setTimeout(resolve, 1));
    renameSync(made.file('theirs', 'theirs'), made.file('a.zip'));
    await expect(putting).rejects.toThrow(/somebody else changed it/);
    expect(readFileSync(made.file('a.zip'), 'utf8')).toBe('theirs');
    expect(readdirSync(made.path)).toEqual(['a.zip']);
  });
});
