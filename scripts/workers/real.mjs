#!/usr/bin/env node
/**
 * `npm run workers:real`: drives the real coding CLIs through Tenon's own command line, in a network of their own with nothing
 * but a fake model server. Installs them first; takes minutes.
 *
 *   npm run workers:real                        all CLIs, all cases
 *   npm run workers:real -- claude codex        some CLIs
 *   npm run workers:real -- claude --case run   some cases (repeat --case)
 *   npm run workers:real -- --write             also keeps the results in docs/reference/workers-real.md
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { setUp } from '../setup.mjs';
import { CASES } from './cases.mjs';
import { installClis, NAMES } from './install.mjs';
import { OUTSIDE } from './model.mjs';
import { keepResults } from './page.mjs';
import { freezeProgram } from './world.mjs';

const EXIT_USAGE = 64;
const say = (line) => process.stdout.write(`${line}\n`);

const words = process.argv.slice(2);
const cases = words.flatMap((word, at) => (words[at - 1] === '--case' ? [word] : []));
const wanted = words.filter((word, at) => !word.startsWith('--') && words[at - 1] !== '--case');
const unknown = [...wanted.filter((name) => !NAMES.includes(name)), ...cases.filter((name) => !(name in CASES))];
if (unknown.length > 0) {
  say(`Unknown: ${unknown.join(', ')}. CLIs: ${NAMES.join(', ')}. Cases: ${Object.keys(CASES).join(', ')}.`);
  process.exit(EXIT_USAGE);
}

if (!words.includes('--as-built')) await setUp();
const program = freezeProgram();
const clis = installClis(wanted.length > 0 ? wanted : NAMES, say);
const folder = mkdtempSync(join(tmpdir(), 'tenon-real-results-'));
try {
  const order = { clis, cases: cases.length > 0 ? cases : Object.keys(CASES), results: join(folder, 'results.json') };
  writeFileSync(join(folder, 'order.json'), JSON.stringify(order));
  const inside = fileURLToPath(new URL('inside.mjs', import.meta.url));
  const play = [
    'sh',
    '-c',
    `ip link set lo up && ip address add ${OUTSIDE}/32 dev lo && exec "$@"`,
    'sh',
    process.execPath,
    inside,
    join(folder, 'order.json'),
  ];
  const { status } = spawnSync('unshare', ['-rn', ...play], {
    stdio: 'inherit',
    env: { ...process.env, TENON_REAL_PROGRAM: program },
  });
  if (status !== 0)
    throw new Error(`the cases ended with ${status}; unshare (util-linux) and ip (iproute2) are needed`);
  const results = JSON.parse(readFileSync(order.results, 'utf8'));
  if (words.includes('--write')) keepResults(results);
  const different = results.filter(({ outcome }) => outcome === 'differs');
  say(`workers:real: ${results.length - different.length} of ${results.length} as expected`);
  process.exitCode = different.length === 0 ? 0 : 1;
} finally {
  for (const path of [folder, program]) rmSync(path, { recursive: true, force: true });
}
