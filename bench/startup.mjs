/** How long it takes until the command line has done the least it can do, beside Node doing nothing. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { measureCommands } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = 1.3;

/** @param {{ quick: boolean }} ctx */
export async function run({ quick }) {
  const program = join(ROOT, 'packages/cli/bin/tenon.mjs');
  if (!existsSync(program)) throw new Error(`${program} is missing; run \`npm run setup\` first`);
  const node = process.execPath;
  const cases = [
    { name: 'node -e 0', command: node, args: ['-e', '0'] },
    { name: 'tenon --version', command: node, args: [program, '--version'] },
    { name: './tenon --version', command: join(ROOT, 'tenon'), args: ['--version'] },
    { name: 'tenon --help', command: node, args: [program, '--help'] },
  ];
  const times = measureCommands(cases, { rounds: quick ? 5 : 51 });
  const base = times['node -e 0'];
  const row = (name, target) => ({
    case: name,
    ours: times[name],
    peers: { 'node -e 0': base },
    ratio: times[name] / base,
    ...(target !== undefined && { target }),
  });
  return {
    name: 'startup',
    title: 'Start-up of the command line',
    unit: 'ms',
    note: '`tenon` is the installed command, `./tenon` the launcher of a checkout, which also compares the times of all sources.',
    rows: [row('tenon --version', TARGET), row('./tenon --version', TARGET), row('tenon --help')],
  };
}
