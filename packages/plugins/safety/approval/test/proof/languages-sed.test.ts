import fc from 'fast-check';
import { caseCount } from '@tenon/test-kit/properties';
import { describe, expect, it } from 'vitest';
import { readSed, SedRefusal } from '../../src/proof/languages/sed.ts';
import { Canary, isInstalled } from './canary.ts';

function understood(script: string): boolean {
  try {
    readSed(script);
    return true;
  } catch (error) {
    if (error instanceof SedRefusal) return false;
    throw error;
  }
}

const HARMLESS = [
  '1,20p',
  's/a/b/g',
  's|/usr|/opt|',
  '/x/d',
  '$d',
  '5q',
  '/start/,/end/p',
  '1!G;h;$!d',
  ':a;N;$!ba;s/\\n/ /g',
  's/[[:space:]]*$//',
  's/[\\/]/-/g',
  '/^#/!s/a/b/2p',
  '0~3p',
  '/x/I,+3d',
  'y/abc/xyz/',
  'N;P;D',
  '/x/{s/a/b/;p}',
  '$!N;s/^\\(.*\\)\\n\\1$/\\1/;t\nP;D',
  'a foo; e bar',
  '/x/i\\\ntext with ; e id',
  's/\\(a\\)/\\1 &/',
  '/e/s/e/e/',
  '# a comment: e id\np',
  's#http://#https://#',
  '/BEGIN/,$!d',
];

const DANGEROUS = [
  'e',
  'e id',
  '1e',
  '$!e id',
  '/x/e',
  's/a/b/e',
  's/a/b/ge',
  's/a/b/Ie',
  's/a/b/ e',
  's|a|b|e',
  'p;e id',
  '{p;e id\n}',
  's/[/]/x/e;#]/x/',
  'a\\ \ne id',
  'a foo\ne id',
  'i\\\nfoo\ne id',
  'r x\ne id',
  'bx;e id\n:x',
  '/[/]e id;#]/p',
  'y/[/]/;e id;#/',
  '\\,x,e id',
  '\\nxne id',
  's/a/b/;;;\t1,2!e',
  '}e',
  'v',
  'M',
  's/a/b/w',
  'w ~/.bashrc',
  's/a/b/w a;b',
  's\na\nb\n',
  'sxaxbx',
];

describe('scripts of sed', () => {
  for (const script of HARMLESS)
    it(`understands ${JSON.stringify(script)}`, () => expect(readSed(script)).toEqual({ reads: [], writes: [] }));

  for (const script of DANGEROUS)
    it(`does not understand ${JSON.stringify(script)}`, () => expect(understood(script)).toBe(false));

  it('says which files a script reads and writes', () => {
    expect(readSed('/x/r header.txt\ns/a/b/w out/log.txt\nw /etc/passwd')).toEqual({
      reads: ['header.txt'],
      writes: ['out/log.txt', '/etc/passwd'],
    });
  });

  it('never understands a script with the command e, wherever it stands', () => {
    const address = fc.constantFrom('', '1', '$', '1,3', '/x/', '\\|x|', '/x/I', '0~2', '/a/,+2', '1!', '/x/ ! ');
    const before = fc.array(
      fc.constantFrom(
        'p',
        's/a/b/',
        's|a|b|g',
        'y/a/b/',
        '/x/d',
        'N',
        'n;n',
        '{p}',
        '# x\n',
        ':l',
        'a text\n',
        'bl',
        'r x\n',
      ),
      { maxLength: 4 },
    );
    const danger = fc.constantFrom('e', 'e id', 'e\tid', 's/a/b/e', 's,a,b,pe', 's/a/b/2e', '{e id\n}', '{;e\n}');
    const separator = fc.constantFrom(';', '\n', ' ; ', ';;', '\n\n\t');
    fc.assert(
      fc.property(
        before,
        address,
        danger,
        separator,
        fc.constantFrom('', ';p', '\np', ' # x'),
        (commands, where, run, joint, rest) => {
          expect(understood([...commands, where + run].join(joint) + rest)).toBe(false);
        },
      ),
      { numRuns: caseCount(500) },
    );
  });

  it.runIf(isInstalled('sed'))(
    'understands only scripts that run nothing and make no file, as the real sed shows',
    () => {
      const canary = new Canary();
      const piece = fc.constantFrom(
        ...'s / a b \\ [ ] ^ ; { } ! $ 1 , g p I # | y d N = q & . * % : t'.split(' '),
        ...[
          '\n',
          ' ',
          'e touch PWN',
          'e',
          's/a/touch PWN/e',
          'w PWN',
          'W PWN',
          's/a/b/w PWN',
          's/a/b/',
          's|a|b|',
          'a\\',
          'i ',
          'c\\\n',
        ],
        ...['[[:alpha:]]', '[[:a', '[^]]', '[]]', '\\n', '\\/', '\\\n', '\\|', '\\c', '/x/', ':a', 'ba', 'é'],
      );
      const script = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
      let tried = 0;
      fc.assert(
        fc.property(
          fc.oneof(
            script,
            script.map((text) => `s/a/${text}`),
            script.map((text) => `s/a/b/;${text}`),
          ),
          (text) => {
            if (!understood(text)) return;
            const { writes } = readSed(text);
            if (writes.length > 0) return;
            tried++;
            expect(canary.effectsOf('sed', [text, 'in'])).toEqual([]);
            expect(canary.effectsOf('sed', ['-E', '-n', text, 'in'])).toEqual([]);
            if (isInstalled('busybox')) expect(canary.effectsOf('busybox', ['sed', text, 'in'])).toEqual([]);
          },
        ),
        { numRuns: caseCount(2500) },
      );
      expect(tried).toBeGreaterThan(20);
    },
  );

  it.runIf(isInstalled('sed'))('has a canary that sings', () => {
    const canary = new Canary();
    expect(canary.effectsOf('sed', ['e touch PWN', 'in'])).toEqual(['ran']);
    expect(canary.effectsOf('sed', ['w PWN', 'in'])).toEqual(['PWN']);
  });
});
