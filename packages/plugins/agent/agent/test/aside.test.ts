import { agentFactory, modelUsed } from '@tenon/agent/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { MODEL, type Script } from '@tenon/test-kit/scripted-models';
import { afterEach, describe, expect, it } from 'vitest';

let remove: (() => Promise<void>) | undefined;
afterEach(async () => {
  await remove?.();
  remove = undefined;
});

async function start(script: Script) {
  const purposes: string[] = [];
  const watcher = inlineCandidate(
    { id: 'watcher', activate: (ctx) => void ctx.on(modelUsed, ({ purpose }) => void purposes.push(purpose)) },
    { handles: ['model.used'] },
  );
  const look = tool(() => Promise.resolve({ content: [{ type: 'text', text: 'seen' }] }));
  const world = await createWorld({ script, plugins: [watcher], tools: { look } });
  remove = world.remove;
  const store = await world.kernel.find(sessionStore);
  const session = await store.create({ cwd: world.cwd });
  const { agent } = await (await world.kernel.find(agentFactory)).create({ session, cwd: world.cwd, tools: ['look'] });
  return { ...world, agent, session, purposes };
}

describe('a question beside the conversation', () => {
  it('is answered with what was said, without tools, and leaves no trace', async () => {
    const { agent, session, requests, purposes } = await start([
      { text: 'The bug is in parse.ts.' },
      { text: 'In parse.ts.' },
      { text: 'Go on.' },
    ]);
    await agent.prompt('Find the bug');
    const before = [...session.entries()].length;
    expect(await agent.aside('Where is the bug?')).toBe('In parse.ts.');
    expect(requests[1]).toMatchObject({ toolChoice: 'none', systemPrompt: requests[0]?.systemPrompt });
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect([...session.entries()]).toHaveLength(before);
    expect(purposes).toEqual(['turn', 'summary']);
    await agent.prompt('Thanks');
    expect(JSON.stringify(requests[2]?.messages)).not.toContain('Where is the bug?');
  });

  it('is answered while a run waits for its model', async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { agent, requests } = await start([{ text: 'Long work.', hold }, { text: 'Still working.' }]);
    const run = agent.prompt('Work');
    await expect.poll(() => requests.length).toBe(1);
    expect(await agent.aside('How far are you?')).toBe('Still working.');
    release();
    await run;
    expect(agent.state.messageCount).toBe(2);
  });

  it('goes to the small model of the same provider when it stands alone', async () => {
    const { agent, requests } = await start([{ text: 'Hello.' }, { text: 'Four.' }]);
    await agent.prompt('A secret of this conversation');
    expect(await agent.aside('What is two and two?', { alone: true })).toBe('Four.');
    expect(requests[1]?.model).toMatchObject({ provider: MODEL.provider });
    expect(requests[1]?.messages).toHaveLength(1);
    expect(JSON.stringify(requests[1])).not.toContain('A secret of this conversation');
  });

  it('fails with what the model said, ends when it is stopped, and ends with the session', async () => {
    const hold = new Promise<void>(() => undefined);
    const { agent, requests } = await start([
      { fail: { kind: 'overloaded', message: 'too many requests' } },
      { text: ' ' },
      { text: 'never', hold },
    ]);
    await expect(agent.aside('One?')).rejects.toMatchObject({ code: 'AGENT_ASIDE_FAILED' });
    await expect(agent.aside('Two?')).rejects.toThrow('nothing to say');
    const stop = new AbortController();
    const stopped = agent.aside('Three?', { signal: stop.signal });
    await expect.poll(() => requests.length).toBe(3);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    const cut = agent.aside('Four?');
    await expect.poll(() => requests.length).toBe(4);
    const outcome = expect(cut).rejects.toMatchObject({ name: 'AbortError' });
    await agent.dispose();
    await outcome;
    await expect(agent.aside('Five?')).rejects.toMatchObject({ code: 'AGENT_DISPOSED' });
  });
});
