import { type AgentEvent, agentFactory, liveAgents } from '@tenon/agent/api';
import { inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { type DialogOptions, folders, SILENT, type UserInterface, userInterface } from '@tenon/host';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { type ToolResult, toolRunner } from '@tenon/tools/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { type Script } from '@tenon/test-kit/scripted-models';
import { tool } from '@tenon/test-kit/kernel';
import { builtIn } from '@tenon/test-kit/plugins';
import source from '../package.json' with { type: 'json' };
import { todos, todosChanged, type TodoPhase } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let remove: (() => Promise<void>) | undefined;
afterEach(async () => {
  await remove?.();
  remove = undefined;
});

const ALL_TOOLS = ['todo_write', 'ask', 'checkpoint', 'rewind', 'look'];

/** An agent that plays a script, with the real loop and session store. */
async function start(script: Script, options: { ui?: UserInterface; session?: Session; home?: string } = {}) {
  const changes: (readonly TodoPhase[])[] = [];
  const world = await createWorld({
    script,
    services: [[userInterface, options.ui ?? SILENT]],
    ...(options.home !== undefined && { home: options.home }),
    plugins: [
      'planning-tools',
      inlineCandidate(
        { id: 'watcher', activate: (ctx) => void ctx.on(todosChanged, ({ phases }) => void changes.push(phases)) },
        { handles: ['todos.changed'] },
      ),
    ],
    tools: { look: tool(() => Promise.resolve({ content: [{ type: 'text', text: 'a long look '.repeat(50) }] })) },
  });
  remove = world.remove;
  const store = await world.kernel.find(sessionStore);
  const session = options.session ?? (await store.create({ cwd: world.cwd }));
  const factory = await world.kernel.find(agentFactory);
  const { agent } = await factory.create({ session, cwd: world.cwd, tools: ALL_TOOLS });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  const results = () =>
    events.flatMap((event) => (event.type === 'tool_execution_end' ? [{ name: event.toolName, ...event.result }] : []));
  return { ...world, store, session, agent, events, results, changes, todos: await world.kernel.find(todos) };
}

const said = ({ content }: ToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
const call = (name: string, args: Record<string, unknown>) => ({ calls: [{ name, arguments: args }] });
const plan = (...items: string[]) => call('todo_write', { ops: [{ op: 'init', items }] });
const text = (messages: readonly unknown[]) => JSON.stringify(messages);

describe('planning-tools', () => {
  it('keeps the plugin contract', async () => {
    const world = await createWorld({ plugins: [] });
    remove = world.remove;
    await pluginContract({
      source,
      plugin,
      others: [
        provideServices([
          [folders, { cwd: '/', home: '/', config: '/', data: '/', state: '/', cache: '/' }],
          [liveAgents, { get: () => undefined, list: () => [] }],
        ]),
        ...(await agentPieces()),
      ],
    });
  });
});

/** The plugins that define the hooks and slots which this one uses; their services are replaced above. */
async function agentPieces() {
  const agent = await builtIn('agent');
  const provides = agent.manifest.provides?.filter((id) => id !== 'live-agents') ?? [];
  return [{ ...agent, manifest: { ...agent.manifest, provides } }, await builtIn('tools')];
}

describe('todo_write', () => {
  it('keeps the plan with the session and tells everybody', async () => {
    const {
      agent,
      todos: service,
      results,
      changes,
      session,
    } = await start([
      plan('Look', 'Repair'),
      call('todo_write', { ops: [{ op: 'done', task: 'Look' }] }),
      { text: 'Shall I go on?' },
    ]);
    await agent.prompt('go');
    expect(said(results()[1] as ToolResult)).toBe('1 to do.\n\nTodos (1/2)\n[x] Look\n[>] Repair');
    expect(results()[1]?.details).toMatchObject({ storage: 'session', completedTasks: ['Look'] });
    expect(service.phases(session.id)[0]?.tasks.map(({ status }) => status)).toEqual(['completed', 'in_progress']);
    expect(changes).toHaveLength(2);
  });

  it('has the plan again when the session goes on, and an older one after going back', async () => {
    const first = await start([plan('Old'), { text: 'Ready?' }, plan('New'), { text: 'Ready?' }]);
    await first.agent.prompt('one');
    const before = first.session.leafId;
    await first.agent.prompt('two');
    expect(first.todos.phases(first.session.id)[0]?.tasks[0]?.content).toBe('New');
    await first.agent.branchTo(before);
    expect(first.todos.phases(first.session.id)[0]?.tasks[0]?.content).toBe('Old');
    const { id } = first.session;
    await first.agent.dispose();
    const factory = await first.kernel.find(agentFactory);
    await factory.create({ session: await first.store.open(id), cwd: first.cwd });
    expect(first.todos.phases(id)).not.toEqual([]);
  });

  it('reminds an agent that stops too early, and not again when that did not help', async () => {
    const { agent, events, requests } = await start([
      plan('Look', 'Repair'),
      { text: 'I am done.' },
      { text: 'Really done.' },
    ]);
    await agent.prompt('go');
    expect(requests).toHaveLength(3);
    expect(text(requests[2]?.messages ?? [])).toContain('The plan still has 2 open');
    expect(events.filter(({ type }) => type === 'todo_reminder')).toMatchObject([
      { attempt: 1, maxAttempts: 3, todos: [{ content: 'Look' }, { content: 'Repair' }] },
    ]);
  });

  it('reminds again while there is progress', async () => {
    const {
      agent,
      events,
      todos: service,
      session,
    } = await start([
      plan('One', 'Two'),
      { text: 'Done.' },
      call('todo_write', { ops: [{ op: 'done', task: 'One' }] }),
      { text: 'Done.' },
      call('todo_write', { ops: [{ op: 'done', task: 'Two' }] }),
      { text: 'Done.' },
    ]);
    await agent.prompt('go');
    expect(events.filter(({ type }) => type === 'todo_reminder')).toHaveLength(2);
    expect(service.phases(session.id)[0]?.tasks.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('lets an agent stop that asks the user something', async () => {
    const { agent, requests } = await start([plan('Look'), { text: 'Which file do you mean?' }]);
    await agent.prompt('go');
    expect(requests).toHaveLength(2);
  });

  it('clears a plan that is done when the next prompt begins', async () => {
    const {
      agent,
      events,
      todos: service,
      session,
    } = await start([
      plan('Look'),
      call('todo_write', { ops: [{ op: 'done' }] }),
      { text: 'Done.' },
      { text: 'Hello.' },
    ]);
    await agent.prompt('go');
    await agent.prompt('thanks');
    expect(events.filter(({ type }) => type === 'todo_auto_clear')).toHaveLength(1);
    expect(service.phases(session.id)).toEqual([]);
  });

  it('tells the model once about a plan that somebody else set', async () => {
    const { agent, requests, todos: service, session } = await start([{ text: 'Shall I?' }]);
    await service.set(session.id, [
      {
        id: 'p',
        name: ' Evaluation ',
        tasks: [
          { id: 't', content: ' Map it ', status: 'in_progress' },
          { id: 'u', content: ' ', status: 'pending' },
        ],
      },
    ]);
    expect(service.phases(session.id)).toEqual([
      { id: 'p', name: 'Evaluation', tasks: [{ id: 't', content: 'Map it', status: 'in_progress' }] },
    ]);
    await agent.prompt('go');
    await agent.prompt('again');
    expect(text(requests[0]?.messages ?? []).split('The plan was set by the user')).toHaveLength(2);
    expect(text(requests[1]?.messages ?? []).split('The plan was set by the user')).toHaveLength(2);
  });

  it('works by hand, without a session', async () => {
    const { kernel } = await start([]);
    const runner = await kernel.find(toolRunner);
    await runner.run('todo_write', { ops: [{ op: 'init', items: ['Look'] }] });
    const result = await runner.run('todo_write', { ops: [{ op: 'done' }] });
    expect(said(result)).toContain('Everything is done.');
    expect(result.details).toMatchObject({ storage: 'memory' });
  });
});

/** A user who answers from a list; `undefined` closes the dialog, `late` lets time run out. */
function user(...answers: (string | undefined | 'late')[]) {
  const shown: { title: string; options: readonly string[] }[] = [];
  const answer = async (title: string, options: readonly string[], dialog?: DialogOptions) => {
    shown.push({ title, options });
    const next = answers.shift();
    if (next !== 'late') return next;
    await new Promise((resolve) => setTimeout(resolve, dialog?.timeoutMs));
    return undefined;
  };
  const ui: UserInterface = {
    ...SILENT,
    canAsk: () => true,
    select: answer,
    editor: (title) => answer(title, []),
  };
  return { ui, shown };
}

describe('ask', () => {
  const question = {
    id: 'db',
    question: 'Which database?',
    options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }],
    recommended: 1,
  };
  const ask = async (ui: UserInterface, ...questions: object[]) => {
    const world = await start([call('ask', { questions }), { text: 'Done.' }], { ui });
    await world.agent.prompt('go');
    return { ...world, result: world.results()[0] as ToolResult };
  };

  it('gives the option that was chosen, and marks the recommended one', async () => {
    const { ui, shown } = user('PostgreSQL (Recommended)');
    const { result } = await ask(ui, question);
    expect(shown[0]?.options).toEqual(['SQLite', 'PostgreSQL (Recommended)', 'Other (type your own)']);
    expect(said(result)).toBe('User selected: PostgreSQL');
    expect(result.details).toEqual({
      question: 'Which database?',
      options: ['SQLite', 'PostgreSQL'],
      multi: false,
      selectedOptions: ['PostgreSQL'],
    });
  });

  it('leaves no notice behind where a form calls for the user by itself', async () => {
    const notices: string[] = [];
    const notify = (text: string) => void notices.push(text);
    const fillIn = async () => [{ id: 'db', selected: ['SQLite'] }];
    const { result } = await ask({ ...user().ui, notify, fillIn }, question);
    expect(said(result)).toContain('User selected: SQLite');
    expect(notices).toEqual([]);
    await ask({ ...user('SQLite').ui, notify }, question);
    expect(notices).toEqual(['Waiting for your answer']);
  });

  it('takes what the user types', async () => {
    const { ui } = user('Other (type your own)', 'A text file');
    const { result } = await ask(ui, question);
    expect(said(result)).toBe('User provided custom input: A text file');
  });

  it('lets several be chosen, and unchosen', async () => {
    const { ui, shown } = user('[ ] SQLite', '[ ] PostgreSQL', '[x] SQLite', 'Done selecting');
    const { result } = await ask(ui, { ...question, multi: true });
    expect(shown[2]?.options.slice(0, 3)).toEqual(['[x] SQLite', '[x] PostgreSQL', 'Done selecting']);
    expect(said(result)).toBe('User selected: PostgreSQL');
  });

  it('asks several questions, back and forth', async () => {
    const { ui } = user('SQLite', 'Back to the previous question', 'PostgreSQL (Recommended)', 'Blue');
    const { result } = await ask(ui, question, { id: 'color', question: 'Colour?', options: [{ label: 'Blue' }] });
    expect(said(result)).toBe('User answers:\ndb: User selected: PostgreSQL\ncolor: User selected: Blue');
    expect(result.details).toMatchObject({ results: [{ id: 'db' }, { id: 'color', selectedOptions: ['Blue'] }] });
  });

  it('stops the run when the user closes the question', async () => {
    const { ui } = user(undefined);
    const { result, requests } = await ask(ui, question);
    expect(result).toMatchObject({ isError: true });
    expect(said(result)).toContain('by the user');
    expect(requests).toHaveLength(1);
  });

  it('does not wait where nobody can answer', async () => {
    const { result, requests } = await ask(SILENT, question);
    expect(result).toMatchObject({ isError: true, details: { unanswered: ['db'] } });
    expect(said(result)).toContain('Nobody can answer here');
    expect(said(result)).toContain('- db: PostgreSQL');
    expect(requests).toHaveLength(2);
  });

  it('takes the recommended option when time runs out', async () => {
    const { ui } = user('late');
    const world = await createTimedWorld(ui);
    const result = await world.run({ questions: [question] });
    expect(said(result)).toBe('No answer in time; the default was taken: PostgreSQL');
    expect(result.details).toMatchObject({ timedOut: true });
  });
});

/** The tool alone, with a very short time limit. */
async function createTimedWorld(ui: UserInterface) {
  const { createAskTool } = await import('../src/ask-tool.ts');
  const config = { todo: { reminders: true, reminderLimit: 3 }, ask: { timeout: 0.02, notify: false } };
  const agents = { get: () => undefined, list: () => [] };
  const asking = createAskTool({ config, agents, userInterface: () => Promise.resolve(ui) });
  const { signal } = new AbortController();
  return {
    run: (input: Record<string, unknown>) =>
      asking.execute(input, { id: 'x', signal, update: () => Promise.resolve() }),
  };
}

describe('checkpoint and rewind', () => {
  const explore: Script = [
    call('checkpoint', { goal: 'Find the bug' }),
    call('look', {}),
    call('rewind', { report: ' It is in parse.ts, line 7. ' }),
    { text: 'Repaired.' },
  ];

  it('take an exploration out of the conversation and keep its report', async () => {
    const { agent, requests, results, session } = await start(explore);
    await agent.prompt('repair it');
    expect(results().map(said)).toEqual([
      'Checkpoint created.\nGoal: Find the bug\nRun your investigation, then call rewind with a concise report.',
      expect.stringContaining('a long look'),
      'Rewind requested.\nReport captured for context replacement.',
    ]);
    const seen = text(requests[3]?.messages ?? []);
    expect(seen).toContain('It is in parse.ts, line 7.');
    expect(seen).toContain('Find the bug');
    expect(seen).not.toContain('a long look');
    expect(seen).not.toContain('Rewind requested');
    // What was left is still in the file.
    expect(text([...session.entries()])).toContain('a long look');
    expect(text(session.context().messages)).not.toContain('a long look');
    expect(text(session.context().messages)).toContain('Repaired.');
  });

  it('answer every call of the answer that held the checkpoint', async () => {
    const { agent, requests } = await start([
      { calls: [{ name: 'checkpoint', arguments: { goal: 'x' } }, { name: 'look' }] },
      call('rewind', { report: 'Nothing.' }),
      { text: 'Done.' },
    ]);
    await agent.prompt('go');
    const roles = requests[2]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'user']);
    expect(text(requests[2]?.messages ?? [])).not.toContain('not carried out');
  });

  it('keep what the user said meanwhile', async () => {
    let steer: (words: string) => void = () => undefined;
    const world = await start([
      ...explore.slice(0, 2),
      () => {
        steer('Use tabs, please.');
        return call('rewind', { report: 'Found it.' });
      },
      { text: 'Done.' },
    ]);
    // Otherwise what the user says keeps the rewind from starting.
    world.agent.setQueueModes({ interrupt: 'wait' });
    steer = (words) => world.agent.steer(words);
    await world.agent.prompt('go');
    const last = text(world.requests.at(-1)?.messages ?? []);
    expect(last).toContain('Found it.');
    expect(last).toContain('Use tabs, please.');
    expect(last).not.toContain('a long look');
  });

  it('keep the plan that was made meanwhile', async () => {
    const {
      agent,
      todos: service,
      session,
    } = await start([
      call('checkpoint', { goal: 'x' }),
      plan('Repair it'),
      call('rewind', { report: 'Found.' }),
      { text: 'Shall I?' },
    ]);
    await agent.prompt('go');
    expect(service.phases(session.id)[0]?.tasks[0]?.content).toBe('Repair it');
  });

  it('refuse a second checkpoint, a rewind without one, and an empty report', async () => {
    const { agent, results } = await start([
      call('rewind', { report: 'x' }),
      call('checkpoint', { goal: 'x' }),
      call('checkpoint', { goal: 'y' }),
      call('rewind', { report: '  ' }),
      call('rewind', { report: 'x' }),
      call('rewind', { report: 'x' }),
      { text: 'Done.' },
    ]);
    await agent.prompt('go');
    expect(results().map((result) => (result.isError ? said(result).split('.')[0] : 'fine'))).toEqual([
      'No active checkpoint',
      'fine',
      'Checkpoint already active',
      'Report cannot be empty',
      'fine',
      'No active checkpoint',
    ]);
  });

  it('remind an agent that would stop without a rewind', async () => {
    const { agent, requests } = await start([
      call('checkpoint', { goal: 'x' }),
      { text: 'Done.' },
      call('rewind', { report: 'Found.' }),
      { text: 'Done.' },
    ]);
    await agent.prompt('go');
    expect(text(requests[2]?.messages ?? [])).toContain('You are in an active checkpoint');
    expect(requests).toHaveLength(4);
  });

  it('are over when the user stops the agent', async () => {
    const { agent, events, session } = await start([
      call('checkpoint', { goal: 'x' }),
      { text: 'Thinking', hold: new Promise(() => undefined) },
      call('rewind', { report: 'x' }),
      { text: 'Done.' },
    ]);
    const run = agent.prompt('go');
    await expect.poll(() => events.filter(({ type }) => type === 'turn_start').length).toBe(2);
    await expect.poll(() => events.at(-1)?.type).toBe('message_update');
    await agent.abort();
    await run;
    await expect.poll(() => text([...session.entries()])).toContain('checkpoint-ended');
    await agent.prompt('go on');
    expect(events.findLast(({ type }) => type === 'tool_execution_end')).toMatchObject({ isError: true });
  });

  it('survive a restart', async () => {
    const world = await start([
      call('checkpoint', { goal: 'x' }),
      { text: 'Wait.' },
      { text: 'Wait.' },
      call('rewind', { report: 'Found.' }),
      { text: 'Done.' },
    ]);
    await world.agent.prompt('go');
    const { id } = world.session;
    await world.agent.dispose();
    const factory = await world.kernel.find(agentFactory);
    const { agent } = await factory.create({ session: await world.store.open(id), cwd: world.cwd, tools: ALL_TOOLS });
    await agent.prompt('go on');
    expect(text(world.requests.at(-1)?.messages ?? [])).toContain('Found.');
    expect(text(world.requests.at(-1)?.messages ?? [])).not.toContain('Wait.');
  });

  it('need a conversation', async () => {
    const { kernel } = await start([]);
    const result = await (await kernel.find(toolRunner)).run('checkpoint', { goal: 'x' });
    expect(said(result)).toContain('checkpoint needs a conversation');
  });
});
