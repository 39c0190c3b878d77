/** What must not hurt: files, folders and things that are too large, too strange or not ours. Each gets a clear answer in bounded memory. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python } from '@tenon/test-kit/office-files';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';

const MB = 1024 * 1024;
let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench(['file-tools', 'documents']);
  // Whatever is loaded on first use is no growth of the calls below.
  bench.put('warm.ts', 'const a = 1;\n'.repeat(400));
  await bench.ok('read', { path: 'warm.ts' });
});
afterAll(() => bench.dispose());

/** The call's text, once it is sure that it took little memory and gave little text. */
async function bounded(path: string, { fails = false, growth = 64 * MB } = {}): Promise<string> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  const result = await bench.run('read', { path });
  const grown = process.memoryUsage().rss - before;
  expect(grown, `growth while reading ${path}`).toBeLessThan(growth);
  expect(result.isError ?? false).toBe(fails);
  const text = textOf(result);
  expect(Buffer.byteLength(text)).toBeLessThan(60 * 1024);
  return text;
}

describe('large files', () => {
  it('of a million lines show their start, any range, and their end', async () => {
    const file = openSync(bench.path('million.log'), 'w');
    const rows = (from: number) =>
      Array.from({ length: 50_000 }, (_, row) => `entry ${from + row + 1} of a log\n`).join('');
    for (let block = 0; block < 20; block++) writeSync(file, rows(block * 50_000));
    closeSync(file);
    expect(await bounded('million.log')).toMatch(
      /^1[a-z]{2}\|entry 1 of a log\n[^]*Use million\.log:501 to continue\.\]$/,
    );
    expect(await bounded('million.log:999999-1000000:raw')).toBe('entry 999999 of a log\nentry 1000000 of a log');
    expect(await bounded('million.log:1000001')).toMatch(/past the end .* 1000000 lines/);
    expect(await bounded('million.log:1-999999999')).toMatch(/to continue/);
  });

  it('of two gigabytes of nothing are binary, found out at once', async () => {
    const file = openSync(bench.path('sparse.img'), 'w');
    ftruncateSync(file, 2 * 1024 * MB);
    closeSync(file);
    expect(await bounded('sparse.img', { fails: true, growth: 16 * MB })).toMatch(/binary file \(2\.0GB\)/);
  });

  it('of two gigabytes with text in front give that text and nothing more', async () => {
    const file = openSync(bench.path('tail.txt'), 'w');
    writeSync(file, `${'text at the start\n'.repeat(1000)}`);
    ftruncateSync(file, 2 * 1024 * MB);
    closeSync(file);
    expect(await bounded('tail.txt:1-3:raw')).toBe('text at the start\n'.repeat(3).trimEnd());
    // The hole is one line without end; a part of it is enough.
    expect(await bounded('tail.txt:1001:raw')).toMatch(/^<\d+ zero bytes>/);
  });

  it('of one endless line are cut', async () => {
    writeFileSync(bench.path('line.json'), `[${'"x",'.repeat(8_000_000)}]`);
    expect(await bounded('line.json')).toMatch(/characters are cut/);
  });

  it('of junk are binary, and of almost text are shown with marks where they are not', async () => {
    bench.put('junk.dat', Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 256)));
    bench.put('latin1.txt', Buffer.from('caf\xe9 \xff\xfe ok\nsecond\n', 'latin1'));
    bench.put('mixed.txt', Buffer.concat([Buffer.from('é'), Buffer.from([0xff]), Buffer.from(' ok\n')]));
    expect(await bounded('junk.dat', { fails: true })).toMatch(/binary file \(195\.3KB\).*xxd/);
    expect(await bounded('latin1.txt:raw')).toBe('café ÿþ ok\nsecond');
    expect(await bounded('latin1.txt')).toMatch(/^1[a-z]{2}\|café/);
    expect(await bounded('mixed.txt:raw')).toBe('é\uFFFD ok');
    expect(await bounded('mixed.txt')).toMatch(/^1[a-z]{2}\|é\uFFFD/);
  });

  it('in Latin-1 are shown as such, however large they are', async () => {
    writeFileSync(bench.path('latin1.log'), Buffer.from('caf\xe9 au lait\n'.repeat(1_500_000), 'latin1'));
    expect(await bounded('latin1.log:1400000-1400001:raw')).toBe('café au lait\ncafé au lait');
    expect(await bounded('latin1.log')).toMatch(/^1[a-z]{2}\|café au lait\n/);
    // A cut through a character does not make another encoding of UTF-8.
    writeFileSync(bench.path('wide.json'), `x${'é'.repeat(10 * MB)}`);
    expect(await bounded('wide.json')).toMatch(/^1\|xé+…?/);
  });

  it('that grow faster than they are read come to an end', async () => {
    const path = bench.path('growing.log');
    writeFileSync(path, 'line of a log that grows\n'.repeat(800_000));
    const writer = spawn(
      process.execPath,
      [
        '-e',
        `const fs=require('fs');const f=fs.openSync(process.argv[1],'a');const b='more\\n'.repeat(20000);console.log('ready');const t=Date.now();while(Date.now()-t<4000)fs.writeSync(f,b)`,
        path,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    try {
      await once(writer.stdout, 'data');
      const before = statSync(path).size;
      expect(await bounded('growing.log:99999999')).toMatch(/past the end/);
      expect(statSync(path).size).toBeGreaterThan(before);
    } finally {
      writer.kill('SIGKILL');
    }
  });
});

describe('large folders', () => {
  it('of a hundred thousand entries are shown by the page', async () => {
    mkdirSync(bench.path('crowd'));
    // Hard links are the quickest way to many names.
    python(
      `import os,sys
os.chdir(sys.argv[1]); open('e000000','w').close()
n=0; base='e000000'
for i in range(1,100000):
    if i % 30000 == 0: base='e%06d' % i; open(base,'w').close(); continue
    os.link(base,'e%06d' % i)`,
      bench.path('crowd'),
    );
    const text = await bounded('crowd', { growth: 96 * MB });
    expect(text).toMatch(
      /^e000000\n[^]*e000499\n\[99500 more entries\. Use crowd:501 to continue, or find with a pattern\.\]$/,
    );
    expect(await bounded('crowd:99999-100000', { growth: 96 * MB })).toBe('e099998\ne099999');
  });
});

describe('things that are no files', () => {
  it('are turned away before anything blocks', async () => {
    execFileSync('mkfifo', [bench.path('pipe')]);
    symlinkSync('pipe', bench.path('to-pipe'));
    symlinkSync('loop', bench.path('loop'));
    const server = createServer().listen(bench.path('socket'));
    await once(server, 'listening');
    expect(await bounded('pipe', { fails: true })).toMatch(/is a pipe/);
    expect(await bounded('to-pipe:1-5', { fails: true })).toMatch(/is a pipe/);
    expect(await bounded('socket', { fails: true })).toMatch(/is a socket/);
    expect(await bounded('/dev/zero', { fails: true })).toMatch(/is a device/);
    expect(await bounded('loop', { fails: true })).toMatch(/ELOOP/);
    server.close();
  });

  it('but claim to be, like those of the kernel, are read as far as they go', async () => {
    expect(await bounded('/proc/self/status')).toMatch(/\|Name:/);
  });

  it('are not even opened when they may not be', async () => {
    bench.put('secret.txt', 'x');
    mkdirSync(bench.path('closed'));
    chmodSync(bench.path('secret.txt'), 0o000);
    chmodSync(bench.path('closed'), 0o000);
    // Root may read everything, so that another user has to try.
    const read = (path: string) => asNobody(() => bench.run('read', { path }));
    expect(textOf(await read('secret.txt'))).toMatch(/Cannot read secret\.txt: EACCES.*Check its permissions/);
    expect(textOf(await read('closed'))).toMatch(/Cannot read closed: EACCES/);
    chmodSync(bench.path('closed'), 0o700);
  });
});

/** Runs something with the rights of nobody when this process has all rights. */
async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  chmodSync(bench.home, 0o755);
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}
