//! `fuzzy_find`: the paths a person most likely means by a few typed letters.
//!
//! Every word of the query must appear in the path as a subsequence. Among all ways to place it, the best placement
//! counts: letters in the file name weigh more than letters in folders, a letter that starts a word (`fooBar`,
//! `foo-bar`, `foo/bar`) more than one inside it, neighbours more than scattered ones. A word that *is* the name,
//! its stem, its beginning or a folder's name gets a bonus on top. Ties go to the shorter path, then to path order.
//!
//! The scores are integers and the steps are fixed, because the JavaScript twin must rank the same.

use std::ops::ControlFlow;
use std::path::PathBuf;

use tenon_cancel::CancelToken;

use crate::cache::{Scan, Scanner};
use crate::error::ScanError;
use crate::paths::text_of;
use crate::snapshot::Kind;
use crate::walk::Policy;

const MATCHED: i32 = 16;
const SAME_CASE: i32 = 1;
const IN_NAME: i32 = 3;
const NEIGHBOUR: i32 = 9;
const GAP_OPENS: i32 = 3;
const GAP_GROWS: i32 = 1;
const NAME_START: i32 = 14;
const FOLDER_START: i32 = 10;
const WORD_START: i32 = 8;
const HUMP: i32 = 7;
const NUMBER_START: i32 = 5;
const WHOLE_PATH: i32 = 96;
const WHOLE_NAME: i32 = 64;
const WHOLE_STEM: i32 = 48;
const NAME_PREFIX: i32 = 32;
const WHOLE_FOLDER: i32 = 24;
const IMPOSSIBLE: i32 = i32::MIN / 2;

/// A question for [`fuzzy_find`].
#[derive(Debug, Clone)]
pub struct FuzzyRequest {
    /// The folder to look in.
    pub root: PathBuf,
    /// Words separated by blanks; all must match.
    pub query: String,
    /// What to walk.
    pub policy: Policy,
    /// May the answer come from the cache?
    pub cache: bool,
    /// Only entries of this kind.
    pub kind: Option<Kind>,
    /// At most this many hits.
    pub limit: usize,
}

/// One ranked path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyHit {
    /// Relative to the root, as shown.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Higher is better; only comparable within one query.
    pub score: i32,
}

/// The answer of [`fuzzy_find`].
#[derive(Debug, Default)]
pub struct FuzzyOutcome {
    /// Best first.
    pub hits: Vec<FuzzyHit>,
    /// How many paths matched before the limit.
    pub total: usize,
    /// The scan that the answer was taken from.
    pub scan: Option<Scan>,
}

/// Ranks the entries of a tree by a query.
pub fn fuzzy_find(scanner: &Scanner, request: &FuzzyRequest, cancel: &CancelToken) -> Result<FuzzyOutcome, ScanError> {
    let scan = scanner.scan(&request.root, request.policy, request.cache, cancel)?;
    let outcome = rank(request, scan, cancel)?;
    let retry = outcome.total == 0 && !request.query.trim().is_empty();
    if retry && let Some(fresh) = scanner.recheck(&request.root, request.policy, outcome.scan.as_ref(), cancel)? {
        return rank(request, fresh, cancel);
    }
    Ok(outcome)
}

fn rank(request: &FuzzyRequest, scan: Scan, cancel: &CancelToken) -> Result<FuzzyOutcome, ScanError> {
    let mut needle = Needle::new(&request.query);
    // Score, length and order decide; the path is only kept, not compared.
    let mut found: Vec<(i32, usize, usize, FuzzyHit)> = Vec::new();
    let (mut order, mut total) = (0, 0);
    let most = request.limit.saturating_mul(2).max(1024);
    let stopped = scan.snapshot.visit(|entry| {
        order += 1;
        if order % 1024 == 0
            && let Err(reason) = cancel.heartbeat()
        {
            return ControlFlow::Break(reason);
        }
        if request.kind.is_some_and(|kind| kind != entry.kind) {
            return ControlFlow::Continue(());
        }
        let path = text_of(entry.path);
        if let Some((score, length)) = needle.score(&path) {
            total += 1;
            found.push((score, length, order, FuzzyHit { path: path.into_owned(), kind: entry.kind, score }));
            if found.len() >= most {
                keep_best(&mut found, request.limit);
            }
        }
        ControlFlow::Continue(())
    });
    if let ControlFlow::Break(reason) = stopped {
        return Err(reason.into());
    }
    keep_best(&mut found, request.limit);
    Ok(FuzzyOutcome { hits: found.into_iter().map(|(.., hit)| hit).collect(), total, scan: Some(scan) })
}

fn keep_best(found: &mut Vec<(i32, usize, usize, FuzzyHit)>, limit: usize) {
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    found.truncate(limit);
}

/// A query ready to score paths; keeps its tables between them.
#[derive(Debug)]
pub struct Needle {
    words: Vec<Vec<(char, char)>>,
    path: Vec<char>,
    folded: Vec<char>,
    bonus: Vec<i32>,
    above: Vec<i32>,
    row: Vec<i32>,
}

impl Needle {
    /// Splits the query at blanks; a backslash stands for the separator.
    pub fn new(query: &str) -> Self {
        let words = query
            .split_whitespace()
            .map(|word| {
                word.chars().map(|typed| if typed == '\\' { '/' } else { typed }).map(|c| (c, fold(c))).collect()
            })
            .collect();
        Self { words, path: vec![], folded: vec![], bonus: vec![], above: vec![], row: vec![] }
    }

    /// The score of a path and its length in characters, or nothing when a word does not match.
    pub fn score(&mut self, path: &str) -> Option<(i32, usize)> {
        self.path.clear();
        self.path.extend(path.chars());
        self.folded.clear();
        self.folded.extend(self.path.iter().map(|c| fold(*c)));
        if !self.words.iter().all(|word| is_subsequence(word, &self.folded)) {
            return None;
        }
        let name_at = self.path.iter().rposition(|c| *c == '/').map_or(0, |at| at + 1);
        self.fill_bonus(name_at);
        let words = std::mem::take(&mut self.words);
        let total = words.iter().map(|word| self.place(word, name_at) + self.whole(word, name_at)).sum();
        self.words = words;
        Some((total, self.path.len()))
    }

    fn fill_bonus(&mut self, name_at: usize) {
        self.bonus.clear();
        for (at, current) in self.path.iter().enumerate() {
            let before = if at == 0 { '/' } else { self.path[at - 1] };
            self.bonus.push(if at == name_at {
                NAME_START
            } else if before == '/' {
                FOLDER_START
            } else if before.is_ascii() && !before.is_ascii_alphanumeric() {
                WORD_START
            } else if before.is_ascii_lowercase() && current.is_ascii_uppercase() {
                HUMP
            } else if !before.is_ascii_digit() && current.is_ascii_digit() {
                NUMBER_START
            } else {
                0
            });
        }
    }

    /// The best placement of one word. `row[j]` is the best score with the current letter at `j`.
    fn place(&mut self, word: &[(char, char)], name_at: usize) -> i32 {
        let length = self.path.len();
        self.above.clear();
        self.above.resize(length, IMPOSSIBLE);
        for (letter, (typed, folded)) in word.iter().enumerate() {
            self.row.clear();
            self.row.resize(length, IMPOSSIBLE);
            let mut gap = IMPOSSIBLE;
            for at in letter..length {
                // `gap`: the best score of the letters before, with at least one character skipped since.
                if at >= 2 {
                    gap = (gap - GAP_GROWS).max(self.above[at - 2] - GAP_OPENS);
                }
                if self.folded[at] != *folded {
                    continue;
                }
                let base = MATCHED
                    + if self.path[at] == *typed { SAME_CASE } else { 0 }
                    + if at >= name_at { IN_NAME } else { 0 };
                let bonus = self.bonus[at];
                self.row[at] = if letter == 0 {
                    base + bonus
                } else {
                    let neighbour = if at == 0 { IMPOSSIBLE } else { self.above[at - 1] + bonus.max(NEIGHBOUR) };
                    base + neighbour.max(gap + bonus)
                };
            }
            std::mem::swap(&mut self.above, &mut self.row);
        }
        self.above.iter().copied().max().unwrap_or(0).max(if word.is_empty() { 0 } else { IMPOSSIBLE })
    }

    fn whole(&self, word: &[(char, char)], name_at: usize) -> i32 {
        let same = |part: &[char]| part.len() == word.len() && part.iter().zip(word).all(|(c, (_, w))| c == w);
        let (path, name) = (&self.folded, &self.folded[name_at..]);
        let stem = name.iter().rposition(|c| *c == '.').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
        let tail_at = path.len().saturating_sub(word.len());
        if same(path) {
            WHOLE_PATH
        } else if same(name) || (tail_at > 0 && path[tail_at - 1] == '/' && same(&path[tail_at..])) {
            WHOLE_NAME
        } else if same(stem) {
            WHOLE_STEM
        } else if name.len() > word.len() && same(&name[..word.len()]) {
            NAME_PREFIX
        } else if path.split(|c| *c == '/').any(same) {
            WHOLE_FOLDER
        } else {
            0
        }
    }
}

/// Lower case where that is one character, so that positions stay what they are.
fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

fn is_subsequence(word: &[(char, char)], path: &[char]) -> bool {
    let mut rest = path.iter();
    word.iter().all(|(_, folded)| rest.any(|c| c == folded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn best<'a>(query: &str, paths: &[&'a str]) -> &'a str {
        let mut needle = Needle::new(query);
        let mut ranked: Vec<(i32, usize, &str)> =
            paths.iter().filter_map(|path| needle.score(path).map(|(score, len)| (score, len, *path))).collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.first().map_or("", |hit| hit.2)
    }

    #[test]
    fn the_file_name_beats_the_folder() {
        assert_eq!(best("kernel", &["kernel/src/index.ts", "src/kernel.ts"]), "src/kernel.ts");
        assert_eq!(best("test", &["test/a/b.ts", "src/test.ts"]), "src/test.ts");
    }

    #[test]
    fn word_starts_beat_letters_inside_words() {
        assert_eq!(best("fb", &["src/affable.ts", "src/fooBar.ts"]), "src/fooBar.ts");
        assert_eq!(best("sc", &["src/discard.ts", "lib/scan-cache.ts"]), "lib/scan-cache.ts");
    }

    #[test]
    fn an_exact_name_beats_a_longer_one_and_a_stem_beats_a_prefix() {
        assert_eq!(best("index.ts", &["src/index.tsx", "a/b/c/index.ts"]), "a/b/c/index.ts");
        assert_eq!(best("scan", &["src/scanner.ts", "src/deep/down/scan.ts"]), "src/deep/down/scan.ts");
    }

    #[test]
    fn all_words_must_match_in_any_order() {
        let mut needle = Needle::new("test scan");
        assert!(needle.score("scan/walk.test.ts").is_some());
        assert!(needle.score("scan/walk.ts").is_none());
    }

    #[test]
    fn ties_go_to_the_shorter_path() {
        assert_eq!(best("main", &["packages/a/main.rs", "main.rs"]), "main.rs");
    }

    proptest! {
        #[test]
        fn a_subsequence_always_scores_and_anything_else_never_does(path in "[a-cA-C/._-]{1,20}", query in "[a-c/.]{1,4}") {
            let folded: Vec<char> = path.chars().map(fold).collect();
            let word: Vec<(char, char)> = query.chars().map(|c| (c, fold(c))).collect();
            let scored = Needle::new(&query).score(&path);
            prop_assert_eq!(scored.is_some(), is_subsequence(&word, &folded));
            if let Some((score, _)) = scored {
                prop_assert!(score > IMPOSSIBLE / 2);
            }
        }
    }
}
