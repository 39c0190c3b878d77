import fc from 'fast-check';
import { caseCount, COMMON_SEED } from '@tenon/test-kit/properties';
import { patientLimit } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';

import { findAddon, implementations } from '../src/index.ts';
import { applyEdits } from '../src/syntax/apply-edits.ts';
import { Grammars } from '../src/syntax/grammars.ts';
import { LANGUAGES } from '../src/syntax/language-table.ts';
import { cases } from './syntax-programs.ts';

const available = await implementations('syntax');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const wasm = available.find((entry) => entry.kind === 'wasm')?.implementation;
const numRuns = caseCount(600);
const parameters = { numRuns, endOnFailure: false };

describe.skipIf(native === undefined || wasm === undefined)(`native and WASM syntax, seed ${COMMON_SEED}`, () => {
  if (native === undefined || wasm === undefined) return;

  it(
    'find, plan, outline and list the same in generated programs',
    async () => {
      let broken = 0;
      let matched = 0;
      await fc.assert(
        fc.asyncProperty(cases, async ({ dialect, content, rules, templates }) => {
          const sources = [{ path: dialect.path, content }];
          const search = { sources, rules, maxText: 40 };
          const [ours, twins] = await Promise.all([native.search(search), wasm.search(search)]);
          const operations = rules.map((rule, at) => ({ rule, template: templates[at] ?? '' }));
          const rewrite = { sources, operations, allowErrors: true };
          const text = { content, path: dialect.path, minBodyLines: 1, minLiteralLines: 1, minCommentLines: 3 };

          const parsed = await Promise.all([native.outline(text), wasm.outline(text)]);
          const faulty = parsed.map((outline) => outline.ok && outline.value.firstErrorLine !== undefined);
          expect(faulty[0]).toBe(faulty[1]);
          if (faulty[0] === true) {
            // How a parser goes on after an error depends on its text encoding; that there is one does not.
            broken += 1;
            expect(ours.issues.map((issue) => issue.kind)).toEqual(twins.issues.map((issue) => issue.kind));
            return;
          }
          matched += ours.matches.length > 0 ? 1 : 0;
          expect(ours).toEqual(twins);
          expect(parsed[0]).toEqual(parsed[1]);
          expect(await native.symbols(text)).toEqual(await wasm.symbols(text));
          const plan = await native.rewrite(rewrite);
          expect(plan).toEqual(await wasm.rewrite(rewrite));
          for (const file of plan.files) expect(applyEdits(content, file.edits).ok).toBe(true);
        }),
        parameters,
      );
      // A generator that never matches, or only breaks, would prove nothing.
      expect(matched).toBeGreaterThan(numRuns / 20);
      expect(broken).toBeLessThan(numRuns / 2);
    },
    patientLimit(600_000),
  );

  it(
    'read generated shell commands the same',
    async () => {
      const word = fc.constantFrom(
        'a',
        '-rf',
        '"$b c"',
        "'q'",
        '$(id)',
        '~/x',
        'f*',
        '{1,2}',
        '`ls`',
        '${x:-$(y)}',
        '"é"',
        '\\;',
        "$'\\t'",
      );
      const simple = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
      const { script } = fc.letrec<{ script: string }>((tie) => ({
        script: fc.oneof(
          { maxDepth: 3 },
          simple,
          fc
            .tuple(tie('script'), fc.constantFrom(' | ', ' && ', ' || ', '; ', ' & ', ' |& '), tie('script'))
            .map((parts) => parts.join('')),
          fc
            .tuple(tie('script'), fc.constantFrom(' > out', ' 2>&1', ' < in x', ' &> o', ' <<< w'))
            .map((parts) => parts.join('')),
          tie('script').map((inner) => `(${inner})`),
          tie('script').map((inner) => `if ${inner}; then b; else ${inner}; fi`),
          tie('script').map((inner) => `for i in 1 2; do ${inner}; done`),
          tie('script').map((inner) => `f() { ${inner}; }`),
          tie('script').map((inner) => `cat <<EOF\n$(${inner})\nEOF\n`),
          tie('script').map((inner) => `X=1 ${inner}`),
        ),
      }));
      await fc.assert(
        fc.asyncProperty(script, async (command) => {
          const [ours, twins] = await Promise.all([native.parseBash(command), wasm.parseBash(command)]);
          expect(ours.incomplete).toBe(twins.incomplete);
          if (!ours.incomplete) expect(ours).toEqual(twins);
        }),
        parameters,
      );
    },
    patientLimit(600_000),
  );
});

describe.skipIf(native === undefined)('grammars', () => {
  it('are the same build in the addon and in WASM wherever both have one', async () => {
    const grammars = new Grammars([], {});
    const { addon } = findAddon();
    expect(addon).toBeDefined();
    let compared = 0;
    for (const info of LANGUAGES.filter((entry) => entry.native && grammars.find(entry).ok)) {
      const { language } = await grammars.load(info);
      const kinds = Array.from({ length: language.nodeTypeCount }, (_, id) => language.nodeTypeForId(id));
      expect([info.id, JSON.parse(addon?.syntaxGrammar(info.id) ?? 'null')]).toEqual([
        info.id,
        [kinds, language.stateCount],
      ]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(15);
  });
});
