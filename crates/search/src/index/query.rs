//! What a text must contain for a pattern to match, as trigrams.
//!
//! A query is a necessary condition: every text that the pattern matches fulfils it. It is worked out from the parsed pattern, bottom up. A
//! part either stands for a few fixed strings, which join with their neighbours, or for a condition.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::grams::grams;

/// A condition on the trigrams of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// Any text may match.
    All,
    /// These stand close together: within [`LONGEST_STRING`] bytes.
    Near(Vec<u32>),
    And(Vec<Query>),
    /// Without members no text matches.
    Or(Vec<Query>),
}

/// More strings than this are not followed one by one.
const MOST_STRINGS: usize = 64;
/// Longer strings are looked for in pieces.
pub(crate) const LONGEST_STRING: usize = 48;

/// What a part of a pattern stands for.
enum Part {
    /// One of these strings, and nothing else.
    Strings(Vec<Vec<u8>>),
    Condition(Query),
}

impl Part {
    fn query(self) -> Query {
        match self {
            Self::Strings(strings) => query_of_strings(&strings),
            Self::Condition(query) => query,
        }
    }
}

impl Query {
    /// The condition for a parsed pattern.
    pub fn of(pattern: &Hir) -> Self {
        part_of(pattern).query()
    }
}

fn part_of(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::Strings(vec![Vec::new()]),
        HirKind::Literal(literal) => Part::Strings(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => members(class).map_or(Part::Condition(Query::All), Part::Strings),
        HirKind::Capture(capture) => part_of(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(parts) => in_a_row(parts),
        HirKind::Alternation(parts) => one_of(parts),
    }
}

/// The members of a small set, without the case of ASCII letters.
fn members(class: &Class) -> Option<Vec<Vec<u8>>> {
    let mut strings: Vec<Vec<u8>> = Vec::new();
    match class {
        Class::Unicode(set) => {
            let count: usize = set.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum();
            if count > MOST_STRINGS {
                return None;
            }
            for character in set.iter().flat_map(|range| range.start()..=range.end()) {
                strings.push(character.to_ascii_lowercase().to_string().into_bytes());
            }
        }
        Class::Bytes(set) => {
            if set.iter().map(regex_syntax::hir::ClassBytesRange::len).sum::<usize>() > MOST_STRINGS {
                return None;
            }
            for byte in set.iter().flat_map(|range| range.start()..=range.end()) {
                strings.push(vec![byte.to_ascii_lowercase()]);
            }
        }
    }
    strings.sort_unstable();
    strings.dedup();
    Some(strings)
}

fn repeated(repetition: &Repetition) -> Part {
    match (repetition.min, repetition.max) {
        (1, Some(1)) => part_of(&repetition.sub),
        (0, Some(1)) => match part_of(&repetition.sub) {
            Part::Strings(mut strings) if strings.len() < MOST_STRINGS => {
                strings.push(Vec::new());
                Part::Strings(strings)
            }
            _ => Part::Condition(Query::All),
        },
        (0, _) => Part::Condition(Query::All),
        _ => Part::Condition(part_of(&repetition.sub).query()),
    }
}

fn in_a_row(parts: &[Hir]) -> Part {
    let mut conditions = Vec::new();
    let mut strings = vec![Vec::new()];
    for part in parts {
        match part_of(part) {
            Part::Strings(next) => match joined(&strings, &next) {
                Some(longer) => strings = longer,
                None => conditions.push(query_of_strings(&std::mem::replace(&mut strings, next))),
            },
            Part::Condition(query) => {
                conditions.push(query_of_strings(&strings));
                conditions.push(query);
                strings = vec![Vec::new()];
            }
        }
    }
    if conditions.is_empty() {
        return Part::Strings(strings);
    }
    conditions.push(query_of_strings(&strings));
    Part::Condition(and(conditions))
}

fn joined(first: &[Vec<u8>], second: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let longest = |strings: &[Vec<u8>]| strings.iter().map(Vec::len).max().unwrap_or(0);
    if first.len() * second.len() > MOST_STRINGS || longest(first) + longest(second) > LONGEST_STRING {
        return None;
    }
    Some(first.iter().flat_map(|start| second.iter().map(move |end| [start.as_slice(), end].concat())).collect())
}

fn one_of(parts: &[Hir]) -> Part {
    let parts: Vec<Part> = parts.iter().map(part_of).collect();
    let count = |part: &Part| match part {
        Part::Strings(strings) => strings.len(),
        Part::Condition(_) => MOST_STRINGS + 1,
    };
    if parts.iter().map(count).sum::<usize>() > MOST_STRINGS {
        return Part::Condition(or(parts.into_iter().map(Part::query).collect()));
    }
    let strings = parts.into_iter().flat_map(|part| match part {
        Part::Strings(strings) => strings,
        Part::Condition(_) => Vec::new(),
    });
    Part::Strings(strings.collect())
}

fn query_of_strings(strings: &[Vec<u8>]) -> Query {
    or(strings.iter().map(|string| and(string.chunks(LONGEST_STRING).map(near).collect())).collect())
}

fn near(string: &[u8]) -> Query {
    let grams: Vec<u32> = grams(string).collect();
    if grams.is_empty() { Query::All } else { Query::Near(grams) }
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

    fn query(pattern: &str, ignore_case: bool) -> Query {
        let mut parser =
            ParserBuilder::new().multi_line(true).crlf(true).utf8(false).case_insensitive(ignore_case).build();
        Query::of(&parser.parse(pattern).unwrap())
    }

    fn holds(query: &Query, held: &HashSet<u32>) -> bool {
        match query {
            Query::All => true,
            Query::Near(grams) => grams.iter().all(|gram| held.contains(gram)),
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
        let all = |text: &str| near(text.as_bytes());
        assert_eq!(query("use(State)", false), all("usestate"));
        assert_eq!(query("colou?r", false), or(vec![all("colour"), all("color")]));
        assert_eq!(query("gr[ae]y", false), or(vec![all("gray"), all("grey")]));
        assert_eq!(query("foo\\w+barbaz", false), and(vec![all("foo"), all("barbaz")]));
        assert_eq!(query("(?:abc)+", false), all("abc"));
        // The long s and the Kelvin sign are letters, too, when case does not count.
        assert_ne!(query("task", true), all("task"));
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
            if let Ok(regex) = regex && regex.is_match(text.as_bytes()) {
                prop_assert!(holds(&query(&pattern, ignore_case), &grams(text.as_bytes()).collect()), "{pattern} in {text:?}");
            }
        }
    }
}
