//! Glob patterns, in a dialect that never fails to parse.
//!
//! `*` and `?` stay inside one component, `**` as a whole component spans any number of them, `[a-z]`, `[!a]` and
//! `[^a]` are sets (never the separator), `{a,b}` are alternatives (they may nest), `\` quotes. What is not closed
//! stands for itself: a model that writes `a[b` means those characters, and an error would only cost a turn. A
//! pattern without `/` matches the name at any depth, one with `/` matches from the root, one that ends in `/`
//! matches everything below, and one that starts with `!` takes matches away.
//!
//! Alternatives are expanded first; then most real patterns turn out to be "any file with this ending" or "any file
//! with this name", which need no regex. The others share one. The JavaScript twin does exactly the same steps.

use regex::bytes::{Regex, RegexBuilder};

use crate::paths::text_of;

/// A set of patterns, ready to match.
#[derive(Debug, Clone, Default)]
pub struct GlobSet {
    include: Union,
    exclude: Union,
    include_all: bool,
}

#[derive(Debug, Clone, Default)]
struct Union {
    everything: bool,
    suffixes: Vec<Vec<u8>>,
    names: Vec<Vec<u8>>,
    regex: Option<Regex>,
}

/// More alternatives than this are cut off; it bounds `{a,b}{a,b}{a,b}…`.
const MOST_ALTERNATIVES: usize = 1024;

impl GlobSet {
    /// Compiles the patterns. A list without a positive pattern includes everything.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Self {
        let (exclude, include): (Vec<&str>, Vec<&str>) =
            patterns.iter().map(AsRef::as_ref).partition(|pattern| pattern.starts_with('!'));
        Self {
            include_all: include.is_empty(),
            include: Union::new(include.into_iter()),
            exclude: Union::new(exclude.into_iter().map(|pattern| &pattern[1..])),
        }
    }

    /// Matches a path relative to the root; `name_at` is where its last component starts.
    pub fn matches(&self, path: &[u8], name_at: usize) -> bool {
        (self.include_all || self.include.matches(path, name_at)) && !self.exclude.matches(path, name_at)
    }

    /// True when every path matches, so that a caller may skip matching.
    pub fn is_everything(&self) -> bool {
        (self.include_all || self.include.everything) && self.exclude.is_empty()
    }
}

impl Union {
    fn new<'p>(patterns: impl Iterator<Item = &'p str>) -> Self {
        let mut union = Self::default();
        let mut sources: Vec<String> = Vec::new();
        for pattern in patterns {
            for alternative in expand_braces(pattern) {
                union.add(&alternative, &mut sources);
            }
        }
        if !sources.is_empty() {
            // Translated patterns are valid by construction; a set too large to compile then matches nothing.
            union.regex =
                RegexBuilder::new(&format!("^(?:{})$", sources.join("|"))).dot_matches_new_line(true).build().ok();
        }
        union
    }

    fn add(&mut self, pattern: &str, sources: &mut Vec<String>) {
        let rooted = rooted(pattern);
        if rooted == "**" || rooted == "**/*" {
            self.everything = true;
            return;
        }
        if let Some(name) = rooted.strip_prefix("**/") {
            if let Some(suffix) = name.strip_prefix('*')
                && is_literal(suffix)
            {
                self.suffixes.push(suffix.as_bytes().to_vec());
                return;
            }
            if is_literal(name) {
                self.names.push(name.as_bytes().to_vec());
                return;
            }
        }
        sources.push(translate(&rooted));
    }

    fn is_empty(&self) -> bool {
        !self.everything && self.suffixes.is_empty() && self.names.is_empty() && self.regex.is_none()
    }

    fn matches(&self, path: &[u8], name_at: usize) -> bool {
        if self.everything {
            return true;
        }
        let name = &path[name_at..];
        if self.suffixes.iter().any(|suffix| name.ends_with(suffix)) || self.names.iter().any(|known| name == known) {
            return true;
        }
        // Names that are not UTF-8 are matched as they are shown.
        self.regex.as_ref().is_some_and(|regex| regex.is_match(text_of(path).as_bytes()))
    }
}

fn is_literal(text: &str) -> bool {
    !text.contains(['*', '?', '[', '\\', '/'])
}

/// Anchors a pattern without `/` at any depth and drops what does not change the meaning.
fn rooted(pattern: &str) -> String {
    let below = pattern.ends_with('/');
    let mut body = pattern.trim_end_matches('/');
    let anchored = body.contains('/');
    body = body.trim_start_matches("./").trim_start_matches('/');
    let prefix = if anchored || body == "**" { "" } else { "**/" };
    let suffix = if below { "/**" } else { "" };
    format!("{prefix}{body}{suffix}")
}

/// Replaces `{a,b}` by its alternatives, outermost and leftmost first. An unclosed brace stands for itself.
pub(crate) fn expand_braces(pattern: &str) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let mut open: Vec<String> = vec![pattern.to_owned()];
    // Depth first, so that the alternatives come out in the order in which they were written.
    while let Some(current) = open.pop() {
        if done.len() >= MOST_ALTERNATIVES {
            break;
        }
        match first_group(&current) {
            None => done.push(current),
            Some((start, end, commas)) => {
                let mut edges = vec![start];
                edges.extend(commas);
                edges.push(end);
                for pair in edges.windows(2).rev() {
                    let middle = &current[pair[0] + 1..pair[1]];
                    open.push(format!("{}{middle}{}", &current[..start], &current[end + 1..]));
                }
            }
        }
    }
    done
}

/// The first closed group: where it opens, where it closes, and its own commas.
fn first_group(pattern: &str) -> Option<(usize, usize, Vec<usize>)> {
    let bytes = pattern.as_bytes();
    let mut starts: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => {
                if let Some(end) = class_end(bytes, at) {
                    at = end;
                }
            }
            b'{' => starts.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = starts.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                if let Some((start, commas)) = starts.pop()
                    && best.as_ref().is_none_or(|(known, ..)| start < *known)
                {
                    best = Some((start, at, commas));
                }
                if starts.is_empty() && best.is_some() {
                    return best;
                }
            }
            _ => {}
        }
        at += 1;
    }
    best
}

/// The closing bracket of the set that opens at `start`.
fn class_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b']' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The regex source of one alternative.
fn translate(pattern: &str) -> String {
    let components: Vec<&str> = split_components(pattern);
    let mut out = String::new();
    let last = components.len().saturating_sub(1);
    for (index, component) in components.iter().enumerate() {
        match (*component == "**", index == last) {
            (true, true) => out.push_str(".+"),
            (true, false) => out.push_str("(?:.*/)?"),
            (false, is_last) => {
                translate_component(component, &mut out);
                if !is_last {
                    out.push('/');
                }
            }
        }
    }
    out
}

/// Splits at separators that are not inside a set.
fn split_components(pattern: &str) -> Vec<&str> {
    let bytes = pattern.as_bytes();
    let mut components = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) != Some(&b'/') => at += 1,
            b'[' => {
                if let Some(end) = class_end(bytes, at) {
                    at = end;
                }
            }
            b'/' => {
                components.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    components.push(&pattern[start.min(pattern.len())..]);
    components
}

fn translate_component(component: &str, out: &mut String) {
    let bytes = component.as_bytes();
    let mut rest = component.char_indices();
    while let Some((at, character)) = rest.next() {
        match character {
            '*' => {
                while rest.clone().next().is_some_and(|(_, next)| next == '*') {
                    rest.next();
                }
                out.push_str("[^/]*");
            }
            '?' => out.push_str("[^/]"),
            '\\' => match rest.next() {
                Some((_, quoted)) => push_literal(quoted, out),
                None => push_literal('\\', out),
            },
            '[' => match class_end(bytes, at) {
                Some(end) => {
                    out.push_str(&translate_class(&component[at + 1..end]));
                    while rest.clone().next().is_some_and(|(next, _)| next <= end) {
                        rest.next();
                    }
                }
                None => push_literal('[', out),
            },
            other => push_literal(other, out),
        }
    }
}

fn translate_class(body: &str) -> String {
    let negated = body.starts_with(['!', '^']);
    let mut members: Vec<(char, bool)> = Vec::new();
    let mut characters = body.chars().skip(usize::from(negated));
    while let Some(character) = characters.next() {
        match character {
            '\\' => members.push((characters.next().unwrap_or('\\'), true)),
            other => members.push((other, false)),
        }
    }
    let mut ranges = String::new();
    let mut at = 0;
    while at < members.len() {
        let (low, _) = members[at];
        if let (Some(('-', false)), Some((high, _))) = (members.get(at + 1), members.get(at + 2)) {
            // A range that runs backwards has no members.
            if low <= *high {
                push_literal(low, &mut ranges);
                ranges.push('-');
                push_literal(*high, &mut ranges);
            }
            at += 3;
        } else {
            push_literal(low, &mut ranges);
            at += 1;
        }
    }
    match (ranges.is_empty(), negated) {
        (true, true) => "[^/]".to_owned(),
        (true, false) => "[^\\s\\S]".to_owned(),
        (false, true) => format!("[^{ranges}/]"),
        (false, false) => format!("[[{ranges}]&&[^/]]"),
    }
}

/// ASCII punctuation is quoted, which is valid inside and outside of sets in both regex dialects.
fn push_literal(character: char, out: &mut String) {
    if character.is_ascii() && !character.is_ascii_alphanumeric() {
        out.push_str(&format!("\\x{:02x}", u32::from(character)));
    } else {
        out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        GlobSet::new(&[pattern]).matches(path.as_bytes(), path.rfind('/').map_or(0, |at| at + 1))
    }

    #[test]
    fn a_pattern_without_separator_matches_the_name_at_any_depth() {
        assert!(matches("*.ts", "a.ts") && matches("*.ts", "x/y/a.ts") && !matches("*.ts", "a.tsx"));
        assert!(matches("package.json", "x/package.json") && !matches("package.json", "x/package.json5"));
        assert!(matches("[ab]?.c", "q/ax.c") && !matches("[ab]?.c", "q/cx.c"));
    }

    #[test]
    fn a_pattern_with_separator_is_anchored_at_the_root() {
        assert!(matches("src/*.ts", "src/a.ts") && !matches("src/*.ts", "x/src/a.ts"));
        assert!(!matches("src/*.ts", "src/x/a.ts") && matches("/a.ts", "a.ts") && matches("./x/a", "x/a"));
    }

    #[test]
    fn double_star_spans_zero_or_more_folders() {
        assert!(matches("a/**/b", "a/b") && matches("a/**/b", "a/x/y/b") && !matches("a/**/b", "ab"));
        assert!(matches("a/**", "a/x/y") && !matches("a/**", "a") && matches("a/", "a/x"));
        assert!(matches("**/x/*.c", "x/a.c") && matches("**/x/*.c", "q/x/a.c") && !matches("**/x/*.c", "qx/a.c"));
    }

    #[test]
    fn sets_never_match_the_separator() {
        assert!(!matches("a[!x]b", "a/b") && !matches("a[.-0]b/c", "a/b/c") && matches("a[^x]b", "ayb"));
        assert!(matches("[]x]", "]") && matches("a[z-a]b", "a[z-a]b") == matches("q", "r"));
    }

    #[test]
    fn alternatives_expand_in_order_and_nest() {
        assert_eq!(expand_braces("{a,b{c,d},}x"), ["ax", "bcx", "bdx", "x"]);
        assert_eq!(expand_braces("a{b"), ["a{b"]);
        assert_eq!(expand_braces("{x{a,b}"), ["{xa", "{xb"]);
        assert!(
            matches("src/**/*.{ts,tsx}", "src/q/a.tsx") && matches("{a,src/b}", "src/b") && matches("{a,src/b}", "q/a")
        );
        assert_eq!(expand_braces(&"{a,b}".repeat(12)).len(), MOST_ALTERNATIVES);
    }

    #[test]
    fn what_is_not_closed_stands_for_itself() {
        assert!(matches("a[b", "a[b") && matches("a{b", "a{b") && matches("a}b", "a}b") && matches("a\\", "a\\"));
        assert!(matches("\\*x", "*x") && !matches("\\*x", "ax"));
    }

    #[test]
    fn an_exclamation_mark_takes_matches_away() {
        let set = GlobSet::new(&["*.ts", "!*.d.ts"]);
        assert!(set.matches(b"a.ts", 0) && !set.matches(b"a.d.ts", 0));
        let only_negative = GlobSet::new(&["!*.ts"]);
        assert!(only_negative.matches(b"a.js", 0) && !only_negative.matches(b"a.ts", 0));
    }

    #[test]
    fn one_question_mark_is_one_character_not_one_byte() {
        assert!(matches("?.c", "é.c") && !matches("??.c", "é.c"));
    }
}
