import { describe, expect, it } from 'vitest';
import { defineErrors, joinFaults, parseManifest } from '../src/index.ts';

describe('errors', () => {
  const errors = defineErrors('owner', { OWNER_X: { summary: '{a} met {list}', next: 'see {a}' } });

  it('fill their texts from details, keep the cause and cross a process boundary as data', () => {
    const error = errors.create('OWNER_X', { a: 'Ann', list: ['b', 'c'] }, new Error('why'));
    expect(error.message).toBe('Ann met b, c');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'OWNER_X',
      class: 'failure',
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
