import { describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { tierOf } from './support.ts';

const corpus = readCorpus();

describe('the corpus of commands', () => {
  it('is large, and has enough of both kinds', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(400);
    expect(corpus.filter(({ tier }) => tier >= 2).length).toBeGreaterThanOrEqual(200);
    expect(corpus.filter(({ tier }) => tier < 2).length).toBeGreaterThanOrEqual(200);
    expect(new Set(corpus.map(({ command }) => command)).size).toBeGreaterThanOrEqual(corpus.length - 10);
  });

  for (const about of new Set(corpus.map((entry) => entry.about))) {
    const entries = corpus.filter((entry) => entry.about === about);
    const [first] = entries;
    it(`gives every command about "${about}" its tier ${first?.tier}, neither lower nor higher`, async () => {
      const wrong: string[] = [];
      for (const { command, tier } of entries) {
        const found = await tierOf(command);
        if (found !== tier) wrong.push(`${JSON.stringify(command)} must be ${tier}, is ${found}`);
      }
      expect(wrong).toEqual([]);
    });
  }
});
