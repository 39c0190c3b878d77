import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { openWorkbench, surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { type ToolResult, tools } from '@tenon/tools/api';
import { urlRouter } from '@tenon/urls/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { type FakeGitHub, issueJson, startFakeGitHub } from './fake-github.ts';

const WITH = ['github', 'models'];

it('keeps the plugin contract', async () => {
  await pluginContract({ source, plugin, others: await surroundings('models') });
});

describe('github', () => {
  let fake: FakeGitHub;
  let bench: Workbench;
  const open = async (settings: object = {}) => {
    const made = await openWorkbench(WITH, {
      settings: {
        github: {
          hosts: { [fake.host]: { forge: 'github', api: fake.api } },
          useGh: false,
          pollSeconds: 1,
          ...settings,
        },
      },
    });
    execFileSync('git', ['remote', 'add', 'origin', `${fake.origin}/acme/tool.git`], { cwd: made.root });
    return made;
  };
  beforeEach(async () => {
    for (const name of ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GITHUB_ENTERPRISE_TOKEN']) vi.stubEnv(name, '');
    fake = await startFakeGitHub();
    vi.stubEnv('GH_ENTERPRISE_TOKEN', fake.token);
    bench = await open();
  });
  afterEach(async () => {
    await bench.dispose();
    vi.unstubAllEnvs();
  });

  it('finds the repository by the remote of the folder and shows it', async () => {
    fake.rules.set('GET /repos/acme/tool', {
      json: {
        full_name: 'acme/tool',
        html_url: 'https://x/acme/tool',
        description: 'A tool',
        default_branch: 'main',
        private: true,
        stargazers_count: 7,
        topics: ['a', 'b'],
      },
    });
    const text = await bench.ok('github', { op: 'repo_view' });
    expect(text).toMatch(/^# acme\/tool\nA tool\n\nURL: .*\nDefault branch: main\nVisibility: private\nStars: 7/);
    expect(fake.asked[0]?.headers).toMatchObject({
      authorization: `Bearer ${fake.token}`,
      'x-github-api-version': '2022-11-28',
    });
  });

  it('takes a repository as owner/name, with its host, or as an address', async () => {
    fake.rules.set('GET /repos/other/thing', { json: { full_name: 'other/thing', default_branch: 'main' } });
    for (const repo of ['other/thing', `${fake.host}/other/thing`, `${fake.origin}/other/thing.git`])
      expect(await bench.ok('github', { op: 'repo_view', repo })).toMatch(/^# other\/thing/);
  });

  it('shows an issue with all pages of its comments', async () => {
    fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5, { comments: 150 }) });
    fake.rules.set('GET /repos/acme/tool/issues/5/comments', {
      list: Array.from({ length: 150 }, (_, at) => ({
        user: { login: `u${at}` },
        created_at: '2026-01-01T00:00:00Z',
        body: `comment ${at}`,
      })),
    });
    const text = await bench.ok('github', { op: 'issue_view', number: 5 });
    expect(text).toMatch(/^# #5 Issue 5\nState: open\nAuthor: ada, 2026-01-02 03:04;/);
    expect(text).toContain('## Comments (100 and more)');
    expect(text).toContain('comment 99');
  });

  it('goes through pages by the links of the server, and only to the same server', async () => {
    const all = Array.from({ length: 130 }, (_, at) => issueJson(at + 1, at % 2 === 0 ? {} : { pull_request: {} }));
    fake.rules.set('GET /repos/acme/tool/issues', { list: all });
    const text = await bench.ok('github', { op: 'issue_list', limit: 50 });
    expect(text.match(/^- #/gm)).toHaveLength(50);
    expect(text).toContain('There are more');
    expect(fake.asked.filter(({ path }) => path.endsWith('/issues')).map(({ query }) => query.get('page'))).toEqual([
      null,
      '2',
    ]);
    const elsewhere = await startFakeGitHub();
    fake.rules.set('GET /repos/acme/tool/issues', {
      json: [issueJson(1)],
      headers: { link: `<${elsewhere.api}/steal>; rel="next"` },
    });
    await bench.ok('github', { op: 'issue_list' });
    expect(elsewhere.asked).toEqual([]);
  });

  it('asks again with the mark of the last answer, and uses that when nothing changed', async () => {
    fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5) });
    const first = await bench.ok('github', { op: 'issue_view', number: 5 });
    expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toBe(first);
    expect(fake.asked[1]?.headers['if-none-match']).toMatch(/^W\//);
    fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5, { title: 'New' }) });
    expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toContain('# #5 New');
  });

  it('follows a renamed repository, and never takes the token to another server', async () => {
    fake.rules.set('GET /repos/acme/tool/issues/5', {
      status: 301,
      headers: { location: `${fake.api}/repositories/1/issues/5` },
      json: { message: 'Moved Permanently' },
    });
    fake.rules.set('GET /repositories/1/issues/5', { json: issueJson(5) });
    expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toContain('Issue 5');
    const other = await startFakeGitHub();
    other.rules.set('GET /stolen', { json: issueJson(6) });
    fake.rules.set('GET /repos/acme/tool/issues/6', { status: 302, headers: { location: `${other.api}/stolen` } });
    await bench.ok('github', { op: 'issue_view', number: 6 });
    expect(other.asked).toHaveLength(1);
    expect(other.asked[0]?.headers.authorization).toBeUndefined();
    fake.rules.set('POST /repos/acme/tool/issues', { status: 307, headers: { location: `${other.api}/stolen` } });
    expect(await bench.fails('github', { op: 'issue_create', title: 'x' })).toMatch(
      /not followed: what is sent must reach/,
    );
    expect(other.asked).toHaveLength(1);
  });

  it('waits where a limit says how long, if that is not too long', async () => {
    let refusals = 0;
    fake.rules.set('GET /repos/acme/tool/issues/5', () =>
      refusals++ === 0
        ? {
            status: 403,
            headers: { 'retry-after': '0' },
            json: { message: 'You have exceeded a secondary rate limit.' },
          }
        : { json: issueJson(5) },
    );
    expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toContain('Issue 5');
    const reset = String(Math.floor(Date.now() / 1000) + 3000);
    fake.rules.set('GET /repos/acme/tool/issues/6', {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
      json: { message: 'API rate limit exceeded' },
    });
    expect(await bench.fails('github', { op: 'issue_view', number: 6 })).toMatch(
      /primary rate limit of 127.* is reached; it takes (?:29|30)\d\d seconds.*Try again after \d\d:\d\d:\d\d UTC/,
    );
    fake.rules.set('GET /repos/acme/tool/issues/7', { status: 429, json: { message: 'slow down' } });
    const short = await open({ maxWaitSeconds: 5 });
    expect(await short.fails('github', { op: 'issue_view', number: 7 })).toMatch(/secondary rate limit.*60 seconds/);
    await short.dispose();
  });

  it('stops waiting for a limit when it is cancelled', async () => {
    fake.rules.set('GET /repos/acme/tool/issues/5', { status: 429, headers: { 'retry-after': '30' }, json: {} });
    const abort = new AbortController();
    const updates: ToolResult[] = [];
    const call = bench.run('github', { op: 'issue_view', number: 5 }, { signal: abort.signal, updates });
    await expect.poll(() => updates.map(textOf).join()).toMatch(/pause of 31 seconds/);
    abort.abort();
    await expect(call).rejects.toThrow();
  });

  it('asks again when the server stumbles, but never twice for a change', async () => {
    let count = 0;
    fake.rules.set('GET /repos/acme/tool/issues/5', () =>
      count++ === 0 ? { status: 502, json: {} } : { json: issueJson(5) },
    );
    expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toContain('Issue 5');
    fake.rules.set('POST /repos/acme/tool/issues', { status: 502, json: {} });
    expect(await bench.fails('github', { op: 'issue_create', title: 'x' })).toMatch(/cannot answer just now \(502\)/);
    expect(fake.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('says what to do about refusals', async () => {
    expect(await bench.fails('github', { op: 'issue_view', number: 404 })).toMatch(
      /knows no issue 404 of acme\/tool.*private repository/,
    );
    fake.rules.set('POST /repos/acme/tool/issues', {
      status: 422,
      json: { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing' }] },
    });
    expect(await bench.fails('github', { op: 'issue_create', title: 'x' })).toMatch(
      /refuses what was sent: Validation Failed; title missing/,
    );
    fake.rules.set('GET /repos/acme/tool/issues/8', {
      status: 403,
      headers: { 'x-github-sso': 'required; url=https://github.example/sso' },
      json: { message: 'Resource protected' },
    });
    expect(await bench.fails('github', { op: 'issue_view', number: 8 })).toMatch(
      /Resource protected.*single sign-on \(https:\/\/github\.example\/sso\)/,
    );
    fake.rules.set('GET /repos/acme/tool/issues/9', { body: '<html>not json' });
    expect(await bench.fails('github', { op: 'issue_view', number: 9 })).toMatch(/not understood: it is no JSON/);
  });

  it('never shows the token, whatever the server says', async () => {
    fake.rules.set('GET /repos/acme/tool/issues/5', {
      status: 403,
      json: { message: `your token ${fake.token} is bad` },
    });
    const text = await bench.fails('github', { op: 'issue_view', number: 5 });
    expect(text).toContain('your token *** is bad');
    expect(text).not.toContain(fake.token);
    vi.stubEnv('GH_ENTERPRISE_TOKEN', 'ghp_wrong');
    const wrong = await open();
    const refused = await wrong.fails('github', { op: 'issue_view', number: 5 });
    expect(refused).toMatch(/does not accept the token \(GH_ENTERPRISE_TOKEN\): Bad credentials/);
    await wrong.dispose();
  });

  it('gives a token only to the servers that it is for', async () => {
    vi.stubEnv('GH_TOKEN', 'ghp_public');
    vi.stubEnv('GH_ENTERPRISE_TOKEN', '');
    const other = await open();
    fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5) });
    await other.ok('github', { op: 'issue_view', number: 5 });
    expect(fake.asked.at(-1)?.headers.authorization).toBeUndefined();
    expect(await other.fails('github', { op: 'issue_create', title: 'x' })).toMatch(
      /wants a login.*gh auth login --hostname/,
    );
    await other.dispose();
    // A remote alone makes no server known.
    const stranger = await openWorkbench(WITH, { settings: { github: { useGh: false } } });
    execFileSync('git', ['remote', 'add', 'origin', `${fake.origin}/acme/tool.git`], { cwd: stranger.root });
    const before = fake.asked.length;
    expect(await stranger.fails('github', { op: 'repo_view' })).toMatch(
      /which is not a known server[\s\S]*github\.hosts/,
    );
    expect(fake.asked).toHaveLength(before);
    await stranger.dispose();
  });

  it('asks gh for its token, in the home folder', async () => {
    vi.stubEnv('GH_ENTERPRISE_TOKEN', '');
    const folder = temporaryFolder('gh');
    writeFileSync(
      join(folder, 'gh'),
      `#!/bin/sh\necho "$PWD $*" >> ${folder}/calls\n[ "$1 $2 $3 $4" = "auth token --hostname ${fake.host}" ] && echo ${fake.token}\n`,
      { mode: 0o755 },
    );
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    const other = await open({ useGh: true });
    fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5) });
    await other.ok('github', { op: 'issue_view', number: 5 });
    await other.ok('github', { op: 'issue_view', number: 5 });
    expect(fake.asked.at(-1)?.headers.authorization).toBe(`Bearer ${fake.token}`);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe(`${other.home} auth token --hostname ${fake.host}\n`);
    await other.dispose();
  });

  it('refuses an API address that a token must not go to', async () => {
    const other = await openWorkbench(WITH, {
      settings: { github: { hosts: { 'ghe.example.org': { api: 'http://ghe.example.org/api/v3' } } } },
    });
    expect(await other.fails('github', { op: 'repo_view', repo: 'ghe.example.org/a/b' })).toMatch(
      /must not go over an open connection/,
    );
    await other.dispose();
  });

  const pullRules = () => {
    const side = (ref: string, sha: string) => ({
      ref,
      sha,
      repo: { full_name: 'acme/tool', clone_url: `${fake.origin}/acme/tool.git` },
    });
    const sha = 'a'.repeat(40);
    fake.rules.set('GET /repos/acme/tool/pulls/3', ({ headers }) =>
      headers.accept === 'application/vnd.github.diff'
        ? {
            body: 'diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-old\n+new\ndiff --git a/y.ts b/y.ts\nnew file mode 100644\n--- /dev/null\n+++ b/y.ts\n@@ -0,0 +1 @@\n+y\n',
          }
        : {
            json: issueJson(3, {
              draft: true,
              mergeable_state: 'clean',
              base: side('main', 'b'.repeat(40)),
              head: side('topic', sha),
              title: 'Pull 3',
            }),
          },
    );
    fake.rules.set('GET /repos/acme/tool/pulls/3/files', {
      list: [{ filename: 'x.ts', status: 'modified', additions: 1, deletions: 1 }],
    });
    fake.rules.set('GET /repos/acme/tool/pulls/3/reviews', {
      list: [{ user: { login: 'rev' }, state: 'APPROVED', body: 'Good', submitted_at: '2026-01-01T00:00:00Z' }],
    });
    fake.rules.set('GET /repos/acme/tool/issues/3/comments', { list: [] });
    fake.rules.set(`GET /repos/acme/tool/commits/${sha}/check-runs`, {
      field: 'check_runs',
      list: [
        { name: 'build', status: 'completed', conclusion: 'success', html_url: 'https://x' },
        { name: 'test', status: 'completed', conclusion: 'failure', html_url: 'https://y' },
      ],
    });
    fake.rules.set(`GET /repos/acme/tool/commits/${sha}/status`, {
      field: 'statuses',
      list: [{ context: 'lint', state: 'pending', target_url: '' }],
    });
  };

  it('shows a pull request with files and reviews, its checks and its diff', async () => {
    pullRules();
    const text = await bench.ok('github', { op: 'pr_view', number: 3 });
    expect(text).toMatch(
      /# #3 Pull 3[\s\S]*Branches: topic -> main[\s\S]*Draft: yes[\s\S]*## 1 changed file \(\+1 -1\)\n- x\.ts[\s\S]*### rev, .*approved\nGood/,
    );
    expect(await bench.ok('github', { op: 'pr_checks', number: 3 })).toMatch(
      /1 failed, 1 running, 1 finished\n\n- failure: test.*\n- in_progress: lint\n- success: build/,
    );
    expect(await bench.ok('github', { op: 'pr_diff', number: 3 })).toMatch(/^diff --git[\s\S]*\+y$/);
    expect(await bench.ok('github', { op: 'pr_diff', number: 3, path: 'y.ts' })).toMatch(/^diff --git a\/y\.ts/);
    expect(await bench.fails('github', { op: 'pr_diff', number: 3, path: 'z.ts' })).toMatch(/It changes: x\.ts, y\.ts/);
  });

  it('reads issue:// and pr:// addresses', async () => {
    pullRules();
    fake.rules.set('GET /repos/acme/tool/pulls', { list: [issueJson(3, { title: 'Pull 3' })] });
    fake.rules.set('GET /repos/other/thing/issues/5', { json: issueJson(5) });
    const router = await bench.kernel.find(urlRouter);
    const read = async (url: string) =>
      (await router.read(url, { signal: AbortSignal.timeout(60_000), scope: { session: 'one', cwd: bench.root } }))
        .content;
    expect(await read('pr://3')).toContain('# #3 Pull 3');
    expect(await read('pr://')).toMatch(/# Pull requests of acme\/tool \(open\)\n\n- #3 Pull 3/);
    expect(await read('pr://3/diff')).toBe(
      '1. x.ts (+1 -1)  pr://3/diff/1\n2. y.ts (+1 -0)  pr://3/diff/2\n\nAll: pr://3/diff/all',
    );
    expect(await read('pr://acme/tool/3/diff/2')).toMatch(/^diff --git a\/y/);
    expect(await read('issue://other/thing/5')).toContain('# #5 Issue 5');
    await expect(read('pr://3/diff/9')).rejects.toThrow(/has no file 9/);
    await expect(read('pr://what')).rejects.toThrow(/names nothing/);
  });

  it('shows review threads, answers in them and resolves them', async () => {
    fake.rules.set('POST /graphql', ({ body }) => {
      const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
      if (query.includes('resolveReviewThread'))
        return { json: { data: { resolveReviewThread: { thread: { isResolved: true } } } } };
      if (query.includes('ThreadReply')) {
        if (variables['thread'] !== 'T1') return { json: { errors: [{ type: 'NOT_FOUND', message: 'no' }] } };
        return { json: { data: { addPullRequestReviewThreadReply: { comment: { url: 'https://x/reply' } } } } };
      }
      const second = variables['after'] === 'C1';
      const node = {
        id: second ? 'T2' : 'T1',
        isResolved: second,
        isOutdated: false,
        path: 'x.ts',
        line: 4,
        comments: { nodes: [{ author: { login: 'rev' }, body: 'Why?', createdAt: '2026-01-01T00:00:00Z' }] },
      };
      return {
        json: {
          data: {
            repository: {
              pullRequest: { reviewThreads: { pageInfo: { hasNextPage: !second, endCursor: 'C1' }, nodes: [node] } },
            },
          },
        },
      };
    });
    expect(await bench.ok('github', { op: 'pr_threads', number: 3 })).toMatch(
      /^# Review threads of #3: 1 open, 2 in all[\s\S]*## x\.ts:4 \(open\)\nThread: T1[\s\S]*Why\?[\s\S]*\(resolved\)/,
    );
    expect(await bench.ok('github', { op: 'pr_reply', number: 3, thread: 'T1', body: 'Because' })).toContain(
      'https://x/reply',
    );
    expect(await bench.fails('github', { op: 'pr_reply', number: 3, thread: 'T9', body: 'x' })).toMatch(
      /knows no thread T9/,
    );
    expect(await bench.ok('github', { op: 'pr_resolve', number: 3, thread: 'T1' })).toBe(
      'Resolved thread T1 of pull request 3.',
    );
  });

  it('creates issues, comments, reviews and pull requests', async () => {
    const sent = () => JSON.parse(fake.asked.at(-1)?.body ?? '{}') as unknown;
    fake.rules.set('POST /repos/acme/tool/issues', { status: 201, json: issueJson(12) });
    expect(await bench.ok('github', { op: 'issue_create', title: 'T', body: 'B', label: ['bug'] })).toMatch(
      /^Created issue #12\.\nhttps/,
    );
    expect(sent()).toEqual({ title: 'T', body: 'B', labels: ['bug'] });
    fake.rules.set('POST /repos/acme/tool/issues/12/comments', { status: 201, json: { html_url: 'https://x/c' } });
    expect(await bench.ok('github', { op: 'issue_comment', number: 12, body: 'Hi' })).toContain('https://x/c');
    fake.rules.set('POST /repos/acme/tool/pulls/3/reviews', { json: { html_url: 'https://x/r' } });
    await bench.ok('github', { op: 'pr_review', number: 3, event: 'request_changes', body: 'No' });
    expect(sent()).toEqual({ event: 'REQUEST_CHANGES', body: 'No' });
    fake.rules.set('GET /repos/acme/tool', { json: { full_name: 'acme/tool', default_branch: 'main' } });
    fake.rules.set('POST /repos/acme/tool/pulls', { status: 201, json: issueJson(13, { html_url: 'https://x/13' }) });
    fake.rules.set('POST /repos/acme/tool/pulls/13/requested_reviewers', {
      status: 422,
      json: { message: 'Reviews may only be requested from collaborators' },
    });
    fake.rules.set('POST /repos/acme/tool/issues/13/labels', { json: [] });
    const made = await bench.ok('github', {
      op: 'pr_create',
      title: 'P',
      head: 'topic',
      reviewer: ['nobody'],
      label: ['x'],
    });
    expect(made).toMatch(
      /^Created pull request #13: P\nhttps:\/\/x\/13\ntopic -> main\n\[The reviewers could not be set: .*collaborators/,
    );
    expect(JSON.parse(fake.asked.find(({ path }) => path.endsWith('/pulls'))?.body ?? '')).toEqual({
      title: 'P',
      body: '',
      base: 'main',
      head: 'topic',
      draft: false,
    });
  });

  it('takes title and body of a pull request from the commits', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: bench.root });
    git('checkout', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'start');
    git('checkout', '-q', '-b', 'fix/round-totals');
    git('commit', '-q', '--allow-empty', '-m', 'Round totals\n\nBecause of cents.');
    fake.rules.set('POST /repos/acme/tool/pulls', { status: 201, json: issueJson(14) });
    const sent = () => JSON.parse(fake.asked.at(-1)?.body ?? '{}') as unknown;
    await bench.ok('github', { op: 'pr_create', fill: true, base: 'main' });
    expect(sent()).toMatchObject({ title: 'Round totals', body: 'Because of cents.', head: 'fix/round-totals' });
    git('commit', '-q', '--allow-empty', '-m', 'Test it');
    await bench.ok('github', { op: 'pr_create', fill: true, base: 'main' });
    expect(sent()).toMatchObject({ title: 'Round totals', body: '- Round totals\n- Test it' });
    expect(await bench.fails('github', { op: 'pr_create', fill: true, title: 'x' })).toMatch(/`fill` takes/);
    expect(await bench.fails('github', { op: 'pr_create', fill: true, base: 'nowhere' })).toMatch(/not known here/);
  });

  it('searches in the repository of the folder, unless the question names a place', async () => {
    fake.rules.set('GET /search/issues', {
      json: { total_count: 40, items: [issueJson(1, { repository_url: 'https://x/repos/acme/tool' })] },
    });
    fake.rules.set('GET /search/code', {
      json: {
        total_count: 1,
        items: [
          {
            path: 'a.ts',
            sha: 'abcdef1234',
            html_url: 'https://x/a',
            repository: { full_name: 'acme/tool' },
            text_matches: [{ fragment: '\n  const hit = 1;' }],
          },
        ],
      },
    });
    fake.rules.set('GET /search/repositories', { json: { total_count: 0, items: [] } });
    expect(await bench.ok('github', { op: 'search_issues', query: 'crash' })).toMatch(
      /Query: crash repo:acme\/tool\nResults: 1 of 40\n\n- #1 Issue 1 \(acme\/tool; open; by ada/,
    );
    expect(fake.asked.at(-1)?.query.get('q')).toBe('crash repo:acme/tool is:issue');
    await bench.ok('github', { op: 'search_prs', query: 'crash org:acme', limit: 500 });
    expect(fake.asked.at(-1)?.query.get('q')).toBe('crash org:acme is:pr');
    expect(fake.asked.at(-1)?.query.get('per_page')).toBe('50');
    expect(await bench.ok('github', { op: 'search_code', query: 'hit' })).toMatch(
      /- a\.ts \(acme\/tool; abcdef1\)\n {2}https:\/\/x\/a\n {2}const hit = 1;/,
    );
    await bench.ok('github', { op: 'search_repos', query: 'tool' });
    expect(fake.asked.at(-1)?.query.get('q')).toBe('tool');
  });

  it('watches the runs of a commit until they end, and shows the end of failed logs', async () => {
    const sha = 'c'.repeat(40);
    let polls = 0;
    const run = (status: string, conclusion: string | null) => ({
      id: 77,
      name: 'CI',
      head_branch: 'main',
      head_sha: sha,
      event: 'push',
      status,
      conclusion,
      html_url: 'https://x/77',
      created_at: '2026-01-01T00:00:00Z',
    });
    fake.rules.set('GET /repos/acme/tool/branches/main', { json: { commit: { sha } } });
    fake.rules.set('GET /repos/acme/tool/actions/runs', () => {
      polls++;
      return {
        field: 'workflow_runs',
        list: polls === 1 ? [] : [polls === 2 ? run('in_progress', null) : run('completed', 'failure')],
      };
    });
    fake.rules.set('GET /repos/acme/tool/actions/runs/77/jobs', () => ({
      field: 'jobs',
      list: [
        { id: 1, name: 'build', status: 'completed', conclusion: 'success', steps: [] },
        polls < 3
          ? {
              id: 2,
              name: 'test',
              status: 'in_progress',
              conclusion: null,
              steps: [{ name: 'npm test', status: 'in_progress' }],
            }
          : {
              id: 2,
              name: 'test',
              status: 'completed',
              conclusion: 'failure',
              steps: [{ name: 'npm test', status: 'completed', conclusion: 'failure' }],
            },
      ],
    }));
    fake.rules.set('GET /repos/acme/tool/actions/jobs/2/logs', {
      status: 302,
      headers: { location: `${fake.storage.origin}/log` },
    });
    fake.storage.files.set(
      '/log',
      Array.from({ length: 40 }, (_, at) => `2026-01-01T00:00:00.0000000Z line ${at}\u001b[31m!`).join('\n'),
    );
    const updates: ToolResult[] = [];
    const result = await bench.run('github', { op: 'run_watch', branch: 'main', tail: 3 }, { updates });
    expect(textOf(result)).toMatch(
      /at c{12}: failed\n- failure: CI \(run 77\)\n {2}- success: build\n {2}- failure: test \(npm test\)\n\n## CI \/ test, step "npm test"\n```\nline 37!\nline 38!\nline 39!\n```\n\nFull failed-job logs: artifact:\/\/0/,
    );
    expect(readFileSync(join(bench.home, 'artifacts-one', '0.log'), 'utf8')).toContain('line 0!');
    expect(updates.map(textOf).join('\n')).toMatch(/None has started yet[\s\S]*running\n- in_progress: CI/);
    expect(fake.storage.asked[0]?.headers.authorization).toBeUndefined();
  });

  it('watches one run, says so when a log cannot be had, and can be cancelled', async () => {
    const run = (status: string, conclusion: string | null) => ({
      json: { id: 78, name: 'CI', head_sha: 'd'.repeat(40), status, conclusion },
    });
    fake.rules.set('GET /repos/acme/tool/actions/runs/78', run('completed', 'success'));
    fake.rules.set('GET /repos/acme/tool/actions/runs/78/jobs', {
      field: 'jobs',
      list: [{ id: 3, name: 'build', status: 'completed', conclusion: 'success' }],
    });
    expect(await bench.ok('github', { op: 'run_watch', run: `${fake.origin}/acme/tool/actions/runs/78` })).toMatch(
      /succeeded\n- success: CI/,
    );
    fake.rules.set('GET /repos/acme/tool/actions/runs/78', run('completed', 'failure'));
    fake.rules.set('GET /repos/acme/tool/actions/runs/78/jobs', {
      field: 'jobs',
      list: [{ id: 3, name: 'build', status: 'completed', conclusion: 'failure' }],
    });
    expect(await bench.ok('github', { op: 'run_watch', run: '78' })).toMatch(/Log tail unavailable\./);
    fake.rules.set('GET /repos/acme/tool/actions/runs/78', run('in_progress', null));
    fake.rules.set('GET /repos/acme/tool/actions/runs/78/jobs', { field: 'jobs', list: [] });
    const abort = new AbortController();
    const call = bench.run('github', { op: 'run_watch', run: '78' }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    await expect(call).rejects.toThrow();
    expect(await bench.fails('github', { op: 'run_watch', run: 'nonsense' })).toMatch(/is not a workflow run/);
  });

  it('keeps a long diff in an artifact', async () => {
    const body = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,9000 @@\n${'+line of a long diff\n'.repeat(9000)}`;
    fake.rules.set('GET /repos/acme/tool/pulls/3', { body });
    const text = await bench.ok('github', { op: 'pr_diff', number: 3 });
    expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
    expect(text).toMatch(/Lines 1-\d+ of 9004 shown.*artifact:\/\/0/);
  });

  it('declares hosts for reading, and the whole change as a command', async () => {
    const tool = await bench.kernel.read(tools).resolve('github');
    const touches = (input: Record<string, unknown>) =>
      tool.touches?.(input, { signal: AbortSignal.timeout(60_000), scope: { session: 'one', cwd: bench.root } });
    expect(await touches({ op: 'pr_view', number: 3 })).toEqual({ hosts: [fake.host] });
    expect(await touches({ op: 'pr_comment', number: 3, body: "it's\nfine" })).toEqual({
      hosts: [fake.host],
      writes: [],
      commands: [{ text: `gh pr comment 3 -R ${fake.host}/acme/tool --body 'it'\\''s\nfine'`, cwd: bench.root }],
    });
  });

  it('says what is wrong with an input', async () => {
    expect(await bench.fails('github', { op: 'pr_view' })).toMatch(/needs `number`/);
    expect(await bench.fails('github', { op: 'search_code' })).toMatch(/needs `query`/);
    expect(await bench.fails('github', { op: 'issue_list', limit: 0 })).toMatch(/must be a number above 0/);
    expect(await bench.fails('github', { op: 'repo_view', repo: '../../user' })).toMatch(/is not a repository/);
    expect(await bench.fails('github', { op: 'repo_view', repo: 'https://evil.example/a/b' })).toMatch(
      /evil\.example, which is not a known server/,
    );
  });
});
