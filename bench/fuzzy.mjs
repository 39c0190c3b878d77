/** Ranking paths by a few letters: the addon on a warm cache, beside fzf's JavaScript port and the twin.
 * oh-my-pi's addon never ranks node_modules, which is all the corpus has, so it cannot be compared. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ensurePeers, load, takeTurns } from './grep-peers.mjs';

const QUERIES = ['button', 'react dom server', 'idxts', 'package.json'];

/** Runs the comparison. */
export async function run(ctx) {
  ensurePeers(ctx.workDir, ctx.log);
  const scan = await load('scan', 'native');
  const twin = await load('scan', 'js');
  const fzfFile = join(ctx.workDir, 'node_modules', 'fzf', 'dist', 'fzf.es.js');
  const { Fzf } = await import(pathToFileURL(fzfFile).href);
  const policy = { path: ctx.corpusDir, hidden: true, nodeModules: true, gitignore: false, cache: true };
  const { matches } = await scan.glob({ ...policy, pattern: '**', kind: 'any' });
  const fzf = new Fzf(
    matches.map((match) => match.path),
    { limit: 100 },
  );
  const rows = [];
  for (const query of QUERIES) {
    const { ours, ...peers } = await takeTurns(
      {
        ours: () => scan.fuzzyFind({ ...policy, query }),
        'fzf (JavaScript)': () => fzf.find(query),
        'JavaScript twin': () => twin.fuzzyFind({ ...policy, query }),
      },
      ctx.quick ? 1 : 7,
    );
    rows.push({ case: query, ours, peers, ratio: ours / Math.min(...Object.values(peers)) });
  }
  return { name: 'fuzzy', title: 'fuzzy find, warm scan cache', unit: 'ms', rows };
}
