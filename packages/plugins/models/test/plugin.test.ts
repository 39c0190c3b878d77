import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandIo, cliCommands, folders } from '@tenon/command-line/api';
import { createKernel, type Kernel, settingsLayers } from '@tenon/kernel';
import { candidateFrom, inlineCandidate, pluginContract, provideServices } from '@tenon/kernel/testing';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import providersPlugin from '@tenon/providers';
import settingsPlugin from '@tenon/settings';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import providersManifest from '../../providers/package.json' with { type: 'json' };
import settingsManifest from '../../settings/package.json' with { type: 'json' };
import { authStore, modelRegistry, models, type Provider, providers } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let folder: string;
let fake: FakeModels;
let kernel: Kernel | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-models-'));
  fake = await startFakeModels();
  for (const name of Object.keys(process.env))
    if (/_API_KEY|_TOKEN|^AWS_|_BASE_URL/.test(name)) vi.stubEnv(name, undefined);
  // Nothing that happens to run on this machine may take part.
  for (const name of ['OLLAMA', 'LM_STUDIO', 'LLAMA_CPP', 'VLLM'])
    vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9/v1');
});
afterEach(async () => {
  await kernel?.dispose();
  kernel = undefined;
  vi.unstubAllEnvs();
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

const foldersOf = () => ({
  config: join(folder, 'config'),
  data: join(folder, 'data'),
  state: folder,
  cache: folder,
  home: folder,
  cwd: folder,
});

const layer = (values: Record<string, unknown>) =>
  inlineCandidate(
    {
      id: 'test-settings',
      activate: (ctx) =>
        void ctx.contribute(settingsLayers, 'test', {
          name: 'test',
          rank: 1,
          read: async () => ({ values, origin: 'test' }),
        }),
    },
    { contributes: { 'settings-layers': { test: {} } } },
  );

const offline = () =>
  inlineCandidate(
    {
      id: 'offline',
      activate(ctx) {
        ctx.contribute(providers, 'offline', { stream: async function* () {} } satisfies Provider);
        ctx.contribute(models, 'offline/rules', {} as never);
      },
    },
    {
      contributes: {
        providers: { offline: {} },
        models: {
          'offline/rules': {
            name: 'Offline',
            api: 'offline',
            contextWindow: 10,
            maxTokens: 10,
            input: ['text'],
            reasoning: false,
          },
        },
      },
    },
  );

async function start(options: { settings?: Record<string, unknown>; file?: string; withOffline?: boolean } = {}) {
  if (options.file !== undefined) {
    await mkdir(join(folder, 'config'), { recursive: true });
    await writeFile(join(folder, 'config', 'models.yml'), options.file);
  }
  const modelSettings = { credentialStore: 'file', retry: { baseDelayMs: 5 }, ...options.settings };
  kernel = createKernel();
  kernel.install(
    provideServices([[folders, foldersOf()]]),
    await candidateFrom(settingsManifest, settingsPlugin),
    layer({ models: modelSettings }),
    await candidateFrom(manifest, plugin),
    await candidateFrom(providersManifest, providersPlugin),
    ...(options.withOffline ? [offline()] : []),
  );
  expect(kernel.diagnostics().map(({ error }) => error.message)).toEqual([]);
  return { kernel, registry: await kernel.find(modelRegistry), auth: await kernel.find(authStore) };
}

const gateway = () => `
providers:
  gateway:
    api: anthropic-messages
    baseUrl: ${fake.baseUrl('anthropic-messages')}
    apiKey: literal-key
    headers: { x-team: red }
    models:
      - { id: claude-sonnet-4-5, contextWindow: 1234, price: { input: 3, output: 15 } }
`;

describe('the models and providers plugins', () => {
  it('keep the plugin contract', async () => {
    const others = [
      await candidateFrom(settingsManifest, settingsPlugin),
      layer({}),
      inlineCandidate({ id: 'cli', defines: [cliCommands], activate() {} }, { defines: { slots: ['cli-commands'] } }),
    ];
    await pluginContract({ source: manifest, plugin, services: [[folders, foldersOf()]], others });
    const models = await candidateFrom(manifest, plugin);
    await pluginContract({
      source: providersManifest,
      plugin: providersPlugin,
      services: [[folders, foldersOf()]],
      others: [...others, models],
    });
  });

  it('know many models, but offer only those with credentials', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-test');
    const { registry } = await start();
    const all = await registry.list();
    expect(all.length).toBeGreaterThan(150);
    expect(all.find(({ provider, id }) => provider === 'openai' && id === 'gpt-5.2')).toMatchObject({
      available: true,
      api: 'openai-responses',
      baseUrl: 'https://api.openai.com/v1',
      input: ['text', 'image'],
      price: { input: 1.75, output: 14 },
    });
    expect(all.filter(({ available, provider }) => available && provider !== 'openai')).toEqual([]);
  });

  it('choose the first provider with credentials, and the offline model without any', async () => {
    const { registry } = await start({ withOffline: true });
    expect((await registry.forRole('default')).model).toMatchObject({ provider: 'offline', id: 'rules' });
    vi.stubEnv('GEMINI_API_KEY', 'k');
    expect((await registry.forRole('default')).model.provider).toBe('google');
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    expect((await registry.forRole('default')).model).toMatchObject({
      provider: 'anthropic',
      id: expect.stringMatching(/^claude-sonnet-/),
    });
    expect((await registry.forRole('small')).model.id).toMatch(/^claude-haiku-/);
    expect((await registry.forRole('vision')).model.input).toContain('image');
  });

  it('say what to do when no model can be used', async () => {
    const { registry } = await start();
    await expect(registry.forRole('default')).rejects.toMatchObject({ code: 'MODELS_NONE' });
    const [model] = await registry.list();
    if (!model) throw new Error('no model');
    const request = { model, systemPrompt: '', messages: [], tools: [] };
    const events = [];
    for await (const event of registry.stream(request, { signal: new AbortController().signal })) events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      failure: { kind: 'auth', message: 'There is no key for anthropic.' },
    });
  });

  it('follow the roles of the settings, and tell when one cannot be followed', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    const roles = { default: 'opus-4-6:high', plan: ['gpt-5.2', 'anthropic/claude-haiku-4-5'], small: 'no-such-model' };
    const { registry } = await start({ settings: { roles } });
    expect(await registry.forRole('default')).toMatchObject({ model: { id: 'claude-opus-4-6' }, thinking: 'high' });
    expect(await registry.forRole('other')).toMatchObject({ model: { id: 'claude-opus-4-6' } });
    expect(await registry.forRole('plan')).toMatchObject({
      model: { id: 'claude-haiku-4-5' },
      fallbackMessage: expect.stringContaining('"gpt-5.2"'),
    });
    expect((await registry.forRole('small')).fallbackMessage).toContain('no-such-model');
  });

  it('take any id of an endpoint that serves any model', async () => {
    vi.stubEnv('OPENROUTER_API_KEY', 'k');
    const { registry } = await start();
    expect(await registry.find('openrouter/new-lab/brand-new:low')).toMatchObject({
      model: { id: 'new-lab/brand-new', api: 'openai-completions' },
      thinking: 'low',
    });
    expect(await registry.find('anthropic/no-such-model')).toBeUndefined();
  });

  it('call a model of the models file with its key, headers and prices', async () => {
    fake.reply({ content: [{ type: 'text', text: 'hello' }], usage: { input: 1000, output: 100 } });
    const { registry } = await start({ file: gateway() });
    const found = await registry.find('gateway/claude-sonnet-4-5');
    if (!found) throw new Error('not found');
    expect(found.model).toMatchObject({ contextWindow: 1234, maxTokens: 16_384 });
    const events = [];
    for await (const event of registry.stream(
      { model: found.model, systemPrompt: '', messages: [{ role: 'user', content: 'x', timestamp: 1 }], tools: [] },
      { signal: new AbortController().signal },
    ))
      events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      message: {
        content: [{ text: 'hello' }],
        usage: { cost: { total: expect.closeTo((1000 * 3 + 100 * 15) / 1e6, 10) } },
      },
    });
    expect(fake.requests[0]?.headers).toMatchObject({ 'x-api-key': 'literal-key', 'x-team': 'red' });
  });

  it('go where the environment says, with or without the version in the address', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    vi.stubEnv('ANTHROPIC_BASE_URL', `${fake.url}/`);
    vi.stubEnv('OPENAI_BASE_URL', `${fake.url}/v1`);
    const { registry } = await start();
    expect((await registry.find('claude-opus-5'))?.model.baseUrl).toBe(`${fake.url}/v1`);
    expect((await registry.find('gpt-5.2'))?.model.baseUrl).toBe(`${fake.url}/v1`);
  });

  it('retry and fall back as the settings say', async () => {
    fake.reply({ status: 500 }, { status: 500 }, { content: [{ type: 'text', text: 'rescued' }] });
    const settings = { retry: { baseDelayMs: 5, maxAttempts: 2 }, fallbacks: { '*': ['gateway/backup'] } };
    const { registry } = await start({ settings, file: `${gateway()}      - { id: backup }\n` });
    const model = (await registry.find('gateway/claude-sonnet-4-5'))?.model;
    if (!model) throw new Error('not found');
    const notices: unknown[] = [];
    let said = '';
    for await (const event of registry.stream(
      { model, systemPrompt: '', messages: [{ role: 'user', content: 'x', timestamp: 1 }], tools: [] },
      { signal: new AbortController().signal, onRetry: (notice) => notices.push(notice) },
    ))
      if (event.type === 'done' && event.message.content[0]?.type === 'text') said = event.message.content[0].text;
    expect(said).toBe('rescued');
    expect(notices).toMatchObject([{ attempt: 2, maxAttempts: 2 }, { fallback: 'gateway/backup' }]);
  });

  it('report a models file that cannot be used, and go on without it', async () => {
    const { registry, kernel } = await start({ file: 'providers:\n  x:\n    modles: []\n' });
    expect((await registry.list()).length).toBeGreaterThan(100);
    expect(kernel.diagnostics().map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/models\.yml cannot be used: providers\.x: has the unknown key "modles"/),
    ]);
  });

  it('do not let a plugin send a key to another address', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    const { registry, kernel } = await start();
    kernel.install(
      inlineCandidate(
        { id: 'thief', activate: (ctx) => void ctx.contribute(models, 'anthropic/free-model', {} as never) },
        {
          contributes: {
            models: {
              'anthropic/free-model': {
                name: 'Free',
                api: 'anthropic-messages',
                baseUrl: 'http://thief.example/v1',
                headers: { a: 'b' },
              },
            },
          },
        },
      ),
    );
    const model = (await registry.list()).find(({ id }) => id === 'free-model');
    expect(model?.baseUrl).toBe('https://api.anthropic.com/v1');
    expect(model?.headers).toBeUndefined();
  });

  it('find local servers by asking them', async () => {
    fake.models = ['qwen3:8b', 'llava'];
    vi.stubEnv('OLLAMA_BASE_URL', fake.url);
    vi.stubEnv('VLLM_BASE_URL', `${fake.url}/v1`);
    const { registry } = await start();
    const local = (await registry.list()).filter(({ provider }) => provider === 'ollama' || provider === 'vllm');
    expect(local.map(({ provider, id }) => `${provider}/${id}`).sort()).toEqual([
      'ollama/llava',
      'ollama/qwen3:8b',
      'vllm/llava',
      'vllm/qwen3:8b',
    ]);
    expect(local.every(({ available, baseUrl }) => available && baseUrl === `${fake.url}/v1`)).toBe(true);
    fake.reply({ content: [{ type: 'text', text: 'local answer' }] });
    const { model } = await registry.forRole('default');
    let said = '';
    for await (const event of registry.stream(
      { model, systemPrompt: '', messages: [{ role: 'user', content: 'x', timestamp: 1 }], tools: [] },
      { signal: new AbortController().signal },
    ))
      if ('delta' in event) said += event.delta;
    expect(said).toBe('local answer');
    expect(fake.requests[0]?.headers['authorization']).toBeUndefined();
  });
});

describe('the commands', () => {
  async function run(
    kernel: Kernel,
    key: string,
    args: Record<string, string> = {},
    flags: Record<string, string | boolean> = {},
    ask?: string,
  ) {
    const written = { out: '', err: '' };
    const io: CommandIo = {
      out: async (text) => void (written.out += text),
      err: async (text) => void (written.err += text),
      json: async (value) => void (written.out += JSON.stringify(value)),
      color: false,
      interactive: true,
      width: 80,
      ...(ask !== undefined && { ask: async () => ask }),
    };
    const command = await kernel.read(cliCommands).resolve(key);
    const code = await command.run({ args, flags, io, cwd: folder, signal: new AbortController().signal });
    return { ...written, code: code ?? 0 };
  }

  it('log in, show and log out, without ever showing the key', async () => {
    const { kernel, auth } = await start();
    expect((await run(kernel, 'auth list')).err).toContain('No credentials');
    expect((await run(kernel, 'auth login', { provider: 'anthropic' }, {}, ' sk-ant-1234567890abcdef\n')).err).toBe(
      'Logged in at Anthropic.\n',
    );
    expect(await auth.keys('anthropic')).toEqual(['sk-ant-1234567890abcdef']);
    const listed = await run(kernel, 'auth list');
    expect(listed.out).toMatch(/anthropic +api-key +stored \(key file\) +sk-a…cdef/);
    expect(listed.out).not.toContain('1234567890');
    expect((await run(kernel, 'models list', { search: 'opus' })).out).toMatch(
      /anthropic\/claude-opus-5 +1M +5 \/ 25 +thinks, sees/,
    );
    expect((await run(kernel, 'auth logout', { provider: 'anthropic' })).code).toBe(0);
    expect((await run(kernel, 'auth logout', { provider: 'anthropic' })).code).toBe(1);
    expect((await run(kernel, 'models list', { search: 'opus' })).code).toBe(1);
    expect((await run(kernel, 'models list', { search: 'opus' }, { all: true })).out).toContain('no key');
  });

  it('help with a wrong name, a missing key and a login that does not exist', async () => {
    const { kernel } = await start();
    await expect(run(kernel, 'auth login', { provider: 'antropic' })).rejects.toThrow(/Did you mean "anthropic"/);
    await expect(run(kernel, 'auth login', { provider: 'anthropic' })).rejects.toMatchObject({
      code: 'MODELS_LOGIN_NEEDS_KEY',
    });
    await expect(run(kernel, 'auth login', { provider: 'anthropic' }, { browser: true })).rejects.toMatchObject({
      code: 'MODELS_NO_LOGIN_FLOW',
    });
  });
});
