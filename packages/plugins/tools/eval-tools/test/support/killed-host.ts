/** A Tenon with two busy kernels, each of which has started a program. It waits to be killed. */
import { openEvalBench } from './eval-bench.ts';

const [profile, mark] = process.argv.slice(2);
const bench = await openEvalBench({ sandbox: { profile } });
await bench.cells(`*** Cell py\nimport subprocess\nchild = subprocess.Popen(["sleep", "7${mark}"])`);
await bench.cells(`*** Cell js\nconst child = require("child_process").spawn("sleep", ["7${mark}"]); child.pid > 0`);
void bench.call('*** Cell py t:600s\nwhile True: pass', { session: 'one' });
void bench.call('*** Cell js t:600s\nfor (;;) {}', { session: 'one' });
setTimeout(() => process.stdout.write('ready\n'), 500);
setInterval(() => undefined, 1_000);
