//! Compiles the tree walk, which needs the headers that lie beside tree-sitter's own sources.

use std::path::PathBuf;

fn main() {
    let Some(include) = std::env::var_os("DEP_TREE_SITTER_INCLUDE").map(PathBuf::from) else {
        panic!("tree-sitter's build script did not say where its headers are");
    };
    println!("cargo:rerun-if-changed=src/walk.c");
    cc::Build::new()
        .std("c11")
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-Wno-unused-parameter")
        .include(include.join("../src"))
        .include(&include)
        .file("src/walk.c")
        .compile("tenon-walk");
}
