import type { MarkedFiles } from '../marked.ts';

/** Rust that rustc compiles: modules, use trees, patterns, macros. */
export const RUST: MarkedFiles = {
  'rs/main.rs': `mod store;
mod far {
    pub mod deep {
        use super::super::store::⟦load⟧;
        pub fn run() -> i32 { ⟦load⟧(1) + super::super::store::⟦load⟧(2) }
    }
}
use store::{⟦load⟧, ⟦load⟧ as again, Thing};
fn shadowed(load: i32) -> i32 { let load = load + 1; println!("{load} {}", load); load }
fn main() {
    let before = ⟦load⟧(3);
    let load = before;
    let thing = Thing { load, other: again(4) };
    let Thing { load: inner, .. } = thing;
    let closure = |load: i32| load + 1;
    let text = "load";
    match inner { load if load > 100 => println!("{load}"), _ => println!("rs {load} {inner} {text}") }
    println!("{} {} {}", closure(1), thing.load(), far::deep::run());
    println!("{} {}", shadowed(1), vec![store::⟦load⟧(5), crate::store::⟦load⟧(6), thing.load][1]);
}
`,
  'rs/store.rs': `/// load adds one.
pub fn ⟦load⟧(x: i32) -> i32 { x + 1 }
pub struct Thing { pub load: i32, pub other: i32 }
impl Thing {
    pub fn load(&self) -> i32 { self.load + ⟦load⟧(self.other) + Self::of() }
    fn of() -> i32 { self::⟦load⟧(0) }
}
#[allow(dead_code)]
mod tests {
    use super::*;
    pub fn works() -> i32 { assert_eq!(⟦load⟧(1), 2, "load {}", ⟦load⟧(2)); ⟦load⟧(3) }
}
#[allow(dead_code)]
mod own { pub fn load() -> i32 { 1 } pub fn use_it() -> i32 { load() } }
`,
};

/** C that the compiler links: a header joins, a static function does not. */
export const C: MarkedFiles = {
  'c/store.h': 'int ⟦load⟧(int value);\nstruct box { int load; };\n',
  'c/store.c':
    '#include "store.h"\n/* load doubles */\nint ⟦load⟧(int value) { return value * 2; }\nint twice(int load) { return load + ⟦load|load⟧; }\n',
  'c/other.c': 'static int load(int value) { return value; }\nint other(void) { return load(1); }\n',
  'c/main.c': `#include <stdio.h>
#include "store.h"
int twice(int);
int other(void);
int main(void) {
  struct box b = { .load = ⟦load⟧(3) };
  int before = ⟦load⟧(1);
  int load = before;
  printf("c load %d %d %d %d\\n", b.load, load, twice(1), other());
  return 0;
}
`,
};

/** Java that javac compiles: methods of several classes. */
export const JAVA: MarkedFiles = {
  'java/Store.java': `class Store {
  int load = 1;
  int ⟦load⟧(int load) { return load + this.load; }
  int ⟦load⟧(String s) { return s.length() + ⟦load⟧(1); }
  int both() { int load = 2; return ⟦load⟧(load) + this.⟦load⟧("x") + load; }
}
`,
  'java/Main.java': `class Main {
  int load() { return 9; }
  public static void main(String[] args) {
    System.out.println("java load " + new Store().both() + new Main().load());
  }
}
`,
};

/** Go: a package, its users, and its tests. */
export const GO: MarkedFiles = {
  'go/go.mod': 'module example.org/app\n\ngo 1.20\n',
  'go/util/util.go': `package util

// Load loads.
func ⟦Load⟧(p string) string { return p }

type Box struct{ Load string }

func (b Box) Get() string { return b.Load + ⟦Load⟧("x") }

func Local() string {
	Load := "l"
	return Load
}
`,
  'go/util/more.go': 'package util\n\nfunc Twice() string { return ⟦Load⟧("a") + ⟦Load⟧("Load") }\n',
  'go/other/other.go': 'package other\n\nfunc Load() string { return "other" }\n',
  'go/main.go': `package main

import (
	"example.org/app/other"
	u "example.org/app/util"
)

func main() {
	println(u.⟦Load⟧("Load"), other.Load(), u.Twice(), u.Box{Load: "b"}.Get(), u.Local())
}
`,
};
