//! A parsed source text with positions that a person can use.
//!
//! tree-sitter counts bytes. Results also carry 1-based lines and 1-based columns in UTF-16 code units, which is
//! what editors and JavaScript count, so that no caller has to convert again.

use std::mem::ManuallyDrop;
use std::ops::Range as Span;
use std::ptr;
use std::sync::{Arc, OnceLock};

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;
use serde::{Serialize, Serializer};
use tenon_cancel::CancelToken;

use crate::error::SyntaxError;
use crate::language::Lang;
use crate::memory::{Arena, Pool, give_pages_back};
use crate::parse::Grammar;

/// Where something is: byte offsets, and 1-based lines and UTF-16 columns; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub byte_start: usize,
    pub byte_end: usize,
    pub start_line: usize,
    pub start_column: usize,
    pub end_line: usize,
    pub end_column: usize,
}

/// As a list of six numbers, in the order of the fields: results hold thousands of them.
impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.numbers().serialize(serializer)
    }
}

impl Range {
    /// Its fields in order.
    pub fn numbers(&self) -> [usize; 6] {
        let Self { byte_start, byte_end, start_line, start_column, end_line, end_column } = *self;
        [byte_start, byte_end, start_line, start_column, end_line, end_column]
    }
}

/// Source text, its tree, and where its lines start.
pub struct Document {
    ast: AstGrep<StrDoc<Lang>>,
    /// Worked out when somebody asks for a position.
    lines: OnceLock<Lines>,
}

/// Reads one text after another; a worker has one. The memory of a tree and of a text is used again for the next one.
#[derive(Default)]
pub struct Reader {
    arena: Arena,
    /// Of the last text; most texts of a job are of one language.
    grammar: Option<Grammar>,
    room: Vec<u8>,
}

/// What a worker keeps of the memory of a text.
const LARGEST_KEPT: usize = 32 * 1024;

impl Reader {
    /// A reader whose memory comes from a pool that others use, too.
    pub(crate) fn sharing(pool: &Arc<Pool>) -> Self {
        Self { arena: Arena::new(Arc::clone(pool)), ..Self::default() }
    }

    /// Empty memory for the next text.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        &mut self.room
    }

    /// Takes the memory of a text that is done with.
    pub(crate) fn take_back(&mut self, text: String) {
        self.room = text.into_bytes();
        self.room.clear();
        give_pages_back(self.room.spare_capacity_mut(), LARGEST_KEPT);
    }

    /// Parses `source` and gives what `work` makes of it; stops within the parse when the token asks for it.
    ///
    /// The tree is gone afterwards, without being taken apart. So `work` must make nothing of tree-sitter's that lives longer,
    /// and must not use a parser that does.
    pub fn read<T>(
        &mut self,
        source: String,
        lang: Lang,
        cancel: &CancelToken,
        work: impl FnOnce(&Document) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        let grammar = match &mut self.grammar {
            Some(grammar) if grammar.lang().id() == lang.id() => grammar,
            other => other.insert(Grammar::new(lang)?),
        };
        let (outcome, text) = self.arena.with(|| {
            let document = Document::parse_with(grammar, source, cancel)?;
            let outcome = work(&document);
            Ok::<_, SyntaxError>((outcome, document.into_source()))
        })?;
        self.take_back(text);
        outcome
    }
}

impl Document {
    /// Parses one text; stops within the parse when the token asks for it.
    pub fn parse(source: String, lang: Lang, cancel: &CancelToken) -> Result<Self, SyntaxError> {
        Self::parse_with(&mut Grammar::new(lang)?, source, cancel)
    }

    fn parse_with(grammar: &mut Grammar, source: String, cancel: &CancelToken) -> Result<Self, SyntaxError> {
        let (tree, lang) = (grammar.parse(&source, cancel)?, grammar.lang());
        Ok(Self { ast: AstGrep::doc(StrDoc { src: source, lang, tree }), lines: OnceLock::new() })
    }

    /// The tree as ast-grep sees it.
    pub fn ast(&self) -> &AstGrep<StrDoc<Lang>> {
        &self.ast
    }

    /// The root of the tree as tree-sitter sees it.
    pub fn root(&self) -> tree_sitter::Node<'_> {
        self.ast.root().get_inner_node()
    }

    /// Has the tree more levels than this?
    pub(crate) fn is_deeper_than(&self, levels: usize) -> bool {
        let mut cursor = self.root().walk();
        let mut depth = 0;
        loop {
            if cursor.goto_first_child() {
                depth += 1;
                if depth > levels {
                    return true;
                }
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return false;
                }
                depth -= 1;
            }
        }
    }

    /// The whole text.
    pub fn source(&self) -> &str {
        &self.ast.root().get_doc().src
    }

    /// The text alone. The tree is left as it is: visiting every node only to give it back would take long, so its memory must be an arena's.
    fn into_source(self) -> String {
        let ast = ManuallyDrop::new(self.ast);
        // SAFETY: nobody uses or drops the document from here on, so the text has one owner.
        unsafe { ptr::read(&raw const ast.root().get_doc().src) }
    }

    /// The language it was parsed as.
    pub fn lang(&self) -> Lang {
        *self.ast.lang()
    }

    /// The number of lines; a final newline does not open another one.
    pub fn line_count(&self) -> usize {
        let source = self.source();
        if source.is_empty() { 0 } else { self.lines().starts.len() - usize::from(source.ends_with('\n')) }
    }

    /// Positions for a span of bytes.
    pub fn range(&self, span: Span<usize>) -> Range {
        let (start_line, start_column) = self.position(span.start);
        let (end_line, end_column) = self.position(span.end);
        Range { byte_start: span.start, byte_end: span.end, start_line, start_column, end_line, end_column }
    }

    /// The text of a span; empty when the span is not on character borders.
    pub fn text(&self, span: Span<usize>) -> &str {
        self.source().get(span).unwrap_or_default()
    }

    /// The 1-based line of the first error or missing node, if any.
    pub fn first_error_line(&self) -> Option<usize> {
        let root = self.root();
        if !root.has_error() {
            return None;
        }
        let mut node = root;
        // Each step goes into the first child that holds an error, so the walk is as deep as the tree, not as wide.
        while !node.is_error() && !node.is_missing() {
            let mut cursor = node.walk();
            let next = node.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
            match next {
                Some(child) => node = child,
                None => break,
            }
        }
        Some(node.start_position().row + 1)
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(self.source()))
    }

    fn position(&self, byte: usize) -> (usize, usize) {
        let lines = self.lines();
        let line = lines.starts.partition_point(|start| *start as usize <= byte).max(1);
        let start = lines.starts.get(line - 1).map_or(0, |start| *start as usize);
        let units = |byte| lines.units_before(self.source(), byte);
        (line, 1 + units(byte) - units(start))
    }
}

/// Where the lines of a text start, and how many UTF-16 units come before its bytes. A line may be as long as the text, so no
/// column is counted from the start of its line.
struct Lines {
    /// tree-sitter counts in 32 bits itself.
    starts: Vec<u32>,
    /// The units before every `STRIDE` bytes; none when all of the text is ASCII.
    units: Option<Vec<u32>>,
}

const STRIDE: usize = 256;

impl Lines {
    fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1)).collect();
        let units = (!source.is_ascii()).then(|| {
            let mut count = 0;
            let before = |block| {
                let before = count;
                count += units_of(block) as u32;
                before
            };
            // The rest behind the last whole block is counted when it is asked for; so is the end of the text.
            bytes.chunks(STRIDE).map(before).collect()
        });
        Self { starts, units }
    }

    fn units_before(&self, source: &str, byte: usize) -> usize {
        let Some(units) = &self.units else { return byte };
        // The end of a text may be the start of a block that is not there.
        let block = (byte / STRIDE).min(units.len().saturating_sub(1));
        let before = units.get(block).map_or(0, |units| *units as usize);
        before + source.as_bytes().get(block * STRIDE..byte).map_or(0, units_of)
    }
}

/// The UTF-16 units of the characters that start in a part of a text.
fn units_of(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn columns_are_those_that_one_counts_from_the_start_of_the_line(
            parts in prop::collection::vec(
                (prop::sample::select(vec!["a", "é", "€", "😀", "\n", "\r\n", "text of some length "]), 1_usize..90),
                0..20,
            ),
        ) {
            let source: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
            let lines = Lines::new(&source);
            for byte in (0..=source.len()).filter(|byte| source.is_char_boundary(*byte)) {
                prop_assert_eq!(lines.units_before(&source, byte), source[..byte].encode_utf16().count());
            }
        }
    }
}
