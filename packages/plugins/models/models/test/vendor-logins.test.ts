import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenonError } from '@tenon/kernel';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loginWorld } from './login-world.ts';
import { askModel } from './models-world.ts';

const world = loginWorld();
const { start, logIn, answerIf } = world;
const CLIENT = { 'client-id': 'Ov23-own-app' };
beforeEach(() => void vi.stubEnv('GOOGLE_CLIENT_SECRET', 'GOCSPX-own'));

const lastRequest = () => world.fake.requests.at(-1);
async function modelOf(registry: Awaited<ReturnType<typeof start>>['registry'], name: string) {
  return (await registry.find(name))?.model;
}
async function failureOf(work: Promise<unknown>): Promise<TenonError> {
  return work.then(
    () => expect.fail('it should fail'),
    (fault: unknown) => fault as TenonError,
  );
}

describe('GitHub Copilot', () => {
  it('answers after a login with a code, with the short-lived token at the address that came with it', async () => {
    const { registry } = await start({ file: world.file() });
    const { github, copilot } = world.own.logins;
    answerIf((token) => copilot.tokens.has(token));
    const shown = await logIn('github-copilot', { flags: CLIENT });
    expect(shown).toContain('WDJB-MJHT');
    expect(github.polls).toEqual(['slow_down', 'authorization_pending', 'token']);
    const { said } = await askModel(registry, await modelOf(registry, 'github-copilot/some-model'));
    expect(said).toBe('Hello.');
    expect(lastRequest()).toMatchObject({
      protocol: 'openai-completions',
      path: '/chat/completions',
      headers: {
        'x-initiator': 'user',
        'openai-intent': 'conversation-edits',
        'user-agent': expect.stringMatching(/^tenon/),
      },
    });
    expect(copilot.exchanges).toBe(1);
  });

  it('speaks the protocol of the model, and says when it goes on by itself or looks at images', async () => {
    const { registry } = await start({ file: world.file() });
    answerIf((token) => world.own.logins.copilot.tokens.has(token));
    await logIn('github-copilot', { flags: CLIENT });
    await askModel(registry, await modelOf(registry, 'github-copilot/gpt-5.2'));
    expect(lastRequest()?.path).toBe('/responses');
    await askModel(registry, await modelOf(registry, 'github-copilot/gpt-5-mini'));
    expect(lastRequest()?.path).toBe('/chat/completions');
    const messages = [
      {
        role: 'user' as const,
        content: [{ type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }],
        timestamp: 1,
      },
      {
        role: 'assistant' as const,
        content: [{ type: 'toolCall' as const, id: 'c1', name: 'read', arguments: {} }],
        api: 'x',
        provider: 'x',
        model: 'x',
        stopReason: 'toolUse' as const,
        usage: {
          input: 0,
          output: 0,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 0,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        timestamp: 2,
      },
      { role: 'toolResult' as const, toolCallId: 'c1', toolName: 'read', content: [], isError: false, timestamp: 3 },
    ];
    const claude = await modelOf(registry, 'github-copilot/claude-sonnet-4.5');
    await askModel(registry, claude && { ...claude, input: ['text', 'image'] }, { messages });
    expect(lastRequest()).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-initiator': 'agent', 'copilot-vision-request': 'true' },
    });
    expect(lastRequest()?.headers['x-api-key']).toBeUndefined();
  });

  it('gets another token when one ends in the middle of a session, and asks again once', async () => {
    const { registry, auth } = await start({ file: world.file() });
    const { copilot } = world.own.logins;
    answerIf((token) => copilot.tokens.has(token));
    await logIn('github-copilot', { flags: CLIENT });
    const model = await modelOf(registry, 'github-copilot/some-model');
    await askModel(registry, model);
    copilot.tokens.expireAll();
    const { said, notices } = await askModel(registry, model);
    expect(said).toBe('Hello.');
    expect(notices).toHaveLength(1);
    expect(copilot.exchanges).toBe(2);
    // Short-lived tokens are kept out of conversations, and are not written down.
    const used = auth.used().filter((key) => key.startsWith('tid='));
    expect(used).toHaveLength(2);
    expect(await readFile(join(world.folder, 'data', 'credentials.json'), 'utf8')).not.toContain('tid=');
  });

  it('replaces a token before it ends, and shares one exchange among calls', async () => {
    const { registry } = await start({ file: world.file() });
    const { copilot } = world.own.logins;
    answerIf((token) => copilot.tokens.has(token));
    copilot.lifeSeconds = 30;
    await logIn('github-copilot', { flags: CLIENT });
    copilot.lifeSeconds = 1800;
    const model = await modelOf(registry, 'github-copilot/some-model');
    await Promise.all([askModel(registry, model), askModel(registry, model), askModel(registry, model)]);
    expect(copilot.exchanges).toBe(2);
  });

  it('uses the token of GitHub itself where the exchange is not offered to the client', async () => {
    const { registry } = await start({ file: `${world.file()}` });
    const { copilot, github } = world.own.logins;
    copilot.access = 'no-client';
    answerIf((token) => github.access.has(token));
    await logIn('github-copilot', { flags: CLIENT });
    const model = await modelOf(registry, 'github-copilot/some-model');
    // Without the exchange nobody names another address.
    const { said } = await askModel(registry, model && { ...model, baseUrl: world.fake.url });
    expect(said).toBe('Hello.');
  });

  it('refuses an address for calls that is not the vendor’s', async () => {
    const { auth } = await start({ file: world.file() });
    world.own.logins.copilot.api = 'http://collector.example.com';
    const failure = await failureOf(logIn('github-copilot', { flags: CLIENT }));
    expect(failure).toMatchObject({ code: 'MODELS_NO_ACCESS' });
    expect(await auth.keys('github-copilot')).toEqual([]);
  });

  it.each([
    ['the user refuses', { decision: 'deny' }, 'MODELS_LOGIN_DENIED', /denied/],
    ['the code is never entered', { decision: 'never', expiresSeconds: 0.3 }, 'MODELS_LOGIN_TOO_LATE', /in time/],
    ['the app has no such flow', { enabled: false }, 'MODELS_LOGIN_CLIENT', /Device Flow must be enabled/],
  ] as const)('says what to do when %s', async (_title, state, code, said) => {
    const { auth } = await start({ file: world.file() });
    Object.assign(world.own.logins.github, state);
    const failure = await failureOf(logIn('github-copilot', { flags: CLIENT }));
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(said);
    expect(await auth.keys('github-copilot')).toEqual([]);
  });

  it('says so at the login when the account has no plan or the client is unknown', async () => {
    await start({ file: world.file() });
    world.own.logins.copilot.access = 'no-plan';
    const noPlan = await failureOf(logIn('github-copilot', { flags: CLIENT }));
    expect(noPlan.code).toBe('MODELS_NO_ACCESS');
    expect(noPlan.message).toContain('No access to GitHub Copilot found');
    const unknown = await failureOf(logIn('github-copilot', { flags: { 'client-id': 'typo' } }));
    expect(unknown.code).toBe('MODELS_LOGIN_CLIENT');
    expect(unknown.next).toContain('https://github.com/settings/developers');
    const none = await failureOf(logIn('github-copilot'));
    expect(none.code).toBe('MODELS_LOGIN_NEEDS_CLIENT');
    expect(none.next).toContain('--client-id');
  });

  it('ends the login when the user stops it', async () => {
    await start({ file: world.file() });
    world.own.logins.github.decision = 'never';
    const controller = new AbortController();
    const onShown = () => controller.abort(new Error('stop'));
    await expect(logIn('github-copilot', { flags: CLIENT, signal: controller.signal, onShown })).rejects.toThrow(
      'stop',
    );
  });

  it('waits for a token server that is out of reach, and says so when it stays away', async () => {
    const { registry, auth } = await start({
      file: world
        .file()
        .replace(/access: \{ url: '[^']*copilot_internal[^']*' \}/, "access: { url: 'http://127.0.0.1:9/' }"),
      settings: { retry: { baseDelayMs: 1, maxAttempts: 2 } },
    });
    auth.setRuntimeKey('github-copilot', 'gho_x');
    const { failure, notices } = await askModel(registry, await modelOf(registry, 'github-copilot/some-model'));
    expect(failure).toMatchObject({ kind: 'network', code: 'MODELS_UNREACHABLE' });
    expect(notices).toHaveLength(1);
  });
});

describe('ChatGPT (Codex)', () => {
  const yes = { answer: 'y' };

  it('answers after a login in the browser that the user agreed to', async () => {
    const { registry } = await start({ file: world.file() });
    const { openai } = world.own.logins;
    answerIf((token) => openai.access.has(token));
    const shown = await logIn('openai-codex', yes);
    expect(shown).toContain("OpenAI's program Codex");
    expect(Object.fromEntries(openai.asked)).toMatchObject({
      redirect_uri: `http://localhost:${world.own.ports.openai}/auth/callback`,
      scope: 'openid profile email offline_access',
      originator: 'tenon',
    });
    const model = await modelOf(registry, 'openai-codex/gpt-5.2');
    expect(model?.price).toBeUndefined();
    const { said } = await askModel(registry, model, {
      systemPrompt: 'You are a test.',
      sessionId: 's1',
      maxTokens: 1000,
      temperature: 0.5,
      cache: 'long',
    });
    expect(said).toBe('Hello.');
    expect(lastRequest()).toMatchObject({
      path: '/backend-api/codex/responses',
      headers: {
        'chatgpt-account-id': 'acc-1234',
        originator: 'tenon',
        session_id: 's1',
        'user-agent': expect.stringMatching(/^tenon/),
      },
      body: { instructions: 'You are a test.', store: false, stream: true, include: ['reasoning.encrypted_content'] },
    });
    const { body } = lastRequest() ?? {};
    expect(JSON.stringify(body?.['input'])).not.toContain('You are a test.');
    for (const field of ['max_output_tokens', 'temperature', 'prompt_cache_retention'])
      expect(body, field).not.toHaveProperty(field);
  });

  it('renews a login that ends in the middle of a session, again and again', async () => {
    const { registry } = await start({ file: world.file() });
    const { openai } = world.own.logins;
    answerIf((token) => openai.access.has(token));
    await logIn('openai-codex', yes);
    const model = await modelOf(registry, 'openai-codex/gpt-5.2');
    for (const renewals of [1, 2]) {
      openai.access.expireAll();
      const { said, notices } = await askModel(registry, model);
      expect(said).toBe('Hello.');
      expect(notices).toHaveLength(1);
      expect(openai.renewals).toBe(renewals);
    }
  });

  it('takes the address from a browser on another machine, and none of another login', async () => {
    const { auth } = await start({ file: world.file() });
    let ended = '';
    const visit = (change: (url: URL) => void) => ({
      flags: { paste: true, 'accept-terms': true },
      answer: () => {
        const url = new URL(ended);
        change(url);
        return url.href;
      },
      async onShown(text: string) {
        const address = /^ {2}(http\S+)$/m.exec(text)?.[1];
        if (address) ended = (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
      },
    });
    const stranger = await failureOf(
      logIn(
        'openai-codex',
        visit((url) => url.searchParams.set('state', 'guessed')),
      ),
    );
    expect(stranger.message).toContain('another login');
    const nothing = await failureOf(
      logIn(
        'openai-codex',
        visit((url) => (url.search = '')),
      ),
    );
    expect(nothing.message).toContain('not the address');
    await logIn(
      'openai-codex',
      visit(() => undefined),
    );
    expect(await auth.keys('openai-codex')).toHaveLength(1);
  });

  it('does nothing without consent', async () => {
    await start({ file: world.file() });
    const { openai } = world.own.logins;
    for (const visit of [{}, { answer: '' }, { answer: 'no' }]) {
      const failure = await failureOf(logIn('openai-codex', visit));
      expect(failure.code).toBe('MODELS_LOGIN_NEEDS_CONSENT');
    }
    expect(openai.asked.size).toBe(0);
    await logIn('openai-codex', { flags: { 'accept-terms': true } });
    expect(openai.asked.size).toBeGreaterThan(0);
  });

  it('says so when the user refuses, the account is of another kind, or the port is taken', async () => {
    const { auth } = await start({ file: world.file() });
    world.own.logins.openai.decision = 'deny';
    expect((await failureOf(logIn('openai-codex', yes))).code).toBe('MODELS_LOGIN_DENIED');
    world.own.logins.openai.decision = 'approve';
    world.own.logins.chatgptAccount = undefined;
    const noAccount = await failureOf(logIn('openai-codex', yes));
    expect(noAccount.code).toBe('MODELS_NO_ACCESS');
    expect(noAccount.message).toContain('chatgpt_account_id');
    expect(await auth.keys('openai-codex')).toEqual([]);
    const { createServer } = await import('node:net');
    const taken = createServer().listen(world.own.ports.openai, '127.0.0.1');
    try {
      const failure = await failureOf(logIn('openai-codex', yes));
      expect(failure).toMatchObject({ code: 'MODELS_LOGIN_PORT' });
      expect(failure.message).toContain(String(world.own.ports.openai));
    } finally {
      taken.close();
    }
  });

  it('waits no longer than the user wants when the window of the subscription is used up', async () => {
    const { registry } = await start({ file: world.file() });
    await logIn('openai-codex', yes);
    const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 7200 };
    world.fake.otherwise({ status: 429, body: JSON.stringify({ error }) });
    const { failure } = await askModel(registry, await modelOf(registry, 'openai-codex/gpt-5.2'));
    expect(failure).toMatchObject({ code: 'MODELS_ASKS_TO_WAIT', retryAfterMs: 7_200_000 });
    const missing = { type: 'usage_not_included', message: 'Upgrade to Plus to use Codex' };
    world.fake.otherwise({ status: 429, body: JSON.stringify({ error: missing }) });
    const second = await askModel(registry, await modelOf(registry, 'openai-codex/gpt-5.2'));
    expect(second.failure).toMatchObject({ code: 'MODELS_NO_QUOTA' });
  });
});

describe('Google', () => {
  it('answers with the token of a login in place of a key', async () => {
    const { registry } = await start({ file: world.file() });
    const { google } = world.own.logins;
    answerIf((token) => google.access.has(token));
    await logIn('google-oauth');
    const model = await modelOf(registry, 'google-oauth/gemini-3-flash-preview');
    expect((await askModel(registry, model)).said).toBe('Hello.');
    expect(lastRequest()?.headers['x-goog-api-key']).toBeUndefined();
    // Google's refresh token stays the same.
    for (const renewals of [1, 2]) {
      google.access.expireAll();
      expect((await askModel(registry, model)).said).toBe('Hello.');
      expect(google.renewals).toBe(renewals);
    }
  });

  it('needs a client of the user’s own, with its secret', async () => {
    await start({ file: world.file().replaceAll('clientId: own.apps.googleusercontent.com,', '') });
    expect((await failureOf(logIn('google-oauth'))).code).toBe('MODELS_LOGIN_NEEDS_CLIENT');
    vi.stubEnv('GOOGLE_CLIENT_SECRET', 'wrong');
    const failure = await failureOf(
      logIn('google-oauth', { flags: { 'client-id': 'own.apps.googleusercontent.com' } }),
    );
    expect(failure.code).toBe('MODELS_LOGIN_CLIENT');
    expect(`${failure.message} ${failure.next}`).not.toContain('wrong');
  });
});

describe('Gemini Code Assist', () => {
  const yes = { answer: 'yes' };
  const NAME = 'google-gemini-cli/gemini-3-flash-preview';

  it('puts requests into the envelope with the project of the account, and takes answers out of it', async () => {
    const { registry } = await start({ file: world.file() });
    const { google } = world.own.logins;
    answerIf((token) => google.access.has(token), 'Grüße 🎉');
    const shown = await logIn('google-gemini-cli', yes);
    expect(shown).toContain("Google's terms");
    const { said, message } = await askModel(registry, await modelOf(registry, NAME), { systemPrompt: 'Test.' });
    expect(said).toBe('Grüße 🎉');
    expect(message.usage.input).toBe(10);
    const { path, body, headers } = lastRequest() ?? {};
    expect(path).toBe('/v1internal:streamGenerateContent?alt=sse');
    expect(headers?.['x-goog-api-key']).toBeUndefined();
    expect(body).toMatchObject({
      model: 'gemini-3-flash-preview',
      project: 'managed-project',
      request: { contents: [{ role: 'user' }], systemInstruction: { parts: [{ text: 'Test.' }] } },
    });
  });

  it('renews the token in the middle of a session', async () => {
    const { registry } = await start({ file: world.file() });
    const { google } = world.own.logins;
    answerIf((token) => google.access.has(token));
    await logIn('google-gemini-cli', yes);
    google.access.expireAll();
    const { said, notices } = await askModel(registry, await modelOf(registry, NAME));
    expect(said).toBe('Hello.');
    expect(notices).toHaveLength(1);
  });

  it('says so when the account may not use it, or needs a project of its own', async () => {
    const { registry } = await start({ file: world.file() });
    const { codeAssist, google } = world.own.logins;
    codeAssist.account = 'refused';
    const refused = await failureOf(logIn('google-gemini-cli', yes));
    expect(refused.code).toBe('MODELS_NO_ACCESS');
    expect(refused.message).toContain('location is not supported');
    codeAssist.account = 'own-project';
    const needsOne = await failureOf(logIn('google-gemini-cli', yes));
    expect(needsOne.message).toContain('GOOGLE_CLOUD_PROJECT');
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'my-project');
    await logIn('google-gemini-cli', yes);
    answerIf((token) => google.access.has(token));
    await askModel(registry, await modelOf(registry, NAME));
    expect(lastRequest()?.body['project']).toBe('my-project');
  });
});

describe('GitLab Duo', () => {
  const own = { flags: { 'client-id': 'own-application' } };

  it('answers after a login, with a token of the gateway and its headers', async () => {
    const { registry } = await start({ file: world.file() });
    const { duo } = world.own.logins;
    answerIf((token) => duo.tokens.has(token));
    await logIn('gitlab-duo', own);
    expect((await askModel(registry, await modelOf(registry, 'gitlab-duo/claude-sonnet-4-5'))).said).toBe('Hello.');
    expect(lastRequest()).toMatchObject({
      path: '/ai/v1/proxy/anthropic/v1/messages',
      headers: { 'x-gitlab-instance-id': 'instance-1', 'x-gitlab-realm': 'saas' },
    });
    expect(lastRequest()?.headers['x-api-key']).toBeUndefined();
    await askModel(registry, await modelOf(registry, 'gitlab-duo/gpt-5.2'));
    expect(lastRequest()?.path).toBe('/ai/v1/proxy/openai/v1/responses');
    duo.tokens.expireAll();
    expect((await askModel(registry, await modelOf(registry, 'gitlab-duo/gpt-5.2'))).said).toBe('Hello.');
    expect(duo.exchanges).toBe(2);
    // The login itself ends before its time, too.
    duo.tokens.expireAll();
    world.own.logins.gitlab.access.expireAll();
    const { said, notices } = await askModel(registry, await modelOf(registry, 'gitlab-duo/gpt-5.2'));
    expect([said, notices.length, world.own.logins.gitlab.renewals]).toEqual(['Hello.', 1, 1]);
  });

  it('takes a personal token too, which serves only a model that was named', async () => {
    const { duo } = world.own.logins;
    vi.stubEnv('GITLAB_TOKEN', duo.personal.issue('glpat-'));
    const { registry } = await start({ file: world.file() });
    answerIf((token) => duo.tokens.has(token));
    expect((await registry.list()).filter(({ provider, available }) => provider === 'gitlab-duo' && available)).toEqual(
      [],
    );
    expect((await askModel(registry, await modelOf(registry, 'gitlab-duo/claude-sonnet-4-5'))).said).toBe('Hello.');
  });

  it('says so at the login when the key is wrong or the account has no Duo', async () => {
    const { auth } = await start({ file: world.file() });
    const { duo } = world.own.logins;
    const wrong = await failureOf(logIn('gitlab-duo', { flags: { key: true }, answer: 'glpat-typo' }));
    expect(wrong.code).toBe('MODELS_KEY_REFUSED');
    expect(`${wrong.message} ${wrong.next}`).not.toContain('glpat-typo');
    duo.hasDuo = false;
    const none = await failureOf(logIn('gitlab-duo', { flags: { key: true }, answer: duo.personal.issue('glpat-') }));
    expect(none.code).toBe('MODELS_NO_ACCESS');
    expect(await auth.keys('gitlab-duo')).toEqual([]);
  });
});
