/** What tools declare reaches the real gate. Each of these inputs reached a file unjudged once, when the gate guessed. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editTools } from '@tenon/file-tools/api';
import { toolRunner } from '@tenon/tools/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
const { HOME } = process.env;
beforeAll(async () => {
  bench = await openWorkbench(['trust', 'approval', 'file-tools', 'search-tools', 'syntax-tools'], {
    files: { 'a.ts': 'a\n', 'src/b.ts': 'one();\n' },
    settings: { approval: { mode: 'strict' } },
    ownFolder: '.local/tenon',
  });
  process.env['HOME'] = bench.home;
  mkdirSync(join(bench.home, '.ssh'));
  writeFileSync(join(bench.home, '.ssh', 'id_rsa'), 'key');
  symlinkSync(join(bench.home, '.ssh', 'id_rsa'), bench.path('notes.txt'));
});
afterAll(async () => {
  if (HOME === undefined) delete process.env['HOME'];
  else process.env['HOME'] = HOME;
  await bench.dispose();
});

/** From the project up to the root: folders for temporary files may be written to. */
const up = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('UP', '../'.repeat(bench.root.split('/').length).slice(0, -1))) as T;

/** In strict mode everything above tier 0 is asked about, and nobody answers here. */
const tierIn = (text: string) => Number(/needs approval \(tier (\d)/.exec(text)?.[1] ?? 0);
const tierOf = async (tool: string, input: Record<string, unknown>) => tierIn(textOf(await bench.run(tool, up(input))));
const tierOfEdit = async (mode: string, input: Record<string, unknown>) => {
  const runner = await bench.kernel.find(toolRunner);
  const tool = await (await bench.kernel.find(editTools)).tool(mode);
  return tierIn(
    textOf(await runner.run('edit', up(input), { tool, risk: 'write', scope: { session: 's', cwd: bench.root } })),
  );
};

describe('reading', () => {
  it.each([
    '~/.ssh/id_rsa',
    '../.ssh/id_rsa:1-5',
    ' "../.ssh/id_rsa" ',
    'file:///HOME/%2essh/id_rsa',
    'notes.txt',
    'notes.txt:raw',
    'notes.txt:1-5:raw',
    'notes.txt?q=1',
    '../.ssh/../.ssh/id_rsa',
    'any://../../.ssh/id_rsa',
    // Nothing is there, and asking must not tell.
    '~/.ssh/id_other',
  ])('sees through %s', async (path) => {
    expect(await tierOf('read', { path: path.replace('/HOME', bench.home) })).toBe(2);
  });

  it('declares the file whose end fits', async () => {
    const runner = await bench.kernel.find(toolRunner);
    const result = await runner.run('read', { path: 'id_rsa' }, { scope: { session: 's', cwd: bench.home } });
    expect(tierIn(textOf(result))).toBe(2);
  });

  it('from the web counts as reading from the network, from addresses of Tenon as nothing', async () => {
    expect(textOf(await bench.run('read', { path: 'https://example.com/a' }))).toContain('reads from the network');
    expect(await tierOf('read', { path: 'artifact://3' })).toBe(0);
    expect(await tierOf('read', { path: 'src/b.ts' })).toBe(0);
  });
});

describe('an edit', () => {
  it.each([
    ['hashline', '@@ UP/srv/out.txt\n< BOF\n~x'],
    ['hashline', '@@UP/srv/out.txt\n< BOF\n~x'],
    ['hashline', '@UP/srv/out.txt\n< BOF\n~x'],
    ['hashline', ' \t@@@\tUP/srv/out.txt\n< BOF\n~x'],
    ['hashline', '@@UP/srv/out.txt\n< BOF\n~x\n*** Abort\n*** Update File: a'],
    ['hashline', '@@ a\u2028/../UP/srv/out.txt\n< BOF\n~x'],
    ['apply_patch', '*** Begin Patch\n*** Update File: UP/srv/out.txt\n@@\n-a\n+b'],
    ['apply_patch', '*** Begin Patch\n*** Add File:UP/srv/out.txt\n+b'],
    ['apply_patch', '*** Begin Patch\r\n*** Update File: a.ts\r\n*** Move to:UP/srv/out.txt\r\n'],
  ])('in the mode %s declares the file of %j', async (mode, input) => {
    expect(await tierOfEdit(mode, { input })).toBe(2);
  });

  it.each([
    ['replace', { path: 'UP/srv/out.txt', edits: [{ old_text: 'a', new_text: 'b' }] }],
    ['replace', { path: 'a.ts', edits: [{ path: 'UP/srv/out.txt', old_text: 'a', new_text: 'b' }] }],
    ['patch', { path: 'a.ts', edits: [{ rename: 'UP/srv/out.txt' }] }],
    ['patch', { path: 'a.ts', edits: [{ path: 'UP/srv/out.txt', op: 'delete' }] }],
    ['vim', { file: 'UP/srv/out.txt', steps: [{ kbd: ['x'] }] }],
  ])('in the mode %s declares the files of %j', async (mode, input) => {
    expect(await tierOfEdit(mode, input)).toBe(2);
  });

  it('does not take the text of files for paths', async () => {
    const envelope = '*** Begin Patch\n*** Update File: a.ts\n@@ /api/users\n-a\n+@@ /etc/passwd';
    expect(await tierOfEdit('apply_patch', { input: envelope })).toBe(1);
    expect(await tierOfEdit('hashline', { input: '@@ a.ts\n+ BOF\n~@@ /etc/passwd' })).toBe(1);
    expect(await tierOfEdit('patch', { path: 'a.ts', edits: [{ diff: '@@ /etc/passwd\n-a\n+b' }] })).toBe(1);
  });

  it('that cannot be read is refused before anybody is asked', async () => {
    expect(await tierOfEdit('apply_patch', { input: 'hello UP/srv/out.txt' })).toBe(0);
  });
});

describe('writing', () => {
  it.each([
    ['UP/srv/x', 2],
    ['UP/srv/x.zip:inner/a', 2],
    ['a.zip:../../x', 1],
    ['/etc/hosts', 3],
    ['new.ts', 1],
    ['local://x', 1],
  ])('declares where %s leads', async (path, tier) => {
    expect(await tierOf('write', { path, content: '' })).toBe(tier);
  });
});

describe('looking through folders', () => {
  it('counts with all that is in them', async () => {
    expect(await tierOf('search', { pattern: 'x', paths: ['~'] })).toBe(2);
    expect(await tierOf('search', { pattern: 'x', paths: ['{a,b}/../../*'] })).toBe(2);
    expect(await tierOf('ast_grep', { pat: 'x', paths: ['~/.s*/*'] })).toBe(2);
    expect(await tierOf('ast_edit', { ops: [{ pat: 'x', out: 'y' }], paths: ['~'] })).toBe(2);
    expect(await tierOf('find', { paths: ['~'] })).toBe(0);
    expect(await tierOf('search', { pattern: 'x', paths: ['.', 'src/**'] })).toBe(0);
  });
});

describe('a preview', () => {
  afterEach(() => bench.run('resolve', { action: 'discard', reason: 'done' }));
  it('only reads; the files that it changes are judged when it is applied', async () => {
    mkdirSync(bench.path('.git/hooks'), { recursive: true });
    writeFileSync(bench.path('.git/hooks/h.ts'), 'one();\n');
    const paths = ['src/b.ts', '.git/hooks/h.ts'];
    expect(await bench.ok('ast_edit', { ops: [{ pat: 'one()', out: 'two()' }], paths })).toContain('two()');
    const refused = textOf(await bench.run('resolve', { action: 'apply', reason: 'r' }));
    expect(refused).toContain('.git/hooks/h.ts (a protected place)');
    expect(bench.get('src/b.ts')).toBe('one();\n');
  });
});
