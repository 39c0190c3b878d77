/** A fleet for measurements: PostgreSQL as it is used, hosts in network namespaces where root allows it, and a desk that asks for runs. */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EXTERNAL } from '../scripts/build-program.mjs';
import { loadSource } from '../scripts/load-source.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FLEET = 'packages/plugins/workers/fleet';
const PLUGINS = ['command-line', 'settings', 'tools', 'workers', 'runs', 'fleet'];
const BRIDGE = 'tnfleet0';
const NET = '10.213.77';

const ip = (...words) => execFileSync('ip', words, { stdio: 'pipe' });
const quietly = (...words) => {
  try {
    ip(...words);
  } catch {
    // It is not there.
  }
};

/** Whether hosts can have a network of their own. */
function canSeparate() {
  if (process.getuid?.() !== 0) return false;
  try {
    ip('netns', 'add', 'tnfleet-try');
    ip('netns', 'del', 'tnfleet-try');
    return true;
  } catch {
    return false;
  }
}

/** Makes namespaces on a bridge. */
function makeNetwork(count) {
  removeNetwork(count);
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('addr', 'add', `${NET}.1/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  for (let n = 1; n <= count; n++) {
    ip('netns', 'add', `tnfleet${n}`);
    ip('link', 'add', `tnfv${n}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `tnfleet${n}`);
    ip('link', 'set', `tnfv${n}`, 'master', BRIDGE, 'up');
    ip('-n', `tnfleet${n}`, 'addr', 'add', `${NET}.${n + 10}/24`, 'dev', 'eth0');
    ip('-n', `tnfleet${n}`, 'link', 'set', 'eth0', 'up');
    ip('-n', `tnfleet${n}`, 'link', 'set', 'lo', 'up');
  }
}

function removeNetwork(count) {
  for (let n = 1; n <= count; n++) {
    quietly('link', 'del', `tnfv${n}`);
    quietly('netns', 'del', `tnfleet${n}`);
  }
  quietly('link', 'del', BRIDGE);
}

/** The program of a host, with the fake worker of the tests. */
async function buildHost(folder) {
  const { build } = await import('esbuild');
  const table = PLUGINS.map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(`@tenon/${name}`)})`);
  const contents = `const table = { ${table.join(', ')} };\nexport const importPlugin = async (name) => (await table[name]()).default;`;
  await build({
    entryPoints: { host: join(ROOT, FLEET, 'test/host-program.ts'), desk: join(ROOT, FLEET, 'test/desk.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['tenon-source'],
    external: ['vitest', ...EXTERNAL],
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    logLevel: 'silent',
    plugins: [
      {
        name: 'plugin-table',
        setup: ({ onLoad }) => onLoad({ filter: /\/plugin-code\.ts$/ }, () => ({ contents, resolveDir: ROOT })),
      },
    ],
  });
}

/** Makes it; `close` removes all of it. */
export async function makeFleet({ namespaces = 3 } = {}) {
  const base = mkdtempSync(join(tmpdir(), 'tenon-fleet-bench-'));
  mkdirSync(join(ROOT, 'bench/.work'), { recursive: true });
  const programs = mkdtempSync(join(ROOT, 'bench/.work/fleet-'));
  const isSeparate = canSeparate();
  const undo = [
    () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
    () => rmSync(programs, { recursive: true, force: true }),
  ];
  if (isSeparate) undo.push(() => removeNetwork(namespaces));
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (isSeparate) makeNetwork(namespaces);
    const { startPostgres } = await loadSource(ROOT, `export { startPostgres } from './${FLEET}/test/postgres.ts';`);
    await buildHost(programs);
    const server = await startPostgres(base, { durable: true, address: isSeparate ? `${NET}.1` : '127.0.0.1' });
    undo.push(() => server.stop());
    const { openDesk } = await import(join(programs, 'desk.mjs'));
    const desk = await openDesk(join(base, 'desk'), server.url);
    undo.push(() => desk.close());
    return fleetOf({ base, programs, server, desk, isSeparate, undo, close });
  } catch (fault) {
    await close();
    throw fault;
  }
}

function fleetOf({ base, programs, server, desk, isSeparate, undo, close }) {
  const hosts = new Map();
  undo.push(() => {
    for (const child of hosts.values()) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    }
  });
  return {
    base,
    server,
    desk,
    isSeparate,
    /** Starts a host; resolves when it takes runs. */
    async host(name, { slots = 25, labels = '', namespace } = {}) {
      const folder = join(base, name);
      mkdirSync(join(folder, 'data'), { recursive: true });
      copyFileSync(join(base, 'desk/data/fleet-credentials.json'), join(folder, 'data/fleet-credentials.json'));
      const words = [
        process.execPath,
        '--max-semi-space-size=4',
        join(programs, 'host.mjs'),
        folder,
        name,
        String(slots),
        labels,
      ];
      const inside = isSeparate && namespace ? ['ip', 'netns', 'exec', `tnfleet${namespace}`] : [];
      const [program, ...args] = [...inside, ...words];
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      hosts.set(name, child);
      await new Promise((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (text) => text.includes('takes runs') && resolve());
        child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
      });
      return child;
    },
    /** Cuts a namespace off from the database, or joins it again. */
    cut: (namespace, isCut) => ip('link', 'set', `tnfv${namespace}`, isCut ? 'down' : 'up'),
    close,
  };
}
