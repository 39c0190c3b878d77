//! Links in text (OSC 8): which ones are safe, and how they are opened again on the next line.
//!
//! A link is kept only if a click on it can do no more than a click in a browser: its address is http, https, mailto
//! or file, in visible ASCII, and its parameters are plain. Everything else is taken out like any other sequence; the
//! text between stays.

/// Ends the link that is open.
pub const CLOSE_LINK: &str = "\u{1b}]8;;\u{1b}\\";

const LONGEST_PARAMETERS: usize = 256;
const LONGEST_ADDRESS: usize = 2083;
const SCHEMES: [&str; 4] = ["http:", "https:", "mailto:", "file:"];

/// The parameters and the address of a safe link (`id=1;https://…` of `ESC]8;id=1;https://…`), or nothing.
pub fn safe_body(body: &str) -> Option<&str> {
    let (parameters, address) = body.split_once(';')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b':' | b'.' | b'_' | b'+' | b'-');
    if parameters.len() > LONGEST_PARAMETERS || !parameters.bytes().all(plain) {
        return None;
    }
    (address.is_empty() || is_safe_address(address)).then_some(body)
}

fn is_safe_address(address: &str) -> bool {
    SCHEMES.iter().any(|scheme| {
        let Some((start, rest)) = address.split_at_checked(scheme.len()) else { return false };
        start.eq_ignore_ascii_case(scheme)
            && (1..=LONGEST_ADDRESS).contains(&rest.len())
            && rest.bytes().all(|byte| byte.is_ascii_graphic())
    })
}

/// The length of a safe link sequence at the start of `text`, and its body; nothing when there is none.
pub fn link_at(text: &str) -> Option<(usize, &str)> {
    let tail = text.strip_prefix("\u{1b}]8;")?;
    let end = tail.bytes().position(|byte| !byte.is_ascii_graphic())?;
    let rest = tail.get(end..)?;
    let terminator = if rest.starts_with('\u{7}') {
        1
    } else if rest.starts_with("\u{1b}\\") {
        2
    } else {
        return None;
    };
    let body = safe_body(tail.get(..end)?)?;
    Some((text.len() - tail.len() + end + terminator, body))
}

/// Whether the body ends a link instead of opening one.
pub fn is_closing(body: &str) -> bool {
    body.split_once(';').is_none_or(|(_, address)| address.is_empty())
}

/// Appends the sequence that opens the link of this body.
pub fn push_link(body: &str, out: &mut String) {
    out.push_str("\u{1b}]8;");
    out.push_str(body);
    out.push_str("\u{1b}\\");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_a_browser_would_open_are_safe() {
        for body in [";", ";https://a/b?c=d;e", "id=1:x=y;HTTP://a", ";mailto:a@b", ";file:///tmp/a", "id=1;"] {
            assert_eq!(safe_body(body), Some(body));
        }
        for body in [
            "",
            "https://a",
            ";javascript:alert(1)",
            ";https:",
            ";https://a b",
            ";https://é",
            "id=\u{1};https://a",
            ";ssh://a",
        ] {
            assert_eq!(safe_body(body), None, "{body:?}");
        }
        assert_eq!(safe_body(&format!(";https:{}", "x".repeat(2084))), None);
    }

    #[test]
    fn a_link_ends_with_a_bell_or_a_string_terminator() {
        assert_eq!(link_at("\u{1b}]8;;http://a\u{7}x"), Some((14, ";http://a")));
        assert_eq!(link_at("\u{1b}]8;;\u{1b}\\"), Some((7, ";")));
        assert_eq!(link_at("\u{1b}]8;;http://a"), None);
        assert_eq!(link_at("\u{1b}]0;t\u{7}"), None);
    }
}
