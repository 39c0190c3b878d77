/**
 * Workers at once, and workers whose keeper is killed again and again. A hundred workers of a fake CLI, which settings describe, write
 * five lines a second; one process follows them all. Measured are the memory of the keeper (`tenon runs keep`), and how long a line
 * takes from the worker to the follower. Then the keeper gets SIGKILL at random moments: lines that are missing or there twice, and
 * processes that are left, are counted.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { KEEPER_FLAGS, makeRunsHome, PROGRAM } from './harness/runs-home.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RUNS = 'packages/plugins/workers/runs';
const MEMORY_MB = 150;
const SEEN_MS = 250;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run \`npm run setup\` first`);
  const engine = await loadSource(
    ROOT,
    `export { RunsService } from './${RUNS}/src/service.ts';
     export { sqliteStore } from './${RUNS}/src/store/sqlite-store.ts';
     export { processTable } from './${RUNS}/src/keeper/process-table.ts';`,
  );
  const many = await together(engine, quick ? { workers: 20, lines: 20 } : { workers: 100, lines: 75 }, log);
  const killed = await kills(engine, quick ? 5 : 200, log);
  return [
    {
      name: 'workers',
      title: `${many.workers} workers at once`,
      unit: 'ms',
      note: `${many.lines} lines of ${many.workers} workers, five a second each, seen by one process that follows them all. Lost: ${many.lost}, doubled: ${many.doubled}.`,
      rows: [
        row('from a worker to its follower, median', many.p50, SEEN_MS),
        row('from a worker to its follower, 99 of 100', many.p99, SEEN_MS),
      ],
    },
    {
      name: 'workers-memory',
      title: `Memory of the process that keeps ${many.workers} workers`,
      unit: 'MB',
      rows: [row('at its peak', many.memory, MEMORY_MB)],
    },
    {
      name: 'workers-killed',
      title: `The keeper of workers is killed ${killed.kills} times`,
      unit: 'count',
      note: `${killed.runs} runs wrote ${killed.lines} lines meanwhile.`,
      rows: [
        row('lines lost', killed.lost, 0),
        row('lines doubled', killed.doubled, 0),
        row('processes left behind', killed.orphans, 0),
      ],
    },
  ];
}

const row = (name, ours, limit) => ({
  case: name,
  ours,
  peers: { limit },
  ratio: limit === 0 ? ours : ours / limit,
  target: `≤ ${limit}, ${ours <= limit ? 'met' : 'missed'}`,
});

/** The home of the runs; keepers are started by hand. */
async function makePlace(engine, slots, pause) {
  const { base, store, service, env, start } = await makeRunsHome(engine, { slots, script: worker(pause) });
  const keep = () =>
    spawn(process.execPath, [...KEEPER_FLAGS, PROGRAM, 'runs', 'keep'], { cwd: '/', env, stdio: 'inherit' });
  return { base, store, service, start: (lines) => start(`lines=${lines};`), keep };
}

const isOver = async (store) =>
  (await store.list({ states: ['queued', 'starting', 'running', 'validating'], limit: 1 })).length === 0;

/**
 * Writes as many numbered lines as the prompt says, with the time. Bash alone can tell the time and wait without another process, which
 * would cost more than what is measured.
 */
const worker = (pause) => `#!/usr/bin/env bash
exec 3<> <(:)
[[ $* =~ lines=([0-9]+) ]]
for ((i = 1; i <= BASH_REMATCH[1]; i++)); do printf 'text %s %s\\n' $i $EPOCHREALTIME; read -t ${pause} -u 3; done
exit 0
`;

async function together(engine, { workers, lines }, log) {
  const place = await makePlace(engine, workers, 0.2);
  const runs = [];
  for (let index = 0; index < workers; index++) runs.push(await place.start(lines));
  const keeper = place.keep();
  try {
    const delays = [];
    const follow = async (started) => {
      for await (const news of place.service.follow(started, { signal: AbortSignal.timeout(300_000) })) {
        if (news.type !== 'output') continue;
        const now = Date.now();
        for (const [, seconds] of news.output.text.matchAll(/^text \d+ (\d+\.\d+)$/gm))
          delays.push(now - Number(seconds) * 1_000);
      }
    };
    let memory = 0;
    const watching = setInterval(() => (memory = Math.max(memory, peakOf(keeper.pid))), 200);
    await Promise.all(runs.map(follow));
    clearInterval(watching);
    const { lost, doubled } = await count(place.store, runs, lines);
    delays.sort((a, b) => a - b);
    const at = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
    log(
      `${workers} workers: ${delays.length} lines, p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, ${memory.toFixed(0)} MB`,
    );
    return { workers, lines: delays.length, p50: at(0.5), p99: at(0.99), memory, lost, doubled };
  } finally {
    keeper.kill('SIGKILL');
    await place.store.close();
    rmSync(place.base, { recursive: true, force: true, maxRetries: 5 });
  }
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // It has ended.
  }
}

/** Compares what is stored with what was written. */
async function count(store, runs, lines) {
  let [lost, doubled] = [0, 0];
  for (const { id } of runs) {
    const outputs = await store.outputs(id, { session: 0, sequence: 0 }, 1_000_000);
    const text = outputs.map((output) => output.text).join('');
    const seen = new Map();
    for (const [, number] of text.matchAll(/^text (\d+)/gm)) seen.set(number, (seen.get(number) ?? 0) + 1);
    for (let number = 1; number <= lines; number++) {
      const times = seen.get(String(number)) ?? 0;
      lost += times === 0 ? 1 : 0;
      doubled += Math.max(0, times - 1);
    }
  }
  return { lost, doubled };
}

async function kills(engine, total, log) {
  const place = await makePlace(engine, 4, 0.05);
  const lines = 40;
  const runs = [];
  let keeper;
  try {
    for (let kill = 0; kill < total; kill++) {
      const active = (await place.store.list({ states: ['queued', 'starting', 'running'] })).length;
      for (let more = active; more < 4; more++) runs.push(await place.start(lines));
      keeper = place.keep();
      await sleep(100 + Math.random() * 900);
      keeper.kill('SIGKILL');
      await new Promise((resolve) => keeper.once('exit', resolve));
    }
    keeper = place.keep();
    for (const deadline = Date.now() + 300_000; !(await isOver(place.store)); await sleep(100))
      if (Date.now() > deadline) throw new Error('the runs do not end');
    const { lost, doubled } = await count(place.store, runs, lines);
    const failed = (await place.store.list({ states: ['failed'] })).length;
    if (failed > 0) throw new Error(`${failed} runs have failed`);
    const marks = new Set(runs.map(({ id }) => `${id}:1`));
    const orphans = (await engine.processTable()).filter((entry) => marks.has(entry.run)).length;
    log(`${total} kills: ${runs.length} runs, lost ${lost}, doubled ${doubled}, left ${orphans}`);
    return { kills: total, runs: runs.length, lines: runs.length * lines, lost, doubled, orphans };
  } finally {
    keeper?.kill('SIGKILL');
    await place.store.close();
    rmSync(place.base, { recursive: true, force: true, maxRetries: 5 });
  }
}
