import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';
import { mountOverlay, overlayFolders, unmountOverlay } from '../src/isolation/overlay-mount.ts';
import type { Answer, Request } from '@tenon/test-kit/scripted-models';
import { delegate, subagentWorld, taskOf, yields } from './support/world.ts';

const writes = (path: string, content: string) => [
  { calls: [{ name: 'write', arguments: { path, content } }] },
  yields(`wrote ${path}`),
];

/** A repository with one commit, a change that is not committed, and subagents that work in copies of it. */
async function repository(
  tasks: Parameters<typeof subagentWorld>[0]['tasks'],
  isolation: Readonly<Record<string, unknown>>,
) {
  const names = Object.keys(tasks ?? {});
  const world = await subagentWorld(
    {
      main: [{ calls: [delegate('quick_task', names, { isolated: true })] }, { text: 'done' }],
      ...(tasks && { tasks }),
    },
    {
      files: { 'shared.txt': 'one\ntwo\nthree\n', 'other.txt': 'as it was\n' },
      subagents: { maxConcurrent: 8, isolation },
    },
  );
  const git = gitRepository(world.cwd);
  writeFileSync(join(world.cwd, 'other.txt'), 'not committed\n');
  return { ...world, git };
}

/** Whether this machine can mount an overlay at all. */
async function canOverlay(): Promise<boolean> {
  const base = temporaryFolder('overlay-probe');
  mkdirSync(join(base, 'lower'));
  const folders = overlayFolders(join(base, 'open'), join(base, 'lower'));
  if ('reason' in (await mountOverlay(folders, ['kernel', 'fuse']))) return false;
  await unmountOverlay(folders.merged);
  return true;
}
const overlays = await canOverlay();

describe('isolated tasks', () => {
  it('work in copies: of eight, six are merged, two conflict, and nothing is lost', async () => {
    const clean = ['b', 'c', 'd', 'e', 'f'].map((id) => [id, writes(`${id}.txt`, `by ${id}\n`)] as const);
    const shared = ['a', 'g', 'h'].map((id) => [id, writes('shared.txt', `one\n${id}\nthree\n`)] as const);
    const order = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const tasks = Object.fromEntries([...clean, ...shared].sort(([x], [y]) => order.indexOf(x) - order.indexOf(y)));
    const { agent, cwd, results } = await repository(tasks, { mode: 'worktree' });
    await agent.prompt('go');
    const details = results()[0]?.details as {
      tasks: readonly { id: string; merge: { status: string; kept?: string } }[];
    };
    expect(details.tasks.map(({ id, merge }) => `${id} ${merge.status}`)).toEqual([
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => `${id} merged`),
      'g conflict',
      'h conflict',
    ]);
    for (const { id, merge } of details.tasks.slice(6)) {
      expect(readFileSync(merge.kept ?? '', 'utf8')).toContain(`+${id}`);
      expect(results()[0]?.text).toContain(merge.kept);
    }
    expect(readFileSync(join(cwd, 'shared.txt'), 'utf8')).toBe('one\na\nthree\n');
    expect(readFileSync(join(cwd, 'other.txt'), 'utf8')).toBe('not committed\n');
    expect(readdirSync(cwd).sort()).toEqual(
      ['.git', ...['b', 'c', 'd', 'e', 'f'].map((id) => `${id}.txt`), 'other.txt', 'shared.txt'].sort(),
    );
  });

  it('come back as commits when the setting says so', async () => {
    const { agent, git } = await repository({ a: writes('a.txt', 'a\n') }, { mode: 'worktree', merge: 'branch' });
    git('config', 'user.name', 'T');
    git('config', 'user.email', 't@example.org');
    await agent.prompt('go');
    expect(git('log', '--format=%s').trim()).toBe('a\nstart');
    expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe('a.txt');
  });

  it('come back with messages of a small model, whose use counts, or with the description when it gives none', async () => {
    const answers = (request: Request): Answer => {
      if (request.systemPrompt !== '') return { calls: [delegate('quick_task', ['a', 'b'], { isolated: true })] };
      const text = JSON.stringify(request.messages);
      if (!text.includes('The task was: a')) return { fail: { kind: 'overloaded', message: 'busy' } };
      return { text: text.includes('+by a') ? '"feat: add the file of a"\nand more' : 'the diff is missing' };
    };
    const { agent, cwd } = await subagentWorld(
      { main: [answers, { text: 'done' }], tasks: { a: writes('a.txt', 'by a\n'), b: writes('b.txt', 'by b\n') } },
      { files: { 'x.txt': 'x\n' }, subagents: { isolation: { mode: 'worktree', merge: 'branch', commits: 'ai' } } },
    );
    const git = gitRepository(cwd);
    git('config', 'user.name', 'T');
    git('config', 'user.email', 't@example.org');
    await agent.prompt('go');
    expect(git('log', '--format=%s').trim()).toBe('b\nfeat: add the file of a\nstart');
    // Two turns of the agent, two of each task, and two messages.
    expect(agent.usage().totalTokens).toBe(8 * 15);
  });

  it.skipIf(!overlays)('work in overlays, also of a folder that is not a repository', async () => {
    const tasks = { a: writes('a.txt', 'by a\n'), b: writes('deep/b.txt', 'by b\n'), c: writes('a.txt', 'by c\n') };
    const { agent, cwd, results, requests } = await subagentWorld(
      { main: [{ calls: [delegate('quick_task', ['a', 'b', 'c'], { isolated: true })] }, { text: 'done' }], tasks },
      { files: { 'a.txt': 'before\n' }, subagents: { maxConcurrent: 3, isolation: { mode: 'overlay' } } },
    );
    await agent.prompt('go');
    const details = results()[0]?.details as { tasks: readonly { id: string; merge: { status: string } }[] };
    expect(details.tasks.map(({ id, merge }) => `${id} ${merge.status}`)).toEqual([
      'a merged',
      'b merged',
      'c conflict',
    ]);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('by a\n');
    expect(readFileSync(join(cwd, 'deep/b.txt'), 'utf8')).toBe('by b\n');
    const [first] = requests.filter((request) => taskOf(request) === 'a');
    expect(first?.systemPrompt).not.toContain(`Project folder: ${cwd}\n`);
  });

  it('are kept and not merged when the task fails', async () => {
    const { agent, cwd, results } = await repository(
      {
        a: [
          { calls: [{ name: 'write', arguments: { path: 'half.txt', content: 'half\n' } }] },
          { fail: { kind: 'auth', message: 'no key' } },
        ],
      },
      { mode: 'worktree' },
    );
    await agent.prompt('go');
    expect(existsSync(join(cwd, 'half.txt'))).toBe(false);
    const details = results()[0]?.details as { tasks: readonly { merge: { status: string; kept?: string } }[] };
    expect(details.tasks[0]?.merge.status).toBe('kept');
    expect(readFileSync(details.tasks[0]?.merge.kept ?? '', 'utf8')).toContain('half.txt');
  });

  it('know that they work in a copy, and see what is not committed', async () => {
    const { agent, cwd, requests } = await repository(
      { a: [{ calls: [{ name: 'read', arguments: { path: 'other.txt' } }] }, yields('ok')] },
      { mode: 'worktree' },
    );
    await agent.prompt('go');
    const [first, second] = requests.filter((request) => taskOf(request) === 'a');
    expect(first?.systemPrompt).toContain('It is a copy of the project for you alone.');
    expect(first?.systemPrompt).not.toContain(`Project folder: ${cwd}\n`);
    expect(JSON.stringify(second?.messages)).toContain('not committed');
  });

  it('say what to do where there is no repository', async () => {
    const { agent, results } = await subagentWorld(
      { main: [{ calls: [delegate('quick_task', ['a'], { isolated: true })] }, { text: 'done' }] },
      { subagents: { isolation: { mode: 'worktree' } } },
    );
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(/failed.*not in a git repository/s);
  });
});
