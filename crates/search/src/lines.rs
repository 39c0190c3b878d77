//! Finding the lines of one buffer that match.
//!
//! The matcher proposes a place; the line around it is looked up, and only if the proposal was a guess (by a literal
//! inside the pattern) is the line matched again. Line numbers are counted from hit to hit.

use std::ops::Range;

use grep_matcher::{LineMatchKind, Matcher};
use memchr::{memchr, memchr_iter, memrchr};

use crate::hits::{Chunk, FileHits};
use crate::pattern::Pattern;

/// A match that spans more lines than this is shown by its first ones.
const MOST_LINES_PER_MATCH: usize = 256;

/// How much of each file is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keep {
    /// At most this many matches.
    pub matches: usize,
    /// Context lines.
    pub before: usize,
    pub after: usize,
    /// Widest line, in UTF-16 units.
    pub columns: usize,
    /// At most this many bytes of lines.
    pub bytes: usize,
    /// Only count; keep no lines.
    pub count_only: bool,
}

/// The lines of a match: the range from the first line's start to the last line's end, without its terminator.
struct Found {
    start: usize,
    end: usize,
    /// The match itself, in bytes from the start of the buffer.
    from: usize,
    to: usize,
    /// There may be several lines.
    spans: bool,
}

/// Searches a whole buffer and appends the lines to `chunk`. The answer has no matches when nothing matches.
pub(crate) fn search(pattern: &Pattern, buffer: &[u8], keep: Keep, chunk: &mut Chunk) -> FileHits {
    let hits = chunk.begin();
    let before = chunk.bytes();
    let mut collect = Collect { buffer, keep, chunk, hits, number: 1, counted: 0, shown: 0, shown_number: 0, after: 0 };
    let mut at = 0;
    // Where the first line starts that belongs to no match yet.
    let mut reached = 0;
    while at < buffer.len() {
        let Some(mut found) = next_match(pattern, buffer, at, reached) else { break };
        at = if found.spans { found.to.max(found.from + 1) } else { found.end + 1 };
        // A match may begin on the line where the last one ended; what is new are the lines behind that one.
        if found.end < reached {
            continue;
        }
        if found.start < reached {
            found = Found { start: reached, from: reached, to: found.to.max(reached), ..found };
        }
        if collect.hits.matches as usize >= keep.matches || collect.chunk.bytes() - before > keep.bytes {
            collect.hits.more = true;
            break;
        }
        reached = found.end + 1;
        collect.add(&found);
        // Whether a file has more than enough is of no interest when only files or counts are asked for.
        if keep.count_only && collect.hits.matches as usize >= keep.matches {
            break;
        }
    }
    collect.finish()
}

/// Whether any of some whole lines matches; for patterns that do not leave their line.
pub(crate) fn any_line_matches(pattern: &Pattern, lines: &[u8]) -> bool {
    next_match(pattern, lines, 0, 0).is_some()
}

/// The first match from `at` on. Of one that ends before `reached`, only that is told: looking for the ends of its line
/// would cost the whole line for each of its matches.
fn next_match(pattern: &Pattern, buffer: &[u8], at: usize, reached: usize) -> Option<Found> {
    let matcher = &pattern.matcher;
    if pattern.multiline {
        let found = matcher.find_at(buffer, at).ok()??;
        let (from, to) = (found.start(), found.end());
        // A match that ends with a line break ends on the line that it breaks.
        let last = if to > from { to - 1 } else { to };
        if last < reached {
            return Some(Found { start: from, end: last, from, to, spans: true });
        }
        let start = if from < reached { from } else { reached + line_start(&buffer[reached..], from - reached) };
        // An empty match behind the last line break is on no line.
        if start >= buffer.len() {
            return None;
        }
        return Some(Found { start, end: line_end(buffer, last), from, to, spans: true });
    }
    let mut at = at;
    while at < buffer.len() {
        let kind = matcher.find_candidate_line(&buffer[at..]).ok()??;
        let place = at
            + match kind {
                LineMatchKind::Confirmed(offset) | LineMatchKind::Candidate(offset) => offset,
            };
        let start = line_start(buffer, place).max(at);
        if start >= buffer.len() {
            return None;
        }
        let end = line_end(buffer, place.max(start));
        // The exact place is needed for the column; for a guess this is also the check.
        // The line is tried with its line break, since `\r` means something else without its `\n`.
        if let Ok(Some(found)) = matcher.find(&buffer[start..(end + 1).min(buffer.len())])
            && start + found.start() <= end
        {
            return Some(Found { start, end, from: start + found.start(), to: start + found.end(), spans: false });
        }
        at = end + 1;
    }
    None
}

fn line_start(buffer: &[u8], at: usize) -> usize {
    memrchr(b'\n', &buffer[..at]).map_or(0, |position| position + 1)
}

fn line_end(buffer: &[u8], at: usize) -> usize {
    memchr(b'\n', &buffer[at..]).map_or(buffer.len(), |position| at + position)
}

struct Collect<'a> {
    buffer: &'a [u8],
    keep: Keep,
    chunk: &'a mut Chunk,
    hits: FileHits,
    /// The number of the line that starts at `counted`.
    number: u32,
    counted: usize,
    /// Everything before this offset is shown or was passed over; it is the start of line `shown_number`.
    shown: usize,
    shown_number: u32,
    /// Context lines still owed after the last match.
    after: usize,
}

impl Collect<'_> {
    fn add(&mut self, found: &Found) {
        self.hits.matches += 1;
        if self.keep.count_only {
            return;
        }
        self.number += memchr_iter(b'\n', &self.buffer[self.counted..found.start]).count() as u32;
        self.counted = found.start;
        self.owed(found.start);
        self.before(found.start);
        let mut start = found.start;
        for line in 0..MOST_LINES_PER_MATCH {
            let end = if found.spans { line_end(self.buffer, start) } else { found.end };
            let place = (line == 0).then(|| (found.from - start, found.to.min(end) - start));
            self.push(self.number + line as u32, start..end, place, true);
            if end >= found.end {
                break;
            }
            start = end + 1;
        }
        self.shown = (found.end + 1).min(self.buffer.len());
        self.number += if found.spans {
            memchr_iter(b'\n', &self.buffer[self.counted..self.shown]).count() as u32
        } else {
            u32::from(self.shown > found.end)
        };
        self.counted = self.shown;
        self.shown_number = self.number;
        self.after = self.keep.after;
    }

    fn push(&mut self, number: u32, line: Range<usize>, found: Option<(usize, usize)>, is_match: bool) {
        self.chunk.push_line(&self.hits, number, &self.buffer[line], found, is_match, self.keep.columns);
    }

    /// Shows the lines owed after the last match, up to `limit`.
    fn owed(&mut self, limit: usize) {
        while self.after > 0 && self.shown < limit {
            let end = line_end(self.buffer, self.shown);
            self.push(self.shown_number, self.shown..end, None, false);
            self.shown = (end + 1).min(self.buffer.len());
            self.shown_number += 1;
            self.after -= 1;
        }
    }

    /// Shows the lines before a match that were not shown yet.
    fn before(&mut self, start: usize) {
        let mut first = start;
        let mut count = 0;
        while count < self.keep.before && first > self.shown {
            first = line_start(self.buffer, first - 1);
            count += 1;
        }
        let mut number = self.number - count as u32;
        while first < start {
            let end = line_end(self.buffer, first);
            self.push(number, first..end, None, false);
            number += 1;
            first = end + 1;
        }
    }

    fn finish(mut self) -> FileHits {
        if !self.keep.count_only {
            self.owed(self.buffer.len());
        }
        self.chunk.end(&mut self.hits);
        self.hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Keep =
        Keep { matches: usize::MAX, before: 0, after: 0, columns: 1000, bytes: usize::MAX, count_only: false };

    fn shown(pattern: &str, text: &str, keep: Keep) -> Vec<String> {
        let pattern = Pattern::new(pattern, false, false, None).unwrap();
        let mut chunk = Chunk::default();
        search(&pattern, text.as_bytes(), keep, &mut chunk);
        chunk
            .all()
            .decoded()
            .map(|line| {
                let mark = if line.flags & crate::hits::MATCH != 0 { '*' } else { ' ' };
                format!("{mark}{}:{}:{}", line.number, line.column, String::from_utf8_lossy(line.text))
            })
            .collect()
    }

    #[test]
    fn lines_are_numbered_and_columns_count_utf16_units() {
        assert_eq!(shown("b", "a\néb\n\nbb", ALL), ["*2:2:éb", "*4:1:bb"]);
        assert_eq!(shown("x", "😀x\r\n", ALL), ["*1:3:😀x"]);
    }

    #[test]
    fn the_place_behind_the_last_line_break_is_no_line() {
        assert_eq!(shown("^$", "a\n\n", ALL), ["*2:1:"]);
        assert_eq!(shown("a*", "a\nb\n", ALL), ["*1:1:a", "*2:1:b"]);
    }

    #[test]
    fn dollar_sees_through_a_carriage_return() {
        assert_eq!(shown("a$", "a\r\nab\r\na", ALL), ["*1:1:a", "*3:1:a"]);
    }

    #[test]
    fn context_lines_are_shown_once() {
        let keep = Keep { before: 1, after: 1, ..ALL };
        assert_eq!(shown("x", "1\nx\n3\nx\n5\n6\n", keep), [" 1:0:1", "*2:1:x", " 3:0:3", "*4:1:x", " 5:0:5"]);
        assert_eq!(shown("x", "x\nx\n3", Keep { matches: 1, ..keep }), ["*1:1:x", " 2:0:x"]);
    }

    #[test]
    fn a_match_across_lines_shows_all_its_lines() {
        assert_eq!(shown("b\\nc", "a\nb\nc\nd", ALL), ["*2:1:b", "*3:0:c"]);
        assert_eq!(shown("a\\n", "xa\nb\n", ALL), ["*1:2:xa"]);
    }

    #[test]
    fn a_match_that_begins_on_the_last_line_of_the_one_before_adds_its_other_lines() {
        assert_eq!(shown("abc\\ndef", "abc\ndefabc\ndef\nx", ALL), ["*1:1:abc", "*2:0:defabc", "*3:1:def"]);
        assert_eq!(shown("a|b\\nc", "aab\nc\n", ALL), ["*1:1:aab", "*2:1:c"]);
        assert_eq!(shown("a|b\\nc", "aab\nc\n", Keep { matches: 1, after: 1, ..ALL }), ["*1:1:aab", " 2:0:c"]);
    }

    proptest! {
        #[test]
        fn the_same_lines_match_as_when_each_is_tried_alone(text in "[ab\r\n é]{0,40}", pattern in prop::sample::select(vec!["a", "b", "^a", "b$", "a.b", "[^a]", "\\s", "é?a", "\\bb", "a*$", "^$"])) {
            let compiled = Pattern::new(pattern, false, false, None).unwrap();
            let mut chunk = Chunk::default();
            search(&compiled, text.as_bytes(), ALL, &mut chunk);
            let whole: Vec<u32> = chunk.all().decoded().map(|line| line.number).collect();
            let alone: Vec<u32> = text.split_inclusive('\n').zip(1_u32..)
                .filter(|(line, _)| {
                    let found = compiled.matcher.find(line.as_bytes()).unwrap();
                    found.is_some_and(|found| found.start() <= line.trim_end_matches('\n').len())
                })
                .map(|(_, number)| number).collect();
            prop_assert_eq!(whole, alone);
        }
    }
}
