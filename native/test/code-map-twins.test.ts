import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { afterAll, describe, expect, it } from 'vitest';
import type { CodeMapAnswer } from '../src/code-map/contract.ts';
import { implementations } from '../src/index.ts';

const available = await implementations('code-map');
const native = available.find((entry) => entry.kind === 'native')?.implementation;
const wasm = available.find((entry) => entry.kind === 'wasm')?.implementation;
const home = mkdtempSync(join(tmpdir(), 'tenon-code-map-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let trees = 0;
async function tree(files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(home, String((trees += 1)));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const NAMES = ['makeEngine', 'Engine', 'readTable', 'table_row', '_hidden', 'parse', 'Übergang', 'estimateTokens'];
const name = fc.constantFrom(...NAMES);

/** A file of a few definitions that use a few names. */
const FORMS: Readonly<Record<string, (own: string, used: string) => string>> = {
  ts: (own, used) =>
    `export function ${own}(x: number) {\n  const inner = () => ${used}(x).table;\n  return inner;\n}\n`,
  js: (own, used) => `class ${own} {\n  ${used}() { return new ${used}(); } // ${own}\n}\n`,
  py: (own, used) => `def ${own}(value):\n    """${used}"""\n    return ${used}(value)\n`,
  rs: (own, used) => `pub struct ${own} { field: ${used} }\nfn helper_of() { ${used}::new(); }\n`,
  go: (own, used) => `package main\nfunc ${own}() int { return ${used}() }\n`,
  kt: (own, used) => `fun ${own}() = ${used}()\n`,
};
const file = fc
  .tuple(fc.constantFrom(...Object.keys(FORMS)), fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 4 }))
  .map(([form, pairs]) => ({ form, text: pairs.map(([own, used]) => FORMS[form]?.(own, used) ?? '').join('') }));

/** What must be the same: ranks up to what the order of sums does to them. */
const comparable = ({ text, tokens, files, totals, unknownFocus }: CodeMapAnswer) => ({
  text,
  tokens,
  unknownFocus,
  totals: { ...totals, memory: 0 },
  files: files.map(({ rank, symbols, ...rest }) => ({
    ...rest,
    rank: rank.toFixed(4),
    symbols: symbols.map((symbol) => ({ ...symbol, rank: symbol.rank.toFixed(4) })),
  })),
});

describe.each(available)('code-map, $kind', ({ implementation }) => {
  it('ranks by references, holds the budget and stops when asked', async () => {
    const root = await tree({
      'a.ts': 'export class CoreEngine {}\n',
      'b.ts': "import { CoreEngine } from './a';\nexport const made = new CoreEngine();\n",
    });
    const map = implementation.open({ root, watch: false });
    const answer = await map.map({ budget: 100 });
    expect(answer.text).toMatch(/^a\.ts\n {2}1: export class CoreEngine \{\}\n/);
    expect(answer.tokens).toBeLessThanOrEqual(100);
    expect((await map.map({ budget: 3 })).text).toBe('');
    const reason = new Error('enough');
    await expect(map.map({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await map.close();
  });

  it('says what is wrong with a folder that is not there', async () => {
    await expect(implementation.open({ root: join(home, 'none') }).map()).rejects.toThrow(/none/);
  });
});

describe.runIf(native && wasm)('both implementations', () => {
  it('give the same map', async () => {
    const files = fc.array(file, { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 0, max: 400 }), fc.boolean(), async (list, budget, focused) => {
        const root = await tree(Object.fromEntries(list.map(({ form, text }, at) => [`src/file${at}.${form}`, text])));
        const request = { budget, focus: focused ? ['src/file0.ts', 'nowhere'] : [] };
        const [one, two] = await Promise.all([
          native?.open({ root, watch: false }).map(request),
          wasm?.open({ root }).map(request),
        ]);
        if (!one || !two) throw new Error('an implementation is missing');
        expect(comparable(two)).toEqual(comparable(one));
      }),
      { numRuns: caseCount(40) },
    );
  });
});
