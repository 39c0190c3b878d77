import { describe, expect, it, vi } from 'vitest';
import { duration } from '../src/call/advice.ts';
import { askModel, modelsWorld } from './models-world.ts';

const world = modelsWorld();
const { start } = world;

const file = (apiKey = 'literal') => `
providers:
  acme:
    api: openai-completions
    baseUrl: ${world.fake.baseUrl('openai-completions')}
    apiKey: ${apiKey}
    models: [{ id: m }]
`;

describe('a call that fails for good says what to do', () => {
  it.each([
    [
      { status: 401, message: 'bad key' },
      'MODELS_KEY_REFUSED',
      /tenon auth login acme`, or correct `apiKey` of acme in .*models\.yml/,
    ],
    [{ status: 402, message: 'Insufficient balance' }, 'MODELS_NO_QUOTA', /Add credit/],
    [{ status: 404, message: 'The model `m` does not exist' }, 'MODELS_NOT_SERVED', /tenon models list acme/],
    [{ status: 404, message: 'nothing here' }, 'MODELS_REQUEST_REFUSED', /check its `api`, `baseUrl`/],
    [{ status: 400, message: 'prompt is too long' }, 'MODELS_TOO_LONG', /bigger window/],
    [{ status: 503 }, 'MODELS_PROVIDER_DOWN', /models\.fallbacks/],
    [{ status: 429, headers: { 'retry-after': '0' } }, 'MODELS_RATE_LIMITED', /models\.retry\.maxAttempts/],
    [{ content: [], stopReason: 'refused' as const }, 'MODELS_ANSWER_REFUSED', /in another way/],
  ])('%j', async (reply, code, next) => {
    world.fake.otherwise(reply);
    const { registry } = await start({ file: file(), settings: { retry: { maxAttempts: 2, baseDelayMs: 1 } } });
    const { failure, message } = await askModel(registry, (await registry.find('acme/m'))?.model);
    expect(failure).toMatchObject({ code, next: expect.stringMatching(next) });
    expect(message.errorNext).toBe(failure?.next);
    expect(failure?.next).not.toMatch(/\{\w+\}/);
  });

  it('names how long the provider asks to wait and the setting that does not allow it', async () => {
    world.fake.otherwise({ status: 429, headers: { 'retry-after': '7200' } });
    const { registry } = await start({ file: file() });
    const { failure } = await askModel(registry, (await registry.find('acme/m'))?.model);
    expect(failure).toMatchObject({ code: 'MODELS_ASKS_TO_WAIT', retryAfterMs: 7_200_000 });
    expect(failure?.next).toMatch(
      /It asks to wait 2 hours; Tenon waits 3 minutes at most \(setting models\.retry\.maxWaitMs\)/,
    );
    expect(world.fake.requests).toHaveLength(1);
  });

  it('names the variable that the models file asks for and nobody has set', async () => {
    const { registry } = await start({ file: file('$ACME_SECRET') });
    const model = (await registry.find('acme/m'))?.model;
    expect((await askModel(registry, model)).failure).toMatchObject({
      code: 'MODELS_NO_KEY',
      next: 'Run `tenon auth login acme`, or set ACME_SECRET.',
    });
    vi.stubEnv('ACME_SECRET', 'wrong');
    world.fake.reply({ status: 401 });
    expect((await askModel(registry, model)).failure?.next).toContain(', or set ACME_SECRET;');
  });

  it('names the address that cannot be reached', async () => {
    const { registry } = await start({
      file: file().replace(world.fake.baseUrl('openai-completions'), 'http://127.0.0.1:9/v1'),
      settings: { retry: { maxAttempts: 1 } },
    });
    const { failure } = await askModel(registry, (await registry.find('acme/m'))?.model);
    expect(failure).toMatchObject({
      code: 'MODELS_UNREACHABLE',
      next: expect.stringContaining('the address http://127.0.0.1:9/v1'),
    });
  });

  it('sends no key to the inventor of a protocol when nobody has said where the provider is', async () => {
    vi.stubEnv('CLOUDFLARE_AI_GATEWAY_API_KEY', 'secret');
    const { registry } = await start();
    const { failure } = await askModel(registry, (await registry.find('cloudflare-ai-gateway/some-model'))?.model);
    expect(failure).toMatchObject({
      code: 'MODELS_NO_ADDRESS',
      next: expect.stringContaining('or set CLOUDFLARE_AI_GATEWAY_BASE_URL'),
    });
  });

  it('tells times as people do', () => {
    expect([300, 45_000, 119_000, 180_000, 7_200_000, 200_000_000].map(duration)).toEqual([
      '1 second',
      '45 seconds',
      '119 seconds',
      '3 minutes',
      '2 hours',
      '3 days',
    ]);
  });
});
