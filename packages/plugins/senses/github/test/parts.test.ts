import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../src/diff-parts.ts';
import { AnswerCache } from '../src/http/answer-cache.ts';
import { limitIn } from '../src/http/rate-limit.ts';
import { addressIn } from '../src/order.ts';
import { isRepoName, parseRemote } from '../src/remotes.ts';
import { parseIssueUrl } from '../src/url-schemes.ts';

describe('remotes', () => {
  it.each([
    ['https://github.com/acme/tool.git', 'github.com', 'acme', 'tool'],
    ['https://user:secret@github.com/acme/tool', 'github.com', 'acme', 'tool'],
    ['git@github.com:acme/tool.git', 'github.com', 'acme', 'tool'],
    ['ssh://git@ghe.example.org:2222/acme/tool.git', 'ghe.example.org', 'acme', 'tool'],
    ['ssh://git@ssh.github.com:443/acme/tool.git', 'github.com', 'acme', 'tool'],
    ['https://gitlab.com/group/sub/tool.git/', 'gitlab.com', 'group/sub', 'tool'],
    ['https://GHE.example.org:8443/a/b.c', 'ghe.example.org:8443', 'a', 'b.c'],
  ])('reads %s', (address, host, owner, name) => {
    expect(parseRemote(address)).toMatchObject({ host, owner, name });
  });

  it.each([
    '/srv/git/tool.git',
    '../tool',
    'file:///srv/tool',
    'ext::sh -c evil',
    'https://github.com/tool',
    'https://github.com/../..',
    'git@host:/abs/path/x',
    '',
  ])('knows no server for %s', (address) => expect(parseRemote(address)).toBeUndefined());

  it('gives only names that mean nothing else in a path or on a command line', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const remote = parseRemote(text);
        if (!remote) return;
        expect(isRepoName(remote)).toBe(true);
        for (const part of [...remote.owner.split('/'), remote.name]) expect(part).toMatch(/^[\w.][\w.-]*$/);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[\w.-]{1,20}$/), fc.stringMatching(/^[\w.-]{1,20}$/), (owner, name) => {
        const remote = parseRemote(`git@github.com:${owner}/${name}.git`);
        if (isRepoName({ owner, name })) expect(remote).toMatchObject({ owner, name });
        else expect(remote).toBeUndefined();
      }),
    );
  });
});

describe('diffs', () => {
  it('loses nothing between the files', () => {
    const line = fc.stringMatching(/^[ +-][^\n]{0,30}$/);
    const file = fc.record({ path: fc.stringMatching(/^[a-z/]{1,10}\.ts$/), lines: fc.array(line, { maxLength: 10 }) });
    fc.assert(
      fc.property(fc.array(file, { minLength: 1, maxLength: 6 }), (files) => {
        const diff = files
          .map(
            ({ path, lines }) =>
              `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n${lines.map((text) => `${text}\n`).join('')}`,
          )
          .join('');
        const parts = partsOf(diff);
        expect(parts.map(({ text }) => text).join('')).toBe(diff);
        expect(parts.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
        expect(parts.map(({ additions }) => additions)).toEqual(
          files.map(({ lines }) => lines.filter((text) => text.startsWith('+')).length),
        );
      }),
    );
  });

  it('knows new, removed, renamed, binary and unusual names', () => {
    const diff = [
      'diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
      'diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n',
      'diff --git a/pic.png b/pic.png\nBinary files a/pic.png and b/pic.png differ\n',
      'diff --git "a/\\303\\274 x" "b/\\303\\274 x"\n--- "a/\\303\\274 x"\n+++ "b/\\303\\274 x"\n@@ -1 +1 @@\n-+++ not a name\n+y\n',
    ].join('');
    expect(partsOf(diff).map(({ path, additions, deletions }) => [path, additions, deletions])).toEqual([
      ['gone', 0, 1],
      ['new', 0, 0],
      ['pic.png', 0, 0],
      ['ü x', 1, 1],
    ]);
  });
});

describe('limits', () => {
  const answer = (status: number, headers: Record<string, string>, body = '') => ({
    status,
    body,
    header: (name: string) => headers[name] ?? '',
  });
  it('are read as servers say them', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(limitIn(answer(200, {}), now)).toBeUndefined();
    expect(limitIn(answer(403, {}, 'no'), now)).toBeUndefined();
    expect(limitIn(answer(403, { 'retry-after': '5' }), now)).toEqual({ kind: 'secondary', seconds: 6 });
    expect(limitIn(answer(429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }), now)).toEqual({
      kind: 'secondary',
      seconds: 11,
    });
    expect(
      limitIn(answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 90) }), now),
    ).toEqual({ kind: 'primary', seconds: 91 });
    expect(limitIn(answer(403, {}, '{"message":"You have exceeded a secondary rate limit"}'), now)?.seconds).toBe(60);
  });
  it('are bounded, whatever a server says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (retry, reset) => {
        for (const headers of [
          { 'retry-after': retry },
          { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
        ]) {
          const limit = limitIn(answer(429, headers as unknown as Record<string, string>), Date.now());
          expect(limit?.seconds).toBeGreaterThanOrEqual(0);
          expect(limit?.seconds).toBeLessThanOrEqual(24 * 3600 + 1);
        }
      }),
    );
  });
});

describe('addresses', () => {
  it('are read', () => {
    expect(parseIssueUrl('pr://12')).toMatchObject({ repo: undefined, number: 12, diff: undefined });
    expect(parseIssueUrl('pr://a/b/12/diff/all')).toMatchObject({ repo: 'a/b', number: 12, diff: 'all' });
    expect(parseIssueUrl('pr://ghe.example.org/a/b/12')).toMatchObject({ repo: 'ghe.example.org/a/b', number: 12 });
    expect(parseIssueUrl('issue://a/b?state=all').query.get('state')).toBe('all');
    expect(() => parseIssueUrl('pr://a')).toThrow();
    expect(() => parseIssueUrl('pr://1/diff/x')).toThrow();
    expect(addressIn('https://github.com/a/b/pull/3/files')).toEqual({
      repo: 'https://github.com/a/b',
      kind: 'pull',
      id: 3,
    });
    expect(addressIn('https://gitlab.com/g/s/t/-/merge_requests/4')).toEqual({
      repo: 'https://gitlab.com/g/s/t',
      kind: 'pull',
      id: 4,
    });
  });
});

it('keeps the newest answers within its size', () => {
  const cache = new AnswerCache();
  for (let at = 0; at < 1000; at++) cache.put(`k${at}`, { etag: 'e', body: 'x'.repeat(100_000), link: '' });
  expect(cache.get('k0')).toBeUndefined();
  expect(cache.get('k999')).toBeDefined();
  expect(Array.from({ length: 1000 }, (_, at) => cache.get(`k${at}`)).filter(Boolean).length).toBeLessThan(90);
});
