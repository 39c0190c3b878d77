//! Three bytes in a row, as a number of 18 bits.
//!
//! A byte becomes one of 64 classes: letters without their case, digits, the punctuation of code. So the set of all trigrams of a text
//! is a bitmap of 32 kB that stays in the processor's first cache while a text is read, and searches that ignore case need no lists of
//! their own. That two bytes share a class only lets a few more files through; the search itself reads those.

/// Number of different trigrams.
pub(crate) const SPACE: usize = 1 << 18;
const MASK: u32 = (SPACE - 1) as u32;
const BITS: u32 = 6;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [61_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'0'..=b'9' => 26 + (digit - b'0'),
            b'_' => 36,
            b' ' => 37,
            b'\t' => 38,
            b'\n' | b'\r' => 39,
            b'.' => 40,
            b',' => 41,
            b';' => 42,
            b':' => 43,
            b'(' => 44,
            b')' => 45,
            b'[' | b']' => 46,
            b'{' => 47,
            b'}' => 48,
            b'<' => 49,
            b'>' => 50,
            b'=' => 51,
            b'+' => 52,
            b'-' => 53,
            b'*' => 54,
            b'/' => 55,
            b'"' => 56,
            b'\'' | b'`' => 57,
            b'&' | b'|' => 58,
            b'!' | b'?' => 59,
            b'@' | b'#' | b'$' => 60,
            // The rest of a character beyond ASCII tells such texts apart.
            rest @ 0x80..=0xbf => rest & 0x3f,
            0xc0..=0xff => 63,
            _ => 61,
        };
        table[byte] = class;
        byte += 1;
    }
    table
}

/// The trigrams of a text, in order, with repetitions.
pub(crate) fn grams(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut code = 0;
    text.iter().enumerate().filter_map(move |(at, byte)| {
        code = ((code << BITS) | u32::from(CLASSES[usize::from(*byte)])) & MASK;
        (at >= 2).then_some(code)
    })
}

/// A set of trigrams.
pub(crate) struct GramSet {
    words: Box<[u64]>,
}

impl GramSet {
    pub fn new() -> Self {
        Self { words: vec![0; SPACE / 64].into_boxed_slice() }
    }

    pub fn add(&mut self, text: &[u8]) {
        let mut code = 0;
        for (at, byte) in text.iter().enumerate() {
            code = ((code << BITS) | u32::from(CLASSES[usize::from(*byte)])) & MASK;
            if at >= 2 {
                self.words[(code >> 6) as usize] |= 1 << (code & 63);
            }
        }
    }

    /// Gives every member and forgets it.
    pub fn drain(&mut self, mut take: impl FnMut(u32)) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let mut rest = std::mem::take(word);
            while rest != 0 {
                take(((index as u32) << 6) | rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_holds_the_trigrams_of_its_texts_and_of_every_piece_of_them(
            text in proptest::collection::vec(any::<u8>(), 0..200), from in 0_usize..200, length in 3_usize..20,
        ) {
            let mut set = GramSet::new();
            set.add(&text);
            let mut held = std::collections::BTreeSet::new();
            set.drain(|gram| { held.insert(gram); });
            prop_assert_eq!(held.iter().copied().collect::<Vec<_>>(), {
                let mut all: Vec<u32> = grams(&text).collect();
                all.sort_unstable();
                all.dedup();
                all
            });
            if let Some(piece) = text.get(from..(from + length).min(text.len())) {
                prop_assert!(grams(piece).all(|gram| held.contains(&gram)));
                prop_assert!(grams(&piece.to_ascii_uppercase()).all(|gram| held.contains(&gram)));
            }
            let mut left = 0;
            set.drain(|_| left += 1);
            prop_assert_eq!(left, 0);
        }
    }
}
