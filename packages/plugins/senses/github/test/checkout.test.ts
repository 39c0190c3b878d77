import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeGitHub, issueJson, startFakeGitHub } from './fake-github.ts';

describe('a pull request in a worktree', () => {
  let fake: FakeGitHub;
  let bench: Workbench;
  let bare: string;
  let fork: string;
  let heads: Record<string, string>;
  beforeEach(async () => {
    const repositories = temporaryFolder('repositories');
    const work = join(temporaryFolder('work'), 'tool');
    const git = gitRepository(work, { 'a.txt': 'one\n' });
    [bare, fork] = [join(repositories, 'acme', 'tool.git'), join(repositories, 'contributor', 'tool.git')];
    for (const path of [bare, fork]) {
      mkdirSync(join(path, '..'), { recursive: true });
      execFileSync('git', ['clone', '-q', '--bare', work, path]);
      execFileSync('git', ['config', 'http.receivepack', 'true'], { cwd: path });
    }
    // Pull request 1 is from the repository itself, 2 from a fork.
    heads = {};
    for (const [number, branch, target] of [
      ['1', 'topic', bare],
      ['2', 'feature', fork],
    ] as const) {
      git('checkout', '-q', '-b', branch, 'main');
      writeFileSync(join(work, `${branch}.txt`), branch);
      git('add', '-A');
      git('commit', '-q', '-m', branch);
      git('push', '-q', target, branch);
      git('push', '-q', bare, `${branch}:refs/pull/${number}/head`);
      heads[number] = git('rev-parse', 'HEAD').trim();
    }
    fake = await startFakeGitHub(repositories);
    for (const name of ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST']) vi.stubEnv(name, '');
    vi.stubEnv('GH_ENTERPRISE_TOKEN', fake.token);
    const side = (repo: string, ref: string, sha = '') => ({
      ref,
      sha,
      repo: { full_name: repo, clone_url: `${fake.origin}/${repo}.git` },
    });
    for (const [number, repo, ref] of [
      [1, 'acme/tool', 'topic'],
      [2, 'contributor/tool', 'feature'],
    ] as const) {
      fake.rules.set(`GET /repos/acme/tool/pulls/${number}`, {
        json: issueJson(number, {
          base: side('acme/tool', 'main'),
          head: side(repo, ref, heads[number]),
          maintainer_can_modify: true,
        }),
      });
      fake.rules.set(`GET /repos/acme/tool/pulls/${number}/files`, { list: [] });
    }
    fake.rules.set('GET /repos/acme/tool/pulls', { list: [issueJson(1, { head: side('acme/tool', 'topic') })] });
    bench = await openWorkbench(['github', 'models', 'sandbox', 'trust'], {
      settings: { github: { hosts: { [fake.host]: { api: fake.api } }, useGh: false } },
      ownFolder: 'own',
    });
    gitIn(bench.root, 'remote', 'add', 'origin', `${fake.origin}/acme/tool.git`);
    gitIn(bench.root, 'pull', '-q', bare, 'main');
  });
  afterEach(async () => {
    await bench.dispose();
    vi.unstubAllEnvs();
  });

  const worktree = (text: string) => /Worktree: (.*)/.exec(text)?.[1] ?? '';

  it('is made with the branch pr-NUMBER, found again, and pushed back to where it came from', async () => {
    for (const [number, repository, branch] of [
      [1, bare, 'topic'],
      [2, fork, 'feature'],
    ] as const) {
      const path = worktree(await bench.ok('github', { op: 'pr_checkout', number }));
      expect(readFileSync(join(path, `${branch}.txt`), 'utf8')).toBe(branch);
      expect(gitIn(path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(`pr-${number}`);
      expect(await bench.ok('github', { op: 'pr_checkout', number })).toMatch(/was there already/);
      writeFileSync(join(path, 'more.txt'), 'more');
      gitIn(path, 'add', '-A');
      gitIn(path, 'commit', '-q', '-m', 'more');
      const pushed = await bench.ok('github', { op: 'pr_push', branch: `pr-${number}` });
      expect(pushed).toMatch(new RegExp(`^Pushed pr-${number} .* to \\w+/tool:${branch}\\.`));
      expect(gitIn(repository, 'rev-parse', branch).trim()).toBe(gitIn(path, 'rev-parse', 'HEAD').trim());
    }
  });

  it('is found by its branch or its address, several at once', async () => {
    const text = await bench.ok('github', {
      op: 'pr_checkout',
      pr: ['topic', `${fake.origin}/acme/tool/pull/2`],
      repo: 'acme/tool',
    });
    expect(text).toMatch(/#1 is checked out[\s\S]*---[\s\S]*#2 is checked out/);
  });

  it('does not overwrite commits of an existing branch, unless that is asked for', async () => {
    gitIn(bench.root, 'branch', 'pr-1', 'HEAD');
    expect(await bench.fails('github', { op: 'pr_checkout', number: 1 })).toMatch(
      /pr-1 exists already at another commit[\s\S]*`force`/,
    );
    expect(await bench.ok('github', { op: 'pr_checkout', number: 1, force: true })).toMatch(/#1 is checked out/);
  });

  it('overwrites the remote branch only if nobody else has changed it', async () => {
    const path = worktree(await bench.ok('github', { op: 'pr_checkout', number: 1 }));
    gitIn(path, 'commit', '-q', '--amend', '-m', 'other words');
    expect(await bench.fails('github', { op: 'pr_push', branch: 'pr-1' })).toMatch(
      /`git push` failed: .*[\s\S]*forceWithLease/,
    );
    await bench.ok('github', { op: 'pr_push', branch: 'pr-1', forceWithLease: true });
    gitIn(bare, 'update-ref', 'refs/heads/topic', gitIn(bare, 'rev-parse', 'main').trim());
    gitIn(path, 'commit', '-q', '--amend', '-m', 'again');
    expect(await bench.fails('github', { op: 'pr_push', branch: 'pr-1', forceWithLease: true })).toMatch(
      /Somebody else has changed/,
    );
  });

  it('pushes no branch that is not of a pull request', async () => {
    expect(await bench.fails('github', { op: 'pr_push' })).toMatch(/was not made by `pr_checkout`/);
  });

  it('runs no hook and no program that the settings of the repository name', async () => {
    const marker = join(bench.home, 'marker');
    for (const hook of ['post-checkout', 'reference-transaction', 'pre-push']) {
      writeFileSync(join(bench.root, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    await bench.ok('github', { op: 'pr_checkout', number: 1 });
    expect(existsSync(marker)).toBe(false);
    gitIn(bench.root, 'config', 'filter.evil.smudge', `touch ${marker}; cat`);
    gitIn(bench.root, 'config', 'credential.helper', `!touch ${marker}`);
    const text = await bench.fails('github', { op: 'pr_checkout', number: 2 });
    expect(text).toMatch(
      /name programs that git would run outside of the sandbox: filter\.evil\.smudge,\s?credential\.helper/,
    );
    expect(existsSync(marker)).toBe(false);
    await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
    expect(await bench.ok('github', { op: 'pr_checkout', number: 2 })).toMatch(/#2 is checked out/);
  });

  it('never sends the token to a repository on another host', async () => {
    const other = await startFakeGitHub();
    fake.rules.set('GET /repos/acme/tool/pulls/1', {
      json: issueJson(1, {
        base: { ref: 'main', repo: { full_name: 'acme/tool', clone_url: `${other.origin}/acme/tool.git` } },
        head: { ref: 'topic', sha: heads['1'] },
      }),
    });
    expect(await bench.fails('github', { op: 'pr_checkout', number: 1 })).toMatch(/not followed: it is another server/);
    expect(other.asked).toEqual([]);
  });

  it('does not show the token when git fails', async () => {
    vi.stubEnv('GH_ENTERPRISE_TOKEN', `${fake.token}x`);
    const text = await bench.fails('github', { op: 'pr_checkout', number: 1 });
    expect(text).not.toContain(fake.token);
  });
});
