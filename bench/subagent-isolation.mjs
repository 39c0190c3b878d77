/** What a folder of its own costs a subagent: opened, one file changed, collected, closed; overlays beside worktrees. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { takeTurns } from './grep-peers.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = 200;
const FILES_EACH = 100;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const source = "export { openWorkspace } from './packages/plugins/workers/subagents/src/isolation/api.ts';";
  const { openWorkspace } = await loadSource(ROOT, source);
  const base = mkdtempSync(join(tmpdir(), 'tenon-isolation-bench-'));
  const cwd = join(base, 'project');
  const folders = { cache: join(base, 'own/cache'), state: join(base, 'own/state') };
  try {
    plant(cwd);
    let count = 0;
    const cycle = async (how) => {
      const workspace = await openWorkspace({ cwd, id: `bench-${(count += 1)}`, folders, ...how });
      const file = join(workspace.cwd, 'part-0', 'folder-0', 'source-file-0.ts');
      writeFileSync(file, `changed ${count}\n`);
      const changes = await workspace.collect();
      await workspace.dispose();
      await changes.release();
      return workspace;
    };
    const ways = { worktree: { mode: 'worktree' } };
    for (const kind of ['kernel', 'fuse']) {
      const how = { mode: 'overlay', overlays: [kind] };
      const { mode, notices } = await cycle(how);
      if (mode === 'overlay') ways[`overlay (${kind})`] = how;
      else log(notices.join(' '));
    }
    const times = await takeTurns(
      {
        ...Object.fromEntries(Object.entries(ways).map(([name, how]) => [name, () => cycle(how)])),
        'git worktree': () => {
          const folder = join(base, 'plain');
          execFileSync('git', ['worktree', 'add', '-q', '--detach', folder], { cwd });
          writeFileSync(join(folder, 'part-0', 'folder-0', 'source-file-0.ts'), 'changed\n');
          execFileSync('git', ['diff', '--binary', 'HEAD'], { cwd: folder });
          execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd });
        },
      },
      quick ? 2 : 9,
    );
    const row = (name, peer) => ({
      case: `${FOLDERS * FILES_EACH} files, ${name}`,
      ours: times[name],
      peers: { [peer]: times[peer] },
      ratio: times[peer] / times[name],
    });
    const overlays = Object.keys(ways).filter((name) => name !== 'worktree');
    return {
      name: 'subagent-isolation',
      title: 'A folder for a subagent: opened, one file changed, collected, closed',
      unit: 'ms',
      rows: [row('worktree', 'git worktree'), ...overlays.map((name) => row(name, 'worktree'))],
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
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
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...words], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}
