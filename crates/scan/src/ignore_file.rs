//! The lines of one ignore file, read as git reads them.
//!
//! The last line that matches decides. Most lines are plain names or `*.ending`, so those are compared directly; a
//! path with wildcards is first compared up to its first wildcard. Git does the same, and one thing follows that its
//! manual does not say: what stands before the first wildcard is cut off, so `b**/c` starts with a `**` of its own.

use crate::wildmatch::{Wildcards, is_wildcard};

/// The rules of one file, in the order of its lines.
#[derive(Debug)]
pub(crate) struct IgnoreFile {
    rules: Vec<Rule>,
    fold: bool,
}

#[derive(Debug)]
struct Rule {
    is_negated: bool,
    only_folders: bool,
    test: Test,
}

#[derive(Debug)]
enum Test {
    /// The name of an entry at any depth.
    Name(Vec<u8>),
    /// How a name ends.
    Ending(Vec<u8>),
    /// A name with wildcards.
    NamePattern(Wildcards),
    /// A path from the file's folder.
    Path(Vec<u8>),
    /// A path that starts plainly, and the wildcards that follow.
    PathPattern(Vec<u8>, Wildcards),
}

impl IgnoreFile {
    /// Reads the lines; nothing when none of them can match. `fold` ignores the case of ASCII letters.
    pub fn new(content: &[u8], fold: bool) -> Option<Self> {
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let rules: Vec<Rule> = content.split(|byte| *byte == b'\n').filter_map(|line| rule_of(line, fold)).collect();
        (!rules.is_empty()).then_some(Self { rules, fold })
    }

    /// `Some(true)` hides, `Some(false)` shows, `None` leaves it to the next source. The path is relative to the file's folder.
    pub fn verdict(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        let name = &path[memchr::memrchr(b'/', path).map_or(0, |at| at + 1)..];
        let same = |left: &[u8], right: &[u8]| {
            if self.fold { left.eq_ignore_ascii_case(right) } else { left == right }
        };
        let hit = self.rules.iter().rev().find(|rule| {
            (is_folder || !rule.only_folders)
                && match &rule.test {
                    Test::Name(wanted) => same(wanted, name),
                    Test::Ending(ending) => {
                        name.len() >= ending.len() && same(ending, &name[name.len() - ending.len()..])
                    }
                    Test::NamePattern(wildcards) => wildcards.matches(name),
                    Test::Path(wanted) => same(wanted, path),
                    Test::PathPattern(start, wildcards) => {
                        path.len() >= start.len()
                            && same(start, &path[..start.len()])
                            && wildcards.matches(&path[start.len()..])
                    }
                }
        });
        hit.map(|rule| !rule.is_negated)
    }
}

/// The rule of a line, if it has one that can match.
fn rule_of(line: &[u8], fold: bool) -> Option<Rule> {
    if line.starts_with(b"#") {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Git's lines end at a NUL.
    let line = line.split(|byte| *byte == 0).next()?;
    let line = without_trailing_blanks(line);
    let (is_negated, body) = line.strip_prefix(b"!").map_or((false, line), |body| (true, body));
    let (only_folders, body) = body.strip_suffix(b"/").map_or((false, body), |body| (true, body));
    if body.is_empty() {
        return None;
    }
    let plain = body.iter().position(|byte| is_wildcard(*byte)).unwrap_or(body.len());
    let test = if body.contains(&b'/') {
        let skip = usize::from(body[0] == b'/');
        let (start, rest) = (body[skip..plain].to_vec(), &body[plain..]);
        if rest.is_empty() { Test::Path(start) } else { Test::PathPattern(start, Wildcards::new(rest, fold)?) }
    } else if plain == body.len() {
        Test::Name(body.to_vec())
    } else if body[0] == b'*' && !body[1..].iter().any(|byte| is_wildcard(*byte)) {
        Test::Ending(body[1..].to_vec())
    } else {
        Test::NamePattern(Wildcards::new(body, fold)?)
    };
    Some(Rule { is_negated, only_folders, test })
}

/// Blanks at the end do not count, unless a backslash stands before them; tabs do count.
fn without_trailing_blanks(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => {}
            // A backslash at the very end keeps the blanks before it.
            b'\\' => {
                at += 1;
                end = line.len().min(at + 1);
            }
            _ => end = at + 1,
        }
        at += 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(lines: &str, path: &str) -> bool {
        IgnoreFile::new(lines.as_bytes(), false).and_then(|file| file.verdict(path.as_bytes(), false)).unwrap_or(false)
    }

    #[test]
    fn blanks_at_the_end_count_only_when_escaped_and_tabs_always() {
        assert!(hides("a  ", "a") && hides("a\\ ", "a ") && hides("a\\  ", "a ") && !hides("a\\ ", "a"));
        assert!(hides("a\t", "a\t") && !hides("a\t", "a") && hides("** ", "x/y") && !hides("a \t", "a"));
    }

    #[test]
    fn one_carriage_return_belongs_to_the_end_of_the_line() {
        assert!(hides("Icon\r\r\nb", "Icon\r") && !hides("Icon\r\r", "Icon") && hides("a\r\n", "a"));
    }

    #[test]
    fn a_separator_anchors_and_an_escape_before_the_last_one_matches_nothing() {
        assert!(hides("/a", "a") && !hides("/a", "x/a") && hides("a", "x/a") && hides("x/*", "x/a"));
        assert!(
            !hides("foo\\/", "foo") && !hides("foo\\/", "foo\\") && hides("b**/c", "bc") && hides("b**/c", "bx/y/c")
        );
    }
}
