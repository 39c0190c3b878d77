import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, Home } from '@tenon/test-kit/program';

let home: Home;
beforeAll(() => {
  home = new Home();
  home.put('work/a.js', 'export function first() { return 1; }\n');
  home.put('work/b.js', "import { first } from './a.js';\nfirst();\n");
});
afterAll(() => home.remove());

/** Without keys and without a network the offline model answers. */
describe('the agent on the command line', () => {
  it('answers once, and the word "agent" may be left out', () => {
    const { code, out, err } = home.tenon(['-p', 'find files named a.js']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('a.js');
    expect(home.tenon(['agent', '-p', 'find files named a.js']).out).toBe(out);
  });

  it('goes on with the session, copies it, and makes a page of it', () => {
    home.tenon(['-p', 'find files named b.js']);
    expect(home.tenon(['--continue', '-p', 'find files named a.js']).code).toBe(0);
    const [newest] = JSON.parse(home.tenon(['session', 'list', '--json']).out) as { id: string }[];
    const shown = home.tenon(['session', 'show', newest?.id ?? '']).out;
    expect(shown).toMatch(/find files named b\.js[\s\S]*find files named a\.js/);
    expect(home.tenon(['--fork', newest?.id ?? '', '-p', 'find files named a.js']).code).toBe(0);
    expect(home.tenon(['session', 'export', newest?.id ?? '', '-']).out).toContain('find files named b.js');
  });

  it('tells a wrong command line from a failure', () => {
    expect(home.tenon(['-p', '--continue', '--resume', 'x', 'go'])).toMatchObject({ code: 2, out: '' });
    expect(home.tenon(['-p', '--mode', 'jsn', 'go'])).toMatchObject({ code: 2 });
    expect(home.tenon(['-p'])).toMatchObject({ code: 2, err: expect.stringContaining('nothing to do') });
    expect(home.tenon(['-p', '--resume', 'ffffffff', 'go'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('session list'),
    });
    expect(home.tenon(['-p', '@gone.txt'])).toMatchObject({ code: 1, err: expect.stringContaining('gone.txt') });
  });

  it('writes events as lines, and is quiet when their reader goes away', () => {
    const { code, out, err } = home.bash(
      'tenon --json --no-session "find files named a.js" </dev/null | head -n 1; exit ${PIPESTATUS[0]}',
    );
    expect(JSON.parse(out)).toMatchObject({ type: 'session', cwd: home.work });
    expect(err).toBe('');
    expect([0, 141]).toContain(code);
  });

  it('serves another program until its input ends', async () => {
    const child = home.start(['--mode', 'rpc', '--no-session']);
    child.stdin?.end('{"id":"1","type":"get_state"}\nnonsense\n');
    const { code, out, err } = await ended(child);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const frames = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(frames).toMatchObject([{ type: 'ready' }, { id: '1', success: true }, { command: 'parse', success: false }]);
  });

  it('reads the prompt from a pipe and from a file', () => {
    writeFileSync(join(home.work, 'task.md'), 'find files named b.js\n');
    expect(home.tenon(['-p'], { input: 'find files named b.js' }).out).toContain('b.js');
    expect(home.tenon(['-p', '@task.md']).out).toContain('b.js');
  });
});
