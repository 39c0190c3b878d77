/** A program that holds a call, waits for its answer, and says what it hears of the folder. */
import { createLogger } from '@tenon/log';
import { HeldStore } from '../src/held/store.ts';

const [, , folder = ''] = process.argv;
const store = new HeldStore(folder, { keepHours: 1, log: createLogger({ owner: 'approval', sink: () => undefined }) });
const held = await store.hold({ tool: 'bash', digest: 'd', rules: [] } as never);
const changed = new Promise<void>((resolve) => store.watch(resolve));
// What waits for an answer does not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
process.stdout.write(`${held.id}\n`);
const record = await store.answered(held.id, new AbortController().signal);
await changed;
process.stdout.write(`${record?.state}\n`);
clearInterval(alive);
process.exit();
