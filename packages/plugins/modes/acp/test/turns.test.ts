import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from '../src/turns.ts';

const pause = (ticks: number) =>
  new Promise<void>((resolve) => {
    const next = (left: number) => (left === 0 ? resolve() : setImmediate(next, left - 1));
    next(ticks);
  });

/** A prompt that works for some ticks and then ends, fails, or ends only when it is cancelled; a cancellation; a wait. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('prompt' as const),
      ticks: fc.nat({ max: 3 }),
      end: fc.constantFrom('done', 'fails', 'hangs'),
    }),
    fc.record({ kind: fc.constant('cancel' as const) }),
    fc.record({ kind: fc.constant('wait' as const), ticks: fc.nat({ max: 4 }) }),
    fc.record({ kind: fc.constant('cancel one' as const), which: fc.nat({ max: 5 }) }),
  ),
  { maxLength: 12 },
);

test('any interleaving of prompts and cancellations ends every prompt with exactly one outcome, one at a time', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const turns = new Turns<'end_turn' | 'cancelled'>('cancelled');
      const outcomes: Promise<string>[] = [];
      const ends: string[][] = [];
      const outer: AbortController[] = [];
      let [running, most] = [0, 0];
      for (const step of script) {
        if (step.kind === 'wait') await pause(step.ticks);
        else if (step.kind === 'cancel') turns.cancel();
        else if (step.kind === 'cancel one') outer[step.which]?.abort();
        else {
          const { ticks, end } = step;
          const controller = new AbortController();
          const seen: string[] = [];
          outer.push(controller);
          ends.push(seen);
          const run = turns.run(async (signal) => {
            most = Math.max(most, ++running);
            try {
              await pause(ticks);
              if (end === 'fails') throw new Error('broken');
              if (end === 'hangs' && !signal.aborted)
                await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
              return 'end_turn';
            } finally {
              running--;
            }
          }, controller.signal);
          outcomes.push(
            run.then(
              (reason) => (seen.push(reason), reason),
              (fault: Error) => (seen.push(fault.message), fault.message),
            ),
          );
        }
      }
      // What hangs is stopped in the end, as an editor does that closes.
      while (turns.isBusy) {
        turns.cancel();
        await pause(1);
      }
      const all = await Promise.all(outcomes);
      expect(all.every((outcome) => ['end_turn', 'cancelled', 'broken'].includes(outcome))).toBe(true);
      expect(ends.every((seen) => seen.length === 1)).toBe(true);
      expect(most).toBeLessThanOrEqual(1);
      await turns.settled();
    }),
  );
});

test('a prompt that is cancelled before its turn does no work', async () => {
  const turns = new Turns<'end_turn' | 'cancelled'>('cancelled');
  const worked: string[] = [];
  const first = turns.run(async (signal) => {
    worked.push('first');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 'end_turn';
  });
  const second = turns.run(async () => {
    worked.push('second');
    return 'end_turn';
  });
  await pause(1);
  turns.cancel();
  expect(await Promise.all([first, second])).toEqual(['cancelled', 'cancelled']);
  expect(await turns.run(async () => 'end_turn')).toBe('end_turn');
  expect(worked).toEqual(['first']);
});
