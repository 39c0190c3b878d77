/**
 * The agent beside pi and oh-my-pi: until the first request, per tool turn, memory, the size of the first request, and
 * a long session resumed. All of them talk to the same fake server, take turns, and see no network but loopback.
 */
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { IDLE_SECONDS } from './agent-process.mjs';
import { installPeers } from './agent-programs.mjs';

const MEASURE = join(dirname(fileURLToPath(import.meta.url)), 'agent-measure.mjs');
const TARGETS = {
  firstBesideOhMyPi: 0.15,
  firstBesidePi: 0.15,
  turnMs: 8,
  turnBesideBare: 10,
  turnBesidePi: 1,
  idleMb: 60,
  tokens: 5_000,
};

/** @param {{ workDir: string, quick: boolean, log: (text: string) => void }} ctx */
export async function run({ workDir, quick, log }) {
  const peers = installPeers(workDir, log);
  const options = { peers, quick, sessionBytes: quick ? 20e6 : 100e6 };
  const { stdout, isolated } = await measureIsolated(options, log);
  const measured = JSON.parse(stdout);
  const note = isolated
    ? 'In a network namespace with only loopback.'
    : 'With the network there: no namespace could be made.';
  return [times(measured, note), memory(measured, note), tokens(measured, note)];
}

/** Without the right to make a namespace the numbers are still worth having; the note says so. */
async function measureIsolated(options, log) {
  const command = [process.execPath, MEASURE, JSON.stringify(options)];
  const isolated = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
  if (!isolated) log('no network namespace: measuring with the network there');
  const inside = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...command];
  const [program, ...args] = isolated ? inside : command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (part) => (stdout += part));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`the measurement ended with ${code}`);
  return { stdout, isolated };
}

/** A row of one value for each program, held against one of the peers. */
function row(name, values, against, target) {
  const { tenon: ours, ...peers } = values;
  return { case: name, ours, peers, ratio: ours / peers[against], ...(target !== undefined && { target }) };
}

const pick = (record, key) => Object.fromEntries(Object.entries(record).map(([name, values]) => [name, values[key]]));
const atMost = (value, limit, unit) => `≤ ${limit} ${unit}, ${value <= limit ? 'met' : 'missed'}`;

function times({ oneTool, turns, bareMs, resume }, note) {
  const first = pick(oneTool, 'firstRequestMs');
  const warm = { ...pick(turns, 'warmMs'), 'bare HTTP': bareMs };
  const resumed = pick(resume.results, 'firstRequestMs');
  return {
    name: 'agent',
    title: 'The agent: time',
    unit: 'ms',
    note: `${note} A tool turn is from one request's arrival to the next one's, reading a small file between them.`,
    rows: [
      row('start to first request', first, 'oh-my-pi', TARGETS.firstBesideOhMyPi),
      row('start to first request, beside pi', { tenon: first.tenon, pi: first.pi }, 'pi', TARGETS.firstBesidePi),
      row('whole run with one tool call', pick(oneTool, 'wholeMs'), 'pi'),
      row('first tool turn', pick(turns, 'coldMs'), 'pi', TARGETS.turnBesidePi),
      row('tool turn', pick(turns, 'warmMs'), 'pi', atMost(warm.tenon, TARGETS.turnMs, 'ms')),
      row('tool turn, beside pi', { tenon: warm.tenon, pi: warm.pi }, 'pi', TARGETS.turnBesidePi),
      row(
        'tool turn, beside bare requests',
        { tenon: warm.tenon, 'bare HTTP': bareMs },
        'bare HTTP',
        TARGETS.turnBesideBare,
      ),
      row(
        `${resume.megabytes} MB session resumed, to first request`,
        { ...resumed, 'new session': first.tenon },
        'new session',
      ),
    ],
  };
}

function memory({ oneTool, idle, resume }, note) {
  const peak = pick(oneTool, 'peakMb');
  const resumed = pick(resume.results, 'peakMb');
  return {
    name: 'agent-memory',
    title: 'The agent: memory',
    unit: 'MB',
    note: `${note} Resident memory of the process and all below it. Each waits in RPC mode for ${IDLE_SECONDS} s after its first answer; by then Tenon has collected its garbage and unmapped pages of programs, which stay in the system's file cache.`,
    rows: [
      row('peak of a run with one tool call', peak, 'pi'),
      row('waiting in RPC mode', idle, 'oh-my-pi', atMost(idle.tenon, TARGETS.idleMb, 'MB')),
      row(`peak of a ${resume.megabytes} MB session resumed`, { ...resumed, 'new session': peak.tenon }, 'new session'),
    ],
  };
}

function tokens({ oneTool }, note) {
  const counted = pick(oneTool, 'tokens');
  const tools = Object.entries(oneTool).map(([name, values]) => `${name} ${values.tools}`);
  return {
    name: 'agent-tokens',
    title: "The agent: the first request's size",
    unit: 'tokens',
    note: `${note} Messages and tools with the default settings. Tools offered: ${tools.join(', ')}.`,
    rows: [
      row('first request', counted, 'oh-my-pi', atMost(counted.tenon, TARGETS.tokens, 'tokens')),
      row('first request, a token for four characters', pick(oneTool, 'tokensByLength'), 'oh-my-pi'),
    ],
  };
}
