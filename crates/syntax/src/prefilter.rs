//! What a file's text must contain before it is worth parsing.
//!
//! Parsing costs about a thousand times more than finding a substring. A named leaf of a pattern only ever
//! matches a leaf of the same text (in every strictness but `signature`), so a file without that text cannot
//! match. Anonymous tokens are compared by kind, not by text, and therefore say nothing here.

use ast_grep_core::MatchStrictness;
use ast_grep_core::matcher::{Pattern, PatternNode};
use memchr::memmem::Finder;

/// A necessary condition on a file's text.
pub enum Prefilter {
    /// Nothing is known: parse.
    Open,
    /// This text must occur.
    Text(Box<Finder<'static>>),
    /// All must hold.
    All(Vec<Prefilter>),
    /// At least one must hold.
    Any(Vec<Prefilter>),
}

impl Prefilter {
    /// False only when the text cannot match.
    pub fn admits(&self, text: &[u8]) -> bool {
        match self {
            Self::Open => true,
            Self::Text(finder) => finder.find(text).is_some(),
            Self::All(parts) => parts.iter().all(|part| part.admits(text)),
            Self::Any(parts) => parts.iter().any(|part| part.admits(text)),
        }
    }

    /// The condition that a pattern sets.
    pub fn of_pattern(pattern: &Pattern) -> Self {
        if matches!(pattern.strictness, MatchStrictness::Signature) {
            return Self::Open;
        }
        let mut texts = Vec::new();
        named_leaves(&pattern.node, &mut texts);
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Self::All(texts.into_iter().map(|text| Self::Text(Box::new(Finder::new(text).into_owned()))).collect())
    }
}

fn named_leaves<'p>(node: &'p PatternNode, texts: &mut Vec<&'p str>) {
    match node {
        PatternNode::Terminal { text, is_named: true, .. } if !text.is_empty() => texts.push(text),
        PatternNode::Internal { children, .. } => children.iter().for_each(|child| named_leaves(child, texts)),
        _ => {}
    }
}
