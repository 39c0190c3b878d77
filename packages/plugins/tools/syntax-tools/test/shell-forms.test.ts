/** The friendly forms of tools for the shell. They stand in the plugin `tools`; here all the tools that they use are at hand. */
import { type CliCommand, cliCommands, type CommandIo } from '@tenon/command-line/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench(['file-tools', 'search-tools', 'syntax-tools'], {
    files: {
      'src/a.ts': 'first();\nconst x = old(1);\nlast();\n',
      'src/b.ts': 'old(2);\nOLD;\n',
      'many.txt': 'hit\n'.repeat(250),
    },
  });
});
afterEach(() => bench.dispose());

async function tenon(
  command: string,
  args: Record<string, string | string[]>,
  flags: Record<string, string | boolean> = {},
  color = false,
) {
  const written = { out: '', err: '' };
  const io: CommandIo = {
    out: async (part) => void (written.out += part),
    err: async (part) => void (written.err += part),
    json: async (value) => void (written.out += JSON.stringify(value)),
    color,
    interactive: false,
    width: 80,
  };
  const value: CliCommand = await bench.kernel.read(cliCommands).resolve(command);
  const { signal } = new AbortController();
  const code = (await value.run({ args, flags, io, cwd: bench.root, signal })) ?? 0;
  return { ...written, code };
}

describe('tenon grep', () => {
  it('writes what programs read: path, line and text', async () => {
    const found = await tenon('grep', { pattern: 'old', paths: ['src'] });
    expect(found).toEqual({ out: 'src/a.ts:2:const x = old(1);\nsrc/b.ts:1:old(2);\n', err: '', code: 0 });
  });

  it('names the file also when only one is searched, and shows what surrounds a match when asked', async () => {
    const { out } = await tenon('grep', { pattern: 'old', paths: ['src/a.ts'] }, { context: true });
    expect(out).toBe('src/a.ts-1-first();\nsrc/a.ts:2:const x = old(1);\nsrc/a.ts-3-last();\n');
  });

  it('shows matches in colour under their file, for a person', async () => {
    const { out } = await tenon('grep', { pattern: 'ol.', paths: ['src/b.ts'] }, { 'ignore-case': true }, true);
    expect(out).toBe(
      '\u001b[35msrc/b.ts\u001b[0m\n\u001b[32m1\u001b[0m:\u001b[31mold\u001b[0m(2);\n\u001b[32m2\u001b[0m:\u001b[31mOLD\u001b[0m;\n',
    );
  });

  it('gives names, counts, anchors or JSON', async () => {
    expect((await tenon('grep', { pattern: 'old', paths: ['src'] }, { files: true })).out).toBe('src/a.ts\nsrc/b.ts\n');
    expect((await tenon('grep', { pattern: 'hit' }, { count: true })).out).toBe('many.txt:250\n');
    expect((await tenon('grep', { pattern: 'old', paths: ['src/b.ts'] }, { anchors: true })).out).toMatch(
      /^src\/b\.ts:1[a-z]{2}:old\(2\);\n$/,
    );
    expect(JSON.parse((await tenon('grep', { pattern: 'old', paths: ['src/b.ts'] }, { json: true })).out)).toEqual({
      matchCount: 1,
      hasMore: false,
      files: [{ path: 'src/b.ts', count: 1 }],
      lines: [{ path: 'src/b.ts', line: 1, anchor: expect.any(String), text: 'old(2);', isMatch: true }],
      notes: [],
    });
  });

  it('goes through all pages, up to the limit', async () => {
    const all = await tenon('grep', { pattern: 'hit' });
    expect(all.out.split('\n')).toHaveLength(251);
    expect(all.err).toBe('');
    const some = await tenon('grep', { pattern: 'hit' }, { limit: '150' });
    expect(some.out.split('\n')).toHaveLength(151);
    expect(some.err).toBe('[The first 150 matches are shown; --limit gives more.]\n');
  });

  it('exits as grep does', async () => {
    expect(await tenon('grep', { pattern: 'nowhere' })).toEqual({ out: '', err: '', code: 1 });
    const wrong = await tenon('grep', { pattern: '[' });
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('The pattern cannot be used');
    await expect(tenon('grep', { pattern: 'x' }, { limit: 'many' })).rejects.toMatchObject({
      code: 'TOOLS_FLAG_VALUE',
    });
  });
});

describe('tenon find', () => {
  it('writes paths, and says on standard error that there are more', async () => {
    expect((await tenon('find', { paths: ['*.ts'] })).out.split('\n').sort()).toEqual(['', 'src/a.ts', 'src/b.ts']);
    const cut = await tenon('find', {}, { limit: '1', null: true });
    expect(cut.out).toMatch(/^[^\0]+\0$/);
    expect(cut.err).toContain('1 of 3 files shown');
  });

  it('exits with 1 when there is nothing and with 2 when there is no such folder', async () => {
    expect(await tenon('find', { paths: ['*.rs'] })).toEqual({ out: '', err: '', code: 1 });
    expect((await tenon('find', { paths: ['nowhere/'] })).code).toBe(2);
  });
});

describe('tenon ast', () => {
  it('finds code by structure', async () => {
    const found = await tenon('ast', { pattern: 'old($A)', paths: ['src/*.ts'] });
    expect(found).toEqual({ out: 'src/a.ts:2:const x = old(1);\nsrc/b.ts:1:old(2);\n', err: '', code: 0 });
    expect((await tenon('ast', { pattern: 'nothing($A)', paths: ['src/*.ts'] })).code).toBe(1);
  });

  it('shows a rewrite, and makes it only when asked to', async () => {
    const call = { pattern: 'old($A)', paths: ['src/b.ts'] };
    const shown = await tenon('ast', call, { rewrite: 'fresh($A)' });
    expect(shown.out).toMatch(/^-1[a-z]{2}\|old\(2\)\n\+1[a-z]{2}\|fresh\(2\)\n$/);
    expect(shown.err).toContain('Nothing was changed');
    expect(bench.get('src/b.ts')).toContain('old(2)');
    expect((await tenon('ast', call, { rewrite: 'fresh($A)', apply: true })).err).toBe(
      'Applied 1 replacement in 1 file.\n',
    );
    expect(bench.get('src/b.ts')).toBe('fresh(2);\nOLD;\n');
    expect((await tenon('ast', call, { rewrite: 'fresh($A)', apply: true })).code).toBe(1);
  });
});

describe('tenon read', () => {
  it('shows a file with anchors, or as it is', async () => {
    expect((await tenon('read', { path: 'src/b.ts' })).out).toMatch(/^1[a-z]{2}\|old\(2\);\n2[a-z]{2}\|OLD;\n/);
    expect((await tenon('read', { path: 'src/b.ts' }, { raw: true, lines: '2-2' })).out).toContain('OLD;');
    expect((await tenon('read', { path: 'nowhere' })).code).toBe(1);
  });
});
