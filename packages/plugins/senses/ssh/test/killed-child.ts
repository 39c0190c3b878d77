/** A process that uses the plugin and is then killed: it runs a command, holds a connection and a mount. */
import { openWorkbench, textOf } from '@tenon/test-kit/workbench';

const [configFile = '', folder = '', mounts = ''] = process.argv.slice(2);
const bench = await openWorkbench(['ssh', 'command-line'], {
  settings: { ssh: { configFile, hosts: { web: { host: 'web' } } } },
});
if (mounts === 'yes') {
  const mounted = await bench.run('ssh', { op: 'mount', host: 'web', remote: folder });
  process.stdout.write(`${textOf(mounted)}\n`);
}
void bench.run('ssh', { host: 'web', command: 'echo begun; sleep 4720', timeout: 600 });
process.stdout.write('running\n');
