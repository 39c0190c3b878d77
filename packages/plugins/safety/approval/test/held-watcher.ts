/**
 * A program that holds a call, waits for its answer, and says what it hears of the folder, where the system lets it watch nothing: it
 * has all the descriptors that it may have when it begins to watch.
 */
import { closeSync, openSync } from 'node:fs';
import { createLogger } from '@tenon/log';
import { HeldStore } from '../src/held/store.ts';

const [, , folder = ''] = process.argv;
const refusals: string[] = [];
const sink = ({ level }: { readonly level: string }) => void (level === 'debug' && refusals.push(level));
const store = new HeldStore(folder, { keepHours: 1, log: createLogger({ owner: 'approval', level: 'debug', sink }) });
const held = await store.hold({ tool: 'bash', digest: 'd', rules: [] } as never);
const descriptors = fill();
const changed = new Promise<void>((resolve) => store.watch(resolve));
const answered = store.answered(held.id, new AbortController().signal);
// What waits for an answer does not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
while (refusals.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
for (const descriptor of descriptors) closeSync(descriptor);
process.stdout.write(`${held.id}\n`);
const record = await answered;
await changed;
process.stdout.write(`${record?.state}\n`);
clearInterval(alive);
process.exit();

function fill(): number[] {
  const open: number[] = [];
  for (;;) {
    try {
      open.push(openSync('/dev/null', 'r'));
    } catch {
      return open; // No more of them.
    }
  }
}
