//! The matches of one text as numbers, and the text that they show beside them.
//!
//! Matches lie in one another and captures in matches, so the same words would cross to JavaScript many times. Here every piece of the source
//! crosses once per file, and an excerpt says from where to where it is, in UTF-16 units. There are two strings per file: one of the pieces
//! that are ASCII, and behind it one of the others, because one wide character doubles the size of the string that it is in.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::Document;
use crate::files::Items;
use crate::search::{Capture, Excerpt, Match};

/// The matches of one text. A match is: rule, kind, excerpt, number of captures, captures. A capture is: name, zero and
/// the excerpt of its node, or one more than the length of its list and the excerpts. An excerpt is: from, to, one when it was cut, and the six
/// numbers of its range. Kinds and names are places in `words`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// How many matches there are.
    pub count: usize,
    pub numbers: Vec<u32>,
    pub words: Vec<String>,
    /// The pieces that are ASCII.
    pub text: String,
    /// The others; their places go on where those of `text` end.
    pub wide: String,
}

impl Items for Packed {
    fn count(&self) -> usize {
        self.count
    }
}

/// What says how to read the numbers of one file: the number of its matches, and the words.
#[derive(Debug, Serialize)]
pub struct PackedHeader(pub usize, pub Vec<String>);

impl Items for PackedHeader {
    fn count(&self) -> usize {
        self.0
    }
}

/// The matches of a document and the text of their excerpts.
pub(crate) fn pack(document: &Document, matches: &[Match<'_>]) -> Packed {
    let shown = Shown::new(document, matches);
    let mut numbers = Numbers { list: Vec::with_capacity(NUMBERS_PER_MATCH * matches.len()), words: BTreeMap::new() };
    for found in matches {
        numbers.add(found.rule);
        numbers.word(&found.kind);
        numbers.excerpt(&found.excerpt, &shown);
        numbers.add(found.captures.len());
        for capture in &found.captures {
            numbers.capture(capture, &shown);
        }
    }
    let Numbers { mut list, words } = numbers;
    list.shrink_to_fit();
    let mut in_order = vec![String::new(); words.len()];
    for (word, at) in words {
        word.clone_into(&mut in_order[at]);
    }
    Packed { count: matches.len(), numbers: list, words: in_order, text: shown.text, wide: shown.wide }
}

/// A match with one capture has as many.
const NUMBERS_PER_MATCH: usize = 23;

struct Numbers<'m> {
    list: Vec<u32>,
    words: BTreeMap<&'m str, usize>,
}

impl<'m> Numbers<'m> {
    /// tree-sitter counts in 32 bits itself.
    fn add(&mut self, number: usize) {
        self.list.push(u32::try_from(number).unwrap_or(u32::MAX));
    }

    fn word(&mut self, word: &'m str) {
        let next = self.words.len();
        let at = *self.words.entry(word).or_insert(next);
        self.add(at);
    }

    fn excerpt(&mut self, excerpt: &Excerpt<'_>, shown: &Shown) {
        let (from, to) = shown.place(excerpt);
        for number in [from, to, usize::from(excerpt.truncated)].into_iter().chain(excerpt.range.numbers()) {
            self.add(number);
        }
    }

    fn capture(&mut self, capture: &'m Capture<'_>, shown: &Shown) {
        self.word(&capture.name);
        if let Some(excerpt) = &capture.excerpt {
            self.add(0);
            self.excerpt(excerpt, shown);
        } else {
            let nodes = capture.nodes.as_deref().unwrap_or_default();
            self.add(nodes.len() + 1);
            nodes.iter().for_each(|node| self.excerpt(node, shown));
        }
    }
}

/// The pieces of the source that any excerpt shows, one behind the other.
struct Shown {
    /// Where each piece starts and ends in the source.
    pieces: Vec<Piece>,
    text: String,
    wide: String,
    /// The UTF-16 units before each byte of `wide`.
    units: Vec<u32>,
}

struct Piece {
    start: usize,
    end: usize,
    is_wide: bool,
    /// Where it starts in its text.
    at: usize,
}

impl Shown {
    fn new(document: &Document, matches: &[Match<'_>]) -> Self {
        let mut spans: Vec<(usize, usize)> = Vec::with_capacity(matches.len());
        let mut add = |excerpt: &Excerpt<'_>| {
            spans.push((excerpt.range.byte_start, excerpt.range.byte_start + excerpt.text.len()));
        };
        for found in matches {
            add(&found.excerpt);
            for capture in &found.captures {
                capture.excerpt.iter().chain(capture.nodes.iter().flatten()).for_each(&mut add);
            }
        }
        spans.sort_unstable();
        let mut pieces: Vec<Piece> = Vec::new();
        for (start, end) in spans {
            match pieces.last_mut() {
                Some(piece) if start <= piece.end => piece.end = end.max(piece.end),
                _ => pieces.push(Piece { start, end, is_wide: false, at: 0 }),
            }
        }
        let (mut length, mut wide_length) = (0, 0);
        for piece in &mut pieces {
            piece.is_wide = !document.text(piece.start..piece.end).is_ascii();
            let reached = if piece.is_wide { &mut wide_length } else { &mut length };
            piece.at = *reached;
            *reached += piece.end - piece.start;
        }
        let (mut text, mut wide) = (String::with_capacity(length), String::with_capacity(wide_length));
        for piece in &pieces {
            let chosen = if piece.is_wide { &mut wide } else { &mut text };
            chosen.push_str(document.text(piece.start..piece.end));
        }
        let units = units_before(&wide);
        Self { pieces, text, wide, units }
    }

    /// From where to where an excerpt is in the texts, in UTF-16 units.
    fn place(&self, excerpt: &Excerpt<'_>) -> (usize, usize) {
        let start = excerpt.range.byte_start;
        let index = self.pieces.partition_point(|piece| piece.start <= start).saturating_sub(1);
        let Some(piece) = self.pieces.get(index) else { return (0, 0) };
        let from = piece.at + (start - piece.start);
        let to = from + excerpt.text.len();
        if !piece.is_wide {
            return (from, to);
        }
        let unit = |byte: usize| self.text.len() + self.units.get(byte).map_or(0, |unit| *unit as usize);
        (unit(from), unit(to))
    }
}

/// For every byte of a text, and for its end, the number of UTF-16 units before it.
fn units_before(text: &str) -> Vec<u32> {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut count = 0;
    for character in text.chars() {
        units.extend(std::iter::repeat_n(count, character.len_utf8()));
        count += character.len_utf16() as u32;
    }
    units.push(count);
    units
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tenon_cancel::CancelToken;

    use super::*;
    use crate::language::Lang;
    use crate::rule::RuleSpec;
    use crate::search::Query;

    /// Takes the numbers one after the other.
    struct Reading<'p>(&'p Packed, std::slice::Iter<'p, u32>);

    impl Reading<'_> {
        fn next(&mut self) -> usize {
            *self.1.next().unwrap() as usize
        }

        fn word(&mut self) -> String {
            let at = self.next();
            self.0.words[at].clone()
        }

        /// The text, whether it was cut, and the range.
        fn excerpt(&mut self) -> (String, bool, [usize; 6]) {
            let units: Vec<u16> = self.0.text.encode_utf16().chain(self.0.wide.encode_utf16()).collect();
            let (from, to, cut) = (self.next(), self.next(), self.next());
            let range = std::array::from_fn(|_| self.next());
            (String::from_utf16(&units[from..to]).unwrap(), cut == 1, range)
        }
    }

    #[test]
    fn every_excerpt_is_found_in_the_text_that_crosses_once() {
        let source = "f(é, '😀', g(h)); x(); f(a, 'b');";
        let lang = Lang::find("javascript").unwrap();
        let document = Document::parse(source.to_owned(), lang, &CancelToken::new()).unwrap();
        let rule = RuleSpec { pattern: Some("$F($$$ARGS)".to_owned()), ..RuleSpec::default() };
        let query = Query::compile(&[rule], lang).unwrap();
        let matches = query.matches(&document, usize::MAX, 9, &CancelToken::new()).unwrap();
        let packed = pack(&document, &matches);
        // The first match is cut after nine units; what its captures show behind that is a piece of its own.
        assert_eq!(packed.wide, "f(é, '😀',");
        assert_eq!(packed.text, "g(h)x()f(a, 'b')");
        assert_eq!(packed.count, matches.len());
        let of = |excerpt: &Excerpt<'_>| (excerpt.text.to_string(), excerpt.truncated, excerpt.range.numbers());
        let mut reading = Reading(&packed, packed.numbers.iter());
        for found in &matches {
            assert_eq!((reading.next(), reading.word()), (found.rule, found.kind.to_string()));
            assert_eq!(reading.excerpt(), of(&found.excerpt));
            assert_eq!(reading.next(), found.captures.len());
            for capture in &found.captures {
                assert_eq!(reading.word(), capture.name);
                let count = reading.next();
                assert_eq!(count, capture.nodes.as_ref().map_or(0, |nodes| nodes.len() + 1));
                for excerpt in capture.excerpt.iter().chain(capture.nodes.iter().flatten()) {
                    assert_eq!(reading.excerpt(), of(excerpt));
                }
            }
        }
        assert_eq!(reading.1.len(), 0);
    }
}
