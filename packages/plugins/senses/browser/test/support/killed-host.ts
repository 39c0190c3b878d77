/** A Tenon with an open browser, which says so and then waits to be killed. */
import { openBrowserBench, serve } from '../browser-bench.ts';

const [sandbox = 'full'] = process.argv.slice(2);
const site = await serve({ '/': '<title>Open</title>' });
const bench = await openBrowserBench({ allowHosts: [site.host] }, { sandbox });
const text = await bench.ok('browser', { action: 'open', url: site.origin });
process.stdout.write(/"Open"/.test(text) ? `${bench.home}\n` : `failed: ${text}\n`);
setInterval(() => undefined, 1000);
