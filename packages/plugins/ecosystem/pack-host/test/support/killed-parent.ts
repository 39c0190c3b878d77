/** A Tenon that starts a pack, says the process id of its host, and then waits to be killed. */
import { packsKernel } from './packs-kernel.ts';

const [, , entry = '', kind = '', folder = ''] = process.argv;
const packs = await packsKernel(entry, { config: { sandbox: kind as 'bubblewrap' } });
await packs.install(folder);
await packs.kernel.activate('hello-pack');
process.stdout.write(`${packs.hosts.status('hello-pack')?.pid}\n`);
setInterval(() => undefined, 1_000);
