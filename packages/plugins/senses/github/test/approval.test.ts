import { execFileSync } from 'node:child_process';
import { openWorkbench } from '@tenon/test-kit/workbench';
import { expect, it, vi } from 'vitest';
import { issueJson, startFakeGitHub } from './fake-github.ts';

it('reads without a question, and asks before it changes something for others to see', async () => {
  const fake = await startFakeGitHub();
  vi.stubEnv('MY_TOKEN', fake.token);
  fake.rules.set('GET /repos/acme/tool/issues/5', { json: issueJson(5) });
  fake.rules.set('POST /repos/acme/tool/issues/5/comments', { json: {} });
  const bench = await openWorkbench(['github', 'models', 'sandbox', 'trust', 'approval'], {
    settings: {
      github: { hosts: { [fake.host]: { api: fake.api, tokenEnv: 'MY_TOKEN' } } },
      approval: { mode: 'ask' },
    },
  });
  execFileSync('git', ['remote', 'add', 'origin', `${fake.origin}/acme/tool.git`], { cwd: bench.root });
  expect(await bench.ok('github', { op: 'issue_view', number: 5 })).toContain('Issue 5');
  const text = await bench.fails('github', { op: 'issue_comment', number: 5, body: 'the whole text' });
  expect(text).toMatch(/changes something on GitHub[\s\S]*tenon approval allow/);
  for (const input of [
    { op: 'pr_create', title: 'x', head: 'y', base: 'z' },
    { op: 'pr_review', number: 5, event: 'approve' },
    { op: 'pr_resolve', number: 5, thread: 'T' },
    { op: 'pr_reply', number: 5, thread: 'T', body: 'x' },
    { op: 'pr_push', branch: 'pr-5' },
    { op: 'issue_create', title: 'x' },
    { op: 'pr_checkout', number: 5 },
  ])
    expect(await bench.fails('github', input)).toContain('tenon approval allow');
  expect(fake.asked.every(({ method }) => method === 'GET')).toBe(true);
  await bench.dispose();
  vi.unstubAllEnvs();
});
