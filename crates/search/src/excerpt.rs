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

/// Where a match is inside its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// In bytes.
    pub from: usize,
    pub to: usize,
    /// UTF-16 units in front of it.
    pub units: usize,
}

/// Shows at most `most` units of a line, with `found` in view.
pub(crate) fn excerpt(line: &[u8], found: Option<Place>, most: usize) -> Excerpt<'_> {
    // A byte never makes more than one unit, so short lines need no counting.
    if line.len() <= most {
        return Excerpt { text: shown(line), shift: 0, cut: false };
    }
    // Lines of a megabyte are common in minified code. A unit takes at most three bytes, so what is further behind the
    // match than this is never in view and need not be looked at.
    let reach = most.saturating_mul(4).saturating_add(found.map_or(0, |place| place.to) + 4);
    let line = &line[..line.len().min(reach)];
    let mut start = 0;
    let mut skipped = 0;
    if let Some(Place { from, to, units }) = found
        && units + units_of(&line[from..to]) as usize > most
    {
        start = units.saturating_sub(most / 4);
        // As many units as bytes: each byte is a unit, so the window's place is known without counting.
        if units == from {
            skipped = start;
        }
    }
    let text = shown(&line[skipped..]);
    if start == 0 && units_reach(&text, most).is_none() {
        return Excerpt { text, shift: 0, cut: false };
    }
    let (first, units) = boundary_before(&text, start - skipped);
    let (length, _) = boundary_before(&text[first..], most);
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[first..first + length]),
        Cow::Owned(text) => Cow::Owned(text[first..first + length].to_owned()),
    };
    Excerpt { text, shift: (skipped + units) as u32, cut: true }
}

/// Bytes as text. Checking first is much quicker for what is UTF-8 than looking for what is not.
fn shown(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The number of UTF-16 units that bytes make when shown.
pub(crate) fn units_of(bytes: &[u8]) -> u32 {
    if bytes.is_ascii() {
        return bytes.len() as u32;
    }
    units_in(shown(bytes).as_bytes()) as u32
}

/// The UTF-16 units of the characters that start in a piece of UTF-8.
fn units_in(bytes: &[u8]) -> usize {
    // Sums of one byte let the compiler count many bytes at a time.
    let units = |byte: &u8| u8::from(*byte & 0xc0 != 0x80) + u8::from(*byte >= 0xf0);
    bytes.chunks(u8::MAX as usize / 2).map(|piece| usize::from(piece.iter().map(units).sum::<u8>())).sum()
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
    const BLOCK: usize = 1024;
    let (mut start, mut units) = (0, 0);
    // Whole blocks first. The last character of a block may add a unit for a byte that lies in the next one.
    while wanted - units > BLOCK
        && let Some(block) = text.as_bytes().get(start..start + BLOCK)
    {
        units += units_in(block);
        start += BLOCK;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    for (offset, character) in text[start..].char_indices() {
        let next = units + character.len_utf16();
        if next > wanted {
            return (start + offset, units);
        }
        units = next;
    }
    (text.len(), units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(line: &[u8], from: usize, to: usize) -> Option<Place> {
        Some(Place { from, to, units: units_of(&line[..from]) as usize })
    }

    #[test]
    fn short_lines_are_shown_whole_and_long_ones_from_the_start() {
        assert_eq!(excerpt(b"abc", None, 3), Excerpt { text: "abc".into(), shift: 0, cut: false });
        assert_eq!(excerpt(b"abcd", place(b"abcd", 0, 2), 3), Excerpt { text: "abc".into(), shift: 0, cut: true });
        assert!(!excerpt("éé".as_bytes(), None, 3).cut);
    }

    #[test]
    fn the_window_moves_so_that_the_match_is_in_view() {
        let line = [b"x".repeat(100), b"needle".to_vec(), b"y".repeat(100)].concat();
        let shown = excerpt(&line, place(&line, 100, 106), 40);
        assert_eq!((shown.shift, shown.text.len()), (90, 40));
        assert!(shown.text.contains("needle"));
    }

    #[test]
    fn a_cut_never_splits_a_surrogate_pair() {
        let shown = excerpt("😀😀😀".as_bytes(), None, 3);
        assert_eq!(shown.text, "😀");
    }

    /// The same by counting every character of the whole line.
    fn slowly(line: &[u8], from: usize, to: usize, most: usize) -> (String, u32, bool) {
        let text = String::from_utf8_lossy(line);
        let units = |text: &str| text.encode_utf16().count();
        if units(&text) <= most {
            return (text.into_owned(), 0, false);
        }
        let before = |bytes: &[u8]| units(&String::from_utf8_lossy(bytes));
        let start = if before(&line[..to]) > most { before(&line[..from]).saturating_sub(most / 4) } else { 0 };
        let (mut shown, mut shift, mut at) = (String::new(), 0, 0);
        for character in text.chars() {
            let next = at + character.len_utf16();
            if next <= start {
                shift = next;
            } else if units(&shown) + character.len_utf16() <= most {
                shown.push(character);
            } else {
                break;
            }
            at = next;
        }
        (shown, shift as u32, true)
    }

    proptest! {
        #[test]
        fn long_lines_are_cut_as_if_every_character_was_counted(
            front in prop::collection::vec(prop::sample::select(vec!["a", "é", "\u{ffff}", "😀", "bcdefgh"]), 0..2500),
            broken in prop::collection::vec(any::<u8>(), 0..3),
            back in "[aé😀]{0,40}",
            most in 1_usize..60,
        ) {
            let front = [front.concat().into_bytes(), broken].concat();
            let line = [front.as_slice(), b"needle", back.as_bytes()].concat();
            let (from, to) = (front.len(), front.len() + 6);
            let Excerpt { text, shift, cut } = excerpt(&line, place(&line, from, to), most);
            prop_assert_eq!((text.into_owned(), shift, cut), slowly(&line, from, to, most));
        }
    }
}
