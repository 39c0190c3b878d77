//! A file's bytes seen as lines, without copying them and without an entry per line.
//!
//! A line ends at `\n`; a `\r` right before it belongs to the ending. A last line without `\n` is a line. An empty
//! file has no lines. A UTF-8 byte order mark stands before the first line and is part of none.
//!
//! An edit names a few lines out of possibly many, so indexing every line start would be most of the work. Instead
//! the newlines are only *counted*, per block, which the CPU does at memory speed; a line is then found by a binary
//! search over blocks and a short scan inside one.

use memchr::memchr_iter;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// Small enough that the scan inside a block is short, large enough that the table stays out of the way.
const BLOCK: usize = 4096;

/// One line: its text and its ending (`\n`, `\r\n`, or nothing on a last line).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub text: &'a [u8],
    pub ending: &'a [u8],
}

/// A file's content as numbered lines (from 0).
#[derive(Debug)]
pub struct Text<'a> {
    bom: &'a [u8],
    body: &'a [u8],
    /// `before[i]`: how many newlines stand before block `i`.
    before: Vec<usize>,
    count: usize,
}

/// Splits a leading byte order mark from the rest.
pub fn split_bom(content: &[u8]) -> (&[u8], &[u8]) {
    content.split_at(if content.starts_with(BOM) { BOM.len() } else { 0 })
}

/// Splits one raw line (with its ending) into text and ending.
pub fn split_ending(raw: &[u8]) -> Line<'_> {
    let ending = match raw {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    };
    let (text, ending) = raw.split_at(raw.len() - ending);
    Line { text, ending }
}

impl<'a> Text<'a> {
    /// Counts the newlines of `content`; nothing is copied.
    pub fn new(content: &'a [u8]) -> Self {
        let (bom, body) = split_bom(content);
        let mut before = Vec::with_capacity(body.len() / BLOCK + 1);
        let mut newlines = 0;
        for block in body.chunks(BLOCK) {
            before.push(newlines);
            newlines += memchr_iter(b'\n', block).count();
        }
        let open_end = body.last().is_some_and(|&last| last != b'\n');
        Self { bom, body, before, count: newlines + usize::from(open_end) }
    }

    /// The byte order mark, or nothing.
    pub fn bom(&self) -> &'a [u8] {
        self.bom
    }

    /// Everything after the byte order mark.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where line `index` starts in the body; the end of the body for indexes past the last line.
    pub fn start(&self, index: usize) -> usize {
        if index == 0 {
            return 0;
        }
        // The line starts after the `index`-th newline, which is in the last block that has fewer before it.
        let block = self.before.partition_point(|&before| before < index).saturating_sub(1);
        let Some(&before) = self.before.get(block) else { return self.body.len() };
        let from = block * BLOCK;
        let scan = self.body.get(from..).unwrap_or_default();
        memchr_iter(b'\n', scan).nth(index - before - 1).map_or(self.body.len(), |at| from + at + 1)
    }

    /// Line `index`, or nothing when the file is shorter.
    pub fn line(&self, index: usize) -> Option<Line<'a>> {
        if index >= self.count {
            return None;
        }
        let start = self.start(index);
        let rest = self.body.get(start..)?;
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        rest.get(..end).map(split_ending)
    }

    /// All lines in order.
    pub fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        self.body.split_inclusive(|&byte| byte == b'\n').map(split_ending)
    }

    /// The ending that a line written next to line `index` should get: that line's own, or its predecessor's when it
    /// is a last line without one, or `\n` when there is no example.
    pub fn ending_near(&self, index: usize) -> &'a [u8] {
        let own = self.line(index).map_or(&b""[..], |line| line.ending);
        if !own.is_empty() {
            return own;
        }
        match index.checked_sub(1).and_then(|previous| self.line(previous)) {
            Some(previous) if !previous.ending.is_empty() => previous.ending,
            _ => b"\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_with_and_without_a_last_newline() {
        for (content, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2), ("\n", 1), ("\u{feff}", 0)] {
            assert_eq!(Text::new(content.as_bytes()).count(), count, "{content:?}");
        }
    }

    #[test]
    fn a_line_is_found_across_block_borders() {
        let content: String = (0..5000).map(|n| format!("line {n}\r\n")).collect();
        let text = Text::new(content.as_bytes());
        for n in [0, 1, 409, 410, 411, 2048, 4999] {
            let line = text.line(n).expect("the line exists");
            assert_eq!(line.text, format!("line {n}").as_bytes());
            assert_eq!(line.ending, b"\r\n");
        }
        assert_eq!(text.line(5000), None);
        assert_eq!(text.start(5000), content.len());
    }

    #[test]
    fn one_line_longer_than_many_blocks_is_one_line() {
        let content = vec![b'x'; BLOCK * 3 + 7];
        let text = Text::new(&content);
        assert_eq!(text.count(), 1);
        assert_eq!(text.line(0).map(|line| line.text.len()), Some(content.len()));
    }

    #[test]
    fn the_ending_near_an_open_last_line_is_its_predecessors() {
        assert_eq!(Text::new(b"a\r\nb").ending_near(1), b"\r\n");
        assert_eq!(Text::new(b"b").ending_near(0), b"\n");
        assert_eq!(Text::new(b"").ending_near(0), b"\n");
    }
}
