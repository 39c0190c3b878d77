import { agentFactory, type AgentEvent, liveAgents } from '@tenon/agent/api';
import { folders } from '@tenon/host';
import { discovery, type InstructionFile, type Rule } from '@tenon/discovery/api';
import { pluginContract, provideServices } from '@tenon/kernel/testing';
import { type AgentMessage, type Session, sessionStore } from '@tenon/sessions/api';
import { urlRouter } from '@tenon/urls/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorld } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';
import { type Script } from '@tenon/test-kit/scripted-models';
import { tool } from '@tenon/test-kit/kernel';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { found } from './support/found.ts';

let remove: (() => Promise<void>) | undefined;
afterEach(async () => {
  await remove?.();
  remove = undefined;
});

interface Setup {
  readonly rules?: readonly (Partial<Rule> & { name: string })[];
  readonly instructions?: readonly InstructionFile[];
  readonly script?: Script;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** An agent that plays a script, with the real loop, sessions and discovery. */
async function start({ rules = [], instructions = [], script = [{ text: 'Done.' }], settings = {} }: Setup) {
  const ran: string[] = [];
  const world = await createWorld({
    script,
    settings: { rules: settings },
    plugins: ['rules', ...(await found(rules, instructions))],
    tools: {
      read: tool(async () => said('content')),
      write: tool(async ({ path }) => (ran.push(String(path)), said('written'))),
    },
  });
  remove = world.remove;
  const store = await world.kernel.find(sessionStore);
  const factory = await world.kernel.find(agentFactory);
  const open = async (session: Session) => {
    const { agent } = await factory.create({ session, cwd: world.cwd, tools: ['read', 'write'] });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => void events.push(event));
    return { agent, session, events, triggered: () => events.filter(({ type }) => type === 'ttsr_triggered') };
  };
  return { ...world, ...(await open(await store.create({ cwd: world.cwd }))), store, open, ran };
}

const write = (path: string, content: string) => ({ calls: [{ name: 'write', arguments: { path, content } }] });
const read = (path: string) => ({ calls: [{ name: 'read', arguments: { path } }] });
const textOf = (messages: readonly unknown[]) => JSON.stringify(messages);
const rolesOf = (messages: readonly AgentMessage[]) => messages.map(({ role }) => role);

describe('rules', () => {
  it('keep the plugin contract', async () => {
    const { kernel } = await start({});
    await pluginContract({
      source,
      plugin,
      others: [
        provideServices([
          [folders, await kernel.find(folders)],
          [discovery, await kernel.find(discovery)],
          [liveAgents, { get: () => undefined, list: () => [] }],
        ]),
      ],
    });
  });

  it('that always hold are in the system prompt; others are listed or only read', async () => {
    const { agent, requests, kernel, cwd } = await start({
      rules: [
        { name: 'style', alwaysApply: true, content: 'Use tabs.' },
        { name: 'db', description: 'How to write\n migrations' },
        { name: 'py', globs: ['*.py'], description: 'Python', content: 'Snakes.' },
        { name: 'secret', content: 'Hidden.' },
        { name: 'cut', condition: ['zzz'], description: 'never listed' },
      ],
    });
    await agent.prompt('go');
    const prompt = requests[0]?.systemPrompt ?? '';
    expect(prompt).toContain('<rule name="style" untrusted>\nUse tabs.\n</rule>');
    expect(prompt).toContain('- db: How to write migrations\n- py: Python (files: *.py)');
    expect(prompt).not.toMatch(/Snakes|secret|Hidden|cut/);
    const router = await kernel.find(urlRouter);
    const call = { signal: new AbortController().signal, scope: { session: agent.session.id, cwd } };
    expect((await router.read('rule://secret', call)).content).toBe('Hidden.');
    expect((await router.read('rule://', call)).content).toContain('rule://db');
    await expect(router.read('rule://stile', call)).rejects.toThrow('Did you mean "style"');
    await expect(router.read('rule://../etc/passwd', call)).rejects.toThrow('must not go up');
  });

  it('that do not fit into the budget are left out with a note, and those that always hold are listed', async () => {
    const rules = Array.from({ length: 100 }, (_, index) => ({ name: `rule-${index}`, description: 'd'.repeat(50) }));
    const { agent, requests } = await start({
      rules: [{ name: 'long', alwaysApply: true, content: 'x'.repeat(1000) }, ...rules],
      settings: { alwaysTokens: 100, listTokens: 200 },
    });
    await agent.prompt('go');
    const prompt = requests[0]?.systemPrompt ?? '';
    expect(prompt).not.toContain('xxxx');
    expect(prompt).toContain('- long: always holds; read it first');
    expect(prompt).toMatch(/- and \d+ more: read `rule:\/\/` for the list\./);
    expect(prompt).not.toContain('rule-50');
  });

  it('about files come with the first call that touches one, once, also after the session was opened again', async () => {
    const { agent, requests, session, open, store, ran } = await start({
      rules: [{ name: 'py', globs: ['src/**/*.py'], content: 'Snakes.' }],
      instructions: [
        { name: 'docs', path: '/i.md', content: 'Write well.', applyTo: ['*.md'] },
        { name: 'everywhere', path: '/e.md', content: 'Be kind.', applyTo: ['**'] },
      ],
      script: [
        read('a.txt'),
        read('src/x/a.py:1-20'),
        write('src/b.py', 'x'),
        write('notes.md', 'x'),
        { text: 'Done.' },
        read('src/c.py'),
        { text: 'Done.' },
      ],
    });
    await agent.prompt('go');
    // Instructions for all files are told by another plugin.
    expect(requests[0]?.systemPrompt).not.toContain('Be kind.');
    const results = session.context().messages.filter(({ role }) => role === 'toolResult');
    expect(results.map((message) => /Snakes|Write well/.exec(textOf([message]))?.[0])).toEqual([
      undefined,
      'Snakes',
      undefined,
      'Write well',
    ]);
    expect(ran).toEqual(['src/b.py', 'notes.md']);
    await agent.dispose();
    const again = await open(await store.open(session.id));
    await again.agent.prompt('more');
    expect(textOf([again.session.context().messages.findLast(({ role }) => role === 'toolResult')])).not.toContain(
      'Snakes',
    );
  });

  it('do nothing when they are switched off', async () => {
    const { agent, requests, triggered } = await start({
      rules: [
        { name: 'style', alwaysApply: true },
        { name: 'cut', condition: ['Done'] },
      ],
      settings: { enabled: false },
    });
    await agent.prompt('go');
    expect(requests).toHaveLength(1);
    expect(requests[0]?.systemPrompt).not.toContain('Text of style');
    expect(triggered()).toEqual([]);
  });

  it('are listed for people and programs, with what is wrong with them', async () => {
    const { kernel, cwd } = await start({
      rules: [
        { name: 'cut', condition: ['('], scope: ['smell'] },
        { name: 'a', description: 'About a' },
      ],
    });
    const { out, err } = await runCommand(kernel, 'rules list', { cwd });
    expect(out).toContain('a    listed  About a · /rules/a.md');
    expect(err).toContain('A condition of the rule "cut"');
    expect(err).toContain('"smell"');
    const json = JSON.parse((await runCommand(kernel, 'rules list', { cwd, flags: { json: true } })).out) as object;
    expect(json).toMatchObject({
      rules: [{ name: 'cut', use: 'stream', family: 'test', level: 'project' }, { name: 'a' }],
      problems: [{ code: 'RULES_PATTERN' }, { code: 'RULES_SCOPE' }],
    });
    expect((await runCommand(kernel, 'rules show', { cwd, args: { name: 'a' } })).out).toContain('Text of a.');
  });
});

const CUT = { name: 'no-any', condition: ['as any'], content: 'Never write `as any`.' };
const bad = { pieces: ['I will write `x a', 's any` here', ' and more '.repeat(50), 'the end'] };

describe('a rule that watches the stream', () => {
  it('cuts in, takes the answer back, tells the rule and goes on', async () => {
    const { agent, requests, session, events, triggered } = await start({
      rules: [CUT],
      script: [bad, { text: 'Better.' }],
    });
    await agent.prompt('go');
    expect(requests).toHaveLength(2);
    expect(rolesOf(session.context().messages)).toEqual(['user', 'custom', 'assistant']);
    expect(textOf(requests[1]?.messages ?? [])).toContain('Never write `as any`.');
    expect(textOf(requests[1]?.messages ?? [])).not.toContain('I will write');
    expect(triggered()).toEqual([{ type: 'ttsr_triggered', rules: ['no-any'] }]);
    const stopped = events.find((event) => event.type === 'message_end' && event.message.role === 'assistant');
    expect(stopped).toMatchObject({ message: { stopReason: 'aborted', errorMessage: 'Cut off by the rule no-any.' } });
    const streamed = events.flatMap((event) =>
      event.type === 'message_update' && 'delta' in event.assistantMessageEvent
        ? [event.assistantMessageEvent.delta]
        : [],
    );
    expect(streamed.join('')).not.toContain('the end');
    // What was taken back is still in the file, beside the branch that goes on.
    expect(textOf([...session.entries()])).toContain('I will write');
    expect([...session.walk()].find(({ type }) => type === 'ttsr_injection')).toMatchObject({
      injectedRules: ['no-any'],
    });
    expect(events.at(-1)?.type).toBe('agent_end');
  });

  it('keeps the answer where the setting says so', async () => {
    const { agent, requests, session } = await start({
      rules: [CUT],
      script: [bad, { text: 'Better.' }],
      settings: { stream: { contextMode: 'keep' } },
    });
    await agent.prompt('go');
    expect(rolesOf(session.context().messages)).toEqual(['user', 'assistant', 'custom', 'assistant']);
    expect(textOf(requests[1]?.messages ?? [])).toContain('I will write');
  });

  it('keeps a call from being carried out', async () => {
    const { agent, ran, requests } = await start({
      rules: [{ ...CUT, scope: ['tool:write(*.ts)'] }],
      script: [write('a.md', 'x as any'), write('a.ts', 'x as any'), write('a.ts', 'x as Good'), { text: 'as any' }],
    });
    await agent.prompt('go');
    expect(ran).toEqual(['a.md', 'a.ts']);
    expect(requests).toHaveLength(4);
    expect(textOf(requests[3]?.messages ?? [])).not.toContain('"content":"x as any","path":"a.ts"');
  });

  it('cuts in once in a session, also after it was opened again', async () => {
    const { agent, session, open, store, requests } = await start({ rules: [CUT], script: [bad, bad, bad] });
    await agent.prompt('go');
    expect(requests).toHaveLength(2);
    await agent.dispose();
    const again = await open(await store.open(session.id));
    await again.agent.prompt('more');
    expect(again.triggered()).toEqual([]);
    expect(requests).toHaveLength(3);
  });

  it('cuts in again on a branch that does not know of it', async () => {
    const { agent, triggered, session } = await start({
      rules: [CUT],
      script: [{ text: 'Hello.' }, bad, { text: 'ok' }, bad, { text: 'ok' }],
    });
    await agent.prompt('hi');
    const { leafId } = session;
    await agent.prompt('one');
    expect(triggered()).toHaveLength(1);
    await agent.branchTo(leafId);
    await agent.prompt('two');
    expect(triggered()).toHaveLength(2);
  });

  it('cuts in again after as many answers as the setting says', async () => {
    const { agent, triggered, requests } = await start({
      rules: [CUT],
      script: [bad, bad, bad, bad, { text: 'ok' }],
      settings: { stream: { repeatMode: 'after-gap', repeatGap: 2 } },
    });
    // Cut off; its repetition counts as the first answer.
    await agent.prompt('one');
    expect([triggered().length, requests.length]).toEqual([1, 2]);
    await agent.prompt('two');
    expect([triggered().length, requests.length]).toEqual([1, 3]);
    await agent.prompt('three');
    expect([triggered().length, requests.length]).toEqual([2, 5]);
  });

  it('waits for the end of the answer where it may not cut in, and makes the agent go on', async () => {
    const { agent, requests, session, triggered } = await start({
      rules: [{ ...CUT, interruptMode: 'tool-only' }],
      script: [bad, { text: 'Put right.' }],
    });
    await agent.prompt('go');
    expect(rolesOf(session.context().messages)).toEqual(['user', 'assistant', 'custom', 'assistant']);
    expect(textOf(requests[1]?.messages ?? [])).toContain('the end');
    expect(textOf(requests[1]?.messages ?? [])).toContain('Correct what went against it');
    expect(triggered()).toHaveLength(1);
    expect(session.context().injectedTtsrRules).toEqual(['no-any']);
  });

  it('comes with the result of a tool when it may not stop the call', async () => {
    const { agent, ran, session, triggered } = await start({
      rules: [CUT],
      script: [write('a.ts', 'x as any'), { text: 'Done.' }],
      settings: { stream: { interruptMode: 'prose-only' } },
    });
    await agent.prompt('go');
    expect(ran).toEqual(['a.ts']);
    const messages = session.context().messages;
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect(textOf([messages[2]])).toContain('Never write');
    expect(triggered()).toHaveLength(1);
  });

  it('waits for the next prompt when nothing came after it', async () => {
    const stop: { now?: () => Promise<void> } = {};
    const { agent, session } = await start({
      rules: [{ ...CUT, interruptMode: 'never' }],
      script: [() => (void stop.now?.(), write('a.ts', 'x as any')), { text: 'Done.' }],
    });
    stop.now = () => new Promise((resolve) => setTimeout(() => void agent.abort().then(resolve), 0));
    await agent.prompt('go');
    await agent.prompt('again');
    expect(textOf(session.context().messages)).toContain('Never write');
    expect(session.context().injectedTtsrRules).toEqual(['no-any']);
  });

  it('stops when the user stops the agent in the same moment', async () => {
    const { agent, events } = await start({
      rules: [CUT],
      script: [bad, { text: 'ok', hold: new Promise(() => undefined) }],
    });
    agent.subscribe((event) => event.type === 'ttsr_triggered' && void agent.abort());
    await agent.prompt('go');
    expect(events.at(-1)?.type).toBe('agent_end');
  });
});
