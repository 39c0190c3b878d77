/** Programs and patterns of ours in every language that ast-grep has a grammar of, for the suite that compares with it. */

/** One language: a program, patterns that ast-grep reads as we do, and patterns that it cannot read, with our count. */
export interface CorpusEntry {
  /** The language as ast-grep calls it. */
  readonly lang: string;
  readonly path: string;
  readonly program: string;
  readonly patterns: readonly string[];
  readonly beyond: readonly (readonly [pattern: string, matches: number])[];
}

/** All of them. */
export const CORPUS: readonly CorpusEntry[] = [
  {
    lang: 'c',
    path: 'a.c',
    program: `#include <stdio.h>
#define MAX 10
#define SQ(x) ((x)*(x))
struct point { int x; int y; };
enum color { RED, GREEN };
typedef int num;
static int add(int a, int b) { return a + b; }
int main(void) {
  int i = 0;
  for (i = 0; i < MAX; i++) add(i, 1);
  for (int j = 0; j < 3; j++) { printf("%d", j); }
  while (i > 0) { i--; }
  do { i++; } while (i < 3);
  if (i == 3) { return 1; } else { i = 4; }
  if (i) return 2;
  switch (i) { case 1: break; default: i = 2; }
  struct point *p = malloc(sizeof(struct point));
  p->x = 3; p->y = i ? 1 : 2;
  int arr[3] = {1, 2, 3};
  arr[0] = add(1, 2);
  goto end;
end:
  return 0;
}
`,
    patterns: [
      'for ($A; $B; $C) $D',
      'for ($A; $B; $C) { $$$D }',
      '#define $A $B',
      '#include $A',
      'enum $A { $$$B }',
      'typedef $A $B;',
      'int $F($$$P) { $$$B }',
      '$T $F($$$P) { $$$B }',
      'while ($A) { $$$B }',
      'while ($A) $B',
      'do { $$$A } while ($B);',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) $B',
      'if ($A) return $B;',
      'switch ($A) { $$$B }',
      'case $A: $$$B',
      'return $A;',
      'return $A',
      '$A->$B',
      '$A->$B = $C',
      '$A = $B',
      '$A == $B',
      '$A ? $B : $C',
      '$F($A, $B)',
      'add($A, $B)',
      'sizeof($A)',
      '$A[$B]',
      'int $A = $B;',
      'int $A = $B',
      'goto $L;',
      '$A++',
      '$L:',
      'malloc($A);',
      '$A + $B',
      '(x)',
      '$T *$P = $V;',
      '#define $A($$$P) $B',
      'static $T $F($$$P) { $$$B }',
      'break;',
      '{ $$$A }',
    ],
    beyond: [
      ['struct $A { $$$B }', 1],
      ['struct $A { $$$B };', 1],
      ['$F($$$A)', 4],
      ['printf($$$A)', 1],
    ],
  },
  {
    lang: 'java',
    path: 'a.java',
    program: `package a.b;
import java.util.List;
import static java.lang.Math.max;
@Deprecated
public class Foo extends Bar implements Baz, Qux {
  private int x = 1;
  static final String S = "s";
  public Foo(int x) { this.x = x; super.foo(); }
  @Override public int get(String a, int b) throws IOException {
    for (int i = 0; i < 3; i++) { foo(i); }
    for (String s : list) { System.out.println(s); }
    while (x > 1) { x--; }
    if (x == 1) { return 1; } else { x = 2; }
    switch (x) { case 1: foo(); break; default: bar(); }
    try { foo(); } catch (Exception e) { log(e); } finally { bar(); }
    List<String> l = new ArrayList<>();
    Runnable r = () -> foo(1);
    int y = x > 1 ? 2 : 3;
    synchronized (this) { foo(); }
    throw new IllegalStateException("a");
  }
}
class A extends B { int q; }
interface I { void m(); }
enum E { X, Y }
record R(int a) { }
`,
    patterns: [
      'class $A extends $B { $$$C }',
      'class $A { $$$B }',
      'public class $A extends $B implements $$$I { $$$C }',
      'interface $A { $$$B }',
      'enum $A { $$$B }',
      'record $A($$$P) { $$$B }',
      'import $A;',
      'package $A;',
      'for ($A; $B; $C) { $$$D }',
      'for ($T $V : $X) { $$$B }',
      'while ($A) { $$$B }',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) { $$$B }',
      'switch ($A) { $$$B }',
      'try { $$$A } catch ($T $E) { $$$B }',
      'try { $$$A } catch ($T $E) { $$$B } finally { $$$C }',
      'new $T($$$A)',
      '$A -> $B',
      '() -> $B',
      '$A ? $B : $C',
      'throw new $E($$$A);',
      'throw $A;',
      'return $A;',
      'return $A',
      '$A.$M($$$X)',
      '$M($$$X)',
      'foo($A)',
      'System.out.println($A)',
      'System.out.println($A);',
      '$T $V = $X;',
      'int $A = $B;',
      'private int $A = $B;',
      'public $T $M($$$P) { $$$B }',
      'void $M($$$P) { $$$B }',
      'void $M();',
      '@Override',
      '@$A',
      'synchronized ($A) { $$$B }',
      '$A = $B',
      '$A == $B',
      'this.$A = $B',
      'public Foo($$$P) { $$$B }',
    ],
    beyond: [
      ['catch ($T $E) { $$$B }', 1],
      ['case $A: $$$B', 1],
    ],
  },
  {
    lang: 'ts',
    path: 'a.ts',
    program: `import { a, b } from 'x';
import c from 'y';
import * as d from 'z';
export class Foo<T> extends Bar implements Baz { private x: number = 1; constructor(a: string) { super(a); } get y() { return this.x; } async m(a: string, b?: number): Promise<void> { await foo(a); } static s = 2; }
class P extends Q { z() {} }
interface I extends J { a: string; b(): void; }
type U = A | B;
enum E { X, Y = 2 }
export function f(a: number, b = 2): number { return a + b; }
async function g() { for (const x of y) { foo(x); } for (let i = 0; i < 3; i++) { bar(i); } for (const k in o) baz(k); }
const h = (a: number) => a * 2;
const k = async () => { await foo(); };
switch (v) { case 1: foo(); break; default: bar(); }
if (a) { foo(); } else if (b) { bar(); } else { baz(); }
while (x) { foo(); }
do { foo(); } while (x);
try { foo(); } catch (e) { bar(e); } finally { baz(); }
const { p, q: r } = obj; const [s, t] = arr;
let u = a ?? b; let w = a?.b?.c; let z = <T>a; let aa = a as string; let bb = a!;
const o = { a: 1, b, ...c, m() { return 1; }, get g() { return 2; } };
export default foo; export { a as b }; export const X = 1;
throw new Error('x'); 
label: for (;;) { break label; }
declare module 'm' { }
namespace N { export const q = 1; }
abstract class AB { abstract m(): void; }
delete o.a; typeof a; void 0; a instanceof B; 'x' in o; new Foo(1, 2); x => x; \`a\${b}c\`;
@dec class D { @prop() p = 1; }
const either = x || y || foo(1);
`,
    patterns: [
      '$A ||',
      'switch ($A) { $$$B }',
      'class $A extends $B { $$$C }',
      'class $A { $$$B }',
      'class $A<$T> extends $B implements $C { $$$D }',
      'export class $A { $$$B }',
      'interface $A { $$$B }',
      'interface $A extends $B { $$$C }',
      'type $A = $B',
      'enum $A { $$$B }',
      'export function $F($$$A): $R { $$$B }',
      'function $F($$$A) { $$$B }',
      'async function $F($$$A) { $$$B }',
      'for (const $A of $B) { $$$C }',
      'for (let $A = $B; $C; $D) { $$$E }',
      'for ($A; $B; $C) { $$$D }',
      'for (const $K in $O) $S',
      '($$$A) => $B',
      'async () => { $$$B }',
      '$A => $B',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) { $$$B }',
      'while ($A) { $$$B }',
      'do { $$$A } while ($B)',
      'try { $$$A } catch ($E) { $$$B }',
      'try { $$$A } catch ($E) { $$$B } finally { $$$C }',
      'const { $$$A } = $B',
      'const [$$$A] = $B',
      '$A ?? $B',
      '$A?.$B',
      '$A as $T',
      '$A!',
      '{ $$$A }',
      '({ $$$A })',
      'export default $A',
      'export { $$$A }',
      'export const $A = $B',
      'throw new Error($A)',
      'throw $A',
      'import { $$$A } from $B',
      'import { $$$A } from "x"',
      "import $A from 'y'",
      "import * as $A from 'z'",
      'import $A from $B',
      'new $A($$$B)',
      'await $A',
      'delete $A',
      'typeof $A',
      '$A instanceof $B',
      'default: $$$B',
      '$A: $B',
      'abstract class $A { $$$B }',
      'namespace $A { $$$B }',
      '@$D',
      'label: $A',
      '`$$$A`',
      '$A.$B',
      '$F($$$A)',
      'return $A',
      'a: string',
      'let $A: $T',
      'let $A = $B',
      '$A = $B;',
      'break',
      'break $L',
    ],
    beyond: [
      ['case $A: $$$B', 1],
      ['case $A: foo(); break;', 1],
      ['catch ($E) { $$$B }', 1],
      ['constructor($$$A) { $$$B }', 1],
      ['get $A() { $$$B }', 2],
      ['async $M($$$A): $R { $$$B }', 1],
      ['private $A: $T = $V', 1],
      ['static $A = $V', 1],
      ['$M($$$A) { $$$B }', 3],
    ],
  },
  {
    lang: 'go',
    path: 'a.go',
    program: `package main
import "fmt"
import ( a "b"; "c" )
type Point struct { X int; Y int }
type Shape interface { Area() float64 }
type ID = string
const Pi = 3
var g int = 1
func add(a int, b int) int { return a + b }
func (p *Point) Move(dx int) error { p.X += dx; return nil }
func main() {
  x := 1
  var y = 2
  if x == 1 { fmt.Println(x) } else { y = 3 }
  if err := foo(); err != nil { return }
  for i := 0; i < 3; i++ { fmt.Println(i) }
  for k, v := range m { fmt.Println(k, v) }
  for x < 3 { x++ }
  for { break }
  switch x { case 1: fmt.Println("a"); default: y = 1 }
  switch t := v.(type) { case int: foo() }
  select { case c := <-ch: foo(c) }
  go foo(1)
  defer func() { bar() }()
  m := map[string]int{"a": 1}
  s := []int{1, 2}
  s = append(s, 3)
  z, err := foo(1)
  p := &Point{X: 1, Y: 2}
  ch <- 1
  f := func(a int) int { return a }
  _ = s[1:2]
}
`,
    patterns: [
      'switch $A { $$$B }',
      'switch { $$$B }',
      'switch $A := $B.(type) { $$$C }',
      'select { $$$A }',
      'type $A struct { $$$B }',
      'type $A interface { $$$B }',
      'type $A = $B',
      'const $A = $B',
      'var $A = $B',
      'var $A $T = $B',
      'func $F($$$P) $R { $$$B }',
      'func $F($$$P) { $$$B }',
      'func ($R $T) $F($$$P) $E { $$$B }',
      'func ($R) $F($$$P) $E { $$$B }',
      '$A := $B',
      '$A, $B := $C',
      '$A = $B',
      '$A = append($A, $$$B)',
      'if $A { $$$B }',
      'if $A { $$$B } else { $$$C }',
      'if err != nil { $$$A }',
      'if $A := $B; $C { $$$D }',
      'for $A := 0; $B; $C { $$$D }',
      'for $A, $B := range $C { $$$D }',
      'for $A { $$$B }',
      'for { $$$A }',
      'go $F($$$A)',
      'defer $A',
      'defer func() { $$$A }()',
      'map[$A]$B{$$$C}',
      '[]$T{$$$A}',
      '&$T{$$$A}',
      '$A <- $B',
      'return $A',
      'return',
      'import $A',
      'import "fmt"',
      'package $A',
      'func($$$P) $R { $$$B }',
      '$F($$$A)',
      '$A == $B',
      '$A[$B]',
    ],
    beyond: [
      ['fmt.Println($$$A)', 4],
      ['fmt.Println($A)', 3],
      ['$A.$B', 5],
      ['case $A: $$$B', 2],
      ['X int', 1],
    ],
  },
  {
    lang: 'rust',
    path: 'a.rs',
    program: `use std::io;
use a::{b, c};
#[derive(Debug)]
pub struct Point { pub x: i32, y: i32 }
struct Unit;
struct Tup(i32, i32);
pub enum E { A, B(i32), C { x: i32 } }
pub trait T { fn m(&self) -> i32; }
impl Point { pub fn new(x: i32) -> Self { Point { x, y: 0 } } fn z(&self) { } }
impl T for Point { fn m(&self) -> i32 { self.x } }
impl<T> Foo<T> for Bar<T> where T: Clone { }
fn add(a: i32, b: i32) -> i32 { a + b }
pub fn main() {
  let x = 1; let mut y: i32 = 2;
  match x { 1 => foo(), 2 | 3 => { bar() } _ => baz(), }
  if x == 1 { foo(); } else { bar(); }
  if let Some(v) = opt { foo(v); }
  for i in 0..3 { foo(i); }
  while x < 3 { y += 1; }
  loop { break; }
  let v = vec![1, 2];
  println!("{}", x);
  let c = |a| a + 1;
  x.unwrap(); foo()?; x.map(|z| z).collect::<Vec<_>>();
  let p = Point { x: 1, y: 2 };
  unsafe { foo(); }
  return;
}
mod m { pub fn q() {} }
const C: i32 = 1;
static S: &str = "a";
type Al = Vec<i32>;
macro_rules! mm { () => {} }
async fn af() { foo().await; }
`,
    patterns: [
      'match $A { $$$B }',
      'impl $A { $$$B }',
      'impl $A for $B { $$$C }',
      'pub struct $A { $$$B }',
      'struct $A { $$$B }',
      'struct $A;',
      'enum $A { $$$B }',
      'pub enum $A { $$$B }',
      'trait $A { $$$B }',
      'pub trait $A { $$$B }',
      'fn $F($$$P) -> $R { $$$B }',
      'fn $F($$$P) { $$$B }',
      'pub fn $F($$$P) { $$$B }',
      'pub fn $F($$$P) -> $R { $$$B }',
      'fn $F(&self) -> $R { $$$B }',
      'async fn $F($$$P) { $$$B }',
      'let $A = $B;',
      'let $A = $B',
      'let mut $A: $T = $B;',
      'if $A { $$$B } else { $$$C }',
      'if $A { $$$B }',
      'if let Some($A) = $B { $$$C }',
      'if let $A = $B { $$$C }',
      'for $A in $B { $$$C }',
      'while $A { $$$B }',
      'loop { $$$A }',
      'vec![$$$A]',
      'println!($$$A)',
      'println!("{}", $A)',
      '|$A| $B',
      '$A.unwrap()',
      '$A?',
      '$A.await',
      '$A.$M($$$X)',
      '$F($$$A)',
      'foo($A)',
      'Point { $$$A }',
      '$T { $$$A }',
      'unsafe { $$$A }',
      'return;',
      'return $A;',
      'return $A',
      'use $A;',
      'use $A::{$$$B};',
      'mod $A { $$$B }',
      'const $A: $T = $B;',
      'static $A: $T = $B;',
      'type $A = $B;',
      '#[derive($$$A)]',
      '#[$A]',
      'Some($A)',
      '$A..$B',
      '$A + $B',
      '$A += $B',
      'fn $F($$$P) -> $R;',
    ],
    beyond: [
      ['$A => $B', 3],
      ['$A => $B,', 2],
      ['$A::$B', 1],
      ['pub x: i32', 1],
    ],
  },
  {
    lang: 'python',
    path: 'a.py',
    program: `import os
from a import b, c
@dec
class Foo(Bar):
    x = 1
    def m(self, a, b=2):
        return a + b
    async def n(self): await foo()
def f(a, *args, **kw) -> int:
    for x in y:
        print(x)
    while x > 1:
        x -= 1
    if a == 1:
        foo()
    elif b:
        bar()
    else:
        baz()
    try:
        foo()
    except ValueError as e:
        bar(e)
    finally:
        baz()
    with open('f') as fh:
        fh.read()
    z = [i for i in range(3) if i]
    d = {'a': 1, **k}
    l = lambda q: q + 1
    raise ValueError('x')
    assert x == 1, 'm'
    del x
    return None
match v:
    case 1:
        foo()
    case _:
        bar()
print(f"a{b}c")
x: int = 3
a, b = b, a
`,
    patterns: [
      'class $A($B): $$$C',
      'class $A: $$$B',
      'def $F($$$P): $$$B',
      'def $F($$$P) -> $R: $$$B',
      'async def $F($$$P): $$$B',
      'for $A in $B: $$$C',
      'while $A: $$$B',
      'if $A: $$$B',
      'if $A:\n    $$$B\nelse:\n    $$$C',
      'try: $$$A\nexcept $E: $$$B',
      'try:\n    $$$A\nexcept $T as $E:\n    $$$B',
      'with $A as $B: $$$C',
      'with open($F) as $H: $$$C',
      'import $A',
      'from $A import $$$B',
      'from $A import $B',
      'print($A)',
      'print($$$A)',
      '$F($$$A)',
      '$A.$B',
      '$A.$M($$$X)',
      '$A = $B',
      '$A: $T = $B',
      '$A, $B = $C',
      '$A == $B',
      '$A + $B',
      '[$A for $B in $C]',
      '[$A for $B in $C if $D]',
      '{$$$A}',
      'lambda $A: $B',
      'raise $A',
      'raise $E($M)',
      'assert $A',
      'assert $A, $B',
      'del $A',
      'return $A',
      'return',
      'await $A',
      '@$D',
      '@dec',
      'match $A:\n    $$$B',
      '$A[$B]',
      'f"$A"',
      'not $A',
      '$A if $B else $C',
      '$A -= $B',
      'pass',
    ],
    beyond: [
      ['case $A: $$$B', 2],
      ['except $E: $$$B', 1],
      ['elif $A: $$$B', 1],
      ['else: $$$B', 1],
    ],
  },
  {
    lang: 'cpp',
    path: 'a.cpp',
    program: `#include <vector>
#define MAX 10
namespace ns { int q = 1; }
template <typename T> T mx(T a, T b) { return a > b ? a : b; }
class Foo : public Bar { public: Foo(int a) : x(a) {} virtual void m() const; int x; private: int y = 2; };
struct P { int x; int y; };
enum class Color { Red, Green };
int add(int a, int b) { return a + b; }
int main() {
  std::vector<int> v = {1, 2};
  for (int i = 0; i < 3; i++) { add(i, 1); }
  for (auto &x : v) { std::cout << x; }
  auto f = [&](int a) { return a + 1; };
  try { foo(); } catch (const std::exception &e) { bar(e); }
  if (x == 1) { return 1; } else { y = 2; }
  while (x) { x--; }
  switch (x) { case 1: foo(); break; default: bar(); }
  Foo *p = new Foo(1); delete p; p->m(); x = p->x; throw std::runtime_error("a");
  auto q = static_cast<int>(x); foo(nullptr); ns::foo(1);
  return 0;
}
`,
    patterns: [
      '#include $A',
      '#define $A $B',
      'namespace $A { $$$B }',
      'template <typename $T> $$$A',
      'enum class $A { $$$B }',
      'for ($A; $B; $C) { $$$D }',
      'for (int $A = $B; $C; $D) { $$$E }',
      'for (auto &$A : $B) { $$$C }',
      'try { $$$A } catch ($$$E) { $$$B }',
      'try { $$$A } catch ($E) { $$$B }',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) { $$$B }',
      'while ($A) { $$$B }',
      'switch ($A) { $$$B }',
      'new $A($$$B)',
      'delete $A',
      'delete $A;',
      '$A->$B()',
      '$A->$B',
      'throw $A;',
      'throw $E($M);',
      'static_cast<$T>($A)',
      '$F($$$A)',
      '$F($A)',
      'std::vector<$T> $A = $B;',
      'return $A;',
      '$A = $B',
      '$A << $B',
      'auto $A = $B;',
      'case $A: $$$B',
      'using namespace $A;',
      '$A ? $B : $C',
      'catch ($$$E) { $$$B }',
      'virtual void $M() const;',
    ],
    beyond: [
      ['class $A : public $B { $$$C };', 1],
      ['struct $A { $$$B };', 1],
      ['struct $A { $$$B }', 1],
      ['int $F($$$P) { $$$B }', 2],
      ['[&]($$$A) { $$$B }', 1],
      ['ns::$F($$$A)', 1],
      ['$A::$B($$$C)', 2],
    ],
  },
  {
    lang: 'cs',
    path: 'a.cs',
    program: `using System;
namespace N { 
[Serializable]
public class Foo : Bar, IBaz { private int x = 1; public int X { get; set; } public Foo(int a) { this.x = a; } public int Get(string a, int b) { for (int i = 0; i < 3; i++) { Foo(i); } foreach (var s in list) { Console.WriteLine(s); } while (x > 1) { x--; } if (x == 1) { return 1; } else { x = 2; } switch (x) { case 1: Foo(); break; default: Bar(); break; } try { Foo(); } catch (Exception e) { Log(e); } finally { Bar(); } var l = new List<string>(); Func<int, int> f = a => a + 1; int y = x > 1 ? 2 : 3; using (var z = Open()) { z.Read(); } lock (this) { Foo(); } throw new InvalidOperationException("a"); } async Task M() { await Foo(); } }
interface I { void M(); }
enum E { A, B }
struct S { int a; }
record R(int A);
}
`,
    patterns: [
      'class $A : $B { $$$C }',
      'public class $A : $$$B { $$$C }',
      'class $A { $$$B }',
      'interface $A { $$$B }',
      'enum $A { $$$B }',
      'struct $A { $$$B }',
      'namespace $A { $$$B }',
      'using $A;',
      'switch ($A) { $$$B }',
      'try { $$$A } catch ($T $E) { $$$B }',
      'try { $$$A } catch ($T $E) { $$$B } finally { $$$C }',
      'new $T($$$A)',
      'new List<$T>()',
      'lock ($A) { $$$B }',
      'throw new $E($$$A);',
      'throw $A;',
      'return $A;',
      '$A.$M($$$X)',
      'Console.WriteLine($A)',
      'Console.WriteLine($A);',
      'Foo($A)',
      '$F($$$A)',
      'var $A = $B;',
      'int $A = $B;',
      'public $T $M($$$P) { $$$B }',
      'private int $A = $B;',
    ],
    beyond: [
      ['[Serializable]', 1],
      ['for ($A; $B; $C) { $$$D }', 1],
      ['for (int $A = $B; $C; $D) { $$$E }', 1],
      ['foreach (var $A in $B) { $$$C }', 1],
      ['while ($A) { $$$B }', 1],
      ['if ($A) { $$$B } else { $$$C }', 1],
      ['if ($A) { $$$B }', 1],
      ['$A => $B', 1],
      ['$A ? $B : $C', 1],
      ['using ($A) { $$$B }', 1],
      ['using (var $A = $B) { $$$C }', 1],
      ['$A = $B', 2],
      ['$A == $B', 1],
      ['await $A', 1],
      ['this.$A = $B', 1],
      ['case $A: $$$B', 1],
      ['catch ($T $E) { $$$B }', 1],
      ['public int $A { get; set; }', 1],
    ],
  },
  {
    lang: 'ruby',
    path: 'a.rb',
    program: `require 'set'
module M
  class Foo < Bar
    attr_reader :x
    def initialize(a, b = 2)
      @x = a
      super(a)
    end
    def self.make(*args) = new(*args)
    def each(&block)
      @list.each { |y| puts y }
      list.map do |z|
        z + 1
      end
    end
  end
end
def add(a, b)
  return a + b
end
if x == 1
  foo(1)
elsif y
  bar
else
  baz
end
foo(2) if x
while x > 1
  x -= 1
end
case v
when 1 then foo
else bar
end
begin
  foo
rescue ArgumentError => e
  bar(e)
ensure
  baz
end
h = { a: 1, 'b' => 2 }
l = ->(q) { q + 1 }
s = "a#{b}c"
unless z then foo end
puts [1, 2].map(&:to_s)
raise ArgumentError, 'x'
yield x
`,
    patterns: [
      'class $A\n $$$B\nend',
      'module $A\n $$$B\nend',
      'def $F($$$P)\n $$$B\nend',
      'def $F\n $$$B\nend',
      'if $A\n $$$B\nend',
      'if $A\n $$$B\nelse\n $$$C\nend',
      '$A if $B',
      'while $A\n $$$B\nend',
      'case $A\nwhen $B then $C\nelse $D\nend',
      'begin\n $$$A\nrescue $T => $E\n $$$B\nend',
      '$A.each { |$B| $$$C }',
      '$A.map do |$B|\n $$$C\nend',
      '$A.$M($$$X)',
      '$A.$M',
      'puts $A',
      'puts($A)',
      'foo($A)',
      '$F($A)',
      'raise $A, $B',
      'raise $A',
      'return $A',
      '@x = $A',
      '$A = $B',
      '$A + $B',
      '$A == $B',
      '{ $$$A }',
      '->($A) { $$$B }',
      'require $A',
      'attr_reader $A',
      'super($$$A)',
      'unless $A then $B end',
      '[$$$A]',
      'yield $A',
      '"$A"',
      ':$A',
      '$A -= $B',
      'when $A then $B',
      'rescue $T => $E',
    ],
    beyond: [['class $A < $B\n $$$C\nend', 1]],
  },
  {
    lang: 'php',
    path: 'a.php',
    program: `<?php
namespace App;
use Foo\\Bar;
interface I { public function m(); }
abstract class Foo extends Bar implements I {
  private $x = 1;
  const C = 2;
  public function __construct(int $a, $b = 2) { $this->x = $a; parent::__construct($a); }
  public static function make(): self { return new self(1); }
}
function add($a, $b) { return $a + $b; }
for ($i = 0; $i < 3; $i++) { foo($i); }
foreach ($list as $k => $v) { echo $v; }
while ($x > 1) { $x--; }
if ($x == 1) { foo(1); } elseif ($y) { bar(); } else { baz(); }
switch ($x) { case 1: foo(); break; default: bar(); }
try { foo(); } catch (Exception $e) { bar($e); } finally { baz(); }
$h = ['a' => 1, 'b' => 2];
$f = function ($q) use ($x) { return $q + 1; };
$g = fn($q) => $q + 1;
$z = $x ? 1 : 2;
echo "a" . $b; print_r($h); Foo::make(); $obj->method(1, 2); throw new Exception('x'); $w = $a ?? $b; return $x;
`,
    patterns: [
      'class $A extends $B { $$$C }',
      'abstract class $A extends $B implements $C { $$$D }',
      'interface $A { $$$B }',
      'function $F($$$P) { $$$B }',
      'for ($A; $B; $C) { $$$D }',
      'foreach ($A as $B => $C) { $$$D }',
      'while ($A) { $$$B }',
      'if ($A) { $$$B }',
      'if ($A) { $$$B } else { $$$C }',
      'switch ($A) { $$$B }',
      'try { $$$A } catch ($T $E) { $$$B }',
      '[$$$A]',
      '$A ? $B : $C',
      'echo $A;',
      'echo $A',
      '$A . $B',
      'print_r($A)',
      'foo($A)',
      '$F($$$A)',
      'Foo::make()',
      '$A::$B($$$C)',
      '$A->$B($$$C)',
      '$A->x = $B',
      'throw new $E($M);',
      'throw $A;',
      'new $A($$$B)',
      'return $A;',
      '$A + $B',
      '$A == $B',
      '$A ?? $B',
      'use $A;',
      'namespace $A;',
      'fn($A) => $B',
      'public function $A()',
      "'a' => 1",
      "'a' => $A",
      '$x',
    ],
    beyond: [
      ['$A = $B', 8],
      ['$A = $B;', 6],
      ['public function $M($$$P) { $$$B }', 1],
      ['private $A = 1;', 1],
      ['$A--', 1],
    ],
  },
  {
    lang: 'bash',
    path: 'a.sh',
    program: `#!/bin/bash
set -e
x=1
export Y="a b"
function foo() { echo "$1"; local z=2; }
bar() { return 1; }
if [ "$x" = 1 ]; then echo yes; else echo no; fi
if [[ -f $f ]]; then rm -f "$f"; fi
for i in 1 2 3; do echo $i; done
while read -r l; do echo "$l"; done < in
case $x in a) foo;; *) bar;; esac
ls -la | grep x | wc -l
cd /tmp && make || exit 1
y=$(date +%s)
echo "\${x:-d}" > out 2>&1
foo a b
git commit -m "x"
`,
    patterns: [
      'echo $A',
      'echo $$$A',
      'git commit -m $A',
      'ls $$$A',
      '$A | $B',
      '$A && $B',
      'if [ $$$A ]; then $$$B; fi',
      'if $A; then $$$B; else $$$C; fi',
      'while $$$A; do $$$B; done',
      'case $A in $$$B esac',
      'rm -f $A',
      'x=$A',
      'export $A',
      'cd $A',
      'foo $A $B',
      'set -e',
      'exit $A',
      'return $A',
      '$(date $A)',
      '$A > out',
      '[[ -f $A ]]',
      'local $A',
    ],
    beyond: [
      ['for $A in $$$B; do $$$C; done', 1],
      ['foo() { $$$A }', 1],
      ['function foo() { $$$A }', 1],
    ],
  },
  {
    lang: 'css',
    path: 'a.css',
    program: `@import url("x.css");
:root { --main: #fff; }
.a { color: red; background: url(x.png); }
.a .b > .c:hover { margin: 0 auto; padding: calc(1px + 2px); color: red !important; }
#id, a[href="x"] { font-family: "Arial", sans-serif; }
@media (max-width: 100px) { .d { color: blue; } }
@keyframes k { from { opacity: 0; } to { opacity: 1; } }
.e::before { content: "x"; color: rgba(1, 2, 3, 0.5); width: 10px; }
`,
    patterns: [
      'color: $A;',
      '$P: red;',
      '.a { $$$A }',
      '.a { color: red; $$$B }',
      '$A { $$$B }',
      '$A { color: $B; }',
      '@media $A { $$$B }',
      '@import $A;',
      '$A > $B',
      '$A:hover',
      '#id',
      '.a',
      'margin: $A $B;',
      '@keyframes $A { $$$B }',
      'var($A)',
    ],
    beyond: [
      ['color: $A', 4],
      ['$P: $V', 14],
      ['calc($$$A)', 1],
      ['rgba($$$A)', 1],
      ['rgba($A, $B, $C, $D)', 1],
      ['url($A)', 2],
    ],
  },
  {
    lang: 'html',
    path: 'a.html',
    program: `<!DOCTYPE html>
<html lang="en"><head><title>T</title><link rel="a" href="b"/></head>
<body><div class="x" id="y"><p>hello</p><img src="a.png"><br/></div><a href="z">l</a><input disabled><script>foo(1)</script></body></html>
`,
    patterns: [
      '<div class="x" id="y">$$$A</div>',
      '<div $$$A>$$$B</div>',
      '<p>$A</p>',
      '<p>hello</p>',
      '<a href="z">$A</a>',
      '<a href=$B>$A</a>',
      '<img src="a.png">',
      '<img src=$A>',
      '<br/>',
      '<title>$A</title>',
      '<$T>$$$A</$T>',
      '<input disabled>',
      'href="z"',
    ],
    beyond: [],
  },
  {
    lang: 'json',
    path: 'a.json',
    program: `{ "a": 1, "b": [1, 2, {"c": "x"}], "d": { "e": null, "f": true }, "g": "s" }
`,
    patterns: ['{ "c": $A }', '[$$$A]', '{ $$$A }', 'null', '"x"', '$A', 'true', '1'],
    beyond: [
      ['"a": $A', 1],
      ['[1, 2, $A]', 1],
      ['"d": { $$$A }', 1],
    ],
  },
  {
    lang: 'yaml',
    path: 'a.yaml',
    program: `a: 1
b:
  - x
  - y: 2
c: { d: 1, e: [1, 2] }
name: foo
on: push
jobs:
  build:
    runs-on: ubuntu
    steps:
      - uses: a@v1
      - run: make
`,
    patterns: [
      'a: $A',
      'name: $A',
      'uses: $A',
      '- uses: $A',
      '- $A',
      'runs-on: ubuntu',
      '[$A, $B]',
      '[$$$A]',
      '{ d: $A, $$$B }',
      '$K: push',
      '$A',
    ],
    beyond: [],
  },
  {
    lang: 'lua',
    path: 'a.lua',
    program: `local x = 1
local function add(a, b) return a + b end
function M.foo(self, a) self.x = a; print(a) end
if x == 1 then foo(1) elseif y then bar() else baz() end
for i = 1, 3 do print(i) end
for k, v in pairs(t) do print(k, v) end
while x > 1 do x = x - 1 end
repeat x = x + 1 until x > 3
local t = { a = 1, 2, ["b"] = 3 }
t.a = t.b
obj:method(1, 2)
local f = function(q) return q end
require("x")
return t
`,
    patterns: [
      'local $A = $B',
      'local function $F($$$P) $$$B end',
      'function $A.$B($$$P) $$$C end',
      'function $F($$$P) $$$C end',
      'if $A then $$$B end',
      'if $A then $$$B else $$$C end',
      'for $A = $B, $C do $$$D end',
      'for $A, $B in $C do $$$D end',
      'for $A, $B in pairs($C) do $$$D end',
      'while $A do $$$B end',
      'repeat $$$A until $B',
      '{ $$$A }',
      '$A.$B',
      '$A.$B = $C',
      '$A = $B',
      '$A:method($$$B)',
      '$A:$M($$$B)',
      'print($A)',
      'print($$$A)',
      '$F($A)',
      'function($A) $$$B end',
      'require($A)',
      'return $A',
      '$A + $B',
      '$A == $B',
    ],
    beyond: [],
  },
  {
    lang: 'kotlin',
    path: 'a.kt',
    program: `package a.b
import java.util.List
@Deprecated("x")
class Foo(val x: Int) : Bar(x), Baz {
  private var y = 1
  fun get(a: String, b: Int = 2): Int { return a.length + b }

}
data class P(val a: Int, val b: String)
interface I {
  fun m()
}
object O {
  val q = 1
}
enum class E { A, B }
fun add(a: Int, b: Int): Int = a + b
fun main() {
  val x = 1
  var y: Int = 2
  if (x == 1) { foo(1) } else { bar() }
  for (i in 0..3) { println(i) }
  while (x > 1) { y-- }
  when (x) { 1 -> foo(1); else -> bar() }
  try { foo(1) } catch (e: Exception) { bar(e) } finally { baz() }
  list.map { it + 1 }
  val l = { q: Int -> q + 1 }
  val z = x ?: y
  val w = a?.b
  throw IllegalStateException("a")
}
`,
    patterns: [
      'class $A($$$P) : $B { $$$C }',
      'class $A { $$$B }',
      'interface $A { $$$B }',
      'fun $F($$$P): $R { $$$B }',
      'fun $F($$$P) { $$$B }',
      'fun $F($$$P): $R = $B',
      'val $A = $B',
      'var $A: $T = $B',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) { $$$B }',
      'for ($A in $B) { $$$C }',
      'while ($A) { $$$B }',
      'when ($A) { $$$B }',
      'try { $$$A } catch ($E: $T) { $$$B }',
      '$A.map { $$$B }',
      '$A ?: $B',
      '$A?.$B',
      'throw $A',
      'return $A',
      'foo($A)',
      '$F($$$A)',
      'println($A)',
      '$A.$B',
      '$A + $B',
      '$A == $B',
      'import $A',
      'package $A',
      'data class $A($$$P)',
      '$A..$B',
    ],
    beyond: [
      ['object $A { $$$B }', 1],
      ['$A -> $B', 1],
    ],
  },
  {
    lang: 'swift',
    path: 'a.swift',
    program: `import Foundation
class Foo: Bar, Baz {
  private var x = 1
  let y: Int
  init(a: Int) { self.y = a }
  func get(_ a: String, b: Int = 2) -> Int { return a.count + b }
  static func make() -> Foo { return Foo(a: 1) }
}
struct P {
  let a: Int
  var b: String
}
protocol I { func m() }
enum E { case a, b(Int) }
extension P { func z() {} }
func add(_ a: Int, _ b: Int) -> Int { return a + b }
let x = 1
var y: Int = 2
if x == 1 { foo(1) } else { bar() }
if let v = opt { foo(v) }
guard let w = opt else { return }
for i in 0..<3 { print(i) }
while x > 1 { y -= 1 }
switch x {
case 1: foo(1)
default: bar()
}
do { try foo(1) } catch { bar() }
let l = { (q: Int) in q + 1 }
let z = x ?? y
list.map { $0 + 1 }
throw MyError.a
`,
    patterns: [
      'class $A: $B { $$$C }',
      'struct $A { $$$B }',
      'protocol $A { $$$B }',
      'enum $A { $$$B }',
      'extension $A { $$$B }',
      'func $F($$$P) -> $R { $$$B }',
      'func $F($$$P) { $$$B }',
      'init($$$P) { $$$B }',
      'init($A: $T) { $$$B }',
      'let $A = $B',
      'var $A: $T = $B',
      'if $A { $$$B } else { $$$C }',
      'if $A { $$$B }',
      'if let $A = $B { $$$C }',
      'guard let $A = $B else { $$$C }',
      'for $A in $B { $$$C }',
      'while $A { $$$B }',
      'do { $$$A } catch { $$$B }',
      '$A ?? $B',
      'foo($A)',
      'print($A)',
      '$F($$$A)',
      '$A.$B',
      'import $A',
      '$A + $B',
      '$A == $B',
      'try $A',
    ],
    beyond: [
      ['switch $A { $$$B }', 1],
      ['return $A', 3],
    ],
  },
  {
    lang: 'scala',
    path: 'a.scala',
    program: `package a.b
import scala.util.{Try, Success}
class Foo(val x: Int) extends Bar(x) with Baz { private var y = 1; def get(a: String, b: Int = 2): Int = { a.length + b } }
case class P(a: Int, b: String)
trait I { def m(): Unit }
object O { val q = 1; def apply() = new Foo(1) }
object Main {
  def add(a: Int, b: Int): Int = a + b
  def main(args: Array[String]): Unit = {
    val x = 1
    var y: Int = 2
    if (x == 1) { foo(1) } else { bar() }
    for (i <- 0 to 3) { println(i) }
    while (x > 1) { y -= 1 }
    x match { case 1 => foo(1) case _ => bar() }
    try { foo(1) } catch { case e: Exception => bar(e) } finally { baz() }
    list.map(z => z + 1)
    throw new Exception("a")
  }
}
`,
    patterns: [
      'class $A($$$P) extends $B { $$$C }',
      'case class $A($$$P)',
      'trait $A { $$$B }',
      'object $A { $$$B }',
      'def $F($$$P): $R = $B',
      'def $F($$$P): $R = { $$$B }',
      'val $A = $B',
      'var $A: $T = $B',
      'if ($A) { $$$B } else { $$$C }',
      'if ($A) $B',
      'for ($A <- $B) { $$$C }',
      'while ($A) { $$$B }',
      '$A match { $$$B }',
      'try { $$$A } catch { $$$B }',
      '$A.map($B => $C)',
      '$A.map($B)',
      'throw $A',
      'throw new $E($M)',
      'new $A($$$B)',
      'foo($A)',
      '$F($$$A)',
      'println($A)',
      '$A.$B',
      '$A + $B',
      'import $A',
      '$A => $B',
    ],
    beyond: [['case $A => $B', 3]],
  },
  {
    lang: 'dart',
    path: 'a.dart',
    program: `import 'dart:io';
class Foo extends Bar implements Baz { int x = 1; final String s; Foo(this.s); int get(String a, {int b = 2}) { return a.length + b; } static Foo make() => Foo('a'); }
abstract class A { void m(); }
enum E { a, b }
int add(int a, int b) { return a + b; }
void main() async {
  var x = 1;
  final y = 2;
  for (var i = 0; i < 3; i++) { print(i); }
  for (final z in list) { print(z); }
  while (x > 1) { x--; }
  if (x == 1) { foo(1); } else { bar(); }
  switch (x) { case 1: foo(1); break; default: bar(); }
  try { foo(1); } catch (e) { bar(e); } finally { baz(); }
  var l = [1, 2]; var m = {'a': 1};
  var f = (q) => q + 1;
  await foo(1);
  throw Exception('a');
}
`,
    patterns: [
      'class $A extends $B { $$$C }',
      'enum $A { $$$B }',
      'void $F($$$P) { $$$B }',
      'for ($A; $B; $C) { $$$D }',
      '[$$$A]',
      'await foo($A)',
      'print($A)',
      'print($A);',
      'foo($A)',
      "import 'dart:io';",
    ],
    beyond: [
      ['var $A = $B;', 5],
      ['final $A = $B;', 1],
      ['for (var $A = $B; $C; $D) { $$$E }', 1],
      ['for (final $A in $B) { $$$C }', 1],
      ['while ($A) { $$$B }', 1],
      ['if ($A) { $$$B } else { $$$C }', 1],
      ['if ($A) { $$$B }', 1],
      ['switch ($A) { $$$B }', 1],
      ['try { $$$A } catch ($E) { $$$B }', 1],
      ['await $A', 1],
      ['throw $A', 1],
      ['$A == $B', 1],
      ['$A + $B', 2],
      ['return $A;', 2],
      ['import $A;', 1],
      ['($A) => $B', 1],
    ],
  },
  {
    lang: 'elixir',
    path: 'a.ex',
    program: `defmodule Foo do
  use GenServer
  import Bar, only: [a: 1]
  @attr 1
  def add(a, b), do: a + b
  def get(%{x: x} = m) do
    y = x |> Enum.map(fn z -> z + 1 end)
    IO.puts("a")
    if x == 1 do
      foo(1)
    else
      bar()
    end
    case x do
      1 -> foo(1)
      _ -> bar()
    end
    Enum.each(list, &IO.puts/1)
    {:ok, y}
  end
  defp priv(a) do
    raise "x"
  end
end
`,
    patterns: [
      'defmodule $A do $$$B end',
      'def $F($$$P) do $$$B end',
      'def $F($$$P), do: $B',
      'defp $F($$$P) do $$$B end',
      'use $A',
      'import $A',
      'import $A, only: $B',
      '@attr $A',
      '$A |> $B',
      'IO.puts($A)',
      'Enum.map($A)',
      'Enum.each($A, $B)',
      'fn $A -> $B end',
      'if $A do $$$B else $$$C end',
      'case $A do $$$B end',
      'foo($A)',
      '$F($$$A)',
      '$A = $B',
      '$A + $B',
      '$A == $B',
      '{:ok, $A}',
      '{$A, $B}',
      'raise $A',
      '%{x: $A}',
    ],
    beyond: [],
  },
  {
    lang: 'haskell',
    path: 'a.hs',
    program: `module Main where
import Data.List (sort)
import qualified Data.Map as M
data T = A Int | B String deriving (Show, Eq)
type S = String
class C a where
  m :: a -> Int
instance C T where
  m (A x) = x
  m (B s) = length s
add :: Int -> Int -> Int
add a b = a + b
main :: IO ()
main = do
  let x = 1
  y <- getLine
  if x == 1 then print x else putStrLn "a"
  case y of
    "a" -> print 1
    _ -> print 2
  mapM_ (\\z -> print z) [1, 2]
`,
    patterns: [
      'add $A $B = $C',
      '$F $A $B = $C',
      '$A + $B',
      'print $A',
      'if $A then $B else $C',
      'putStrLn $A',
      'length $A',
      '\\$A -> $B',
      '[$A, $B]',
      '$A == $B',
      'mapM_ $A $B',
      'x',
      'add :: $A',
      '1',
    ],
    beyond: [
      ['import $A', 1],
      ['import qualified $A as $B', 1],
    ],
  },
  {
    lang: 'hcl',
    path: 'a.tf',
    program: `terraform { required_version = ">= 1" }
provider "aws" { region = "us" }
variable "x" {
  type = string
  default = "a"
}
resource "aws_instance" "web" {
  ami = var.ami
  count = 2
  tags = { Name = "a", Env = var.env }
  list = [1, 2]
  name = "a-\${var.x}"
  dynamic "b" {
    for_each = var.l
    content { a = b.value }
  }
}
output "o" { value = aws_instance.web.id }
locals { a = length(var.l) }
`,
    patterns: ['ami = $A', '$A = 2', 'count = $A', '{ $$$A }', 'output "o" { value = $A }', 'value = $A'],
    beyond: [
      ['length($A)', 1],
      ['var.$A', 5],
      ['[$$$A]', 1],
      ['$F($$$A)', 1],
      ['"a"', 2],
      ['2', 2],
    ],
  },
  {
    lang: 'nix',
    path: 'a.nix',
    program: `{ pkgs, lib, ... }:
let
  x = 1;
  f = a: b: a + b;
  s = "a\${x}b";
in
{
  environment.systemPackages = with pkgs; [ git vim ];
  services.foo = { enable = true; port = 80; };
  y = if x == 1 then 2 else 3;
  z = f 1 2;
  inherit (lib) mkIf;
  w = lib.mkIf true { a = 1; };
  l = map (q: q + 1) [ 1 2 ];
}
`,
    patterns: [
      '$A + $B',
      'if $A then $B else $C',
      'with $A; $B',
      '[ $$$A ]',
      'f $A $B',
      'lib.mkIf $A $B',
      '$A: $B',
      '$A == $B',
      'map $A $B',
      'lib.$A',
      'true',
    ],
    beyond: [
      ['{ $$$A }', 3],
      ['port = $A;', 1],
      ['enable = true;', 1],
      ['x = $A;', 1],
    ],
  },
  {
    lang: 'solidity',
    path: 'a.sol',
    program: `pragma solidity ^0.8.0;
import "./A.sol";
interface I { function m() external; }
contract Foo is Bar {
  uint256 public x = 1;
  mapping(address => uint) m;
  event E(address a, uint b);
  struct P { uint a; uint b; }
  modifier only() { require(msg.sender == o, "a"); _; }
  constructor(uint a) { x = a; }
  function add(uint a, uint b) public pure returns (uint) { return a + b; }
  function go() external only { for (uint i = 0; i < 3; i++) { foo(i); } if (x == 1) { foo(1); } else { bar(); } while (x > 1) { x--; } emit E(msg.sender, 1); m[msg.sender] = 2; revert("x"); }
}
`,
    patterns: [
      'contract $A is $B { $$$C }',
      'contract $A { $$$B }',
      'interface $A { $$$B }',
      'function $F($$$P) public pure returns ($R) { $$$B }',
      'function $F($$$P) $$$M { $$$B }',
      'for ($A; $B; $C) { $$$D }',
      '$A == $B',
      '$A + $B',
      '$F($$$A)',
      'mapping($A => $B) $C;',
      'event $A($$$B);',
      'import $A;',
      'pragma solidity $A;',
    ],
    beyond: [
      ['return $A;', 1],
      ['if ($A) { $$$B } else { $$$C }', 1],
      ['if ($A) { $$$B }', 1],
      ['while ($A) { $$$B }', 1],
      ['require($A, $B)', 1],
      ['require($$$A);', 1],
      ['emit $E($$$A);', 1],
      ['$A = $B', 2],
      ['$A[$B]', 1],
      ['msg.sender', 3],
      ['$A.$B', 3],
      ['foo($A)', 2],
      ['revert($A);', 1],
      ['uint256 public $A = $B;', 1],
      ['modifier $A() { $$$B }', 1],
      ['constructor($$$P) { $$$B }', 1],
    ],
  },
];
