import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLogger,
  createRedactor,
  defineErrors,
  joinFaults,
  type LogRecord,
  MASK,
  parseManifest,
  satisfies,
} from '../src/index.ts';

describe('redaction', () => {
  const redact = createRedactor(['hunter2-secret']);

  it.each([
    ['an OpenAI style key', 'use sk-abcdefghijklmnop1234 now'],
    ['a GitHub token', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['a bearer header', 'Authorization: Bearer abcdefghijklmnopqrstuv'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a known value', 'it is hunter2-secret!'],
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

describe('version ranges', () => {
  it.each([
    ['1.0.0', '^1', true],
    ['1.9.3', '^1.2', true],
    ['2.0.0', '^1', false],
    ['0.2.5', '^0.2.1', true],
    ['0.3.0', '^0.2.1', false],
    ['1.0.0', '*', true],
    ['1.4.9', '~1.4.2', undefined],
    ['1.5.0', '>=1.2 <2', true],
    ['2.1.0', '>=1.2 <2', false],
    ['3.0.0', '^1 || ^3', true],
    ['1.2.3', '1.2', true],
    ['1.3.0', '1.2', false],
    ['1.0.0', 'banana', undefined],
    ['1.0.0', '^', undefined],
  ])('%s in "%s": %s', (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });

  it('a version is in its own exact and caret range, and never in a range above it', () => {
    const number = fc.nat({ max: 50 });
    fc.assert(
      fc.property(number, number, number, (major, minor, patch) => {
        const version = `${major}.${minor}.${patch}`;
        expect(satisfies(version, version)).toBe(true);
        expect(satisfies(version, `^${version}`)).toBe(true);
        expect(satisfies(version, `>=${major}.${minor}.${patch + 1}`)).toBe(false);
        expect(satisfies(version, `^${major + 1}`)).toBe(false);
      }),
    );
  });
});

describe('errors', () => {
  const errors = defineErrors('owner', { OWNER_X: { summary: '{a} met {list}', next: 'see {a}' } });

  it('fill their texts from details, keep the cause and cross a process boundary as data', () => {
    const error = errors.create('OWNER_X', { a: 'Ann', list: ['b', 'c'] }, new Error('why'));
    expect(error.message).toBe('Ann met b, c');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'OWNER_X',
      owner: 'owner',
      message: 'Ann met b, c',
      next: 'see Ann',
      details: { a: 'Ann', list: ['b', 'c'] },
      cause: 'why',
    });
  });

  it('are joined without losing one', () => {
    expect(joinFaults([], 'x')).toBeUndefined();
    const one = new Error('one');
    expect(joinFaults([one], 'x')).toBe(one);
    expect(joinFaults([one, 'two'], 'both')?.message).toBe('both: one; two');
  });
});

describe('manifests', () => {
  it('are accepted with the version of their package', async () => {
    expect(await parseManifest({ id: 'hello', kernel: '^1' }, 'p.json', '1.2.3')).toMatchObject({ version: '1.2.3' });
  });

  it.each<[string, unknown, RegExp]>([
    ['is missing', undefined, /must be object/],
    ['is a list', [], /must be object/],
    ['has no id', { kernel: '^1' }, /lacks the key "id"/],
    ['has a bad id', { id: 'Bad Id', kernel: '^1' }, /id: must match pattern/],
    ['has an unknown key', { id: 'a', kernel: '^1', contributs: {} }, /unknown key "contributs"/],
    [
      'has wrong permissions',
      { id: 'a', kernel: '^1', permissions: { fs: { execute: ['x'] } } },
      /permissions\.fs: has the unknown key "execute"/,
    ],
    ['lists needs as text', { id: 'a', kernel: '^1', needs: 'store' }, /needs: must be array/],
  ])('are refused with file and key when one %s', async (_, raw, message) => {
    const fault = await parseManifest(raw, 'x/package.json', '1.0.0').catch((error: unknown) => error as Error);
    expect((fault as Error).message).toMatch(message);
    expect((fault as Error).message).toContain('x/package.json');
  });
});
