//! What a file's text must contain before it is worth parsing.
//!
//! Parsing costs about a thousand times more than finding a substring. A named leaf of a pattern only ever
//! matches a leaf of the same text (in every strictness but `signature`), so a file without that text cannot
//! match. Anonymous tokens are compared by kind, not by text, and therefore say nothing here.

use std::io::{self, Read};

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
        self.holds(&|finder| finder.find(text).is_some())
    }

    fn holds(&self, occurs: &impl Fn(&Finder<'static>) -> bool) -> bool {
        match self {
            Self::Open => true,
            Self::Text(finder) => occurs(finder),
            Self::All(parts) => parts.iter().all(|part| part.holds(occurs)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(occurs)),
        }
    }

    fn collect<'p>(&'p self, finders: &mut Vec<&'p Finder<'static>>) {
        match self {
            Self::Open => {}
            Self::Text(finder) => finders.push(finder),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.collect(finders)),
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

/// False only when none of the prefilters admits a text, which is read through a window of some bytes: most files of a large tree
/// are turned down, and a large file must not be held whole for that. Text that is not UTF-8 is admitted, so that whoever reads it
/// whole says so.
pub fn any_admits(prefilters: &[&Prefilter], text: &mut impl Read, window: usize) -> io::Result<bool> {
    let mut missing = Vec::new();
    prefilters.iter().for_each(|prefilter| prefilter.collect(&mut missing));
    let overlap = missing.iter().map(|finder| finder.needle().len()).max().unwrap_or(0);
    let is_admitted = |missing: &[&Finder<'static>]| {
        let occurs = |finder: &Finder<'static>| !missing.iter().any(|other| std::ptr::eq(*other, finder));
        prefilters.iter().any(|prefilter| prefilter.holds(&occurs))
    };
    if is_admitted(&missing) || overlap > window / 2 {
        return Ok(true);
    }
    let mut bytes = vec![0; window];
    // What is kept of the last window, and how much of the bytes is known to be UTF-8.
    let (mut kept, mut valid) = (0, 0);
    loop {
        let filled = kept + text.read(&mut bytes[kept..])?;
        if filled == kept {
            // A character that the end cuts off is not UTF-8.
            return Ok(valid < filled);
        }
        match std::str::from_utf8(&bytes[valid..filled]) {
            Ok(_) => valid = filled,
            Err(error) if error.error_len().is_none() => valid += error.valid_up_to(),
            Err(_) => return Ok(true),
        }
        missing.retain(|finder| finder.find(&bytes[..filled]).is_none());
        if is_admitted(&missing) {
            return Ok(true);
        }
        let start = filled - overlap.max(filled - valid).min(filled);
        bytes.copy_within(start..filled, 0);
        (kept, valid) = (filled - start, valid - start);
    }
}

fn named_leaves<'p>(node: &'p PatternNode, texts: &mut Vec<&'p str>) {
    match node {
        PatternNode::Terminal { text, is_named: true, .. } if !text.is_empty() => texts.push(text),
        PatternNode::Internal { children, .. } => children.iter().for_each(|child| named_leaves(child, texts)),
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finder(text: &str) -> Prefilter {
        Prefilter::Text(Box::new(Finder::new(text).into_owned()))
    }

    /// Gives a few bytes at a time.
    struct Slowly<'t>(&'t [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(room.len()).min(self.0.len());
            room[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    proptest! {
        #[test]
        fn a_window_sees_what_the_whole_text_holds(
            parts in prop::collection::vec(prop::sample::select(vec!["ab", "b", "é", "😀", "abc", "x", " "]), 0..40),
            needles in prop::collection::vec(prop::sample::select(vec!["ab", "abab", "xé", "😀b", "c x", "zz"]), 1..4),
            cut in 0_usize..6,
            at_once in 1_usize..20,
            shape in 0..3,
        ) {
            let whole = parts.concat();
            let bytes = &whole.as_bytes()[..whole.len().saturating_sub(cut)];
            let texts: Vec<Prefilter> = needles.iter().map(|needle| finder(needle)).collect();
            let prefilter = match shape {
                0 => Prefilter::All(texts),
                1 => Prefilter::Any(texts),
                _ => Prefilter::All(vec![Prefilter::Any(texts), finder("ab"), Prefilter::Open]),
            };
            let expected = prefilter.admits(bytes) || std::str::from_utf8(bytes).is_err();
            prop_assert_eq!(any_admits(&[&prefilter], &mut Slowly(bytes, at_once), 16).unwrap(), expected);
            prop_assert!(any_admits(&[&prefilter, &Prefilter::Open], &mut Slowly(bytes, at_once), 16).unwrap());
        }
    }
}
