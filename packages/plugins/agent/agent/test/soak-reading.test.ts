import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentFactory, type AgentSession } from '../src/api.ts';
import { scriptedWorld } from './support/scripted-world.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tenon-reading-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** An agent that has a few long answers behind it, and what is read of its session from now on. */
async function longWorld(): Promise<{
  agent: AgentSession;
  session: Session;
  reads: { context: number; ids: string[] };
}> {
  const kernel = await scriptedWorld({
    home,
    contextWindow: 1_000_000,
    answer: ({ tools = [] }) => ({ text: tools.length === 0 ? 'Summary.' : 'word '.repeat(1_000) }),
    toolkit: { read: async () => ({ content: [] }) },
  });
  const session = await (await kernel.find(sessionStore)).create({ cwd: home });
  const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd: home });
  for (let prompt = 0; prompt < 6; prompt++) await agent.prompt(`Step ${prompt}`);
  const reads = { context: 0, ids: [] as string[] };
  const { context, entry, branch } = session;
  session.context = (...args) => (reads.context++, context.apply(session, args));
  session.entry = (id) => (reads.ids.push(id), entry.call(session, id));
  session.branch = (...args) => {
    const entries = branch.apply(session, args);
    reads.ids.push(...entries.map(({ id }) => id));
    return entries;
  };
  return { agent, session, reads };
}

it('a turn does not read the session again, however long it is', async () => {
  const { agent, reads } = await longWorld();
  await agent.prompt('One more');
  expect(reads).toEqual({ context: 0, ids: [] });
  await agent.dispose();
});

it('a second compaction reads nothing of what the first one replaced', async () => {
  const { agent, session, reads } = await longWorld();
  const replaced = [...session.entries()].slice(0, 6).map(({ id }) => id);
  await agent.compact();
  expect(reads.ids).toEqual(expect.arrayContaining(replaced));
  for (let prompt = 0; prompt < 4; prompt++) await agent.prompt(`Step ${prompt}`);
  reads.ids.length = 0;
  await agent.compact();
  expect(reads.ids.length).toBeGreaterThan(0);
  expect(reads.ids.filter((id) => replaced.includes(id))).toEqual([]);
  await agent.dispose();
});
