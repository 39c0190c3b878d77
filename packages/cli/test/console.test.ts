/** `tenon shell`: the agent's kind of shell, for people. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Home } from '@tenon/test-kit/program';

let home: Home;
beforeEach(() => (home = new Home()));
afterEach(() => home.remove());

const open = ['shell', '--sandbox', 'full'];
const piped = (input: string) => home.tenon(open, { input });

describe('commands from a pipe', () => {
  it('share one shell, may span lines, and the exit code is that of the last', () => {
    const lines = [
      'mkdir src; cd src; word=kept',
      'say() {',
      '  echo "$word in $PWD"',
      '}',
      '',
      '# a remark',
      'say; false',
      'echo "before: $?"',
      'cat <<END',
      '$word "here',
      'END',
      "echo 'two",
      "lines'",
      'echo joined \\',
      '  line',
      'ls !(x)',
      '(exit 7)',
    ];
    const { out, code, err } = piped(lines.join('\n'));
    expect(out).toContain(`kept in ${home.work}/src\nbefore: 1\nkept "here\ntwo\nlines\njoined line\n`);
    expect(code).toBe(7);
    expect(err).not.toContain('$ ');
  });

  it('end with `exit`, with a shell that gives up, and with the input', () => {
    expect(piped('echo one; exit 4\necho never\n')).toMatchObject({ out: 'one\n', code: 4 });
    expect(piped('set -e; false\necho never\n')).toMatchObject({ out: '', code: 1 });
    expect(piped('')).toMatchObject({ out: '', code: 0 });
    expect(piped('echo last')).toMatchObject({ out: 'last\n', code: 0 });
  });

  it('that are never finished are the error that bash makes of them', () => {
    expect(piped('echo first\nif true; then\n')).toMatchObject({
      out: expect.stringMatching(/^first\n.*syntax error.*unexpected end of file/),
      code: 2,
    });
  });

  it('give what bash gives, wherever the lines are broken', () => {
    const part = fc.constantFrom(
      'echo a',
      'if true\nthen\necho b\nfi',
      'for i in 1 2\ndo echo $i\ndone',
      'cat <<X\n  $HOME\nX',
      "echo 'c\nd'",
      'echo "e\n$(echo f\n)"',
      'false',
      'x=1; echo ${x:-\n2}',
      '{\necho g\n}',
      'echo h |\ncat',
      'true &&\necho i',
      'case x in\nx) echo j;;\nesac',
      'echo k \\\n l',
      '(exit 3)',
      'echo $?',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const input = `${parts.join('\n')}\n`;
        const { out, code } = piped(input);
        const bash = home.bash(`bash -s 2>&1 <<'THE_END_OF_ALL'\n${input}THE_END_OF_ALL`);
        expect({ out, code }).toEqual({ out: bash.out, code: bash.code });
      }),
      { numRuns: 12 },
    );
  });

  it('leave nothing running, and say so', () => {
    expect(piped('sleep 71.5 &\necho hi\n')).toMatchObject({
      out: 'hi\n',
      err: expect.stringMatching(/^\[Ended with the shell: \d+ sleep 71\.5\]\n$/),
    });
    expect(home.bash('pgrep -f "sleep 71[.]5"').out).toBe('');
  });
});

describe('one command', () => {
  it('is given with -c; a time limit ends it with 124', () => {
    expect(home.tenon([...open, '-c', 'echo $((40 + 2)); exit 3'])).toMatchObject({ out: '42\n', code: 3 });
    expect(home.tenon([...open, '--timeout', '1', '-c', 'echo begun; sleep 60'])).toMatchObject({
      out: 'begun\n',
      err: '[The time limit has ended the command.]\n',
      code: 124,
    });
  });

  it('runs under the profile that the flag names', (context) => {
    if (home.tenon(['shell', '--sandbox', 'read-only', '-c', 'true']).code !== 0) return context.skip();
    const outside = join(home.folder, 'outside');
    const closed = home.tenon(['shell', '--sandbox', 'read-only', '-c', 'touch made']);
    expect(closed).toMatchObject({ code: 1, err: expect.stringMatching(/^\[Sandbox read-only .*sandbox\.profile/) });
    expect(home.tenon(['shell', '--sandbox', 'workspace-write', '-c', 'touch made']).code).toBe(0);
    expect(home.tenon([...open, '-c', `touch ${outside}`]).code).toBe(0);
    expect([existsSync(join(home.work, 'made')), existsSync(outside)]).toEqual([true, true]);
  });

  it('sees the start files of the user, unless they are not wanted', () => {
    home.put('.bashrc', 'greet() { echo "hello from the start files"; }\n');
    expect(home.tenon([...open, '-c', 'greet']).out).toBe('hello from the start files\n');
    expect(home.tenon([...open, '--no-start-files', '-c', 'greet']).code).toBe(127);
  });
});

it.each([
  [['--timeout', 'soon'], 'SHELL_TOOLS_TIMEOUT'],
  [['--timeout', '0'], 'SHELL_TOOLS_TIMEOUT'],
  [['--sandbox', 'open'], 'COMMAND_LINE_CHOICE'],
  [['ls'], 'COMMAND_LINE'],
])('tenon shell %j is wrong usage: %s', (words, code) => {
  expect(home.tenon(['shell', ...words])).toMatchObject({ code: 2, err: expect.stringContaining(`code: ${code}`) });
});
