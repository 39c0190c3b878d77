import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, agentFactory } from '@tenon/agent/api';
import { SILENT, type UserInterface, userInterface } from '@tenon/host';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { type Script } from '@tenon/test-kit/scripted-models';
import { until } from '@tenon/test-kit/waiting';
import { type ToolResult, toolRunner } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { planMode, todos } from '../src/api.ts';

const call = (name: string, args: Record<string, unknown> = {}) => ({ calls: [{ name, arguments: args }] });
const said = ({ content }: ToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
const PLAN = '# Better\n\n## Steps\n1. Change a.txt\n2. Test it\n';

/** Somebody who answers questions and texts in order. */
function user(...answers: (string | undefined)[]) {
  const shown: string[] = [];
  const answer = async (title: string) => {
    shown.push(title);
    return answers.shift();
  };
  const ui: UserInterface = { ...SILENT, canAsk: () => true, select: answer, editor: (title) => answer(title) };
  return { ui, shown };
}

async function start(script: Script, { ui = SILENT, tools }: { ui?: UserInterface; tools?: string[] } = {}) {
  const ran: string[] = [];
  const change = {
    ...tool(async () => (ran.push('change'), { content: [{ type: 'text' as const, text: 'changed' }] })),
    touches: () => ({ writes: ['/a.txt'] }),
  };
  // As the browser declares a click, and a page that is only opened.
  const click = {
    ...tool(async ({ url }) => (ran.push(url === undefined ? 'click' : 'open'), { content: [] })),
    touches: ({ url }: Readonly<Record<string, unknown>>) => ({ hosts: typeof url === 'string' ? [url] : [] }),
  };
  const world = await createWorld({
    script,
    services: [[userInterface, ui]],
    plugins: ['planning-tools', 'file-tools', 'documents'],
    tools: { change, click },
  });
  const store = await world.kernel.find(sessionStore);
  const factory = await world.kernel.find(agentFactory);
  const events: AgentEvent[] = [];
  const agentWith = async (parent?: string) => {
    const session = await store.create({ cwd: world.cwd });
    const more = parent === undefined ? {} : { parent: { session: parent, label: 'child' } };
    const { agent } = await factory.create({ session, cwd: world.cwd, ...(tools && { tools }), ...more });
    agent.subscribe((event) => void events.push(event));
    return agent;
  };
  const agent = await agentWith();
  const results = () =>
    events.flatMap((event) => (event.type === 'tool_execution_end' ? [{ name: event.toolName, ...event.result }] : []));
  const plans = await world.kernel.find(planMode);
  return { ...world, agent, agentWith, events, results, ran, plans, todos: await world.kernel.find(todos) };
}

describe('planning', () => {
  it('lets the agent write its plan and nothing else, and offers submit_plan only meanwhile', async () => {
    const { agent, plans, results, requests, ran, cwd } = await start([
      call('write', { path: 'plan://', content: PLAN }),
      call('write', { path: 'notes.md', content: 'x' }),
      call('write', { path: 'local://plan.md', content: 'x' }),
      call('write', { path: 'plan://../x', content: 'x' }),
      call('change'),
      { text: 'Planned.' },
      { text: 'Hello.' },
    ]);
    await plans.set(agent.session.id, true);
    await agent.prompt('Plan it');
    expect(results().map(({ isError }) => isError === true)).toEqual([false, true, true, true, true]);
    expect(ran).toEqual([]);
    expect(existsSync(join(cwd, 'notes.md'))).toBe(false);
    expect(await plans.plan(agent.session.id)).toBe(PLAN);
    expect(requests[0]?.tools.map(({ name }) => name)).toContain('submit_plan');
    expect(requests[0]?.systemPrompt).toContain('show it to the user with `submit_plan`');
    await plans.set(agent.session.id, false);
    await agent.prompt('Hello');
    expect(requests.at(-1)?.tools.map(({ name }) => name)).not.toContain('submit_plan');
  });

  it('lets the agent open pages, and send nothing', async () => {
    const { agent, plans, results, ran } = await start([
      call('click', { url: 'https://example.org' }),
      call('click'),
      { text: 'Planned.' },
    ]);
    await plans.set(agent.session.id, true);
    await agent.prompt('Plan it');
    expect(ran).toEqual(['open']);
    expect(said(results()[1] as ToolResult)).toContain('it may send something to a server');
  });

  it('shows the plan to the user; approved, its steps are tasks and the agent goes on in the same run', async () => {
    const { ui, shown } = user('Approve and begin');
    const world = await start(
      [call('submit_plan', { title: 'Better', plan: PLAN }), call('change'), { text: 'Shall I?' }],
      { ui },
    );
    const { id } = world.agent.session;
    await world.plans.set(id, true);
    await world.agent.prompt('Plan it');
    expect(shown).toEqual([`Plan: Better\n\n${PLAN.trim()}`]);
    expect(world.ran).toEqual(['change']);
    expect(world.plans.isOn(id)).toBe(false);
    expect(said(world.results()[0] as ToolResult)).toContain('The plan is approved');
    expect(world.todos.phases(id)[0]?.tasks.map(({ content }) => content)).toEqual(['Change a.txt', 'Test it']);
  });

  it('goes on when the user wants changes, edits the plan or refuses it', async () => {
    const edited = PLAN.replace('a.txt', 'b.txt');
    const { ui, shown } = user(
      'Say what to change',
      'Test first',
      'Refuse; go on planning',
      'Edit the plan',
      edited,
      'Approve and begin',
    );
    const submit = call('submit_plan', { title: 'Better', plan: PLAN });
    const world = await start([submit, submit, submit, { text: 'Shall I?' }], { ui });
    await world.plans.set(world.agent.session.id, true);
    await world.agent.prompt('Plan it');
    const [changed, refused, approved] = world.results().map(said);
    expect(changed).toContain('Test first');
    expect(refused).toContain('The user refused the plan');
    expect(approved).toContain('Change b.txt');
    expect(shown.filter((title) => title.startsWith('Plan: Better\n'))).toHaveLength(4);
    expect(await world.plans.plan(world.agent.session.id)).toBe(edited);
  });

  it('carries an approved plan out in a new session that knows nothing but the plan', async () => {
    const { ui } = user('Approve and begin in a new session, with the plan alone');
    const world = await start(
      [call('submit_plan', { title: 'Better', plan: PLAN }), call('change'), { text: 'Shall I go on?' }],
      { ui },
    );
    const before = world.agent.session.id;
    await world.plans.set(before, true);
    await world.agent.prompt('A long story about planning');
    await until(() => world.ran.length === 1);
    await world.agent.idle();
    expect(world.agent.session.id).not.toBe(before);
    expect(world.plans.isOn(world.agent.session.id)).toBe(false);
    const fresh = JSON.stringify(world.requests.at(-1)?.messages);
    expect(fresh).toContain('Carry this plan out');
    expect(fresh).toContain('1. Change a.txt');
    expect(fresh).not.toContain('A long story');
    expect(await world.plans.plan(world.agent.session.id)).toContain('Change a.txt');
    expect(world.todos.phases(world.agent.session.id)[0]?.tasks).toHaveLength(2);
    expect(world.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain('submit_plan');
  });

  it('stops the run when the user closes the question, and keeps planning', async () => {
    const { ui } = user(undefined);
    const world = await start([call('submit_plan', { title: 'Better', plan: PLAN }), call('change')], { ui });
    await world.plans.set(world.agent.session.id, true);
    await world.agent.prompt('Plan it');
    expect(world.requests).toHaveLength(1);
    expect(world.plans.isOn(world.agent.session.id)).toBe(true);
  });

  it('keeps the plan where nobody can approve, for /plan approve later', async () => {
    const world = await start([call('submit_plan', { title: 'Better', plan: PLAN }), { text: PLAN }]);
    const { id } = world.agent.session;
    await world.plans.set(id, true);
    await world.agent.prompt('Plan it');
    expect(said(world.results()[0] as ToolResult)).toContain('Nobody can approve it here');
    expect(world.plans.isOn(id)).toBe(true);
    const prompt = await world.plans.approve(id, { notes: 'quickly' });
    expect(prompt).toContain('I add this to the plan: quickly');
    expect(prompt).toContain('Change a.txt');
    expect(world.plans.isOn(id)).toBe(false);
  });

  it('holds subagents to it: they cannot change anything, nor submit a plan', async () => {
    const world = await start([call('change'), call('submit_plan', { title: 'x', plan: PLAN }), { text: 'Looked.' }]);
    await world.plans.set(world.agent.session.id, true);
    const child = await world.agentWith(world.agent.session.id);
    expect(world.plans.isOn(child.session.id)).toBe(true);
    await child.prompt('Look around');
    expect(world.ran).toEqual([]);
    expect(world.requests[0]?.systemPrompt).toContain('The agent that gave you this task is planning');
    expect(world.results().every(({ isError }) => isError)).toBe(true);
    await world.plans.set(world.agent.session.id, false);
    expect(world.plans.isOn(child.session.id)).toBe(false);
  });

  it('does without the tool in a session whose tools were chosen', async () => {
    const { agent, plans, requests } = await start([{ text: 'The plan.' }], { tools: ['read'] });
    await plans.set(agent.session.id, true);
    await agent.prompt('Plan it');
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
    expect(requests[0]?.systemPrompt).toContain('approves the plan with `/plan approve`');
  });

  it('says what is missing: a session, planning, a plan', async () => {
    const world = await start([call('submit_plan', { title: 'x' }), { text: 'Fine.' }], { tools: ['submit_plan'] });
    const runner = await world.kernel.find(toolRunner);
    expect(said(await runner.run('submit_plan', { title: 'x' }))).toContain('needs a conversation');
    await world.agent.prompt('go');
    expect(said(world.results()[0] as ToolResult)).toContain('not planning');
    await world.plans.set(world.agent.session.id, true);
    await expect(world.plans.approve(world.agent.session.id, { fresh: true })).rejects.toMatchObject({
      code: 'PLANNING_TOOLS_NO_PLAN',
    });
  });
});
