import { foldersIn, startKernel } from '@tenon/test-kit/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { documents as documentsToken } from '@tenon/documents/api';
import { pluginContract } from '@tenon/kernel/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { surroundings } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import type { HtmlConverter } from '../src/page/html-converter.ts';
import { htmlToMarkdown } from '../src/page/html-to-markdown.ts';
import { type FakeWeb, html, openFakeWeb } from './fake-web.ts';
import { openWebBench, textOf, type WebBench, withoutKeys } from './web-bench.ts';

const { signal } = new AbortController();
let web: FakeWeb;
let bench: WebBench;
let restore: () => void;
beforeAll(async () => {
  restore = withoutKeys();
  web = await openFakeWeb();
  bench = await openWebBench({ allowHosts: [web.host] });
});
afterAll(async () => {
  await bench.dispose();
  await web.close();
  restore();
});

let session = 0;
/** Every reading with a session of its own, so that nothing is kept from the one before. */
const read = (path: string, raw = false) =>
  bench.reader.read(web.origin + path, { signal, session: `s${session++}`, raw });
const prose = 'The quick brown fox jumps over the lazy dog, and does so with remarkable grace and speed. '.repeat(12);
const article = `<!doctype html><html><head><title>Foxes - Site</title></head><body><nav><a href="/">Home</a> <a href="/x">Other</a></nav>
<article><h1>Foxes</h1><p>${prose}</p><p>See <a href="../more?a=1&amp;b=2">more</a> and <a href="#here">below</a>.</p>
<pre><code class="language-ts">const fox = 1;
const dog = 2;</code></pre>
<table><thead><tr><th>Name</th><th>Legs</th></tr></thead><tbody><tr><td>Fox</td><td>4 | 5</td></tr></tbody></table>
<p><img src="/fox.png" alt="A fox"><img src="/pixel.gif"></p><script>track()</script><p>${prose}</p></article>
<footer>Cookies</footer></body></html>`;

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    await pluginContract({ source, plugin, others: await surroundings() });
  });
});

describe('pages in HTML', () => {
  it('become articles in Markdown', async () => {
    web.rules.set('/blog/foxes', html(article));
    const page = await read('/blog/foxes');
    expect(page).toMatchObject({
      method: 'readability',
      contentType: 'text/html',
      finalUrl: `${web.origin}/blog/foxes`,
    });
    expect(page.text).toContain('quick brown fox');
    expect(page.text).toContain(`[more](${web.origin}/more?a=1&b=2) and below`);
    expect(page.text).toContain('```ts\nconst fox = 1;\nconst dog = 2;\n```');
    expect(page.text).toContain('| Name | Legs |\n| --- | --- |\n| Fox | 4 \\| 5 |');
    expect(page.text).toContain(`![A fox](${web.origin}/fox.png)`);
    expect(page.text).not.toMatch(/Cookies|track|Home|pixel/);
  });

  it('are asked for as Markdown first', async () => {
    web.rules.set('/negotiated', ({ headers }) =>
      headers.accept?.startsWith('text/markdown')
        ? { body: '# As Markdown', headers: { 'content-type': 'text/markdown' } }
        : html(article),
    );
    expect(await read('/negotiated')).toMatchObject({ method: 'content-negotiation', text: '# As Markdown' });
    expect((await read('/negotiated', true)).text).toContain('<article>');
  });

  it('are read as the Markdown that they point to', async () => {
    const head = article.replace(
      '</head>',
      '<link rel="alternate" type="text/markdown" href="/docs/a.md?x=1&amp;y=2"></head>',
    );
    web.rules.set('/docs/a', html(head));
    web.rules.set('/docs/a.md?x=1&y=2', { body: '# Alternate', headers: { 'content-type': 'text/markdown' } });
    expect(await read('/docs/a')).toMatchObject({
      method: 'alternate-markdown',
      text: '# Alternate',
      finalUrl: `${web.origin}/docs/a.md?x=1&y=2`,
    });
  });

  it('are read as the Markdown that lies beside them, and a site without is not asked twice', async () => {
    const other = await openFakeWeb({
      '/guide/': html(article),
      '/guide.md': { body: '# Beside', headers: { 'content-type': 'text/markdown; charset=utf-8' } },
    });
    const without = await openFakeWeb({ '/one': html(article), '/two': html(article) });
    const own = await openWebBench({ allowHosts: [other.host, without.host] });
    expect(await own.reader.read(`${other.origin}/guide/`, { signal })).toMatchObject({
      method: 'md-suffix',
      text: '# Beside',
    });
    await own.reader.read(`${without.origin}/one`, { signal });
    await own.reader.read(`${without.origin}/two`, { signal });
    expect(without.asked.map(({ url }) => url)).toEqual(['/one', '/one.md', '/two']);
    await Promise.all([own.dispose(), other.close(), without.close()]);
  });

  it('without text give way to what the site offers to programs', async () => {
    const shell =
      '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="a.js"></script></body></html>';
    web.rules.set('/app', html(shell));
    expect(await read('/app')).toMatchObject({ notes: [expect.stringContaining('browser')] });
    web.rules.set('/llms.txt', { body: '# Site\n\n- [Docs](/docs.md)' });
    expect(await read('/app')).toMatchObject({ method: 'llms.txt', finalUrl: `${web.origin}/llms.txt` });
    web.rules.delete('/llms.txt');
    web.rules.set(
      '/news',
      html(shell.replace('</head>', '<link rel=alternate type="application/rss+xml" href="/news.xml"></head>')),
    );
    web.rules.set('/news.xml', { body: rss, headers: { 'content-type': 'application/rss+xml' } });
    expect(await read('/news')).toMatchObject({ method: 'feed-alternate' });
  });

  it('that are short but whole are taken as they are', async () => {
    web.rules.set('/short', html('<html><body><h1>Hello</h1><p>Only a line.</p></body></html>'));
    expect(await read('/short')).toMatchObject({ method: 'html', text: '# Hello\n\nOnly a line.', notes: [] });
  });

  it('never break the conversion', () => {
    for (const odd of [
      '',
      '<',
      '<html>',
      '<table><tr><td>',
      '<p>'.repeat(3000),
      '<div>'.repeat(20000) + 'deep',
      '<b>'.repeat(20000),
      '<!doctype html><title>T</title><p>No body',
      '\0\u{10ffff}',
      '<a href="http://[">x</a>',
      '<base href="::">',
    ]) {
      expect(typeof htmlToMarkdown({ html: odd, url: 'https://x.example/', kind: 'page' }).markdown).toBe('string');
    }
  });
});

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Fox News Letter</title><link>https://x.example/</link><description>About foxes</description>
<item><title>First</title><link>https://x.example/1</link><description><![CDATA[<p>Some <b>bold</b> words</p>]]></description><pubDate>Tue, 02 Jan 2024 10:00:00 GMT</pubDate></item></channel></rss>`;
const feedMarkdown =
  '# Fox News Letter\n\nAbout foxes\n\n## First\n2024-01-02\nhttps://x.example/1\nSome **bold** words';

describe('other kinds of content', () => {
  it('feeds become lists, by type and by address', async () => {
    web.rules.set('/stream', { body: rss, headers: { 'content-type': 'application/xml' } });
    expect(await read('/stream')).toMatchObject({ method: 'feed', text: feedMarkdown });
    web.rules.set('/blog/feed.xml', { body: rss, headers: { 'content-type': 'text/plain' } });
    expect(await read('/blog/feed.xml')).toMatchObject({ method: 'feed', text: feedMarkdown });
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><id>x</id><updated>2024-01-01T00:00:00Z</updated><entry><id>1</id><title>E</title><link href="https://x.example/e"/><updated>2024-01-03T00:00:00Z</updated><summary>s</summary><author><name>N</name></author></entry></feed>`;
    web.rules.set('/blog.atom', { body: atom, headers: { 'content-type': 'application/atom+xml' } });
    expect((await read('/blog.atom')).text).toBe('# A\n\n## E\n2024-01-03, N\nhttps://x.example/e\ns');
    web.rules.set('/json-feed', {
      json: {
        version: 'https://jsonfeed.org/version/1.1',
        title: 'J',
        items: [{ id: '1', url: 'https://x.example/j', title: 'T', content_text: 'c' }],
      },
    });
    expect((await read('/json-feed')).text).toContain('## T\nhttps://x.example/j\nc');
    web.rules.set('/plain/feed', html(article));
    expect((await read('/plain/feed')).method).toBe('readability');
    web.rules.set('/data.xml', { body: '<a><b/></a>', headers: { 'content-type': 'text/xml' } });
    expect(await read('/data.xml')).toMatchObject({ method: 'text', text: '<a><b/></a>' });
  });

  it('JSON is made readable, text and Markdown stay as they are', async () => {
    web.rules.set('/api', { body: '{"a":[1,2]}', headers: { 'content-type': 'application/vnd.x+json' } });
    expect(await read('/api')).toMatchObject({ method: 'json', text: '{\n  "a": [\n    1,\n    2\n  ]\n}' });
    expect((await read('/api', true)).text).toBe('{"a":[1,2]}');
    web.rules.set('/half', { body: '{"a":', headers: { 'content-type': 'application/json' } });
    expect(await read('/half')).toMatchObject({ method: 'text', text: '{"a":' });
    web.rules.set('/README.md', { body: '# R', headers: { 'content-type': 'text/markdown' } });
    expect(await read('/README.md')).toMatchObject({ method: 'markdown', text: '# R' });
    web.rules.set('/a.txt', { body: 'plain' });
    expect(await read('/a.txt')).toMatchObject({ method: 'text', text: 'plain' });
    web.rules.set('/mislabelled', { body: article });
    expect((await read('/mislabelled')).method).toBe('readability');
    web.rules.set('/code.rs', { body: 'fn main() {}', headers: { 'content-type': 'application/octet-stream' } });
    expect(await read('/code.rs')).toMatchObject({ method: 'text', text: 'fn main() {}' });
  });

  it('documents and images come as bytes with their type', async () => {
    web.rules.set('/paper', { body: '%PDF-1.7 …', headers: { 'content-type': 'application/pdf' } });
    const page = await read('/paper');
    expect(page).toMatchObject({ method: 'binary', contentType: 'application/pdf', text: '[application/pdf, 0.0KB]' });
    expect(Buffer.from(page.bytes ?? []).toString()).toBe('%PDF-1.7 …');
  });

  it('what is too large is cut when it is text, and refused when it is not', async () => {
    const small = await openWebBench({ allowHosts: [web.host], maxMegabytes: 1 });
    web.rules.set('/long.txt', { body: 'x'.repeat(2 * 1024 * 1024) });
    const page = await small.reader.read(`${web.origin}/long.txt`, { signal });
    expect(page.text).toHaveLength(1024 * 1024);
    expect(page.notes).toEqual(['Only the first 1.0MB were read.']);
    web.rules.set('/long.png', {
      body: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2 * 1024 * 1024)]),
      headers: { 'content-type': 'image/png' },
    });
    await expect(small.reader.read(`${web.origin}/long.png`, { signal })).rejects.toMatchObject({
      code: 'WEB_TOO_LARGE',
    });
    await small.dispose();
  });
});

describe('failures', () => {
  it('tell the status and what to do about it', async () => {
    await expect(read('/nowhere')).rejects.toMatchObject({
      code: 'WEB_STATUS',
      message: expect.stringContaining('404'),
      next: expect.stringContaining('Check the address'),
    });
    web.rules.set('/busy', { status: 429, headers: { 'retry-after': '30' }, json: { message: 'slow down' } });
    await expect(read('/busy')).rejects.toMatchObject({
      message: expect.stringContaining('slow down'),
      next: expect.stringContaining('wait 30 seconds'),
    });
  });

  it('name the setting that would allow a private address', async () => {
    const closed = await openWebBench();
    await expect(closed.reader.read(`${web.origin}/a.txt`, { signal })).rejects.toMatchObject({
      code: 'WEB_PRIVATE',
      next: expect.stringContaining(`web-tools.allowHosts '["${web.host}"]'`),
    });
    await closed.dispose();
  });
});

describe('pages that were read', () => {
  it('are kept for their session, then asked about', async () => {
    const own = await openWebBench({ allowHosts: [web.host], cacheMinutes: 0 });
    let version = 1;
    web.rules.set('/kept.txt', ({ headers }) =>
      headers['if-none-match'] === `"v${version}"`
        ? { status: 304 }
        : {
            body: `version ${version}`,
            headers: { etag: `"v${version}"`, 'last-modified': 'Tue, 02 Jan 2024 10:00:00 GMT' },
          },
    );
    const get = async (who: string) => (await own.reader.read(`${web.origin}/kept.txt`, { signal, session: who })).text;
    const count = () => web.asked.filter(({ path }) => path === '/kept.txt').length;
    expect([await get('a'), await get('a')]).toEqual(['version 1', 'version 1']);
    expect(count()).toBe(2);
    expect(web.asked.at(-1)?.headers).toMatchObject({
      'if-none-match': '"v1"',
      'if-modified-since': 'Tue, 02 Jan 2024 10:00:00 GMT',
    });
    version = 2;
    expect(await get('a')).toBe('version 2');
    await own.dispose();
    const keeping = await openWebBench({ allowHosts: [web.host] });
    const before = count();
    const again = async (who: string) =>
      (await keeping.reader.read(`${web.origin}/kept.txt`, { signal, session: who })).text;
    version = 3;
    expect([await again('a'), await again('a'), await again('b')]).toEqual(Array(3).fill('version 3'));
    expect(count() - before).toBe(2);
    await keeping.dispose();
  });
});

describe('addresses of the web', () => {
  it('are read by whatever reads addresses', async () => {
    web.rules.set('/data.json', { json: { ok: true } });
    const scope = { session: 'router', cwd: bench.root };
    expect(bench.router.schemeOf('HTTPS://example.org')).toBe('https');
    expect(await bench.router.read(`${web.origin}/data.json`, { signal, scope })).toMatchObject({
      content: '{\n  "ok": true\n}',
      contentType: 'application/json',
      details: { method: 'json', finalUrl: `${web.origin}/data.json` },
    });
    expect((await bench.router.read(`${web.origin}/data.json`, { signal, scope, raw: true })).content).toBe(
      '{"ok":true}',
    );
    await expect(bench.router.write(`${web.origin}/x`, 'y', { signal, scope })).rejects.toMatchObject({
      code: 'URLS_READ_ONLY',
    });
  });
});

describe('fetch', () => {
  it('shows where a page came from, and keeps what does not fit', async () => {
    web.rules.set('/lines.txt', { body: Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`).join('\n') });
    const result = await bench.run('fetch', { url: `${web.origin}/lines.txt` });
    const text = textOf(result);
    expect(text).toMatch(/^URL: http.*lines\.txt\nContent-Type: text\/plain\nMethod: text\n\n---\n\nline 1\n/);
    expect(text).toContain('line 300\n\n[Showing lines 1-300 of 1000');
    expect(result.details).toMatchObject({
      kind: 'url',
      method: 'text',
      meta: { truncation: { totalLines: 1000, nextOffset: 301 } },
    });
    const id = /Full: artifact:\/\/(\d+)/.exec(text)?.[1];
    expect(id).toBeDefined();
  });

  it('gives failures as results', async () => {
    const result = await bench.run('fetch', { url: `${web.origin}/gone` });
    expect(result).toMatchObject({ isError: true, details: { method: 'failed', error: { code: 'WEB_STATUS' } } });
    expect(await bench.fails('fetch', { url: 'http://169.254.169.254/latest/meta-data' })).toContain('private network');
  });

  it('reads documents and images with the real converters', async () => {
    const kernel = await startKernel({
      folders: foldersIn(temporaryFolder()),
      plugins: ['settings', 'documents'],
    });
    const converter = await kernel.find(documentsToken);
    const own = await openWebBench({ allowHosts: [web.host] }, { converter });
    web.rules.set('/letter.docx', {
      body: docx('Dear reader of documents'),
      headers: { 'content-type': 'application/octet-stream' },
    });
    const letter = await own.run('fetch', { url: `${web.origin}/letter.docx` });
    expect(textOf(letter)).toContain('Dear reader of documents');
    expect(letter.details).toMatchObject({ method: 'document' });
    const png = onePixel();
    web.rules.set('/dot.png', { body: png, headers: { 'content-type': 'image/png' } });
    const image = await own.run('fetch', { url: `${web.origin}/dot.png` });
    expect(image.content[1]).toMatchObject({ type: 'image' });
    await own.dispose();
    await kernel.dispose();
  });
});

describe('large pages', () => {
  it('are converted in a worker once the code is built, and a reader who leaves ends it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-web-'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    await build({
      entryPoints: [new URL('../src/page/html-converter.ts', import.meta.url).pathname],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      conditions: ['tenon-source'],
      external: ['tinypool'],
      banner: { js: "import{createRequire as c}from'node:module';const require=c(import.meta.url);" },
      logLevel: 'silent',
    });
    // Found from where the built file really is.
    const { symlinkSync } = await import('node:fs');
    symlinkSync(new URL('../../../../../node_modules', import.meta.url).pathname, join(folder, 'node_modules'));
    const built = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'html-converter.js')).href)) as {
      HtmlConverter: typeof HtmlConverter;
    };
    const converter = new built.HtmlConverter();
    const large = article.replace('</article>', `${`<p>${prose}</p>`.repeat(120)}</article>`);
    const task = { html: large, url: 'https://x.example/', kind: 'page' } as const;
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const { markdown, isArticle } = await converter.convert(task, signal);
    clearInterval(timer);
    expect(isArticle).toBe(true);
    expect(markdown).toBe(htmlToMarkdown(task).markdown);
    // The thread of this test stayed free meanwhile.
    expect(ticks).toBeGreaterThan(3);
    const controller = new AbortController();
    const pending = converter.convert({ ...task, html: large + `<p>${prose}</p>`.repeat(5000) }, controller.signal);
    setTimeout(() => controller.abort(), 30);
    await expect(pending).rejects.toThrow(/abort/i);
    await converter.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** A PNG of one red point. */
function onePixel(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, check]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  const pixels = deflateSync(Buffer.from([0, 255, 0, 0]));
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** The smallest file that Word opens: a ZIP with one document in it. */
function docx(text: string): Buffer {
  const entries: [string, string][] = [
    [
      '[Content_Types].xml',
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ],
    [
      '_rels/.rels',
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ],
    [
      'word/document.xml',
      `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    ],
  ];
  return zip(entries);
}

function zip(entries: readonly [string, string][]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const packed = deflateRawSync(content);
    const head = Buffer.alloc(30);
    const sizes = [crc32(Buffer.from(content)), packed.length, Buffer.byteLength(content)] as const;
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(8, 8);
    sizes.forEach((value, index) => head.writeUInt32LE(value, 14 + index * 4));
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 6);
    entry.writeUInt16LE(8, 10);
    sizes.forEach((value, index) => entry.writeUInt32LE(value, 16 + index * 4));
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(head, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += head.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
