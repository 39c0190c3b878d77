/** The built program asks TypeScript's language server: a scripted model, and the rules that answer without one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { converse, type ScriptedCall } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
  workshop.home.put(
    'work/tsconfig.json',
    '{ "compilerOptions": { "strict": true, "noEmit": true, "allowImportingTsExtensions": true, "module": "nodenext" } }',
  );
  workshop.home.put(
    'work/src/wrong.ts',
    "import { total } from './cart.ts';\n\nexport const text: string = total([]);\n",
  );
  // Where no sandbox works, servers start only in a folder that the user trusts.
  await workshop.tenon(['trust', 'add', '.']);
});
afterAll(() => workshop.close());

describe('lsp in the built program', () => {
  it('finds references, says what is wrong, renames in all files, and explains what it cannot do', async () => {
    const calls: readonly ScriptedCall[] = [
      { tool: 'lsp', input: { action: 'symbols', query: 'priceOf' }, says: /function priceOf @ src\/prices\.ts:4/ },
      {
        tool: 'lsp',
        input: { action: 'references', file: 'src/cart.ts', line: 4, symbol: 'total' },
        says: /Found 3 references in 2 files/,
      },
      {
        tool: 'lsp',
        input: { action: 'diagnostics', file: 'src/wrong.ts' },
        says: /3:14 \[error\] Type 'number' is not assignable/,
      },
      {
        tool: 'lsp',
        input: { action: 'rename', file: 'src/cart.ts', line: 4, symbol: 'total', new_name: 'sumOf', apply: true },
        says: /sumOf/,
      },
      { tool: 'read', input: { path: 'src/wrong.ts' }, says: /sumOf\(\[\]\)/ },
      {
        tool: 'lsp',
        input: { action: 'hover', file: 'src/cart.ts', line: 1, symbol: 'nowhere' },
        says: /does not contain "nowhere"/,
        fails: true,
      },
    ];
    const steps = calls.map((call) => ({ say: 'Next.', calls: [call] }));
    const done = await converse(workshop, steps, { prompt: 'go', last: 'Done.', flags: ['--tools', 'read,lsp'] });
    for (const [index, { says, fails = false }] of calls.entries())
      expect(done.results[index], done.err).toMatchObject({ isError: fails, text: expect.stringMatching(says) });
  });

  it('changes nothing while the user wants a plan, and what it changed can be undone', async () => {
    const rename = {
      tool: 'lsp',
      input: { action: 'rename', file: 'src/prices.ts', line: 4, symbol: 'priceOf', new_name: 'costOf', apply: true },
    };
    const prices = () => readFileSync(join(workshop.home.work, 'src/prices.ts'), 'utf8');
    const run = (says: RegExp, fails: boolean, ...flags: string[]) =>
      converse(workshop, [{ say: 'Next.', calls: [{ ...rename, says, fails }] }], {
        prompt: 'go',
        last: 'Done.',
        flags: ['--tools', 'read,lsp', ...flags],
      });
    const planned = await run(/wants a plan first/, true, '--plan');
    expect(planned.results[0]).toMatchObject({
      isError: true,
      text: expect.stringMatching(/the user wants a plan first/),
    });
    expect(prices()).toContain('function priceOf');
    const done = await run(/Applied/, false);
    expect(done.results[0]).toMatchObject({ isError: false });
    expect(prices()).toContain('function costOf');
    expect((await workshop.tenon(['undo', '--yes'])).code).toBe(0);
    expect(prices()).toContain('function priceOf');
  });

  it('answers without a model as well', async () => {
    const offline = (prompt: string) => workshop.tenon(['--model', 'offline/rules', '--no-session', '-p', prompt]);
    expect((await offline('find references of priceOf')).out).toMatch(/The language server finds \d+ references/);
    expect((await offline('what does the type checker say about src/wrong.ts')).out).toContain(
      "Type 'number' is not assignable",
    );
  });
});
