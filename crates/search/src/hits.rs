//! What was found, in flat arrays.
//!
//! A line is four words: number, column of the match (zero for a context line), units cut off in front, and flags.
//! The texts of a file's lines are joined by `\n`; no line contains that byte. The lines of many files lie one after
//! another in a [`Chunk`] of about a megabyte: a worker fills it, and JavaScript gets it as it is. So there is no
//! allocation per file, and an answer of any size exists only once.

use crate::excerpt::{Excerpt, Place, excerpt, units_of};

/// Words per line in [`Chunk::lines`].
pub const LINE_WORDS: usize = 4;

/// Flag: the line is (part of) a match.
pub const MATCH: u32 = 1;

/// Flag: the shown text is only a part of the line.
pub const CUT: u32 = 2;

/// The lines of some files, one file after another.
#[derive(Debug, Default)]
pub struct Chunk {
    /// [`LINE_WORDS`] words per line.
    pub lines: Vec<u32>,
    /// The lines' texts, joined by `\n` inside a file and not separated between files.
    pub text: Vec<u8>,
}

/// What was found in one file, and where its lines are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileHits {
    /// The file's number in path order.
    pub file: u32,
    /// Matches kept; lines in count mode.
    pub matches: u32,
    /// The file has more matches than were kept.
    pub more: bool,
    /// The number of the chunk.
    pub chunk: u32,
    pub first_line: u32,
    pub line_count: u32,
    pub first_byte: u32,
    pub byte_count: u32,
}

/// One line, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHit<'a> {
    pub number: u32,
    /// One-based, in UTF-16 units; zero for context and for the later lines of a match.
    pub column: u32,
    pub shift: u32,
    pub flags: u32,
    pub text: &'a [u8],
}

/// The lines of one file.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    words: &'a [u32],
    text: &'a [u8],
}

impl<'a> Lines<'a> {
    /// The lines in order.
    pub fn decoded(self) -> impl Iterator<Item = LineHit<'a>> {
        self.words.as_chunks::<LINE_WORDS>().0.iter().zip(self.text.split(|byte| *byte == b'\n')).map(
            |([number, column, shift, flags], text)| LineHit {
                number: *number,
                column: *column,
                shift: *shift,
                flags: *flags,
                text,
            },
        )
    }

    /// What they hold in memory.
    pub fn bytes(self) -> usize {
        self.text.len() + size_of_val(self.words)
    }
}

impl FileHits {
    /// What its lines hold in memory.
    pub fn bytes(&self) -> usize {
        self.byte_count as usize + self.line_count as usize * LINE_WORDS * size_of::<u32>()
    }
}

impl Chunk {
    /// A file that begins here; its lines come by [`Chunk::push`], and [`Chunk::end`] closes it.
    pub(crate) fn begin(&self) -> FileHits {
        FileHits {
            first_line: (self.lines.len() / LINE_WORDS) as u32,
            first_byte: self.text.len() as u32,
            ..FileHits::default()
        }
    }

    /// Notes in `file` what was appended since it began.
    pub(crate) fn end(&self, file: &mut FileHits) {
        file.line_count = (self.lines.len() / LINE_WORDS) as u32 - file.first_line;
        file.byte_count = self.text.len() as u32 - file.first_byte;
    }

    /// Appends a line of the file that began at `file`.
    pub(crate) fn push(&mut self, file: &FileHits, line: LineHit<'_>) {
        if self.lines.len() > file.first_line as usize * LINE_WORDS {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(line.text);
        self.lines.extend([line.number, line.column, line.shift, line.flags]);
    }

    /// Appends a line of the file, shown at most `most` units wide. `found` is the match inside it, in bytes.
    pub(crate) fn push_line(
        &mut self,
        file: &FileHits,
        number: u32,
        line: &[u8],
        found: Option<(usize, usize)>,
        is_match: bool,
        most: usize,
    ) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let found = found.map(|(from, to)| (from.min(line.len()), to.min(line.len())));
        let column = found.map_or(0, |(from, _)| units_of(&line[..from]) + 1);
        let place = found.map(|(from, to)| Place { from, to, units: column as usize - 1 });
        let Excerpt { text, shift, cut } = excerpt(line, place, most);
        let flags = if is_match { MATCH } else { 0 } | if cut { CUT } else { 0 };
        self.push(file, LineHit { number, column, shift, flags, text: text.as_bytes() });
    }

    /// The lines of a file that was closed.
    pub fn lines_of(&self, file: &FileHits) -> Lines<'_> {
        let first = file.first_line as usize * LINE_WORDS;
        let start = file.first_byte as usize;
        Lines {
            words: self.lines.get(first..first + file.line_count as usize * LINE_WORDS).unwrap_or_default(),
            text: self.text.get(start..start + file.byte_count as usize).unwrap_or_default(),
        }
    }

    /// Appends all lines of a file as they are.
    pub(crate) fn append(&mut self, lines: Lines<'_>) {
        self.lines.extend_from_slice(lines.words);
        self.text.extend_from_slice(lines.text);
    }

    /// All lines, of a chunk that holds one file.
    pub(crate) fn all(&self) -> Lines<'_> {
        Lines { words: &self.lines, text: &self.text }
    }

    /// What it holds in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of_val(self.lines.as_slice())
    }
}

/// Chunks that are filled one after another.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    full: Vec<Chunk>,
    open: Chunk,
}

/// A chunk that holds this much is closed.
const CHUNK_BYTES: usize = 1 << 20;

impl Chunks {
    /// The chunk that takes the next file, and its number.
    pub fn open(&mut self) -> (u32, &mut Chunk) {
        if self.open.bytes() >= CHUNK_BYTES {
            self.close();
        }
        (self.full.len() as u32, &mut self.open)
    }

    /// The chunks in the order of their numbers.
    pub fn into_vec(mut self) -> Vec<Chunk> {
        if !self.open.lines.is_empty() {
            self.close();
        }
        self.full
    }

    fn close(&mut self) {
        let mut chunk = std::mem::take(&mut self.open);
        // Vectors grow by doubling; the slack would add up.
        chunk.lines.shrink_to_fit();
        chunk.text.shrink_to_fit();
        self.full.push(chunk);
    }
}
