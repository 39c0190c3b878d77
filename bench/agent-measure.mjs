/**
 * Measures the agents and prints what it found as JSON: `agent-measure.mjs OPTIONS`. A process of its own, so that it
 * can run in a network namespace that has nothing but loopback: no agent can lose time to, or gain it from, the network.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { writeLongSession } from './agent-long-session.mjs';
import { converse, idleMb } from './agent-process.mjs';
import { programs } from './agent-programs.mjs';
import { median } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TOOL_CALLS = 20;
const { peers, quick, sessionBytes } = JSON.parse(process.argv[2] ?? '{}');
const log = (text) => process.stderr.write(`  ${text}\n`);

const SOURCES = `
  export { startFakeModels } from './packages/model-fakes/src/index.ts';
  export { loadAccelerator } from './native/src/index.ts';
`;
const { startFakeModels, loadAccelerator } = await loadSource(ROOT, SOURCES);
const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-agent-'));
const fake = await startFakeModels();
try {
  process.stdout.write(JSON.stringify(await measureAll()));
} finally {
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll() {
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  for (let at = 0; at < TOOL_CALLS; at++) writeFileSync(join(cwd, `notes-${at}.txt`), `Note ${at}.\n`.repeat(10));
  const all = programs(peers, join(folder, 'homes'));
  for (const program of all) program.configure(fake.baseUrl('openai-completions'));
  return {
    oneTool: await oneTool(all, cwd),
    turns: await manyTools(all, cwd),
    bareMs: await bareRoundTrip(cwd),
    idle: await idle(all, cwd),
    resume: await resume(all, cwd),
  };
}

/** Runs every program in turn, `rounds` times after one that does not count, and gives each one's results. */
async function inTurns(all, rounds, work) {
  const results = Object.fromEntries(all.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const program of all) {
      const result = await work(program);
      fake.requests.length = 0;
      if (round >= 0) results[program.name].push(result);
    }
  }
  return results;
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

async function oneTool(all, cwd) {
  log('one tool call, start to end');
  const runs = await inTurns(all, quick ? 3 : 9, (program) =>
    converse(program, program.print, { fake, cwd, toolCalls: 1 }),
  );
  const text = await loadAccelerator('text');
  return mapValues(runs, (list) => {
    const { messages, tools } = list[0].firstBody;
    const sent = JSON.stringify({ messages, tools });
    return {
      firstRequestMs: median(list.map(({ firstRequestMs }) => firstRequestMs)),
      wholeMs: median(list.map(({ wholeMs }) => wholeMs)),
      peakMb: median(list.map(({ peakMb }) => peakMb)),
      tokens: text.estimateTokens(sent),
      tokensByLength: Math.round(sent.length / 4),
      tools: tools?.length ?? 0,
    };
  });
}

async function manyTools(all, cwd) {
  log(`${TOOL_CALLS} tool calls, one after the other`);
  const work = (program) => converse(program, program.print, { fake, cwd, toolCalls: TOOL_CALLS });
  return mapValues(await inTurns(all, quick ? 1 : 5, work), (list) => ({
    coldMs: median(list.map(({ gapsMs }) => gapsMs[0])),
    warmMs: median(list.flatMap(({ gapsMs }) => gapsMs.slice(TOOL_CALLS / 4))),
  }));
}

/** What the same number of requests takes without any agent around them. */
async function bareRoundTrip(cwd) {
  const client = join(ROOT, 'bench/agent-bare-client.mjs');
  const bare = { name: 'bare', readsFiles: false, command: process.execPath, args: [client], env: {} };
  const args = [fake.baseUrl('openai-completions'), String(TOOL_CALLS)];
  const { gapsMs } = await converse(bare, args, { fake, cwd, toolCalls: TOOL_CALLS });
  return median(gapsMs.slice(TOOL_CALLS / 4));
}

async function idle(all, cwd) {
  log('waiting for commands');
  return mapValues(await inTurns(all, quick ? 1 : 3, (program) => idleMb(program, cwd)), median);
}

/** Goes on with a long session. A peer that cannot open the file has no value. */
async function resume(all, cwd) {
  const file = join(folder, 'long.jsonl');
  const { entries } = writeLongSession(file, sessionBytes, cwd);
  log(`resuming a session of ${(statSync(file).size / 1e6).toFixed(0)} MB, ${entries} entries`);
  const results = {};
  for (const program of all) {
    const runs = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const copy = join(folder, `${program.name}-${round}.jsonl`);
      copyFileSync(file, copy);
      try {
        runs.push(await converse(program, program.session(copy), { fake, cwd, toolCalls: 0 }));
      } catch (error) {
        if (program.name === 'tenon') throw error;
        log(`not compared: ${error.message}`);
      }
      fake.requests.length = 0;
      rmSync(copy, { force: true });
    }
    if (runs.length > 0) {
      results[program.name] = {
        firstRequestMs: median(runs.map(({ firstRequestMs }) => firstRequestMs)),
        peakMb: median(runs.map(({ peakMb }) => peakMb)),
        messages: runs[0].firstBody.messages.length,
      };
    }
  }
  return { megabytes: sessionBytes / 1e6, results };
}
