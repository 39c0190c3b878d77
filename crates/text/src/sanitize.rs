//! Command output as plain text: escape sequences and control characters taken out.
//!
//! What goes: CSI and other escape sequences, OSC/DCS/APC/PM/SOS strings with their content, C0 and C1 controls
//! except newline and tab. What becomes a newline: `\r\n` and any run of `\r`, because a line that was overwritten is
//! still a line that was said. Bytes that are not UTF-8 become U+FFFD *before* sequences are looked for, so that
//! taking one out can never join two halves into a character that was not there.
//!
//! A string sequence that is never ended loses only its introducer: a broken or hostile program must not be able to
//! hide the rest of the output.

use std::borrow::Cow;

use crate::link::{push_link, safe_body};

/// What stays of the sequences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Colours and styles (SGR).
    pub style: bool,
    /// Links (OSC 8) that are safe.
    pub links: bool,
}

/// The text of `bytes` without control sequences, but for those to keep.
pub fn sanitize(bytes: &[u8], keep: Keep) -> String {
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
    let text = text.as_ref();
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let mut at = 0;
    while let Some(control) = next_control(text.as_bytes(), at) {
        out.push_str(text.get(kept..control).unwrap_or_default());
        let rest = text.get(control..).unwrap_or_default();
        let found = read_control(rest);
        match found.kind {
            Kind::Newline => out.push('\n'),
            Kind::Style if keep.style => {
                out.push_str("\u{1b}[");
                out.push_str(rest.get(found.body_start..found.length).unwrap_or_default());
            }
            Kind::Link if keep.links => {
                if let Some(body) = link_body(rest, found.length) {
                    push_link(body, &mut out);
                }
            }
            Kind::Style | Kind::Link | Kind::Other => {}
        }
        at = control + found.length;
        kept = at;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out
}

#[derive(PartialEq)]
enum Kind {
    Newline,
    Style,
    Link,
    Other,
}

struct Control {
    kind: Kind,
    length: usize,
    /// Where the parameters of a style begin.
    body_start: usize,
}

/// The next byte that may start something to take out: a control, or the lead byte of a C1 control.
fn next_control(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(offset) = bytes.get(at..)?.iter().position(|&byte| IS_SUSPECT[byte as usize]) {
        at += offset;
        if bytes.get(at) != Some(&0xc2) || bytes.get(at + 1).is_some_and(|&next| next < 0xa0) {
            return Some(at);
        }
        at += 2;
    }
    None
}

static IS_SUSPECT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != b'\t' as usize && byte != b'\n' as usize;
        byte += 1;
    }
    table[0x7f] = true;
    table[0xc2] = true;
    table
};

fn read_control(rest: &str) -> Control {
    let bytes = rest.as_bytes();
    let other = |length: usize| Control { kind: Kind::Other, length, body_start: 0 };
    match bytes {
        [b'\r', ..] => {
            let returns = bytes.iter().take_while(|&&byte| byte == b'\r').count();
            let newline = usize::from(bytes.get(returns) == Some(&b'\n'));
            Control { kind: Kind::Newline, length: returns + newline, body_start: 0 }
        }
        [0x1b, b'[', ..] | [0xc2, 0x9b, ..] => csi(bytes).unwrap_or_else(|| other(2)),
        [0x1b, b']', b'8', b';', ..] | [0xc2, 0x9d, b'8', b';', ..] => {
            let length = string_length(bytes, true);
            Control {
                kind: if length.is_some() { Kind::Link } else { Kind::Other },
                length: length.unwrap_or(2),
                body_start: 4,
            }
        }
        [0x1b, b']', ..] | [0xc2, 0x9d, ..] => other(string_length(bytes, true).unwrap_or(2)),
        [0x1b, b'P' | b'X' | b'^' | b'_', ..] | [0xc2, 0x90 | 0x98 | 0x9e | 0x9f, ..] => {
            other(string_length(bytes, false).unwrap_or(2))
        }
        [0x1b, tail @ ..] => {
            let marks = tail.iter().take_while(|byte| matches!(byte, b' '..=b'/')).count();
            let ends = tail.get(marks).is_some_and(|byte| matches!(byte, b'0'..=b'~'));
            other(if ends { 2 + marks } else { 1 })
        }
        [0xc2, ..] => other(2),
        _ => other(1),
    }
}

/// Parameters and address of a link sequence of this length, if it is safe.
fn link_body(rest: &str, length: usize) -> Option<&str> {
    let whole = rest.get(4..length)?;
    let body = whole
        .strip_suffix('\u{7}')
        .or_else(|| whole.strip_suffix("\u{1b}\\"))
        .or_else(|| whole.strip_suffix('\u{9c}'))?;
    safe_body(body)
}

fn csi(bytes: &[u8]) -> Option<Control> {
    let tail = bytes.get(2..)?;
    let parameters = tail.iter().take_while(|byte| matches!(byte, b'0'..=b'?')).count();
    let marks = tail.get(parameters..)?.iter().take_while(|byte| matches!(byte, b' '..=b'/')).count();
    let end = *tail.get(parameters + marks).filter(|byte| matches!(byte, b'@'..=b'~'))?;
    let plain = tail.get(..parameters)?.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
    let kind = if end == b'm' && marks == 0 && plain { Kind::Style } else { Kind::Other };
    Some(Control { kind, length: 2 + parameters + marks + 1, body_start: 2 })
}

/// The length of a string sequence with its end, or nothing when it is not ended before the next sequence starts.
fn string_length(bytes: &[u8], bell_ends: bool) -> Option<usize> {
    let mut at = 2;
    loop {
        match bytes.get(at..)? {
            [0x1b, b'\\', ..] | [0xc2, 0x9c, ..] => return Some(at + 2),
            [0x07, ..] if bell_ends => return Some(at + 1),
            [0x1b | 0x18 | 0x1a, ..] | [0xc2, 0x90 | 0x98 | 0x9d | 0x9e | 0x9f, ..] | [] => return None,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(text: &str) -> String {
        sanitize(text.as_bytes(), Keep::default())
    }

    #[test]
    fn sequences_and_controls_are_taken_out() {
        for (input, output) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25lx\u{1b}[2K\u{1b}[1;1H", "x"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\link", "xlink"),
            ("\u{1b}Pq#0;2\u{1b}\\x\u{1b}_apc\u{9c}y", "xy"),
            ("\u{1b}(B\u{1b}=\u{1b}7x", "x"),
            ("a\u{9b}31mb\u{9d}0;t\u{7}c\u{85}d", "abcd"),
            ("a\r\nb\rc\r\r\nd", "a\nb\nc\nd"),
            ("a\u{8}b\u{7f}c\0d\u{c}e", "abcde"),
            ("é ä ñ \u{a0}", "é ä ñ \u{a0}"),
            ("x\u{1b}", "x"),
        ] {
            assert_eq!(plain(input), output, "{input:?}");
        }
    }

    #[test]
    fn an_unended_sequence_hides_nothing() {
        assert_eq!(plain("\u{1b}]0;title and all the rest\nof it"), "0;title and all the rest\nof it");
        assert_eq!(plain("\u{1b}[12\nrest"), "12\nrest");
    }

    #[test]
    fn styles_stay_on_request_and_nothing_else() {
        let input = "\u{1b}[1;38:5:9mx\u{9b}0m\u{1b}[>4;1m\u{1b}[2J";
        assert_eq!(sanitize(input.as_bytes(), Keep { style: true, links: false }), "\u{1b}[1;38:5:9mx\u{1b}[0m");
    }

    #[test]
    fn links_stay_on_request_if_they_are_safe_and_their_text_always() {
        let links = Keep { style: false, links: true };
        let clean = |input: &str| sanitize(input.as_bytes(), links);
        assert_eq!(
            clean("\u{1b}]8;id=1;https://a/b\u{7}text\u{9d}8;;\u{9c}\u{1b}[1m"),
            "\u{1b}]8;id=1;https://a/b\u{1b}\\text\u{1b}]8;;\u{1b}\\"
        );
        assert_eq!(clean("\u{1b}]8;;javascript:x\u{7}text\u{1b}]0;t\u{7}"), "text");
        assert_eq!(clean("\u{1b}]8;;http://a\nb"), "8;;http://a\nb");
    }

    #[test]
    fn broken_bytes_become_replacement_characters_before_anything_is_taken_out() {
        assert_eq!(sanitize(b"\xe2\x82\x1b[m\xac", Keep::default()), "\u{fffd}\u{fffd}");
    }

    proptest! {
        #[test]
        fn what_comes_out_has_no_controls_and_is_stable(parts in proptest::collection::vec(prop_oneof![
            Just("\u{1b}".to_owned()), Just("[".into()), Just("]0;".into()), Just("\u{9d}".into()), Just("31m".into()), Just("\u{7}".into()),
            Just("\r".into()), Just("\u{1b}\\".into()), Just("\u{9c}".into()), any::<String>(),
        ], 0..20)) {
            let once = plain(&parts.concat());
            prop_assert!(once.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{once:?}");
            prop_assert_eq!(plain(&once), once);
        }

        #[test]
        fn any_bytes_are_accepted(bytes in proptest::collection::vec(any::<u8>(), 0..200), keep in any::<bool>()) {
            sanitize(&bytes, Keep { style: keep, links: keep });
        }
    }
}
