/** The page that shows all results, and the check that a result is whole. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withComparison } from './comparison.mjs';

/**
 * @typedef {{ case: string, ours: number, peers: Record<string, number>, ratio: number, target?: number | string, note?: string }} Row
 * @typedef {{ name: string, title?: string, unit: string, rows: Row[], note?: string }} Result
 */

const COMPARISON = 'docs/comparison.md';
/** Where README shows numbers. */
const NUMBERS = /(<!-- numbers: made by `npm run bench` -->)([\s\S]*?)(<!-- end of numbers -->)/;

/**
 * One form for all: a name that can be a file's, and ratios that are ours divided by the peer's.
 * @param {Result} result @param {string} module name of the bench, for a result whose name is a title @returns {Result}
 */
export function normalizeResult(result, module) {
  const isTitle = !/^[a-z0-9-]+$/.test(result.name ?? '');
  const named = isTitle ? { ...result, name: module, title: result.title ?? result.name } : result;
  return { ...named, module, rows: named.rows.map(oneDirection) };
}

/** Some benches say how many times faster we are. */
function oneDirection(row) {
  const close = (a, b) => Math.abs(a - b) <= 0.01 * Math.abs(b);
  const values = Object.values(row.peers);
  const isSpeedUp =
    values.some((peer) => close(row.ratio, peer / row.ours)) &&
    !values.some((peer) => close(row.ratio, row.ours / peer));
  return isSpeedUp ? { ...row, ratio: 1 / row.ratio } : row;
}

/** Throws when a result lacks something that the page needs. @param {Result} result */
export function checkResult(result) {
  if (!/^[a-z0-9-]+$/.test(result.name ?? ''))
    throw new Error(`a result needs a kebab-case name, not "${result.name}"`);
  for (const row of result.rows) {
    const numbers = [row.ours, row.ratio, ...Object.values(row.peers)];
    if (!numbers.every((value) => Number.isFinite(value)))
      throw new Error(`${result.name}: "${row.case}" has a value that is no number`);
  }
}

/** Writes what shows the data: the benchmarks page, the numbers in README, the tables beside other agents. @param {string} root */
export function writeReport(root) {
  for (const { path, text } of reportFiles(root)) writeFileSync(join(root, path), text);
}

/** The pages as they should be. @param {string} root @returns {{ path: string, text: string }[]} */
export function reportFiles(root) {
  const folder = join(root, 'bench/results');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const results = names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return [
    { path: 'docs/reference/benchmarks.md', text: reportPage(results) },
    { path: 'README.md', text: readme.replace(NUMBERS, `$1\n${numbersTable(results)}\n$3`) },
    { path: COMPARISON, text: withComparison(readFileSync(join(root, COMPARISON), 'utf8'), results) },
  ];
}

/** What README shows: the first case of the results that say most to somebody who chooses an agent. The page has them all. */
const README_ROWS = {
  agent: 'From start to the first request',
  'agent-memory': 'Memory of a run with a tool call',
  'agent-tokens': 'Size of the first request',
  grep: 'Search a large tree, nothing cached',
  'grep-memory': 'Memory of a search with 400,000 matches',
};

function numbersTable(results) {
  const rows = Object.entries(README_ROWS).flatMap(([name, label]) => {
    const result = results.find((candidate) => candidate.name === name);
    if (result === undefined) return [];
    const [first] = result.rows;
    const amount = (value) => `${round(value)} ${result.unit}`;
    const peers = Object.entries(first.peers).map(([peer, value]) => `${peer}: ${amount(value)}`);
    return `| ${[label, `**${amount(first.ours)}**`, peers.join(', ')].map(cell).join(' | ')} |`;
  });
  return ['| | Tenon | Others |', '|---|---|---|', ...rows].join('\n');
}

/** @param {(Result & { machine: Record<string, unknown>, date: string })[]} results */
export function reportPage(results) {
  const sections = results.map((result) => {
    const { name, title = name, unit, rows, machine, date, note, module = name } = result;
    const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
    const head = ['Case', `Tenon (${unit})`, ...peers, 'Ratio', 'Target'];
    const body = rows.map((row) => [
      row.note ? `${row.case} (${row.note})` : row.case,
      round(row.ours),
      ...peers.map((peer) => (row.peers[peer] === undefined ? '' : round(row.peers[peer]))),
      `**${round(row.ratio)}**`,
      targetText(row),
    ]);
    const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
    const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}, Node ${machine.node}, load ${machine.load}, ${date}`;
    return `## ${title}\n\n${note ? `${note}\n\n` : ''}${lines.join('\n')}\n\n![${title}](../../bench/results/${name}.svg)\n\n${where}. Run it: \`npm run bench -- ${module}\`.\n`;
  });
  return `<!-- Made by \`npm run bench\`. Do not edit. -->
# Benchmarks

Medians of one run in which Tenon and its peers took turns on the same machine. The ratio is Tenon's value divided by the
peer's that it is held against; smaller is better unless a case says otherwise. What counts is the ratio: the times
depend on the machine, which is named below each table.

${sections.join('\n')}`;
}

function targetText({ ratio, target }) {
  if (target === undefined) return '';
  if (typeof target === 'string') return target;
  return ratio <= target ? `≤ ${target}, met` : `≤ ${target}, missed`;
}

function cell(text) {
  return String(text).replaceAll('|', '\\|');
}

function round(value) {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}
