//! What one text defines and which names it uses.
//!
//! Definitions are the symbols of `tenon-syntax`, without those that nobody refers to from elsewhere: fields, keys, what lies
//! inside of a function. Uses are the identifiers of the tree, so that comments and strings do not count. A language without
//! a grammar here, and a text that its parser gives up on, are read word by word: they define nothing, but what they use counts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tenon_cancel::CancelToken;
use tenon_syntax::document::{Document, Reader};
use tenon_syntax::language::LanguageInfo;
use tenon_syntax::symbols::{Symbol, symbols_and_leaves};
use tenon_syntax::{Lang, SyntaxError};

use crate::error::MapError;

/// Names of fewer bytes say too little to connect files.
pub(crate) const SHORTEST_NAME: usize = 3;
/// Longer ones are no names that people write.
const LONGEST_NAME: usize = 100;
/// What one file may contribute; generated files have many thousands.
const MOST_DEFINITIONS: usize = 2_000;
const MOST_NAMES: usize = 5_000;

/// What one use counts.
const PLAIN_USE: u32 = 4;
const MEMBER_USE: u32 = 1;

/// The kinds of definitions, by number.
pub(crate) const KINDS: &[&str] = &[
    "function",
    "method",
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "type",
    "constant",
    "variable",
    "macro",
    "module",
];

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub name: String,
    pub kind: u8,
    /// Other files cannot refer to it.
    pub is_private: bool,
    pub line: u32,
    /// The enclosing definition in the same list.
    pub parent: Option<u32>,
}

/// What one text contributes.
#[derive(Debug, Default)]
pub(crate) struct Extract {
    pub definitions: Vec<Definition>,
    /// Every used name with what its uses count.
    pub uses: HashMap<String, u32>,
}

/// Grammars that panicked: taken out until the process ends. One bit per language of the table.
static BROKEN: AtomicU64 = AtomicU64::new(0);

/// Whether a language's grammar was taken out.
pub(crate) fn is_broken(number: u8) -> bool {
    number < 64 && BROKEN.load(Ordering::Relaxed) & (1 << number) != 0
}

/// Reads a text.
pub(crate) fn extract(
    reader: &mut Reader,
    number: u8,
    info: &'static LanguageInfo,
    source: String,
    cancel: &CancelToken,
) -> Result<Extract, MapError> {
    if !info.native || is_broken(number) {
        return Ok(words(&source));
    }
    let Ok(lang) = Lang::find(&info.id) else { return Ok(words(&source)) };
    let kept = source.clone();
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        reader.read(source, lang, cancel, |document| {
            let weights = leaf_weights(number, document);
            let mut uses: HashMap<&str, u32> = HashMap::new();
            let symbols = symbols_and_leaves(document, cancel, |leaf| {
                let weight = weights.get(usize::from(leaf.kind_id())).copied().unwrap_or(0);
                if weight > 0 {
                    let text = document.text(leaf.byte_range());
                    if is_name(text.as_bytes()) {
                        count(&mut uses, text, weight);
                    }
                }
            })?;
            let definitions = definitions(symbols, info, document.source());
            Ok(Extract { definitions, uses: uses.into_iter().map(|(name, count)| (name.to_owned(), count)).collect() })
        })
    }));
    match parsed {
        Ok(Ok(extract)) => Ok(extract),
        Ok(Err(SyntaxError::Cancelled(reason))) => Err(reason.into()),
        Ok(Err(_)) => Ok(words(&kept)),
        Err(_) => {
            if number < 64 {
                BROKEN.fetch_or(1 << number, Ordering::Relaxed);
            }
            Ok(words(&kept))
        }
    }
}

/// The symbols that others may refer to.
fn definitions(symbols: Vec<Symbol>, info: &LanguageInfo, source: &str) -> Vec<Definition> {
    let has_callbacks = matches!(info.id.as_str(), "typescript" | "tsx" | "javascript");
    // A module that exports a list may export anything; a script without exports shares everything.
    let exports_one_by_one = has_callbacks && source.contains("export ") && !source.contains("export {");
    let mut kept: Vec<Definition> = Vec::new();
    // For every symbol: its place among the kept ones, or that of the nearest kept one around it, and whether it is local.
    let mut places: Vec<(Option<u32>, bool)> = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let (around, local) = symbol.parent.and_then(|at| places.get(at)).copied().unwrap_or((None, false));
        // A callback is no symbol: what lies in it is told by its indent.
        let local = local || (has_callbacks && symbol.parent.is_none() && is_indented(source, symbol.range.byte_start));
        let kind = kind_of(&symbol.kind, info);
        let named = is_name(symbol.name.as_bytes());
        let place = match kind {
            Some(kind) if !local && named && kept.len() < MOST_DEFINITIONS => {
                let line = u32::try_from(symbol.range.start_line).unwrap_or(u32::MAX);
                let is_private =
                    symbol.parent.is_none() && is_private(source, symbol.range.byte_start, info, exports_one_by_one);
                kept.push(Definition { name: symbol.name, kind, is_private, line, parent: around });
                u32::try_from(kept.len() - 1).ok()
            }
            _ => around,
        };
        let is_scope = matches!(symbol.kind.as_str(), "function" | "method" | "constructor" | "variable");
        places.push((place, local || is_scope));
    }
    kept
}

fn is_indented(source: &str, at: usize) -> bool {
    start_of_line(source, at).starts_with([' ', '\t'])
}

/// What stands before `at` on its line.
fn start_of_line(source: &str, at: usize) -> &str {
    source.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default()
}

/// Whether a definition of the top level is of this file alone, as far as its own line tells.
fn is_private(source: &str, at: usize, info: &LanguageInfo, exports_one_by_one: bool) -> bool {
    let line = source.get(at..).unwrap_or_default().split('\n').next().unwrap_or_default();
    match info.id.as_str() {
        "typescript" | "tsx" | "javascript" => {
            exports_one_by_one && !start_of_line(source, at).starts_with("export") && !line.starts_with("export")
        }
        "rust" => !line.starts_with("pub") && !line.starts_with("macro_rules"),
        "c" | "cpp" => line.starts_with("static ") && !line.contains("inline"),
        _ => false,
    }
}

fn kind_of(kind: &str, info: &LanguageInfo) -> Option<u8> {
    // Elsewhere a module is a file or a namespace that many files open; in Ruby and Erlang it is what is referred to.
    if kind == "module" && !matches!(info.id.as_str(), "ruby" | "erlang") {
        return None;
    }
    KINDS.iter().position(|known| *known == kind).and_then(|at| u8::try_from(at).ok())
}

/// How many languages have a table of their own; the others make theirs for every text.
const LANGUAGES: usize = 64;

/// What a use by a leaf of each kind counts, 0 for kinds that are no names. By number: comparing names of kinds takes longer than the rest
/// of the walk. Made once for each language.
fn leaf_weights(number: u8, document: &Document) -> Cow<'static, [u32]> {
    static TABLES: [OnceLock<Box<[u32]>>; LANGUAGES] = [const { OnceLock::new() }; LANGUAGES];
    let make = || -> Box<[u32]> {
        let language = document.root().language();
        let weight = |id: u16| match language.node_kind_for_id(id) {
            Some(kind) if language.node_kind_is_named(id) && is_identifier_kind(kind) => {
                // `a.map` may mean anything that has a `map`, above all what the language brings along.
                if matches!(kind, "property_identifier" | "field_identifier") { MEMBER_USE } else { PLAIN_USE }
            }
            _ => 0,
        };
        (0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX)).map(weight).collect()
    };
    match TABLES.get(usize::from(number)) {
        Some(table) => Cow::Borrowed(table.get_or_init(make)),
        None => Cow::Owned(make().into()),
    }
}

/// What grammars call the leaves that are names.
fn is_identifier_kind(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "constant" | "name" | "word" | "variable_name" | "atom" | "var")
}

/// The words of a text that could be names.
fn words(source: &str) -> Extract {
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for word in source.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')) {
        if is_name(word.as_bytes()) {
            count(&mut uses, word, PLAIN_USE);
        }
    }
    let uses = uses.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    Extract { definitions: Vec::new(), uses }
}

fn count<'t>(uses: &mut HashMap<&'t str, u32>, name: &'t str, weight: u32) {
    if let Some(number) = uses.get_mut(name) {
        *number = number.saturating_add(weight);
    } else if uses.len() < MOST_NAMES {
        uses.insert(name, weight);
    }
}

/// Names are of one word; a heading or a selector is none.
fn is_name(name: &[u8]) -> bool {
    (SHORTEST_NAME..=LONGEST_NAME).contains(&name.len())
        && name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'?' | b'!') || *byte >= 0x80)
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::languages::{info, language_of};

    fn read(path: &str, text: &str) -> Extract {
        let number = language_of(path).expect("a language");
        let language = info(number).expect("an entry");
        extract(&mut Reader::default(), number, language, text.to_owned(), &CancelToken::new()).expect("not cancelled")
    }

    #[test]
    fn definitions_are_what_others_can_refer_to() {
        let text = "export class Engine {\n  speed = 1;\n  start(): void { const local = () => 1; local(); }\n}\nexport const helper = 2;\n";
        let found = read("a.ts", text).definitions;
        let names: Vec<_> = found.iter().map(|definition| (definition.name.as_str(), definition.parent)).collect();
        assert_eq!(names, [("Engine", None), ("start", Some(0)), ("helper", None)]);
        assert_eq!(found.iter().map(|definition| definition.line).collect::<Vec<_>>(), [1, 3, 5]);
    }

    #[test]
    fn comments_and_strings_use_nothing() {
        let uses = read("a.py", "# Engine\nx = 'Engine'\nrun(Motor)\nrun(Motor)\n").uses;
        assert_eq!(uses.get("Engine"), None);
        assert_eq!(uses.get("Motor"), Some(&8));
    }

    #[test]
    fn a_language_without_a_grammar_is_read_word_by_word() {
        let found = read("a.kt", "fun main() { Engine().start() }");
        assert!(found.definitions.is_empty());
        assert_eq!(found.uses.get("Engine"), Some(&4));
    }
}
