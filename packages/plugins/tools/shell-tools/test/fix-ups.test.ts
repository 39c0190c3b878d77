import { inlineCandidate } from '@tenon/kernel/testing';
import { toolCall } from '@tenon/tools/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workbench } from '../../file-tools/test/workbench.ts';
import { fixCommand } from '../src/fix-ups.ts';
import { openShellBench } from './shell-bench.ts';

describe('a command is repaired', () => {
  it.each([
    ['echo a\r\necho b\r\n', 'echo a\necho b\n'],
    ['```bash\nls -l\n```', 'ls -l'],
    ['$ npm test', 'npm test'],
    ['["bash", "-lc", "make all"]', 'make all'],
    ['["/bin/sh","-c","echo \\"x\\""]', 'echo "x"'],
    ['make &amp;&amp; echo &quot;ok&quot; 2&gt;&amp;1', 'make && echo "ok" 2>&1'],
    ['ls\u00A0-l', 'ls -l'],
  ])('%j', (given, command) => {
    const fixed = fixCommand(given);
    expect(fixed.command).toBe(command);
    expect(fixed.repairs.length).toBeGreaterThan(0);
  });

  it.each([
    '[ "$a" = b ] && echo x',
    '["not json',
    '["echo", "a"]',
    'echo "&amp;"',
    'curl "http://x/?a=1&amp;b=2"',
    'echo `date`',
    'cat <<EOF\n$ prompt\nEOF',
    "printf 'a\\r\\n'",
  ])('%j is left alone', (command) => {
    expect(fixCommand(command)).toEqual({ command, repairs: [] });
  });
});

describe('after a repair', () => {
  let bench: Workbench;
  beforeEach(async () => void (bench = await openShellBench()));
  afterEach(() => bench.dispose());

  it('the result says so', async () => {
    expect(await bench.ok('bash', { command: '$ echo hi' })).toBe('hi\n\n[The command was repaired: prompt.]');
  });

  it('the gate is asked about what will run', async () => {
    const asked: unknown[] = [];
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'gate',
          activate: (ctx) =>
            void ctx.on(toolCall, ({ tool, input, scope, risk }) => {
              asked.push({ tool, command: input['command'], session: scope?.session, risk });
              return input['command'] === 'touch made' ? { deny: 'not today' } : undefined;
            }),
        },
        { handles: ['tool.call'] },
      ),
    );
    expect(await bench.fails('bash', { command: '["bash","-c","touch made"]' })).toMatch(
      /repaired \(list of words\) and then refused by gate: not today/,
    );
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual({ tool: 'bash', command: 'touch made', session: 'one', risk: 'exec' });
    expect(await bench.ok('bash', { command: 'ls' })).toBe('(no output)');
  });
});
