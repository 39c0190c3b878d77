import { execFileSync } from 'node:child_process';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeGitHub, issueJson, startFakeGitHub } from './fake-github.ts';

beforeEach(() => {
  for (const name of ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'GITLAB_HOST', 'GITLAB_TOKEN']) vi.stubEnv(name, '');
});
afterEach(() => void vi.unstubAllEnvs());

async function openWith(forge: string, fake: FakeGitHub, remote = `${fake.origin}/acme/tool.git`) {
  vi.stubEnv('MY_TOKEN', fake.token);
  const bench = await openWorkbench(['github', 'models'], {
    settings: { github: { hosts: { [fake.host]: { forge, api: fake.api, tokenEnv: 'MY_TOKEN' } } } },
  });
  execFileSync('git', ['remote', 'add', 'origin', remote], { cwd: bench.root });
  return bench;
}

describe('Gitea', () => {
  it('shows issues and pull requests, and says what it has not', async () => {
    const fake = await startFakeGitHub(undefined, '/api/v1');
    const bench = await openWith('gitea', fake);
    fake.rules.set('GET /repos/acme/tool/issues', { list: [issueJson(1)] });
    fake.rules.set('GET /repos/acme/tool/pulls/2.diff', { body: 'diff --git a/x b/x\n' });
    fake.rules.set('POST /repos/acme/tool/issues/1/comments', { json: { html_url: 'https://x/c' } });
    expect(await bench.ok('github', { op: 'issue_list' })).toContain('- #1 Issue 1');
    expect(fake.asked.at(-1)?.headers.authorization).toBe(`token ${fake.token}`);
    expect(fake.asked.at(-1)?.query.get('type')).toBe('issues');
    expect(await bench.ok('github', { op: 'pr_diff', number: 2 })).toBe('diff --git a/x b/x');
    expect(await bench.ok('github', { op: 'issue_comment', number: 1, body: 'x' })).toContain('https://x/c');
    expect(await bench.fails('github', { op: 'run_watch', run: '1' })).toMatch(/`run_watch` is not there for Gitea/);
    expect(await bench.fails('github', { op: 'search_code', query: 'x' })).toMatch(/not there for Gitea/);
    await bench.dispose();
  });
});

describe('GitLab', () => {
  const issue = {
    iid: 4,
    title: 'Leak',
    state: 'opened',
    author: { username: 'ada' },
    labels: ['bug'],
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    web_url: 'https://gl/4',
    description: 'It leaks',
  };

  it('shows issues and merge requests of projects in groups, and writes notes', async () => {
    const fake = await startFakeGitHub(undefined, '/api/v4');
    const bench = await openWith('gitlab', fake, `${fake.origin}/group/sub/tool.git`);
    const place = '/projects/group%2Fsub%2Ftool';
    fake.rules.set(`GET ${place}`, {
      json: {
        path_with_namespace: 'group/sub/tool',
        web_url: 'https://gl',
        default_branch: 'main',
        visibility: 'private',
      },
    });
    fake.rules.set(`GET ${place}/issues/4`, { json: issue });
    fake.rules.set(`GET ${place}/issues/4/notes`, {
      list: [
        { author: { username: 'bob' }, body: 'Seen', created_at: '2026-01-02T00:00:00Z' },
        { system: true, body: 'changed label' },
      ],
    });
    const text = await bench.ok('github', { op: 'issue_view', number: 4 });
    expect(text).toMatch(/# #4 Leak\nState: open[\s\S]*It leaks[\s\S]*### bob[\s\S]*Seen/);
    expect(text).not.toContain('changed label');
    expect(fake.asked[0]?.headers['private-token']).toBe(fake.token);
    fake.rules.set(`GET ${place}/merge_requests/5`, {
      json: {
        ...issue,
        iid: 5,
        draft: true,
        source_branch: 'topic',
        target_branch: 'main',
        sha: 'e'.repeat(40),
        source_project_id: 9,
        detailed_merge_status: 'mergeable',
      },
    });
    fake.rules.set(`GET ${place}/merge_requests/5/notes`, { list: [] });
    fake.rules.set(`GET ${place}/merge_requests/5/diffs`, {
      list: [{ new_path: 'a.c', new_file: true, diff: '@@ -0,0 +1 @@\n+x\n' }],
    });
    fake.rules.set('GET /projects/9', {
      json: { path_with_namespace: 'fork/tool', http_url_to_repo: 'https://gl/fork/tool.git' },
    });
    expect(await bench.ok('github', { op: 'pr_view', number: 5 })).toMatch(
      /Branches: fork\/tool:topic -> main[\s\S]*- a\.c \(added, \+1 -0\)/,
    );
    fake.rules.set(`POST ${place}/merge_requests/5/notes`, { status: 201, json: {} });
    expect(await bench.ok('github', { op: 'pr_comment', number: 5, body: 'Hi' })).toContain('https://gl/4');
    fake.rules.set(`POST ${place}/merge_requests`, { status: 201, json: { iid: 6, web_url: 'https://gl/6' } });
    expect(await bench.ok('github', { op: 'pr_create', title: 'T', head: 'topic', draft: true })).toContain(
      'Created pull request #6',
    );
    expect(JSON.parse(fake.asked.at(-1)?.body ?? '')).toMatchObject({
      title: 'Draft: T',
      source_branch: 'topic',
      target_branch: 'main',
    });
    await bench.dispose();
  });
});
