/** A Tenon with a program under a debugger, which has started another program. It waits to be killed. */
import { openDebugBench } from './debug-bench.ts';

const [profile = 'full', program = '', source = '', line = '1'] = process.argv.slice(2);
const bench = await openDebugBench({}, { sandbox: { profile } });
const { copyFileSync } = await import('node:fs');
const { basename } = await import('node:path');
copyFileSync(program, bench.path(basename(program)));
const started = await bench.debug('launch', {
  program: basename(program),
  ...(source === '' ? { stop_on_entry: false } : { file: source, line: Number(line) }),
});
process.stdout.write(`ready ${started.details.snapshot.state}\n`);
setInterval(() => undefined, 1_000);
