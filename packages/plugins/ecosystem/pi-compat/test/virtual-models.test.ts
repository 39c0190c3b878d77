/** Virtual models of extensions, over the real registry and two providers that speak their protocol on loopback. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import type { AssistantMessage } from '@tenon/models/api';
import type { AgentSession } from '@tenon/agent/api';
import { useBuiltHost } from '@tenon/test-kit/built-program';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { world as tenonWorld } from '@tenon/test-kit/mcp-world';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

beforeAll(() => useBuiltHost('pi-compat'), 60_000);

let fake: FakeModels;
let other: FakeModels;
beforeEach(async () => {
  [fake, other] = [await startFakeModels(), await startFakeModels()];
  later(async () => void (await Promise.all([fake.close(), other.close()])));
});

const answers = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const callsNothing = { content: [{ type: 'toolCall' as const, id: 'c1', name: 'nothing', arguments: {} }] };

/** A Tenon with the providers `near` and `far`, and one extension. */
async function open(code: string, options: { granted?: readonly string[]; confirm?: (title: string) => boolean } = {}) {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const file = join(home, '.omp/agent/extensions/router.ts');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, code);
  const provider = (models: FakeModels) => ({
    baseUrl: models.baseUrl('openai-completions'),
    api: 'openai-completions',
    apiKey: 'k',
    models: ['big', 'small'].map((id) => ({ id, name: id, contextWindow: 32_000, maxTokens: 1000, reasoning: true })),
  });
  mkdirSync(join(home, 'config'), { recursive: true });
  writeFileSync(
    join(home, 'config/models.yml'),
    JSON.stringify({ providers: { near: provider(fake), far: provider(other) } }),
  );
  if (options.granted) {
    mkdirSync(join(home, 'data'), { recursive: true });
    const record = { name: 'router', enabled: true, trust: 'isolated', providers: options.granted, since: '' };
    writeFileSync(join(home, 'data/extensions.json'), JSON.stringify({ version: 1, modules: { [file]: record } }));
  }
  const settings = { 'models.retry.baseDelayMs': 1 };
  const seen = await tenonWorld({ like: { home, cwd }, realModels: true, settings });
  const asked: string[] = [];
  if (options.confirm)
    await seen.answerWith({
      confirm: async (title, message) => {
        asked.push(`${title} ${message}`);
        return options.confirm?.(title) ?? false;
      },
    });
  const start = async (model: string): Promise<AgentSession> => {
    const { session } = await seen.tenon.createAgentSession({ session: 'memory', model });
    later(() => session.dispose());
    return session;
  };
  return { ...seen, file, asked, start };
}

const router = (body: string, more = '') => `
  export default (pi) => {
    pi.registerVirtualModel({ provider: 'router', id: 'auto', name: 'Auto', thinkingLevels: ['low', 'high'],
      route: async (request, ctx) => { const to = (provider, id, rest = {}) => ({ model: ctx.modelRegistry.find(provider, id), thinkingLevel: 'medium', ...rest }); ${body} } });
    ${more}
  };`;

/** The last answer in the session. */
function last({ session }: AgentSession): AssistantMessage {
  for (const entry of session.walk())
    if (entry.type === 'message' && entry.message.role === 'assistant') return entry.message;
  throw new Error('there is no answer');
}

describe('a virtual model', () => {
  test('answers with the model that its router names; the answer carries the real name, the session the virtual one', async () => {
    const { start } = await open(router(`return to('near', 'big');`), { granted: ['near'] });
    fake.reply(answers('Hello.'));
    const session = await start('router/auto');
    expect(session.state.model).toMatchObject({ provider: 'router', id: 'auto', reasoning: true });
    await session.prompt('hi');
    expect(last(session)).toMatchObject({ provider: 'near', model: 'big', stopReason: 'stop' });
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]?.body).toMatchObject({ model: 'big' });
    expect(session.state.model.provider).toBe('router');
  });

  test('never sends a conversation to a provider that the user did not choose', async () => {
    const { start } = await open(router(`return to('far', 'big');`), { granted: ['near'] });
    other.reply(answers('You should not see this.'));
    const session = await start('router/auto');
    await session.prompt('my secret');
    expect(other.requests).toEqual([]);
    expect(last(session)).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('it would send the conversation to far, which you did not choose'),
      errorNext: expect.stringContaining('tenon extension allow router --provider far'),
    });
  });

  test('asks where somebody is there, once, and keeps a yes', async () => {
    const { start, asked, file, home } = await open(router(`return to('far', 'big');`), { confirm: () => true });
    other.reply(answers('One.'), answers('Two.'));
    const session = await start('router/auto');
    await session.prompt('hi');
    await session.prompt('and?');
    expect(asked).toEqual([
      expect.stringMatching(/^Send this conversation to far\? The model router\/auto of the extension "router"/),
    ]);
    expect(other.requests).toHaveLength(2);
    const records = JSON.parse(readFileSync(join(home, 'data/extensions.json'), 'utf8')) as {
      modules: Record<string, unknown>;
    };
    expect(records.modules[file]).toMatchObject({ trust: 'isolated', providers: ['far'] });
  });

  test('takes a no for an answer and does not ask again', async () => {
    const { start, asked } = await open(router(`return to('far', 'big');`), { confirm: () => false });
    const session = await start('router/auto');
    await session.prompt('hi');
    await session.prompt('again');
    expect(asked).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  test('under the name of a provider may use that provider: it was chosen with the model', async () => {
    const code = router(`return to('near', 'small');`).replace(`provider: 'router'`, `provider: 'near'`);
    const { start, tenon } = await open(code);
    fake.reply(answers('Loaded.'), answers('Hello.'));
    const session = await start('near/big');
    await session.prompt('load the extensions');
    const found = (await (await tenon.models()).list()).find(({ provider, id }) => `${provider}/${id}` === 'near/auto');
    if (!found) throw new Error('it is not listed');
    await session.setModel(found);
    await session.prompt('hi');
    expect(fake.requests[1]?.body).toMatchObject({ model: 'small' });
  });

  test('tells its router why it is asked, who answered last, and what it kept', async () => {
    const body = `
      const seen = { reason: request.reason, previous: request.previous?.model.id, state: request.state, level: request.thinkingLevel, first: request.messages[0].role, model: request.model.id };
      ctx.ui.notify(JSON.stringify(seen));
      return to('near', request.state ? 'small' : 'big', { state: request.state ?? { phase: 1 } });`;
    const { start, answerWith } = await open(router(body), { granted: ['near'] });
    const notices: string[] = [];
    await answerWith({ notify: (text) => void notices.push(text) });
    fake.reply(callsNothing, answers('One.'), answers('Two.'));
    const session = await start('router/auto');
    await session.setThinking('high');
    await session.prompt('hi');
    await session.prompt('more');
    const common = { level: 'high', first: 'system', model: 'auto' };
    expect(notices.map((text) => JSON.parse(text) as unknown)).toEqual([
      { reason: 'user', ...common },
      { reason: 'continuation', previous: 'big', state: { phase: 1 }, ...common },
      { reason: 'user', previous: 'small', state: { phase: 1 }, ...common },
    ]);
    const kept = [...session.session.entries()].filter((entry) => entry.type === 'custom');
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      customType: 'pi.virtual-model-state',
      data: { provider: 'router', modelId: 'auto', state: { phase: 1 } },
    });
  });

  test('asks its router again when a request failed, with what failed', async () => {
    const body = `return request.failed ? to('near', 'small', { note: 1 }) : to('near', 'big');`;
    const { start } = await open(router(body), { granted: ['near'] });
    fake.reply({ status: 503 }, answers('At last.'));
    const session = await start('router/auto');
    await session.prompt('hi');
    expect(fake.requests.map(({ body: sent }) => (sent as { model: string }).model)).toEqual(['big', 'small']);
    expect(last(session)).toMatchObject({ model: 'small', stopReason: 'stop' });
  });

  test('whose router fails, names itself, or names nothing, ends the request with the reason', async () => {
    const code = `
      export default (pi) => {
        const routes = { broken: () => { throw new Error('no idea'); }, nothing: () => undefined, unknown: () => ({ model: { provider: 'nowhere', id: 'huge' } }), itself: (request) => ({ model: request.model }) };
        for (const [id, route] of Object.entries(routes)) pi.registerVirtualModel({ provider: 'odd', id, name: id, route });
      };`;
    const { start } = await open(code, { granted: ['near'] });
    const reasons: Record<string, string | undefined> = {};
    for (const id of ['broken', 'nothing', 'unknown', 'itself']) {
      const session = await start(`odd/${id}`);
      await session.prompt('hi');
      reasons[id] = last(session).errorMessage;
    }
    expect(reasons).toEqual({
      broken: expect.stringContaining('its router failed (no idea)'),
      nothing: expect.stringContaining('must return'),
      unknown: expect.stringContaining('nowhere/huge, which does not exist'),
      itself: expect.stringContaining('virtual, too'),
    });
    expect(fake.requests).toEqual([]);
  });

  test('does not hide a real model, and is gone when it was taken back', async () => {
    const code = `
      export default (pi) => {
        pi.registerVirtualModel({ provider: 'near', id: 'big', name: 'Big', route: () => undefined });
        pi.registerVirtualModel({ provider: 'router', id: 'gone', name: 'Gone', route: () => undefined });
        pi.registerVirtualModel({ provider: 'router', id: 'stays', name: 'Stays', route: () => undefined });
        pi.on('agent_start', () => pi.unregisterVirtualModel('router', 'gone'));
      };`;
    const { start, kernel, tenon } = await open(code);
    fake.reply(answers('Hello.'));
    await start('router/stays');
    const session = await start('near/big');
    const names = async () =>
      (await (await tenon.models()).list())
        .filter(({ provider }) => provider === 'router')
        .map(({ id, available }) => [id, available]);
    expect(await names()).toEqual([
      ['gone', true],
      ['stays', true],
    ]);
    await session.prompt('hi');
    expect(last(session)).toMatchObject({ provider: 'near', model: 'big', stopReason: 'stop' });
    await expect.poll(names).toEqual([['stays', true]]);
    expect(kernel.diagnostics().map(({ error }) => error.message)).toContainEqual(
      expect.stringContaining(
        'The virtual model "near/big" of "router" is not used: there is a real model of the same name',
      ),
    );
  });
});
