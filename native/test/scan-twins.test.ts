import { join } from 'node:path';
import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { implementations } from '../src/index.ts';
import type { Scan } from '../src/scan/contract.ts';
import { glob, tree, withTree } from './scan-trees.ts';

const available = await implementations('scan');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const js = available.find((entry) => entry.kind === 'js')?.implementation;
const numRuns = caseCount(300);
const limits = { numRuns, endOnFailure: true };
const timeout = patientLimit(20_000 + numRuns * 60);

describe.skipIf(!native || !js)(`scan twins (seed ${COMMON_SEED}, ${numRuns} runs)`, () => {
  const both = async <T>(ask: (scan: Scan) => Promise<T>): Promise<[T, T]> => {
    if (!native || !js) throw new Error('both implementations are needed');
    return [await ask(native), await ask(js)];
  };

  it('show the same entries under the same rules, policy and patterns', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.record({ hidden: fc.boolean(), gitignore: fc.boolean(), nodeModules: fc.boolean() }),
        fc.array(fc.array(glob, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        async (planted, policy, patterns) =>
          withTree(planted, async (path) => {
            for (const pattern of patterns) {
              const [left, right] = await both(async (scan) => {
                const { matches, total, problems } = await scan.glob({ path, pattern, kind: 'any', ...policy });
                return { matches, total, problems };
              });
              expect(left, `patterns ${JSON.stringify(pattern)}`).toEqual(right);
            }
          }),
      ),
      limits,
    );
  });

  it('give the same facts about the same entries, ignored ones told apart', { timeout }, async () => {
    const names = fc.subarray(['foo', 'a', 'bar', 'node_modules', '.hidden']);
    await fc.assert(
      fc.asyncProperty(
        tree,
        fc.record({
          allIgnored: fc.boolean(),
          smallFolder: fc.constantFrom(0, 1, 2, 100),
          generated: names,
          without: names.map((chosen) => ['.git', ...chosen]),
          maxEntries: fc.constantFrom(2, 1000),
        }),
        async (planted, options) =>
          withTree(planted, async (path) => {
            const [left, right] = await both((scan) =>
              scan.statTree({ path, except: [join(path, 'foo', 'bar')], ...options }),
            );
            expect(right.isCut).toBe(left.isCut);
            // Where a walk is cut, what it has seen is chance.
            if (!left.isCut) expect(right).toEqual(left);
          }),
      ),
      limits,
    );
  });

  it('rank the same paths with the same scores', { timeout }, async () => {
    const typed = fc.array(fc.constantFrom('a', 'b', 'f', 'o', 'B', '.', '/', 'ts', ' ', 'é', '-', 'l', 'F'), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(tree, fc.array(typed, { minLength: 1, maxLength: 4 }), async (planted, queries) =>
        withTree(planted, async (path) => {
          for (const query of queries) {
            const [left, right] = await both(async (scan) => {
              const { matches, total } = await scan.fuzzyFind({ path, query: query.join(''), hidden: true, limit: 7 });
              return { matches, total };
            });
            expect(left, `query ${JSON.stringify(query.join(''))}`).toEqual(right);
          }
        }),
      ),
      limits,
    );
  });
});
