/** Every grammar on small, long, random and deeply nested texts: it answers or gives up, and never takes others with it. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, constants } from 'node:zlib';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';
import type { Syntax } from '../src/syntax/contract.ts';
import { createWasm } from '../src/syntax/wasm.ts';

const available = await implementations('syntax');
const require = createRequire(import.meta.url);

/** The same noise in every run. */
function noise(length: number, first: number, count: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCharCode(first + (state % count));
  }).join('');
}

const TEXTS = {
  small: 'a\n',
  long: 'foo(1, a.b(c));\nif (x) { y = z + "s"; }\n'.repeat(100),
  bytes: noise(2_000, 0, 256),
  ascii: noise(2_000, 32, 95),
  nested: `${'({['.repeat(500)}x${']})'.repeat(500)}`,
  open: '('.repeat(2_000),
  quotes: '"\'`'.repeat(500),
};

describe.each(available)('the grammars of the $kind implementation', ({ implementation: syntax }) => {
  const languages = syntax.languages().filter(({ engine }) => engine !== 'none');

  it.each(languages)(
    '$id reads any text or gives up',
    async ({ id }) => {
      for (const [name, content] of Object.entries(TEXTS)) {
        const outline = await syntax.outline({ content, language: id });
        expect([id, name, outline.ok || outline.reason]).toEqual([
          id,
          name,
          outline.ok || expect.stringContaining('gave up'),
        ]);
        if (name === 'small' || name === 'long') expect([id, name, outline.ok]).toEqual([id, name, true]);
      }
      // It serves as before, and it has not kept the memory of what it gave up on.
      const before = process.memoryUsage().rss;
      for (let round = 0; round < 5; round += 1) await syntax.outline({ content: TEXTS.long, language: id });
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    },
    120_000,
  );

  it('stops in the middle of a text when the caller no longer wants it', async () => {
    const controller = new AbortController();
    const content = 'a\n'.repeat(100_000);
    const outline = syntax.outline({ content, language: 'lua', signal: controller.signal });
    void setTimeout(5).then(() => controller.abort(new Error('enough')));
    await expect(outline).rejects.toThrow('enough');
  });
});

it('a grammar may be compressed', async () => {
  const folder = temporaryFolder('grammars');
  const file = readFileSync(require.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm'));
  writeFileSync(
    join(folder, 'tree-sitter-swift.wasm.br'),
    brotliCompressSync(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  );
  const syntax = await createWasm({ grammarFolders: [folder] });
  // It is the grammar of another language, so that only this file can have been read.
  expect(await syntax.outline({ content: 'f() { true; }\n', language: 'swift' })).toMatchObject({ ok: true });
});

describe('a grammar that breaks down', () => {
  const query = 'SELECT id, name FROM t WHERE id = 1 ORDER BY name;\n'.repeat(100);

  /** The build of this package calls a function that the runtime does not have. */
  function withBrokenSql(): Promise<Syntax> {
    const folder = temporaryFolder('grammars');
    copyFileSync(
      require.resolve('@unit-mesh/treesitter-artifacts/wasm/tree-sitter-sql.wasm'),
      join(folder, 'tree-sitter-sql.wasm'),
    );
    return createWasm({ grammarFolders: [folder] });
  }

  /** Leaves nothing behind that refers to the broken grammar. */
  async function breakDown(): Promise<void> {
    const syntax = await withBrokenSql();
    const outline = await syntax.outline({ content: query, path: 'a.sql' });
    expect(outline).toEqual({ ok: false, reason: expect.stringContaining('broke down') });
  }

  it('takes itself out once, and the search goes on', async () => {
    const syntax = await withBrokenSql();
    const sources = [
      { path: 'a.sql', content: query },
      { path: 'b.sql', content: query },
      { path: 'c.ts', content: 'foo(1);' },
    ];
    const { matches, issues } = await syntax.search({ sources, patterns: ['foo($A)'] });
    expect(matches.map(({ path, text }) => [path, text])).toEqual([['c.ts', 'foo(1)']]);
    expect(issues).toEqual([
      { kind: 'no-grammar', language: 'sql', message: expect.stringContaining('the sql grammar broke down') },
    ]);
    expect(await syntax.outline({ content: query, path: 'a.sql' })).toEqual({
      ok: false,
      reason: expect.stringContaining('until Tenon starts again'),
    });
  });

  it('does not end the process when the garbage collector runs', async () => {
    const uncaught: Error[] = [];
    const note = (error: Error): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    try {
      for (let round = 0; round < 3; round += 1) await breakDown();
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      for (let round = 0; round < 5; round += 1) {
        collect();
        await setTimeout(10);
      }
    } finally {
      process.off('uncaughtExceptionMonitor', note);
    }
    expect(uncaught).toEqual([]);
  });
});
