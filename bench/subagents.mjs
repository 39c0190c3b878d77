/**
 * The memory of many subagents at once: one agent starts 8, each of them starts 6, and all 56 read a file and then wait for
 * their model. The whole process is measured at that moment, beside the same program with one agent that does the same.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { median } from './harness/measure.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BRANCHES = 8;
const LEAVES = 6;
/** Megabytes that 50 subagents may take on a machine with two cores. */
const BUDGET = 300;
const PATIENCE_MS = 120_000;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const { startFakeModels } = await loadSource(
    ROOT,
    "export { startFakeModels } from './packages/model-fakes/src/index.ts';",
  );
  const folder = mkdtempSync(join(tmpdir(), 'tenon-subagents-bench-'));
  const fake = await startFakeModels();
  try {
    const place = plant(folder, fake.baseUrl('openai-completions'));
    const rounds = quick ? 1 : 5;
    const many = [];
    const one = [];
    for (let round = 0; round < rounds; round++) {
      many.push(await measure(fake, place, BRANCHES));
      one.push(await measure(fake, place, 0));
      log(
        `${many.at(-1).mb.toFixed(0)} MB and ${many.at(-1).ms.toFixed(0)} ms until all work; one agent: ${one.at(-1).mb.toFixed(0)} MB`,
      );
    }
    const ours = median(many.map(({ mb }) => mb));
    const alone = median(one.map(({ mb }) => mb));
    if (ours > BUDGET) throw new Error(`${ours.toFixed(0)} MB are more than the budget of ${BUDGET} MB`);
    return {
      name: 'subagents',
      title: `${BRANCHES + BRANCHES * LEAVES} subagents at once (budget: ${BUDGET} MB)`,
      unit: 'MB',
      note: 'Most resident memory of the whole process, from /proc.',
      rows: [
        {
          case: `${BRANCHES + BRANCHES * LEAVES} subagents, all at work`,
          ours,
          peers: { 'one agent': alone },
          ratio: ours / alone,
          note: `${((ours - alone) / (BRANCHES + BRANCHES * LEAVES)).toFixed(2)} MB for each subagent`,
        },
      ],
    };
  } finally {
    await fake.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function plant(folder, baseUrl) {
  const cwd = join(folder, 'work');
  const config = join(folder, 'tenon/config');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(config, { recursive: true });
  writeFileSync(join(cwd, 'notes.txt'), 'A line of the notes.\n'.repeat(400));
  const model = { id: 'm', name: 'M', contextWindow: 200_000, maxTokens: 8_000, input: ['text'], reasoning: false };
  const provider = { baseUrl, apiKey: 'none-needed', api: 'openai-completions', models: [model] };
  writeFileSync(join(config, 'models.yml'), JSON.stringify({ providers: { fake: provider } }));
  return { cwd, home: folder };
}

/** Starts the program, waits until every agent has read its file, and looks at its memory. */
async function measure(fake, { cwd, home }, branches) {
  const expected = branches === 0 ? 1 : branches * LEAVES;
  let waiting = 0;
  let calls = 0;
  let ready = () => {};
  const all = new Promise((resolve) => (ready = resolve));
  const call = (name, args) => ({ content: [{ type: 'toolCall', id: `call_${calls++}`, name, arguments: args }] });
  const tasks = (count, kind) =>
    Array.from({ length: count }, (_, at) => ({
      id: `${kind}-${calls}-${at}`,
      description: kind,
      assignment: `Read notes.txt, ${at}.`,
    }));
  fake.otherwise(({ body }) => {
    const text = JSON.stringify(body.messages);
    const isFirst = !body.messages.some(({ role }) => role === 'assistant');
    if (text.includes('# Your task: branch'))
      return call('task', { agent: 'quick_task', tasks: tasks(LEAVES, 'leaf') });
    if (!text.includes('# Your task: leaf') && branches > 0)
      return call('task', { agent: 'task', tasks: tasks(branches, 'branch') });
    if (isFirst) return call('read', { path: 'notes.txt' });
    if (++waiting === expected) ready(true);
    return { content: [{ type: 'text', text: 'Thinking' }], fault: { kind: 'stall', after: 1 } };
  });
  const words = ['--model', 'fake/m', '--tools', 'read,task', '--set', 'subagents.maxConcurrent=8', '-p', 'Read.'];
  const began = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'packages/cli/bin/tenon.mjs'), ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TENON_HOME: join(home, 'tenon') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  try {
    if (!(await Promise.race([all, ended.then(() => false)])))
      throw new Error(`only ${waiting} of ${expected} agents worked: ${output.slice(-800)}`);
    const ms = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { ms, mb: peakMb(child.pid) };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await ended;
    fake.requests.length = 0;
  }
}

function peakMb(pid) {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
