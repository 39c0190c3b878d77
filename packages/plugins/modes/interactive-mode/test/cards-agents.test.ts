import { describe, expect, it } from 'vitest';
import type { ToolView } from '@tenon/screen-slots/api';
import { renderCard, rendererOf } from '../src/cards/index.ts';
import { badRows, bare, styleOf } from './cards-style.ts';

type Task = Readonly<Record<string, unknown>>;

const input = {
  agent: 'explore',
  tasks: [
    { id: 'auth', description: 'how logins work', assignment: 'Find out.' },
    { id: 'rights', description: 'who may do what', assignment: 'Find out.' },
  ],
};
const running: Task = {
  id: 'auth',
  description: 'how logins work',
  status: 'running',
  tool: 'read',
  doing: 'src/auth.ts',
  toolCount: 5,
  tokens: 12_345,
  cost: 0.0213,
  durationMs: 12_000,
};
const done: Task = {
  id: 'rights',
  description: 'who may do what',
  status: 'completed',
  toolCount: 1,
  tokens: 900,
  cost: 0.4,
  durationMs: 3_000,
  output: 'Admins may do all.\nGuests may read.',
};

function view(tasks: readonly Task[], state: ToolView['state'] = 'running', more: object = {}): ToolView {
  const details = { agent: 'explore', model: 'p/small', tasks };
  return { name: 'task', input, state, result: { content: [{ type: 'text', text: 'all' }], details, ...more } };
}

const rowsOf = (shown: ToolView, isExpanded = false, width = 80) =>
  renderCard(shown, rendererOf('task'), styleOf(width, isExpanded));
const draw = (shown: ToolView, isExpanded = false, width = 80) => bare(rowsOf(shown, isExpanded, width));

describe('the card of subagents', () => {
  it('has a row for each with what it does now, its calls, tokens and cost, and how long it took once it has ended', () => {
    expect(draw(view([running, done]), false, 100)).toEqual([
      '● agent explore · 2 tasks · 1/2 done · 6 calls · 13,245 tokens · $0.42 · p/small',
      '  ● auth read src/auth.ts · 5 calls · 12,345 tokens · $0.0213',
      '  ✓ rights who may do what · 1 call · 900 tokens · $0.40 · 3s',
    ]);
  });

  it('shows what the model asked for before anything is known of it', () => {
    expect(draw({ name: 'task', input, state: 'writing' })).toEqual([
      '· agent explore · 2 tasks',
      '  · auth how logins work',
      '  · rights who may do what',
    ]);
    expect(draw({ name: 'task', input: {}, state: 'writing' })).toEqual(['· agent']);
  });

  it('says why nothing has begun', () => {
    const result = { content: [{ type: 'text' as const, text: 'There is no subagent "explor".' }], isError: true };
    expect(draw({ name: 'task', input, state: 'failed', result })).toEqual([
      '✗ agent explore · 2 tasks',
      '  There is no subagent "explor".',
    ]);
  });

  it('names the job of subagents in the background', () => {
    const result = { content: [], details: { agent: 'explore', job: 'task-1', ids: ['auth', 'rights'] } };
    expect(draw({ name: 'task', input, state: 'done', result })[0]).toBe(
      '✓ agent explore · 2 tasks · in the background as task-1',
    );
  });

  it('shows errors and changes that were not merged also when it is folded', () => {
    const failed = { ...done, status: 'failed', error: 'The model gave up.' };
    const merge = { status: 'conflict', files: ['a.ts'], reason: 'a.ts was changed', kept: '/p/rights.patch' };
    const rows = draw(view([{ ...running, status: 'completed', merge }, failed], 'done'));
    expect(rows[0]).toContain('1/2 done, 1 failed');
    expect(rows).toContain('    The model gave up.');
    expect(rows).toContain('    not merged (conflict: a.ts was changed), kept in /p/rights.patch');
  });

  it('has results, warnings and merged files when it is unfolded, and only then', () => {
    const merge = { status: 'merged', files: ['a.ts', 'b.ts'] };
    const shown = view([running, { ...done, merge, warnings: ['The schema was not used'] }]);
    const more = ['how logins work', 'The schema was not used', 'merged: a.ts, b.ts', 'Admins may do all.'];
    for (const text of more) {
      expect(draw(shown, true)).toContain(`    ${text}`);
      expect(draw(shown).join('\n')).not.toContain(text);
    }
  });

  it('shows those at work first where there is no room for all, in their order', () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      ...(at === 3 || at === 28 ? running : { ...done, status: at === 20 ? 'failed' : 'completed' }),
      id: `t${at}`,
    }));
    const rows = draw(view(many));
    expect(rows).toHaveLength(12);
    expect(rows.at(-1)).toBe('  … 20 more rows (ctrl+o shows all)');
    const ids = rows.slice(1, -1).map((row) => /t\d+/.exec(row)?.[0]);
    for (const id of ['t3', 't20', 't28']) expect(ids).toContain(id);
    expect(ids).toEqual([...ids].sort((a = '', b = '') => Number(a.slice(1)) - Number(b.slice(1))));
  });

  it('keeps the numbers on a narrow screen, and lets nothing of a subagent reach the terminal', () => {
    const doing = `\u001b[2J\u001b]52;c;aGk=\u0007${'long '.repeat(100)}`;
    const shown = view([{ ...running, doing, error: doing, output: doing }]);
    expect(draw(shown, false, 70)[1]).toMatch(/5 calls · 12,345 tokens · \$0\.0213$/);
    for (const width of [1, 12, 40, 70]) expect(badRows(rowsOf(shown, true, width), width)).toEqual([]);
  });
});
