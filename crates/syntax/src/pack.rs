//! The matches of one text as numbers, and the text that they show beside them.
//!
//! Matches lie in one another and captures in matches, so the same words would cross to JavaScript many times. Here every piece of the source
//! crosses once per file, as one string, and an excerpt says from where to where it is in it, in UTF-16 units.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::document::Document;
use crate::search::{Capture, Excerpt, Match};

/// From, to, one when it was cut, and the six numbers of its range.
type PackedExcerpt = [usize; 9];

/// Rule, kind, excerpt, captures.
#[derive(Serialize)]
struct PackedMatch<'m>(usize, &'m str, PackedExcerpt, Vec<PackedCapture<'m>>);

/// Name, and the excerpt of a node or those of a list.
#[derive(Serialize)]
#[serde(untagged)]
enum PackedCapture<'m> {
    Node(&'m str, PackedExcerpt),
    List(&'m str, (), Vec<PackedExcerpt>),
}

/// The matches of a document and the text of their excerpts.
pub(crate) fn pack(document: &Document, matches: &[Match<'_>]) -> (Vec<Option<Box<RawValue>>>, String) {
    let shown = Shown::new(document, matches);
    let packed = matches.iter().map(|found| {
        let captures = found.captures.iter().map(|capture| shown.capture(capture)).collect();
        let packed = PackedMatch(found.rule, &found.kind, shown.excerpt(&found.excerpt), captures);
        // Numbers and text always encode; a null would fail the reader's checks at once.
        serde_json::value::to_raw_value(&packed).ok()
    });
    (packed.collect(), shown.text)
}

/// The pieces of the source that any excerpt shows, one behind the other.
struct Shown {
    /// Where each piece starts and ends in the source, and where it starts in the text.
    pieces: Vec<(usize, usize, usize)>,
    text: String,
    /// The UTF-16 units before each byte of the text; none when that is the number of the byte.
    units: Option<Vec<u32>>,
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
        let mut pieces: Vec<(usize, usize, usize)> = Vec::new();
        let mut length = 0;
        for (start, end) in spans {
            match pieces.last_mut() {
                Some((_, reached, _)) if start <= *reached => {
                    length += end.saturating_sub(*reached);
                    *reached = end.max(*reached);
                }
                _ => {
                    pieces.push((start, end, length));
                    length += end - start;
                }
            }
        }
        let mut text = String::with_capacity(length);
        for (start, end, _) in &pieces {
            text.push_str(document.text(*start..*end));
        }
        let units = (!text.is_ascii()).then(|| units_before(&text));
        Self { pieces, text, units }
    }

    fn excerpt(&self, excerpt: &Excerpt<'_>) -> PackedExcerpt {
        let start = excerpt.range.byte_start;
        let piece = self.pieces.partition_point(|(first, ..)| *first <= start).saturating_sub(1);
        let from = self.pieces.get(piece).map_or(0, |(first, _, at)| at + (start - first));
        let to = from + excerpt.text.len();
        let unit = |byte: usize| match &self.units {
            Some(units) => units.get(byte).map_or(0, |unit| *unit as usize),
            None => byte,
        };
        let [byte_start, byte_end, start_line, start_column, end_line, end_column] = excerpt.range.numbers();
        let cut = usize::from(excerpt.truncated);
        [unit(from), unit(to), cut, byte_start, byte_end, start_line, start_column, end_line, end_column]
    }

    fn capture<'m>(&self, capture: &'m Capture<'_>) -> PackedCapture<'m> {
        let list = |nodes: &Vec<Excerpt<'_>>| nodes.iter().map(|node| self.excerpt(node)).collect();
        match &capture.excerpt {
            Some(excerpt) => PackedCapture::Node(&capture.name, self.excerpt(excerpt)),
            None => PackedCapture::List(&capture.name, (), capture.nodes.as_ref().map(list).unwrap_or_default()),
        }
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
    use serde_json::Value;
    use tenon_cancel::CancelToken;

    use super::*;
    use crate::language::Lang;
    use crate::rule::RuleSpec;
    use crate::search::Query;

    #[test]
    fn every_excerpt_is_found_in_the_text_that_crosses_once() {
        let source = "f(é, '😀', g(h)); x(); f(a, 'b');";
        let lang = Lang::find("javascript").unwrap();
        let document = Document::parse(source.to_owned(), lang, &CancelToken::new()).unwrap();
        let rule = RuleSpec { pattern: Some("$F($$$ARGS)".to_owned()), ..RuleSpec::default() };
        let query = Query::compile(&[rule], lang).unwrap();
        let matches = query.matches(&document, usize::MAX, 9, &CancelToken::new()).unwrap();
        let (packed, text) = pack(&document, &matches);
        // The first match is cut after nine units; what its captures show behind that follows.
        assert_eq!(text, "f(é, '😀',g(h)x()f(a, 'b')");
        let units: Vec<u16> = text.encode_utf16().collect();
        let shown = |excerpt: &Value| {
            let at = |index: usize| excerpt[index].as_u64().unwrap() as usize;
            String::from_utf16(&units[at(0)..at(1)]).unwrap()
        };
        assert_eq!(packed.len(), matches.len());
        for (packed, found) in packed.iter().zip(&matches) {
            let packed: Value = serde_json::from_str(packed.as_ref().unwrap().get()).unwrap();
            assert_eq!(shown(&packed[2]), found.excerpt.text);
            assert_eq!(packed[2][2] == 1, found.excerpt.truncated);
            for (packed, capture) in packed[3].as_array().unwrap().iter().zip(&found.captures) {
                assert_eq!(packed[0], capture.name);
                let nodes: Vec<Value> = match &capture.excerpt {
                    Some(_) => vec![packed[1].clone()],
                    None => packed[2].as_array().unwrap().clone(),
                };
                let expected = capture.excerpt.iter().chain(capture.nodes.iter().flatten());
                assert!(nodes.iter().map(shown).eq(expected.map(|excerpt| excerpt.text.to_string())));
            }
        }
    }
}
