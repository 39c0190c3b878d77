/** Content search: the addon without and with a warm scan cache, beside ripgrep, oh-my-pi's addon and the twin. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { command, ensurePeers, load, piNatives, ripgrep, takeTurns } from './grep-peers.mjs';

const CASES = [
  { name: 'rare literal', pattern: 'createElementNS' },
  { name: 'no match', pattern: 'zqxjkv_nothing' },
  { name: 'rare literal in *.ts', pattern: 'createElementNS', glob: '*.ts' },
  { name: 'common word, all lines', pattern: 'return', many: true },
  { name: 'common word, files only', pattern: 'return', mode: 'files' },
  { name: 'regex', pattern: '\\bfunction\\s+\\w+Error\\b' },
];

// The corpus lies in this repository's work folder, which is ignored: so no engine reads ignore files here.
const POLICY = { hidden: true, nodeModules: true, gitignore: false };

/** Runs the comparison. */
export async function run(ctx) {
  ensurePeers(ctx.workDir, ctx.log);
  const search = await load('search', 'native');
  const twin = await load('search', 'js');
  const pi = piNatives(ctx.workDir);
  const rounds = ctx.quick ? 1 : 7;
  const [cold, warm] = [[], []];
  for (const { name, pattern, glob, mode } of CASES) {
    const request = { path: ctx.corpusDir, pattern, ...POLICY, ...(glob ? { glob } : {}), ...(mode ? { mode } : {}) };
    const args = ['--no-config', '--hidden', '--no-ignore', '--no-heading', mode === 'files' ? '-l' : '-n'];
    if (glob) args.push('-g', glob);
    const {
      'tenon, cold': ours,
      'tenon, warm cache': cached,
      ...peers
    } = await takeTurns(
      {
        'tenon, cold': () => search.grep(request),
        'tenon, warm cache': () => search.grep({ ...request, cache: true }),
        'rg 15': () => command(ripgrep, [...args, '-e', pattern, ctx.corpusDir]),
        ...(pi
          ? {
              'pi-natives': () =>
                pi.grep({
                  path: ctx.corpusDir,
                  pattern,
                  hidden: true,
                  gitignore: false,
                  glob: glob ? `**/node_modules/**/${glob}` : '**/node_modules/**',
                  mode: mode === 'files' ? 'filesWithMatches' : 'content',
                  maxColumns: 1024,
                }),
            }
          : {}),
      },
      rounds,
    );
    const best = Math.min(...Object.values(peers));
    cold.push({ case: name, ours, peers, ratio: ours / best, target: 0.9 });
    warm.push({ case: name, ours: cached, peers, ratio: cached / best, target: 0.6 });
  }
  const slow = { path: ctx.corpusDir, pattern: 'createElementNS', glob: '*.ts', ...POLICY };
  const twins = await takeTurns({ ours: () => search.grep(slow), js: () => twin.grep(slow) }, ctx.quick ? 1 : 3);
  return [
    { name: 'grep', title: 'grep, nothing cached', unit: 'ms', rows: cold },
    { name: 'grep-warm', title: 'grep, warm scan cache', unit: 'ms', rows: warm },
    {
      name: 'grep-twin',
      title: 'grep beside its JavaScript twin',
      unit: 'ms',
      rows: [
        {
          case: 'rare literal in *.ts',
          ours: twins.ours,
          peers: { 'JavaScript twin': twins.js },
          ratio: twins.ours / twins.js,
        },
      ],
    },
    memory(ctx),
  ];
}

/** Peak memory of a process of its own that does one search with several hundred thousand matches. */
function memory(ctx) {
  const child = fileURLToPath(new URL('./grep-memory-child.mjs', import.meta.url));
  const peak = (who) => {
    const { stdout, status } = spawnSync(process.execPath, [child, who, ctx.corpusDir, ctx.workDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`${who} ended with ${status}`);
    return JSON.parse(stdout.toString());
  };
  const ours = peak('tenon');
  const read = peak('tenon-read');
  const theirs = peak('pi');
  const row = (name, own) => ({
    case: `${name} (${own.matches} matches)`,
    ours: own.peakMb,
    peers: theirs ? { 'pi-natives': theirs.peakMb } : {},
    ratio: theirs ? own.peakMb / theirs.peakMb : 1,
    target: 'under 150 MB',
  });
  return {
    name: 'grep-memory',
    title: 'peak memory of a search',
    unit: 'MB',
    rows: [row('answer held', ours), row('every line looked at', read)],
  };
}
