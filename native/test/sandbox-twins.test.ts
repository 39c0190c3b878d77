import * as fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';

import { createAccelerators } from '../src/accelerators.ts';
import { findAddon } from '../src/loader.ts';
import type { CommandPolicy, SandboxCommandLine } from '../src/sandbox/contract.ts';
import { createJs } from '../src/sandbox/js.ts';

const RUNS = caseCount(1000);
const { addon, attempts } = findAddon();
const why = addon ? '' : ` (skipped: ${attempts.map((attempt) => attempt.reason).join('; ')})`;

// Few names, so that paths nest and repeat; odd ones, so that quoting and normalising are exercised.
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'tmp', 'proc', 'dev') },
  { weight: 1, arbitrary: fc.constantFrom('.', '..', '', ' ', '"', '\\', 'ü', '(x)', '-p', '\0') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
);
const path = fc
  .tuple(fc.constantFrom('/', '/', '/', '/', '/', '/', '/', ''), fc.array(name, { maxLength: 4 }))
  .map(([start, names]) => start + names.join('/'));
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '--', '-c', 'a\0b', '=', 'x=y'),
);
const key = { requiredKeys: [] };
const policies: fc.Arbitrary<CommandPolicy> = fc.record(
  {
    read: fc.array(path, { maxLength: 4 }),
    write: fc.array(path, { maxLength: 3 }),
    deny: fc.array(fc.record({ path, directory: fc.boolean() }), { maxLength: 3 }),
    links: fc.array(fc.record({ path, target: text }), { maxLength: 2 }),
    exec: fc.array(path, { maxLength: 2 }),
    net: fc.boolean(),
    env: fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }),
    cwd: path,
    proc: fc.boolean(),
    dev: fc.boolean(),
    tmp: fc.boolean(),
    dieWithParent: fc.boolean(),
    newSession: fc.boolean(),
    unsharePid: fc.boolean(),
  },
  key,
);
const commands = fc.array(text, { maxLength: 3 }).map((rest) => (rest.length === 2 ? [] : ['true', ...rest]));

/** An answer or the words of its refusal: twins must agree on both. */
function outcome(call: () => SandboxCommandLine): unknown {
  try {
    return call();
  } catch (error) {
    return { refused: (error as Error).message, name: (error as Error).name };
  }
}

describe.skipIf(!addon)(`the sandbox twins${why}`, () => {
  it(`agree on ${RUNS} command lines each (seed ${COMMON_SEED})`, async () => {
    const native = await createAccelerators().load('sandbox', 'native');
    const js = createJs();
    let accepted = 0;
    fc.assert(
      fc.property(policies, commands, (policy, command) => {
        const bubblewrap = outcome(() => js.bubblewrap(policy, command));
        expect(outcome(() => native.bubblewrap(policy, command))).toEqual(bubblewrap);
        expect(outcome(() => native.seatbelt(policy, command))).toEqual(outcome(() => js.seatbelt(policy, command)));
        if (typeof bubblewrap === 'object' && bubblewrap && 'argv' in bubblewrap) accepted += 1;
      }),
      { numRuns: RUNS },
    );
    // The generator must reach both sides: policies that are built and policies that are refused.
    expect(accepted).toBeGreaterThan(RUNS / 10);
    expect(accepted).toBeLessThan(RUNS);
  });
});
