import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { type ModelMessage, unknownModel } from '../src/api.ts';
import { askModel, modelsWorld } from './models-world.ts';

const world = modelsWorld();
const { start } = world;

/** Two providers: one whose models are blind, with an eye of its own, and one that sees. */
const file = () => `
providers:
  acme:
    api: openai-completions
    baseUrl: ${world.fake.baseUrl('openai-completions')}
    apiKey: acme-key
    anyModel: false
    models:
      - { id: thinker, input: [text] }
      - { id: watcher-1, input: [text, image] }
  blind:
    api: openai-completions
    baseUrl: ${world.fake.baseUrl('openai-completions')}
    apiKey: blind-key
    models:
      - { id: mole, input: [text] }
`;
const PICTURE = { type: 'image' as const, data: 'aGVsbG8=', mimeType: 'image/png' };
const question: ModelMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'What is it?' }, PICTURE],
  timestamp: 7,
};
const asked = () => world.fake.requests.map(({ body }) => body['model']);

describe('choosing a model by name', () => {
  it('takes the name of a role for the role, and says which model that is', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    vi.stubEnv('MISTRAL_API_KEY', 'k');
    const { registry } = await start({ settings: { roles: { plan: 'claude-opus-4-6:high', boss: 'mistral/*' } } });
    expect(await registry.find('small')).toMatchObject({
      model: { id: expect.stringMatching(/^claude-haiku/) },
      fallbackMessage: expect.stringMatching(/^The model for the role "small" is anthropic\/claude-haiku/),
    });
    expect(await registry.find('plan')).toMatchObject({ model: { id: 'claude-opus-4-6' }, thinking: 'high' });
    expect(await registry.find('plan:low')).toMatchObject({ model: { id: 'claude-opus-4-6' }, thinking: 'low' });
    expect((await registry.find('boss'))?.model.provider).toBe('mistral');
  });

  it('says which model it uses for a part of a name, and nothing about a whole name', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'k');
    vi.stubEnv('OPENROUTER_API_KEY', 'k');
    const { registry } = await start();
    expect((await registry.find('opus-4-6:high'))?.fallbackMessage).toBe(
      'Using anthropic/claude-opus-4-6 for "opus-4-6:high".',
    );
    expect((await registry.find('anthropic/*opus-4-6'))?.fallbackMessage).toContain('claude-opus-4-6');
    for (const whole of ['claude-opus-4-6', 'anthropic/claude-opus-4-6:high', 'openrouter/new-lab/brand-new'])
      expect(await registry.find(whole)).not.toHaveProperty('fallbackMessage');
  });

  it('asks the local server of a model that was named how much it takes', async () => {
    const server = createServer((request, response) => {
      const list = { data: [{ id: 'tiny', owned_by: 'llamacpp', meta: { n_ctx: 2_048, n_ctx_train: 131_072 } }] };
      response.writeHead(request.url === '/v1/models' ? 200 : 404).end(JSON.stringify(list));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('LLAMA_CPP_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    try {
      const { registry } = await start();
      expect((await registry.find('llama.cpp/tiny'))?.model).toMatchObject({ id: 'tiny', contextWindow: 2_048 });
      // What the server does not list may still be there: such servers load models when they are asked for.
      expect((await registry.find('llama.cpp/other'))?.model.id).toBe('other');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('finds nothing for a provider that does not exist, and names the one that was meant', async () => {
    vi.stubEnv('OPENROUTER_API_KEY', 'k');
    const { registry } = await start({ file: file() });
    for (const [wanted, message, next] of [
      ['x/m', /There is no model "x\/m"\. No provider has the name "x"\.$/, /`tenon models list`/],
      ['antropic/something-else', /No provider has the name "antropic"\. Did you mean "anthropic"\?/, /./],
      ['antropic/claude-opus-4-6', /Did you mean "anthropic\/claude-opus-4-6"\?/, /./],
      ['acme/thinkr:high', /There is no model "acme\/thinkr:high"\. Did you mean "thinker"\?/, /models list acme`/],
      ['sonet', /Did you mean "sonnet"\?/, /./],
      ['gpt-5.33', /Did you mean "gpt-5\.\d"\?/, /./],
    ] as const) {
      expect(await registry.find(wanted), wanted).toBeUndefined();
      const error = await unknownModel(registry, wanted);
      expect(error).toMatchObject({ code: 'MODELS_UNKNOWN', message: expect.stringMatching(message) });
      expect(error.next).toMatch(next);
    }
  });
});

describe('a question about an image', () => {
  it('goes to the model of the role when the one in use does not see, and the user is told once', async () => {
    const { registry } = await start({ file: file(), settings: { roles: { vision: 'acme/watcher-1' } } });
    const mole = (await registry.find('blind/mole'))?.model;
    world.fake.reply(
      { content: [{ type: 'toolCall', id: 'c', name: 'look', arguments: {} }] },
      { content: [{ type: 'text', text: 'a hill' }] },
      { content: [{ type: 'text', text: 'you are welcome' }] },
    );
    const first = await askModel(registry, mole, { messages: [question], sessionId: 's' });
    expect(first.message).toMatchObject({ provider: 'acme', model: 'watcher-1' });
    expect(first.notices).toMatchObject([{ fallback: 'acme/watcher-1', reason: 'blind/mole does not see images' }]);
    expect(JSON.stringify(world.fake.requests[0]?.body)).toContain('aGVsbG8=');
    // The same question goes on after a tool: still the other model, but that is no news.
    const result: ModelMessage = {
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'look',
      content: [{ type: 'text', text: 'green' }],
      isError: false,
      timestamp: 8,
    };
    const messages = [question, first.message, result];
    const second = await askModel(registry, mole, { messages, sessionId: 's' });
    expect(second).toMatchObject({ said: 'a hill', notices: [], message: { model: 'watcher-1' } });
    // The next question has no image: the model of the session answers it.
    const thanks: ModelMessage = { role: 'user', content: 'Thanks', timestamp: 9 };
    const third = await askModel(registry, mole, { messages: [...messages, second.message, thanks], sessionId: 's' });
    expect(third.message).toMatchObject({ provider: 'blind', model: 'mole' });
    expect(asked()).toEqual(['watcher-1', 'watcher-1', 'mole']);
  });

  it('goes to a model of the same provider without a role, never to another company', async () => {
    const { registry } = await start({ file: file() });
    world.fake.otherwise({ content: [{ type: 'text', text: 'a hill' }] });
    const thinker = (await registry.find('acme/thinker'))?.model;
    expect((await askModel(registry, thinker, { messages: [question] })).message.model).toBe('watcher-1');
    const mole = (await registry.find('blind/mole'))?.model;
    const { failure, message } = await askModel(registry, mole, { messages: [question] });
    expect(failure).toMatchObject({
      kind: 'bad-request',
      code: 'MODELS_NO_IMAGES',
      message: 'The model blind/mole does not see images, and no other one may take its place.',
    });
    expect(message.errorNext).toContain('tenon config set models.roles.vision');
    expect(asked()).toEqual(['watcher-1']);
  });

  it('is not asked of a role whose model is blind, too', async () => {
    const { registry } = await start({
      file: file(),
      settings: { roles: { default: 'blind/mole', vision: 'acme/thinker' } },
    });
    expect(await registry.forRole('vision')).toMatchObject({
      model: { id: 'watcher-1' },
      fallbackMessage: expect.stringContaining('acme/thinker'),
    });
  });

  it('finds no model when none that can be used sees', async () => {
    const { registry } = await start({ file: file().replace('[text, image]', '[text]') });
    await expect(registry.forRole('vision')).rejects.toMatchObject({ code: 'MODELS_NO_EYES' });
  });
});
