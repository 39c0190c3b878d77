/** Keeps the results: as data beside this file, and as a page for readers. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { REPOSITORY } from '../workspace.mjs';
import { CASES } from './cases.mjs';
import { NAMES } from './install.mjs';

const DATA = fileURLToPath(new URL('results.json', import.meta.url));
const PAGE = join(REPOSITORY, 'docs/reference/workers-real.md');
const LONGEST_REASON = 300;

/** @typedef {{ cli: string, version: string, case: string, outcome: string, faults: string[], notes?: string[] }} Result */

/** Puts the results of this run in the place of earlier ones of the same CLI and case. @param {readonly Result[]} results */
export function keepResults(results) {
  const key = ({ cli, case: id }) => `${cli} ${id}`;
  const earlier = existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : [];
  const fresh = new Set(results.map(key));
  const all = [...earlier.filter((result) => !fresh.has(key(result))), ...results]
    .map((result) => ({ ...result, faults: result.faults.map(shortReason) }))
    .toSorted((a, b) => place(a) - place(b));
  writeFileSync(DATA, `${JSON.stringify(all, undefined, 2)}\n`);
  writeFileSync(PAGE, pageOf(all));
}

const place = ({ cli, case: id }) => NAMES.indexOf(cli) * 100 + Object.keys(CASES).indexOf(id);

/** Without what was seen, which differs from run to run and names folders of this machine. */
function shortReason(fault) {
  const [line = ''] = fault.split('\n');
  const sentence = line.startsWith('not so: ') ? line.replace(/ \([[{"][^]*$/, '') : line;
  return sentence.replaceAll(/\/(?:tmp|work|home|root)\/[\w/.+-]+/g, '…').slice(0, LONGEST_REASON);
}

/** @param {readonly Result[]} results */
function pageOf(results) {
  const clis = [...new Map(results.map(({ cli, version }) => [cli, version]))];
  const at = (cli, id) => results.find((result) => result.cli === cli && result.case === id)?.outcome ?? 'not tried';
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const line = ({ cli, case: id }, text) => `- ${cli}, ${CASES[id].title}: ${text.replaceAll(/[|<>]/g, ' ')}`;
  const reasons = results.flatMap((result) =>
    result.outcome === 'ok' ? [] : [line(result, result.faults.join('; '))],
  );
  const notes = results.flatMap((result) => (result.notes ?? []).map((note) => line(result, note)));
  return [
    '# The real coding CLIs as workers',
    '',
    'Written by `npm run workers:real -- --write`: the real CLIs from npm, driven through `tenon run`, `runs`, `account` and `hijack`,',
    'in a network namespace with nothing but a fake model server. `npm test` plays recorded output instead.',
    '',
    row(['case', ...clis.map(([cli, version]) => `${cli} ${version}`)]),
    row(['---', ...clis.map(() => '---')]),
    ...Object.entries(CASES).map(([id, { title }]) => row([title, ...clis.map(([cli]) => at(cli, id))])),
    '',
    ...(reasons.length === 0 ? [] : ['## What is not ok', '', ...reasons, '']),
    ...(notes.length === 0 ? [] : ['## Limits of the CLIs', '', ...notes, '']),
    'Checked in each case: the state of the run and that no marked process is left. Where a session ends well also the result, the session of the',
    'CLI, and the tokens beside what the model counted. In the sandbox also that files outside of the project, logins of other CLIs and other servers are',
    'out of reach.',
    '',
  ].join('\n');
}
