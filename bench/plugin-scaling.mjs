/** Whether start-up stays the same when many packs are installed and none of them is used. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { measureCommands } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, 'packages/cli/bin/tenon.mjs');
const FEW = 10;
const MANY = 200;
const TARGET = 1.2;
/** Commands that start everything and use no pack. */
const COMMANDS = [['config', 'path'], ['help']];

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run \`npm run setup\` first`);
  const folder = mkdtempSync(join(tmpdir(), 'tenon-scaling-'));
  try {
    const few = makeHome(folder, FEW);
    const many = makeHome(folder, MANY);
    for (const [home, count] of [
      [few, FEW],
      [many, MANY],
    ]) {
      log(`${countPacks(home)} of ${count} packs are known`);
      if (countPacks(home) !== count)
        throw new Error(`not all of the ${count} packs are known; the numbers would mean nothing`);
    }
    const rows = COMMANDS.map((words) => {
      const startOf = (name, home) => ({
        name,
        command: process.execPath,
        args: [PROGRAM, ...words],
        env: environment(home),
        cwd: folder,
      });
      const times = measureCommands([startOf('few', few), startOf('many', many)], { rounds: quick ? 5 : 41 });
      return {
        case: `tenon ${words.join(' ')}, ${MANY} packs`,
        ours: times.many,
        peers: { [`with ${FEW} packs`]: times.few },
        ratio: times.many / times.few,
        target: TARGET,
      };
    });
    return {
      name: 'plugin-scaling',
      title: `Start-up with ${MANY} installed packs beside ${FEW}, none used`,
      unit: 'ms',
      rows,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A TENON_HOME with packs as `plugin new` would write them: a tool, a command, a hook, a setting. */
function makeHome(folder, count) {
  const home = join(folder, `home-${count}`);
  for (let index = 0; index < count; index += 1) {
    const id = `scale-${String(index).padStart(3, '0')}`;
    const pack = join(home, 'data', 'packs', id);
    mkdirSync(join(pack, 'src'), { recursive: true });
    writeFileSync(join(pack, 'package.json'), JSON.stringify(packageJson(id), null, 2));
    writeFileSync(join(pack, 'src', 'plugin.ts'), "throw new Error('an unused pack must not be imported');\n");
  }
  return home;
}

function packageJson(id) {
  return {
    name: id,
    version: '1.0.0',
    type: 'module',
    tenon: {
      id,
      kernel: '^1',
      description: 'One of many unused packs.',
      entry: './src/plugin.ts',
      contributes: {
        tools: { [`${id}-tool`]: { summary: 'A tool that is never called', risk: 'read' } },
        'cli-commands': { [`${id} run`]: { summary: 'A command that is never run', hidden: true } },
      },
      handles: ['tool.result'],
      settings: { type: 'object', properties: { greeting: { type: 'string', default: 'Hello' } } },
    },
  };
}

function countPacks(home) {
  const result = spawnSync(process.execPath, [PROGRAM, 'plugin', 'list', '--json'], {
    env: environment(home),
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  if (result.status !== 0) throw new Error(`tenon plugin list ended with ${result.status}: ${result.stderr}`);
  return new Set(result.stdout.match(/scale-\d{3}(?=")/g)).size;
}

function environment(home) {
  return { ...process.env, TENON_HOME: home };
}
