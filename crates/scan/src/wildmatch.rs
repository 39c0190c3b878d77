//! Wildcards as git reads them, byte by byte.
//!
//! A pattern becomes a list of steps once; matching walks them with two places to go back to: the last `*`, which
//! stays inside its component, and the last `**`, which takes whole components. Going back to the last ones is enough,
//! because a later placement of an earlier one leaves less text for the same rest. So no pattern can make it slow.
//!
//! Three readings of git are easy to miss. An unclosed set, an unknown class and a backslash at the end match nothing
//! at all. `**` counts only between separators or ends; other runs of asterisks are one. And when case is ignored,
//! letters are compared as lower case, but an escaped letter and a letter in a set are taken as they were written.

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Byte(u8),
    /// `?`: any byte but the separator.
    Any,
    Set(Box<Set>),
    /// `*`: any bytes but separators.
    Star,
    /// `**/`: any number of components.
    Components,
    /// `**` before an escaped separator: at least one component.
    SomeComponents,
    /// `**` at the end.
    Rest,
}

/// Which bytes a bracket expression takes.
type Set = [bool; 256];

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wildcards {
    steps: Vec<Step>,
    fold: bool,
}

impl Wildcards {
    /// Compiles a pattern; nothing when it can never match. `fold` ignores the case of ASCII letters.
    pub fn new(pattern: &[u8], fold: bool) -> Option<Self> {
        let mut steps = Vec::with_capacity(pattern.len());
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            match byte {
                b'?' => steps.push(Step::Any),
                b'\\' => {
                    at += 1;
                    steps.push(Step::Byte(*pattern.get(at)?));
                }
                b'[' => {
                    let (set, end) = read_set(pattern, at, fold)?;
                    steps.push(Step::Set(Box::new(set)));
                    at = end;
                }
                b'*' => {
                    let run = pattern[at..].iter().take_while(|next| **next == b'*').count();
                    let is_component = run >= 2 && (at == 0 || pattern[at - 1] == b'/');
                    let rest = &pattern[at + run..];
                    at += run - 1;
                    if is_component && rest.is_empty() {
                        steps.push(Step::Rest);
                    } else if is_component && rest.starts_with(b"/") {
                        steps.push(Step::Components);
                        at += 1;
                    } else if is_component && rest.starts_with(b"\\/") {
                        steps.push(Step::SomeComponents);
                        at += 2;
                    } else {
                        steps.push(Step::Star);
                    }
                }
                other => steps.push(Step::Byte(if fold { other.to_ascii_lowercase() } else { other })),
            }
            at += 1;
        }
        Some(Self { steps, fold })
    }

    /// True when the whole text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        let (mut step, mut at) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        let mut components: Option<(usize, usize)> = None;
        loop {
            let goes_on = match self.steps.get(step) {
                None => {
                    if at == text.len() {
                        return true;
                    }
                    false
                }
                Some(Step::Rest) => return true,
                Some(Step::Star) => {
                    step += 1;
                    star = Some((step, at));
                    true
                }
                Some(Step::Components) => {
                    step += 1;
                    (star, components) = (None, Some((step, at)));
                    true
                }
                Some(Step::SomeComponents) => {
                    (star, components) = (None, Some((step + 1, at)));
                    false
                }
                Some(one) => {
                    let fits = text.get(at).is_some_and(|byte| self.takes(one, *byte));
                    if fits {
                        if text[at] == b'/' {
                            star = None;
                        }
                        (step, at) = (step + 1, at + 1);
                    }
                    fits
                }
            };
            if goes_on {
                continue;
            }
            if let Some((after, from)) = star.filter(|(_, from)| text.get(*from).is_some_and(|byte| *byte != b'/')) {
                (step, at) = (after, from + 1);
                star = Some((after, at));
            } else if let Some((after, from)) = components
                && let Some(separator) = memchr::memchr(b'/', &text[from..])
            {
                (step, at) = (after, from + separator + 1);
                (star, components) = (None, Some((after, at)));
            } else {
                return false;
            }
        }
    }

    fn takes(&self, step: &Step, byte: u8) -> bool {
        let byte = if self.fold { byte.to_ascii_lowercase() } else { byte };
        match step {
            Step::Byte(wanted) => *wanted == byte,
            Step::Any => byte != b'/',
            Step::Set(set) => set[usize::from(byte)],
            Step::Star | Step::Components | Step::SomeComponents | Step::Rest => false,
        }
    }
}

/// True for the bytes that make a pattern more than a plain name.
pub(crate) fn is_wildcard(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

/// Reads the set that opens at `start`; gives it and where its closing bracket is. A separator is never in a set.
fn read_set(pattern: &[u8], start: usize, fold: bool) -> Option<(Set, usize)> {
    let mut set = [false; 256];
    let mut at = start + 1;
    let is_negated = matches!(pattern.get(at)?, b'!' | b'^');
    at += usize::from(is_negated);
    let first = at;
    // The byte that a range would start at; a range and a class leave none.
    let mut low: Option<u8> = None;
    loop {
        let byte = *pattern.get(at)?;
        match byte {
            b']' if at > first => break,
            b'-' if low.is_some() && pattern.get(at + 1).is_some_and(|next| *next != b']') => {
                at += 1;
                if pattern[at] == b'\\' {
                    at += 1;
                }
                let (from, to) = (low.take()?, *pattern.get(at)?);
                for member in from..=to {
                    set[usize::from(member)] = true;
                    if fold && member.is_ascii_uppercase() {
                        set[usize::from(member.to_ascii_lowercase())] = true;
                    }
                }
            }
            b'[' if pattern.get(at + 1) == Some(&b':') => {
                let close = at + 2 + pattern[at + 2..].iter().position(|next| *next == b']')?;
                if close > at + 2 && pattern[close - 1] == b':' {
                    let class = class_of(&pattern[at + 2..close - 1], fold)?;
                    for member in 0..=u8::MAX {
                        set[usize::from(member)] |= class(member);
                    }
                    low = None;
                    at = close;
                } else {
                    set[usize::from(b'[')] = true;
                    low = Some(b'[');
                }
            }
            _ => {
                let member = if byte == b'\\' {
                    at += 1;
                    *pattern.get(at)?
                } else {
                    byte
                };
                set[usize::from(member)] = true;
                low = Some(member);
            }
        }
        at += 1;
    }
    if is_negated {
        set.iter_mut().for_each(|member| *member = !*member);
    }
    set[usize::from(b'/')] = false;
    Some((set, at))
}

/// The bytes of a named class. Git's white space is blank, tab, line feed and carriage return.
fn class_of(name: &[u8], fold: bool) -> Option<fn(u8) -> bool> {
    Some(match name {
        b"alnum" => |byte| byte.is_ascii_alphanumeric(),
        b"alpha" => |byte| byte.is_ascii_alphabetic(),
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => |byte| byte.is_ascii_control(),
        b"digit" => |byte| byte.is_ascii_digit(),
        b"graph" => |byte| byte.is_ascii_graphic(),
        b"lower" => |byte| byte.is_ascii_lowercase(),
        b"print" => |byte| byte.is_ascii_graphic() || byte == b' ',
        b"punct" => |byte| byte.is_ascii_punctuation(),
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" if fold => |byte| byte.is_ascii_alphabetic(),
        b"upper" => |byte| byte.is_ascii_uppercase(),
        b"xdigit" => |byte| byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Wildcards::new(pattern.as_bytes(), false).is_some_and(|compiled| compiled.matches(text.as_bytes()))
    }

    #[test]
    fn one_asterisk_stays_in_its_component_and_two_take_whole_ones() {
        assert!(matches("a*c", "abbc") && !matches("a*c", "ab/c") && matches("*/*", "a/b") && !matches("*/*", "a/b/c"));
        assert!(matches("a/**/b", "a/b") && matches("a/**/b", "a/x/y/b") && !matches("a/**/b", "a/xb"));
        assert!(matches("a/**", "a/x/y") && matches("**/b", "b") && matches("x**y", "xzy") && !matches("x**y", "x/y"));
        assert!(!matches("a/**\\/b", "a/b") && matches("a/**\\/b", "a/x/b"));
    }

    #[test]
    fn sets_have_classes_ranges_and_escapes() {
        assert!(matches("[[:digit:]x]", "7") && matches("[[:digit:]x]", "x") && !matches("[[:digit:]x]", "d"));
        assert!(matches("[\\]]", "]") && matches("[]-a]", "^") && matches("[a\\-c]", "-") && !matches("[a\\-c]", "b"));
        assert!(matches("[!a]", "b") && !matches("[!a]", "/") && matches("[[:x]", ":") && matches("[--0]", "."));
    }

    #[test]
    fn what_is_not_complete_matches_nothing() {
        for pattern in ["a[", "[", "[a-", "[[:digit:]", "[[:nothing:]]", "a\\", "[\\"] {
            assert_eq!(Wildcards::new(pattern.as_bytes(), false), None, "{pattern}");
        }
    }

    #[test]
    fn many_asterisks_do_not_make_it_slow() {
        let deep = "a/".repeat(60);
        assert!(
            !matches(&format!("{}b", "**/a/".repeat(40)), &deep)
                && !matches(&format!("{}b", "*a".repeat(40)), &"a".repeat(200))
        );
    }
}
