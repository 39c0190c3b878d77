import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAccelerator } from '@tenon/native';
import { describe, expect, it } from 'vitest';
import { fileViews } from '../src/api.ts';
import { builtinModes } from '../src/edit/modes.ts';
import { drift, DRIFTS } from './edit-corpus/drifts.ts';
import { inputFor, MODES } from './edit-corpus/editor.ts';
import { nearIdenticalCase } from './edit-corpus/near-identical.ts';
import { Random } from './edit-corpus/random.ts';
import { repeatCase } from './edit-corpus/repeats.ts';
import { applyEdit, makeCorpus, runCorpus } from './edit-corpus/run.ts';
import { LANGUAGES } from './edit-corpus/sources.ts';
import { COMMON_SEED, caseCount } from '@tenon/test-kit/properties';
import { openWorkbench } from '@tenon/test-kit/workbench';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
/** All 360 edits run in `npm run bench -- edit-corpus`. */
const PER_LANGUAGE = 12;

describe('the edit corpus', () => {
  it('comes out byte-exact or refused in every mode, whatever has happened to the file', async () => {
    const edits = await makeCorpus(ROOT, PER_LANGUAGE);
    expect(edits.length).toBeGreaterThanOrEqual(LANGUAGES.length * PER_LANGUAGE);
    const { tally, failures } = await runCorpus(edits);
    expect(failures.map(({ edit, drift: name, mode }) => `${edit.id} (${edit.kind}), ${name}, ${mode}`)).toEqual([]);
    const share = (name: string, mode: (typeof MODES)[number]) => {
      const { exact, refused } = tally[name]?.[mode] ?? { exact: 0, refused: 1 };
      return exact / (exact + refused);
    };
    for (const mode of MODES) {
      // A refusal is right only where something about the place has changed.
      expect([mode, share('none', mode)]).toEqual([mode, 1]);
      expect([mode, share('other line endings', mode)]).toEqual([mode, 1]);
      for (const name of ['lines inserted elsewhere', 'lines removed elsewhere', 'blanks at line ends', 'reindented']) {
        expect([mode, name, share(name, mode) > 0.9]).toEqual([mode, name, true]);
      }
      // A copy of the very lines makes two places of one: about a tenth of the draws is refused for that, and rightly.
      expect([mode, share('block copied far away', mode) > 0.8]).toEqual([mode, true]);
      for (const name of Object.keys(DRIFTS).filter((one) => one.startsWith('target ')))
        expect(share(name, mode)).toBe(0);
    }
  });

  it.each(MODES)('does the same through the tool on real files (%s)', async (mode) => {
    const edits = await makeCorpus(ROOT, 3);
    const hashline = await loadAccelerator('hashline');
    const settings = { 'file-tools': { edit: { mode } } };
    const bench = await openWorkbench(['file-tools'], { files: {}, settings });
    try {
      const views = await bench.kernel.find(fileViews);
      for (const [number, edit] of edits.entries()) {
        const name = `f${number}-${edit.source.path.split('/').at(-1)}`;
        for (const [index, what] of ['none', 'inserted and removed', 'block moved', 'target changed'].entries()) {
          const drifted = drift(what, edit, new Random(number * 17 + index + 3));
          if (!drifted) continue;
          writeFileSync(bench.path(name), drifted.content);
          const session = `${number}-${index}`;
          views.record(session, bench.path(name), Buffer.from(`${edit.before.join('\n')}\n`));
          const result = await bench.run('edit', inputFor(mode, edit, name, hashline), { session });
          const expected = result.isError ? drifted.content : drifted.expected;
          expect([edit.id, what, readFileSync(bench.path(name), 'utf8')]).toEqual([edit.id, what, expected]);
        }
      }
    } finally {
      await bench.dispose();
    }
  });

  it.each([
    { what: 'equal lines that were copied, moved and changed', draw: repeatCase },
    { what: 'blocks that are almost the same', draw: nearIdenticalCase },
  ])(`never lands in another place among $what (seed ${COMMON_SEED})`, async ({ draw }) => {
    const hashline = await loadAccelerator('hashline');
    const modes = builtinModes(async () => hashline);
    const random = new Random(COMMON_SEED ?? 1);
    const wrong: string[] = [];
    let [exact, cases] = [0, 0];
    for (const wanted = caseCount(1500); cases < wanted;) {
      const one = draw(random);
      if (!one) continue;
      cases++;
      for (const mode of MODES) {
        const actual = await applyEdit(modes[mode], inputFor(mode, one.edit, 'a.ts', hashline), one.edit, one.content);
        if (actual === undefined) continue;
        if (one.isRight(actual)) exact++;
        else wrong.push(`${mode}: ${one.edit.id} after ${one.steps.join(', ')}\n${one.content}=>\n${actual}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThan(cases / 2);
  });
});
