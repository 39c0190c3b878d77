import { execFileSync } from 'node:child_process';
import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillShell, fillText, splitArguments, takesArguments } from '../src/arguments.ts';
import { parseTemplate } from '../src/template.ts';

describe('what is typed behind a command', () => {
  it('is split as a shell splits it', () => {
    expect(splitArguments(`  one "two words" 'th"ree' fo\\ ur it's  `).words).toEqual([
      'one',
      'two words',
      'th"ree',
      'fo ur',
      "it's",
    ]);
    expect(splitArguments('a ""').words).toEqual(['a', '']);
    expect(splitArguments('   ')).toEqual({ whole: '', words: [] });
  });

  it('goes where the text says', () => {
    const args = splitArguments('one "two words" three');
    const fill = (text: string) => fillText(text, args, 'markdown');
    expect(fill('$1|$2|$3|$4|${2}')).toBe('one|two words|three||two words');
    expect(fill('$ARGUMENTS')).toBe('one "two words" three');
    expect(fill('$@ / ${@:2} / ${@:2:1} / $ARGUMENTS[0]')).toBe(
      'one two words three / two words three / two words / one',
    );
    expect(fill('costs \\$1, $USER and $ARGUMENTSX')).toBe('costs $1, $USER and $ARGUMENTSX');
    expect(fillText('x {{args}} {{ args }} $1', args, 'gemini')).toBe(
      'x one "two words" three one "two words" three $1',
    );
  });

  it('is not looked at again', () => {
    expect(fillText('$1 $2', splitArguments(`'$2' '!\`rm x\`'`), 'markdown')).toBe('$2 !`rm x`');
  });

  it('counts only when the text has a place for it', () => {
    expect(takesArguments('a \\$1 {{args}}', 'markdown')).toBe(false);
    expect(takesArguments('a $1', 'markdown')).toBe(true);
    expect(takesArguments('a {{args}}', 'gemini')).toBe(true);
  });

  it('stays what it is in a shell, whatever it holds and however it is quoted', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('a', ' ', '"', "'", '`', '$', '(', ')', ';', '\\', '\n', '&', '|', '*', '~'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const args = { whole: `${one} ${two}`, words: [one, two] };
        const command = fillShell(`printf '%s\\0' $1 "$1" '$1' $@ "x$2y"`, args, 'markdown');
        const expected = [one, one, one, one, two, `x${two}y`];
        expect(execFileSync('bash', ['-c', command], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(expected);
        const gemini = fillShell(`printf '%s\\0' {{args}} "{{args}}"`, args, 'gemini');
        expect(execFileSync('bash', ['-c', gemini], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual([
          args.whole,
          args.whole,
        ]);
      }),
      { numRuns: caseCount(60) },
    );
  });
});

describe('the text of a command', () => {
  const kinds = (body: string, syntax: 'markdown' | 'gemini' = 'markdown') =>
    parseTemplate(body, syntax).flatMap((part) => {
      if (part.kind === 'text') return [];
      return [part.kind === 'shell' ? `! ${part.command}` : `@ ${part.path}`];
    });

  it('has shell lines and files', () => {
    const body =
      'Status: !`git status`\n```!\nls\npwd\n```\nSee @src/a.ts, (@b.md). Mail me@x.org `@c` ![image](x.png)';
    expect(kinds(body)).toEqual(['! git status', '! ls\npwd', '@ src/a.ts', '@ b.md']);
    const parts = parseTemplate(body, 'markdown');
    expect(parts.map((part) => (part.kind === 'text' ? part.text : part.source)).join('')).toBe(body);
  });

  it('has braces in the syntax of Gemini', () => {
    expect(kinds('!{awk "{print $1}" x} and @{a b.txt} and !{open', 'gemini')).toEqual([
      '! awk "{print $1}" x',
      '@ a b.txt',
    ]);
    expect(kinds('!`ls` @a', 'gemini')).toEqual([]);
  });
});
