/** What undo costs where nothing changed: one snapshot of 50,000 files, beside git's own look at the same tree. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { takeTurns } from './grep-peers.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = 500;
const FILES_EACH = 100;
/** The budget in milliseconds for a snapshot that finds nothing. */
const BUDGET = 30;
const OPTIONS = { includeIgnored: false, maxFileBytes: 1 << 25, maxBytes: 2 ** 31, maxFiles: 300_000, keepDays: 14 };

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const source = "export { Workspaces } from './packages/plugins/safety/undo/src/workspaces.ts';";
  const { Workspaces } = await loadSource(ROOT, source);
  const folder = mkdtempSync(join(tmpdir(), 'tenon-undo-bench-'));
  try {
    const root = join(folder, 'project');
    plant(root);
    const at = (name) => join(folder, name);
    const places = {
      config: at('config'),
      data: at('data'),
      state: at('state'),
      cache: at('cache'),
      home: at('home'),
      cwd: root,
    };
    const workspace = await new Workspaces(places, OPTIONS).of(root);
    const snapshot = () => workspace.locked(() => workspace.refresh());
    const began = performance.now();
    await snapshot();
    log(`first snapshot of ${FOLDERS * FILES_EACH} files: ${Math.round(performance.now() - began)} ms`);
    // Files that were just written are read once more; after that nothing is uncertain, and the folders are watched.
    for (let times = 0; times < 3; times++) await snapshot();
    const file = join(root, 'part-0', 'folder-0', 'source-file-0.ts');
    let count = 0;
    const times = await takeTurns(
      {
        'nothing changed': snapshot,
        'nothing changed, every file asked': async () => {
          workspace.close();
          await snapshot();
        },
        'one file changed': async () => {
          writeFileSync(file, `changed ${(count += 1)}\n`);
          await snapshot();
        },
        // Again quiet: the watch counts from the walk that follows it.
        settle: async () => {
          await snapshot();
          await new Promise((done) => setTimeout(done, 40));
          await snapshot();
          await snapshot();
        },
        'git status': () => spawnSync('git', ['status', '--porcelain'], { cwd: root }),
      },
      quick ? 3 : 21,
    );
    const row = (name, target) => ({
      case: `${FOLDERS * FILES_EACH} files, ${name}`,
      ours: times[name],
      peers: { 'git status': times['git status'] },
      ratio: times['git status'] / times[name],
      ...(target !== undefined && { target }),
    });
    return {
      name: 'undo',
      title: `One snapshot before a call (budget where nothing changed: ${BUDGET} ms)`,
      unit: 'ms',
      rows: [row('nothing changed'), row('nothing changed, every file asked'), row('one file changed')],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function plant(root) {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `part-${folder % 20}`, `folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) {
      const line = `export const value = ${folder * FILES_EACH + file};\n`;
      writeFileSync(join(path, `source-file-${file}.ts`), line.repeat(8));
    }
  }
  if (existsSync(join(root, '.git'))) return;
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', '-A'], { cwd: root });
}
