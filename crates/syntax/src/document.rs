//! A parsed source text with positions that a person can use.
//!
//! tree-sitter counts bytes. Results also carry 1-based lines and 1-based columns in UTF-16 code units, which is
//! what editors and JavaScript count, so that no caller has to convert again.

use std::ops::Range as Span;
use std::sync::{Arc, OnceLock};

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;
use serde::{Serialize, Serializer};
use tenon_cancel::CancelToken;

use crate::error::SyntaxError;
use crate::language::Lang;
use crate::memory::{Arena, Pool};
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
    line_starts: OnceLock<Vec<usize>>,
}

/// Reads one text after another; a worker has one. The memory of a tree is used again for the next one.
#[derive(Default)]
pub struct Reader {
    arena: Arena,
    /// Of the last text; most texts of a job are of one language.
    grammar: Option<Grammar>,
}

impl Reader {
    /// A reader whose memory comes from a pool that others use, too.
    pub(crate) fn sharing(pool: &Arc<Pool>) -> Self {
        Self { arena: Arena::new(Arc::clone(pool)), grammar: None }
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
        self.arena.with(|| {
            let document = Document::parse_with(grammar, source, cancel)?;
            // With one owner more, the end of the document does not visit every node only to give it back.
            std::mem::forget(document.ast.root().get_doc().tree.clone());
            work(&document)
        })
    }
}

impl Document {
    /// Parses one text; stops within the parse when the token asks for it.
    pub fn parse(source: String, lang: Lang, cancel: &CancelToken) -> Result<Self, SyntaxError> {
        Self::parse_with(&mut Grammar::new(lang)?, source, cancel)
    }

    fn parse_with(grammar: &mut Grammar, source: String, cancel: &CancelToken) -> Result<Self, SyntaxError> {
        let (tree, lang) = (grammar.parse(&source, cancel)?, grammar.lang());
        Ok(Self { ast: AstGrep::doc(StrDoc { src: source, lang, tree }), line_starts: OnceLock::new() })
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

    /// The language it was parsed as.
    pub fn lang(&self) -> Lang {
        *self.ast.lang()
    }

    /// The number of lines; a final newline does not open another one.
    pub fn line_count(&self) -> usize {
        let source = self.source();
        if source.is_empty() { 0 } else { self.line_starts().len() - usize::from(source.ends_with('\n')) }
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

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| line_starts(self.source()))
    }

    fn position(&self, byte: usize) -> (usize, usize) {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= byte).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text(start..byte);
        (line, 1 + if before.is_ascii() { before.len() } else { before.encode_utf16().count() })
    }
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at + 1)).collect()
}
