/** Lists, in a sandbox, the folder that this program was started with as a descriptor. */
import type { Mechanism } from '../../src/settings.ts';
import { Machine } from './machine.ts';

const [, , mechanism, descriptor = ''] = process.argv;
const machine = new Machine();
const { out, err } = await machine.run(
  machine.sandboxes({ mechanism: mechanism as Mechanism }),
  { profile: 'read-only' },
  ['sh', '-c', `ls /proc/self/fd/${descriptor}/ || echo closed`],
);
await machine.close();
process.stdout.write(out === '' ? err : out);
