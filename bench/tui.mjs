/** The screen beside pi-tui: what an answer costs that comes token by token, below a short and a long transcript. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, 'bench/harness/tui-program.mjs');
const PEER = '@mariozechner/pi-tui';
const PEER_VERSION = '0.73.1';
const SIZE = { cols: 120, rows: 40 };
const FEW = 1_000;
const MANY = 10_000;

/** @param {{ quick: boolean, workDir: string, log: (text: string) => void }} ctx */
export async function run({ quick, workDir, log }) {
  const folder = join(workDir, 'tui');
  const modules = { ours: await buildOurs(folder), pi: installPeer(folder, log) };
  const tokens = quick ? 300 : 2_000;
  const runs = [];
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    for (const rows of [FEW, MANY]) {
      for (const [kind, module] of Object.entries(modules)) {
        const seen = await measure(kind, module, { rows, tokens, folder });
        log(`${kind}, ${rows} rows: ${JSON.stringify(seen)}, load ${loadavg()[0]?.toFixed(1)}`);
        runs.push({ kind, rows, ...seen });
      }
    }
  }
  const median = (kind, rows, what) =>
    middle(runs.filter((one) => one.kind === kind && one.rows === rows).map((one) => one[what]));
  const peer = `pi-tui ${PEER_VERSION}`;
  const row = (name, rows, what) => {
    const [ours, theirs] = [median('ours', rows, what), median('pi', rows, what)];
    return { case: name, ours, peers: { [peer]: theirs }, ratio: ours / theirs };
  };
  const growth = (kind) => median(kind, MANY, 'cpu') / median(kind, FEW, 'cpu');
  const frames = `${median('ours', FEW, 'frames').toFixed(0)} frames a second, pi-tui ${median('pi', FEW, 'frames').toFixed(0)}`;
  const note = `An answer of ${tokens} tokens, 100 a second, plain text, ${SIZE.cols} columns; ${frames}. Our screen has no editor yet.`;
  return [
    {
      name: 'tui-bytes',
      title: 'Bytes written for a token',
      unit: 'bytes',
      note,
      rows: [row('1,000 rows above', FEW, 'bytes'), row('10,000 rows above', MANY, 'bytes')],
    },
    {
      name: 'tui-cpu',
      title: 'CPU while an answer comes',
      unit: '%',
      note,
      rows: [
        row('1,000 rows above', FEW, 'cpu'),
        row('10,000 rows above', MANY, 'cpu'),
        {
          case: '10,000 rows beside 1,000, ours',
          ours: median('ours', MANY, 'cpu'),
          peers: { '1,000 rows': median('ours', FEW, 'cpu') },
          ratio: growth('ours'),
          target: 1.1,
        },
      ],
    },
  ];
}

const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** One file, as the program would have it. @param {string} folder */
async function buildOurs(folder) {
  const outfile = join(folder, 'ours.mjs');
  await build({
    stdin: {
      contents: "export * from '@tenon/screen'; export { loadAccelerator } from '@tenon/native';",
      resolveDir: join(ROOT, 'packages/screen/test'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['tenon-source'],
    packages: 'bundle',
    external: [
      '@lydell/*',
      '@cursorless/*',
      '@repomix/*',
      '@vscode/*',
      '@unit-mesh/*',
      'tinypool',
      'fast-glob',
      'web-tree-sitter',
    ],
    banner: { js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

/** @param {string} folder @param {(text: string) => void} log */
function installPeer(folder, log) {
  const module = join(folder, 'node_modules', PEER, 'dist/index.js');
  if (existsSync(module)) return module;
  log(`installing ${PEER} ${PEER_VERSION}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${PEER}@${PEER_VERSION}`,
  ];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm install of ${PEER} ended with ${status}`);
  return module;
}

/** One run in a terminal that answers as a real one does. */
async function measure(kind, module, { rows, tokens, folder }) {
  const output = join(folder, 'result.json');
  const terminal = new headless.Terminal({ ...SIZE, scrollback: 1000, allowProposedApi: true });
  const words = [PROGRAM, kind, module, String(rows), String(tokens), output];
  const program = pty.spawn(process.execPath, words, { ...SIZE, name: 'xterm-256color', cwd: folder });
  let isAnswer = false;
  let written = '';
  terminal.onData((data) => program.write(data));
  program.onData((data) => {
    terminal.write(data);
    if (isAnswer) written += data;
    const start = isAnswer ? -1 : data.indexOf('\x1b]2;answer\x07');
    if (start >= 0) [isAnswer, written] = [true, data.slice(start)];
  });
  const { exitCode } = await new Promise((resolve) => program.onExit(resolve));
  if (exitCode !== 0)
    throw new Error(`${kind} ended with ${exitCode}: ${terminal.buffer.active.getLine(0)?.translateToString(true)}`);
  const { cpuMs, wallMs } = JSON.parse(readFileSync(output, 'utf8'));
  const frames = written.split('\x1b[?2026h').length - 1;
  return { bytes: Buffer.byteLength(written) / tokens, cpu: (100 * cpuMs) / wallMs, frames: (1000 * frames) / wallMs };
}
