/**
 * What the store of one machine promises, measured with the built program and a real keeper (`tenon runs keep`):
 * how long a run takes from its request to its first word, alone and beside 5,000 others that wait; whether runs that wait hold slots;
 * how late a page that follows 100 writers sees their lines (HTTP, server-sent events); and whether 5,000 runs behind full slots delay
 * those that run; and what is lost or done twice when the keeper of 1,000 runs is killed again and again. The worker is a script of bash
 * that tells the time by itself.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { KEEPER_FLAGS, makeRunsHome, PROGRAM } from './harness/runs-home.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RUNS = 'packages/plugins/workers/runs';
const START_MS = 250;
const SEEN_MS = 250;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; run \`npm run setup\` first`);
  const engine = await loadSource(
    ROOT,
    `export { RunsService } from './${RUNS}/src/service.ts';
     export { sqliteStore } from './${RUNS}/src/store/sqlite-store.ts';
     export { processTable } from './${RUNS}/src/keeper/process-table.ts';
     export { ApiClient } from './packages/plugins/modes/web/src/client.ts';`,
  );
  const [samples, crowd] = quick ? [20, 500] : [200, 5_000];
  const alone = await starts(engine, { samples, waiting: 0, queued: 0 }, log);
  const beside = await starts(engine, { samples, waiting: crowd, queued: 0 }, log);
  const waits = await waiting(engine, log);
  const page = await followed(engine, quick ? { writers: 20, lines: 20 } : { writers: 100, lines: 75 }, log);
  const behind = await delayed(engine, { writers: 10, lines: quick ? 25 : 100, queued: crowd }, log);
  const killed = await kills(engine, quick ? { count: 60, slots: 20 } : { count: 1_000, slots: 100 }, log);
  return [
    {
      name: 'durable-start',
      title: 'From the request of a run to the first word of its worker',
      unit: 'ms',
      note: `${samples} runs, one after the other, beside a keeper that is there. The words are written by a shell that the keeper starts.`,
      rows: [
        row('alone, median', alone.p50, START_MS),
        row('alone, 99 of 100', alone.p99, START_MS),
        row(`beside ${crowd} runs that wait, median`, beside.p50, START_MS),
        row(`beside ${crowd} runs that wait, 99 of 100`, beside.p99, START_MS),
        row('after 30 runs that wait had 10 slots', waits.next, START_MS),
      ],
    },
    {
      name: 'durable-waits',
      title: '30 runs that ask something, 10 slots',
      unit: 'count',
      rows: [
        row('that do not come to wait', 30 - waits.waiting, 0),
        row('that do not go on with their answer', 30 - waits.done, 0),
        row('that a second answer changed', waits.changed, 0),
      ],
    },
    {
      name: 'durable-followed',
      title: 'From a worker to those who follow it',
      unit: 'ms',
      note: `Through \`tenon web\`: ${page.lines} lines of ${page.writers} writers, five a second each, ${page.lost} lost. Directly: ${behind.lines} lines of ${behind.writers} writers while ${behind.queued} runs wait for a slot.`,
      rows: [
        row(`${page.writers} writers, over HTTP, median`, page.p50, SEEN_MS),
        row(`${page.writers} writers, over HTTP, 99 of 100`, page.p99, SEEN_MS),
        row(`${behind.writers} writers before ${behind.queued} queued runs, median`, behind.p50, SEEN_MS),
        row(`${behind.writers} writers before ${behind.queued} queued runs, 99 of 100`, behind.p99, SEEN_MS),
      ],
    },
    {
      name: 'durable-killed',
      title: `${killed.count} runs over ${killed.slots} slots, the keeper killed ${killed.kills} times`,
      unit: 'count',
      note: `All over after ${(killed.ms / 1_000).toFixed(0)} s. A killed keeper was followed by the next, and the first run ended under it, after at most ${(killed.recovery / 1_000).toFixed(1)} s. At most ${killed.most} ran at a time.`,
      rows: [
        row('runs that did not end, or ended twice', killed.wrong, 0),
        row('workers that began again', killed.again, 0),
        row('processes left behind', killed.left, 0),
        row('most runs at a time beyond the slots', Math.max(0, killed.most - killed.slots), 0),
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

/** Says the time at once; then as many lines as it is told, or asks, or ends. Nothing that it waits for is another process. */
const WORKER = `#!/usr/bin/env bash
now=$EPOCHREALTIME
exec 3<> <(:)
task="$*"
[[ $task =~ .*'"session": '([0-9]+) ]] && session=\${BASH_REMATCH[1]}
signal() { printf '\\n\`\`\`signal\\n%s\\n\`\`\`\\n' "$1"; }
printf 'text 0 %s\\n' $now
if [[ $task == *'answers to your questions'* ]]; then signal "{\\"session\\": $session, \\"status\\": \\"done\\"}"
elif [[ $task == *'ask first'* ]]; then signal "{\\"session\\": $session, \\"status\\": \\"questions\\", \\"questions\\": [{\\"id\\": \\"q\\", \\"text\\": \\"Which?\\"}]}"
elif [[ $task == *'write it down'* ]]; then printf '+ %s\\n' "$TENON_RUN" >>"$PWD/steps"; read -t 4 -u 3; printf -- '- %s\\n' "$TENON_RUN" >>"$PWD/steps"
elif [[ $task =~ lines=([0-9]+) ]]; then
  for ((i = 1; i <= BASH_REMATCH[1]; i++)); do printf 'text %s %s\\n' $i $EPOCHREALTIME; read -t 0.2 -u 3; done
fi
exit 0
`;

/** The home of the runs; keepers are started by hand, and all that was started is ended. */
async function makePlace(engine, slots) {
  const { base, home, work, store, service, env, start } = await makeRunsHome(engine, { slots, script: WORKER });
  const children = [];
  const launch = (...words) => {
    const child = spawn(process.execPath, [...KEEPER_FLAGS, PROGRAM, ...words], {
      cwd: work,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  return {
    work,
    store,
    service,
    launch,
    start,
    async close() {
      for (const { id } of await store.list({ states: ['queued', 'starting', 'running'] }))
        await store.wish(id, 'cancel');
      await quiet(store);
      for (const child of children) child.kill('SIGKILL');
      // The control room starts a keeper of its own, which outlives it.
      for (const pid of processesOf(home)) process.kill(pid, 'SIGKILL');
      await reached('the end of all processes', () => processesOf(home).length === 0);
      await store.close();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function reached(what, test, minutes = 5) {
  for (const deadline = Date.now() + minutes * 60_000; !(await test()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`${what}: it does not come`);
}

const quiet = (store) =>
  reached(
    'the end of all runs',
    async () => (await store.list({ states: ['queued', 'starting', 'running'], limit: 1 })).length === 0,
  );

/** When the worker of a run said its first word. */
async function spokeAt(store, id) {
  let at;
  await reached(`the first word of ${id}`, async () => {
    const outputs = await store.outputs(id, { session: 0, sequence: 0 }, 10);
    at = /^text 0 (\d+\.\d+)$/m.exec(outputs.map(({ text }) => text).join(''))?.[1];
    return at !== undefined;
  });
  return Number(at) * 1_000;
}

/** Runs that wait for somebody, without workers: as a keeper would have left them. */
async function crowd(place, count) {
  for (let index = 0; index < count; index++) {
    const { id } = await place.start('ask first');
    await place.store.change(id, { run: { state: 'waiting' }, from: ['queued'] });
  }
}

async function starts(engine, { samples, waiting: others }, log) {
  const place = await makePlace(engine, 4);
  try {
    await crowd(place, others);
    // A run that goes on keeps the keeper there.
    const { id: long } = await place.start('lines=100000');
    const keeper = place.launch('runs', 'keep');
    await spokeAt(place.store, long);
    const delays = [];
    for (let index = 0; index < samples; index++) {
      const began = Date.now();
      const { id } = await place.start('say a word');
      delays.push((await spokeAt(place.store, id)) - began);
      await sleep(50 + Math.random() * 100);
    }
    const result = { ...shares(delays), cpu: cpuOf(keeper.pid) };
    log(`start beside ${others}: p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms`);
    return result;
  } finally {
    await place.close();
  }
}

async function waiting(engine, log) {
  const place = await makePlace(engine, 10);
  try {
    const keeper = place.launch('runs', 'keep');
    const runs = [];
    for (let index = 0; index < 30; index++) runs.push(await place.start('ask first'));
    const inState = async (state) => (await place.store.list({ states: [state] })).length;
    await reached('30 runs that wait', async () => (await inState('waiting')) === 30);
    const began = Date.now();
    // A keeper that has nothing to do may have gone.
    if (keeper.exitCode !== null) place.launch('runs', 'keep');
    const next = (await spokeAt(place.store, (await place.start('say a word')).id)) - began;
    for (const started of runs) await place.service.answer(await place.service.find(started.id), { q: 'this' });
    const again = place.launch('runs', 'keep');
    await reached('30 answers', async () => (await inState('waiting')) === 0);
    await quiet(place.store);
    again.kill('SIGKILL');
    let [done, changed] = [0, 0];
    for (const { id } of runs) {
      const before = await place.service.find(id);
      if (before.state === 'done' && before.session === 2) done += 1;
      // The first answer counts; a refusal is what is wanted.
      await place.service.answer(before, { q: 'that' }).catch(() => undefined);
      const [asked] = await place.store.questions(id);
      if (asked?.answer !== 'this' || (await place.service.find(id)).state !== before.state) changed += 1;
    }
    log(
      `30 waits, 10 slots: the next run starts after ${next.toFixed(0)} ms, ${done} went on, ${changed} changed by a second answer`,
    );
    return { waiting: 30, next, done, changed };
  } finally {
    await place.close();
  }
}

async function followed(engine, { writers, lines }, log) {
  const place = await makePlace(engine, writers);
  try {
    const server = place.launch('web', '--port', '0', '--json');
    let said = '';
    server.stdout.on('data', (part) => (said += part));
    await reached('the control room', () => said.trim().endsWith('}'));
    const { url, token } = JSON.parse(said);
    const client = new engine.ApiClient({ base: url, token });
    const runs = [];
    for (let index = 0; index < writers; index++) runs.push(await place.start(`lines=${lines}`));
    const delays = [];
    // Whoever follows sees to it that there is a keeper.
    const follow = async ({ id }) => {
      const signal = AbortSignal.timeout(300_000);
      for await (const { type, data } of client.follow(`/api/runs/${id}/events`, { signal })) {
        if (type !== 'output') continue;
        const now = Date.now();
        for (const [, seconds] of data.text.matchAll(/^text [1-9]\d* (\d+\.\d+)$/gm))
          delays.push(now - Number(seconds) * 1_000);
      }
    };
    await Promise.all(runs.map(follow));
    const result = { ...shares(delays), writers, lines: delays.length, lost: writers * lines - delays.length };
    log(
      `${writers} writers over HTTP: ${delays.length} lines, lost ${result.lost}, p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms`,
    );
    return result;
  } finally {
    await place.close();
  }
}

/** Runs that wait for a slot must not delay those that have one. */
async function delayed(engine, { writers, lines, queued }, log) {
  const place = await makePlace(engine, writers);
  try {
    const runs = [];
    for (let index = 0; index < writers; index++) runs.push(await place.start(`lines=${lines}`));
    const others = [];
    for (let index = 0; index < queued; index++) others.push(await place.start('say a word'));
    const keeper = place.launch('runs', 'keep');
    const delays = [];
    await Promise.all(
      runs.map(async (started) => {
        for await (const news of place.service.follow(started, { signal: AbortSignal.timeout(300_000) })) {
          if (news.type !== 'output') continue;
          const now = Date.now();
          for (const [, seconds] of news.output.text.matchAll(/^text [1-9]\d* (\d+\.\d+)$/gm))
            delays.push(now - Number(seconds) * 1_000);
        }
      }),
    );
    const result = { ...shares(delays), writers, lines: delays.length, queued, cpu: cpuOf(keeper.pid) };
    log(
      `${writers} writers before ${queued} queued: p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms, keeper ${result.cpu.toFixed(1)} s of CPU`,
    );
    keeper.kill('SIGKILL');
    for (const { id } of others)
      await place.store.change(id, { run: { state: 'cancelled' }, from: ['queued', 'starting', 'running'] });
    return result;
  } finally {
    await place.close();
  }
}

/** A keeper is killed every few seconds while it works through many runs: each ends once, and none begins again. */
async function kills(engine, { count, slots }, log) {
  const place = await makePlace(engine, slots);
  try {
    const began = Date.now();
    const runs = [];
    for (let index = 0; index < count; index++) runs.push(await place.start('write it down'));
    const left = async () =>
      (await place.store.list({ states: ['queued', 'starting', 'running', 'validating'] })).length;
    let [killed, recovery, open] = [0, 0, count];
    while (open > 0) {
      const since = Date.now();
      const keeper = place.launch('runs', 'keep');
      await reached('the end of a run', async () => (await left()) < open);
      if (killed > 0) recovery = Math.max(recovery, Date.now() - since);
      await sleep(1_000 + Math.random() * 4_000);
      open = await left();
      if (open === 0) break;
      keeper.kill('SIGKILL');
      await new Promise((resolve) => keeper.once('exit', resolve));
      killed += 1;
      open = await left();
    }
    const steps = readFileSync(join(place.work, 'steps'), 'utf8').trim().split('\n');
    let [now, most] = [0, 0];
    for (const step of steps) most = Math.max(most, (now += step.startsWith('+') ? 1 : -1));
    const starts = steps.filter((step) => step.startsWith('+'));
    let wrong = 0;
    for (const { id } of runs) {
      const run = await place.service.find(id);
      const ends = (await place.store.events(0, 100, id)).filter(({ what }) => what.state === 'done').length;
      const ended = steps.filter((step) => step === `- ${id}:1`).length;
      if (run.state !== 'done' || run.session !== 1 || ends !== 1 || ended !== 1) wrong += 1;
    }
    const again = starts.length - new Set(starts).size;
    const result = { count, slots, kills: killed, ms: Date.now() - began, recovery, wrong, again, most };
    const marks = new Set(runs.map(({ id }) => `${id}:1`));
    const behind = (await engine.processTable()).filter(({ run }) => marks.has(run)).length;
    log(
      `${count} runs, ${slots} slots, ${killed} kills: ${(result.ms / 1_000).toFixed(0)} s, wrong ${wrong}, begun again ${again}, left ${behind}, at most ${most} at a time, recovery ${recovery} ms`,
    );
    return { ...result, left: behind };
  } finally {
    await place.close();
  }
}

/** Processes that were started for a home. */
function processesOf(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').includes(`TENON_HOME=${home}\0`);
      } catch {
        return false; // It has just ended, or belongs to somebody else.
      }
    })
    .map(Number);
}

function shares(delays) {
  delays.sort((a, b) => a - b);
  const at = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Seconds of CPU that a process has used. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0; // It has ended.
  }
}
