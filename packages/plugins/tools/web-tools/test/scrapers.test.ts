/** Scrapers against servers that speak the interfaces of the sites they know. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { fits } from '../src/page/reader.ts';
import { type FakeWeb, html, openFakeWeb } from './fake-web.ts';
import { openWebBench, type WebBench, withoutKeys } from './web-bench.ts';

const { signal } = new AbortController();
let web: FakeWeb;
let bench: WebBench;
let restore: () => void;
beforeAll(async () => {
  restore = withoutKeys();
  web = await openFakeWeb();
  process.env['GITHUB_TOKEN'] = 'gh-test-token';
  const names = Object.keys(source.tenon.settings.properties.sites.properties);
  // Every interface is this server; the addresses that are read keep their real names and are never asked.
  bench = await openWebBench({ sites: Object.fromEntries(names.map((name) => [name, `${web.origin}/${name}`])) });
});
afterAll(async () => {
  await bench.dispose();
  await web.close();
  delete process.env['GITHUB_TOKEN'];
  restore();
});
const read = (url: string) => bench.reader.read(url, { signal });

describe('github', () => {
  it('shows a repository with its README, asked for with the token', async () => {
    web.rules.set('/github/repos/acme/tool', {
      json: {
        full_name: 'acme/tool',
        description: 'Does things',
        stargazers_count: 42,
        language: 'Rust',
        license: { spdx_id: 'MIT' },
        default_branch: 'main',
        topics: ['cli', 'fast'],
        open_issues_count: 3,
        pushed_at: '2024-05-06T00:00:00Z',
      },
    });
    web.rules.set('/github/repos/acme/tool/readme', ({ headers }) =>
      headers.accept === 'application/vnd.github.raw+json'
        ? { body: '# Tool\n\nRead me.' }
        : { json: { content: 'base64' } },
    );
    const page = await read('https://github.com/acme/tool');
    expect(page).toMatchObject({ method: 'github', title: 'acme/tool', contentType: 'text/markdown' });
    expect(page.text).toContain('- Stars: 42\n- Language: Rust\n- License: MIT\n- Topics: cli, fast');
    expect(page.text).toContain('# Tool\n\nRead me.');
    expect(web.asked.at(-1)?.headers['authorization']).toBe('Bearer gh-test-token');
  });

  it('reads files as they are, and folders as lists', async () => {
    web.rules.set('/githubRaw/acme/tool/main/src/a%20b.rs', { body: 'fn main() {}' });
    expect(await read('https://github.com/acme/tool/blob/main/src/a%20b.rs#L3')).toMatchObject({
      text: 'fn main() {}',
      method: 'text',
      url: 'https://github.com/acme/tool/blob/main/src/a%20b.rs',
    });
    // A key never goes to where files are.
    expect(web.asked.at(-1)?.headers['authorization']).toBeUndefined();
    web.rules.set('/github/repos/acme/tool/contents/src?ref=v1', {
      json: [
        { name: 'lib', type: 'dir' },
        { name: 'main.rs', type: 'file', size: 12 },
      ],
    });
    expect((await read('https://github.com/acme/tool/tree/v1/src')).text).toBe(
      '# src at v1\n\n- lib/\n- main.rs (12 bytes)',
    );
  });

  it('shows issues and pull requests with what was said', async () => {
    const issue = {
      number: 7,
      title: 'It breaks',
      state: 'closed',
      state_reason: 'completed',
      user: { login: 'ada' },
      created_at: '2024-01-02T00:00:00Z',
      labels: [{ name: 'bug' }],
      body: 'Steps…',
      comments: 2,
    };
    web.rules.set('/github/repos/acme/tool/issues/7', { json: issue });
    web.rules.set('/github/repos/acme/tool/issues/7/comments', {
      json: [{ user: { login: 'bob' }, created_at: '2024-01-03T00:00:00Z', body: 'Me too' }],
    });
    const { text } = await read('https://github.com/acme/tool/issues/7#issuecomment-1');
    expect(text).toContain(
      '# It breaks (Issue #7)\n\n- State: closed, completed\n- Author: ada\n- Created: 2024-01-02\n- Labels: bug\n\nSteps…',
    );
    expect(text).toContain('### bob, 2024-01-03\n\nMe too\n\n… and 1 more comments');
    web.rules.set('/github/repos/acme/tool/pulls/8', {
      json: {
        ...issue,
        number: 8,
        title: 'Fix it',
        head: { label: 'bob:fix' },
        base: { label: 'acme:main' },
        merged_at: '2024-02-01T00:00:00Z',
        comments: 0,
      },
    });
    web.rules.set('/github/repos/acme/tool/pulls/8/files', {
      json: [{ filename: 'a.rs', status: 'modified', additions: 3, deletions: 1 }],
    });
    const pull = (await read('https://github.com/acme/tool/pull/8')).text;
    expect(pull).toContain('- From: bob:fix\n- Into: acme:main\n- Merged: 2024-02-01');
    expect(pull).toContain('- a.rs (modified, +3 -1)');
    web.rules.set('/github/repos/acme/tool/issues/9', { json: { pull_request: {} } });
    web.rules.set('/github/repos/acme/tool/pulls/9', {
      json: { number: 9, title: 'Also a pull request', comments: 0 },
    });
    web.rules.set('/github/repos/acme/tool/pulls/9/files', { json: [] });
    expect((await read('https://github.com/acme/tool/issues/9')).text).toContain('(Pull request #9)');
    web.rules.set('/github/repos/acme/tool/issues', {
      json: [
        { number: 1, title: 'Open', user: { login: 'x' }, created_at: '2024-01-01T00:00:00Z' },
        { number: 2, title: 'PR', pull_request: {} },
      ],
    });
    expect((await read('https://github.com/acme/tool/issues')).text).toBe('# Open issues\n\n- #1 Open (x, 2024-01-01)');
  });

  it('shows releases, commits and gists', async () => {
    const release = {
      name: 'One',
      tag_name: 'v1.0.0',
      published_at: '2024-03-01T00:00:00Z',
      body: 'Notes',
      assets: [{ name: 'a.tgz', size: 5, browser_download_url: 'https://dl.example/a' }],
    };
    web.rules.set('/github/repos/acme/tool/releases/tags/v1.0.0', { json: release });
    web.rules.set('/github/repos/acme/tool/releases', { json: [release] });
    const text = '# One\n\n- Tag: v1.0.0\n- Published: 2024-03-01\n\nNotes\n\n- a.tgz (5 bytes): https://dl.example/a';
    expect((await read('https://github.com/acme/tool/releases/tag/v1.0.0')).text).toBe(text);
    expect((await read('https://github.com/acme/tool/releases')).text).toBe(`# Releases\n\n#${text}`);
    web.rules.set('/github/repos/acme/tool/commits/abcdef1', {
      json: {
        sha: 'abcdef1234567890',
        commit: { message: 'Do it', author: { name: 'Ada', date: '2024-01-01T00:00:00Z' } },
        files: [{ filename: 'a', patch: '+x' }],
      },
    });
    expect((await read('https://github.com/acme/tool/commit/abcdef1')).text).toContain('## a\n\n```diff\n+x\n```');
    const id = 'aabbccddeeff00112233';
    web.rules.set(`/github/gists/${id}`, {
      json: {
        description: 'Snippet',
        files: { 'a.py': { filename: 'a.py', language: 'Python', content: 'print(1)' } },
      },
    });
    expect((await read(`https://gist.github.com/ada/${id}`)).text).toBe(
      '# Snippet\n\n## a.py\n\n```python\nprint(1)\n```',
    );
  });

  it('says when its limit is reached', async () => {
    web.rules.set('/github/repos/acme/limited', { status: 403, json: { message: 'API rate limit exceeded' } });
    await expect(read('https://github.com/acme/limited')).rejects.toMatchObject({
      code: 'WEB_STATUS',
      message: expect.stringContaining('rate limit'),
      next: expect.stringContaining('token'),
    });
  });
});

describe('registries', () => {
  it('npm', async () => {
    web.rules.set('/npm/@acme%2fkit', {
      json: {
        name: '@acme/kit',
        description: 'A kit',
        'dist-tags': { latest: '2.0.0' },
        versions: { '1.0.0': {}, '2.0.0': { license: 'MIT', dependencies: { left: '^1' }, engines: { node: '>=20' } } },
        time: { '2.0.0': '2024-04-01T00:00:00Z' },
        repository: { url: 'git+https://github.com/acme/kit.git' },
        readme: '# Kit',
      },
    });
    const page = await read('https://www.npmjs.com/package/@acme/kit');
    expect(page.method).toBe('npm');
    expect(page.text).toContain(
      '# @acme/kit 2.0.0\n\nA kit\n\n- Latest: 2.0.0\n- Published: 2024-04-01\n- License: MIT\n- Repository: https://github.com/acme/kit',
    );
    expect(page.text).toContain('- Dependencies: left ^1');
    expect(page.text).toContain('# Kit');
    expect((await read('https://npmjs.com/package/@acme/kit/v/1.0.0')).text).toContain('# @acme/kit 1.0.0');
  });

  it('PyPI', async () => {
    web.rules.set('/pypi/pypi/kit/json', {
      json: {
        info: {
          name: 'kit',
          version: '3.1',
          summary: 'A kit',
          requires_python: '>=3.9',
          requires_dist: ['a>=1'],
          license: 'MIT',
          project_urls: { Source: 'https://x.example' },
          description: 'Long *text*',
          description_content_type: 'text/markdown',
        },
        urls: [{ upload_time_iso_8601: '2024-02-03T00:00:00Z' }],
      },
    });
    const { text, method } = await read('https://pypi.org/project/kit/');
    expect(method).toBe('pypi');
    expect(text).toContain(
      '# kit 3.1\n\nA kit\n\n- Released: 2024-02-03\n- License: MIT\n- Python: >=3.9\n- Requires: a>=1\n\n- Source: https://x.example',
    );
    expect(text).toContain('Long *text*');
  });

  it('crates.io', async () => {
    web.rules.set('/crates/api/v1/crates/kit', {
      json: {
        crate: { name: 'kit', description: 'A kit', max_stable_version: '0.3.0', downloads: 9 },
        versions: [
          {
            num: '0.3.0',
            license: 'MIT',
            rust_version: '1.70',
            created_at: '2024-01-09T00:00:00Z',
            features: { std: [] },
          },
        ],
      },
    });
    web.rules.set('/crates/api/v1/crates/kit/0.3.0/readme', html('<h1>Kit</h1><p>From <b>HTML</b></p>'));
    const { text, method } = await read('https://crates.io/crates/kit');
    expect(method).toBe('crates');
    expect(text).toContain(
      '# kit 0.3.0\n\nA kit\n\n- Published: 2024-01-09\n- License: MIT\n- Rust version: 1.70\n- Downloads: 9\n- Documentation: https://docs.rs/kit\n- Features: std',
    );
    expect(text).toContain('# Kit\n\nFrom **HTML**');
  });
});

describe('sites that explain', () => {
  it('arXiv', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>q</title><id>q</id><updated>2024-01-01T00:00:00Z</updated><entry><id>http://arxiv.org/abs/2401.00001v2</id><title>On
  Foxes</title><published>2024-01-05T00:00:00Z</published><summary>We study
 foxes.</summary><author><name>A. Fox</name></author><author><name>B. Dog</name></author></entry></feed>`;
    web.rules.set('/arxiv/api/query?id_list=2401.00001', {
      body: atom,
      headers: { 'content-type': 'application/atom+xml' },
    });
    const page = await read('https://arxiv.org/abs/2401.00001');
    expect(page).toMatchObject({
      method: 'arxiv',
      text: '# On Foxes\n\n- Authors: A. Fox, B. Dog\n- Published: 2024-01-05\n- PDF: https://arxiv.org/pdf/2401.00001\n\nWe study foxes.',
    });
  });

  it('Stack Overflow and its sisters', async () => {
    const question = {
      title: 'How &amp; why?',
      score: 5,
      tags: ['c'],
      creation_date: 1704067200,
      answer_count: 1,
      body: '<p>I <code>try</code></p>',
    };
    web.rules.set('/stackexchange/2.3/questions/11', { json: { items: [question] } });
    web.rules.set('/stackexchange/2.3/questions/11/answers', {
      json: {
        items: [
          {
            score: 9,
            is_accepted: true,
            owner: { display_name: 'Eve' },
            creation_date: 1704153600,
            body: '<pre><code>do()</code></pre>',
          },
        ],
      },
    });
    const page = await read('https://stackoverflow.com/questions/11/how-why');
    expect(page.method).toBe('stackexchange');
    expect(page.text).toContain(
      '# How & why?\n\n- Votes: 5\n- Asked: 2024-01-01\n- Tags: c\n- Answers: 1\n\nI `try`\n\n## Answer (9 votes, accepted) by Eve, 2024-01-02\n\n```\ndo()\n```',
    );
    expect(web.asked.at(-1)?.query.get('site')).toBe('stackoverflow');
    web.rules.set('/stackexchange/2.3/answers/22', { json: { items: [{ question_id: 11 }] } });
    await read('https://unix.stackexchange.com/a/22');
    expect(web.asked.at(-1)?.query.get('site')).toBe('unix');
  });

  it('Wikipedia', async () => {
    web.rules.set('/wikipedia/w/api.php', ({ query }) => ({
      json: {
        query: {
          pages:
            query.get('titles') === 'Red fox'
              ? [{ title: 'Red fox', extract: 'A fox.\n\n\n== Diet ==\nMice.\n\n=== Rare ===\nFish.' }]
              : [{ missing: true }],
        },
      },
    }));
    const page = await read('https://en.wikipedia.org/wiki/Red%20fox#Diet');
    expect(page).toMatchObject({
      method: 'wikipedia',
      text: '# Red fox\n\nA fox.\n\n## Diet\nMice.\n\n### Rare\nFish.',
    });
  });

  it('Hacker News', async () => {
    web.rules.set('/hackernews/api/v1/items/5', {
      json: {
        title: 'Foxes',
        url: 'https://x.example',
        points: 7,
        author: 'pg',
        created_at: '2024-01-01T00:00:00Z',
        children: [{ author: 'a', text: 'One<p>Two', children: [{ author: 'b', text: 'Re', children: [] }] }],
      },
    });
    const { text, method } = await read('https://news.ycombinator.com/item?id=5');
    expect(method).toBe('hackernews');
    expect(text).toContain('## Comments\n\n- **a**: One\n  \n  Two\n  - **b**: Re');
  });

  it('MDN', async () => {
    web.rules.set('/mdn/en-US/docs/Web/API/Fox/index.json', {
      json: {
        doc: {
          title: 'Fox',
          body: [
            { type: 'prose', value: { content: '<p>A <em>fox</em>.</p>' } },
            { type: 'prose', value: { title: 'Syntax', content: '<pre class="brush: js">fox()</pre>' } },
          ],
        },
      },
    });
    expect(await read('https://developer.mozilla.org/en-US/docs/Web/API/Fox')).toMatchObject({
      method: 'mdn',
      text: '# Fox\n\nA *fox*.\n\n## Syntax\n\n```js\nfox()\n```',
    });
  });
});

describe('which scraper is asked', () => {
  const asked = (url: string) =>
    Object.entries(source.tenon.contributes.scrapers)
      .filter(([, data]) => fits(new URL(url), data))
      .map(([name]) => name);

  it('is told by the manifest, before any of its code runs', () => {
    expect(asked('https://github.com/a/b')).toEqual(['github']);
    expect(asked('https://github.com.evil.example/a/b')).toEqual([]);
    expect(asked('https://notgithub.com/a/b')).toEqual([]);
    expect(asked('https://de.wikipedia.org/wiki/Fuchs')).toEqual(['wikipedia']);
    expect(asked('https://npmjs.com/advisories')).toEqual([]);
    expect(asked('https://blog.example/feed/')).toEqual(['feed']);
    expect(asked('https://blog.example/atom.xml')).toEqual(['feed']);
    expect(asked('https://example.org/feedback')).toEqual([]);
    expect(asked('https://arxiv.org/pdf/2401.00001')).toEqual([]);
  });

  it('can be none at all, by a setting', async () => {
    const plain = await openWebBench({ scrapers: false, allowHosts: [web.host] });
    web.rules.set('/x/feed', { body: '<rss version="2.0"><channel><title>t</title></channel></rss>' });
    expect((await plain.reader.read(`${web.origin}/x/feed`, { signal })).method).toBe('text');
    await plain.dispose();
  });
});
