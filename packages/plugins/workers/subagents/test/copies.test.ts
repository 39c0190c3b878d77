import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { describe, expect, it } from 'vitest';
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
