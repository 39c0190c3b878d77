import { inlineCandidate } from '@tenon/kernel/testing';
import { sessionStore } from '@tenon/sessions/api';
import { describe, expect, it } from 'vitest';
import {
  agentFactory,
  beforeBranch,
  beforeSwitch,
  beforeTree,
  sessionBranch,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
  sessionTree,
} from '../src/api.ts';
import { model, said, world } from '@tenon/test-kit/conversation-world';

type Told = [hook: string, event: Record<string, unknown>];

/** Notes what is told, and answers the questions as a test wants. */
function witness(answers: { switch?: unknown; branch?: unknown; tree?: unknown } = {}) {
  const told: Told[] = [];
  const note = (name: string, answer?: unknown) => (event: object) => {
    told.push([name, event as Record<string, unknown>]);
    return answer as never;
  };
  const plugin = inlineCandidate(
    {
      id: 'witness',
      activate(ctx) {
        ctx.on(sessionStart, note('start'));
        ctx.on(beforeSwitch, note('before-switch', answers.switch));
        ctx.on(sessionSwitch, note('switch'));
        ctx.on(beforeBranch, note('before-branch', answers.branch));
        ctx.on(sessionBranch, note('branch'));
        ctx.on(beforeTree, note('before-tree', answers.tree));
        ctx.on(sessionTree, note('tree'));
        ctx.on(sessionShutdown, note('shutdown'));
      },
    },
    {
      handles: ['start', 'before-switch', 'switch', 'before-branch', 'branch', 'before-tree', 'tree', 'shutdown'].map(
        (name) => `session.${name}`,
      ),
    },
  );
  return { plugin, told, names: () => told.map(([name]) => name) };
}

describe('an agent that goes to another session', () => {
  it('begins a new one with the same model, and plugins are told in order', async () => {
    const { plugin, told, names } = witness();
    const { agent, session, requests, home } = await world([{ text: 'a' }], {}, [plugin], {
      models: [{ ...model, id: 'other' }],
    });
    await agent.setModel({ ...model, id: 'other' }, 'high');
    await agent.prompt('one');
    agent.followUp('meant for the old session');
    expect(await agent.newSession({ parentSession: 'p' })).toEqual({ cancelled: false });
    await agent.prompt('two');
    expect(requests.at(-1)?.messages).toHaveLength(1);
    expect(agent.session.header.parentSession).toBe('p');
    expect(agent.session.context()).toMatchObject({ models: { default: 'test/other' }, thinkingLevel: 'high' });
    await agent.dispose();
    expect(names()).toEqual(['start', 'before-switch', 'switch', 'shutdown']);
    expect(told[0]?.[1]).toEqual({ session: session.id, cwd: home, file: session.file });
    expect(told[1]?.[1]).toEqual({ session: session.id, cwd: home, reason: 'new' });
    expect(told[2]?.[1]).toEqual({ session: agent.session.id, cwd: home, reason: 'new', previous: session.id });
  });

  it('opens another one with the model that it used, and stays when that is called off or fails', async () => {
    const answers: { switch?: { cancel: boolean } } = {};
    const { plugin } = witness();
    const other = { ...model, id: 'other' };
    const { agent, session, kernel, events } = await world([{ text: 'a' }], {}, [plugin], { models: [other] });
    await agent.setModel(other, 'low');
    await agent.prompt('one');
    await agent.newSession();
    await agent.setModel(model, 'off');
    await expect(agent.switchSession('no-such-session')).rejects.toThrow();
    expect(agent.session.id).not.toBe(session.id);
    expect(await agent.switchSession(session.file ?? '')).toEqual({ cancelled: false });
    expect(agent.session.id).toBe(session.id);
    expect(agent.state).toMatchObject({ model: { id: 'other' }, thinking: 'low', messageCount: 2 });
    expect(events.filter(({ type }) => type === 'session_switch')).toHaveLength(2);
    expect(answers.switch).toBeUndefined();
    await agent.dispose();
    await kernel.dispose();
  });

  it('stays where it is when a plugin calls it off', async () => {
    const { plugin, names } = witness({ switch: { cancel: true }, branch: { cancel: true }, tree: { cancel: true } });
    const { agent, session } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('one');
    const [first] = session.path();
    const leaf = session.leafId;
    expect(await agent.newSession()).toEqual({ cancelled: true });
    expect(await agent.switchSession('elsewhere')).toEqual({ cancelled: true });
    expect(await agent.handoff()).toBeUndefined();
    expect(await agent.branch(first?.id ?? '')).toEqual({ cancelled: true, text: 'one' });
    expect(await agent.branchTo(first?.id ?? '')).toEqual({ cancelled: true, leafId: leaf });
    expect([agent.session.id, session.leafId]).toEqual([session.id, leaf]);
    expect(names()).not.toContain('switch');
    await agent.dispose();
  });
});

describe('an agent that goes back', () => {
  it('works on a copy that ends before the message, or at the beginning on an empty one', async () => {
    const { plugin, told, names } = witness();
    const { agent, session, requests } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('one');
    await agent.prompt('two');
    const entries = session.path();
    expect(await agent.branch(entries[2]?.id ?? '')).toEqual({ cancelled: false, text: 'two' });
    await agent.prompt('instead');
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toMatchObject(['one', [{ text: 'a' }], 'instead']);
    expect(told.at(-1)).toMatchObject(['branch', { session: agent.session.id, previous: session.id }]);
    expect(names()).toEqual(['start', 'before-branch', 'switch', 'branch']);
    await agent.branch(agent.session.path()[0]?.id ?? '');
    await agent.prompt('from scratch');
    expect(requests.at(-1)?.messages).toHaveLength(1);
    await expect(agent.branch('nothing')).rejects.toThrow('is not one of your messages');
    await agent.dispose();
  });

  it('leaves the conversation alone when a plugin brings back something else', async () => {
    const { plugin, names } = witness({ branch: { skipConversationRestore: true } });
    const { agent, session } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('one');
    const leaf = session.leafId;
    expect(await agent.branch(session.path()[0]?.id ?? '')).toEqual({ cancelled: false, text: 'one' });
    expect([agent.session.id, agent.session.leafId]).toEqual([session.id, leaf]);
    expect(names().at(-1)).toBe('branch');
    await agent.dispose();
  });

  it('stays in memory when the session is there', async () => {
    const { agent, session, requests } = await world([{ text: 'a' }], {}, [], { inMemory: true });
    await agent.prompt('one');
    await agent.branch(session.path()[0]?.id ?? '');
    await agent.prompt('instead');
    expect(requests.at(-1)?.messages).toHaveLength(1);
    await agent.newSession();
    expect(agent.session.file).toBeUndefined();
    await agent.dispose();
  });

  it('moves within the session, with the summary of a plugin if it has one', async () => {
    const { plugin, told } = witness({ tree: { summary: { summary: 'MINE', details: 1 } } });
    const { agent, session, requests } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('one');
    const target = session.leafId;
    await agent.prompt('two');
    const from = session.leafId;
    const moved = await agent.branchTo(target, { summarize: true });
    expect(moved).toEqual({ cancelled: false, leafId: session.leafId });
    await agent.prompt('three');
    expect(requests).toHaveLength(3);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('MINE');
    const [name, event] = told.at(-1) ?? [];
    expect([name, event]).toMatchObject(['tree', { from, to: target, leaf: moved.leafId, fromPlugin: true }]);
    expect(event?.['summaryEntryId']).toBe(moved.leafId);
    expect(session.entry(moved.leafId ?? '')?.parentId).toBe(target);
    expect(session.entry(String(event?.['summaryEntryId']))).toMatchObject({ fromExtension: true, details: 1 });
    await expect(agent.branchTo('nothing')).rejects.toThrow('no entry "nothing"');
    await agent.dispose();
  });

  it('goes to before a message that is said anew, and gives its text back', async () => {
    const { plugin, told } = witness();
    const { agent, session, requests } = await world([{ text: 'a' }], {}, [plugin]);
    await agent.prompt('one');
    await agent.prompt('two');
    await agent.send({ role: 'custom', customType: 'note', content: 'a note', display: true, timestamp: 1 });
    const [one, answerOne, two, answerTwo, note] = session.path().map(({ id }) => id);
    expect(await agent.branchTo(note ?? '')).toEqual({ cancelled: false, leafId: answerTwo, text: 'a note' });
    expect(await agent.branchTo(two ?? '')).toEqual({ cancelled: false, leafId: answerOne, text: 'two' });
    expect(told.slice(-2)).toMatchObject([
      [
        'before-tree',
        { from: answerTwo, to: two, commonAncestor: two, entries: [{ id: answerTwo }], summarize: false },
      ],
      ['tree', { from: answerTwo, to: two, leaf: answerOne }],
    ]);
    // Going there once more changes nothing, and the text is still given.
    expect(await agent.branchTo(two ?? '')).toEqual({ cancelled: false, leafId: answerOne, text: 'two' });
    await agent.prompt('two, better');
    expect(requests.at(-1)?.messages.map(({ content }) => content)).toMatchObject(['one', [{}], 'two, better']);
    expect(session.entry(session.path()[2]?.id ?? '')?.parentId).toBe(answerOne);
    // From one branch to the other: the ancestor is where they part, and all of this one is left behind.
    const left = session.path().slice(2);
    expect(await agent.branchTo(answerTwo ?? '')).toEqual({ cancelled: false, leafId: answerTwo });
    expect(told.at(-2)?.[1]).toMatchObject({ commonAncestor: answerOne, entries: left.map(({ id }) => ({ id })) });
    // The first message: a new beginning.
    expect(await agent.branchTo(one ?? '')).toEqual({ cancelled: false, leafId: null, text: 'one' });
    await agent.prompt('from scratch');
    expect(requests.at(-1)?.messages).toHaveLength(1);
    await agent.dispose();
  });

  it('stays where it is when the summary is stopped or fails', async () => {
    const { agent, session } = await world([
      { text: 'a' },
      { text: 'b' },
      { fail: { kind: 'server', message: 'on fire' } },
    ]);
    await agent.prompt('one');
    const target = session.leafId;
    await agent.prompt('two');
    const leaf = session.leafId;
    await expect(agent.branchTo(target, { summarize: true })).rejects.toThrow('on fire');
    expect(session.leafId).toBe(leaf);
    expect(agent.state.messageCount).toBe(4);
    await agent.dispose();
  });

  it('lets a prompt that comes meanwhile wait', async () => {
    const { agent, session, requests } = await world([{ text: 'a' }]);
    await agent.prompt('one');
    const moving = agent.newSession();
    const prompting = agent.prompt('two');
    await Promise.all([moving, prompting]);
    expect(requests.at(-1)?.messages).toHaveLength(1);
    expect(agent.session.id).not.toBe(session.id);
    await agent.dispose();
  });

  it('reads no more of a long session than it needs', async () => {
    const { agent, session, kernel } = await world([{ text: 'a' }]);
    for (const text of ['one', 'two', 'three']) await agent.prompt(text);
    const target = session.path()[3]?.id ?? '';
    let read = 0;
    const { entry } = session;
    session.entry = (id) => (read++, entry.call(session, id));
    session.branch = () => expect.unreachable('the whole branch was read');
    await agent.branchTo(target, { summarize: true });
    expect(read).toBeLessThan(3);
    await agent.dispose();
    expect(await kernel.find(sessionStore)).toBeDefined();
  });
});

it('counts system prompt and tools of a session that goes on, before anything is sent', async () => {
  const { agent, session, kernel, home } = await world([{ text: 'a', tokens: 0 }], { read: async () => said('x') });
  expect(agent.state.contextTokens).toBe(0);
  await agent.prompt('one');
  const before = agent.state.contextTokens;
  await agent.dispose();
  const store = await kernel.find(sessionStore);
  const again = await (
    await kernel.find(agentFactory)
  ).create({ session: await store.open(session.file ?? ''), cwd: home });
  expect(again.agent.state.contextTokens).toBe(before);
  // The two words of the conversation alone are next to nothing.
  expect(before).toBeGreaterThan(agent.state.systemPrompt.length / 8);
  await again.agent.dispose();
});
