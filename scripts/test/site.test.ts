/** The documentation as a site: built as `npm run docs` builds it, and looked at as a browser gets it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { targetOf } from '../../site/markdown.mjs';
import { listedAddresses, outline } from '../../site/outline.mjs';
import { addressOf, isPage } from '../../site/pages.mjs';
import { siteProblems } from '../docs/site-check.mjs';
import { buildSite } from '../docs/site.mjs';
import { filesBelow, fromRoot, REPOSITORY } from '../workspace.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-site-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const docs = filesBelow(join(REPOSITORY, 'docs'))
  .map((path) => fromRoot(path))
  .filter((path) => path.endsWith('.md'));

describe('the sidebar', () => {
  it('lists every page of docs/, in the parts of docs/README.md', () => {
    const listed = listedAddresses();
    expect(docs.length).toBeGreaterThan(150);
    expect(docs.map(addressOf).filter((address) => address !== '/' && !listed.has(address))).toEqual([]);
    expect(outline().map(({ title }) => title)).toEqual(['Guides', 'Reference', 'Design']);
  });

  it('keeps names in code as they are and begins all others with a capital', () => {
    const texts = JSON.stringify(outline());
    for (const text of ['Getting started', 'Ask one question', 'ast_edit', 'Install, update, remove'])
      expect(texts).toContain(`"text":"${text}"`);
  });
});

describe('the pages', () => {
  const from = (path: string, href: string) => targetOf(href, join(REPOSITORY, path));

  it('link to each other where the files do', () => {
    expect([
      from('docs/README.md', 'guide/install.md'),
      from('docs/guide/install.md', '../README.md'),
      from('docs/guide/tools.md', '../reference/tools/README.md#x'),
      from('docs/guide/embedding.md', '../../packages/kernel/api-report.md'),
      from('CONTRIBUTING.md', 'CHANGELOG.md'),
      from('docs/guide/install.md', '#update'),
      from('docs/guide/install.md', 'https://example.org/a.md'),
      from('docs/guide/embedding.md', '../../examples/sdk'),
    ]).toEqual([
      '/guide/install',
      '/',
      '/reference/tools/#x',
      '/packages/kernel/api-report',
      '/changelog',
      '#update',
      'https://example.org/a.md',
      '/examples/sdk/',
    ]);
  });

  it('offer linked files that are no pages, and no folders', () => {
    expect(from('docs/guide/install.md', '../../Dockerfile')).toBe('/files/Dockerfile');
    expect(from('docs/guide/workflows.md', '../../examples/workflows')).toBeNull();
    expect(() => from('docs/guide/install.md', 'nowhere.md')).toThrow('docs/guide/install.md: the link nowhere.md');
  });

  it('are no tests, sources or packages of others', () => {
    expect(
      ['docs/a/README.md', 'packages/kernel/README.md', 'packages/plugins/tools/small-tools/README.md'].map(isPage),
    ).toEqual([true, true, true]);
    expect(
      ['README.md', 'packages/kernel/test/README.md', 'docs/node_modules/a/README.md', 'site/README.md'].map(isPage),
    ).toEqual([false, false, false, false]);
  });
});

describe('the check of a built site', () => {
  it('finds links, headings and pictures that are missing', () => {
    const built = join(folder, 'broken');
    const files = {
      'index.html':
        '<a class="x" href="/guide/a">1</a> <a href="/guide/a#two">2</a> <a href="/b/">3</a> <img src="/c.png">',
      'guide/a.html':
        '<h2 id="one"></h2> <a href="#one">4</a> <a href="./b">5</a> <a href="/">6</a> <a href="#six">7</a>',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(built, name)), { recursive: true });
      writeFileSync(join(built, name), text);
    }
    expect(siteProblems(built)).toEqual([
      'guide/a.html: ./b: is not there',
      'guide/a.html: #six: has no such heading',
      'index.html: /guide/a#two: has no such heading',
      'index.html: /b/: is not there',
      'index.html: /c.png: is not there',
    ]);
    expect(siteProblems(built, '/tenon/')).toContain('index.html: /guide/a: is outside of /tenon/');
  });
});

describe('the built site', () => {
  const built = () => join(folder, 'built');
  const page = (name: string) => readFileSync(join(built(), `${name}.html`), 'utf8');

  it('has every page, and no link or picture is broken', async () => {
    expect(await buildSite(built())).toEqual([]);
    const missing = docs.filter((path) => !filesBelow(built()).includes(join(built(), `${htmlOf(path)}.html`)));
    expect(missing).toEqual([]);
  });

  it('begins with the recording, the points of the README and the way in', () => {
    const front = page('index');
    expect(/<div class="recording"><img src="\/assets\/screen\.[\w-]+\.svg"/.test(front)).toBe(true);
    const [, point = ''] = /^- \*\*(.+?)\.\*\*/m.exec(readFileSync(join(REPOSITORY, 'README.md'), 'utf8')) ?? [];
    expect(front.includes(`>${point}</h2>`)).toBe(true);
    expect(front.includes('href="/guide/getting-started"')).toBe(true);
  });

  it('shows the recording of the terminal, and text as it is written', () => {
    expect(/<img src="\/assets\/terminal\.[\w-]+\.svg"/.test(page('guide/getting-started'))).toBe(true);
    // Vue would take braces for code of its own.
    expect(page('guide/commands').includes('{{args}}')).toBe(true);
  });

  it('can be searched without a server', () => {
    const chunks = join(built(), 'assets/chunks');
    const index = readdirSync(chunks).find((name) => name.includes('localSearchIndex'));
    expect(index).toBeDefined();
    const text = readFileSync(join(chunks, index ?? ''), 'utf8');
    expect(['rollback', 'bubblewrap', 'acp'].filter((word) => !text.includes(`["${word}",{`))).toEqual([]);
  });
});

function htmlOf(path: string): string {
  const address = addressOf(path).slice(1);
  return address === '' || address.endsWith('/') ? `${address}index` : address;
}
