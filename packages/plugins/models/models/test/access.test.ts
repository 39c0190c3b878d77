import { startFakeLogins, type FakeLogins } from '@tenon/model-fakes';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExchangeSpec } from '../src/api.ts';
import { AccessDesk } from '../src/auth/access.ts';
import { codeAssistProject } from '../src/auth/code-assist.ts';
import { exchange } from '../src/auth/token-exchange.ts';
import { reachWith } from '../src/call/reach.ts';

afterEach(() => vi.unstubAllGlobals());

const SPEC: ExchangeSpec = {
  kind: 'exchange',
  url: 'https://api.vendor.example/token',
  token: 'token',
  expires: 'expires_at',
  baseUrl: 'endpoints.api',
  hosts: ['vendor-models.example'],
  headers: 'headers',
  headerPrefix: 'x-vendor-',
};

/** Answers the next request with this JSON, as the vendor's server would. */
function answer(body: unknown, status = 200) {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }));
}

describe('an exchange', () => {
  it.each([
    ['https://api.vendor.example/', 'https://api.vendor.example'],
    ['https://vendor-models.example', 'https://vendor-models.example'],
    ['https://eu.vendor-models.example/x', 'https://eu.vendor-models.example/x'],
  ])('takes the address %s', async (api, expected) => {
    answer({ token: 't', endpoints: { api } });
    expect((await exchange(SPEC, 'key')).access.baseUrl).toBe(expected);
  });

  it.each([
    'https://notvendor-models.example',
    'https://vendor-models.example.evil.example',
    'http://vendor-models.example',
    'https://user@evil.example/vendor-models.example',
    'not an address',
  ])('does not take the address %s', async (api) => {
    answer({ token: 't', endpoints: { api } });
    await expect(exchange(SPEC, 'key')).rejects.toThrow(/not the vendor's/);
  });

  it('gives nothing harmful, whatever the answer is', async () => {
    const header = fc.oneof(
      fc.string(),
      fc.constantFrom('x-vendor-a', 'X-Vendor-B', 'authorization', 'x-api-key', 'x-vendor-c\r\nhost'),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          token: fc.oneof(fc.string(), fc.jsonValue()),
          expires_at: fc.oneof(fc.integer(), fc.jsonValue()),
          endpoints: fc.oneof(fc.record({ api: fc.oneof(fc.webUrl(), fc.string()) }), fc.jsonValue()),
          headers: fc.oneof(fc.dictionary(header, fc.oneof(fc.string(), fc.jsonValue())), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        answer(value);
        const access = await exchange(SPEC, 'key').then(
          (timed) => timed.access,
          (fault: unknown) => void expect(fault).toBeInstanceOf(Error),
        );
        if (!access) return;
        expect(access.apiKey).not.toBe('');
        if (access.baseUrl !== undefined)
          expect(new URL(access.baseUrl).hostname).toMatch(/^(?:api\.vendor|(?:.+\.)?vendor-models)\.example$/);
        for (const [name, text] of Object.entries(access.headers ?? {})) {
          expect(name).toMatch(/^x-vendor-[\w-]*$/);
          expect(() => new Headers([[name, text]])).not.toThrow();
        }
      }),
    );
  });

  it.each([
    [401, { message: 'Bad credentials' }, 'MODELS_KEY_REFUSED', /Bad credentials/],
    [403, { error_details: { message: 'No plan' } }, 'MODELS_NO_ACCESS', /No plan/],
    [404, { message: 'Not Found' }, 'MODELS_NO_ACCESS', /404/],
    [503, 'busy', 'MODELS_PROVIDER_DOWN', /503/],
  ] as const)('says what %i means', async (status, body, code, said) => {
    answer(body, status);
    const work = new AccessDesk({}).for('vendor', SPEC, 'secret-key');
    await expect(work).rejects.toMatchObject({ code, message: expect.stringMatching(said) });
    await expect(work).rejects.not.toThrow(/secret-key/);
  });

  it('is tried again after a failure, and made once for all who wait', async () => {
    const desk = new AccessDesk({});
    answer({}, 500);
    await expect(desk.for('vendor', SPEC, 'key')).rejects.toMatchObject({ code: 'MODELS_PROVIDER_DOWN' });
    let count = 0;
    const end = Math.floor(Date.now() / 1000) + 3600;
    vi.stubGlobal('fetch', async () => (count++, new Response(JSON.stringify({ token: 't', expires_at: end }))));
    await Promise.all([desk.for('vendor', SPEC, 'key'), desk.for('vendor', SPEC, 'key')]);
    await desk.for('vendor', SPEC, 'key');
    expect(count).toBe(1);
    expect(desk.forget('vendor', 'key')).toBe(true);
    expect(desk.forget('vendor', 'key')).toBe(false);
    await desk.for('vendor', SPEC, 'key');
    expect(count).toBe(2);
  });
});

describe('the account in a token', () => {
  const spec = { kind: 'claim', claim: ['https://api.openai.com/auth', 'id'], header: 'account' } as const;
  const jwt = (payload: string) => `head.${Buffer.from(payload).toString('base64url')}.sign`;

  it('goes into its header', async () => {
    const key = jwt(JSON.stringify({ 'https://api.openai.com/auth': { id: 'acc-1' } }));
    expect(await new AccessDesk({}).for('v', spec, key)).toEqual({ apiKey: key, headers: { account: 'acc-1' } });
  });

  it('is nothing that could be another header, whatever the token is', async () => {
    const claims = fc.record({
      'https://api.openai.com/auth': fc.oneof(fc.jsonValue(), fc.record({ id: fc.string() })),
    });
    const tokens = fc.oneof(
      fc.string(),
      fc.string().map(jwt),
      claims.map((value) => jwt(JSON.stringify(value))),
    );
    await fc.assert(
      fc.asyncProperty(tokens, async (key) => {
        const access = await new AccessDesk({}).for('v', spec, key).catch((fault: unknown) => {
          expect(fault).toMatchObject({ code: 'MODELS_NO_ACCESS' });
        });
        if (access) expect(access.headers?.['account']).toMatch(/^[\w.:-]+$/);
      }),
    );
  });
});

describe('a new account at Code Assist', () => {
  let logins: FakeLogins;
  beforeEach(async () => void (logins = await startFakeLogins({ modelsUrl: 'http://127.0.0.1:9' })));
  afterEach(() => logins.close());
  const project = (env: Record<string, string> = {}) =>
    codeAssistProject(
      { kind: 'code-assist', url: `${logins.url}/google/v1internal`, projectEnv: ['MY_PROJECT'] },
      logins.google.access.issue('ya29.'),
      env,
      1,
    );

  it('is set up in the default tier, without a project of the user in the free one', async () => {
    logins.codeAssist.account = 'new';
    logins.codeAssist.pendingSetUps = 3;
    expect(await project({ MY_PROJECT: 'mine' })).toBe('managed-project');
    expect(logins.codeAssist.setUps).toHaveLength(4);
    expect(logins.codeAssist.setUps[0]).toMatchObject({ tierId: 'free-tier' });
    expect(logins.codeAssist.setUps[0]).not.toHaveProperty('cloudaicompanionProject');
  });

  it('is given up when the set-up never ends', async () => {
    logins.codeAssist.account = 'new';
    logins.codeAssist.pendingSetUps = 1000;
    await expect(project()).rejects.toThrow(/not set up in time/);
  });
});

describe('the address of a call', () => {
  const model = {
    provider: 'p',
    id: 'm',
    name: 'M',
    api: 'x',
    contextWindow: 1,
    maxTokens: 1,
    input: ['text'],
    reasoning: false,
  } as const;
  const endpoint = { name: 'P', api: 'x', baseUrl: 'https://a.example' };

  it('keeps the path of the protocol, and an address that the user gave to the model', () => {
    const access = { apiKey: 'k', baseUrl: 'https://b.example' };
    const at = (baseUrl: string) => reachWith({ ...model, baseUrl }, endpoint, access).model.baseUrl;
    expect(at('https://a.example/v1')).toBe('https://b.example/v1');
    expect(at('https://a.example')).toBe('https://b.example');
    expect(at('https://own.example/v1')).toBe('https://own.example/v1');
  });
});
