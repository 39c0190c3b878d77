/**
 * A long use of the screen in one process: questions, numbered rows, resizes, overlays, pastes. What its memory grows by, and
 * whether every row is in the terminal's scrollback once.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { measureIsolated } from './harness/tui-isolation.mjs';
import { frozenProgram } from './harness/tui-programs.mjs';

const USE = join(dirname(fileURLToPath(import.meta.url)), 'harness/tui-long-use.mjs');
const TURNS = 2_500;
const QUICK_TURNS = 200;
/** By then everything is loaded. */
const BEGIN_ROWS = 1_000;
const MOST_GROWTH_MB = 20;

/** @param {{ quick: boolean, workDir: string, log: (text: string) => void }} ctx */
export async function run({ quick, workDir, log }) {
  const folder = join(workDir, 'tui');
  const turns = quick ? QUICK_TURNS : TURNS;
  const options = { beginRows: BEGIN_ROWS, turns, peers: join(folder, 'peers'), program: frozenProgram(folder) };
  const { measured } = await measureIsolated(USE, options, log);
  const { memory, faults, rows, checked, wallSeconds, cpuSeconds } = measured;
  const [first, last] = [memory.find((one) => one.rows === BEGIN_ROWS), memory.at(-1)];
  const grown = last.rssMb - first.rssMb;
  const [early, late] = [lowest(memory, rows / 4, rows / 2), lowest(memory, (rows * 3) / 4, rows)];
  const wrong = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const count = (value) => value.toLocaleString('en');
  return {
    name: 'tui-long',
    title: 'The screen: memory of a long use (RSS)',
    unit: 'MB',
    note:
      `${count(turns)} questions in ${wallSeconds.toFixed(0)} s (${cpuSeconds.toFixed(0)} s of CPU) with resizes, overlays and pastes; ${count(checked)} numbered rows were looked for in the ` +
      `scrollback: ${faults.missing} missing, ${faults.repeated} repeated, ${faults.disordered} out of order.`,
    rows: [
      {
        case: `after ${count(rows)} rows`,
        ours: last.rssMb,
        peers: { [`Tenon, ${count(BEGIN_ROWS)} rows`]: first.rssMb },
        ratio: last.rssMb / first.rssMb,
        target: `≤ ${MOST_GROWTH_MB} MB more (${grown.toFixed(1)}), each row once: ${grown <= MOST_GROWTH_MB && wrong === 0 ? 'met' : 'missed'}`,
      },
      {
        case: 'lowest in the last quarter',
        note: 'what never comes back would show here; above it is also what V8 has not collected yet',
        ours: late,
        peers: { 'Tenon, lowest in the second quarter': early },
        ratio: late / early,
      },
    ],
  };
}

/** @param {{ rows: number, rssMb: number }[]} memory @param {number} from @param {number} to */
function lowest(memory, from, to) {
  return Math.min(...memory.filter(({ rows }) => rows >= from && rows <= to).map(({ rssMb }) => rssMb));
}
