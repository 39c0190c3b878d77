import { inlineCandidate } from '@tenon/kernel/testing';
import type { CustomMessage } from '@tenon/sessions/api';
import { describe, expect, it } from 'vitest';
import { type AgentSession, agentStop, input, liveAgents, modelRequest } from '../src/api.ts';
import { said, types, world } from '@tenon/test-kit/conversation-world';

const note = (content: string): CustomMessage => ({
  role: 'custom',
  customType: 'job',
  content,
  display: true,
  timestamp: 1,
});

describe('a message of a plugin', () => {
  it('is said at once when the agent is idle, and answered only when that is asked for', async () => {
    const { agent, requests, session } = await world([{ text: 'ok' }]);
    await agent.send(note('a job has ended'));
    expect(requests).toHaveLength(0);
    expect(session.context().messages).toMatchObject([{ role: 'custom', content: 'a job has ended' }]);
    await agent.send(note('another one'), { triggerTurn: true });
    await agent.idle();
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]?.messages)).toContain('another one');
    await agent.dispose();
  });

  it('cuts in, follows, or waits for the next prompt when the agent works', async () => {
    const seen: { agent?: AgentSession } = {};
    const { agent, requests } = await world([{ calls: [{ name: 'work' }] }, { text: 'ok' }], {
      work: async () => {
        await seen.agent?.send(note('NEXT'), { deliverAs: 'nextTurn', triggerTurn: true });
        await seen.agent?.send(note('LATER'));
        await seen.agent?.send(note('NOW'), { deliverAs: 'steer' });
        return said('done');
      },
    });
    seen.agent = agent;
    await agent.prompt('go');
    const sent = requests.map(({ messages }) => JSON.stringify(messages));
    expect(sent.map((text) => ['NOW', 'LATER', 'NEXT'].filter((word) => text.includes(word)))).toEqual([
      [],
      ['NOW'],
      ['NOW', 'LATER'],
    ]);
    await agent.prompt('again');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('NEXT');
    await agent.dispose();
  });

  it('that comes while the end of a run is written down still gets its answer', async () => {
    const seen: { agent?: AgentSession; sent?: boolean } = {};
    // Asked for the last time whether it may stop: after this the loop looks for no more messages.
    const plugin = inlineCandidate(
      {
        id: 'late',
        activate: (ctx) =>
          void ctx.on(agentStop, () => {
            if (!seen.sent) queueMicrotask(() => void seen.agent?.send(note('LATE')));
            seen.sent = true;
          }),
      },
      { handles: ['agent.stop'] },
    );
    const { agent, requests } = await world([{ text: 'ok' }], {}, [plugin]);
    seen.agent = agent;
    await agent.prompt('go');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('LATE');
    expect(agent.state.queuedMessages).toBe(0);
    await agent.dispose();
  });

  it('finds its agent by the id of the session, for as long as the agent lives', async () => {
    const { agent, kernel, session } = await world([{ text: 'ok' }]);
    const agents = await kernel.find(liveAgents);
    expect(agents.get(session.id)).toBe(agent);
    expect(agents.list()).toEqual([agent]);
    await agent.dispose();
    expect(agents.get(session.id)).toBeUndefined();
    await expect(agent.send(note('x'))).rejects.toThrow('has ended');
  });
});

describe('hooks', () => {
  it('know the session and its folder', async () => {
    const seen: unknown[] = [];
    const plugin = inlineCandidate(
      {
        id: 'watcher',
        activate(ctx) {
          ctx.on(input, ({ session, cwd }) => void seen.push([session, cwd]));
          ctx.on(modelRequest, ({ session }) => void seen.push(session));
        },
      },
      { handles: ['input', 'model.request'] },
    );
    const { agent, session, home } = await world([{ text: 'ok' }], {}, [plugin]);
    await agent.prompt('hello');
    expect(seen).toEqual([[session.id, home], session.id]);
    await agent.dispose();
  });

  it('can block a prompt and what is said in between: the model sees neither, the user is told why', async () => {
    const seen: { agent?: AgentSession } = {};
    const plugin = inlineCandidate(
      {
        id: 'guard',
        activate: (ctx) =>
          void ctx.on(input, (typed) =>
            typed.text.includes('secret plan') ? { ...typed, blocked: 'it names the plan' } : undefined,
          ),
      },
      { handles: ['input'] },
    );
    const { agent, requests, session, events } = await world(
      [{ calls: [{ name: 'work' }] }, { text: 'ok' }],
      { work: async () => (seen.agent?.followUp('the secret plan'), seen.agent?.followUp('and tests'), said('x')) },
      [plugin],
    );
    seen.agent = agent;
    await expect(agent.prompt('the secret plan')).rejects.toThrow('it names the plan');
    expect(requests).toHaveLength(0);
    expect(session.leafId).toBeNull();
    await agent.prompt('go');
    expect(JSON.stringify(requests)).not.toContain('secret plan');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('and tests');
    expect(events).toContainEqual({
      type: 'notice',
      level: 'warning',
      text: 'The prompt was not sent: it names the plan. Change the prompt, or the hook or plugin that blocks it.',
    });
    await agent.dispose();
  });

  it('can refuse a slash command with one reason and one remedy', async () => {
    const refused = { blocked: '/tidy needs a session.', remedy: 'Start one.' };
    const plugin = inlineCandidate(
      {
        id: 'commands',
        activate: (ctx) =>
          void ctx.on(input, (typed) => (typed.text === '/tidy' ? { ...typed, ...refused } : undefined)),
      },
      { handles: ['input'] },
    );
    const seen: { agent?: AgentSession } = {};
    const { agent, events } = await world(
      [{ calls: [{ name: 'work' }] }, { text: 'ok' }],
      { work: async () => (seen.agent?.followUp('/tidy'), said('x')) },
      [plugin],
    );
    seen.agent = agent;
    await expect(agent.prompt('/tidy')).rejects.toMatchObject({
      code: 'AGENT_COMMAND_REFUSED',
      message: '/tidy needs a session.',
      next: 'Start one.',
    });
    await agent.prompt('go');
    expect(events).toContainEqual({ type: 'notice', level: 'warning', text: '/tidy needs a session. Start one.' });
    await agent.dispose();
  });

  it('can make the agent go on where it would stop, but not for ever', async () => {
    const asked: number[] = [];
    const plugin = inlineCandidate(
      {
        id: 'driver',
        activate: (ctx) =>
          void ctx.on(agentStop, ({ continues, text }) => {
            asked.push(continues);
            return { continue: `you said "${text}", but the tests fail`, by: 'driver' };
          }),
      },
      { handles: ['agent.stop'] },
    );
    const { agent, requests, events } = await world([{ text: 'done' }], {}, [plugin], { config: { stopLimit: 2 } });
    await agent.prompt('go');
    expect(asked).toEqual([0, 1, 2]);
    expect(requests).toHaveLength(3);
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'you said "done", but the tests fail',
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'notice', text: expect.stringContaining('driver') }));
    await agent.prompt('once more');
    expect(asked).toEqual([0, 1, 2, 0, 1, 2]);
    await agent.dispose();
  });

  it('are not asked to go on after a failed answer', async () => {
    let asked = 0;
    const plugin = inlineCandidate(
      { id: 'driver', activate: (ctx) => void ctx.on(agentStop, () => (asked++, { continue: 'go on' })) },
      { handles: ['agent.stop'] },
    );
    const { agent, events } = await world([{ fail: { kind: 'other', message: 'down' } as never }], {}, [plugin]);
    await agent.prompt('go');
    expect(asked).toBe(0);
    expect(types(events).at(-1)).toBe('agent_end');
    await agent.dispose();
  });
});

describe('tools that are chosen while the agent works', () => {
  it('are offered from the next turn on', async () => {
    const seen: { agent?: AgentSession } = {};
    const { agent, requests, session } = await world(
      [{ calls: [{ name: 'finder' }] }, { calls: [{ name: 'hidden' }] }, { text: 'ok' }],
      {
        finder: async () => (await seen.agent?.setTools(['finder', 'hidden']), said('found')),
        hidden: async () => said('worked'),
      },
    );
    seen.agent = agent;
    await agent.setTools(['finder']);
    await agent.prompt('go');
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['finder'],
      ['finder', 'hidden'],
      ['finder', 'hidden'],
    ]);
    expect(JSON.stringify(session.context().messages)).toContain('worked');
    await agent.dispose();
  });
});
