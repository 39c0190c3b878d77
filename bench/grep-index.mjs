/** Content search with the index of trigrams, beside ripgrep: answers, build, size. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { command, ensurePeers, load, ripgrep, takeTurns } from './grep-peers.mjs';

/** Rare: in a handful of files. The others show what is left where many files match, or hold all parts of a pattern somewhere. */
const CASES = [
  { name: 'no match', pattern: 'zqxjkv_nothing', isRare: true },
  { name: 'rare literal', pattern: 'unstable_flushAllWithoutAsserting', isRare: true },
  { name: 'rare literal, any case', pattern: 'checkgrammarforgenerator', ignoreCase: true, isRare: true },
  { name: 'rare regex', pattern: 'class\\s+\\w+TimeoutError\\s+extends', isRare: true },
  { name: 'rare regex', pattern: 'function\\s+is\\w+ArrayBuffer\\w*\\(', isRare: true },
  { name: 'literal in many large files', pattern: 'createElementNS' },
  { name: 'regex of common parts', pattern: '\\bfunction\\s+assertIs\\w+Error\\b' },
];

// The corpus lies in this repository's work folder, which is ignored: so no engine reads ignore files here.
const POLICY = { hidden: true, nodeModules: true, gitignore: false };
const CHECK_MS = 20;
const LONGEST_BUILD_MS = 300_000;

/** Runs the comparison. */
export async function run(ctx) {
  ensurePeers(ctx.workDir, ctx.log);
  const search = await load('search', 'native');
  const folder = mkdtempSync(join(ctx.workDir, 'index-'));
  const index = { folder, fromEntries: 1 };
  try {
    const ask = (pattern, more = {}) => search.grep({ path: ctx.corpusDir, pattern, ...POLICY, ...more });
    const { 'cold grep': coldMs } = await takeTurns({ 'cold grep': () => ask('zqxjkv_nothing') }, 3);
    const coldCpu = await cpuOf(() => ask('zqxjkv_nothing'));
    const build = await buildIndex(() => ask('zqxjkv_nothing', { index }), folder);
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const rows = [];
    for (const { name, pattern, ignoreCase, isRare } of CASES) {
      const plain = await ask(pattern, { ignoreCase });
      const quick = await ask(pattern, { ignoreCase, index });
      if (JSON.stringify(plain.files) !== JSON.stringify(quick.files)) throw new Error(`${name}: the answers differ`);
      if (quick.spared === 0) throw new Error(`${name}: the index was not used`);
      const args = ['--no-config', '--hidden', '--no-ignore', '--no-heading', '-n', ...(ignoreCase ? ['-i'] : [])];
      const { tenon, ...peers } = await takeTurns(
        {
          tenon: () => ask(pattern, { ignoreCase, index }),
          'rg 15': () => command(ripgrep, [...args, '-e', pattern, ctx.corpusDir]),
        },
        ctx.quick ? 3 : 9,
      );
      const best = Math.min(...Object.values(peers));
      rows.push({
        case: `${name} (${quick.matches} matches, ${quick.searched + quick.binary - quick.spared} files read)`,
        ours: tenon,
        peers,
        ratio: tenon / best,
        ...(isRare && { target: 0.1 }),
      });
    }
    const text = textBytes(ctx.corpusDir);
    return [
      { name: 'grep-index', title: 'grep with an index', unit: 'ms', rows },
      {
        name: 'grep-index-build',
        title: 'building the index, beside one search without',
        unit: 'ms',
        rows: [
          {
            case: 'elapsed',
            ours: build.elapsed,
            peers: { 'one search': coldMs },
            ratio: build.elapsed / coldMs,
            target: 10,
          },
          {
            case: 'processor time',
            ours: build.cpu,
            peers: { 'one search': coldCpu },
            ratio: build.cpu / coldCpu,
            target: 10,
          },
        ],
      },
      {
        name: 'grep-index-size',
        title: 'size of the index, beside the files',
        unit: 'MB',
        rows: [
          { case: 'npm tree', ours: bytes / 1e6, peers: { files: text / 1e6 }, ratio: bytes / text, target: 0.15 },
        ],
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The second search begins to build; the index is there when its file is. */
async function buildIndex(ask, folder) {
  await ask();
  await ask();
  const [before, began] = [process.cpuUsage(), performance.now()];
  while (performance.now() - began < LONGEST_BUILD_MS) {
    await pause(CHECK_MS);
    if (!readdirSync(folder).some((name) => name.endsWith('.index'))) continue;
    const { user, system } = process.cpuUsage(before);
    const elapsed = performance.now() - began;
    // The file is there a moment before it is in use.
    while ((await ask()).spared === 0) await pause(CHECK_MS);
    return { elapsed, cpu: (user + system) / 1000 };
  }
  throw new Error(`the index was not built in ${LONGEST_BUILD_MS / 1000} s`);
}

async function cpuOf(ask) {
  const before = process.cpuUsage();
  await ask();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function textBytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return bytes;
}
