/** A Tenon with a running language server. It waits to be killed. */
import { workspaceTrust } from '@tenon/trust/api';
import { openWorkbench } from '@tenon/test-kit/workbench';

const [profile, fake = '', mark = ''] = process.argv.slice(2);
const plugins = ['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
const server = { command: process.execPath, args: [fake, 'plain', mark], languages: { '.fake': 'fake' } };
const bench = await openWorkbench(plugins, {
  ownFolder: '.local',
  files: { 'a.fake': 'one two\n' },
  settings: { sandbox: { profile }, lsp: { servers: { fake: server } } },
});
await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
await bench.ok('lsp', { action: 'hover', file: 'a.fake', line: 1, symbol: 'one' });
process.stdout.write('ready\n');
setInterval(() => undefined, 1_000);
