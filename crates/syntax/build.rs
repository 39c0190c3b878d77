//! Compiles our C, which needs the headers and sources of tree-sitter that is linked in.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let Some(include) = std::env::var_os("DEP_TREE_SITTER_INCLUDE").map(PathBuf::from) else {
        panic!("tree-sitter's build script did not say where its headers are");
    };
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        panic!("cargo did not say where to write to");
    };
    let sources = include.join("../src");
    fs::write(out.join("names.h"), renamed(&[sources.as_path(), &include.join("tree_sitter")]))
        .unwrap_or_else(|error| panic!("names.h cannot be written: {error}"));
    for file in ["src/walk.c", "src/parse.c", "src/scanner.c"] {
        println!("cargo:rerun-if-changed={file}");
    }
    cc::Build::new()
        .std("c11")
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-fno-semantic-interposition")
        // A parser fills and copies small structures all the time. GCC's wide and string instructions wait for what was just written to them.
        .flag_if_supported("-fno-store-merging")
        .flag_if_supported("-fno-tree-vectorize")
        .flag_if_supported("-mmemset-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign")
        .flag_if_supported("-Wno-unused-parameter")
        // The same as tree-sitter's own build script.
        .define("_POSIX_C_SOURCE", "200112L")
        .define("_DEFAULT_SOURCE", None)
        .define("_BSD_SOURCE", None)
        .define("_DARWIN_C_SOURCE", None)
        .include(&out)
        .include(sources)
        .include(&include)
        .warnings(false)
        .file("src/walk.c")
        .file("src/parse.c")
        .file("src/scanner.c")
        .compile("tenon-syntax");
}

/// Gives everything that tree-sitter's sources define another name, so that they can be linked in twice. Macros keep theirs, and so does what
/// allocates: a tree that one parser makes is given back by the other.
fn renamed(folders: &[&Path]) -> String {
    let mut names = BTreeSet::from(["range_intersects".to_owned(), "range_within".to_owned()]);
    let mut kept: BTreeSet<String> =
        ["malloc", "calloc", "realloc", "free"].iter().map(|name| format!("ts_current_{name}")).collect();
    for folder in folders {
        for file in
            fs::read_dir(folder).unwrap_or_else(|error| panic!("{} cannot be listed: {error}", folder.display()))
        {
            let Ok(file) = file.map(|file| file.path()) else { continue };
            if !file.extension().is_some_and(|extension| extension == "c" || extension == "h") {
                continue;
            }
            let text =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
            for line in text.lines() {
                let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
                let words: Vec<&str> = line.split(|each| !is_part(each)).filter(|word| !word.is_empty()).collect();
                if let ["define", name, ..] = words[..]
                    && line.trim_start().starts_with('#')
                {
                    kept.insert(name.to_owned());
                }
                let is_own = |word: &&&str| word.starts_with("ts_") || word.starts_with("_ts_");
                names.extend(words.iter().filter(is_own).map(|word| (*word).to_owned()));
            }
        }
    }
    names.difference(&kept).map(|name| format!("#define {name} tenon_{name}\n")).collect()
}
