//! What is known about files before they are read.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

/// A set of ASCII bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) struct Bytes([bool; 256]);

#[cfg_attr(not(unix), allow(dead_code))]
impl Bytes {
    pub fn all_of_ascii() -> Self {
        Self(std::array::from_fn(|byte| byte < 128))
    }

    pub fn remove(&mut self, byte: u8) {
        self.0[byte as usize] = false;
    }

    pub fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}

/// What is known about one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) enum Verdict {
    /// It may match, or nothing is known.
    Read,
    NoMatch,
    Binary,
}

/// A part of a large file.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) struct TextPart {
    pub range: Range<usize>,
    /// Which strings stand there, one of them, if a line matches.
    pub strings: u32,
}

/// A verdict on each file of a selection.
#[derive(Debug)]
pub(crate) struct Filter {
    verdicts: Vec<Verdict>,
    /// Of large files that may match: every line that does has a byte in one of these parts of the text.
    parts: HashMap<usize, Vec<TextPart>>,
    /// Finds the strings of a number; none of those that no part is about.
    finders: Vec<Option<AhoCorasick>>,
    /// Bytes that no match holds.
    between: Bytes,
    /// Files that the index has never seen.
    #[cfg_attr(not(unix), allow(dead_code))]
    pub unknown: usize,
}

/// Where to look in a large file.
pub(crate) struct PartsOf<'a> {
    pub parts: &'a [TextPart],
    /// Bytes that no match holds; each match holds a byte of one of the parts.
    pub between: &'a Bytes,
    finders: &'a [Option<AhoCorasick>],
}

impl Filter {
    #[cfg_attr(not(unix), allow(dead_code))]
    pub fn new(
        verdicts: Vec<Verdict>,
        parts: HashMap<usize, Vec<TextPart>>,
        strings: &[Vec<Vec<u8>>],
        between: Bytes,
        unknown: usize,
    ) -> Self {
        let mut finders: Vec<Option<AhoCorasick>> = vec![None; strings.len()];
        for part in parts.values().flatten() {
            let number = part.strings as usize;
            if let (Some(finder @ None), Some(strings)) = (finders.get_mut(number), strings.get(number)) {
                // Where none can be made, the lines themselves are looked at.
                *finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(strings).ok();
            }
        }
        Self { verdicts, parts, finders, between, unknown }
    }

    pub fn verdict(&self, file: usize) -> Verdict {
        self.verdicts.get(file).copied().unwrap_or(Verdict::Read)
    }

    /// Which parts of a large file to look at; none when all of it counts.
    pub fn parts_of(&self, file: usize) -> Option<PartsOf<'_>> {
        Some(PartsOf { parts: self.parts.get(&file)?, between: &self.between, finders: &self.finders })
    }
}

#[cfg_attr(not(unix), allow(dead_code))]
impl PartsOf<'_> {
    /// Whether a line in this part of a text can match.
    pub fn may_match(&self, part: &TextPart, text: &[u8]) -> bool {
        let finder = self.finders.get(part.strings as usize).and_then(Option::as_ref);
        finder.is_none_or(|finder| finder.is_match(text))
    }
}
