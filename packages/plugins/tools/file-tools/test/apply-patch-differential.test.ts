/** The edit mode apply_patch beside Codex itself: the same files, or a refusal that changes nothing. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordConformance } from '@tenon/test-kit/conformance';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { openWorkbench } from '@tenon/test-kit/workbench';
import fc from 'fast-check';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';
import { findCodex } from './codex-program.ts';
import { type Files, patchWorld } from './patch-worlds.ts';

const codex = findCodex();
const numRuns = caseCount(200);

/** The files below a folder with their contents. */
function filesBelow(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^\.git(?:\/|$)/.test(name),
  );
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe.skipIf('missing' in codex)(`apply_patch beside Codex (seed ${COMMON_SEED})`, () => {
  it(
    'makes the files that Codex makes, or says why not and changes nothing',
    { timeout: patientLimit(60_000 + numRuns * 2000) },
    async () => {
      if ('missing' in codex) throw new Error(codex.missing);
      const bench = await openWorkbench(['file-tools'], {
        settings: { 'file-tools': { edit: { mode: 'apply_patch' } } },
      });
      const theirs = temporaryFolder('codex');
      const count = { cases: 0, same: 0, refused: 0, different: 0 };
      await fc.assert(
        fc.asyncProperty(patchWorld, async ({ before, meant, patch }) => {
          for (const folder of [bench.root, theirs]) {
            for (const name of readdirSync(folder))
              if (name !== '.git') rmSync(join(folder, name), { recursive: true });
            mkdirSync(folder, { recursive: true });
            putFiles(folder, before);
          }
          const { status } = spawnSync(codex.path, ['--codex-run-as-apply-patch', patch], { cwd: theirs });
          const result = await bench.run('edit', { input: patch });
          const ours = filesBelow(bench.root);
          const hint = JSON.stringify({ before, patch, status });
          const codexMade = filesBelow(theirs);
          const isOfMark = Object.values(codexMade).some(hasLostMark) || Object.values(before).some(isMarkAlone);
          if (!result.isError && status === 0 && isOfMark) {
            // Codex puts a first line before the byte order mark, and takes the mark alone for a text. That is no answer to agree with.
            expect(ours, hint).toEqual(meant && ordered(meant));
            return;
          }
          count.cases += 1;
          count.different += 1;
          if (result.isError) {
            expect(ours, `a refusal changes nothing: ${hint}`).toEqual(ordered(before));
            count.refused += Number(status === 0);
            count.same += Number(status !== 0);
          } else {
            // Where Codex gives up, what the patch was meant to do is the answer.
            expect(ours, hint).toEqual(status === 0 ? codexMade : meant && ordered(meant));
            count.same += 1;
          }
          count.different -= 1;
        }),
        { numRuns, endOnFailure: true },
      );
      recordConformance({ suite: 'patches', oracle: codex.version, ...count });
      expect(count.same, 'most patches are clear').toBeGreaterThan(count.refused);
      await bench.dispose();
    },
  );
});

/** Whether a byte order mark stands where it is none: behind the start of the file. */
function hasLostMark(text: string): boolean {
  return text.lastIndexOf('\uFEFF') > 0;
}

/** Whether nothing but an empty line stands behind the byte order mark. */
function isMarkAlone(text: string): boolean {
  return /^\uFEFF\r?\n?$/.test(text);
}

/** The same files in the order of their names. */
function ordered(files: Files): Files {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}
