import { agentStop, liveAgents } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { anchorOf, openWorkbench, surroundings, textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import { pendingActions } from '../src/api.ts';
import plugin from '../src/plugin.ts';

let bench: Workbench;
const open = async (files: Record<string, string | Uint8Array>, settings: Record<string, unknown> = {}) =>
  (bench = await openWorkbench(['file-tools', 'syntax-tools'], { files, settings }));
afterEach(() => bench?.dispose());

const withoutAnchors = (text: string) => text.replaceAll(/^([* +-]\d+)[a-z]{2}\|/gm, '$1|');

describe('syntax-tools', () => {
  it('keeps the plugin contract', async () => {
    const others = await surroundings('file-tools');
    await pluginContract({ source, plugin, others });
  });
});

describe('ast_grep', () => {
  it('finds calls whatever their formatting and says what the captures stand for', async () => {
    await open({
      'src/a.ts': "log('a', 1);\n// log('no')\nconst s = \"log('no')\";\nlog(\n  'b',\n);\n",
      'src/b.py': "log('c')\n",
      'README.md': "log('d')\n",
    });
    expect(withoutAnchors(await bench.ok('ast_grep', { pat: 'log($FIRST, $$$REST)', paths: ['src/**/*.ts'] }))).toBe(
      "# src/a.ts\n*1|log('a', 1);\nmeta: FIRST='a'; REST=1\n*4|log(\n 5|  'b',\n 6|);\nmeta: FIRST='b'; REST=",
    );
    const all = await bench.run('ast_grep', { pat: 'log($$$)', paths: ['.'] });
    expect(all.details).toMatchObject({ matchCount: 3, files: ['src/a.ts', 'src/b.py'] });
    expect(await bench.ok('ast_grep', { pat: 'log($A)', paths: ['src/b.py'] })).toMatch(
      /^\*1[a-z]{2}\|log\('c'\)\nmeta: A='c'$/,
    );
  });

  it('gives anchors that edit takes', async () => {
    await open({ 'a.ts': 'first();\nsecond();\n' });
    const anchor = anchorOf(await bench.ok('ast_grep', { pat: 'second()', paths: ['.'] }), 'second');
    await bench.ok('edit', { input: `@@ a.ts\n= ${anchor}..${anchor}\n~third();` });
    expect(bench.get('a.ts')).toBe('first();\nthird();\n');
  });

  it('pages with skip until nothing is left', async () => {
    await open({ 'a.ts': Array.from({ length: 120 }, (_, i) => `f(${i});\n`).join('') });
    const seen = new Set<string>();
    let skip = 0;
    for (let page = 0; page < 5; page++) {
      const text = await bench.ok('ast_grep', { pat: 'f($N)', paths: ['.'], skip });
      for (const [, number] of text.matchAll(/meta: N=(\d+)/g)) seen.add(number!);
      const next = /skip: (\d+)/.exec(text)?.[1];
      if (next === undefined) break;
      skip = Number(next);
    }
    expect(skip).toBe(100);
    expect(seen.size).toBe(120);
  });

  it('tells an unusable pattern from an absence', async () => {
    await open({ 'a.ts': 'x();\n', 'broken.ts': 'function ( {\n' });
    expect(await bench.ok('ast_grep', { pat: 'nothing($A)', paths: ['a.ts'] })).toBe('No matches found');
    expect(await bench.ok('ast_grep', { pat: 'function (((', paths: ['a.ts'] })).toMatch(
      /^No matches found\. Parse issues mean[\s\S]*Parse issues:\n- typescript: .*not valid typescript/,
    );
    expect(await bench.fails('ast_grep', { pat: ' ', paths: ['.'] })).toMatch(/pattern is empty.*console\.log/);
    expect(await bench.fails('ast_grep', { pat: 'x', paths: ['gone'] })).toMatch(/Path not found: gone/);
  });
});

describe('ast_edit and resolve', () => {
  const rename = { ops: [{ pat: 'oldName', out: 'newName' }], paths: ['.'] };
  const project = {
    'src/a.ts': 'export function oldName() {}\noldName(); // oldName stays here\r\nconst s = "oldName";\n',
    'src/b.ts': "import { oldName } from './a.ts';\nconsole.log(oldName());",
  };

  it('previews first, changes nothing, and applies exactly the preview', async () => {
    await open(project);
    const preview = await bench.run('ast_edit', { ops: [{ pat: 'oldName()', out: 'newName(1)' }], paths: ['.'] });
    expect(withoutAnchors(textOf(preview))).toBe(
      '# src/a.ts\n-2|oldName()\n+2|newName(1)\n\n# src/b.ts\n-2|oldName()\n+2|newName(1)\n\n' +
        'This is a preview of 2 replacements in 2 files. Call the resolve tool to apply or discard these changes.',
    );
    expect(preview.details).toMatchObject({ applied: false, totalReplacements: 2, files: ['src/a.ts', 'src/b.ts'] });
    expect(bench.get('src/a.ts')).toBe(project['src/a.ts']);
    const applied = await bench.run('resolve', { action: 'apply', reason: 'as asked' });
    expect(textOf(applied)).toBe('Applied 2 replacements in 2 files.');
    expect(applied.details).toMatchObject({
      action: 'apply',
      sourceToolName: 'ast_edit',
      label: 'AST edit: 2 replacements in 2 files',
      sourceResultDetails: { applied: true },
    });
    expect(bench.get('src/a.ts')).toBe(project['src/a.ts'].replace('\noldName();', '\nnewName(1);'));
    expect(bench.get('src/b.ts')).toBe(project['src/b.ts'].replace('oldName()', 'newName(1)'));
  });

  it('renames identifiers and leaves comments and strings alone', async () => {
    await open(project);
    await bench.ok('ast_edit', rename);
    await bench.ok('resolve', { action: 'apply', reason: 'rename' });
    expect(bench.get('src/a.ts')).toBe(
      'export function newName() {}\nnewName(); // oldName stays here\r\nconst s = "oldName";\n',
    );
    expect(bench.get('src/b.ts')).toBe("import { newName } from './a.ts';\nconsole.log(newName());");
  });

  it('keeps a byte order mark, non-ASCII text and deletes with an empty template', async () => {
    await open({ 'a.ts': '\uFEFFconst ü = "日本";\ndebug(ü);\nrest(ü);' });
    await bench.ok('ast_edit', {
      ops: [
        { pat: 'debug($A)', out: '' },
        { pat: 'rest($A)', out: 'keep($A, "é")' },
      ],
      paths: ['a.ts'],
    });
    await bench.ok('resolve', { action: 'apply', reason: 'x' });
    expect(bench.get('a.ts')).toBe('\uFEFFconst ü = "日本";\n;\nkeep(ü, "é");');
  });

  it('refuses a replacement with a variable that the pattern does not have', async () => {
    await open(project);
    for (const [pat, out] of [
      ['oldName($A)', 'newName($B)'],
      ['oldName($$$A)', 'newName($A)'],
      ['oldName($A)', 'newName($$$REST)'],
      ['oldName($_)', 'newName($_)'],
    ]) {
      expect(await bench.fails('ast_edit', { ops: [{ pat, out }], paths: ['.'] })).toMatch(
        /which the pattern .* does not have/,
      );
    }
  });

  it('refuses a preview whose files changed, and touches none of them', async () => {
    await open(project);
    await bench.ok('ast_edit', rename);
    bench.put('src/b.ts', `${project['src/b.ts']}\n// edited`);
    expect(await bench.fails('resolve', { action: 'apply', reason: 'x' })).toMatch(
      /out of date: src\/b\.ts.*ast_edit again/,
    );
    expect(bench.get('src/a.ts')).toBe(project['src/a.ts']);
    expect(await bench.fails('resolve', { action: 'apply', reason: 'x' })).toMatch(/No pending action to resolve/);
  });

  it('discards with the reason, newest first, and keeps sessions apart', async () => {
    await open(project);
    await bench.ok('ast_edit', rename);
    await bench.ok('ast_edit', { ...rename, paths: ['src/b.ts'] });
    expect(await bench.fails('resolve', { action: 'discard', reason: 'x' }, 'two')).toMatch(/No pending action/);
    expect(await bench.ok('resolve', { action: 'discard', reason: 'too much' })).toBe(
      'Discarded: AST edit: 2 replacements in 1 file. Reason: too much\n1 older preview(s) still wait for resolve.',
    );
    expect(await bench.ok('resolve', { action: 'apply', reason: 'x' })).toBe('Applied 4 replacements in 2 files.');
  });

  it('resolves previews of other plugins', async () => {
    await open({});
    const pending = await bench.kernel.find(pendingActions);
    pending.push('one', {
      label: 'sample',
      sourceToolName: 'sample',
      apply: async (reason) => ({ content: [{ type: 'text', text: `applied: ${reason}` }] }),
      reject: async () => ({ content: [{ type: 'text', text: 'cleaned up' }] }),
    });
    expect(await bench.ok('resolve', { action: 'discard', reason: 'x' })).toBe('cleaned up');
  });

  it('leaves files with syntax errors alone and says so', async () => {
    await open({ 'a.ts': 'old();\n', 'broken.ts': 'old();\nfunction ( {\n' });
    const preview = await bench.ok('ast_edit', { ops: [{ pat: 'old()', out: 'fresh()' }], paths: ['.'] });
    expect(preview).toMatch(/Parse issues:\n- broken\.ts: /);
    await bench.ok('resolve', { action: 'apply', reason: 'x' });
    expect([bench.get('a.ts'), bench.get('broken.ts')]).toEqual(['fresh();\n', 'old();\nfunction ( {\n']);
  });

  it('rewrites the outer one of matches that overlap, and says how many are left for the next time', async () => {
    await open({ 'a.ts': 'f(f(1));\n', 'b.ts': 'f(f(f(2)));\n' });
    const ops = [{ pat: 'f($A)', out: 'g($A)' }];
    expect(await bench.ok('ast_edit', { ops, paths: ['a.ts'] })).toContain(
      '\n1 overlapping match left out; run the same rewrite again after applying.\n',
    );
    expect(await bench.ok('ast_edit', { ops, paths: ['b.ts'] })).toContain('\n2 overlapping matches left out;');
    await bench.ok('resolve', { action: 'apply', reason: 'as asked' });
    expect(bench.get('b.ts')).toBe('g(f(f(2)));\n');
  });

  it('leaves nothing pending when nothing matches or nothing would change', async () => {
    await open(project);
    expect(await bench.ok('ast_edit', { ...rename, ops: [{ pat: 'absent', out: 'x' }] })).toBe('No replacements made');
    expect(await bench.ok('ast_edit', { ...rename, ops: [{ pat: 'oldName', out: 'oldName' }] })).toBe(
      'No replacements made',
    );
    expect(await bench.fails('resolve', { action: 'apply', reason: 'x' })).toMatch(/No pending action/);
  });

  it('stops at the limit of files and refuses operations that contradict each other', async () => {
    await open(project, { 'syntax-tools': { maxFiles: 1 } });
    expect(await bench.ok('ast_edit', rename)).toMatch(/Limit reached; narrow paths\.[\s\S]*in 1 file\./);
    const twice = [
      { pat: 'a', out: 'b' },
      { pat: 'a', out: 'c' },
    ];
    expect(await bench.fails('ast_edit', { ...rename, ops: twice })).toMatch(/"a" is given twice/);
    expect(await bench.fails('ast_edit', { ...rename, ops: [{ pat: ' ', out: '' }] })).toMatch(/pattern is empty/);
  });
});

describe('an agent that was shown a preview', () => {
  it('has to call resolve in its next turn, and is reminded when it would stop', async () => {
    await open({ 'a.ts': 'old();\n' });
    const choices: unknown[] = [];
    const state = { tools: [{ name: 'resolve' }] };
    const agent = { state, queueToolChoice: (...queued: unknown[]) => void choices.push(...queued) };
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'agents',
          activate: (ctx) => void ctx.provide(liveAgents, { get: () => agent as never, list: () => [] }),
          defines: [liveAgents, agentStop],
        },
        { provides: ['live-agents'], defines: { services: ['live-agents'], hooks: ['agent.stop'] } },
      ),
    );
    await bench.ok('ast_edit', { ops: [{ pat: 'old()', out: 'fresh()' }], paths: ['.'] }, 's');
    expect(choices).toEqual([{ name: 'resolve' }]);
    const stop = { session: 's', text: 'Done.', continues: 0 };
    expect(await bench.kernel.run(agentStop, stop)).toEqual({ continue: expect.stringContaining('Call `resolve`') });
    expect(await bench.kernel.run(agentStop, { ...stop, continues: 1 })).toBeUndefined();
    await bench.ok('resolve', { action: 'discard', reason: 'no' }, 's');
    expect(await bench.kernel.run(agentStop, stop)).toBeUndefined();
  });
});
