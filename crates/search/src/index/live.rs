//! An index in use: which of its files are still as they were.
//!
//! The kernel tells which files were written, created, moved or removed since the last question; those are read by each search until the
//! index is built anew. When the kernel cannot tell (folders came, went or moved, events were lost, no watches are left), every
//! file is asked for its stamp, which takes a fraction of reading it. That also happens from time to time all the same, for
//! what no event tells: writes through a memory mapping, or through a second name in a folder elsewhere.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use tenon_cancel::{CancelToken, Cancelled};
use tenon_scan::{ChangeWatch, Changes, bytes_of, pool};
use xxhash_rust::xxh3::xxh3_64;

use super::disk::{DocKind, IndexFile};
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
    is_changed: Vec<bool>,
    changed: usize,
    watch: Option<ChangeWatch>,
    root_identity: Option<(u64, u64)>,
    asked_all: Option<Instant>,
}

impl Live {
    pub fn new(root: &Path, file: IndexFile) -> Self {
        let by_path = (0..file.len()).map(|doc| (xxh3_64(file.path(doc)), doc as u32)).collect();
        let is_changed = vec![false; file.len()];
        Self {
            root: root.to_owned(),
            file,
            by_path,
            is_changed,
            changed: 0,
            watch: None,
            root_identity: None,
            asked_all: None,
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
        selection: &Selection,
        query: &Query,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Filter>, Cancelled> {
        let Ok(below) = root.strip_prefix(&self.root) else { return Ok(None) };
        let Some(blocks) = self.file.blocks_of(query) else { return Ok(None) };
        self.refresh(cancel)?;
        let mut may_match = vec![false; self.file.blocks];
        for block in blocks {
            if let Some(flag) = may_match.get_mut(block as usize) {
                *flag = true;
            }
        }
        let mut path = bytes_of(below).to_owned();
        if !path.is_empty() {
            path.push(b'/');
        }
        let base = path.len();
        let mut unknown = 0;
        let verdicts = (0..selection.len())
            .map(|file| {
                path.truncate(base);
                selection.push_path(file, &mut path);
                let Some(doc) = self.find(&path) else {
                    unknown += 1;
                    return Verdict::Read;
                };
                let known = self.file.doc(doc);
                match known.kind {
                    _ if self.is_changed[doc] || known.stamp.size > most as u64 => Verdict::Read,
                    DocKind::Always => Verdict::Read,
                    DocKind::Binary => Verdict::Binary,
                    DocKind::Text if may_match.get(known.block as usize).copied().unwrap_or(true) => Verdict::Read,
                    DocKind::Text => Verdict::NoMatch,
                }
            })
            .collect();
        Ok(Some(Filter { verdicts, unknown }))
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

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &path[..at])
}
