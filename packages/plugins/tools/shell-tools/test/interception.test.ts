import { loadAccelerator } from '@tenon/native';
import { toolRunner, tools } from '@tenon/tools/api';
import { inlineCandidate } from '@tenon/kernel/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf, type Workbench } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import { simpleCommandOf } from '../src/bash-syntax.ts';
import { findInterception, type InterceptionRule } from '../src/interception.ts';
import { openShellBench } from './shell-bench.ts';

const rules = source.tenon.settings.properties.interceptRules.default as readonly InterceptionRule[];

async function toolFor(command: string): Promise<string | undefined> {
  const simple = simpleCommandOf(await (await loadAccelerator('syntax')).parseBash(command));
  return simple && findInterception(simple, rules, () => true)?.tool;
}

describe('the standard rules', () => {
  it.each([
    ['cat README.md', 'read'],
    ['cat -n README.md', 'read'],
    ['/bin/cat a b', 'read'],
    ['head -n 20 src/a.ts', 'read'],
    ['tail -20 "src/a file.ts"', 'read'],
    ['cd src && less a.ts', 'read'],
    ['cat a.txt 2>/dev/null', 'read'],
    ['grep -n foo src/a.ts', 'search'],
    ['grep -rn "foo bar" .', 'search'],
    ['grep -r foo', 'search'],
    ['rg foo', 'search'],
    ["find . -name '*.ts'", 'find'],
    ['find src -type f', 'find'],
    ['fd thing', 'find'],
    ['sed -i s/a/b/ x', 'edit'],
    ['sed -ni.bak p x', 'edit'],
    ['sed --in-place=.bak s/a/b/ x', 'edit'],
    ["perl -pi -e 's/a/b/' x", 'edit'],
    ["awk -i inplace '{print}' x", 'edit'],
    ['cat > x <<EOF\ntext\nEOF', 'write'],
    ["cat <<'EOF' >x\n$text\nEOF", 'write'],
    ['echo text > x', 'write'],
    ["printf '%s' a >| x", 'write'],
  ])('points %j at %s', async (command, tool) => {
    expect(await toolFor(command)).toBe(tool);
  });

  it.each([
    'cat',
    'cat a | sort',
    'cat a b > c',
    'cat $FILE',
    'cat src/*.ts',
    'cat a; rm a',
    'cat /proc/cpuinfo',
    'cat a &',
    'FOO=1 cat a',
    'tail -f log',
    'tail -F log',
    'head -c 10 a',
    'cat >> a <<EOF\nx\nEOF',
    'grep -c foo a',
    'grep foo $(ls)',
    'git grep foo',
    'find . -name x -delete',
    "find . -name x -exec cat '{}' +",
    'find . -mtime -1 -type f',
    'rg --files',
    "sed -n '1,5p' a",
    'sed s/i/x/ a',
    'perl -Ilib script.pl',
    'echo text',
    'echo text >> x',
    'echo error >&2',
    'echo x > /dev/null',
    'make > log',
    'ls',
    "bash -c 'cat a'",
  ])('lets %j run', async (command) => {
    expect(await toolFor(command)).toBeUndefined();
  });
});

describe('interception', () => {
  let bench: Workbench;
  const reader = inlineCandidate(
    {
      id: 'reader',
      activate: (ctx) =>
        void ctx.contribute(tools, 'read', {
          description: 'reads',
          parameters: { type: 'object' },
          execute: async () => ({ content: [] }),
        }),
    },
    { contributes: { tools: { read: { summary: 'Read', risk: 'read' } } } },
  );
  beforeEach(async () => void (bench = await openShellBench({ files: { 'a.txt': 'content' } })));
  afterEach(() => bench.dispose());

  it('refuses a simple command only while the better tool is there', async () => {
    expect(await bench.ok('bash', { command: 'cat a.txt' })).toBe('content');
    bench.kernel.install(reader);
    expect(await bench.fails('bash', { command: 'cat a.txt' })).toBe(
      'Blocked: `read` shows files, with anchors for `edit`. Command: cat a.txt\nUse the tool read; commands in pipes and lists are not held back.',
    );
    expect(await bench.ok('bash', { command: 'cat a.txt | tr a-z A-Z' })).toBe('CONTENT');
  });

  it('does not hold up people who run a command by hand', async () => {
    bench.kernel.install(reader);
    const runner = await bench.kernel.find(toolRunner);
    expect(textOf(await runner.run('bash', { command: 'cat a.txt' }))).toBe('content');
  });

  it('follows the settings', async () => {
    await bench.dispose();
    const rule = { programs: ['git'], onlyWith: ['push'], tool: 'bash', message: 'Ask before you push.' };
    bench = await openShellBench({ settings: { 'shell-tools': { interceptRules: [rule] } } });
    bench.kernel.install(reader);
    expect(await bench.fails('bash', { command: 'git push origin main' })).toMatch(/Ask before you push/);
    await bench.dispose();
    bench = await openShellBench({
      settings: { 'shell-tools': { intercept: false } },
      files: { 'a.txt': 'content' },
    });
    bench.kernel.install(reader);
    expect(await bench.ok('bash', { command: 'cat a.txt' })).toBe('content');
  });
});
