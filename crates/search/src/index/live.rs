//! An index in use: which of its files are still as they were.
//!
//! The kernel tells which files were written, created, moved or removed since the last question; those are read by each search until the
//! index is built anew. When the kernel cannot tell (folders came, went or moved, events were lost, no watches are left), every
//! file is asked for its stamp, which takes a fraction of reading it. That also happens from time to time all the same, for
//! what no event tells: writes through a memory mapping, or through a second name in a folder elsewhere.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tenon_cancel::{CancelToken, Cancelled};
use tenon_scan::{ChangeWatch, Changes, bytes_of, pool};
use xxhash_rust::xxh3::xxh3_64;

use super::build::OVERLAP;
use super::disk::{Doc, DocKind, IndexFile};
use super::grams::grams;
use super::query::{Query, Strings};
use super::stamp::FolderStats;
use crate::select::Selection;
use crate::verdict::{Bytes, Filter, TextPart, Verdict};

/// What no event tells is noticed after this time.
const RECHECK: Duration = Duration::from_secs(30);
/// Neighbours are looked at together up to this size: it stays in the processor's second cache.
const LARGEST_PART: usize = 96 << 10;
/// Files per task when all are asked for their stamps.
const FILES_PER_TASK: usize = 1_024;

/// The hash of a path is a good one already.
#[derive(Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// What is searched for.
pub(crate) struct Wanted<'a> {
    pub query: &'a Query,
    /// Whether the case of the query's strings counts.
    pub is_exact: bool,
    /// Whether a match may go beyond a line.
    pub is_multiline: bool,
    /// Bytes that no match holds.
    pub between: &'a Bytes,
    /// Larger files are reported, so they must be looked at.
    pub file_bytes: usize,
}

/// An index with what is known about its files now.
pub(crate) struct Live {
    root: PathBuf,
    file: IndexFile,
    by_path: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
    /// The first and the last file of each block.
    files_of_block: Vec<(u32, u32)>,
    /// For each block the one in which the line at its start began; most begin with a line.
    line_of_block: Vec<u32>,
    is_changed: Vec<bool>,
    changed: usize,
    watch: Option<ChangeWatch>,
    asked_all: Option<Instant>,
    recent: Option<Places>,
    is_damaged: bool,
}

/// Where a line that matches may be: it has a byte in this block, and one of the strings of this number stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hint {
    block: u32,
    strings: u32,
}

/// Where the files of a selection are in the index; most searches are about the same files.
struct Places {
    selection: Weak<Selection>,
    root: PathBuf,
    /// `UNKNOWN` for files that the index has never seen.
    docs: Vec<u32>,
    unknown: usize,
}

const UNKNOWN: u32 = u32::MAX;

impl Live {
    pub fn new(root: &Path, file: IndexFile) -> Self {
        let by_path = (0..file.len()).map(|doc| (xxh3_64(file.path(doc)), doc as u32)).collect();
        let is_changed = vec![false; file.len()];
        let mut files_of_block = vec![(UNKNOWN, 0); file.blocks()];
        for doc in 0..file.len() {
            let Doc { block, blocks, .. } = file.doc(doc);
            let own = (block as usize)..(block as usize).saturating_add(blocks as usize).min(files_of_block.len());
            for (first, last) in files_of_block.get_mut(own).unwrap_or_default() {
                (*first, *last) = ((*first).min(doc as u32), doc as u32);
            }
        }
        let mut line_of_block: Vec<u32> = (0..file.blocks() as u32).collect();
        for block in 1..file.blocks() {
            if file.start(block).is_inside_a_line() {
                line_of_block[block] = line_of_block[block - 1];
            }
        }
        Self {
            root: root.to_owned(),
            file,
            by_path,
            files_of_block,
            line_of_block,
            is_changed,
            changed: 0,
            watch: None,
            asked_all: None,
            recent: None,
            is_damaged: false,
        }
    }

    /// Was the file of the index cut or overwritten? It can tell nothing any more.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// How many files the index has, and how many of them it no longer knows.
    pub fn counts(&self) -> (usize, usize) {
        (self.file.len(), self.changed)
    }

    /// Which files of a selection below `root` a search must read.
    pub fn filter(
        &mut self,
        root: &Path,
        selection: &Arc<Selection>,
        &Wanted { query, is_exact, is_multiline, between, file_bytes: most }: &Wanted<'_>,
        cancel: &CancelToken,
    ) -> Result<Option<Filter>, Cancelled> {
        let mut strings = Vec::new();
        let hints = self.hints_for(query, is_multiline, &mut strings);
        self.is_damaged = !self.file.is_whole();
        let Some(hints) = hints.filter(|_| !self.is_damaged) else { return Ok(None) };
        let mut is_found = vec![false; self.file.len()];
        for hint in &hints {
            let Some((first, last)) = self.files_of_block.get(hint.block as usize) else { return Ok(None) };
            let Some(files) = is_found.get_mut(*first as usize..=*last as usize) else { return Ok(None) };
            files.fill(true);
        }
        self.refresh(cancel)?;
        let Some(places) =
            self.recent.take().filter(|known| known.is_of(root, selection)).or_else(|| self.places(root, selection))
        else {
            return Ok(None);
        };
        let verdict = |doc: &u32| {
            if *doc == UNKNOWN || self.is_changed[*doc as usize] {
                return Verdict::Read;
            }
            let known = self.file.doc(*doc as usize);
            match known.kind {
                _ if known.stamp.size > most as u64 => Verdict::Read,
                DocKind::Always => Verdict::Read,
                DocKind::Binary => Verdict::Binary,
                DocKind::Text if is_found[*doc as usize] => Verdict::Read,
                DocKind::Text => Verdict::NoMatch,
            }
        };
        let verdicts: Vec<Verdict> = places.docs.iter().map(verdict).collect();
        let parts_of = |(file, verdict): (usize, &Verdict)| {
            let doc = places.docs[file] as usize;
            let is_known = *verdict == Verdict::Read && !is_multiline && self.is_changed.get(doc) == Some(&false);
            let known = self.file.doc(is_known.then_some(doc)?);
            // One that is reported for its size is not looked at.
            Some((file, self.parts(&hints, (known.stamp.size <= most as u64).then_some(known)?)?))
        };
        let parts = verdicts.iter().enumerate().filter_map(parts_of).collect();
        // Strings in any case are found no sooner than lines that match.
        let filter =
            Filter::new(verdicts, parts, if is_exact { &strings } else { &[] }, between.clone(), places.unknown);
        self.recent = Some(places);
        Ok(Some(filter))
    }

    /// Where to look in a large file.
    fn parts(&self, hints: &[Hint], doc: Doc) -> Option<Vec<TextPart>> {
        if doc.kind != DocKind::Text || doc.blocks < 2 {
            return None;
        }
        let blocks = doc.block..doc.block.checked_add(doc.blocks)?;
        let first = hints.partition_point(|hint| hint.block < blocks.start);
        let mut parts: Vec<TextPart> = Vec::new();
        for hint in hints[first..].iter().take_while(|hint| hint.block < blocks.end) {
            let start = self.file.start(hint.block as usize).offset();
            let next = hint.block + 1;
            // Of the last one only the size of the file tells the end, in bytes that may be those of another encoding.
            let end = if next < blocks.end { self.file.start(next as usize).offset() } else { doc.stamp.size as usize };
            let end = end.checked_add(OVERLAP)?;
            match parts.last_mut() {
                Some(part)
                    if part.strings == hint.strings
                        && part.range.end >= start
                        && end - part.range.start < LARGEST_PART =>
                {
                    part.range.end = end;
                }
                _ => parts.push(TextPart { range: start..end.max(start), strings: hint.strings }),
            }
        }
        Some(parts)
    }

    /// Where lines that match may be, in order; none when they may be anywhere. `strings` takes what the hints are about.
    fn hints_for(&self, query: &Query, is_multiline: bool, strings: &mut Vec<Strings>) -> Option<Vec<Hint>> {
        match query {
            Query::All => None,
            Query::Near(one_of) => {
                let number = strings.len() as u32;
                strings.push(one_of.clone());
                let blocks = self.file.blocks_with_one_of(&gram_sets(one_of))?;
                Some(blocks.into_iter().map(|block| Hint { block, strings: number }).collect())
            }
            Query::And(parts) => {
                let hints: Vec<_> =
                    parts.iter().filter_map(|part| self.hints_for(part, is_multiline, strings)).collect();
                hints.into_iter().reduce(|all, part| self.both(&all, &part, is_multiline))
            }
            Query::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.hints_for(part, is_multiline, strings)?);
                }
                all.sort_unstable();
                all.dedup();
                Some(all)
            }
        }
    }

    /// Both must be true of one line, or of one file. Where that may be, the hints of one of them are enough: the fewer.
    fn both(&self, one: &[Hint], other: &[Hint], is_multiline: bool) -> Vec<Hint> {
        let place = |hint: &Hint| {
            let block = hint.block as usize;
            match self.files_of_block.get(block) {
                Some((file, _)) if is_multiline => self.file.doc(*file as usize).block,
                _ => self.line_of_block.get(block).copied().unwrap_or(hint.block),
            }
        };
        let mut others = other.chunk_by(|a, b| place(a) == place(b)).peekable();
        let mut all = Vec::new();
        for here in one.chunk_by(|a, b| place(a) == place(b)) {
            let at = place(&here[0]);
            while others.next_if(|there| place(&there[0]) < at).is_some() {}
            if let Some(there) = others.next_if(|there| place(&there[0]) == at) {
                all.extend_from_slice(if there.len() < here.len() { there } else { here });
            }
        }
        all
    }

    /// Looks every file of a selection up.
    fn places(&self, root: &Path, selection: &Arc<Selection>) -> Option<Places> {
        let mut path = bytes_of(root.strip_prefix(&self.root).ok()?).to_owned();
        if !path.is_empty() {
            path.push(b'/');
        }
        let base = path.len();
        let docs: Vec<u32> = (0..selection.len())
            .map(|file| {
                path.truncate(base);
                selection.push_path(file, &mut path);
                self.find(&path).map_or(UNKNOWN, |doc| doc as u32)
            })
            .collect();
        let unknown = docs.iter().filter(|doc| **doc == UNKNOWN).count();
        Some(Places { selection: Arc::downgrade(selection), root: root.to_owned(), docs, unknown })
    }

    fn find(&self, path: &[u8]) -> Option<usize> {
        let doc = *self.by_path.get(&xxh3_64(path))? as usize;
        (self.file.path(doc) == path).then_some(doc)
    }

    fn refresh(&mut self, cancel: &CancelToken) -> Result<(), Cancelled> {
        match self.watch.as_ref().map(ChangeWatch::changes) {
            Some(Changes::Files(paths)) => {
                for path in paths {
                    if let Some(doc) = self.find(&path) {
                        self.mark(doc);
                    }
                }
            }
            _ => self.watch_anew(),
        }
        let is_due = self.watch.is_none() || self.asked_all.is_none_or(|at| at.elapsed() > RECHECK);
        if is_due { self.ask_all(cancel) } else { Ok(()) }
    }

    /// Watches first and asks afterwards, so that nothing can happen in between unseen.
    fn watch_anew(&mut self) {
        let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
        for doc in 0..self.file.len() {
            let mut folder = parent(self.file.path(doc));
            while !folder.is_empty() && folders.insert(folder) {
                folder = parent(folder);
            }
        }
        let folders: Vec<&[u8]> = folders.into_iter().collect();
        self.watch = ChangeWatch::new(&self.root, folders.into_iter());
        self.asked_all = None;
    }

    fn ask_all(&mut self, cancel: &CancelToken) -> Result<(), Cancelled> {
        let root = bytes_of(&self.root);
        let (file, is_changed) = (&self.file, &self.is_changed);
        let task = |first: usize| -> Result<Vec<usize>, Cancelled> {
            cancel.heartbeat()?;
            let mut folders = FolderStats::default();
            let (mut number, mut open): (u32, &[u8]) = (0, &[]);
            let docs = first..(first + FILES_PER_TASK).min(file.len());
            Ok(docs
                .filter(|doc| {
                    let path = file.path(*doc);
                    let folder = parent(path);
                    if folder != open {
                        (number, open) = (number + 1, folder);
                    }
                    let name = path.get(if folder.is_empty() { 0 } else { folder.len() + 1 }..).unwrap_or_default();
                    let place = || [root, b"/", folder].concat();
                    !is_changed[*doc] && folders.stat(number, place, name) != Some(file.doc(*doc).stamp)
                })
                .collect())
        };
        let starts: Vec<usize> = (0..file.len()).step_by(FILES_PER_TASK).collect();
        let found: Vec<Vec<usize>> = match pool() {
            Some(pool) => pool.install(|| starts.into_par_iter().map(task).collect::<Result<_, _>>())?,
            None => starts.into_iter().map(task).collect::<Result<_, _>>()?,
        };
        for doc in found.into_iter().flatten() {
            self.mark(doc);
        }
        self.asked_all = Some(Instant::now());
        Ok(())
    }

    fn mark(&mut self, doc: usize) {
        self.changed += usize::from(!std::mem::replace(&mut self.is_changed[doc], true));
    }
}

impl Places {
    fn is_of(&self, root: &Path, selection: &Arc<Selection>) -> bool {
        std::ptr::eq(self.selection.as_ptr(), Arc::as_ptr(selection)) && self.root == root
    }
}

/// The trigrams of each string.
fn gram_sets(strings: &[Vec<u8>]) -> Vec<Vec<u32>> {
    let mut sets: Vec<Vec<u32>> = strings
        .iter()
        .map(|string| {
            let mut set: Vec<u32> = grams(string).collect();
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}
