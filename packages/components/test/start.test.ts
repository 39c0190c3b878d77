/** What importing the components costs. */
import { afterEach, expect, it, vi } from 'vitest';

const { Segmenter } = Intl;
afterEach(() => Object.assign(Intl, { Segmenter }));

it('makes no segmenter before one is needed: its tables take as long as several frames', async () => {
  const made = vi.fn();
  class Counted extends Segmenter {
    constructor(...options: ConstructorParameters<typeof Segmenter>) {
      super(...options);
      made();
    }
  }
  Object.assign(Intl, { Segmenter: Counted });
  vi.resetModules();
  const { markHits, fuzzyQuery } = await import('../src/index.ts');
  expect(made).not.toHaveBeenCalled();
  const mark = (part: string) => `<${part}>`;
  expect(markHits('plain text', fuzzyQuery('pt'), mark)).toBe('<p>lain <t>ext');
  expect(made).not.toHaveBeenCalled();
  // A letter with its accent stays together.
  expect(markHits('xe\u0301x', fuzzyQuery('e'), mark)).toBe('x<e\u0301>x');
  expect(made).toHaveBeenCalledTimes(1);
});
