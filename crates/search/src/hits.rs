//! What was found in one file, in flat arrays.
//!
//! A line is four words: number, column of the match (zero for a context line), units cut off in front, and flags.
//! The texts of a file's lines are joined by `\n` in one byte vector; no line contains that byte.

use crate::excerpt::{Excerpt, excerpt, units_of};

/// Words per line in [`FileHits::lines`].
pub const LINE_WORDS: usize = 4;

/// Flag: the line is (part of) a match.
pub const MATCH: u32 = 1;

/// Flag: the shown text is only a part of the line.
pub const CUT: u32 = 2;

/// The hits of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileHits {
    /// The file's number in path order.
    pub file: u32,
    /// Matches kept; lines in count mode.
    pub matches: u32,
    /// The file has more matches than were kept.
    pub more: bool,
    /// [`LINE_WORDS`] words per line.
    pub lines: Vec<u32>,
    /// The lines' texts, joined by `\n`.
    pub text: Vec<u8>,
}

/// One line of [`FileHits`], decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHit<'a> {
    pub number: u32,
    /// One-based, in UTF-16 units; zero for context and for the later lines of a match.
    pub column: u32,
    pub shift: u32,
    pub flags: u32,
    pub text: &'a [u8],
}

impl FileHits {
    /// Appends a line.
    pub fn push(&mut self, line: LineHit<'_>) {
        if !self.lines.is_empty() {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(line.text);
        self.lines.extend([line.number, line.column, line.shift, line.flags]);
    }

    /// Appends a line of the file, shown at most `most` units wide. `found` is the match inside it, in bytes.
    pub(crate) fn push_line(
        &mut self,
        number: u32,
        line: &[u8],
        found: Option<(usize, usize)>,
        is_match: bool,
        most: usize,
    ) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let found = found.map(|(from, to)| (from.min(line.len()), to.min(line.len())));
        let column = found.map_or(0, |(from, _)| units_of(&line[..from]) + 1);
        let Excerpt { text, shift, cut } = excerpt(line, found, most);
        let flags = if is_match { MATCH } else { 0 } | if cut { CUT } else { 0 };
        self.push(LineHit { number, column, shift, flags, text: text.as_bytes() });
    }

    /// The lines in order.
    pub fn decoded(&self) -> impl Iterator<Item = LineHit<'_>> {
        self.lines.as_chunks::<LINE_WORDS>().0.iter().zip(self.text.split(|byte| *byte == b'\n')).map(
            |([number, column, shift, flags], text)| LineHit {
                number: *number,
                column: *column,
                shift: *shift,
                flags: *flags,
                text,
            },
        )
    }

    /// What it holds in memory.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.lines.len() * size_of::<u32>()
    }
}
