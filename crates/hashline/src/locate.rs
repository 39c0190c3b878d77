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
//! 2. the window is found in the file.
//!
//! Either way, wherever else the edit's lines are (or were), the surroundings must fit worse on *both* sides. One side
//! proves nothing: a block that was copied beside itself fits one way at its start and the other way at its end. Only
//! lines that are known to be others, because they belong to the unchanged start or end, are no rivals.
//!
//! "Unchanged" ignores trailing blanks and line endings, as anchors do.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh64::xxh64;

use crate::anchor::{is_telling, trim_end};
use crate::text::Text;

/// Line comparisons that one patch may spend; beyond it the text is too repetitive to be worth proving.
const BUDGET: usize = 4_000_000;

/// How many lines on each side tell two places apart; blocks that are equal for longer are not told apart.
const REACH: isize = 400;

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
        if whole {
            return Ok(start);
        }
        let by_start = high < base as isize && high < self.prefix as isize;
        let by_end = low >= 0 && low >= (base - self.suffix) as isize;
        if by_start && by_end && base != now {
            return Err(Unproven::Repeated);
        }
        let indexes = self.indexes.take().unwrap_or_else(|| (Index::new(&self.base), Index::new(&self.now)));
        let range = (start as isize, end as isize);
        let found = if by_start {
            self.unrivalled(&indexes, range, &[start as isize])
        } else if by_end {
            self.unrivalled(&indexes, range, &[(start + now - base) as isize])
        } else {
            self.places_of_window(&indexes, range, (low, high))
                .and_then(|places| self.unrivalled(&indexes, range, &places))
        };
        self.indexes = Some(indexes);
        found.and_then(|place| usize::try_from(place).map_err(|_| Unproven::Changed))
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

    /// Where the range could be now: wherever the whole window `low..=high` is. -1 and the line count stand for the edges
    /// of the file.
    fn places_of_window(
        &mut self,
        (_, in_now): &(Index<'a>, Index<'a>),
        (start, _): (isize, isize),
        (low, high): (isize, isize),
    ) -> Result<Vec<isize>, Unproven> {
        // Starting from the rarest line keeps the number of candidates small; the first of equals is taken.
        let real = low.max(0)..=high.min(self.base.len() as isize - 1);
        let Some(pivot) = real.min_by_key(|&at| in_now.count(self.base_line(at))) else {
            return Err(Unproven::Changed);
        };
        let mut shifts: Vec<isize> = in_now.places(self.base_line(pivot)).map(|at| at - pivot).collect();
        for at in low..=high {
            shifts = self.keep(shifts, at, false)?;
        }
        if shifts.is_empty() {
            return Err(Unproven::Changed);
        }
        Ok(shifts.into_iter().map(|shift| start + shift).collect())
    }

    /// The one of `places` that the range belongs to, because all that reads alike, then or now, fits worse there.
    fn unrivalled(
        &mut self,
        (in_base, in_now): &(Index<'a>, Index<'a>),
        (start, end): (isize, isize),
        places: &[isize],
    ) -> Result<isize, Unproven> {
        let rivals = self.occurrences(in_now, (start, end), false)?;
        let twins = self.occurrences(in_base, (start, end), true)?;
        let shift = self.now.len() as isize - self.base.len() as isize;
        let overlap = (self.prefix + self.suffix).saturating_sub(self.base.len().min(self.now.len()));
        let (sure_start, sure_end) = ((self.prefix - overlap) as isize, (self.suffix - overlap) as isize);
        let length = end - start;
        let mut proven = Vec::new();
        for &place in places {
            let own = self.fit((start, end), place)?;
            let mut is_proven = true;
            for &rival in &rivals {
                let known_above = rival + length < sure_start && rival != start;
                let known_below = rival > self.now.len() as isize - sure_end && rival - shift != start;
                if rival == place || known_above || known_below || !is_proven {
                    continue;
                }
                is_proven = is_worse(self.fit((start, end), rival)?, own);
            }
            for &twin in &twins {
                let known_above = twin + length < sure_start && twin != place;
                let known_below = twin > self.base.len() as isize - sure_end && twin + shift != place;
                if twin == start || known_above || known_below || !is_proven {
                    continue;
                }
                is_proven = is_worse(self.fit((twin, twin + length), place)?, own);
            }
            if is_proven {
                proven.push(place);
            }
        }
        match proven[..] {
            [only] => Ok(only),
            _ => Err(Unproven::Repeated),
        }
    }

    /// All places of the range's lines; for an insertion point, of the two lines around it.
    fn occurrences(
        &mut self,
        index: &Index<'a>,
        (start, end): (isize, isize),
        in_base: bool,
    ) -> Result<Vec<isize>, Unproven> {
        let (low, high) = if start == end { (start - 1, end) } else { (start, end - 1) };
        // An edge has one place only.
        let pivot = low.max(0);
        let mut shifts: Vec<isize> = index.places(self.base_line(pivot)).map(|at| at - pivot).collect();
        if pivot >= self.base.len() as isize {
            shifts = vec![0];
        }
        for at in low..=high {
            shifts = self.keep(shifts, at, in_base)?;
        }
        Ok(shifts.into_iter().map(|shift| start + shift).collect())
    }

    /// How far the surroundings of base lines and of a place in the file are the same, above and below.
    fn fit(&mut self, (start, end): (isize, isize), place: isize) -> Result<(isize, isize), Unproven> {
        let same = |at: isize, other: isize| {
            let edge = (self.base.len() as isize, self.now.len() as isize);
            if at < 0 || other < 0 || at >= edge.0 || other >= edge.1 {
                return (at < 0 && other < 0) || (at >= edge.0 && other >= edge.1);
            }
            self.base_line(at)
                == usize::try_from(other).ok().and_then(|other| self.now.get(other)).copied().unwrap_or_default()
        };
        let mut above = 0;
        while above < REACH && start - above >= 0 && same(start - 1 - above, place - 1 - above) {
            above += 1;
        }
        let mut below = 0;
        let after = place + end - start;
        while below < REACH && end + below <= self.base.len() as isize && same(end + below, after + below) {
            below += 1;
        }
        self.spent += (above + below) as usize + 1;
        if self.spent > BUDGET { Err(Unproven::Repeated) } else { Ok((above, below)) }
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

/// Whether a rival's surroundings fit worse than the place's own, on both sides.
fn is_worse(rival: (isize, isize), own: (isize, isize)) -> bool {
    rival.0 < own.0 && rival.1 < own.1
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
    fn a_block_copied_beside_itself_is_refused_also_when_only_one_side_proves_it() {
        assert_eq!(locate("0 a b c d e 9", "0 a b c b c d e 9", 3, 4), Err(Unproven::Repeated));
        assert_eq!(locate("0 a b c d e 9", "x a b c d b c d e 9", 3, 4), Err(Unproven::Repeated));
        assert_eq!(locate("0 a b c d e 9", "0 a b c d b c d e x", 3, 4), Err(Unproven::Repeated));
        assert_eq!(locate("0 a b c d e 9", "x a b c d b c d e y", 3, 4), Err(Unproven::Repeated));
        assert_eq!(locate("0 a b c d b c d e 9", "x a b c d e 9", 6, 7), Err(Unproven::Repeated));
    }

    #[test]
    fn a_copy_far_away_is_no_reason_to_refuse() {
        assert_eq!(locate("0 a b c d e 6 7 8 9", "x a b c d e 6 7 b c d 8 9", 3, 4), Ok(3));
        assert_eq!(locate("0 1 } 2 3 } 4 5", "0 1 } 2 3 } x 4 5", 5, 6), Err(Unproven::Changed));
        assert_eq!(locate("0 1 } 2 3 } 4 5", "0 1 } 2 3 } 4 x", 5, 6), Ok(5));
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
