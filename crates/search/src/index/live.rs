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

use super::disk::{Doc, DocKind, IndexFile};
use super::query::Query;
use super::stamp::{FolderStats, identity};
use crate::select::Selection;
use crate::verdict::{Filter, Verdict};

/// What no event tells is noticed after this time.
const RECHECK: Duration = Duration::from_secs(30);
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

/// An index with what is known about its files now.
pub(crate) struct Live {
    root: PathBuf,
    file: IndexFile,
    by_path: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
    /// The first and the last file of each block.
    files_of_block: Vec<(u32, u32)>,
    is_changed: Vec<bool>,
    changed: usize,
    watch: Option<ChangeWatch>,
    root_identity: Option<(u64, u64)>,
    asked_all: Option<Instant>,
    recent: Option<Places>,
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
        let mut files_of_block = vec![(UNKNOWN, 0); file.blocks];
        for doc in 0..file.len() {
            let Doc { block, blocks, .. } = file.doc(doc);
            let own = (block as usize)..(block as usize).saturating_add(blocks as usize).min(files_of_block.len());
            for (first, last) in files_of_block.get_mut(own).unwrap_or_default() {
                (*first, *last) = ((*first).min(doc as u32), doc as u32);
            }
        }
        Self {
            root: root.to_owned(),
            file,
            by_path,
            files_of_block,
            is_changed,
            changed: 0,
            watch: None,
            root_identity: None,
            asked_all: None,
            recent: None,
        }
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
        query: &Query,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Filter>, Cancelled> {
        let Some(may_match) = self.files_for(query) else { return Ok(None) };
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
                DocKind::Text if may_match[*doc as usize] => Verdict::Read,
                DocKind::Text => Verdict::NoMatch,
            }
        };
        let filter = Filter { verdicts: places.docs.iter().map(verdict).collect(), unknown: places.unknown };
        self.recent = Some(places);
        Ok(Some(filter))
    }

    /// Which files may match, by their blocks; none when all may.
    fn files_for(&self, query: &Query) -> Option<Vec<bool>> {
        match query {
            Query::All => None,
            Query::Near(grams) => {
                let mut files = vec![false; self.file.len()];
                for block in self.file.blocks_with(grams)? {
                    let (first, last) = *self.files_of_block.get(block as usize)?;
                    files.get_mut(first as usize..=last as usize)?.fill(true);
                }
                Some(files)
            }
            Query::And(parts) => parts.iter().filter_map(|part| self.files_for(part)).reduce(|mut all, part| {
                all.iter_mut().zip(part).for_each(|(known, other)| *known &= other);
                all
            }),
            Query::Or(parts) => parts.iter().try_fold(vec![false; self.file.len()], |mut all, part| {
                all.iter_mut().zip(self.files_for(part)?).for_each(|(known, other)| *known |= other);
                Some(all)
            }),
        }
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
        let changes = self.watch.as_ref().map(ChangeWatch::changes);
        let is_same_root = self.root_identity.is_some() && identity(&self.root).ok() == self.root_identity;
        match changes {
            Some(Changes::Files(paths)) if is_same_root => {
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
        self.root_identity = identity(&self.root).ok();
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

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}
