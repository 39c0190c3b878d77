/** A home whose settings know one worker, a script of bash, and the service over its runs. Keepers are started by whoever measures. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Another build can be measured by naming its main.js, as in tests. */
export const PROGRAM = process.env.TENON_TEST_PROGRAM ?? join(ROOT, 'packages/cli/dist/main.js');

/** As Tenon starts its keeper. */
export const KEEPER_FLAGS = ['--max-semi-space-size=4'];

/**
 * @param {{ RunsService: any, sqliteStore: any }} engine of packages/plugins/workers/runs
 * @param {{ slots: number, script: string }} options
 */
export async function makeRunsHome({ RunsService, sqliteStore }, { slots, script }) {
  const base = mkdtempSync(join(tmpdir(), 'tenon-runs-bench-'));
  const [home, work, program] = ['home', 'work', 'lines'].map((name) => join(base, name));
  mkdirSync(join(home, 'config'), { recursive: true });
  mkdirSync(work);
  writeFileSync(program, script, { mode: 0o755 });
  const custom = { lines: { program, args: ['{prompt}'] } };
  // JSON is YAML.
  writeFileSync(join(home, 'config', 'settings.yml'), JSON.stringify({ runs: { slots }, workers: { custom } }));
  const folders = Object.fromEntries(['config', 'data', 'state', 'cache'].map((name) => [name, join(home, name)]));
  const store = await sqliteStore.open({ folder: join(folders.state, 'runs') });
  const nothing = async () => undefined;
  const service = new RunsService({
    folders,
    env: process.env,
    store: async () => store,
    registry: async () => ({
      find: async (id) => ({ spec: { id, name: id, options: {}, keyVariables: [], capabilities: { mcp: 'none' } } }),
    }),
    secrets: nothing,
    worktrees: nothing,
    tell: nothing,
    ensureKeeper: nothing,
  });
  const request = { cwd: work, worker: 'lines', worktree: false, validate: false, sandbox: 'off' };
  return {
    base,
    home,
    work,
    store,
    service,
    env: { PATH: process.env.PATH, HOME: base, TENON_HOME: home, TENON_PROBE_LOCAL: 'false' },
    start: (task) => service.start({ ...request, task }),
  };
}
