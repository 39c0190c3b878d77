import { resolve } from 'node:path';
import type { Touches } from '@tenon/tools/api';
import { describe, expect, it } from 'vitest';
import { foreignCalls, ownInput } from '../src/foreign-call.ts';
import { claude } from '../src/dialects/claude.ts';
import { gemini } from '../src/dialects/gemini.ts';
import { fitsRule, matches } from '../src/matcher.ts';

describe('A matcher', () => {
  it.each([
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit | Write', 'Edit', true],
    ['Edit,Write', 'Write', true],
    ['db-agent', 'prod-db-agent', false],
    ['Notebook.*', 'NotebookEdit', true],
    ['^Bash$', 'BashOutput', false],
    ['mcp__memory__.*', 'mcp__memory__save', true],
    ['mcp__.*__write.*', 'mcp__fs__write_file', true],
    ['mcp__memory', 'mcp__memory__save', false],
    ['(', 'Bash', true],
  ])('of Claude Code, %s, fits %s: %s', (matcher, name, fits) => {
    expect(matches(matcher, [name], 'names')).toBe(fits);
  });

  it('of Gemini and Cursor is always a pattern', () => {
    expect(matches('read_', ['read_file'], 'pattern')).toBe(true);
    expect(matches('^curl\\s', ['curl https://x'], 'pattern')).toBe(true);
    expect(matches('Shell', ['shell'], 'pattern')).toBe(false);
  });
});

/** What edits declare. */
const touchesIn = ({ path, ops, paths }: Record<string, unknown>): Touches => {
  if (ops !== undefined) return { searches: (paths as string[]).map((name) => resolve('/project', name)) };
  return typeof path === 'string' && !path.includes(':') ? { writes: [resolve('/project', path)] } : {};
};

describe('A rule', () => {
  const call = (tool: string, input: Record<string, unknown>) => {
    const [first] = foreignCalls(claude.tools, { tool, callId: 'c', input, touches: touchesIn(input) }, '/project');
    if (!first) throw new Error('no call');
    return first;
  };

  it.each([
    ['Bash(git *)', 'git push', true],
    ['Bash(git:*)', 'git push', true],
    ['Bash(git *)', 'cd x && git push', true],
    ['Bash(git *)', 'FOO=1 git push', true],
    ['Bash(git *)', 'github', false],
    ['Bash(npm test)', 'npm test', true],
    ['Bash(npm test)', 'npm test -- --watch', false],
    ['Read', 'git push', false],
    ['not a rule at all (', 'ls', true],
  ])('%s fits the command %s: %s', (rule, command, fits) => {
    expect(fitsRule(rule, call('bash', { command }), '/project')).toBe(fits);
  });

  it.each([
    ['Edit(*.ts)', 'src/a.ts', true],
    ['Edit(src/**)', 'src/deep/a.ts', true],
    ['Edit(./src/*.ts)', 'src/deep/a.ts', false],
    ['Edit(//etc/**)', '/etc/passwd', true],
    ['Edit(.env)', 'config/.env', true],
    ['Write(*.ts)', 'src/a.ts', false],
  ])('%s fits the file %s: %s', (rule, path, fits) => {
    expect(fitsRule(rule, call('edit', { path, edits: [{ old_text: 'a', new_text: 'b' }] }), '/project')).toBe(fits);
  });
});

describe('A call in the words of another tool', () => {
  const both = (tools: typeof claude.tools, tool: string, input: Record<string, unknown>) =>
    foreignCalls(tools, { tool, callId: 'c', input, touches: touchesIn(input) }, '/project').map(
      ({ name, input: theirs }) => [name, theirs],
    );

  it('has the names and fields of Claude Code', () => {
    expect(both(claude.tools, 'bash', { command: 'ls', async: true })).toEqual([
      ['Bash', { command: 'ls', run_in_background: true, cwd: '/project' }],
    ]);
    expect(both(claude.tools, 'read', { path: 'a.txt:50-59' })).toEqual([
      ['Read', { file_path: '/project/a.txt', offset: 50, limit: 10 }],
    ]);
    expect(both(claude.tools, 'search', { pattern: 'x', paths: ['src', '*.ts'], i: true })).toEqual([
      ['Grep', { pattern: 'x', path: '/project/src', '-i': true, output_mode: 'content' }],
      ['Grep', { pattern: 'x', path: '/project', glob: '*.ts', '-i': true, output_mode: 'content' }],
    ]);
    expect(both(claude.tools, 'find', { paths: ['src/**/*.ts'] })).toEqual([
      ['Glob', { pattern: 'src/**/*.ts', path: '/project' }],
    ]);
    expect(both(claude.tools, 'edit', { path: 'a', edits: [{ old_text: 'x', new_text: 'y' }] })).toEqual([
      ['Edit', { file_path: '/project/a', old_string: 'x', new_string: 'y', replace_all: false }],
    ]);
    expect(both(claude.tools, 'ast_edit', { ops: [{ pat: 'a', out: 'b' }], paths: ['src'] })).toEqual([
      ['Edit', { file_path: '/project/src', old_string: 'a', new_string: 'b', replace_all: false }],
    ]);
    expect(both(claude.tools, 'calc', { expression: '1' })).toEqual([['calc', { expression: '1' }]]);
  });

  it('comes back with what was changed, and only that', () => {
    const facts = { tool: 'read', callId: 'c', input: { path: 'a.txt:1-9' }, touches: { reads: ['/project/a.txt'] } };
    const [call] = foreignCalls(gemini.tools, facts, '/project');
    expect(call && ownInput(gemini.tools, facts, call, { ...call.input })).toEqual(facts.input);
    expect(call && ownInput(gemini.tools, facts, call, { file_path: '/project/b.txt' })).toEqual({
      path: '/project/b.txt:1+9',
    });
    expect(call && ownInput(gemini.tools, facts, call, { surprise: 1 })).toBeUndefined();
  });
});
