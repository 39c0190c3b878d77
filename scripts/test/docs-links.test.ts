import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { anchorOf, anchorsOf, brokenLinks, linksOf } from '../docs/links.mjs';
import { filesBelow, REPOSITORY } from '../workspace.mjs';

/** Documents of people; those that tests feed to the program have links that lead nowhere on purpose. */
function documents(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'];
  const listed = existsSync(join(REPOSITORY, '.git'))
    ? execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).split('\0')
    : filesBelow(REPOSITORY).map((path: string) => path.slice(REPOSITORY.length + 1));
  return listed.filter(
    (path) => path.endsWith('.md') && !/(?:^|\/)(?:test|fixtures)\//.test(path) && existsSync(join(REPOSITORY, path)),
  );
}

describe('links of the documents', () => {
  it('lead to files and headings that exist', () => {
    const all = documents();
    expect(all).toEqual(
      expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/README.md', 'packages/kernel/README.md']),
    );
    expect(brokenLinks(REPOSITORY, all)).toEqual([]);
  });

  it('are reported with their document when a file or a heading is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-links-'));
    try {
      writeFileSync(
        join(folder, 'a.md'),
        '# A\n[1](b.md#two) [2](b.md#three) [3](c.md) [4](#a) [5](#z) [6](/b.md) [7](../b.md)\n',
      );
      writeFileSync(join(folder, 'b.md'), '## Two\n```md\n## Three\n```\n');
      expect(brokenLinks(folder, ['a.md', 'b.md'])).toEqual([
        'a.md: b.md#three: has no such heading',
        'a.md: c.md: does not exist',
        'a.md: #z: has no such heading',
        'a.md: /b.md: begins with a slash; link relative to the document',
        'a.md: ../b.md: leaves the repository',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are found as text, image, reference and HTML, and not in code', () => {
    const text =
      '[a](x.md "title") ![b](<y.png>) `[c](no.md)` [d]: z.md\n\n[e]: w.md\n<img src="v.svg"> [f](https://example.org)\n\n~~~\n[g](no.md)\n~~~\n';
    expect(linksOf(text)).toEqual(['x.md', 'y.png', 'w.md', 'v.svg']);
  });

  it('name headings as GitHub does', () => {
    expect(['`tenon run`: a *worker*', 'What is kept?', 'A – B', '[Link](x.md) here'].map(anchorOf)).toEqual([
      'tenon-run-a-worker',
      'what-is-kept',
      'a--b',
      'link-here',
    ]);
    expect([...anchorsOf('# Same\n# Same\n<a id="own"></a>\n')]).toEqual(['same', 'same-1', 'own']);
  });
});

describe('the README', () => {
  it('counts tools and coding CLIs as the reference does', () => {
    const readme = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');
    const pages = (folder: string) =>
      readdirSync(join(REPOSITORY, 'docs/reference', folder)).filter((name) => name !== 'README.md').length;
    expect(/\[(\d+) tools\]/.exec(readme)?.[1]).toBe(String(pages('tools')));
    // Tenon can be its own worker, and has a page for that.
    expect(/drives (\d+) other coding CLIs/.exec(readme)?.[1]).toBe(String(pages('workers') - 1));
  });
});
