//! From what somebody typed to a matcher.
//!
//! The dialect is that of Rust's regex crate: linear time, Unicode, no look-around and no back-references. Models and
//! people also type code: `${name}`, `interface {}`, `useState(`. So braces that cannot be a repetition and parentheses
//! that have no partner are taken literally instead of failing. The outcome says what was changed.
//!
//! `^` and `$` are line borders, and a line may end in `\r\n`. A pattern that names `\n` (or `\r`) is searched across
//! lines; otherwise no match leaves its line.

use std::fmt;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, AssertionKind, Ast, ErrorKind, Flag, Flags, FlagsItemKind, Visitor};

/// A pattern that cannot be searched for; the text says what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(pub String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

/// A pattern, ready to search. Each worker has its own clone: they share the program, not the scratch memory.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(crate) matcher: RegexMatcher,
    /// Matches may span lines.
    pub multiline: bool,
    /// The pattern as it was understood, when that differs from what was typed.
    pub repaired: Option<String>,
    source: String,
    ignore_case: bool,
}

/// Bounds the memory of one compiled pattern.
const MOST_COMPILED_BYTES: usize = 16 << 20;

impl Pattern {
    /// Compiles a pattern; `multiline: None` decides by whether the pattern names a line break.
    pub fn new(text: &str, literal: bool, ignore_case: bool, multiline: Option<bool>) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError("the pattern is empty; give the text or regex to search for".into()));
        }
        let source = if literal { regex_syntax::escape(text) } else { repair(text) };
        let parsed = ast::parse::Parser::new().parse(&source).map_err(|error| refuse(&error))?;
        let multiline = multiline.unwrap_or_else(|| names_line_break(&source));
        if !multiline && names_line_break(&source) {
            return Err(PatternError(
                "the pattern names a line break but multiline is off; leave multiline unset or drop the \\n".into(),
            ));
        }
        ast::visit(&parsed, Refusals { multiline })?;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(ignore_case)
            .crlf(true)
            .size_limit(MOST_COMPILED_BYTES)
            .dfa_size_limit(MOST_COMPILED_BYTES);
        if multiline {
            builder.line_terminator(None);
        }
        let matcher = builder.build(&source).map_err(|error| PatternError(format!("invalid pattern: {error}")))?;
        // The first use compiles lazily built parts; do it here, once, instead of in every worker.
        let _warm = matcher.is_match(b"");
        let repaired = (!literal && source != text).then(|| source.clone());
        Ok(Self { matcher, multiline, repaired, source, ignore_case })
    }

    /// The pattern as the matcher understands it; for what can be said about it without searching.
    #[cfg(unix)]
    pub(crate) fn parsed(&self) -> Option<regex_syntax::hir::Hir> {
        let mut parser = regex_syntax::ParserBuilder::new();
        parser.multi_line(true).crlf(true).utf8(false).case_insensitive(self.ignore_case);
        parser.build().parse(&self.source).ok()
    }
}

/// Things that parse but would not mean what they say here.
struct Refusals {
    multiline: bool,
}

impl Refusals {
    fn flags(&self, flags: &Flags) -> Result<(), PatternError> {
        let mut negated = false;
        for item in &flags.items {
            match item.kind {
                FlagsItemKind::Negation => negated = true,
                FlagsItemKind::Flag(Flag::MultiLine | Flag::Unicode | Flag::CRLF) if negated => {
                    return Err(PatternError("invalid pattern: the flags m, u and R cannot be switched off".into()));
                }
                FlagsItemKind::Flag(_) => {}
            }
        }
        Ok(())
    }
}

impl Visitor for Refusals {
    type Output = ();
    type Err = PatternError;

    fn finish(self) -> Result<(), PatternError> {
        Ok(())
    }

    fn visit_pre(&mut self, node: &Ast) -> Result<(), PatternError> {
        match node {
            Ast::Assertion(found)
                if !self.multiline && matches!(found.kind, AssertionKind::StartText | AssertionKind::EndText) =>
            {
                Err(PatternError(
                    "\\A and \\z are the borders of the whole file; lines are searched one by one, so use ^ and $"
                        .into(),
                ))
            }
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => group.flags().map_or(Ok(()), |flags| self.flags(flags)),
            _ => Ok(()),
        }
    }
}

fn refuse(error: &ast::Error) -> PatternError {
    PatternError(match error.kind() {
        ErrorKind::UnsupportedLookAround => {
            "look-around such as (?=…) or (?<!…) is not supported; match the surrounding text itself, or search for \
             the plain part and filter the results"
                .into()
        }
        ErrorKind::UnsupportedBackreference => {
            "back-references such as \\1 are not supported; search for the first part and filter the results".into()
        }
        _ => format!("invalid pattern: {error}"),
    })
}

/// True for a line break as a character or as an escape, which needs a search across lines.
fn names_line_break(source: &str) -> bool {
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\r' => return true,
            '\\' if matches!(characters.next(), Some('n' | 'r')) => return true,
            _ => {}
        }
    }
    false
}

/// Quotes braces that are no repetition and parentheses without a partner.
pub fn repair(pattern: &str) -> String {
    let characters: Vec<char> = pattern.chars().collect();
    let mut quoted: Vec<usize> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    // What a repetition may follow: something, but not the start of a group or alternative.
    let mut has_operand = false;
    let mut escaped_dollar = false;
    let mut at = 0;
    while let Some(character) = characters.get(at) {
        if *character != '{' {
            escaped_dollar = *character == '\\' && characters.get(at + 1) == Some(&'$');
        }
        match character {
            '\\' => {
                at = escape_end(&characters, at);
                has_operand = true;
            }
            '[' => {
                at = set_end(&characters, at).unwrap_or(at);
                has_operand = true;
            }
            '{' => match repetition_end(&characters, at) {
                Some(end) if has_operand => at = end,
                _ => {
                    // Nothing can follow the end of a line, so the dollar of `${name}` is meant literally too.
                    if at > 0 && characters[at - 1] == '$' && !escaped_dollar {
                        quoted.push(at - 1);
                    }
                    quoted.push(at);
                    has_operand = true;
                }
            },
            '(' => {
                open.push(at);
                // The question mark of (?: or (?i) is part of the opening.
                if characters.get(at + 1) == Some(&'?') {
                    at += 1;
                }
                has_operand = false;
            }
            ')' => {
                if open.pop().is_none() {
                    quoted.push(at);
                }
                has_operand = true;
            }
            '|' => has_operand = false,
            _ => has_operand = true,
        }
        at += 1;
    }
    quoted.extend(open);
    quoted.sort_unstable();
    let mut out = String::with_capacity(pattern.len() + quoted.len());
    let mut next = quoted.into_iter().peekable();
    for (index, character) in characters.iter().enumerate() {
        if next.peek() == Some(&index) {
            next.next();
            out.push('\\');
        }
        out.push(*character);
    }
    out
}

/// The last index of an escape that starts at `at`, with its braces where it has some.
fn escape_end(characters: &[char], at: usize) -> usize {
    let end = (at + 1).min(characters.len().saturating_sub(1));
    let braced = characters.get(at + 2) == Some(&'{');
    let closing = || characters[at + 2..].iter().position(|c| *c == '}').map(|offset| at + 2 + offset);
    match characters.get(at + 1) {
        Some('p' | 'P' | 'x' | 'u' | 'U') if braced => closing().unwrap_or(end),
        Some('b') if braced => match closing() {
            Some(close) => {
                let word: String = characters[at + 3..close].iter().collect();
                let known = matches!(word.as_str(), "start" | "end" | "start-half" | "end-half");
                if known { close } else { end }
            }
            None => end,
        },
        _ => end,
    }
}

/// The index of the bracket that closes the set at `at`; sets may nest.
fn set_end(characters: &[char], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut next = at;
    while next < characters.len() {
        match characters[next] {
            '\\' => next += 1,
            '[' => {
                depth += 1;
                let mut first = next + 1;
                if characters.get(first) == Some(&'^') {
                    first += 1;
                }
                // A bracket right at the start is a member.
                if characters.get(first) == Some(&']') {
                    first += 1;
                }
                next = first - 1;
            }
            ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(next);
                }
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// The closing brace of `{n}`, `{n,}` or `{n,m}`.
fn repetition_end(characters: &[char], at: usize) -> Option<usize> {
    let close = at + characters[at..].iter().position(|c| *c == '}')?;
    let body: String = characters[at + 1..close].iter().collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let valid = match body.split_once(',') {
        None => digits(&body),
        Some((low, high)) => digits(low) && (high.is_empty() || digits(high)),
    };
    valid.then_some(close)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn braces_that_are_no_repetition_are_taken_literally() {
        assert_eq!(repair("${name}"), "\\$\\{name}");
        assert_eq!(repair("\\${name}"), "\\$\\{name}");
        assert_eq!(repair("interface {}"), "interface \\{}");
        assert_eq!(repair("a{2,4}b{3}c{1,}d{,5}"), "a{2,4}b{3}c{1,}d\\{,5}");
        assert_eq!(repair("{2}|{x"), "\\{2}|\\{x");
        assert_eq!(repair("\\p{L}\\x{41}[{}]\\{"), "\\p{L}\\x{41}[{}]\\{");
    }

    #[test]
    fn parentheses_without_partner_are_taken_literally() {
        assert_eq!(repair("useState("), "useState\\(");
        assert_eq!(repair("(foo|bar)("), "(foo|bar)\\(");
        assert_eq!(repair("a)b(c)"), "a\\)b(c)");
        assert_eq!(repair("[(]x(?:y)"), "[(]x(?:y)");
    }

    #[test]
    fn look_around_and_back_references_are_refused_with_advice() {
        for (pattern, word) in [("(?=x)y", "look-around"), ("(?<!x)y", "look-around"), ("(a)\\1", "back-references")] {
            let text = Pattern::new(pattern, false, false, None).map(|_| ()).unwrap_err().to_string();
            assert!(text.contains(word) && text.contains("filter the results"), "{text}");
        }
    }

    #[test]
    fn a_named_line_break_turns_on_the_search_across_lines() {
        assert!(Pattern::new("a\\nb", false, false, None).unwrap().multiline);
        assert!(!Pattern::new("a\\\\nb", false, false, None).unwrap().multiline);
        assert!(Pattern::new("a\nb", true, false, None).unwrap().multiline);
        assert!(Pattern::new("a\\nb", false, false, Some(false)).is_err());
    }

    proptest! {
        #[test]
        fn repairing_twice_changes_nothing_more(pattern in "[a-c{}()\\[\\]|,0-9\\\\?*^$.]{0,12}") {
            let once = repair(&pattern);
            prop_assert_eq!(repair(&once), once);
        }

        #[test]
        fn plain_code_always_compiles(code in "[a-z ]{1,5}[{}()]{0,6}[a-z ]{0,5}") {
            prop_assert!(Pattern::new(&code, false, false, None).is_ok(), "{}", repair(&code));
        }
    }
}
