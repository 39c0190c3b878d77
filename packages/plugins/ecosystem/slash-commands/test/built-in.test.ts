import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, agentFactory } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { tool } from '@tenon/test-kit/kernel';
import { inCheckout } from '@tenon/test-kit/plugins';
import { SEEING } from '@tenon/test-kit/scripted-models';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { slashCommands } from '../src/api.ts';
import { FOREIGN_NAMES } from '../src/foreign-names.ts';

/** An agent with everything that the built-in commands use, and tools that read, write and run. */
async function start(options: WorldOptions & { readonly session?: string } = {}) {
  const ran: string[] = [];
  let folder = '';
  const world = await createWorld({
    ...options,
    plugins: ['discovery', 'slash-commands', 'session-export', 'planning-tools', 'trust', 'approval'],
    tools: {
      look: Object.assign(
        tool(async () => (ran.push('look'), { content: [{ type: 'text', text: 'seen' }] })),
        { touches: () => ({ reads: [join(folder, 'a.txt')] }) },
      ),
      change: Object.assign(
        tool(async () => (ran.push('change'), { content: [{ type: 'text', text: 'changed' }] })),
        { touches: () => ({ writes: [join(folder, 'a.txt')] }) },
      ),
      shell: Object.assign(
        tool(async ({ command }) => (ran.push(String(command)), { content: [{ type: 'text', text: 'ran' }] })),
        {
          touches: ({ command }: Record<string, unknown>) => ({
            commands: [{ text: String(command), cwd: folder }],
          }),
        },
      ),
    },
  });
  folder = world.cwd;
  const store = await world.kernel.find(sessionStore);
  const session =
    options.session === undefined ? await store.create({ cwd: world.cwd }) : await store.open(options.session);
  const { agent } = await (
    await world.kernel.find(agentFactory)
  ).create({ session, cwd: world.cwd, tools: ['look', 'change', 'shell'] });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  /** What the user is told for a command that needs no model. */
  const answer = async (text: string): Promise<string> => {
    const before = world.requests.length;
    await agent.prompt(text);
    expect(world.requests).toHaveLength(before);
    const last = events.findLast((event) => event.type === 'notice');
    expect(last).toMatchObject({ level: 'info', isAnswer: true });
    return last?.type === 'notice' ? last.text : '';
  };
  const results = () =>
    events.flatMap((event) =>
      event.type === 'tool_execution_end'
        ? [event.result.content.map((part) => (part.type === 'text' ? part.text : '')).join()]
        : [],
    );
  const lastRequest = () => JSON.stringify(world.requests.at(-1)?.messages);
  return { ...world, store, agent, session, events, answer, results, ran, lastRequest };
}

const userEntries = (agent: Awaited<ReturnType<typeof start>>['agent']) =>
  [...agent.session.entries()].filter((entry) => entry.type === 'message' && entry.message.role === 'user');

describe('built-in commands', () => {
  it('are all in one table, which is what /help and lists show', async () => {
    const { answer, kernel, cwd } = await start();
    const listed = (await (await kernel.find(slashCommands)).list(cwd)).filter(({ kind }) => kind === 'built-in');
    const table = source.tenon.contributes['built-in-commands'];
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(table).sort());
    const help = await answer('/help');
    for (const [name, { summary }] of Object.entries(table)) {
      expect(help).toContain(`/${name}`);
      expect(help).toContain(summary);
    }
  });

  it('are suggested for a name that nobody knows', async () => {
    const { agent } = await start();
    await expect(agent.prompt('/complact')).rejects.toThrow(
      'There is no command "/complact". Did you mean "/compact"?',
    );
  });

  it('are named for a command of another agent', async () => {
    const { agent, requests } = await start();
    await expect(agent.prompt('/context')).rejects.toThrow('There is no command "/context". Use /status.');
    await expect(agent.prompt('/permissions')).rejects.toThrow('Write a policy; `tenon policy list` shows');
    expect(requests).toHaveLength(0);
  });

  it('and commands of the shell that are named for one exist, and no name is both', () => {
    const inFolder = (folder: string) => readdirSync(folder).map((name) => join(folder, name));
    const manifests = inFolder(inCheckout('packages', 'plugins'))
      .filter((group) => statSync(group).isDirectory())
      .flatMap(inFolder)
      .map((plugin) => join(plugin, 'package.json'));
    const ours = manifests.filter(existsSync).flatMap((file) => {
      const { tenon } = JSON.parse(readFileSync(file, 'utf8')) as typeof source;
      return Object.keys((tenon.contributes as Record<string, object> | undefined)?.['cli-commands'] ?? {});
    });
    expect(FOREIGN_NAMES.size).toBeGreaterThan(30);
    for (const [name, hint] of FOREIGN_NAMES) {
      expect(Object.keys(source.tenon.contributes['built-in-commands'])).not.toContain(name);
      for (const [, used = ''] of hint.matchAll(/`tenon ([a-z ]+[a-z])/g))
        expect(
          ours.some((key) => used === key || used.startsWith(`${key} `)),
          hint,
        ).toBe(true);
    }
  });

  it('are not the only ones that are suggested: a screen has its own, for as long as it is there', async () => {
    const { agent, kernel, cwd } = await start();
    const service = await kernel.find(slashCommands);
    const screen = service.suggestAlso(['theme', 'redraw']);
    await expect(agent.prompt('/theem')).rejects.toThrow('Did you mean "/theme"?');
    expect((await service.list(cwd)).map(({ name }) => name)).not.toContain('theme');
    await screen.dispose();
    await expect(agent.prompt('/theem')).rejects.toThrow('Did you mean "/tree"?');
  });

  it('say where the session stands and what it has cost', async () => {
    const { answer, agent, session, cwd } = await start();
    await agent.prompt('hello');
    const status = await answer('/status');
    expect(status).toContain(session.id);
    expect(status).toContain(`Folder:   ${cwd}`);
    expect(status).toContain('test/m');
    expect(status).toMatch(/of 100,000 tokens/);
    expect(status).toContain('Planning: off');
    expect(await answer('/cost')).toMatch(/Tokens: +15: 10 in, 5 out/);
  });

  it('show the model, use another one for good, and refuse one that is not there', async () => {
    const { answer, agent, requests } = await start();
    expect(await answer('/model')).toMatch(/^test\/m, thinking \w+ answers\./);
    expect(await answer(`/model ${SEEING.id}`)).toContain('test/seeing');
    await agent.prompt('look');
    await agent.prompt('again');
    expect(requests.map(({ model }) => model.id)).toEqual(['seeing', 'seeing']);
    await expect(agent.prompt('/model nowhere')).rejects.toThrow(/nowhere/);
  });

  it('make the conversation shorter, from inside of the prompt that asks for it', async () => {
    const { agent, answer, requests, lastRequest } = await start({
      script: [
        ...Array.from({ length: 6 }, (_, at) => ({ text: `Answer ${at}. ${'word '.repeat(8000)}` })),
        { text: 'The summary of it all.' },
        { text: 'Going on.' },
      ],
    });
    for (let at = 0; at < 6; at++) await agent.prompt(`Question ${at}`);
    await agent.prompt('/compact the names');
    expect(JSON.stringify(requests.slice(6))).toContain('the names');
    expect([...agent.session.entries()].some(({ type }) => type === 'compaction')).toBe(true);
    await agent.prompt('And now?');
    expect(lastRequest()).not.toContain('Question 0');
    expect(await answer('/status')).toContain('Session:');
  });

  it('hand the work over to a new session', async () => {
    const { agent, session, events } = await start({ script: [{ text: 'Done.' }, { text: 'The document.' }] });
    await agent.prompt('Do it');
    await agent.prompt('/handoff the tests');
    expect(agent.session.id).not.toBe(session.id);
    expect(events).toContainEqual(expect.objectContaining({ type: 'session_switch', reason: 'handoff' }));
    const told = events.findLast((event) => event.type === 'notice');
    expect(told).toMatchObject({ text: expect.stringContaining('The document.') as string });
  });

  it('show the tree, go to an entry, and hand the text back that stood there', async () => {
    const { agent, answer, lastRequest } = await start();
    await agent.prompt('First question');
    await agent.prompt('Second question');
    const [, second] = userEntries(agent);
    const shown = await answer('/tree');
    expect(shown).toContain(`* ${second?.id}`);
    const moved = await answer(`/tree ${second?.id}`);
    expect(moved).toContain('Second question');
    expect(agent.session.leafId).toBe(second?.parentId);
    await agent.prompt('Another second');
    expect(lastRequest()).toContain('First question');
    expect(lastRequest()).not.toContain('Second question');
    await expect(agent.prompt('/tree nothing')).rejects.toThrow('"nothing" is not an entry of this session');
  });

  it('take a message up again in a copy of the session', async () => {
    const { agent, answer, session } = await start();
    await agent.prompt('First question');
    await agent.prompt('Second question');
    const [, second] = userEntries(agent);
    expect(await answer('/branch')).toMatch(/First question\n.*Second question/);
    expect(await answer(`/branch ${second?.id}`)).toContain(`${session.id} stays as it was. This stood there`);
    expect(agent.session.id).not.toBe(session.id);
    expect(userEntries(agent)).toHaveLength(1);
  });

  it('write the session as a page', async () => {
    const { agent, answer, cwd } = await start();
    await agent.prompt('Something to keep');
    expect(await answer('/export out.html')).toBe(`Written: ${join(cwd, 'out.html')}`);
    expect(readFileSync(join(cwd, 'out.html'), 'utf8')).toContain('Something to keep');
  });

  it('send prompts for /init and /review, with what was asked for', async () => {
    const { agent, lastRequest } = await start();
    await agent.prompt('/init the tests');
    expect(lastRequest()).toContain('Write the file AGENTS.md');
    expect(lastRequest()).toContain('in particular: the tests');
    await agent.prompt('/review main..HEAD');
    expect(lastRequest()).toContain('Review this: main..HEAD.');
    await agent.prompt('/review');
    expect(lastRequest()).toContain('the changes in this working tree');
  });

  it('cannot move a session while the agent works', async () => {
    let release = () => {};
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { agent, events, session, requests } = await start({ script: [{ text: 'Done.', hold }, { text: 'x' }] });
    const running = agent.prompt('go');
    await until(() => requests.length === 1);
    agent.steer('/handoff');
    await until(() => events.some((event) => event.type === 'notice'));
    release();
    await running;
    expect(events.find((event) => event.type === 'notice')).toMatchObject({
      level: 'warning',
      text: expect.stringContaining('cannot be used while the agent works') as string,
    });
    expect(agent.session.id).toBe(session.id);
  });
});

describe('/plan', () => {
  const call = (name: string, args: Record<string, unknown> = {}) => ({ calls: [{ name, arguments: args }] });

  it('lets the agent look and refuses everything else until the plan is approved', async () => {
    const { agent, ran, results, requests, lastRequest, cwd } = await start({
      script: [
        call('look'),
        call('change'),
        call('shell', { command: 'ls -l' }),
        call('shell', { command: 'touch x' }),
        call('shell', { command: 'unknown-program' }),
        { text: 'The plan: change a.txt.' },
        call('change'),
        { text: 'Changed.' },
      ],
    });
    await agent.prompt('/plan Make a.txt better');
    expect(requests[0]?.systemPrompt).toContain('The user wants a plan before anything is changed');
    expect(lastRequest()).toContain('Make a.txt better');
    expect(ran).toEqual(['look', 'ls -l']);
    expect(results().filter((text) => text.includes('the user wants a plan first'))).toHaveLength(3);
    expect(existsSync(join(cwd, 'x'))).toBe(false);

    await agent.prompt('/plan approve, and add a test');
    expect(lastRequest()).toContain('The plan is approved');
    expect(lastRequest()).toContain('I add this to the plan: and add a test');
    expect(requests.at(-1)?.systemPrompt).not.toContain('The user wants a plan');
    expect(ran).toEqual(['look', 'ls -l', 'change']);
  });

  it('is kept with the session, goes on after a handover, and ends with /plan off', async () => {
    const first = await start();
    expect(await first.answer('/plan')).toContain('Planning is on.');
    await first.agent.prompt('hello');
    const { id } = first.agent.session;
    await first.agent.dispose();
    const again = await start({ home: first.home, session: id, script: [{ text: 'Hm.' }, { text: 'The document.' }] });
    expect(await again.answer('/status')).toContain('Planning: on');
    await again.agent.prompt('more');
    await again.agent.prompt('/handoff');
    expect(again.agent.session.id).not.toBe(id);
    expect(await again.answer('/status')).toContain('Planning: on');
    expect(await again.answer('/plan off')).toContain('Planning has ended');
    expect(await again.answer('/status')).toContain('Planning: off');
    await expect(again.agent.prompt('/plan approve')).rejects.toThrow('There is no plan to approve');
  });
});
