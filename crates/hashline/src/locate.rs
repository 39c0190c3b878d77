//! Where the lines of an older file are in the file as it is now: proven, or not at all.
//!
//! This is the three-way merge behind recovery. The base is the snapshot that the editor read, one side is the edit
//! (lines of the base, known exactly), the other side is whatever else happened to the file. A general merge aligns
//! base and file with a diff and believes it; a diff is a guess wherever lines repeat. Here a place must be proven,
//! in one of two ways, always for a window of the edit's lines and at least one line (or the file's edge) on each side.
//! The window grows until it holds two lines that tell something (more than punctuation, see
//! [`crate::anchor::is_telling`]); otherwise a lone `}` and a blank line could pass for a proof after two functions
//! changed places.
//!
//! 1. everything from the file's start through the window is unchanged, or everything from the window to the file's
//!    end (when both hold and disagree, lines were repeated: refused);
//! 2. the window, widened as far as needed, occurs exactly once in the base and exactly once in the file.
//!
//! "Unchanged" ignores trailing blanks and line endings, as anchors do.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh64::xxh64;

use crate::anchor::{is_telling, trim_end};
use crate::text::Text;

/// Line comparisons that one patch may spend; beyond it the text is too repetitive to be worth proving.
const BUDGET: usize = 4_000_000;

/// Why a place could not be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproven {
    /// The lines to edit, or the lines next to them, are not in the file any more.
    Changed,
    /// They are there more than once, or were.
    Repeated,
}

/// Where each different line is: its first place and how many there are; further places follow in `next`.
struct Index<'a> {
    first: HashMap<&'a [u8], Places, BuildHasherDefault<LineHasher>>,
    /// For each line, the next one with the same text; 0 ends the chain, because a next place is never the first line.
    next: Vec<usize>,
}

struct Places {
    first: usize,
    last: usize,
    count: usize,
}

/// Hashing whole files of lines is most of a recovery's time; this is about three times as quick as the default.
#[derive(Default)]
struct LineHasher(u64);

impl Hasher for LineHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh64(bytes, self.0);
    }

    fn write_usize(&mut self, length: usize) {
        self.0 = self.0.rotate_left(5) ^ length as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<'a> Index<'a> {
    fn new(lines: &[&'a [u8]]) -> Self {
        let mut first =
            HashMap::<&[u8], Places, _>::with_capacity_and_hasher(lines.len(), BuildHasherDefault::default());
        let mut next = vec![0; lines.len()];
        for (at, line) in lines.iter().enumerate() {
            let places = first.entry(*line).or_insert(Places { first: at, last: at, count: 0 });
            if places.count > 0
                && let Some(link) = next.get_mut(places.last)
            {
                *link = at;
            }
            places.last = at;
            places.count += 1;
        }
        Self { first, next }
    }

    fn count(&self, line: &[u8]) -> usize {
        self.first.get(line).map_or(0, |places| places.count)
    }

    /// All places of a line, from the top.
    fn places(&self, line: &[u8]) -> impl Iterator<Item = isize> {
        let start = self.first.get(line).map(|places| places.first);
        let follow = |at: &usize| self.next.get(*at).copied().filter(|&next| next > 0);
        std::iter::successors(start, follow).map(|at| at as isize)
    }
}

/// Finds lines of a snapshot in the current file.
pub struct Locator<'a> {
    base: Vec<&'a [u8]>,
    now: Vec<&'a [u8]>,
    prefix: usize,
    suffix: usize,
    /// Built when first needed: most edits are placed by the unchanged start or end.
    indexes: Option<(Index<'a>, Index<'a>)>,
    spent: usize,
}

impl<'a> Locator<'a> {
    /// Compares the two files from both ends.
    pub fn new(base: &Text<'a>, now: &Text<'a>) -> Self {
        let base: Vec<&[u8]> = base.lines().map(|line| trim_end(line.text)).collect();
        let now: Vec<&[u8]> = now.lines().map(|line| trim_end(line.text)).collect();
        let prefix = base.iter().zip(&now).take_while(|(a, b)| a == b).count();
        let suffix = base.iter().rev().zip(now.iter().rev()).take_while(|(a, b)| a == b).count();
        Self { base, now, prefix, suffix, indexes: None, spent: 0 }
    }

    /// Where the base's lines `start..end` (an insertion point when empty) begin in the file now.
    pub fn locate(&mut self, start: usize, end: usize) -> Result<usize, Unproven> {
        let (base, now) = (self.base.len(), self.now.len());
        let (low, high) = self.window(start as isize, end as isize);
        let whole = base == now && self.prefix == base;
        let by_start = if high < base as isize { high < self.prefix as isize } else { whole };
        let by_end = if low >= 0 { low >= (base - self.suffix) as isize } else { whole };
        match (by_start, by_end) {
            (true, true) if base != now => Err(Unproven::Repeated),
            (true, _) => Ok(start),
            (_, true) => Ok(start + now - base),
            _ => {
                let indexes = self.indexes.take().unwrap_or_else(|| (Index::new(&self.base), Index::new(&self.now)));
                let found = self.search(&indexes, (low, high));
                self.indexes = Some(indexes);
                found.and_then(|shift| usize::try_from(start as isize + shift).map_err(|_| Unproven::Changed))
            }
        }
    }

    /// The smallest window around `start..end` that is worth comparing. The file's edges (-1 and the line count) tell
    /// as much as any line.
    fn window(&self, start: isize, end: isize) -> (isize, isize) {
        let edge = self.base.len() as isize;
        let tells = |at: isize| usize::from(at < 0 || at >= edge || is_telling(self.base_line(at)));
        let (mut low, mut high) = (start - 1, end);
        let mut telling: usize = (low..=high).map(tells).sum();
        while telling < 2 && (low >= 0 || high < edge) {
            if low >= 0 {
                low -= 1;
                telling += tells(low);
            }
            if high < edge {
                high += 1;
                telling += tells(high);
            }
        }
        (low, high)
    }

    /// The shift from base to file, by widening the window `low..=high` until it is unique in both. -1 and the line
    /// count stand for the edges of the file.
    fn search(
        &mut self,
        (in_base, in_now): &(Index<'a>, Index<'a>),
        (mut low, mut high): (isize, isize),
    ) -> Result<isize, Unproven> {
        // Starting from the rarest line keeps the number of candidates small; the first of equals is taken.
        let real = low.max(0)..=high.min(self.base.len() as isize - 1);
        let Some(pivot) = real.min_by_key(|&at| in_now.count(self.base_line(at))) else {
            return Err(Unproven::Changed);
        };
        let line = self.base_line(pivot);
        let mut here: Vec<isize> = in_now.places(line).map(|at| at - pivot).collect();
        let mut before: Vec<isize> = in_base.places(line).map(|at| at - pivot).collect();
        for at in low..=high {
            here = self.keep(here, at, false)?;
            before = self.keep(before, at, true)?;
        }
        if here.is_empty() {
            return Err(Unproven::Changed);
        }
        let (mut up, mut down) = (true, true);
        while here.len() != 1 || before.len() != 1 {
            up = up && low >= 0;
            down = down && high < self.base.len() as isize;
            if !up && !down {
                return Err(Unproven::Repeated);
            }
            for (open, edge, step) in [(&mut up, &mut low, -1), (&mut down, &mut high, 1)] {
                if !*open {
                    continue;
                }
                let wider = self.keep(here.clone(), *edge + step, false)?;
                // The surroundings changed on this side: it can tell nothing more, the other side still may.
                *open = !wider.is_empty();
                if *open {
                    *edge += step;
                    here = wider;
                    before = self.keep(before, *edge, true)?;
                }
            }
        }
        here.first().copied().ok_or(Unproven::Changed)
    }

    /// The shifts at which line `at` of the base is found again.
    fn keep(&mut self, mut shifts: Vec<isize>, at: isize, in_base: bool) -> Result<Vec<isize>, Unproven> {
        self.spent += shifts.len();
        if self.spent > BUDGET {
            return Err(Unproven::Repeated);
        }
        let lines = if in_base { &self.base } else { &self.now };
        let (edge, other_edge) = (self.base.len() as isize, lines.len() as isize);
        shifts.retain(|shift| {
            let other = at + shift;
            if at < 0 {
                other == -1
            } else if at >= edge {
                other == other_edge
            } else {
                usize::try_from(other).ok().and_then(|other| lines.get(other)) == Some(&self.base_line(at))
            }
        });
        Ok(shifts)
    }

    fn base_line(&self, at: isize) -> &'a [u8] {
        usize::try_from(at).ok().and_then(|at| self.base.get(at)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate(base: &str, now: &str, start: usize, end: usize) -> Result<usize, Unproven> {
        let (base, now) = (base.replace(' ', "\n"), now.replace(' ', "\n"));
        Locator::new(&Text::new(base.as_bytes()), &Text::new(now.as_bytes())).locate(start, end)
    }

    #[test]
    fn lines_above_and_below_other_changes_are_found() {
        assert_eq!(locate("a b c d e", "x a b c d e", 2, 3), Ok(3));
        assert_eq!(locate("a b c d e", "a b c d e x", 2, 3), Ok(2));
        assert_eq!(locate("a b c d e f", "x a b c d e y f", 2, 3), Ok(3));
    }

    #[test]
    fn a_changed_line_or_a_changed_neighbour_is_not_found() {
        assert_eq!(locate("a b c d e", "x a b C d y", 2, 3), Err(Unproven::Changed));
        assert_eq!(locate("a b c d e", "x a B c d y", 2, 3), Err(Unproven::Changed));
        assert_eq!(locate("a b c d e", "x a b c D y", 2, 3), Err(Unproven::Changed));
    }

    #[test]
    fn repeated_lines_are_refused_rather_than_guessed() {
        assert_eq!(locate("a a a", "a a a a", 1, 2), Err(Unproven::Repeated));
        assert_eq!(locate("p q r p q r s", "x p q r t", 1, 2), Err(Unproven::Repeated));
        assert_eq!(locate("p q r s", "x p q r y p q r z", 1, 2), Err(Unproven::Repeated));
    }

    #[test]
    fn wider_surroundings_tell_twins_apart() {
        assert_eq!(locate("0 p q r 1 p q r 2 3", "x 0 p q r 1 p q r 2 y 3 z", 6, 7), Ok(7));
    }

    #[test]
    fn punctuation_alone_proves_nothing() {
        assert_eq!(locate("f 1 } { g 2 } h", "g 2 } { f 1 } h", 3, 3), Err(Unproven::Changed));
        assert_eq!(locate("0 f 1 } { g 2 } h", "f 1 } { g 2 } x", 4, 4), Ok(3));
    }

    #[test]
    fn the_edges_of_the_file_count_as_surroundings() {
        assert_eq!(locate("a b c", "a b x", 0, 1), Ok(0));
        assert_eq!(locate("a b c d", "x b c d", 3, 4), Ok(3));
        assert_eq!(locate("a b c d", "x a b y d", 0, 1), Err(Unproven::Changed));
    }
}
