/** A variable stands for a statement wherever a language has one: a call, a `return`, a block. */
import { describe, expect, it } from 'vitest';

import { implementations } from '../src/index.ts';

const STATEMENTS = `
if (a) b(); else c();
if (a) { b(); } else { c(); }
if (a) b();
if (a) return 1; else return 2;
if (a) b(); else if (d) { e(); } else f();
while (a) b();
while (a) { b(); }
for (i = 0; i < 2; i++) b();
for (i = 0; i < 2; i++) { return 3; }
`;
const COUNTS = {
  'if ($A) $B': 6,
  'if ($A) $B else $C': 5,
  'if ($A) $B else { $$$C }': 1,
  'if ($A) { $$$B } else $C': 2,
  'if ($A) return $B; else $C': 1,
  'if ($A) $B else if ($C) $D else $E': 1,
  'while ($A) $B': 2,
  'for ($A; $B; $C) $D': 2,
};

const LANGUAGES = [
  ['a.c', 'void f() {', '}'],
  ['a.cpp', 'void f() {', '}'],
  ['a.java', 'class A { int f() {', '} }'],
  ['a.cs', 'class A { int f() {', '} }'],
  ['a.ts', 'function f() {', '}'],
  ['a.js', 'function f() {', '}'],
  ['a.dart', 'f() {', '}'],
  ['a.sol', 'contract A { function f() public {', '} }'],
] as const;

describe.each(await implementations('syntax'))('a variable for a statement, $kind', ({ implementation }) => {
  const count = async (path: string, content: string, pattern: string) => {
    const { matches, issues } = await implementation.search({ sources: [{ path, content }], patterns: [pattern] });
    return issues.length > 0 ? issues : matches.length;
  };

  it.each(LANGUAGES)('finds all of them in %s', async (path, before, after) => {
    const counts: Record<string, unknown> = {};
    for (const pattern of Object.keys(COUNTS))
      counts[pattern] = await count(path, `${before}${STATEMENTS}${after}\n`, pattern);
    expect(counts).toEqual(COUNTS);
  });

  it('reads what stands in the middle of a construct by itself', async () => {
    const arms = 'class A { int F(int n) => n switch { 1 => 2, 3 => G(4), _ => 5 }; }\n';
    expect(await count('a.cs', arms, '1 => $A')).toBe(1);
    expect(await count('a.cs', arms, '3 => G($A)')).toBe(1);
    expect(await count('a.php', '<?php $x = match ($n) { 1 => 2, 3 => 4 };\n', '1 => $A')).toBe(1);
    expect(
      await count('a.cs', 'class A { void F() { foreach (var a in b) G(a); } }\n', 'foreach ($T $A in $B) $C'),
    ).toBe(1);
    expect(await count('A.java', 'class A { A(int n) { super(n, 1); } }\n', 'super($$$A);')).toBe(1);
  });

  it('keeps the call apart from a cast', async () => {
    const code = 'int f(int y) { int x = (int) y; if (y) x = 2; return x; }\n';
    expect(await count('a.c', code, '($T) $A')).toBe(1);
  });

  it('takes a name with braces in C++ for a variable, and not for a function', async () => {
    const content = 'int f() { return 1; }\nvoid g() { Point p{1, 2}; std::vector<int> v{1, 2, 3}; int n = 1; }\n';
    expect(await count('a.cpp', content, '$T $A{$$$B};')).toBe(2);
  });

  it.each(['a.js', 'a.ts', 'a.tsx'])(
    'refuses a `for` without its parts in %s instead of finding nothing',
    async (path) => {
      const content = 'for (const a of b) { c(a); }\nfor (let i = 0; i < 2; i++) { d(i); }\n';
      expect(await count(path, content, 'for ($$$A) { $$$B }')).toMatchObject([{ kind: 'pattern' }]);
      expect(await count(path, content, 'for (const $A of $B) { $$$C }')).toBe(1);
    },
  );

  it('looks at what comes before and after in a long file without looking at all of it for each', async () => {
    const lines = Array.from({ length: 900 }, (_, at) => `a(${at});`).join('\n');
    const found = async (relation: 'follows' | 'precedes') => {
      const rule = {
        pattern: 'a($A)',
        inside: { kind: 'expression_statement', [relation]: { pattern: 'b();', stopBy: 'end' as const } },
      };
      const content = relation === 'follows' ? `b();\n${lines}\n` : `${lines}\nb();\n`;
      const { matches, issues } = await implementation.search({ sources: [{ path: 'a.js', content }], rules: [rule] });
      return issues.length > 0 ? issues : matches.length;
    };
    expect([await found('follows'), await found('precedes')]).toEqual([900, 900]);
  });
});
