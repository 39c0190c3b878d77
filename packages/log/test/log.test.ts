import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, createRedactor, type LogRecord, MASK, secretHider, secretValuesOf } from '../src/index.ts';

describe('redaction', () => {
  const redact = createRedactor(['hunter2-secret']);

  it.each([
    ['an OpenAI style key', 'use sk-abcdefghijklmnop1234 now'],
    ['a GitHub token', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['a bearer header', 'Authorization: Bearer abcdefghijklmnopqrstuv'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a known value', 'it is hunter2-secret!'],
    ['a password in an address', 'cannot reach postgres://app:hunter2-x@db/app'],
    ['a value by its name', 'the program said: DB_PASSWORD=hunter2-zzz'],
    ['a parameter of an address', 'GET https://x.test/?access_token=hunter2-zzz&page=1'],
  ])('masks %s', (_, text) => {
    expect(redact(text)).toContain(MASK);
    expect(redact(text)).not.toMatch(/abcdefghijklmnop|0123456789abcdef|AKIAIOSF|hunter2/);
  });

  it('masks by key name at any depth, in errors too, and leaves ordinary text alone', () => {
    const error = Object.assign(new Error('failed with hunter2-secret'), { apiKey: 'x1' });
    const masked = redact({
      user: 'ann',
      headers: [{ authorization: 'abc', 'x-id': '7' }],
      error,
    }) as unknown as Record<string, any>;
    expect(masked['headers']).toEqual([{ authorization: MASK, 'x-id': '7' }]);
    expect(masked['error']).toMatchObject({ message: `failed with ${MASK}`, apiKey: MASK });
    expect(redact('The task-list has 12 skipped items')).toBe('The task-list has 12 skipped items');
  });

  it('leaves words after such names alone', () => {
    for (const text of ['max_tokens: 4096', 'the token: it expired', 'token = undefined', 'https://x.test:8080/a@b'])
      expect(redact(text)).toBe(text);
  });

  it('knows the values of the environment that are secret by name', () => {
    const environment = {
      SOME_TOKEN: 'hunter2-zzz',
      TOKEN_FILE: '/run/x',
      API_KEY: '/run/secrets/key',
      HOME: '/home/ada',
    };
    expect(secretValuesOf(environment)).toEqual(['hunter2-zzz']);
  });

  it.each([
    ['AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMIK7MDENGbPxRfiCY'],
    ['STRIPE_KEY', 'a1b2c3d4e5f6'],
    ['MYSQL_PWD', 'correcthorse'],
    ['GITHUB_PAT', 'a1b2c3d4e5f6'],
    ['SENTRY_DSN', 'https://a1b2c3@sentry.test/1'],
    ['NPM_AUTH', 'a1b2c3d4e5f6'],
  ])('knows the value of %s, in the environment and as an object’s', (name, secret) => {
    expect(secretValuesOf({ [name]: secret })).toEqual([secret]);
    expect(redact({ env: { [name]: secret } })).toEqual({ env: { [name]: MASK } });
  });

  it('knows the password in an address of the environment', () => {
    expect(secretValuesOf({ DATABASE_URL: 'postgres://ann:hunter2zz@db.test/x' })).toEqual(['hunter2zz']);
  });

  it('leaves alone what only has such a name', () => {
    const environment = {
      SORT_KEY: 'created_at',
      GIT_AUTH: 'negotiate',
      OLD_PWD: '/home/ada',
      MAX_PASS: '12345678',
      FIRST_KEY: 'f1',
    };
    expect(secretValuesOf(environment)).toEqual([]);
    expect(redact(environment)).toEqual({ ...environment, MAX_PASS: MASK });
  });

  it('never lets a known secret through, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!MASK.includes(secret) && !before.includes(secret) && !after.includes(secret));
        const masked = createRedactor([secret])(`${before}${secret}${after}`);
        expect(masked).toContain(MASK);
      }),
    );
  });

  it('cuts off graphs that refer to themselves', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(JSON.stringify(redact(loop))).toContain('[…]');
  });
});

describe('the logger', () => {
  it('writes structured, redacted records with their owner, from its level on', () => {
    const records: LogRecord[] = [];
    const log = createLogger({ owner: 'kernel', sink: (record) => records.push(record), level: 'warn' });
    log.info('unheard');
    log.withOwner('pack').error('broken', { token: 'abc', count: 2 });
    expect(records).toMatchObject([
      { level: 'error', owner: 'pack', message: 'broken', fields: { token: MASK, count: 2 } },
    ]);
  });
});

it('settings are shown without what looks like a secret', () => {
  const hidden = secretHider({ SHOP_TOKEN: 'a-very-secret-value' });
  const key = `sk-${'a'.repeat(24)}`;
  expect(hidden('models.apiKey', 'abc')).not.toBe('abc');
  const server = { command: 'npx', args: ['--key', key], env: { ANY: 'thing' }, headers: { 'X-Any': 'thing' } };
  const shown = JSON.stringify([
    hidden('mcp.servers', { shop: server }),
    hidden('x.url', 'https://me:passw0rd@host/'),
    hidden('x.note', 'a-very-secret-value'),
    hidden('mcp.env', { A: 'thing' }),
    hidden('workers.custom.hand.env.HAND', 'thing'),
    hidden('a.apiKey.deep', { b: 'thing' }),
  ]);
  for (const secret of [key, 'thing', 'passw0rd', 'a-very-secret-value']) expect(shown).not.toContain(secret);
  expect(hidden('a.b', undefined)).toBeUndefined();
  expect(hidden('a.b', { deep: [1, true, 'plain'] })).toEqual({ deep: [1, true, 'plain'] });
});
