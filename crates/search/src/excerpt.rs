//! The part of a line that is shown.
//!
//! Lengths are in UTF-16 units, which is what editors, the language server protocol and JavaScript count. A line that
//! is too long is cut, and when the match would fall off, the window moves so that the match is in view: in minified
//! code the first thousand characters are rarely the ones that were asked for.

use std::borrow::Cow;

/// What is shown of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt<'a> {
    pub text: Cow<'a, str>,
    /// UTF-16 units left out in front.
    pub shift: u32,
    /// Something was left out.
    pub cut: bool,
}

/// Shows at most `most` units of a line; `found` is the match inside it, in bytes.
pub(crate) fn excerpt(line: &[u8], found: Option<(usize, usize)>, most: usize) -> Excerpt<'_> {
    let text = String::from_utf8_lossy(line);
    // A byte never makes more than one unit, so short lines need no counting.
    if line.len() <= most {
        return Excerpt { text, shift: 0, cut: false };
    }
    if units_reach(&text, most).is_none() {
        return Excerpt { text, shift: 0, cut: false };
    }
    let mut start = 0;
    if let Some((from, to)) = found
        && units_of(&line[..to]) as usize > most
    {
        start = (units_of(&line[..from]) as usize).saturating_sub(most / 4);
    }
    let (first, start) = boundary_before(&text, start);
    let (last, _) = boundary_before(&text[first..], most);
    Excerpt { text: Cow::Owned(text[first..first + last].to_owned()), shift: start as u32, cut: true }
}

/// The number of UTF-16 units that bytes make when shown.
pub(crate) fn units_of(bytes: &[u8]) -> u32 {
    if bytes.is_ascii() {
        return bytes.len() as u32;
    }
    String::from_utf8_lossy(bytes).chars().map(|character| character.len_utf16() as u32).sum()
}

/// Some when the text has more than `most` units.
fn units_reach(text: &str, most: usize) -> Option<()> {
    let mut units = 0;
    text.chars()
        .any(|character| {
            units += character.len_utf16();
            units > most
        })
        .then_some(())
}

/// The byte offset and the units of the last character border at or before `wanted` units.
fn boundary_before(text: &str, wanted: usize) -> (usize, usize) {
    let mut units = 0;
    for (offset, character) in text.char_indices() {
        let next = units + character.len_utf16();
        if next > wanted {
            return (offset, units);
        }
        units = next;
    }
    (text.len(), units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_shown_whole_and_long_ones_from_the_start() {
        assert_eq!(excerpt(b"abc", None, 3), Excerpt { text: "abc".into(), shift: 0, cut: false });
        assert_eq!(excerpt(b"abcd", Some((0, 2)), 3), Excerpt { text: "abc".into(), shift: 0, cut: true });
        assert!(!excerpt("éé".as_bytes(), None, 3).cut);
    }

    #[test]
    fn the_window_moves_so_that_the_match_is_in_view() {
        let line = [b"x".repeat(100), b"needle".to_vec(), b"y".repeat(100)].concat();
        let shown = excerpt(&line, Some((100, 106)), 40);
        assert_eq!((shown.shift, shown.text.len()), (90, 40));
        assert!(shown.text.contains("needle"));
    }

    #[test]
    fn a_cut_never_splits_a_surrogate_pair() {
        let shown = excerpt("😀😀😀".as_bytes(), None, 3);
        assert_eq!(shown.text, "😀");
    }
}
