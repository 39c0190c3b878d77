//! The language table and the grammars that are linked in.
//!
//! `languages.json` describes every language once for both implementations. Only some of them have their grammar
//! in this crate (`native: true`); the others are parsed by the WebAssembly twin. Metavariables are written with
//! `$`, which many grammars do not take in an identifier: each language names a stand-in character (`expando`)
//! that its grammar does take, and patterns are rewritten to it before they are parsed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use ast_grep_core::Language;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use serde::Deserialize;
use tree_sitter::ffi;

use crate::error::SyntaxError;

/// What the table says of one language.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LanguageInfo {
    pub id: String,
    pub aliases: Vec<String>,
    pub extensions: Vec<String>,
    pub filenames: Vec<String>,
    pub interpreters: Vec<String>,
    pub expando: char,
    /// Another stand-in, for places where the grammar does not take the first: Ruby's classes, PHP's variables.
    pub other_expando: Option<char>,
    /// The grammar has no names: a string stands for a variable.
    #[serde(default)]
    pub quote_variables: bool,
    /// Put before a pattern so that the grammar reads it as code (PHP starts in text mode).
    #[serde(default)]
    pub pattern_prefix: String,
    /// What may stand before and after a pattern that is not valid alone; the first that helps counts.
    #[serde(default)]
    pub contexts: Vec<(String, String)>,
    /// Nodes that show that the grammar took a pattern for something else, as C takes `f(x)` for a type.
    #[serde(default)]
    pub misreadings: Vec<Misreading>,
    pub native: bool,
    pub outline: OutlineSpec,
    pub symbols: Vec<SymbolSpec>,
    /// Per node kind of the grammar: 1 + the place of its entry in `symbols`, 0 for none. Made with the first text.
    #[serde(skip)]
    symbol_kinds: OnceLock<Box<[u8]>>,
}

/// A node that code as people mean it does not have: one of a kind, one with such a child, or one with such a text.
#[derive(Debug, Deserialize)]
pub struct Misreading {
    pub kind: String,
    pub child: Option<String>,
    pub text: Option<String>,
}

/// Which node kinds an outline elides.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineSpec {
    pub bodies: Vec<String>,
    /// Parents whose body is entered instead of elided, such as a Python class.
    pub transparent: Vec<String>,
    pub comments: Vec<String>,
    pub literals: Vec<String>,
    /// How many literals may enclose one before it is elided; data files keep their first levels.
    #[serde(default)]
    pub literal_depth: usize,
    /// The body has no brace lines of its own: all of its lines go.
    #[serde(default)]
    pub indent: bool,
}

/// How one node kind becomes a symbol.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolSpec {
    pub node: String,
    pub symbol: String,
    /// Steps to the node that holds the name, see `symbols::name_node`.
    pub name: String,
    /// Not reported inside a function.
    #[serde(default)]
    pub outer: bool,
    /// Reported only below this many enclosing symbols.
    pub max_depth: Option<usize>,
    /// A field that must be there, such as the body of a struct.
    pub requires: Option<String>,
    /// The kinds that the name's node may have.
    pub only: Option<Vec<String>>,
    pub refine: Option<Refine>,
}

/// Changes a symbol's kind by the kind of one of its fields.
#[derive(Debug, Deserialize)]
pub struct Refine {
    pub field: String,
    pub kinds: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Table {
    languages: Vec<LanguageInfo>,
}

/// All languages of the table, linked in or not.
pub fn languages() -> &'static [LanguageInfo] {
    static TABLE: OnceLock<Vec<LanguageInfo>> = OnceLock::new();
    TABLE.get_or_init(|| {
        // The table is part of the build; a test parses it, so an empty list here cannot ship unnoticed.
        serde_json::from_str::<Table>(include_str!("../languages.json"))
            .map(|table| table.languages)
            .unwrap_or_default()
    })
}

/// One language with its grammar.
#[derive(Clone, Copy)]
pub struct Lang {
    info: &'static LanguageInfo,
    grammar: fn() -> TSLanguage,
    expando: char,
}

impl Lang {
    /// Finds a linked-in language by id or alias, ignoring case.
    pub fn find(name: &str) -> Result<Self, SyntaxError> {
        let Some(info) = by_name(name) else {
            return Err(SyntaxError::Language(format!(
                "`{name}` is not a known language; `languages()` lists the ids and aliases"
            )));
        };
        grammar_of(&info.id)
            .map(|grammar| Self { info, grammar, expando: info.expando })
            .ok_or_else(|| SyntaxError::Language(format!("the grammar of `{}` is not linked into the addon", info.id)))
    }

    /// The language's id in the table.
    pub fn id(&self) -> &'static str {
        &self.info.id
    }

    /// The same language with another stand-in for `$`.
    pub fn with_expando(self, expando: char) -> Self {
        Self { expando, ..self }
    }

    /// How a node of a kind becomes a symbol. By number: names would be compared for every node of a text.
    pub(crate) fn symbol_spec(&self, kind: u16) -> Option<&'static SymbolSpec> {
        let specs = &self.info.symbols;
        let kinds = self.info.symbol_kinds.get_or_init(|| {
            let language = self.get_ts_language();
            let place_of = |id: usize| {
                let name = language.node_kind_for_id(u16::try_from(id).ok()?)?;
                u8::try_from(specs.iter().position(|spec| spec.node == name)? + 1).ok()
            };
            (0..language.node_kind_count()).map(|id| place_of(id).unwrap_or(0)).collect()
        });
        specs.get(usize::from(*kinds.get(usize::from(kind))?).checked_sub(1)?)
    }

    /// The language's entry in the table.
    pub fn info(&self) -> &'static LanguageInfo {
        self.info
    }
}

impl Language for Lang {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let expando = self.expando;
        if expando == '$' { Cow::Borrowed(query) } else { Cow::Owned(with_expando(query, expando)) }
    }

    fn expando_char(&self) -> char {
        self.expando
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.get_ts_language().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.get_ts_language().field_id_for_name(field).map(|id| id.get())
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|source| StrDoc::try_new(source, *self))
    }
}

impl LanguageExt for Lang {
    fn get_ts_language(&self) -> TSLanguage {
        (self.grammar)()
    }
}

/// Replaces the `$` of every metavariable by the stand-in; any other `$` stays as it is.
///
/// A run of dollars is a metavariable's when an upper-case letter or `_` follows, or when it is exactly `$$$`.
fn with_expando(query: &str, expando: char) -> String {
    let mut result = String::with_capacity(query.len() + 8);
    let mut rest = query;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        let run = rest[at..].len() - rest[at..].trim_start_matches('$').len();
        let after = &rest[at + run..];
        let named = after.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        let sigil = if named || run == 3 { expando } else { '$' };
        result.extend(std::iter::repeat_n(sigil, run));
        rest = after;
    }
    result.push_str(rest);
    result
}

fn by_name(name: &str) -> Option<&'static LanguageInfo> {
    let name = name.to_ascii_lowercase();
    languages().iter().find(|info| info.id == name || info.aliases.contains(&name))
}

/// The language of a file: by its name, then by its extension, then by the `#!` of its first line.
pub fn detect(path: &str, first_line: Option<&str>) -> Option<&'static LanguageInfo> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    // `Dockerfile.dev` and `Makefile.linux` keep the language of their stem.
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
    let by_file = |wanted: &str| languages().iter().find(|info| info.filenames.iter().any(|file| file == wanted));
    if let Some(info) = by_file(name) {
        return Some(info);
    }
    if let Some((_, extension)) = name.rsplit_once('.') {
        let extension = extension.to_ascii_lowercase();
        if let Some(info) = languages().iter().find(|info| info.extensions.contains(&extension)) {
            return Some(info);
        }
    }
    if let Some(info) = by_file(stem) {
        return Some(info);
    }
    first_line
        .and_then(interpreter)
        .and_then(|program| languages().iter().find(|info| info.interpreters.contains(&program)))
}

/// The program that a `#!` line names, without its folder and version.
fn interpreter(first_line: &str) -> Option<String> {
    let mut words = first_line.strip_prefix("#!")?.split_ascii_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?.rsplit('/').next()?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned())
}

/// The linked-in grammars.
fn grammar_of(id: &str) -> Option<fn() -> TSLanguage> {
    Some(match id {
        "astro" => || tree_sitter_astro_next::LANGUAGE.into(),
        "bash" => || tree_sitter_bash::LANGUAGE.into(),
        "c" => || tree_sitter_c::LANGUAGE.into(),
        "cmake" => || tree_sitter_cmake::LANGUAGE.into(),
        "cpp" => || tree_sitter_cpp::LANGUAGE.into(),
        "csharp" => || tree_sitter_c_sharp::LANGUAGE.into(),
        "css" => || tree_sitter_css::LANGUAGE.into(),
        "diff" => || tree_sitter_diff::LANGUAGE.into(),
        "dockerfile" => || tree_sitter_containerfile::LANGUAGE.into(),
        "erlang" => || tree_sitter_erlang::LANGUAGE.into(),
        "go" => || tree_sitter_go::LANGUAGE.into(),
        "graphql" => || tree_sitter_graphql::LANGUAGE.into(),
        "html" => || tree_sitter_html::LANGUAGE.into(),
        "java" => || tree_sitter_java::LANGUAGE.into(),
        "javascript" => || tree_sitter_javascript::LANGUAGE.into(),
        "json" => || tree_sitter_json::LANGUAGE.into(),
        "lua" => || tree_sitter_lua::LANGUAGE.into(),
        "make" => || tree_sitter_make::LANGUAGE.into(),
        "php" => || tree_sitter_php::LANGUAGE_PHP.into(),
        "protobuf" => || tree_sitter_proto::LANGUAGE.into(),
        "python" => python,
        "ruby" => || tree_sitter_ruby::LANGUAGE.into(),
        "rust" => || tree_sitter_rust::LANGUAGE.into(),
        "starlark" => || tree_sitter_starlark::LANGUAGE.into(),
        "svelte" => || tree_sitter_svelte_ng::LANGUAGE.into(),
        "toml" => || tree_sitter_toml_ng::LANGUAGE.into(),
        "tsx" => || tree_sitter_typescript::LANGUAGE_TSX.into(),
        "typescript" => || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "yaml" => yaml,
        _ => return None,
    })
}

unsafe extern "C" {
    fn tenon_guarded_python(language: *const ffi::TSLanguage) -> *const ffi::TSLanguage;
    fn tenon_guarded_yaml(language: *const ffi::TSLanguage) -> *const ffi::TSLanguage;
}

fn python() -> TSLanguage {
    static GUARDED: LazyLock<TSLanguage> = LazyLock::new(|| {
        // SAFETY: the language is linked in, and so valid for ever; so is what is made of it. A lazy lock asks once.
        unsafe { TSLanguage::from_raw(tenon_guarded_python(TSLanguage::new(tree_sitter_python::LANGUAGE).into_raw())) }
    });
    GUARDED.clone()
}

fn yaml() -> TSLanguage {
    static GUARDED: LazyLock<TSLanguage> = LazyLock::new(|| {
        // SAFETY: as for Python.
        unsafe { TSLanguage::from_raw(tenon_guarded_yaml(TSLanguage::new(tree_sitter_yaml::LANGUAGE).into_raw())) }
    });
    GUARDED.clone()
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn every_language_marked_native_has_a_grammar_that_loads_and_no_other_has() {
        assert!(languages().len() > 50);
        for info in languages() {
            assert_eq!(grammar_of(&info.id).is_some(), info.native, "{}", info.id);
            if let Some(grammar) = grammar_of(&info.id) {
                let mut parser = tree_sitter::Parser::new();
                parser.set_language(&grammar()).expect("the runtime takes the grammar");
            }
        }
    }

    #[test]
    fn every_kind_and_field_of_the_table_exists_in_the_grammar() {
        let mut wrong = Vec::new();
        for info in languages().iter().filter(|info| info.native) {
            let grammar = Lang::find(&info.id).expect("linked in").get_ts_language();
            let has = |kind: &str| grammar.id_for_node_kind(kind, true) != 0;
            let OutlineSpec { bodies, transparent, comments, literals, .. } = &info.outline;
            let groups = [bodies, transparent, literals];
            wrong.extend(
                groups.into_iter().flatten().filter(|kind| !has(kind)).map(|kind| format!("{}: {kind}", info.id)),
            );
            if !comments.is_empty() && !comments.iter().any(|kind| has(kind)) {
                wrong.push(format!("{}: comments", info.id));
            }
            for spec in &info.symbols {
                if !has(&spec.node) {
                    wrong.push(format!("{}: symbol {}", info.id, spec.node));
                }
                for step in spec.name.split('/').filter(|step| *step != ".") {
                    let known = match step.strip_prefix('@') {
                        Some(kinds) => kinds.split('|').all(has),
                        None => grammar.field_id_for_name(step.trim_end_matches('*')).is_some(),
                    };
                    if !known {
                        wrong.push(format!("{}: {} of {}", info.id, step, spec.node));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_language_is_found_by_name_extension_stem_or_shebang() {
        let id = |path: &str, line: Option<&str>| detect(path, line).map(|info| info.id.as_str());
        assert_eq!(id("src/a.d.ts", None), Some("typescript"));
        assert_eq!(id("C:\\x\\View.TSX", None), Some("tsx"));
        assert_eq!(id("Dockerfile", None), Some("dockerfile"));
        assert_eq!(id("deploy/Dockerfile.dev", None), Some("dockerfile"));
        assert_eq!(id("CMakeLists.txt", None), Some("cmake"));
        assert_eq!(id("bin/run", Some("#!/usr/bin/env -S python3.12 -u")), Some("python"));
        assert_eq!(id("bin/run", Some("#!/bin/bash")), Some("bash"));
        assert_eq!(id("bin/run", Some("plain text")), None);
        assert_eq!(id("notes.txt", None), None);
    }

    #[test]
    fn only_the_dollars_of_metavariables_become_the_stand_in() {
        assert_eq!(with_expando("f($A, $$$B, $$$, $x, $$)", 'µ'), "f(µA, µµµB, µµµ, $x, $$)");
        assert_eq!(with_expando("$$$", 'µ'), "µµµ");
        assert_eq!(with_expando("cost $5 $_", 'µ'), "cost $5 µ_");
    }
}
