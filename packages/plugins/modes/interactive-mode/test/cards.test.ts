import { describe, expect, it } from 'vitest';
import type { ToolResult } from '@tenon/tools/api';
import { openWorkbench, type Workbench } from '@tenon/test-kit/workbench';
import type { ToolView } from '@tenon/screen-slots/api';
import { prepareDiffs, renderCard, rendererOf, stateMark } from '../src/cards/index.ts';
import { bare, styleOf, theme } from './cards-style.ts';

type Input = Record<string, unknown>;

/** Runs a tool for real and draws its card. */
async function cardOf(bench: Workbench, name: string, input: Input, expanded = false): Promise<string[]> {
  const result = await bench.run(name, input);
  return draw({ name, input, state: result.isError ? 'failed' : 'done', result }, 80, expanded, bench.root);
}

function draw(view: ToolView, width = 80, isExpanded = false, cwd = '/srv/project'): string[] {
  return bare(renderCard(view, rendererOf(view.name), styleOf(width, isExpanded, cwd)));
}

const said = (text: string, details?: unknown): ToolResult => ({
  content: [{ type: 'text', text }],
  ...(details !== undefined && { details }),
});

describe('cards of real calls', () => {
  it('show files that were read, written and changed', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `const line${at} = ${at};`);
    const bench = await openWorkbench(['file-tools'], { files: { 'src/cart.ts': `${lines.join('\n')}\n` } });
    const read = await cardOf(bench, 'read', { path: bench.path('src/cart.ts') });
    expect(read[0]).toContain('✓ read src/cart.ts');
    expect(read[1]).toMatch(/^ +1 const line0 = 0;$/);
    expect(read.at(-1)).toMatch(/^ {2}… \d+ more rows \(ctrl\+o shows all\)$/);

    const write = await cardOf(bench, 'write', { path: 'new.txt', content: 'one\ntwo\n' });
    expect(write).toEqual(['✓ write new.txt · 2 lines, 8B · new', '  one', '  two']);

    await prepareDiffs();
    const shown = String((await bench.ok('read', { path: 'src/cart.ts' })).split('\n')[2]);
    const anchor = /\d+[a-z]{2}/.exec(shown)?.[0] ?? '';
    const edit = await cardOf(bench, 'edit', {
      input: `@@ src/cart.ts\n= ${anchor}..${anchor}\n~const line2 = 'two';\n`,
    });
    expect(edit[0]).toBe('✓ edit src/cart.ts · +1 -1');
    expect(edit).toContain('  3 - const line2 = 2;');
    expect(edit).toContain("  3 + const line2 = 'two';");

    const stale = await cardOf(bench, 'edit', { input: `@@ src/none.ts\n= 1ab..1ab\n~x\n` });
    expect(stale[0]).toBe('✗ edit src/none.ts');
    expect(stale.length).toBeGreaterThan(1);
  });

  it('show searches, lists of files, rewrites and calculations', async () => {
    const bench = await openWorkbench(['file-tools', 'search-tools', 'syntax-tools', 'small-tools'], {
      files: { 'a.ts': 'foo(1);\nbar(2);\n', 'b.ts': 'foo(3);\n' },
    });
    const search = await cardOf(bench, 'search', { pattern: 'foo', paths: ['.'] });
    expect(search[0]).toBe('✓ search foo · 2 matches in 2 files');
    expect(search.join('\n')).toMatch(/\*1 foo\(1\);/);
    expect((await cardOf(bench, 'find', { paths: ['*.ts'] }))[0]).toBe('✓ find *.ts · 2 files');
    expect((await cardOf(bench, 'ast_grep', { pat: 'foo($A)', paths: ['.'] }))[0]).toBe(
      '✓ ast_grep foo($A) · 2 matches in 2 files',
    );
    const rewrite = await cardOf(bench, 'ast_edit', { ops: [{ pat: 'foo($A)', out: 'baz($A)' }], paths: ['.'] });
    expect(rewrite[0]).toBe('✓ ast_edit foo($A) → baz($A) · 2 replacements in 2 files, a preview');
    expect(rewrite).toContain('  -1 foo(1)');
    expect((await cardOf(bench, 'resolve', { action: 'discard', reason: 'not now' }))[0]).toContain(
      '✓ resolve discard',
    );
    expect(await cardOf(bench, 'calc', { calculations: [{ expression: '2 ** 70' }] })).toEqual([
      '✓ calc 2 ** 70',
      '  2 ** 70 = 1180591620717411303424',
    ]);
  });

  it('show the end of what a command wrote, and how it ended', async () => {
    const bench = await openWorkbench(['shell-tools', 'jobs']);
    const rows = await cardOf(bench, 'bash', { command: 'seq 1 40; exit 3' });
    expect(rows[0]).toBe('✗ $ seq 1 40; exit 3 · exit 3');
    expect(rows[1]).toMatch(/^ {2}… \d+ earlier rows \(ctrl\+o shows all\)$/);
    expect(rows).toContain('  40');
    expect(rows).not.toContain('  1');
    expect(await cardOf(bench, 'bash', { command: 'seq 1 40; exit 3' }, true)).toContain('  1');
  });
});

describe('a card', () => {
  it('shows what is known while the model still writes the call', () => {
    const input = { input: '@@ src/a.ts\n= 1ab..2cd\n~new te' };
    expect(draw({ name: 'edit', input, state: 'writing' })).toEqual([
      '· edit src/a.ts',
      '  @@ src/a.ts',
      '  = 1ab..2cd',
      '  ~new te',
    ]);
    expect(draw({ name: 'bash', input: {}, state: 'writing' })).toEqual(['· $']);
    expect(
      draw({ name: 'edit', input: { path: 'a', edits: [{ old_text: 'x\n', new_text: 'y' }] }, state: 'writing' }),
    ).toEqual(['· edit a', '  -x', '  +y']);
  });

  it('names background jobs, time limits and what the sandbox refused', () => {
    const view = (details: unknown): ToolView => ({
      name: 'bash',
      input: { command: 'npm run dev' },
      state: 'done',
      result: said('', details),
    });
    expect(draw(view({ async: { state: 'running', jobId: 'bash-1', type: 'bash' } }))).toEqual([
      '✓ $ npm run dev · runs on as bash-1',
    ]);
    expect(draw(view({ outcome: 'timed-out', exitCode: null, timeoutSeconds: 5 }))).toEqual([
      '✓ $ npm run dev · timed out after 5s',
    ]);
    expect(draw(view({ exitCode: 1, refused: { by: 'sandbox', reason: 'network', hasRun: true } }))).toEqual([
      '✓ $ npm run dev · exit 1 · the sandbox refused a part of it',
    ]);
  });

  it('shows the plan, answers of the user, cells and tools of servers', () => {
    const phases = [
      {
        id: 'p',
        name: 'Do',
        tasks: [
          { id: 't', content: 'first', status: 'completed' },
          { id: 'u', content: 'second', status: 'in_progress' },
        ],
      },
    ];
    expect(
      draw({
        name: 'todo_write',
        input: { ops: [{ op: 'done', task: 'first' }] },
        state: 'done',
        result: said('', { phases }),
      }),
    ).toEqual(['✓ plan done first · 1/2', '  ✓ first', '  ▸ second']);
    const questions = [{ id: 'q', question: 'Which way?', options: [{ label: 'left' }] }];
    const answer = { question: 'Which way?', selectedOptions: ['left'], customInput: 'slowly' };
    expect(draw({ name: 'ask', input: { questions }, state: 'done', result: said('', answer) })).toEqual([
      '✓ ask Which way?',
      '  → left, slowly',
    ]);
    const cells = [
      { index: 0, title: 'sum', language: 'python', code: '1+1', status: 'complete', output: '2\n', durationMs: 1200 },
    ];
    expect(draw({ name: 'eval', input: {}, state: 'done', result: said('', { cells }) })).toEqual([
      '✓ eval sum · python',
      '  ✓ python sum 1s',
      '  2',
    ]);
    expect(
      draw({ name: 'mcp__notes__add', input: { title: 'Milk', count: 2 }, state: 'done', result: said('added') }),
    ).toEqual(['✓ notes › add Milk count=2', '  added']);
  });

  it('shows the time of a long call at the end of its title, also where the title is cut', () => {
    const view: ToolView = { name: 'bash', input: { command: `echo ${'x'.repeat(100)}` }, state: 'running' };
    const [title] = bare(renderCard(view, rendererOf('bash'), styleOf(40), { mark: '⠋', elapsedMs: 65_000 }));
    expect(title).toMatch(/^⠋ \$ echo x+… 1m 05s$/);
    expect(title).toHaveLength(40);
  });

  it('has a mark for every state', () => {
    const marks = (['writing', 'waiting', 'running', 'done', 'failed'] as const).map((state) =>
      stateMark(state, theme, '⠋'),
    );
    expect(bare(marks)).toEqual(['·', '?', '⠋', '✓', '✗']);
  });
});
