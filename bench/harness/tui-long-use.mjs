/** One long use of Tenon in accelerated time: `tui-long-use.mjs OPTIONS`; JSON of what was seen on stdout, progress on stderr. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startModel } from './tui-model.mjs';
import { tenon } from './tui-programs.mjs';
import { TerminalRun } from './tui-terminal.mjs';
import { rowNumber } from './tui-text.mjs';

const PATIENCE_MS = 30_000;
const REST_MS = 3_000;
const ROWS_OF_A_TURN = 40;
/** More lines than come between two looks at the scrollback. */
const SCROLLBACK = 10_000;
const TURNS_BETWEEN = { looks: 100, resizes: 10, overlays: 15, pastes: 25 };
/** None is so narrow that a numbered row breaks. */
const SIZES = [
  [120, 40],
  [90, 30],
  [150, 50],
  [100, 24],
];
const PASTED_LINES = 2_000;
/** What the screen shows while an answer comes. Rows of an answer that has not ended may still be live: looking then finds some of them missing. */
const WORKING = /\(\d.*, esc stops\)/;

const log = (text) => process.stderr.write(`  ${text}\n`);
const { turns, beginRows, peers, program, between, isHasty } = JSON.parse(process.argv[2] ?? '{}');
/** Whoever hunts a fault may want some things more often, and what follows an answer before that has ended (`isHasty`). */
const turnsBetween = { ...TURNS_BETWEEN, ...between };
const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-long-'));
const model = await startModel();
const [home, cwd] = ['home', 'work'].map((name) => join(folder, name));
for (const path of [home, cwd]) mkdirSync(path);
// With a session on disk, and a window that fills now and then, as in real use.
const start = tenon({ url: model.url, home, cwd, peers, program, contextWindow: 200_000, flags: [] });
const run = new TerminalRun(start, { scrollback: SCROLLBACK });
const faults = { missing: 0, repeated: 0, disordered: 0 };
/** How often each row was seen, and where the order went back. */
const known = { times: new Map(), backward: new Set() };
let checked = -1;
let hasWorked = false;
try {
  process.stdout.write(JSON.stringify(await use()));
} finally {
  await run.end();
  model.close();
  rmSync(folder, { recursive: true, force: true });
}

async function use() {
  await run.shows(start.ready);
  const memory = [];
  const began = performance.now();
  for (let turn = 1; turn <= turns; turn += 1) {
    await ask(turn - 1);
    if (turn % turnsBetween.resizes === 0) await run.resize(...SIZES[(turn / turnsBetween.resizes) % SIZES.length]);
    if (turn % turnsBetween.overlays === 0) await overlay();
    if (turn % turnsBetween.pastes === 0) await paste();
    if (turn % turnsBetween.looks === 0 || turn === turns) look(turn * ROWS_OF_A_TURN - 1);
    if (turn * ROWS_OF_A_TURN === beginRows || turn % Math.ceil(turns / 10) === 0 || turn === turns) {
      await sleep(REST_MS);
      memory.push({ rows: turn * ROWS_OF_A_TURN, rssMb: run.memoryMb('Rss') });
      log(
        `${turn} turns, ${memory.at(-1).rssMb.toFixed(1)} MB, ${JSON.stringify(faults)}, load ${loadavg()[0]?.toFixed(1)}`,
      );
    }
  }
  const wallSeconds = (performance.now() - began) / 1000;
  if (!hasWorked) throw new Error(`${WORKING} was never on the screen: the end of an answer cannot be seen any more`);
  return {
    memory,
    faults,
    rows: turns * ROWS_OF_A_TURN,
    checked: checked + 1,
    wallSeconds,
    cpuSeconds: run.cpuMs() / 1000,
  };
}

/** A question and its numbered rows; done when nothing moves any more. */
async function ask(turn) {
  const first = turn * ROWS_OF_A_TURN;
  const last = first + ROWS_OF_A_TURN - 1;
  const order = `ROWS ${first} ${ROWS_OF_A_TURN}`;
  const isOnScreen = (test) => run.lines().some(test);
  run.type(`\x1b[200~${order}\x1b[201~`);
  await run.until(() => isOnScreen((row) => row.trim() === order), `the draft ${order}`, PATIENCE_MS);
  run.type('\r');
  const isDone = () => {
    const isWorking = isOnScreen((row) => WORKING.test(row));
    hasWorked ||= isWorking;
    return (isHasty || !isWorking) && isOnScreen((row) => rowNumber(row) === last);
  };
  await run.until(isDone, `row ${last} and a rest`, PATIENCE_MS);
}

async function overlay() {
  run.type('\x1b[200~/keys\x1b[201~\r');
  await run.shows(/Clear the draft/, PATIENCE_MS);
  run.type('\x1b');
  await run.shows(start.ready, PATIENCE_MS);
}

/** Pasted and cleared again: not sent. */
async function paste() {
  run.type(`\x1b[200~${'a line that was copied somewhere\r'.repeat(PASTED_LINES)}\x1b[201~`);
  await run.until(() => !run.lines().some((row) => start.ready.test(row)), 'the paste', PATIENCE_MS);
  run.type('\x03');
  await run.shows(start.ready, PATIENCE_MS);
}

/** Every row since the last look must be there once, in order. @param {number} last */
function look(last) {
  const seen = run.lines(true).flatMap((row) => rowNumber(row) ?? []);
  const fresh = seen.filter((number) => number > checked);
  const distinct = new Set(fresh);
  faults.missing += last - checked - distinct.size;
  // The scrollback still holds what was seen at earlier looks: each fault counts once.
  const times = new Map();
  for (const number of seen) times.set(number, (times.get(number) ?? 0) + 1);
  for (const [number, count] of times) {
    faults.repeated += Math.max(0, count - (known.times.get(number) ?? 1));
    known.times.set(number, Math.max(count, known.times.get(number) ?? 1));
  }
  for (const [index, number] of seen.entries()) {
    if (index === 0 || number >= seen[index - 1]) continue;
    known.backward.add(`${seen[index - 1]} ${number}`);
  }
  faults.disordered = known.backward.size;
  checked = last;
}
