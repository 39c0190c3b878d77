//! What a text must contain for a pattern to match, as strings.
//!
//! A query is a necessary condition: every text that the pattern matches fulfils it. It is worked out from the parsed pattern, bottom up. A
//! part either stands for a few fixed strings, which join with their neighbours, or for a condition.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::grams::grams;
use crate::verdict::Bytes;

/// A condition on a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// Any text may match.
    All,
    /// It holds one of these strings, of three bytes or more, none longer than [`LONGEST_STRING`]. Where case does not count, they have small letters.
    Near(Strings),
    And(Vec<Query>),
    /// Without members no text matches.
    Or(Vec<Query>),
}

/// More strings than this are not followed one by one.
const MOST_STRINGS: usize = 64;
/// Longer strings are looked for in pieces.
pub(crate) const LONGEST_STRING: usize = 48;

/// Strings one of which is there; an empty one says nothing.
pub(crate) type Strings = Vec<Vec<u8>>;

/// What a part of a pattern stands for.
enum Part {
    /// One of these strings, and nothing else.
    Strings(Strings),
    Condition(Condition),
}

/// A text that begins with one of some strings, ends with one of some, and fulfils a query.
struct Condition {
    first: Strings,
    query: Query,
    last: Strings,
}

impl Condition {
    fn unknown() -> Self {
        Self { first: vec![Vec::new()], query: Query::All, last: vec![Vec::new()] }
    }
}

impl Part {
    fn query(self) -> Query {
        match self {
            Self::Strings(strings) => query_of_strings(&strings),
            Self::Condition(condition) => condition.query,
        }
    }

    /// The same without the knowledge that it is nothing else.
    fn condition(self) -> Condition {
        match self {
            Self::Strings(strings) => {
                Condition { query: query_of_strings(&strings), first: strings.clone(), last: strings }
            }
            Self::Condition(condition) => condition,
        }
    }
}

impl Query {
    /// The condition for a parsed pattern, and whether the case of its strings counts.
    pub fn of(pattern: &Hir) -> (Self, bool) {
        let is_exact = !has_caseless_letter(pattern);
        (part_of(pattern, is_exact).query(), is_exact)
    }
}

/// The ASCII bytes that no match holds, so that each match lies between two of them. Where lines end is known without.
pub(crate) fn bytes_between_matches(pattern: &Hir) -> Bytes {
    let mut bytes = Bytes::all_of_ascii();
    bytes.remove(b'\r');
    bytes.remove(b'\n');
    remove_held(pattern, &mut bytes);
    bytes
}

fn remove_held(hir: &Hir, bytes: &mut Bytes) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => literal.0.iter().for_each(|byte| bytes.remove(*byte)),
        HirKind::Class(Class::Unicode(class)) => {
            let ascii = |at: char| u8::try_from(at).unwrap_or(u8::MAX);
            class
                .iter()
                .flat_map(|range| ascii(range.start())..=ascii(range.end()))
                .for_each(|byte| bytes.remove(byte));
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().flat_map(|range| range.start()..=range.end()).for_each(|byte| bytes.remove(byte));
        }
        HirKind::Capture(capture) => remove_held(&capture.sub, bytes),
        HirKind::Repetition(repetition) => remove_held(&repetition.sub, bytes),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().for_each(|part| remove_held(part, bytes)),
    }
}

/// A set such as `[kK]`: what a letter becomes where case does not count. All of them one by one would be too many strings.
fn has_caseless_letter(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(class) => members(class, true)
            .is_some_and(|small| small.len() <= 2 && members(class, false).is_some_and(|all| all.len() > small.len())),
        HirKind::Capture(capture) => has_caseless_letter(&capture.sub),
        HirKind::Repetition(repetition) => has_caseless_letter(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_caseless_letter),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => false,
    }
}

fn part_of(hir: &Hir, is_exact: bool) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::Strings(vec![Vec::new()]),
        HirKind::Literal(literal) if is_exact => Part::Strings(vec![literal.0.to_vec()]),
        HirKind::Literal(literal) => Part::Strings(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => members(class, !is_exact).map_or(Part::Condition(Condition::unknown()), Part::Strings),
        HirKind::Capture(capture) => part_of(&capture.sub, is_exact),
        HirKind::Repetition(repetition) => repeated(repetition, is_exact),
        HirKind::Concat(parts) => in_a_row(parts, is_exact),
        HirKind::Alternation(parts) => one_of(parts, is_exact),
    }
}

/// The members of a small set, or the same with small ASCII letters only.
fn members(class: &Class, small: bool) -> Option<Vec<Vec<u8>>> {
    let mut strings: Vec<Vec<u8>> = Vec::new();
    match class {
        Class::Unicode(set) => {
            let count: usize = set.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum();
            if count > MOST_STRINGS {
                return None;
            }
            for character in set.iter().flat_map(|range| range.start()..=range.end()) {
                strings.push(if small { character.to_ascii_lowercase() } else { character }.to_string().into_bytes());
            }
        }
        Class::Bytes(set) => {
            if set.iter().map(regex_syntax::hir::ClassBytesRange::len).sum::<usize>() > MOST_STRINGS {
                return None;
            }
            for byte in set.iter().flat_map(|range| range.start()..=range.end()) {
                strings.push(vec![if small { byte.to_ascii_lowercase() } else { byte }]);
            }
        }
    }
    strings.sort_unstable();
    strings.dedup();
    Some(strings)
}

fn repeated(repetition: &Repetition, is_exact: bool) -> Part {
    match (repetition.min, repetition.max) {
        (1, Some(1)) => part_of(&repetition.sub, is_exact),
        (0, Some(1)) => match part_of(&repetition.sub, is_exact) {
            Part::Strings(mut strings) if strings.len() < MOST_STRINGS => {
                strings.push(Vec::new());
                Part::Strings(strings)
            }
            _ => Part::Condition(Condition::unknown()),
        },
        (0, _) => Part::Condition(Condition::unknown()),
        // It begins with the first and ends with the last one.
        _ => Part::Condition(part_of(&repetition.sub, is_exact).condition()),
    }
}

fn in_a_row(parts: &[Hir], is_exact: bool) -> Part {
    let mut conditions = Vec::new();
    // What stands directly before the next part.
    let mut strings = vec![Vec::new()];
    // What stands at the very start, once it is known.
    let mut first: Option<Strings> = None;
    for part in parts {
        let (before, query, after) = match part_of(part, is_exact) {
            Part::Strings(next) => match joined(&strings, &next) {
                Some(longer) => {
                    strings = longer;
                    continue;
                }
                None => (strings, Query::All, next),
            },
            Part::Condition(Condition { first, query, last }) => {
                (joined(&strings, &first).unwrap_or(strings), query, last)
            }
        };
        conditions.extend([query_of_strings(&before), query]);
        first = first.or(Some(before));
        strings = after;
    }
    match first {
        None => Part::Strings(strings),
        Some(first) => {
            conditions.push(query_of_strings(&strings));
            Part::Condition(Condition { first, query: and(conditions), last: strings })
        }
    }
}

fn joined(first: &[Vec<u8>], second: &[Vec<u8>]) -> Option<Strings> {
    let longest = |strings: &[Vec<u8>]| strings.iter().map(Vec::len).max().unwrap_or(0);
    if first.len() * second.len() > MOST_STRINGS || longest(first) + longest(second) > LONGEST_STRING {
        return None;
    }
    Some(first.iter().flat_map(|start| second.iter().map(move |end| [start.as_slice(), end].concat())).collect())
}

fn one_of(parts: &[Hir], is_exact: bool) -> Part {
    let parts: Vec<Part> = parts.iter().map(|part| part_of(part, is_exact)).collect();
    let count = |part: &Part| match part {
        Part::Strings(strings) => strings.len(),
        Part::Condition(_) => MOST_STRINGS + 1,
    };
    if parts.iter().map(count).sum::<usize>() <= MOST_STRINGS {
        let strings = parts.into_iter().flat_map(|part| part.condition().first);
        return Part::Strings(strings.collect());
    }
    let mut all = Condition { first: Vec::new(), query: Query::All, last: Vec::new() };
    let mut queries = Vec::new();
    for Condition { first, query, last } in parts.into_iter().map(Part::condition) {
        all.first.extend(first);
        all.last.extend(last);
        queries.push(query);
    }
    for strings in [&mut all.first, &mut all.last] {
        if strings.len() > MOST_STRINGS {
            *strings = vec![Vec::new()];
        }
    }
    Part::Condition(Condition { query: or(queries), ..all })
}

fn query_of_strings(strings: &[Vec<u8>]) -> Query {
    if strings.iter().any(|string| string.len() > LONGEST_STRING) {
        let pieces = |string: &Vec<u8>| and(string.chunks(LONGEST_STRING).map(|piece| near([piece])).collect());
        return or(strings.iter().map(pieces).collect());
    }
    near(strings)
}

/// One of these strings, none of them longer than [`LONGEST_STRING`].
fn near(strings: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Query {
    let mut strings: Strings = strings.into_iter().map(|string| string.as_ref().to_owned()).collect();
    if strings.iter().any(|string| grams(string).next().is_none()) {
        return Query::All;
    }
    strings.sort_unstable();
    strings.dedup();
    if strings.is_empty() { Query::Or(Vec::new()) } else { Query::Near(strings) }
}

fn and(mut parts: Vec<Query>) -> Query {
    parts.retain(|part| *part != Query::All);
    match parts.len() {
        0 => Query::All,
        1 => parts.remove(0),
        _ => Query::And(parts),
    }
}

fn or(mut parts: Vec<Query>) -> Query {
    if parts.contains(&Query::All) {
        return Query::All;
    }
    if parts.len() == 1 { parts.remove(0) } else { Query::Or(parts) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use regex_syntax::ParserBuilder;

    use super::*;

    fn parsed(pattern: &str, ignore_case: bool) -> Hir {
        let mut parser =
            ParserBuilder::new().multi_line(true).crlf(true).utf8(false).case_insensitive(ignore_case).build();
        parser.parse(pattern).unwrap()
    }

    fn query(pattern: &str, ignore_case: bool) -> Query {
        Query::of(&parsed(pattern, ignore_case)).0
    }

    fn holds(query: &Query, held: &HashSet<u32>) -> bool {
        match query {
            Query::All => true,
            Query::Near(strings) => strings.iter().any(|string| grams(string).all(|gram| held.contains(&gram))),
            Query::And(parts) => parts.iter().all(|part| holds(part, held)),
            Query::Or(parts) => parts.iter().any(|part| holds(part, held)),
        }
    }

    #[test]
    fn patterns_without_three_known_bytes_in_a_row_ask_for_nothing() {
        for pattern in ["ab", ".*", "a.b.c", "(abc)?", "[a-z]+", "abc|de", "\\w{5}"] {
            assert_eq!(query(pattern, false), Query::All, "{pattern}");
        }
    }

    #[test]
    fn known_strings_join_across_small_sets_options_and_groups() {
        let all = |text: &str| near([text]);
        assert_eq!(query("use(State)", false), all("useState"));
        assert_eq!(query("colou?r", false), near(["colour", "color"]));
        assert_eq!(query("gr[ae]y", false), near(["gray", "grey"]));
        assert_eq!(query("foo\\w+barbaz", false), and(vec![all("foo"), all("barbaz")]));
        assert_eq!(query("(?:abc)+", false), all("abc"));
        assert_eq!(query("xa[bc]+de", false), and(vec![near(["xab", "xac"]), near(["bde", "cde"])]));
        assert_eq!(query("class[ _]+\\w+X", false), near(["class ", "class_"]));
        assert_eq!(query("\\w(?:ab|.*c)+de", false), near(["abde", "cde"]));
        // The long s and the Kelvin sign are letters, too, when case does not count.
        assert_ne!(query("task", true), all("task"));
    }

    #[test]
    fn bytes_that_no_match_holds_are_ascii_and_end_no_line() {
        let between = |pattern: &str, ignore_case: bool| -> String {
            let bytes = bytes_between_matches(&parsed(pattern, ignore_case));
            (0..=u8::MAX).filter(|byte| bytes.has(*byte)).map(char::from).filter(|at| !at.is_ascii_control()).collect()
        };
        assert_eq!(between("[ -\\[\\]-}]", false), "\\~");
        assert_eq!(between("(?:[^\\x00-;]|a){2}|\\b[0-9]+$", false), " !\"#$%&'()*+,-./:;");
        assert_eq!(between("[ -/:-Z\\[-`{-~]+[0-9]", true), "");
        assert_eq!(between("é", false).len(), 95);
        assert!(["é", "a", ".*"].iter().all(|pattern| !between(pattern, false).contains(['\r', '\n'])));
        assert_eq!(between("a.c", false), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn every_text_that_matches_fulfils_the_condition(
            pattern in "(?s)[a-cK_é]{1,4}(\\.|\\.\\*|[a-d]{2,4}|\\(ab\\|cde\\)|\\(x\\|abc\\)\\?|\\[a-c\\]|c\\+|a\\{2,3\\}|\\\\w|\\\\b|\\^|\\$){0,4}[a-cſ ]{0,4}",
            text in "[a-dkKſs_é \n]{0,60}",
            ignore_case: bool,
        ) {
            let regex = regex::bytes::RegexBuilder::new(&pattern).multi_line(true).crlf(true).case_insensitive(ignore_case).build();
            if let Ok(regex) = regex && let Some(found) = regex.find(text.as_bytes()) {
                let between = bytes_between_matches(&parsed(&pattern, ignore_case));
                prop_assert!(!found.as_bytes().iter().any(|byte| between.has(*byte)), "{pattern} in {text:?}");
                prop_assert!(holds(&query(&pattern, ignore_case), &grams(text.as_bytes()).collect()), "{pattern} in {text:?}");
            }
        }
    }
}
