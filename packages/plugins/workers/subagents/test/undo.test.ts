/** What taking the work of an agent back means for what its subagents did. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { callsAfter, undo } from '@tenon/undo/api';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, yields } from './support/world.ts';

const writing = (path: string, content: string) => ({ calls: [{ name: 'write', arguments: { path, content } }] });

/** An agent that writes a file itself, then lets two subagents work, and the way back. */
async function worked(isolated: boolean) {
  const world = await subagentWorld(
    {
      main: [
        writing('own.txt', 'by the agent\n'),
        { calls: [delegate('quick_task', ['a', 'b'], isolated ? { isolated } : {})] },
        { text: 'done' },
      ],
      tasks: {
        a: [writing('kept.txt', 'by a\n'), yields('a')],
        b: [writing('new.txt', 'by b\n'), writing('new.txt', 'by b again\n'), yields('b')],
      },
    },
    {
      cwd: temporaryFolder('undone'),
      files: { 'kept.txt': 'before\n' },
      plugins: ['undo'],
      settings: { approval: { mode: 'yolo' } },
      subagents: { isolation: { mode: 'worktree' } },
    },
  );
  gitRepository(world.cwd);
  await world.agent.prompt('go');
  const read = (name: string) => (existsSync(join(world.cwd, name)) ? readFileSync(join(world.cwd, name), 'utf8') : '');
  const state = () => ['own.txt', 'kept.txt', 'new.txt'].map(read);
  expect(state()).toEqual(['by the agent\n', 'by a\n', 'by b again\n']);
  return { ...world, files: await world.kernel.find(undo), state };
}

describe('going back to before a prompt', () => {
  it.each([false, true])('takes back what subagents did for it, too (in copies: %s)', async (isolated) => {
    const { agent, cwd, files, state } = await worked(isolated);
    const request = { cwd, session: agent.session.id, calls: callsAfter(agent.session, null) };
    await files.restore(request);
    expect(state()).toEqual(['', 'before\n', '']);
    await files.restore({ cwd, redo: true });
    expect(state()).toEqual(['by the agent\n', 'by a\n', 'by b again\n']);
  });
});

describe('tenon undo', () => {
  it('lists the calls of subagents with those of the session that they work for, and takes back the last', async () => {
    const { agent, cwd, files, state } = await worked(false);
    const session = agent.session.id;
    const entries = await files.list({ cwd, session });
    expect(entries.map(({ tool }) => tool)).toEqual(['write', 'write', 'write', 'write']);
    expect(entries.filter((entry) => entry.session === session)).toHaveLength(1);
    await files.restore({ cwd, session });
    await files.restore({ cwd, session, count: 2 });
    expect(state()).toEqual(['by the agent\n', 'before\n', '']);
  });

  it('takes back all that isolated tasks brought in as one call', async () => {
    const { agent, cwd, files, state } = await worked(true);
    expect((await files.list({ cwd, session: agent.session.id })).map(({ tool }) => tool)).toEqual(['task', 'write']);
    await files.restore({ cwd });
    expect(state()).toEqual(['by the agent\n', 'before\n', '']);
  });
});
