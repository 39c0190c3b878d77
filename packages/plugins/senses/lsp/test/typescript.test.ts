/** The tool and the results of edits with TypeScript's own language server. */
import { existsSync } from 'node:fs';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { recordedIo } from '@tenon/test-kit/command-run';
import { anchorOf, openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';
import { workspaceTrust } from '@tenon/trust/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PLUGINS = ['sandbox', 'trust', 'file-tools', 'search-tools', 'syntax-tools', 'command-line', 'doctor', 'lsp'];
let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench(PLUGINS, {
    ownFolder: '.local',
    settings: { lsp: { waitMs: 20_000 } },
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "allowImportingTsExtensions": true } }',
      'package.json': '{ "type": "module" }',
      'src/shape.ts':
        'export interface Shape {\n  area(): number;\n}\n\nexport class Circle implements Shape {\n  area(): number {\n    return 3;\n  }\n}\n',
      'src/use.ts':
        "import { Circle } from './shape.ts';\n\nexport const round = new Circle();\nexport const size: number = round.area();\n",
      'src/wrong.ts': 'export const text: string = 1;\n',
    },
  });
  // So that the tests also run where no sandbox works.
  await (await bench.kernel.find(workspaceTrust)).grant(bench.root);
});
afterAll(() => bench.dispose());

describe('lsp', () => {
  it('finds symbols of the workspace before anybody has asked about a file', async () => {
    expect(await bench.ok('lsp', { action: 'symbols', query: 'Circ' })).toContain('class Circle @ src/shape.ts:5');
  });

  it('finds a definition in another file, with the lines around it', async () => {
    const text = await bench.ok('lsp', { action: 'definition', file: 'src/use.ts', line: 3, symbol: 'Circle' });
    expect(text).toBe(
      'Found 1 definition:\nsrc/shape.ts:5:14\n   4|\n  >5|export class Circle implements Shape {\n   6|  area(): number {',
    );
  });

  it('finds references, implementations, types and symbols', async () => {
    const at = { file: 'src/shape.ts', line: 5, symbol: 'Circle' };
    const found = await bench.ok('lsp', { action: 'references', ...at });
    expect(found).toContain('Found 3 references in 2 files:');
    expect(found).toContain('src/use.ts:3:26');
    expect(
      await bench.ok('lsp', { action: 'implementation', file: 'src/shape.ts', line: 1, symbol: 'Shape' }),
    ).toContain('src/shape.ts:5:14');
    expect(
      await bench.ok('lsp', { action: 'type_definition', file: 'src/use.ts', line: 3, symbol: 'round' }),
    ).toContain('src/shape.ts:5:14');
    expect(await bench.ok('lsp', { action: 'hover', file: 'src/use.ts', line: 4, symbol: 'size' })).toContain(
      'const size: number',
    );
    expect(await bench.ok('lsp', { action: 'symbols', file: 'src/shape.ts' })).toContain(
      'class Circle @ line 5\n  method area',
    );
    expect(await bench.ok('lsp', { action: 'symbols', query: 'Circ' })).toContain('class Circle @ src/shape.ts:5');
  });

  it('says what the type checker says, of a file, of a glob and of the project', async () => {
    expect(await bench.ok('lsp', { action: 'diagnostics', file: 'src/use.ts' })).toBe('OK');
    const wrong = "src/wrong.ts:1:14 [error] Type 'number' is not assignable to type 'string'. (ts 2322)";
    expect(await bench.ok('lsp', { action: 'diagnostics', file: 'src/wrong.ts' })).toBe(`1 error:\n${wrong}`);
    const all = await bench.ok('lsp', { action: 'diagnostics', file: 'src/*.ts' });
    expect(all).toContain('src/use.ts: OK');
    expect(all).toContain(wrong);
    expect(await bench.ok('lsp', { action: 'diagnostics', file: '*', timeout: 60 })).toContain(
      'src/wrong.ts(1,14): error TS2322',
    );
  });

  it('previews a rename, and resolve applies it in all files', async () => {
    const preview = await bench.ok('lsp', {
      action: 'rename',
      file: 'src/shape.ts',
      line: 6,
      symbol: 'area',
      new_name: 'surface',
    });
    expect(preview).toContain('Rename area to surface');
    expect(preview).toContain('+4|export const size: number = round.surface();');
    expect(bench.get('src/use.ts')).toContain('round.area()');
    expect(await bench.ok('resolve', { action: 'apply', reason: 'wanted' })).toContain(
      'Applied: Rename area to surface',
    );
    expect(bench.get('src/use.ts')).toContain('round.surface()');
    expect(bench.get('src/shape.ts')).toContain('surface(): number;');
  });

  it('shows only the new problems in the result of an edit', async () => {
    const result = await bench.run('write', {
      path: 'src/wrong.ts',
      content: '// a line more\nexport const text: string = 1;\nexport const flag: boolean = 2;\n',
    });
    expect(textOf(result)).toContain('New problems after this change (1 error):\nsrc/wrong.ts:3:14 [error]');
    expect(textOf(result)).not.toContain('src/wrong.ts:2');
  });

  it('shows the new problems of all files of an edit, each judged with the others as they are now', async () => {
    bench.put('src/a.ts', 'export const a = (n: number): number => n;\n');
    bench.put('src/b.ts', "import { a } from './a.ts';\n\nexport const b: number = a(1);\n");
    await bench.ok('read', { path: 'src/a.ts' });
    const shown = await bench.ok('read', { path: 'src/b.ts' });
    const [one, two] = [anchorOf(await bench.ok('read', { path: 'src/a.ts' }), 'export'), anchorOf(shown, 'a(1)')];
    const right = [
      '@@ src/a.ts',
      `= ${one}..${one}`,
      '~export const a = (n: string): number => n.length;',
      '@@ src/b.ts',
      `= ${two}..${two}`,
      "~export const b: number = a('1');",
    ];
    expect(await bench.ok('edit', { input: right.join('\n') })).not.toContain('New problems');
    const again = anchorOf(await bench.ok('read', { path: 'src/a.ts' }), 'export');
    const wrong = ['@@ src/a.ts', `= ${again}..${again}`, '~export const a = (n: string): number => n;'];
    expect(await bench.ok('edit', { input: wrong.join('\n') })).toContain(
      'New problems after this change (1 error):\nsrc/a.ts:1:41 [error]',
    );
  });

  it('offers code actions, and applies one', async () => {
    bench.put('src/fix.ts', "import { Circle } from './shape.ts';\n\nexport const one = 1;\n");
    const list = await bench.ok('lsp', {
      action: 'code_actions',
      file: 'src/fix.ts',
      line: 1,
      query: 'source.organizeImports',
    });
    expect(list).toContain('[source.organizeImports');
    const wrong = await bench.run('lsp', {
      action: 'code_actions',
      file: 'src/fix.ts',
      line: 3,
      query: 'no such action',
    });
    expect(wrong.isError).toBe(true);
  });

  it('renames a file with the imports of it', async () => {
    const text = await bench.ok('lsp', {
      action: 'rename_file',
      file: 'src/shape.ts',
      new_name: 'src/shapes/shape.ts',
      apply: true,
    });
    expect(text).toContain('Applied: Rename src/shape.ts to src/shapes/shape.ts');
    expect(bench.get('src/shapes/shape.ts')).toContain('class Circle');
    expect(bench.get('src/use.ts')).toContain("from './shapes/shape.ts'");
    expect(existsSync(bench.path('src/shape.ts'))).toBe(false);
  });

  it('shows the status to people, programs and the doctor', async () => {
    const command = await bench.kernel.read(cliCommands).resolve('lsp status');
    const { io, written } = recordedIo();
    const call = { args: {}, io, cwd: bench.root, signal: new AbortController().signal };
    await command.run({ ...call, flags: {} });
    expect(written.out).toContain('typescript: running');
    await command.run({ ...call, flags: { json: true } });
    const check = await bench.kernel.read(doctorChecks).resolve('lsp');
    const [finding] = await check.run({ signal: call.signal });
    expect(finding).toMatchObject({
      name: 'language servers',
      status: 'ok',
      text: expect.stringContaining('typescript') as string,
    });
    expect(await bench.ok('lsp', { action: 'capabilities', file: 'src/use.ts' })).toContain('"definitionProvider"');
    expect(await bench.ok('lsp', { action: 'reload' })).toBe('Restarted typescript');
  });
});
