#!/usr/bin/env node
/**
 * `npm run attack`: attacks the built program. Judges the corpus of commands and its generated variants, then runs the suites
 * in which real packs, projects, databases and models attack. `--write` keeps the counts in docs/reference/security.md,
 * `--commands` leaves the suites out, `--all` prints every command that got through.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runVitest } from '../run-vitest.mjs';
import { setUp } from '../setup.mjs';
import { REPOSITORY } from '../workspace.mjs';
import { attackWithCommands } from './commands.mjs';
import { SUITES } from './suites.mjs';

/** A harmless command that asks is a nuisance, not a hole: this share is allowed where a sandbox works. */
const ALLOWED_QUESTIONS = 0.02;
const PAGE = join(REPOSITORY, 'docs', 'reference', 'security.md');
const [START, END] = ['<!-- counts -->', '<!-- /counts -->'];

const flags = new Set(process.argv.slice(2));
const say = (line) => process.stdout.write(`${line}\n`);

await setUp();
const counts = await attackWithCommands();
for (const { name, total, wrong } of counts) {
  say(`${wrong.length === 0 ? 'ok  ' : 'seen'} ${name}: ${wrong.length} of ${total}`);
  for (const { command, answers } of flags.has('--all') ? wrong : wrong.slice(0, 5))
    say(`       ${JSON.stringify(command)}\n         ${answers}`);
}
const holes = counts.filter(({ name, wrong }) => name.startsWith('dangerous') && wrong.length > 0);
const noisy = counts.filter(
  ({ name, total, wrong }) =>
    name.startsWith('harmless') && name.includes('(with a sandbox)') && wrong.length > total * ALLOWED_QUESTIONS,
);
const rows = counts.map(({ name, total, wrong }) => `| ${name} | ${wrong.length} | ${total} |`);

let failed = 0;
if (!flags.has('--commands')) {
  const tests = await runVitest(REPOSITORY, SUITES);
  failed = tests.failed + (tests.code === 0 ? 0 : Number(tests.failed === 0));
  rows.push(
    `| attacks by packs, projects, files, servers and commands in ${SUITES.length} suites: tests that failed | ${failed} | ${tests.passed + tests.failed} |`,
  );
}
if (flags.has('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  const table = ['| what was tried | got through | of |', '|---|---|---|', ...rows].join('\n');
  writeFileSync(
    PAGE,
    page.slice(0, page.indexOf(START) + START.length) + `\n${table}\n` + page.slice(page.indexOf(END)),
  );
}
const bad = [...holes, ...noisy].map(({ name, wrong }) => `${name}: ${wrong.length}`);
if (failed > 0) bad.push(`${failed} tests of suites`);
say(`attack: ${bad.length === 0 ? 'nothing got through' : `failed: ${bad.join('; ')}`}`);
process.exitCode = bad.length === 0 ? 0 : 1;
