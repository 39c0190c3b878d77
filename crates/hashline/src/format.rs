//! Lines as a reader shows them: `LINEhh|TEXT`.

use crate::anchor::{letters_of, line_code};
use crate::text::Text;

/// Between the anchor and the text of a shown line.
pub const BODY_SEPARATOR: u8 = b'|';

/// Appends `number`, its letters, the separator, the text and `\n`.
pub fn push_line(out: &mut Vec<u8>, number: usize, text: &[u8]) {
    push_number(out, number);
    out.extend_from_slice(&letters_of(line_code(text, number as u32)));
    out.push(BODY_SEPARATOR);
    out.extend_from_slice(text);
    out.push(b'\n');
}

/// The lines `first..=last` (from 1, cut to the file's length), each with its anchor and `\n`, whatever its own ending.
pub fn format_lines(content: &[u8], first: usize, last: usize) -> Vec<u8> {
    let text = Text::new(content);
    let first = first.max(1);
    let last = last.min(text.count());
    if first > last {
        return Vec::new();
    }
    let part = text.body().get(text.start(first - 1)..text.start(last)).unwrap_or_default();
    // An anchor is at most 13 bytes; reserving for the common length avoids growing while writing.
    let mut out = Vec::with_capacity(part.len() + (last - first + 1) * 10);
    let mut number = first;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', part) {
        let line = part.get(start..end).unwrap_or_default();
        push_line(&mut out, number, line.strip_suffix(b"\r").unwrap_or(line));
        number += 1;
        start = end + 1;
    }
    if let Some(rest) = part.get(start..).filter(|rest| !rest.is_empty()) {
        push_line(&mut out, number, rest);
    }
    out
}

/// Decimal digits without the formatting machinery, which would cost as much as the rest of a line.
fn push_number(out: &mut Vec<u8>, mut number: usize) {
    let from = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(from..) {
        digits.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(content: &[u8], first: usize, last: usize) -> String {
        String::from_utf8_lossy(&format_lines(content, first, last)).into_owned()
    }

    #[test]
    fn every_line_gets_its_number_letters_and_text() {
        let out = shown(b"\xef\xbb\xbfone\r\n\ttwo\nlast", 1, usize::MAX);
        let texts: Vec<&str> = out.lines().map(|line| line.split_once('|').map_or("", |(_, text)| text)).collect();
        assert_eq!(texts, ["one", "\ttwo", "last"]);
        assert!(out.starts_with('1') && out.ends_with("|last\n"));
    }

    #[test]
    fn a_range_is_cut_to_the_file() {
        assert_eq!(shown(b"a\nb\nc\n", 2, 2).lines().count(), 1);
        assert_eq!(shown(b"a\nb\nc\n", 0, 99).lines().count(), 3);
        assert_eq!(shown(b"a\n", 2, 9), "");
        assert_eq!(shown(b"", 1, 9), "");
    }
}
