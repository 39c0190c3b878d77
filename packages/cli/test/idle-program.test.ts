/** What a session costs while nobody does anything: the built program on a real pseudo-terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { calls, READY, says as text, ScreenWorld } from '@tenon/test-kit/screen-world';
import { KEYS } from '@tenon/test-kit/terminal-program';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, beforeEach, expect, it } from 'vitest';

let world: ScreenWorld;
beforeEach(() => (world = new ScreenWorld()));
afterEach(() => world.close());

const WINDOW_MS = 4_000;
/** A timer that fires once a second at most. */
const MAX_WAKEUPS = WINDOW_MS / 1_000;

/** How often the threads of a process have gone to sleep, which is how often they were woken. */
function sleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) =>
      /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
    )
    .reduce((sum, found) => sum + Number(found?.[1]), 0);
}

it.skipIf(process.platform !== 'linux')(
  'an idle screen writes nothing and is not woken more than once a second, also after a conversation',
  async () => {
    const env = await world.withModel(calls('bash', { command: 'echo done' }), text('All is done.'));
    const program = world.open([], env);
    await program.shows(READY);
    program.type('go', KEYS.enter);
    await program.shows('All is done.');
    await program.hides('Working');
    // What ends a turn may still be written down; after that there is nothing to wake for.
    let before = '';
    await until(async () => {
      const count = sleeps(program.pid);
      before = program.output;
      await sleep(WINDOW_MS);
      return sleeps(program.pid) - count <= MAX_WAKEUPS;
    }, 'the idle program to be left asleep');
    expect(program.output).toBe(before);
  },
);
