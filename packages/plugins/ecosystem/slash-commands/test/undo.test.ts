/** `/undo`, with the real plugin that keeps the files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, agentFactory } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';

const CALL = (id: string, text: string) => ({ calls: [{ id, name: 'change', arguments: { text } }] });

/** An agent whose one tool writes `a.txt`, after it has said "one" and then "two" there. */
async function start() {
  // That of the world holds a home folder and Tenon's own ones, for which nothing is kept.
  const folder = temporaryFolder();
  const world = await createWorld({
    plugins: [
      'discovery',
      'slash-commands',
      'session-export',
      'planning-tools',
      'trust',
      'approval',
      'sandbox',
      'undo',
    ],
    script: [CALL('1', 'one'), { text: 'Done.' }, CALL('2', 'two'), { text: 'Done.' }, { text: 'I see.' }],
    tools: {
      change: Object.assign(
        tool(async ({ text }) => {
          writeFileSync(join(folder, 'a.txt'), String(text));
          return { content: [{ type: 'text', text: 'changed' }] };
        }),
        { touches: () => ({ writes: [join(folder, 'a.txt')] }) },
      ),
    },
  });
  writeFileSync(join(folder, 'a.txt'), 'before');
  const session = await (await world.kernel.find(sessionStore)).create({ cwd: folder });
  const { agent } = await (await world.kernel.find(agentFactory)).create({ session, cwd: folder, tools: ['change'] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  const answer = async (text: string): Promise<string> => {
    await agent.prompt(text);
    const last = events.findLast((event) => event.type === 'notice');
    return last?.type === 'notice' ? last.text : '';
  };
  for (const text of ['write one', 'write two']) await agent.prompt(text);
  const content = () => readFileSync(join(folder, 'a.txt'), 'utf8');
  expect(content()).toBe('two');
  return { ...world, agent, answer, content };
}

describe('/undo', () => {
  it('takes back the last call, then the one before it, and brings one back; the model is told', async () => {
    const { agent, answer, content, requests } = await start();
    expect(await answer('/undo')).toMatch(/^Undone: 1 path\. Take it back with `\/undo redo`\.\n {2}revert +a\.txt/);
    expect(content()).toBe('one');
    await answer('/undo');
    expect(content()).toBe('before');
    expect(await answer('/undo redo')).toMatch(/^Redone: 1 path\. Take it back with `\/undo`\./);
    expect(content()).toBe('one');
    expect(requests).toHaveLength(4);
    await agent.prompt('What now?');
    const told = JSON.stringify(requests.at(-1)?.messages);
    expect(told).toMatch(/undid changes that you made/);
    expect(told).toMatch(/- a\.txt/);
  });

  it('takes back several calls, and lists them', async () => {
    const { answer, content } = await start();
    expect((await answer('/undo list')).split('\n')).toHaveLength(2);
    await answer('/undo 2');
    expect(content()).toBe('before');
    expect(await answer('/undo list')).toContain('undone by');
  });

  it('says what may follow it, and when nothing is left', async () => {
    const { agent, answer, content } = await start();
    await expect(agent.prompt('/undo everything')).rejects.toMatchObject({
      message: '/undo does not know "everything".',
      next: 'Use /undo, or /undo with a number of calls, list or redo.',
    });
    await answer('/undo 2');
    await expect(agent.prompt('/undo')).rejects.toThrow(/nothing to undo/);
    expect(content()).toBe('before');
  });
});
