import { inlineCandidate } from '@tenon/kernel/testing';
import { caseCount } from '@tenon/test-kit/properties';
import { toolCall } from '@tenon/tools/api';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Workbench } from '@tenon/test-kit/workbench';
import { fixCommand } from '../src/fix-ups.ts';
import { OpenShell } from '../src/open-shell.ts';
import { openShellBench } from './shell-bench.ts';

const REPAIRED: [string, string][] = [
  ['echo a\r\necho b\r\n', 'echo a\necho b\n'],
  ['```bash\nls -l\n```', 'ls -l'],
  ['$ npm test', 'npm test'],
  ['["bash", "-lc", "make all"]', 'make all'],
  ['["/bin/sh","-c","echo \\"x\\""]', 'echo "x"'],
  ['make &amp;&amp; echo &quot;ok&quot; 2&gt;&amp;1', 'make && echo "ok" 2>&1'],
  ['ls\u00A0-l', 'ls -l'],
];

const LEFT_ALONE = [
  '[ "$a" = b ] && echo x',
  '["not json',
  '["echo", "a"]',
  'echo "&amp;"',
  'curl "http://x/?a=1&amp;b=2"',
  'echo `date`',
  'cat <<EOF\n$ prompt\nEOF',
  "printf 'a\\r\\n'",
];

describe('a command is repaired', () => {
  it.each(REPAIRED)('%j', (given, command) => {
    const fixed = fixCommand(given);
    expect(fixed.command).toBe(command);
    expect(fixed.repairs.length).toBeGreaterThan(0);
  });

  it.each(LEFT_ALONE)('%j is left alone', (command) => {
    expect(fixCommand(command)).toEqual({ command, repairs: [] });
  });
});

describe('after a repair', () => {
  let bench: Workbench;
  const judged: string[] = [];
  const ran: string[] = [];
  let verdict: { deny: string } | undefined;
  beforeEach(async () => {
    bench = await openShellBench({ settings: { 'shell-tools': { intercept: false } } });
    bench.kernel.install(
      inlineCandidate(
        {
          id: 'gate',
          activate: (ctx) =>
            void ctx.on(toolCall, ({ input }) => {
              judged.push(String(input['command']));
              return verdict;
            }),
        },
        { handles: ['tool.call'] },
      ),
    );
    judged.length = 0;
    ran.length = 0;
    verdict = undefined;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await bench.dispose();
  });

  /** Notes what shells are given, without running it. */
  function watchShells(): void {
    vi.spyOn(OpenShell.prototype, 'run').mockImplementation(async (command, { cwd }) => {
      ran.push(command);
      return { exitCode: 0, outcome: 'exited', shell: 'kept', cwd };
    });
  }

  it('the result says so', async () => {
    expect(await bench.ok('bash', { command: '$ echo hi' })).toBe(
      'hi\n[The input was repaired: "command" began with a prompt. Send it in the right form next time.]',
    );
  });

  it('the gate is asked once, about what would run, and its refusal tells of the repair', async () => {
    verdict = { deny: 'not today' };
    const text = await bench.fails('bash', { command: '["bash","-c","touch made"]' });
    expect(text).toMatch(/refused by gate: not today[\s\S]*"command" was a list of words/);
    expect(judged).toEqual(['touch made']);
    verdict = undefined;
    expect(await bench.ok('bash', { command: 'ls' })).toBe('(no output)');
  });

  it.each([
    ...REPAIRED.map(([given]) => given),
    ...LEFT_ALONE,
    'mkdir -p a && cd a && pwd',
    'cd . && pwd',
    "cd './' && pwd",
    '  echo "trailing"  \n',
    'seq 2 > local://new/numbers.txt',
    '```bash\r\n$ ls &amp;&amp; seq 2 > local://a.txt\r\n```',
  ])('what the gate saw is what runs: %j', async (command) => {
    watchShells();
    await bench.run('bash', { command });
    expect(judged).toHaveLength(1);
    expect(ran).toEqual(judged);
  });

  it('what the gate saw is what runs, whatever is sent', async () => {
    watchShells();
    const piece = fc.constantFrom(
      ...['```bash\n', '\n```', '$ ', '\r\n', '\n', '\u00A0', '&amp;&amp;', '&gt;', '&quot;', '["bash","-lc","', '"]'],
      ...[
        'cd . && ',
        'cd "a" && ',
        'ls',
        ' > local://x',
        ' local://dir/y ',
        'plan://',
        '; ',
        "'",
        '"',
        '\\',
        '`',
        '<<E\n',
      ],
    );
    const command = fc.array(fc.oneof({ weight: 3, arbitrary: piece }, fc.string({ unit: 'binary', maxLength: 6 })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(command, async (pieces) => {
        judged.length = 0;
        ran.length = 0;
        await bench.run('bash', { command: pieces.join('') });
        // An address that leads nowhere is refused before the gate, an empty command after it.
        if (judged[0]?.trim()) expect(ran).toEqual(judged);
        else expect(ran).toEqual([]);
      }),
      { numRuns: caseCount(300) },
    );
  });
});
