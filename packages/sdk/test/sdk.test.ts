import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inlineCandidate } from '@tenon/kernel/testing';
import { tools } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Script, scriptedModels } from '@tenon/test-kit/scripted-models';
import { tool } from '@tenon/test-kit/kernel';
import { type AgentEvent, createAgentSession, createTenon, RpcClient } from '../src/index.ts';

let home: string;
beforeEach(() => void (home = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-sdk-')))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** No packs and no tools of others: only what the test is about. */
function options(script: Script = [{ text: 'Hello.' }]) {
  const { registry, requests } = scriptedModels(script);
  const tenon = { home, cwd: home, modelRegistry: registry, packs: false };
  return { requests, tenon, options: { ...tenon, tools: [] as string[] } };
}

describe('createAgentSession', () => {
  it('gives an agent with a session on disk, tells what happens, and ends all with dispose', async () => {
    const made = options([{ pieces: ['Hel', 'lo.'] }]);
    const { session, tenon, modelFallbackMessage } = await createAgentSession(made.options);
    expect(modelFallbackMessage).toBeUndefined();
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(tenon.kernel.status().find(({ manifest }) => manifest.id === 'host')?.manifest.version).toBe(version);
    let text = '';
    const stop = session.subscribe((event) => {
      if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta')
        text += event.assistantMessageEvent.delta;
    });
    await session.prompt('hi');
    stop();
    await session.prompt('again');
    expect(text).toBe('Hello.');
    const { file = '' } = session.session;
    await session.dispose();
    expect(file.startsWith(join(home, 'data', 'sessions'))).toBe(true);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(5);
    expect(tenon.kernel.status().filter(({ state }) => state === 'active')).toEqual([]);
    await expect(session.prompt('once more')).rejects.toMatchObject({ code: 'AGENT_DISPOSED' });
  });

  it('refuses options that nobody knows, and names the one that was meant', async () => {
    const made = options();
    const misspelt = { ...made.options, appendSystemPromt: 'Be brief.' };
    await expect(createAgentSession(misspelt)).rejects.toMatchObject({
      code: 'SDK_UNKNOWN_OPTION',
      message: expect.stringContaining('Did you mean "appendSystemPrompt"?'),
    });
    await expect(createTenon({ home, cwd: home, sessionManager: {} } as object)).rejects.toMatchObject({
      code: 'SDK_UNKNOWN_OPTION',
      message: expect.stringContaining('"sessionManager"'),
    });
    const tenon = await createTenon({ home, cwd: home, packs: false });
    await expect(tenon.createAgentSession({ cwd: home } as object)).rejects.toMatchObject({
      code: 'SDK_UNKNOWN_OPTION',
    });
    await tenon.dispose();
    await expect(RpcClient.start({ timeout: 5 } as object)).rejects.toMatchObject({ code: 'SDK_UNKNOWN_OPTION' });
  });

  it('queues a prompt for a busy agent as `streamingBehavior` says, and refuses it without', async () => {
    let goOn = () => undefined as void;
    const hold = new Promise<void>((resolve) => (goOn = resolve));
    const made = options([{ text: 'one', hold }, { text: 'two' }]);
    const { session } = await createAgentSession({ ...made.options, session: 'memory' });
    const first = session.prompt('first');
    await expect(session.prompt('second')).rejects.toMatchObject({ code: 'AGENT_BUSY' });
    const second = session.prompt('second', { streamingBehavior: 'followUp' });
    goOn();
    await Promise.all([first, second]);
    expect(made.requests.map(({ messages }) => messages.filter(({ role }) => role === 'user').length)).toEqual([1, 2]);
    await session.dispose();
  });

  it('gives the sessions, settings, models and credentials that its agents use', async () => {
    const tenon = await createTenon({ home, cwd: home, packs: false, settings: { 'agent.repeatLimit': 7 } });
    expect(await (await tenon.settings()).get('agent.repeatLimit')).toBe(7);
    const auth = await tenon.auth();
    auth.setRuntimeKey('anthropic', 'sk-test');
    const usable = (await (await tenon.models()).list()).filter(({ available }) => available);
    expect(usable.map(({ provider }) => provider)).toContain('anthropic');
    expect(await (await tenon.sessions()).list({ cwd: home })).toEqual([]);
    await tenon.dispose();
  });

  it('loads the extensions that the program names, and no others when asked to', async () => {
    const named = join(home, 'named.ts');
    const tool = (name: string) =>
      `export default (pi) => pi.registerTool({ name: '${name}', label: 'x', description: 'Rolls a dice.',
        parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', text: '6' }] }) });`;
    writeFileSync(named, tool('dice'));
    mkdirSync(join(home, '.pi', 'agent', 'extensions'), { recursive: true });
    writeFileSync(join(home, '.pi', 'agent', 'extensions', 'found.ts'), tool('found'));
    const made = options([{ calls: [{ name: 'dice' }] }, { text: 'a six' }]);
    const tenon = await createTenon({
      ...made.tenon,
      environment: { ...process.env, HOME: home },
      extensions: ['named.ts'],
      findExtensions: false,
    });
    const none = tenon.createAgentSession({ session: 'memory', tools: ['found'] });
    await expect(none).rejects.toThrow('There is no tool "found".');
    const { session } = await tenon.createAgentSession({ session: 'memory', tools: ['dice'] });
    await session.prompt('roll');
    expect(made.requests[0]?.tools.map(({ name }) => name)).toEqual(['dice']);
    expect(JSON.stringify(session.session.context().messages)).toContain('"text":"6"');
    await tenon.dispose();
  });

  it('keeps nothing on disk when asked to, and refuses a model that is not there', async () => {
    const made = options();
    const { session } = await createAgentSession({ ...made.options, session: 'memory' });
    await session.prompt('hi');
    expect(session.session.file).toBeUndefined();
    await session.dispose();
    const unknown = createAgentSession({ ...made.options, session: 'memory', model: 'gone/x' });
    await expect(unknown).rejects.toMatchObject({ code: 'MODELS_UNKNOWN', message: expect.stringContaining('gone/x') });
    expect(existsSync(join(home, 'data', 'sessions'))).toBe(false);
  });

  it('uses the given prompts, thinking, settings and tools of the program', async () => {
    const made = options([{ calls: [{ name: 'dice' }] }, { text: 'a six' }]);
    const { session, tenon } = await createAgentSession({
      ...made.options,
      session: 'memory',
      thinking: 'low',
      systemPrompt: 'You are a croupier.',
      appendSystemPrompt: 'Be brief.',
      settings: { 'agent.repeatLimit': 7, 'agent.steeringMode': 'all' },
      customTools: { dice: tool(async () => ({ content: [{ type: 'text', text: '6' }] })) },
    });
    await session.prompt('roll');
    expect(made.requests[0]).toMatchObject({
      systemPrompt: 'You are a croupier.\n\nBe brief.',
      thinking: 'low',
      tools: [{ name: 'dice' }],
    });
    expect(session.state.steeringMode).toBe('all');
    expect(JSON.stringify(session.session.context().messages)).toContain('"text":"6"');
    expect(tenon.cwd).toBe(home);
    await session.dispose();
  });

  it('leaves nothing running when it cannot be made', async () => {
    await expect(createAgentSession({ ...options().options, session: { open: 'nothing' } })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('a session', () => {
  it('is steered, followed up, branched and compacted', async () => {
    const long = 'word '.repeat(30_000);
    const made = options([({ systemPrompt }) => ({ text: systemPrompt.includes('ummar') ? 'short' : long })]);
    const { session } = await createAgentSession({
      ...made.options,
      session: 'memory',
      settings: { 'agent.compaction.enabled': false },
      systemPrompt: 'x',
    });
    const events: AgentEvent[] = [];
    session.subscribe((event) => events.push(event));
    session.followUp('and then?');
    const running = session.prompt('one');
    session.steer('quickly');
    await running;
    expect(
      session.session
        .context()
        .messages.filter(({ role }) => role === 'user')
        .map(({ content }: any) => content),
    ).toEqual(['one', 'quickly', 'and then?']);
    const { tokensAfter } = await session.compact();
    expect(tokensAfter).toBeLessThan(60_000);
    const [first] = session.session.branch();
    // A message is said anew: its text comes back, and what is said instead stands beside it.
    expect(await session.branchTo(first?.id ?? null)).toEqual({ cancelled: false, leafId: null, text: 'one' });
    await session.prompt('instead');
    expect(session.session.children(null)).toHaveLength(2);
    expect(session.usage().totalTokens).toBeGreaterThan(0);
    await session.dispose();
  });

  it('can be continued, opened and forked by another agent of the same Tenon', async () => {
    const made = options();
    const tenon = await createTenon({ home, cwd: home, modelRegistry: made.options.modelRegistry, packs: false });
    const { session: first } = await tenon.createAgentSession({ tools: [] });
    await first.prompt('one');
    const { id } = first.session;
    await first.dispose();
    const { session: again } = await tenon.createAgentSession({ tools: [], session: 'continue' });
    expect(again.session.id).toBe(id);
    await again.dispose();
    const { session: opened } = await tenon.createAgentSession({ tools: [], session: { open: id.slice(0, 6) } });
    const { session: copy } = await tenon.createAgentSession({ tools: [], session: { fork: id } });
    expect(copy.session.id).not.toBe(id);
    expect(copy.session.context().messages).toHaveLength(2);
    expect((await (await tenon.sessions()).list({ cwd: home })).map((one) => one.id).sort()).toEqual(
      [id, copy.session.id].sort(),
    );
    expect(await (await tenon.models()).list()).toHaveLength(2);
    await opened.dispose();
    await tenon.dispose();
  });

  it('uses plugins that the program brings', async () => {
    const made = options([{ calls: [{ name: 'clock' }] }, { text: 'late' }]);
    const plugin = inlineCandidate(
      {
        id: 'clock',
        activate: (ctx) =>
          void ctx.contribute(
            tools,
            'clock',
            tool(async () => ({ content: [{ type: 'text', text: 'five to twelve' }] })),
          ),
      },
      { contributes: { tools: { clock: { summary: 'tells the time' } } } },
    );
    const { session } = await createAgentSession({
      ...made.options,
      tools: ['clock'],
      plugins: [plugin],
      session: 'memory',
    });
    await session.prompt('what time is it?');
    expect(JSON.stringify(made.requests[1]?.messages)).toContain('five to twelve');
    await session.dispose();
  });
});
