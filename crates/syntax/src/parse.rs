//! Parsing one text; the parser itself is in `parse.c`.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use ast_grep_core::tree_sitter::LanguageExt;
use tenon_cancel::CancelToken;
use tree_sitter::{Tree, ffi};

use crate::error::SyntaxError;
use crate::language::Lang;
use crate::memory::install;

/// What a text may cost, by its length: steps of the parser and bytes that its lexer reads. Ordinary code needs a
/// fraction of it; without a limit some grammars would work for hours on a page of random bytes. The twin has the same.
const STEPS_PER_BYTE: usize = 2;
const READS_PER_BYTE: usize = 2_000;
/// So that short texts have room for errors, too.
const FREE_BYTES: usize = 5_000;
/// How much the lexer is given at once; what it reads again is counted again.
const CHUNK: usize = 1_000;

fn chunk_at(source: &str, at: usize) -> &[u8] {
    let bytes = source.as_bytes();
    let mut end = at.saturating_add(CHUNK).min(source.len());
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    bytes.get(at..end.max(at)).unwrap_or_default()
}

unsafe extern "C" {
    fn tenon_grammar_new(language: *const ffi::TSLanguage) -> *mut c_void;
    fn tenon_grammar_delete(grammar: *mut c_void);
    fn tenon_parse(grammar: *mut c_void, input: ffi::TSInput, options: ffi::TSParseOptions) -> *mut ffi::TSTree;
}

/// A language as the parser of `parse.c` reads it. It remembers answers of its tables, so it is kept from text to text.
pub(crate) struct Grammar {
    lang: Lang,
    raw: NonNull<c_void>,
}

// SAFETY: a grammar owns its memory and refers to nothing but the language, which never changes.
unsafe impl Send for Grammar {}

impl Grammar {
    pub fn new(lang: Lang) -> Result<Self, SyntaxError> {
        // SAFETY: the language is linked in, so it is valid for ever.
        let raw = unsafe { tenon_grammar_new(lang.get_ts_language().into_raw()) };
        let misfit = || SyntaxError::Language(format!("the grammar of `{}` does not fit the parser", lang.id()));
        Ok(Self { lang, raw: NonNull::new(raw).ok_or_else(misfit)? })
    }

    /// Whose grammar this is.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The tree of a text; stops when the token asks for it, or when the text costs too much.
    pub fn parse(&mut self, source: &str, cancel: &CancelToken) -> Result<Tree, SyntaxError> {
        cancel.heartbeat()?;
        install();
        let mut reading = Reading { source, steps: 0, reads: 0, cancel };
        let payload = (&raw mut reading).cast::<c_void>();
        let input = ffi::TSInput { payload, read: Some(read), encoding: ffi::TSInputEncodingUTF8, decode: None };
        let options = ffi::TSParseOptions { payload, progress_callback: Some(must_stop) };
        // SAFETY: text and token outlive the call, which alone uses the grammar meanwhile.
        let tree = unsafe { tenon_parse(self.raw.as_ptr(), input, options) };
        if !tree.is_null() {
            // SAFETY: it is a new tree, and one like tree-sitter's own.
            return Ok(unsafe { Tree::from_raw(tree) });
        }
        cancel.heartbeat()?;
        Err(SyntaxError::GaveUp(format!(
            "the {} parser gave up on it: it costs far more than its length allows",
            self.lang.id()
        )))
    }
}

impl Drop for Grammar {
    fn drop(&mut self) {
        // SAFETY: it was made by `tenon_grammar_new` and is deleted once.
        unsafe { tenon_grammar_delete(self.raw.as_ptr()) }
    }
}

/// A text on its way through a parser, and what that has cost so far.
struct Reading<'s> {
    source: &'s str,
    steps: usize,
    reads: usize,
    cancel: &'s CancelToken,
}

impl Reading<'_> {
    fn must_stop(&mut self) -> bool {
        let allowance = self.source.len() + FREE_BYTES;
        self.steps += 1;
        self.steps > allowance * STEPS_PER_BYTE
            || self.reads > allowance * READS_PER_BYTE
            || self.cancel.heartbeat().is_err()
    }
}

unsafe extern "C" fn read(reading: *mut c_void, at: u32, _: ffi::TSPoint, length: *mut u32) -> *const c_char {
    // SAFETY: the parser gives what it was given; nobody else uses the reading meanwhile, and `length` may be written.
    unsafe {
        let reading = &mut *reading.cast::<Reading<'_>>();
        let chunk = chunk_at(reading.source, at as usize);
        reading.reads += chunk.len();
        *length = chunk.len() as u32;
        chunk.as_ptr().cast()
    }
}

unsafe extern "C" fn must_stop(state: *mut ffi::TSParseState) -> bool {
    // SAFETY: as above.
    unsafe { (*(*state).payload.cast::<Reading<'_>>()).must_stop() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;
    use tree_sitter::{Node, Parser};

    use super::*;
    use crate::language::languages;

    const CODE: &[&str] = &[
        include_str!("parse.c"),
        include_str!("parse.rs"),
        include_str!("../languages.json"),
        include_str!("../Cargo.toml"),
        "export default class A<T> extends B { @c d?: E = async (f: G) => { for (const h of await i) yield `j${k}`; } }\n",
        "def f(a, *b, **c):\n    with a as d:\n        return [x for x in b if x] or lambda: c['é']\n",
        "<?php namespace N; function t(?int $u) { return $u?->v['w'] ?? fn() => 1; } ?> <p class=\"x\">y</p>\n",
        "key: [1, 'two', {three: 3}]\n- item\n  more: |\n    text\n",
        "if [ -n \"$A\" ]; then echo $(cat <<E\nb\nE\n); fi\n",
    ];

    /// Kind, state, marks, bytes, start and field.
    type Seen = (u16, u16, [bool; 3], std::ops::Range<usize>, (usize, usize), Option<u16>);

    /// Everything about the nodes of a tree that a search may ask for.
    fn nodes(tree: &Tree) -> Vec<Seen> {
        let mut all = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node: Node<'_> = cursor.node();
            let start = node.start_position();
            let marks = [node.is_named(), node.is_missing(), node.has_error()];
            let field = cursor.field_id().map(std::num::NonZero::get);
            all.push((node.kind_id(), node.parse_state(), marks, node.byte_range(), (start.row, start.column), field));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return all;
                }
            }
        }
    }

    fn is_equal(parser: &mut Parser, grammar: &mut Grammar, text: &str) -> bool {
        let tree = grammar.parse(text, &CancelToken::new()).unwrap();
        let expected = parser.parse(text, None).unwrap();
        *tree.language() == *expected.language() && nodes(&tree) == nodes(&expected)
    }

    #[test]
    fn a_grammar_reads_every_language_as_tree_sitter_itself_does() {
        install();
        for info in languages().iter().filter(|info| info.native) {
            let lang = Lang::find(&info.id).unwrap();
            let mut parser = Parser::new();
            parser.set_language(&lang.get_ts_language()).unwrap();
            let mut grammar = Grammar::new(lang).unwrap();
            for text in CODE.iter().chain(CODE) {
                assert!(is_equal(&mut parser, &mut grammar, text), "{}: {text}", info.id);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn a_grammar_reads_damaged_code_as_tree_sitter_itself_does(
            parts in prop::collection::vec((0..CODE.len(), any::<prop::sample::Index>(), 1_usize..60), 1..30),
            lang in prop::sample::select(vec!["typescript", "tsx", "rust", "python", "c", "cpp", "csharp", "php", "ruby", "bash", "html"]),
        ) {
            install();
            let lang = Lang::find(lang).unwrap();
            let mut parser = Parser::new();
            parser.set_language(&lang.get_ts_language()).unwrap();
            let mut grammar = Grammar::new(lang).unwrap();
            let piece = |(code, at, length): &(usize, prop::sample::Index, usize)| {
                let characters: Vec<char> = CODE[*code].chars().collect();
                let at = at.index(characters.len());
                characters[at..(at + length).min(characters.len())].iter().collect::<String>()
            };
            let pieces: Vec<String> = parts.iter().map(piece).collect();
            // The second text meets what the first one left behind.
            for text in [pieces.concat(), pieces.into_iter().rev().collect()] {
                prop_assert!(is_equal(&mut parser, &mut grammar, &text), "{}: {text:?}", lang.id());
            }
        }
    }
}
