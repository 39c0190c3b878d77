import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted, countText, didYouMean, inSentences, nearest, shellWord, timeAgo } from '../src/index.ts';

describe('a number with its noun', () => {
  it('is singular for one alone', () => {
    expect([0, 1, 2].map((count) => counted(count, 'plugin'))).toEqual(['0 plugins', '1 plugin', '2 plugins']);
    expect([1, 3].map((count) => counted(count, 'entry', 'entries'))).toEqual(['1 entry', '3 entries']);
  });
});

describe('what happened and what to do next', () => {
  it('are two sentences, whether or not the first came with its full stop', () => {
    expect(inSentences('It fell over: boom', 'Set it up.')).toBe('It fell over: boom. Set it up.');
    expect(inSentences('It fell over.', 'Set it up.')).toBe('It fell over. Set it up.');
    expect(inSentences('Did it say "now!"?\n', 'Set it up.')).toBe('Did it say "now!"? Set it up.');
    expect(inSentences('It fell over', '')).toBe('It fell over');
    expect(inSentences('', 'Set it up.')).toBe('Set it up.');
  });
});

describe('a time that has passed', () => {
  it('is written as people say it', () => {
    const now = Date.parse('2026-01-31T00:00:00Z');
    const ago = (seconds: number) => timeAgo(now - seconds * 1000, now);
    expect([5, 60, 7_200, 86_400 * 3, 86_400 * 70, 86_400 * 800].map(ago)).toEqual([
      'just now',
      '1 minute ago',
      '2 hours ago',
      '3 days ago',
      '2 months ago',
      '2 years ago',
    ]);
    expect([timeAgo('2026-01-30T22:00:00Z', now), timeAgo('never', now), timeAgo(now + 5_000, now)]).toEqual([
      '2 hours ago',
      'just now',
      'just now',
    ]);
  });
});

describe('a whole number', () => {
  it('has a comma before every three digits, as in English', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (count) => {
        expect(countText(count)).toBe(count.toLocaleString('en-US'));
      }),
    );
  });
});

describe('a word for the shell', () => {
  it('stays as it is when it is plain', () => {
    for (const word of ['/home/me/project-1', 'a.b@c', 'Grüße/日本']) expect(shellWord(word)).toBe(word);
  });

  it.each(['my project', "it's", '$HOME', '`id`', 'a;b', '~', '', 'a\nb', 'back\\slash', '*'])(
    '%j reaches a program as it is',
    (word) => {
      const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
      expect(stdout).toBe(word);
    },
  );
});

describe('suggestions', () => {
  it('offers the nearest word, and nothing when none is near', () => {
    expect(nearest('gerp', ['grep', 'glob'])).toBe('grep');
    // Found in use: `--modle` was taken for `--mode`.
    expect(nearest('--modle', ['--mode', '--model'])).toBe('--model');
    // Likewise `--modl`: it only lacks a letter of the one, and has a wrong one for the other.
    expect(nearest('--modl', ['--mode', '--model'])).toBe('--model');
    expect(nearest('zzz', ['grep', 'glob'])).toBeUndefined();
    expect(didYouMean('Grpe', ['grep'])).toBe(' Did you mean "grep"?');
    expect(didYouMean('', ['grep'])).toBe('');
  });
});
