/** From all runs of the programs to tables with targets. */
import { median } from './measure.mjs';
import { NAMES } from './tui-programs.mjs';

const FEW = 1_000;
const MANY = 10_000;
const LEAST_FRAMES = 30;
const MOST_IDLE_PERCENT = 0.1;

/**
 * @typedef {{ name: string, load: number, drawnCpuMs: number, cpuMs: number, restCpuMs: number }} StartRun
 * @typedef {{ name: string, rows: number, load: number, startMb: number, endMb: number, idleBytes: number, idleCpu: number, bytes: number,
 *   cpu: number, frames: number, echo: number, slowestEcho: number, resizeBytes: number, wipes: number }} StreamRun
 * @typedef {{ starts: StartRun[], streams: StreamRun[], absent: Record<string, string> }} Measured
 */

const middle = (values) => (values.length === 0 ? undefined : median(values));

/** @param {Measured} measured @param {{ tokens: number, isIsolated: boolean }} conditions */
export function tables(measured, { tokens, isIsolated }) {
  const started = (what) => (name) =>
    middle(measured.starts.filter((one) => one.name === name).map((one) => one[what]));
  const streamed =
    (what, rows = FEW) =>
    (name) =>
      middle(measured.streams.filter((one) => one.name === name && one.rows === rows).map((one) => one[what]));
  const note = conditions(measured, { tokens, isIsolated, frames: streamed('frames') });
  const result = (name, title, unit, rows) => ({ name, title: `The screen: ${title}`, unit, note, rows });
  return [
    result('tui', 'CPU of the first paint', 'ms', [
      ...beside('until a typed letter is shown', started('cpuMs'), { pi: 0.15, claude: 0.3, codex: undefined }),
      ...beside('until the prompt is drawn', started('drawnCpuMs'), { pi: undefined, claude: undefined }),
      ...beside('until nothing more is done', started('restCpuMs'), { pi: undefined, claude: undefined }),
    ]),
    result('tui-bytes', 'bytes written', 'bytes', [
      ...beside('for a token', streamed('bytes'), { pi: 0.15, codex: 0.5, piFullscreen: undefined }),
      ...beside('for a narrower window', streamed('resizeBytes'), {
        pi: 0.05,
        codex: undefined,
        piFullscreen: undefined,
      }),
    ]),
    result('tui-cpu', 'CPU', '%', [
      ...beside('while an answer comes', streamed('cpu'), { pi: 0.25, codex: 0.5, piFullscreen: undefined }),
      ...growth(streamed('cpu', FEW)('tenon'), streamed('cpu', MANY)('tenon')),
      idle(streamed('idleCpu')('tenon'), streamed('idleBytes')('tenon')),
      ...beside('at rest below 1,000 rows', streamed('idleCpu'), { pi: undefined, codex: undefined }),
    ]),
    result('tui-echo', 'from a key to its letter while an answer comes', 'ms', [
      ...beside('median', streamed('echo'), { piFullscreen: 1, pi: undefined, codex: undefined }),
      ...beside('slowest', streamed('slowestEcho'), { piFullscreen: 1, pi: undefined, codex: undefined }),
    ]),
    result('tui-memory', 'memory (PSS)', 'MB', [
      ...beside('at rest after the start', streamed('startMb'), { pi: 0.8, codex: undefined }),
      ...beside('after the answer', streamed('endMb'), { pi: undefined, codex: undefined }),
    ]),
  ];
}

/** A row for each peer that was measured. A peer that spends nothing cannot be divided by. */
function beside(label, value, targets) {
  return Object.entries(targets).flatMap(([name, target]) => {
    const [ours, theirs] = [value('tenon'), value(name)];
    if (!theirs) return [];
    const peer = NAMES[name];
    return [{ case: `${label}, beside ${peer}`, ours, peers: { [peer]: theirs }, ratio: ours / theirs, target }];
  });
}

function growth(few, many) {
  const row = { ours: many, peers: { 'Tenon, 1,000 rows': few }, ratio: many / few, target: 1.1 };
  return [{ case: 'while an answer comes below 10,000 rows', ...row }];
}

function idle(percent, bytes) {
  const target = bytes === 0 && percent <= MOST_IDLE_PERCENT ? 'met' : 'missed';
  return {
    case: 'at rest below 1,000 rows',
    note: `${bytes.toFixed(1)} bytes a second`,
    ours: percent,
    peers: { limit: MOST_IDLE_PERCENT },
    ratio: percent / MOST_IDLE_PERCENT,
    target: `0 bytes a second, ≤ ${MOST_IDLE_PERCENT} %, ${target}`,
  };
}

function conditions({ starts, streams, absent }, { tokens, isIsolated, frames }) {
  const loads = [...starts, ...streams].map(({ load }) => load);
  const rates = ['tenon', 'pi', 'piFullscreen', 'codex'].flatMap((name) =>
    frames(name) === undefined ? [] : `${NAMES[name]} ${frames(name).toFixed(0)}`,
  );
  const wiped = streams.filter(({ wipes }) => wipes > 0).map(({ name }) => NAMES[name]);
  return [
    `Whole programs, 120 x 40, ${tokens.toLocaleString('en')} tokens of Markdown at 100 a second below 1,000 rows, a fake model.`,
    `Frames a second meanwhile (writes that change the text on the screen, 2 ms apart): ${rates.join(', ')}.`,
    frames('tenon') < LEAST_FRAMES ? `Fewer than ${LEAST_FRAMES} flatter Tenon.` : '',
    wiped.length > 0 ? `The scrollback was wiped by ${[...new Set(wiped)].join(', ')}.` : '',
    `Load ${Math.min(...loads)} to ${Math.max(...loads)}.`,
    isIsolated ? 'No network but loopback.' : 'With the network there: no namespace could be made.',
    ...Object.entries(absent).map(([name, why]) => `${NAMES[name] ?? name} could not be measured: ${why}.`),
  ]
    .filter(Boolean)
    .join(' ');
}
