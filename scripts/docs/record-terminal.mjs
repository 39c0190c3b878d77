#!/usr/bin/env node
/**
 * Records docs/terminal.svg: what a terminal really shows while these commands run in it. Everything below a prompt was written by
 * the program, in a PTY (`script` of util-linux); waits are cut to a second. Run it by hand when the commands say something else:
 * `node scripts/docs/record-terminal.mjs`. A test runs it with `--check`, which writes nothing and fails when they do.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { REPOSITORY } from '../workspace.mjs';

const PREPARE = 'git init -q . && git add . && git -c user.name=Demo -c user.email=demo@example.org commit -qm "Start"';
const COMMANDS = [
  `tenon -p 'replace "Hello" with "Good day" in greet.js'`,
  'git diff -U0',
  'tenon undo --yes',
  `tenon approval explain 'curl -s example.org/x.sh | sh'`,
];
const COLUMNS = 100;
const LONGEST_WAIT_MS = 1000;
/** A person reads the command before it runs, and the answer before the next. */
const PAUSE_MS = 900;

/** The colours that programs give to whole lines, by the number in the terminal's code. */
const COLOURS = { 1: 'bold', 31: 'red', 32: 'green', 36: 'cyan' };

/** @typedef {{ text: string, at: number, kind: string }} Line */

/** Runs a command in a terminal and notes when each line was complete. @returns {Promise<Line[]>} */
async function run(command, cwd, env) {
  const child = spawn('script', ['-qefc', `stty cols ${COLUMNS} rows 40; ${command}`, '/dev/null'], { cwd, env });
  const started = Date.now();
  const chunks = [];
  child.stdout.on('data', (data) => chunks.push({ data: String(data), at: Date.now() - started }));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${chunks.map(({ data }) => data).join('')}`);
  const lines = [];
  let rest = '';
  for (const { data, at } of chunks) {
    const parts = (rest + data).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(lineOf(part, at));
  }
  return rest === '' ? lines : [...lines, lineOf(rest, Date.now() - started)];
}

/** @returns {Line} */
function lineOf(raw, at) {
  // oxlint-disable-next-line no-control-regex -- a terminal's colours begin with this character
  const colour = /\u001b\[(\d+)m/.exec(raw)?.[1] ?? '';
  return { text: stripVTControlCharacters(raw).replace(/\r$/, ''), at, kind: COLOURS[colour] ?? 'plain' };
}

/** @returns {Promise<Line[]>} */
async function record() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-recording-'));
  try {
    const [project, bin] = [join(folder, 'project'), join(folder, 'bin')];
    for (const path of [project, bin]) mkdirSync(path);
    symlinkSync(join(REPOSITORY, 'tenon'), join(bin, 'tenon'));
    writeFileSync(join(project, 'greet.js'), 'export function greet(name) {\n  return "Hello " + name;\n}\n');
    // Nobody's keys and settings take part, and no model server of this machine.
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: folder,
      TENON_HOME: join(folder, 'tenon'),
      TENON_SET: 'providers.probeLocal=false',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      GIT_PAGER: 'cat',
      ...(process.env['TENON_SKIP_SETUP'] && { TENON_SKIP_SETUP: process.env['TENON_SKIP_SETUP'] }),
    };
    await run(`${PREPARE} && tenon --version`, project, env);
    const lines = [];
    let now = 300;
    for (const command of COMMANDS) {
      lines.push({ text: `$ ${command}`, at: now, kind: 'command' });
      now += PAUSE_MS;
      let before = 0;
      for (const { text, at, kind } of await run(command, project, env)) {
        now += Math.min(LONGEST_WAIT_MS, at - before);
        before = at;
        lines.push(...folded(text).map((part) => ({ text: part, at: now, kind })));
      }
      now += PAUSE_MS;
      lines.push({ text: '', at: now, kind: 'plain' });
    }
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A terminal goes on in the next line where a text is too long. */
function folded(text) {
  return text === '' ? [''] : (text.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? []);
}

/** @param {Line[]} lines */
function picture(lines) {
  const [lineHeight, letter] = [20, 7.9];
  const [width, height] = [Math.ceil(COLUMNS * letter) + 40, lines.length * lineHeight + 56];
  const rows = lines.flatMap(({ text, at, kind }, index) => {
    if (text === '') return [];
    return `<text class="${kind}" x="20" y="${52 + index * lineHeight}" style="animation-delay:${Math.round(at)}ms" xml:space="preserve">${escape(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal in which Tenon edits a file, takes the edit back, and explains a command">
<!-- Made by \`node scripts/docs/record-terminal.mjs\` from a real run. Do not edit. -->
<style>
text { font: 13px/1 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d7dde4; animation: show 1ms linear both; }
.command, .bold { fill: #ffffff; font-weight: 700; } .green { fill: #81c995; } .red { fill: #f28b82; } .cyan { fill: #8ad4f0; }
@keyframes show { from { opacity: 0; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { text { animation: none; } }
</style>
<rect width="100%" height="100%" rx="8" fill="#161b22" stroke="#3d444d"/>
<circle cx="20" cy="18" r="5" fill="#f28b82"/><circle cx="38" cy="18" r="5" fill="#fdd663"/><circle cx="56" cy="18" r="5" fill="#81c995"/>
${rows.join('\n')}
</svg>
`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A picture without the times, which no two runs share. */
function textsOf(svg) {
  return [...svg.matchAll(/<text class="(\w+)"[^>]*>(.*)<\/text>/g)].map(([, kind, text]) => `${kind}: ${text}`);
}

const file = join(REPOSITORY, 'docs/terminal.svg');
const made = picture(await record());
if (!process.argv.includes('--check')) writeFileSync(file, made);
else {
  const [shown, now] = [textsOf(readFileSync(file, 'utf8')), textsOf(made)];
  const at = now.findIndex((line, index) => line !== shown[index]);
  if (at !== -1 || shown.length !== now.length) {
    const row = Math.max(0, at);
    process.stderr.write(`docs/terminal.svg shows\n  ${shown[row]}\nthe program writes\n  ${now[row]}\n`);
    process.stderr.write('Record it again: node scripts/docs/record-terminal.mjs\n');
    process.exitCode = 1;
  }
}
