//! An index of trigrams: which files a search need not read, because they cannot match.
//!
//! An index is built in the background when a large folder is searched for the second time, kept in a file, and shared by all
//! processes. It only ever says "this file cannot match"; what it does not know is read, so
//! answers are the same with and without it. Other platforms than Unix search without.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tenon_cancel::{CancelToken, Cancelled};
use tenon_scan::{GlobSet, Policy, Snapshot, bytes_of};
use xxhash_rust::xxh3::xxh3_64;

use crate::grep::IndexChoice;
use crate::select::Selection;
use crate::verdict::Filter;
use disk::IndexFile;
use live::Live;
pub(crate) use live::Wanted;
pub(crate) use query::{Query, bytes_between_matches};

mod build;
mod disk;
mod grams;
mod live;
mod query;
mod stamp;

/// An index that knows this many files less than it should is built anew; or this share of its files.
const MOST_UNKNOWN: usize = 1_000;
const UNKNOWN_SHARE: usize = 20;
/// Indexes are not built more often than this.
const BETWEEN_BUILDS: Duration = Duration::from_secs(60);
/// A disk that is full, or a tree that is too large, will be so a minute later: every file would be read again for nothing.
const AFTER_FAILURE: Duration = Duration::from_secs(1_800);
/// What the folder of indexes may hold; the ones that were not used for longest go.
const MOST_INDEXES: usize = 8;
const MOST_INDEX_BYTES: u64 = 1 << 30;
/// What a killed process left behind is removed after this time.
const ABANDONED: Duration = Duration::from_secs(600);

#[derive(Default)]
struct Slot {
    searches: usize,
    live: Option<Live>,
    was_looked_for: bool,
    is_building: bool,
    /// When the last build ended, and whether it came to nothing.
    built: Option<Instant>,
    has_failed: bool,
}

type Slots = Mutex<HashMap<(PathBuf, PathBuf, Policy), Arc<Mutex<Slot>>>>;

fn slots() -> &'static Slots {
    static SLOTS: OnceLock<Slots> = OnceLock::new();
    SLOTS.get_or_init(Slots::default)
}

/// A question about a selection of files.
pub(crate) struct Question<'a> {
    pub choice: &'a IndexChoice,
    pub snapshot: &'a Arc<Snapshot>,
    pub policy: Policy,
    pub selection: &'a Arc<Selection>,
    pub wanted: Wanted<'a>,
}

/// What need not be read; none when no index helps. Sees to it that there is an index next time.
pub(crate) fn filter(question: &Question<'_>, cancel: &CancelToken) -> Result<Option<Filter>, Cancelled> {
    // Few files are read sooner than an index is asked.
    let fewest = question.choice.fewest_files;
    if question.snapshot.len() < fewest || question.selection.len() < fewest / 4 {
        return Ok(None);
    }
    let root = &question.snapshot.root;
    for above in root.ancestors() {
        let Some(slot) = slot(question, above) else { continue };
        // Whoever else searches with this index right now does not keep us waiting: we search without.
        let Ok(mut slot) = slot.try_lock() else { return Ok(None) };
        let slot = &mut *slot;
        if above == root {
            slot.searches += 1;
            slot.look_for(&question.choice.folder, root, question.policy);
        }
        let Some(live) = &mut slot.live else { continue };
        let filter = live.filter(root, question.selection, &question.wanted, cancel)?;
        if live.is_damaged() {
            slot.live = None;
            continue;
        }
        let Some(filter) = filter else { return Ok(None) };
        let (files, changed) = live.counts();
        let is_outdated = changed + filter.unknown > MOST_UNKNOWN.max(files / UNKNOWN_SHARE);
        if is_outdated && above == root {
            slot.build(question);
        }
        if !is_outdated || above == root {
            return Ok(Some(filter));
        }
    }
    if let Some(slot) = slot(question, root)
        && let Ok(mut slot) = slot.try_lock()
        && slot.searches > 1
    {
        slot.build(question);
    }
    Ok(None)
}

/// The slot of a root; those of folders above only when they are there already.
fn slot(question: &Question<'_>, root: &Path) -> Option<Arc<Mutex<Slot>>> {
    let mut slots = slots().lock().unwrap_or_else(PoisonError::into_inner);
    let key = (question.choice.folder.clone(), root.to_owned(), question.policy);
    if root == question.snapshot.root {
        return Some(Arc::clone(slots.entry(key).or_default()));
    }
    slots.get(&key).map(Arc::clone)
}

impl Slot {
    /// Another process may have built one.
    fn look_for(&mut self, folder: &Path, root: &Path, policy: Policy) {
        if std::mem::replace(&mut self.was_looked_for, true) {
            return;
        }
        let place = place_of(folder, root, policy);
        self.live = IndexFile::open(&place, root).map(|file| Live::new(root, file));
    }

    fn rests(&self) -> bool {
        let rest = if self.has_failed { AFTER_FAILURE } else { BETWEEN_BUILDS };
        self.built.is_some_and(|at| at.elapsed() < rest)
    }

    /// Builds the index on a thread of its own; the searches until then go on without, or with the one there is.
    fn build(&mut self, question: &Question<'_>) {
        if self.is_building || self.rests() {
            return;
        }
        self.is_building = true;
        let folder = question.choice.folder.clone();
        let snapshot = Arc::clone(question.snapshot);
        let policy = question.policy;
        let work = move || {
            let outcome = write_index(&folder, &snapshot, policy, threads());
            let key = (folder, snapshot.root.clone(), policy);
            let slot = slots().lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone);
            if let Some(slot) = slot {
                let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                slot.is_building = false;
                slot.built = Some(Instant::now());
                slot.has_failed = !matches!(outcome, Ok(Some(_)));
                if let Ok(Some(live)) = outcome {
                    slot.live = Some(live);
                }
            }
        };
        // Without a thread there is no index, and every search reads.
        if std::thread::Builder::new().name("tenon-index".into()).spawn(work).is_err() {
            self.is_building = false;
            self.built = Some(Instant::now());
        }
    }
}

/// All cores: the threads give way to everything else.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn place_of(folder: &Path, root: &Path, policy: Policy) -> PathBuf {
    let policy = u8::from(policy.hidden) | u8::from(policy.gitignore) << 1 | u8::from(policy.node_modules) << 2;
    folder.join(format!("{:016x}-{policy}.index", xxh3_64(bytes_of(root))))
}

fn write_index(folder: &Path, snapshot: &Snapshot, policy: Policy, threads: usize) -> std::io::Result<Option<Live>> {
    std::fs::create_dir_all(folder)?;
    tidy(folder);
    let selection = Selection::of(snapshot, &GlobSet::new::<&str>(&[]));
    let place = place_of(folder, &snapshot.root, policy);
    let parts = build::build(&snapshot.root, &selection, threads, &AtomicBool::new(false))?;
    parts.write(&place, &snapshot.root, |file, path| selection.push_path(file, path))?;
    Ok(IndexFile::open(&place, &snapshot.root).map(|file| Live::new(&snapshot.root, file)))
}

/// Keeps the folder of indexes small. What cannot be listed or removed stays: nothing depends on it.
fn tidy(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, OsString)> = entries
        .flatten()
        .filter_map(|entry| {
            let data = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((data.modified().ok()?, data.len(), entry.file_name()))
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    let (mut count, mut bytes) = (0, 0);
    for (used, size, name) in files {
        let path = folder.join(&name);
        let is_index = path.extension().is_some_and(|extension| extension == "index");
        let is_part = path.extension().is_some_and(|extension| extension == "part");
        count += usize::from(is_index);
        bytes += if is_index { size } else { 0 };
        let is_abandoned = is_part && used.elapsed().is_ok_and(|age| age > ABANDONED);
        if is_abandoned || (is_index && (count >= MOST_INDEXES || bytes > MOST_INDEX_BYTES)) {
            let _removed = std::fs::remove_file(path);
        }
    }
}

/// Builds the index of a folder now and says how large it is; for measurements and tests.
pub fn build_index(folder: &Path, snapshot: &Arc<Snapshot>, policy: Policy) -> std::io::Result<u64> {
    let live = write_index(folder, snapshot, policy, threads())?;
    let key = (folder.to_owned(), snapshot.root.clone(), policy);
    let slot = Arc::clone(slots().lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    slot.live = live;
    slot.was_looked_for = true;
    std::fs::metadata(place_of(folder, &snapshot.root, policy)).map(|data| data.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tenon_scan::Scanner;

    use super::*;

    #[test]
    fn an_index_that_cannot_be_written_is_not_tried_again_soon() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::write(root.join("file"), "text").unwrap();
        let policy = Policy { hidden: true, gitignore: false, node_modules: true };
        let scan = Scanner::new().scan(&root, policy, false, &CancelToken::default()).unwrap();
        // No folder can be made in a file.
        let choice = IndexChoice { folder: root.join("file/index"), fewest_files: 1 };
        let selection = Arc::new(Selection::of(&scan.snapshot, &GlobSet::new::<&str>(&[])));
        let between = query::bytes_between_matches(&regex_syntax::parse("text").unwrap());
        let query = Query::All;
        let wanted = Wanted { query: &query, is_exact: true, is_multiline: false, between: &between, file_bytes: 1 };
        let question = Question { choice: &choice, snapshot: &scan.snapshot, policy, selection: &selection, wanted };
        let slot = slot(&question, &scan.snapshot.root).unwrap();
        slot.lock().unwrap().build(&question);
        while slot.lock().unwrap().is_building {
            std::thread::yield_now();
        }
        let mut slot = slot.lock().unwrap();
        // Two minutes later.
        slot.built = Instant::now().checked_sub(2 * BETWEEN_BUILDS);
        assert!(slot.built.is_none() || slot.rests());
        slot.has_failed = false;
        assert!(!slot.rests());
    }
}
