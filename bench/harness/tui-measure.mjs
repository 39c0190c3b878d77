/** Measures all programs, taking turns: `tui-measure.mjs OPTIONS`; JSON of all runs on stdout, progress on stderr. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { median } from './measure.mjs';
import { startModel } from './tui-model.mjs';
import { NAMES, program } from './tui-programs.mjs';
import { TerminalRun } from './tui-terminal.mjs';

/** @typedef {{ peers: string, program: string, starts: number, rounds: number, tokens: number, idleMs: number, keys: number, missing: Record<string, string> }} Options */

const FEW = 1_000;
const MANY = 10_000;
const REST_MS = 3_000;
const COLLECTED_AFTER_MS = 18_000;
const NARROW = 100;
const ENTER_AGAIN_MS = 5_000;

const log = (text) => process.stderr.write(`  ${text}\n`);
const load = () => Number((loadavg()[0] ?? 0).toFixed(1));

const options = /** @type {Options} */ (JSON.parse(process.argv[2] ?? '{}'));
const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-tui-'));
const model = await startModel();
/** Why a program is not in the tables. @type {Record<string, string>} */
const absent = { ...options.missing };
const first = { starts: [], streams: [] };
try {
  process.stdout.write(JSON.stringify({ ...(await measure()), absent }));
} finally {
  model.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const { starts, streams } = first;
  for (let round = -1; round < options.starts; round += 1) {
    for (const name of ['tenon', 'pi', 'claude', 'codex']) {
      const seen = await attempt(name, (run) => start(run));
      // Before the first round nothing is in the caches of disk and compiler.
      if (seen && round >= 0) starts.push({ name, ...seen });
    }
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [name, rows] of [
      ['tenon', FEW],
      ['pi', FEW],
      ['tenon', MANY],
      ['codex', FEW],
      ['piFullscreen', FEW],
    ]) {
      const seen = await attempt(name, (run) => stream(run, rows));
      if (seen) streams.push({ name, rows, ...seen });
    }
  }
  return { starts, streams };
}

/** A program that fails is named with its reason and not tried again. */
async function attempt(name, work) {
  if (absent[name.replace('Fullscreen', '')] ?? absent[name]) return undefined;
  // The same home for all runs of a program: what it keeps from one start to the next, it has.
  const [home, cwd] = ['home', 'work'].map((kind) => join(folder, `${kind}-${name}`));
  for (const path of [home, cwd]) mkdirSync(path, { recursive: true });
  writeFileSync(join(cwd, 'notes.txt'), 'one\n');
  let run;
  try {
    const start = program(name, { url: model.url, home, cwd, peers: options.peers, program: options.program });
    run = new TerminalRun(start, { keepsOutput: true });
    await run.shows(start.ready);
    const seen = { ...(await work(run)), load: load() };
    if (run.hasEnded) throw new Error('the program has ended by itself');
    log(
      `${NAMES[name]}: ${JSON.stringify(seen, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))}`,
    );
    return seen;
  } catch (error) {
    if (name === 'tenon') throw error;
    absent[name] = error.message.split('\n')[0];
    log(`${NAMES[name]} is left out: ${error.message}`);
    return undefined;
  } finally {
    await run?.end();
  }
}

/** From the start until a typed letter is in the editor; then what is done when nobody waits any more. */
async function start(run) {
  const drawn = run.cpuMs();
  await run.echo();
  const usable = run.cpuMs();
  await run.rests(1_000, REST_MS);
  return { drawnCpuMs: drawn, cpuMs: usable, restCpuMs: run.cpuMs() };
}

/** Sends an order, and presses Enter again where a busy machine let the first one pass for a part of the typed text. */
async function send(run, kind, count) {
  const began = model.next(kind, 'begin', 30_000);
  await run.submit(`${kind} ${count}`);
  const isTaken = await Promise.race([began.then(() => true), sleep(ENTER_AGAIN_MS, false)]);
  if (!isTaken) run.type('\r');
  await began;
}

/** A transcript, a rest, an answer that comes token by token while somebody types, and a narrower window. */
async function stream(run, rows) {
  await sleep(REST_MS);
  const startMb = run.memoryMb();
  const filled = model.next('FILL', 'end', 60_000);
  await send(run, 'FILL', rows);
  await filled;
  await run.rests(1_500, 30_000);
  // Every Node program collects its garbage once, 8 s after its last work, or 16 s where much was allocated: that is the end of the work, not idling.
  await sleep(COLLECTED_AFTER_MS);
  const idle = await run.cost(() => sleep(options.idleMs));
  const ended = model.next('STREAM', 'end', 30_000 + options.tokens * 10);
  await send(run, 'STREAM', options.tokens);
  let echoes = [];
  const answer = await run.cost(async () => {
    await sleep(options.tokens * 5);
    echoes = await run.echoes(options.keys, (options.tokens * 4) / options.keys - 20);
    await ended;
  });
  await run.rests(1_000, 10_000);
  const endMb = run.memoryMb();
  const frames = await run.framesOf(answer);
  const resize = await run.cost(async () => {
    await run.resize(NARROW);
    await sleep(2_000);
  });
  return {
    startMb,
    endMb,
    idleBytes: idle.bytes / idle.seconds,
    idleCpu: idle.cpuPercent,
    bytes: answer.bytes / options.tokens,
    cpu: answer.cpuPercent,
    frames,
    echo: median(echoes),
    slowestEcho: Math.max(...echoes),
    resizeBytes: resize.bytes,
    wipes: answer.wipes + resize.wipes,
    seconds: answer.seconds,
  };
}
