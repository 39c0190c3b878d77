//! Every entry of a tree with the facts that tell whether it changed: size, times, inode, mode.
//!
//! Undo asks for this before and after each call that may change files, so it must cost little where nothing changed:
//! the walk stats names relative to their open folder, on all cores, and packs the answer into two flat buffers in a fixed
//! order. Two answers are then compared by comparing bytes.
//!
//! Ignored files are told apart, not left out: an ignored `.env` is what people miss most. Ignored folders are
//! entered only while they are small, because most of them are build output.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_cancel::{CancelToken, Cancelled};

use crate::error::{Problems, ScanError};
use crate::listing::{Folder, Listing};
use crate::paths::{bytes_of, path_of, text_of};
use crate::pool::pool;
use crate::rules::{Layer, Notes, Outside};
use crate::snapshot::Kind;

/// Bytes per entry in [`StatOutcome::stats`].
pub const STAT_BYTES: usize = 40;
/// Set in the last word of an entry that ignore rules hide.
pub const IGNORED: u32 = 1;

/// What one entry looks like to the system. Of a folder only the mode counts: its times say what its entries say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since the epoch.
    pub modified: i64,
    /// Nanoseconds since the epoch; the system alone sets it.
    pub changed: i64,
    /// The file's number on its file system.
    pub inode: u64,
    /// Kind and permissions.
    pub mode: u32,
}

/// A question for [`stat_tree`].
#[derive(Debug, Clone, Default)]
pub struct StatRequest {
    /// The folder to look in.
    pub root: PathBuf,
    /// Enter everything that ignore rules hide.
    pub all_ignored: bool,
    /// An ignored folder is entered when it has at most this many entries, all levels together.
    pub small_folder: usize,
    /// Ignored folders with these names are never entered.
    pub generated: Vec<String>,
    /// Entries with these names are left out, with everything below.
    pub without: Vec<String>,
    /// Absolute paths that are left out, with everything below.
    pub except: Vec<PathBuf>,
    /// The walk ends beyond this many entries.
    pub max_entries: usize,
}

/// The answer of [`stat_tree`], ordered by folder and then by name.
#[derive(Debug, Default)]
pub struct StatOutcome {
    /// Canonical.
    pub root: PathBuf,
    /// Paths relative to the root, each followed by NUL.
    pub paths: Vec<u8>,
    /// Per path, little endian: size, modified, changed and inode with 8 bytes each, mode and flags with 4.
    pub stats: Vec<u8>,
    /// Number of entries.
    pub count: usize,
    /// Folders that were not entered, ignored ones and those that cannot be read, each followed by NUL.
    pub left_out: Vec<u8>,
    /// True when the walk ended early.
    pub is_cut: bool,
    /// What could not be read.
    pub problems: Problems,
}

/// The visible entries of one folder.
#[derive(Debug)]
struct Block {
    path: Vec<u8>,
    names: Vec<u8>,
    stats: Vec<u8>,
}

#[derive(Default)]
struct Gathered {
    listing: Listing,
    blocks: Vec<Block>,
    left_out: Vec<Vec<u8>>,
    notes: Notes,
}

struct Walk<'a> {
    request: &'a StatRequest,
    cancel: &'a CancelToken,
    outside: Outside,
    root_skip: usize,
    without: HashSet<&'a [u8]>,
    generated: HashSet<&'a [u8]>,
    except: HashSet<&'a [u8]>,
    count: AtomicUsize,
    gathered: Vec<Mutex<Gathered>>,
    stopped: Mutex<Option<Cancelled>>,
}

type Task = (Vec<u8>, Option<Arc<Layer>>);

/// Walks a tree with the stat of every entry.
pub fn stat_tree(request: &StatRequest, cancel: &CancelToken) -> Result<StatOutcome, ScanError> {
    let root = std::fs::canonicalize(&request.root).map_err(|error| ScanError::root(&request.root, &error))?;
    Listing::default().fill(&root).map_err(|error| ScanError::root(&root, &error))?;
    let outside = if request.all_ignored { Outside::default() } else { Outside::of(&root) };
    let bytes = bytes_of(&root);
    let workers = pool().map_or(1, rayon::ThreadPool::current_num_threads);
    let walk = Walk {
        request,
        cancel,
        root_skip: bytes.len() + usize::from(!bytes.ends_with(b"/")),
        outside,
        without: request.without.iter().map(String::as_bytes).collect(),
        generated: request.generated.iter().map(String::as_bytes).collect(),
        except: request.except.iter().map(|path| bytes_of(path)).collect(),
        count: AtomicUsize::new(0),
        gathered: (0..workers).map(|_| Mutex::default()).collect(),
        stopped: Mutex::new(None),
    };
    let top = walk.outside.layer.clone();
    match pool() {
        Some(pool) => pool.scope(|scope| {
            let walk = &walk;
            scope.spawn(move |scope| walk.parallel(scope, bytes.to_owned(), top));
        }),
        None => walk.alone(bytes.to_owned(), top),
    }
    if let Some(reason) = *walk.stopped.lock().unwrap_or_else(PoisonError::into_inner) {
        return Err(reason.into());
    }
    Ok(walk.join(&root))
}

impl Walk<'_> {
    fn parallel<'s>(&'s self, scope: &rayon::Scope<'s>, path: Vec<u8>, layer: Option<Arc<Layer>>) {
        let worker = rayon::current_thread_index().unwrap_or(0);
        self.folder(worker, path, layer, |(path, layer)| {
            scope.spawn(move |scope| self.parallel(scope, path, layer));
        });
    }

    fn alone(&self, path: Vec<u8>, layer: Option<Arc<Layer>>) {
        let mut tasks: Vec<Task> = vec![(path, layer)];
        while let Some((path, layer)) = tasks.pop() {
            self.folder(0, path, layer, |task| tasks.push(task));
        }
    }

    fn is_over(&self) -> bool {
        if let Err(reason) = self.cancel.heartbeat() {
            *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
            return true;
        }
        self.count.load(Ordering::Relaxed) > self.request.max_entries
    }

    fn folder(&self, worker: usize, mut path: Vec<u8>, above: Option<Arc<Layer>>, mut next: impl FnMut(Task)) {
        if self.is_over() {
            return;
        }
        let mut guard = self.gathered[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let Gathered { listing, blocks, left_out, notes } = &mut *guard;
        let Some(folder) = self.list(listing, &path, &mut notes.problems, left_out) else { return };
        let own = if self.request.all_ignored { None } else { self.outside.layer_of(&path, listing, above, notes) };
        let problems = &mut notes.problems;
        let mut block = Block { path: self.relative(&path).to_owned(), names: Vec::new(), stats: Vec::new() };
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        let base = path.len();
        listing.retain_sorted(|_, _| true);
        for item in listing.items() {
            let name = listing.name(*item);
            path.truncate(base);
            path.extend_from_slice(name);
            if self.without.contains(name) || self.except.contains(path.as_slice()) {
                continue;
            }
            let is_folder = item.kind == Kind::Directory;
            let is_ignored = !self.request.all_ignored && self.outside.hides(own.as_ref(), &path, is_folder);
            if is_ignored && is_folder {
                let small = if self.generated.contains(name) { None } else { self.small(&path, problems, left_out) };
                match small {
                    Some(inside) => blocks.extend(inside),
                    None => {
                        left_out.push(self.relative(&path).to_owned());
                        continue;
                    }
                }
            } else if is_folder {
                next((path.clone(), own.clone()));
            }
            self.push(&mut block, &folder, name, &path, u32::from(is_ignored));
        }
        self.count.fetch_add(block.stats.len() / STAT_BYTES, Ordering::Relaxed);
        blocks.push(block);
    }

    /// An ignored folder with everything below, or none when it is too large to be worth it.
    fn small(&self, top: &[u8], problems: &mut Problems, left_out: &mut Vec<Vec<u8>>) -> Option<Vec<Block>> {
        let mut blocks = Vec::new();
        let mut left = self.request.small_folder;
        let mut folders = vec![top.to_owned()];
        let mut listing = Listing::default();
        while let Some(mut path) = folders.pop() {
            let Some(folder) = self.list(&mut listing, &path, problems, left_out) else { continue };
            listing.retain_sorted(|name, _| !self.without.contains(name));
            left = left.checked_sub(listing.items().len())?;
            let mut block = Block { path: self.relative(&path).to_owned(), names: Vec::new(), stats: Vec::new() };
            path.push(b'/');
            let base = path.len();
            for item in listing.items() {
                let name = listing.name(*item);
                path.truncate(base);
                path.extend_from_slice(name);
                let is_folder = item.kind == Kind::Directory;
                if self.except.contains(path.as_slice()) || (is_folder && self.generated.contains(name)) {
                    continue;
                }
                if is_folder {
                    folders.push(path.clone());
                }
                self.push(&mut block, &folder, name, &path, IGNORED);
            }
            blocks.push(block);
        }
        self.count.fetch_add(blocks.iter().map(|block| block.stats.len() / STAT_BYTES).sum(), Ordering::Relaxed);
        Some(blocks)
    }

    fn list(
        &self,
        listing: &mut Listing,
        path: &[u8],
        problems: &mut Problems,
        left_out: &mut Vec<Vec<u8>>,
    ) -> Option<Folder> {
        match listing.fill_open(path_of(path)) {
            Ok(folder) => Some(folder),
            Err(error) => {
                // A folder that vanished since its parent was listed is not a problem worth telling.
                if error.kind() != io::ErrorKind::NotFound {
                    problems.push_io(text_of(self.relative(path)).into_owned(), &error);
                    left_out.push(self.relative(path).to_owned());
                }
                None
            }
        }
    }

    fn push(&self, block: &mut Block, folder: &Folder, name: &[u8], path: &[u8], flags: u32) {
        // What vanished since it was listed is simply not there.
        let Ok(stat) = folder.stat(name, path_of(path)) else { return };
        block.names.extend_from_slice(name);
        block.names.push(0);
        block.stats.extend_from_slice(&stat.size.to_le_bytes());
        block.stats.extend_from_slice(&stat.modified.to_le_bytes());
        block.stats.extend_from_slice(&stat.changed.to_le_bytes());
        block.stats.extend_from_slice(&stat.inode.to_le_bytes());
        block.stats.extend_from_slice(&stat.mode.to_le_bytes());
        block.stats.extend_from_slice(&flags.to_le_bytes());
    }

    fn relative<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        path.get(self.root_skip..).unwrap_or_default()
    }

    fn join(self, root: &Path) -> StatOutcome {
        let mut problems = self.outside.notes.problems;
        let mut blocks = Vec::new();
        let mut left_out = Vec::new();
        for part in self.gathered {
            let part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            blocks.extend(part.blocks);
            left_out.extend(part.left_out);
            problems.merge(part.notes.problems);
        }
        blocks.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        left_out.sort_unstable();
        let mut outcome = StatOutcome { root: root.to_owned(), problems, ..StatOutcome::default() };
        let names: usize = blocks.iter().map(|block| block.names.len()).sum();
        let prefixes: usize =
            blocks.iter().map(|block| (block.path.len() + 1) * (block.stats.len() / STAT_BYTES)).sum();
        outcome.paths.reserve_exact(names + prefixes);
        outcome.stats.reserve_exact(blocks.iter().map(|block| block.stats.len()).sum());
        for block in &blocks {
            for name in block.names.split_inclusive(|byte| *byte == 0) {
                if !block.path.is_empty() {
                    outcome.paths.extend_from_slice(&block.path);
                    outcome.paths.push(b'/');
                }
                outcome.paths.extend_from_slice(name);
            }
            outcome.stats.extend_from_slice(&block.stats);
        }
        for path in left_out {
            outcome.left_out.extend_from_slice(&path);
            outcome.left_out.push(0);
        }
        outcome.count = outcome.stats.len() / STAT_BYTES;
        outcome.is_cut = self.count.into_inner() > self.request.max_entries;
        outcome
    }
}
