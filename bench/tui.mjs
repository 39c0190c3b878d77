/**
 * The screen beside those of pi, codex and Claude Code: whole programs in a terminal of 120 x 40, the same fake model, taking
 * turns, with no network but loopback. CPU time is that of the processes, from the kernel.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { staleParts } from '../scripts/freshness.mjs';
import { measureIsolated } from './harness/tui-isolation.mjs';
import { frozenProgram, installPeers } from './harness/tui-programs.mjs';
import { tables } from './harness/tui-tables.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MEASURE = join(ROOT, 'bench/harness/tui-measure.mjs');
const FULL = { starts: 4, rounds: 2, tokens: 2_000, idleMs: 8_000, keys: 40 };
const QUICK = { starts: 1, rounds: 1, tokens: 400, idleMs: 2_000, keys: 8 };

/** @param {{ quick: boolean, workDir: string, log: (text: string) => void }} ctx */
export async function run({ quick, workDir, log }) {
  const stale = staleParts(ROOT);
  if (stale.length > 0) log(`not built from these sources (${stale.join(', ')}): \`npm run setup\` first`);
  const folder = join(workDir, 'tui');
  const peers = join(folder, 'peers');
  const options = {
    ...(quick ? QUICK : FULL),
    peers,
    program: frozenProgram(folder),
    missing: installPeers(peers, log),
  };
  const { measured, isIsolated } = await measureIsolated(MEASURE, options, log);
  return tables(measured, { tokens: options.tokens, isIsolated });
}
