/**
 * The edit modes on the edit corpus: real edits, said in every mode, on files that have drifted since they were read.
 * Fails when one file comes out wrong. Writes the tables and the plot of docs/reference/edit-modes.md.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadSource } from '../scripts/load-source.mjs';
import { driftPlot, fillPage, summaryOf } from './harness/edit-corpus-report.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PER_LANGUAGE = 60;

/** @param {{ quick: boolean, log: (text: string) => void }} ctx */
export async function run({ quick, log }) {
  const code = "export { makeCorpus, runCorpus } from './packages/plugins/tools/file-tools/test/edit-corpus/run.ts';";
  const { makeCorpus, runCorpus } = await loadSource(ROOT, code);
  const edits = await makeCorpus(ROOT, quick ? 6 : PER_LANGUAGE);
  log(`${edits.length} edits`);
  const report = await runCorpus(edits);
  if (report.failures.length > 0) {
    const [{ edit, drift, mode }] = report.failures;
    throw new Error(`${report.failures.length} wrong files; the first: ${edit.id} (${edit.kind}), ${drift}, ${mode}`);
  }
  const summary = summaryOf(report);
  if (!quick) {
    writeFileSync(join(ROOT, 'bench/results/edit-drift.svg'), driftPlot(summary));
    fillPage(join(ROOT, 'docs/reference/edit-modes.md'), summary);
  }
  return {
    name: 'edit-corpus',
    title: 'Edit modes: size of the arguments (hashline beside the other modes)',
    unit: 'bytes',
    note: `Bytes of JSON per edit, ${report.edits} edits. Success under drift: [edit modes](edit-modes.md).`,
    rows: Object.entries(report.languages).map(([language, { edits: count, payload }]) => {
      const each = Object.fromEntries(Object.entries(payload).map(([mode, bytes]) => [mode, bytes / count]));
      const { hashline, ...peers } = each;
      return { case: language, ours: hashline, peers, ratio: hashline / peers.replace };
    }),
  };
}
