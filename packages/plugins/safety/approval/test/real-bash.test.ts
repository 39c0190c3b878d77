import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { agrees, makeGround, script } from './real-bash.ts';

const numRuns = caseCount(400);
const ground = makeGround();
afterAll(() => ground.remove());

describe('a script that is understood', () => {
  it('is a script to bash, too, and its words are those that bash gives to programs', async () => {
    let understood = 0;
    await fc.assert(
      fc.asyncProperty(script, async (text) => {
        const proven = await ground.proven(text);
        if (proven === undefined) return;
        understood++;
        const { isValid, words } = ground.inBash(text);
        expect(isValid, text).toBe(true);
        expect(agrees(proven, words), `${text}\nproven ${JSON.stringify(proven)}\nbash ${JSON.stringify(words)}`).toBe(
          true,
        );
      }),
      { numRuns },
    );
    expect(understood).toBeGreaterThan(numRuns / 8);
  });
});
