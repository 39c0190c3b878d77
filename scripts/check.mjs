#!/usr/bin/env node
/**
 * `npm run check`: what a change must pass before it is shown to others, in less than two minutes. `npm test` runs the
 * rest as well: the Rust crates, and the suites that drive sandboxes, terminals and whole checkouts.
 */
import { runCheckSteps } from './check-steps.mjs';
import { runVitest } from './run-vitest.mjs';
import { setUp } from './setup.mjs';
import { REPOSITORY } from './workspace.mjs';

/** Suites that take long because they use the real thing. */
const LONG_SUITES = [
  '**/hostile-*.test.ts',
  '**/terminal.test.ts',
  '**/*-twins.test.ts',
  '**/*-differential.test.ts',
  '**/concurrent-*.test.ts',
  '**/launcher.test.ts',
  '**/*-e2e.test.ts',
  '**/{end-to-end,rename-traps,rename-questions,rpc-client}.test.ts',
  '**/edit-corpus.test.ts',
  '**/{read-formats,write,big-inputs}.test.ts',
  '**/{background,bash,start-files,sandbox,escape,network}.test.ts',
  '**/{crossing,wrapping,safety,faults,crash,soak}.test.ts',
  '**/{real-bash,grammar-properties,held-places,hostile,detection}.test.ts',
  'packages/plugins/safety/approval/test/proof/**',
  'packages/plugins/{safety/sandbox,safety/undo,ecosystem/packs,tools/shell-tools}/test/**',
  'packages/cli/test/{confined-runs,dumb-terminal,screen-manners,secret-question,*-program}.test.ts',
  'packages/plugins/workers/*/test/{accounts,adapter-services,apply,keeper*,kill,life-services,plan,run-steps}.test.ts',
  'packages/plugins/agent/agent/test/never-stuck.test.ts',
  'packages/plugins/models/providers/test/*-agree.test.ts',
  'packages/screen/test/{real-terminals,pyte,hardship,*-model}.test.ts',
  'packages/components/test/editor-vi-oracle.test.ts',
  'packages/plugins/modes/interactive-mode/test/{dialogs-*,pickers*}.test.ts',
  'packages/state-files/test/lock.test.ts',
  'scripts/test/{reference-pages,site}.test.ts',
  'packages/plugins/workers/subagents/test/program.test.ts',
  'native/test/{shell,syntax-ast-grep}.test.ts',
  'packages/cli/test/{agent,shell}.test.ts',
  'packages/plugins/foundation/settings-files/test/files.test.ts',
  'packages/plugins/*/{documents,eval-tools,marketplace,mcp,mcp-server,opencode-compat,pi-compat,worktrees}/test/**',
];

const say = (line) => process.stdout.write(`${line}\n`);
const started = Date.now();
await setUp();
const steps = await runCheckSteps(REPOSITORY, say);
const exclusions = LONG_SUITES.map((pattern) => `--exclude=${pattern}`);
const tests = await runVitest(REPOSITORY, [...exclusions, ...process.argv.slice(2)], { shared: true });
const bad = steps.filter(({ state }) => state === 'failed').map(({ name }) => name);
if (tests.failed > 0 || tests.code !== 0) bad.push(`${tests.failed} tests`);
const seconds = ((Date.now() - started) / 1000).toFixed(0);
say(`check: ${bad.length === 0 ? `all good, ${tests.passed} tests` : `failed: ${bad.join(', ')}`} in ${seconds} s`);
process.exitCode = bad.length === 0 ? 0 : 1;
