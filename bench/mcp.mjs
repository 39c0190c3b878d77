/**
 * Whether MCP servers delay the first prompt: 30 are configured, of which 5 are dead, each in its own way. Measured is the time from
 * the start of the program to the first request that the model gets, beside a home without any server.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { converse } from './agent-process.mjs';
import { median } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, 'packages/cli/bin/tenon.mjs');
const SERVER = join(ROOT, 'packages/plugins/ecosystem/mcp/test/servers/plain.mjs');
const ALIVE = 25;
/** How much later the first request may come, in milliseconds, when the tools are known from the last time. */
const WARM_TARGET_MS = 50;
/** And when nothing is known: the budget of the setting mcp.startupBudgetMs, and a little for starting 25 programs. */
const COLD_TARGET_MS = 400;

const DEAD = {
  missing: { command: 'no-such-program' },
  crashing: { command: process.execPath, args: ['-e', 'process.exit(1)'] },
  silent: { command: process.execPath, args: [SERVER, '--hang'] },
  refused: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
  // TEST-NET: packets to it go nowhere.
  nowhere: { type: 'http', url: 'http://192.0.2.1/mcp' },
};

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run \`npm run setup\` first`);
  const folder = mkdtempSync(join(tmpdir(), 'tenon-mcp-bench-'));
  const { startFakeModels } = await loadSource(
    ROOT,
    "export { startFakeModels } from './packages/model-fakes/src/index.ts';",
  );
  const fake = await startFakeModels();
  const url = fake.baseUrl('openai-completions');
  try {
    const none = makeHome(folder, 'none', url, {});
    const servers = makeHome(folder, 'servers', url, { ...living(), ...DEAD });
    const cold = makeHome(folder, 'cold', url, { ...living(), ...DEAD });
    const remembered = warmUp(servers);
    log(`the tools of ${remembered} servers are remembered`);
    if (remembered !== ALIVE) throw new Error(`the tools of only ${remembered} of ${ALIVE} servers are remembered`);
    const times = { none: [], warm: [], cold: [] };
    for (let round = -1; round < (quick ? 3 : 15); round++) {
      for (const [name, home] of [
        ['none', none],
        ['warm', servers],
        ['cold', cold],
      ]) {
        if (name === 'cold') rmSync(join(home.env.TENON_HOME, 'cache', 'mcp'), { recursive: true, force: true });
        const { firstRequestMs } = await converse(home, ['--model', 'fake/m', '--no-session', '-p'], {
          fake,
          cwd: folder,
          toolCalls: 0,
        });
        if (round >= 0) times[name].push(firstRequestMs);
      }
    }
    const [base, warm, first] = [median(times.none), median(times.warm), median(times.cold)];
    const row = (name, ours, limit) => ({
      case: name,
      ours,
      peers: { 'no servers': base },
      ratio: ours / base,
      target: `≤ ${limit} ms later, ${ours - base <= limit ? 'met' : 'missed'}`,
    });
    return {
      name: 'mcp',
      title: `The first prompt with ${ALIVE + Object.keys(DEAD).length} MCP servers, ${Object.keys(DEAD).length} of them dead`,
      unit: 'ms',
      note: 'From the start of the program to the first request to the model. Dead are: a command that does not exist, one that ends, one that says nothing, a closed port, an address that swallows everything.',
      rows: [row('tools known from the last time', warm, WARM_TARGET_MS), row('nothing known', first, COLD_TARGET_MS)],
    };
  } finally {
    await fake.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function living() {
  const tools = Array.from({ length: 10 }, (_, index) => `tool${index}`).join(',');
  return Object.fromEntries(
    Array.from({ length: ALIVE }, (_, index) => [
      `server${index}`,
      { command: process.execPath, args: [SERVER, `--tools=${tools}`] },
    ]),
  );
}

function makeHome(folder, name, baseUrl, mcpServers) {
  const home = join(folder, name);
  const config = join(home, 'tenon', 'config');
  mkdirSync(config, { recursive: true });
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], contextWindow: 200_000, maxTokens: 8_000 };
  const providers = { fake: { baseUrl, api: 'openai-completions', apiKey: 'x', models: [model] } };
  // JSON is YAML.
  writeFileSync(join(config, 'models.yml'), JSON.stringify({ providers }));
  writeFileSync(join(config, 'mcp.json'), JSON.stringify({ mcpServers }));
  const env = { PATH: process.env.PATH, HOME: home, TENON_HOME: join(home, 'tenon') };
  return { name, command: process.execPath, args: [PROGRAM], env, readsFiles: false };
}

/** Gets every server going once. Dead ones make the command fail, which is what they are there for. */
function warmUp({ command, args, env }) {
  spawnSync(command, [...args, 'mcp', 'test'], { env, cwd: dirname(env.HOME), timeout: 60_000 });
  const cache = join(env.TENON_HOME, 'cache', 'mcp');
  return readdirSync(cache).filter((name) => readFileSync(join(cache, name), 'utf8').includes('"definitions"')).length;
}
