import { planMode } from '@tenon/planning-tools/api';
import { describe, expect, it } from 'vitest';
import { delegate, subagentWorld, taskOf, yields } from './support/world.ts';

const namesOf = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name) ?? [];

describe('what a subagent may start', () => {
  it('is what its definition names', async () => {
    const { agent, requests } = await subagentWorld({
      main: [{ calls: [delegate('plan', ['outer'])] }, { text: 'done' }],
      tasks: {
        outer: [
          { calls: [delegate('task', ['a']), delegate('explore', ['b'])] },
          (request) => yields(JSON.stringify(request.messages.filter(({ role }) => role === 'toolResult'))),
        ],
        b: [yields({ answer: 'found', files: [] })],
      },
    });
    await agent.prompt('go');
    const seen = JSON.stringify(requests.at(-1)?.messages);
    expect(seen).toContain('names the ones that it starts (explore)');
    expect(seen).toContain('found');
    expect(requests.some((request) => taskOf(request) === 'a')).toBe(false);
  });

  it('is never itself', async () => {
    const { agent, requests } = await subagentWorld({
      main: [{ calls: [delegate('task', ['outer'])] }, { text: 'done' }],
      tasks: { outer: [{ calls: [delegate('task', ['inner'])] }, yields('ok')] },
    });
    await agent.prompt('go');
    const [, second] = requests.filter((request) => taskOf(request) === 'outer');
    expect(JSON.stringify(second?.messages)).toContain('a subagent does not start itself');
  });

  it('ends at the depth of the setting', async () => {
    const { agent, requests } = await subagentWorld({
      main: [{ calls: [delegate('task', ['outer'])] }, { text: 'done' }],
      tasks: {
        outer: [{ calls: [delegate('plan', ['middle'])] }, yields('ok')],
        middle: [{ calls: [delegate('explore', ['inner'])] }, yields('ok')],
      },
    });
    await agent.prompt('go');
    const [first, second] = requests.filter((request) => taskOf(request) === 'middle');
    expect(namesOf(first)).not.toContain('task');
    expect(JSON.stringify(second?.messages)).toContain('There is no tool \\"task\\"');
    expect(requests.some((request) => taskOf(request) === 'inner')).toBe(false);
  });
});

describe('the tools of a subagent', () => {
  it('are those of its parent, without those that talk with the user', async () => {
    const { agent, requests } = await subagentWorld({
      main: [{ calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
    });
    await agent.prompt('go');
    const names = namesOf(requests.find((request) => taskOf(request) === 'one'));
    expect(names).toEqual(['read', 'write', 'find', 'search', 'job', 'yield']);
  });

  it('are refused when they belong to the conversation with the user, also when it finds them by search', async () => {
    const { agent, requests } = await subagentWorld({
      main: [{ calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
      tasks: {
        one: [
          { calls: [{ name: 'search_tool_bm25', arguments: { query: 'ask user question todo' } }] },
          { calls: [{ name: 'todo_write', arguments: { ops: [{ op: 'append', items: ['x'] }] } }] },
          yields('ok'),
        ],
      },
    });
    await agent.setTools(['read', 'search_tool_bm25', 'task']);
    await agent.prompt('go');
    const third = requests.filter((request) => taskOf(request) === 'one')[2];
    expect(JSON.stringify(third?.messages)).toMatch(
      /refused by subagents: it belongs to the agent that talks with the user/,
    );
  });
});

describe('while the user wants a plan', () => {
  it('subagents only look, and start no others', async () => {
    const { agent, kernel, requests, session } = await subagentWorld({
      main: [{ calls: [delegate('task', ['one'])] }, { text: 'done' }],
      tasks: {
        one: [{ calls: [{ name: 'write', arguments: { path: 'x.txt', content: 'x' } }] }, yields('ok')],
      },
    });
    await (await kernel.find(planMode)).set(session.id, true);
    await agent.prompt('go');
    const [first] = requests.filter((request) => taskOf(request) === 'one');
    expect(namesOf(first)).toEqual(['read', 'find', 'search', 'yield']);
    expect(first?.systemPrompt).toContain('look, and change nothing');
  });

  it('that begins while a subagent works refuses what it would change', async () => {
    const parts: { begin?: () => Promise<void> } = {};
    const { agent, kernel, requests, session } = await subagentWorld({
      main: [{ calls: [delegate('quick_task', ['one'])] }, { text: 'done' }],
      tasks: {
        one: [
          () => ({
            calls: [{ name: 'job', arguments: { list: true } }],
            ...(parts.begin && { hold: parts.begin() }),
          }),
          { calls: [{ name: 'write', arguments: { path: 'x.txt', content: 'x' } }] },
          yields('ok'),
        ],
      },
    });
    parts.begin = async () => (await kernel.find(planMode)).set(session.id, true);
    await agent.prompt('go');
    const third = requests.filter((request) => taskOf(request) === 'one')[2];
    expect(JSON.stringify(third?.messages)).toContain('the user wants a plan first');
  });
});

describe('a call that makes no sense', () => {
  it.each([
    [
      'no such subagent',
      delegate('explorer', ['a']),
      /There is no subagent "explorer" here\..*explore.*The subagents are: explore, plan, quick_task, reviewer, task/,
    ],
    ['an empty id', delegate('task', ['a', ' ']), /one is empty/],
    ['the same id twice', delegate('task', ['Auth', 'auth']), /"Auth" and "auth" are the same/],
    ['isolation that is off', delegate('task', ['a'], { isolated: true }), /subagents\.isolation\.mode is none/],
    ['a subagent that is switched off', delegate('reviewer', ['a']), /switched off by "review\*"/],
    ['too many tasks', delegate('task', ['a', 'b', 'c', 'd']), /has 4 tasks; 3 is the limit/],
  ])('is answered with what to do: %s', async (_, call, expected) => {
    const { agent, results, requests } = await subagentWorld(
      { main: [{ calls: [call] }, { text: 'done' }] },
      { subagents: { maxTasks: 3, ...(_.includes('switched off') && { disabled: ['review*'] }) } },
    );
    await agent.prompt('go');
    expect(results()[0]?.text).toMatch(expected);
    expect(results()[0]?.isError).toBe(true);
    expect(requests).toHaveLength(2);
  });
});
