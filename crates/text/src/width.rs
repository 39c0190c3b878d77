//! How many terminal columns text takes.
//!
//! A terminal advances by *clusters*: a character with the marks that combine with it, a flag of two letters, a
//! family of emoji held together by joiners. The rules here are the part of Unicode's segmentation that changes
//! widths; two clusters that a terminal would draw apart are never joined.

use crate::tables::{PICTOGRAPHIC, WIDE, ZERO_WIDTH};

const JOINER: char = '\u{200d}';
const PICTURE_SELECTOR: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

fn in_table(table: &[(u32, u32)], code: u32) -> bool {
    let at = table.partition_point(|&(_, last)| last < code);
    table.get(at).is_some_and(|&(first, _)| first <= code)
}

/// The columns of one character on its own; control characters take none.
pub fn char_width(character: char) -> usize {
    let code = u32::from(character);
    match code {
        0x20..=0x7e => 1,
        0..0xa0 => 0,
        // The first wide or zero-width characters come later, except for the soft hyphen.
        0xa0..0x300 if code != 0xad => 1,
        _ if in_table(WIDE, code) => 2,
        _ if in_table(ZERO_WIDTH, code) => 0,
        _ => 1,
    }
}

fn is_pictographic(character: char) -> bool {
    u32::from(character) >= 0xa9 && in_table(PICTOGRAPHIC, u32::from(character))
}

fn is_regional(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

/// The first cluster of `text`: its length in bytes and its columns.
pub fn first_cluster(text: &str) -> (usize, usize) {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return (0, 0) };
    let mut width = char_width(first);
    if matches!(first, ' '..='~') && text.as_bytes().get(1).is_none_or(u8::is_ascii) {
        return (1, width);
    }
    if is_regional(first) && rest.clone().next().is_some_and(is_regional) {
        rest.next();
        width = 2;
    }
    let picture = is_pictographic(first);
    let mut previous = first;
    while let Some(next) = rest.clone().next() {
        let joins_picture = previous == JOINER && is_pictographic(next);
        let colours_skin = picture && ('\u{1f3fb}'..='\u{1f3ff}').contains(&next);
        if next == KEYCAP || (next == PICTURE_SELECTOR && picture) || joins_picture {
            width = width.max(if width == 0 && !joins_picture { 0 } else { 2 });
        } else if !colours_skin && (u32::from(next) < 0xa0 || char_width(next) != 0) {
            break;
        }
        previous = next;
        rest.next();
    }
    (text.len() - rest.as_str().len(), width)
}

/// The columns of text without escape sequences.
pub fn text_width(text: &str) -> usize {
    let mut rest = text;
    let mut width = 0;
    while !rest.is_empty() {
        let (length, columns) = first_cluster(rest);
        width += columns;
        rest = rest.get(length..).unwrap_or_default();
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthChar;

    #[test]
    fn single_characters_take_what_unicode_says() {
        for code in 0..0x11_0000 {
            let Some(character) = char::from_u32(code) else { continue };
            let expected = UnicodeWidthChar::width(character).unwrap_or(0);
            // A few letters are three columns wide on their own by that crate's rules; terminals give them one.
            if expected <= 2 {
                assert_eq!(char_width(character), expected, "U+{code:04X}");
            }
        }
    }

    #[test]
    fn clusters_are_as_wide_as_terminals_draw_them() {
        for (text, width) in [
            ("", 0),
            ("abc", 3),
            ("日本", 4),
            ("e\u{301}", 1),
            ("👍", 2),
            ("👍🏽", 2),
            ("👨‍👩‍👧", 2),
            ("🇩🇪", 2),
            ("🇩🇪🇫🇷", 4),
            ("1\u{fe0f}\u{20e3}", 2),
            ("❤", 1),
            ("❤\u{fe0f}", 2),
            ("한", 2),
            ("\u{1112}\u{1161}\u{11ab}", 2),
            ("\u{200b}", 0),
            ("\ta\n", 1),
            ("a\u{fe0f}b", 2),
            ("\u{301}", 0),
            ("\u{200d}👍", 2),
        ] {
            assert_eq!(text_width(text), width, "{text:?}");
        }
    }
}
