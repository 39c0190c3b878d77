//! The parallel walk.
//!
//! The unit of work is one directory: list it, read its rule files if the listing shows any, drop what the policy
//! and the rules hide, sort the rest, append it to this worker's arrays, and hand the sub-directories to the pool.
//! Workers share nothing while they walk but the counter that numbers directories; their arrays are joined once at
//! the end. The pool takes the newest task first, so the tree is walked depth first and few tasks wait.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tenon_cancel::{CancelToken, Cancelled};

use crate::error::ScanError;
use crate::listing::Listing;
use crate::paths::{bytes_of, identity, path_of, text_of};
use crate::pool::pool;
use crate::rules::{Layer, Notes, Outside};
use crate::snapshot::{Block, Kind, Snapshot, pack};

/// What a walk shows; with the root it is the key of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Show names that start with a dot.
    pub hidden: bool,
    /// Apply ignore files.
    pub gitignore: bool,
    /// Descend into folders called `node_modules`.
    pub node_modules: bool,
}

/// Called for each directory while the walk runs, with its path and its visible names; from any worker.
pub(crate) type OnFolder<'a> = &'a (dyn Fn(&[u8], &mut dyn Iterator<Item = (&[u8], Kind)>) + Sync);

/// What one worker has gathered.
#[derive(Default)]
struct Gathered {
    listing: Listing,
    names: Vec<u8>,
    ends: Vec<u32>,
    words: Vec<u32>,
    blocks: Vec<(u32, Block)>,
    notes: Notes,
}

struct Walk<'a> {
    policy: Policy,
    cancel: &'a CancelToken,
    on_folder: Option<OnFolder<'a>>,
    outside: Outside,
    /// Where the path relative to the root starts inside an absolute path.
    root_skip: usize,
    next_block: AtomicU32,
    gathered: Vec<Mutex<Gathered>>,
    stopped: Mutex<Option<Cancelled>>,
}

/// Walks `root`, which must be canonical, on all cores.
pub fn walk(root: &Path, policy: Policy, cancel: &CancelToken) -> Result<Snapshot, ScanError> {
    walk_with(root, policy, cancel, None)
}

/// The same walk with a listener for results while it runs.
pub(crate) fn walk_with(
    root: &Path,
    policy: Policy,
    cancel: &CancelToken,
    on_folder: Option<OnFolder<'_>>,
) -> Result<Snapshot, ScanError> {
    let began = (SystemTime::now(), identity(root));
    Listing::default().fill(root).map_err(|error| ScanError::root(root, &error))?;
    let outside = if policy.gitignore { Outside::of(root) } else { Outside::default() };
    let bytes = bytes_of(root);
    let workers = pool().map_or(1, rayon::ThreadPool::current_num_threads);
    let walk = Walk {
        policy,
        cancel,
        on_folder,
        root_skip: bytes.len() + usize::from(!bytes.ends_with(b"/")),
        outside,
        next_block: AtomicU32::new(1),
        gathered: (0..workers).map(|_| Mutex::default()).collect(),
        stopped: Mutex::new(None),
    };
    let top = walk.outside.layer.clone();
    match pool() {
        Some(pool) => pool.scope(|scope| {
            let walk = &walk;
            scope.spawn(move |scope| walk.parallel(scope, 0, bytes.to_owned(), top));
        }),
        None => walk.alone(bytes.to_owned(), top),
    }
    if let Some(reason) = *walk.stopped.lock().unwrap_or_else(PoisonError::into_inner) {
        return Err(reason.into());
    }
    Ok(walk.join(root, began))
}

type Task = (u32, Vec<u8>, Option<Arc<Layer>>);

impl Walk<'_> {
    fn parallel<'s>(&'s self, scope: &rayon::Scope<'s>, block: u32, path: Vec<u8>, layer: Option<Arc<Layer>>) {
        let worker = rayon::current_thread_index().unwrap_or(0);
        self.folder(worker, block, path, layer, |(block, path, layer)| {
            scope.spawn(move |scope| self.parallel(scope, block, path, layer));
        });
    }

    fn alone(&self, path: Vec<u8>, layer: Option<Arc<Layer>>) {
        let mut tasks: Vec<Task> = vec![(0, path, layer)];
        while let Some((block, path, layer)) = tasks.pop() {
            self.folder(0, block, path, layer, |task| tasks.push(task));
        }
    }

    fn folder(
        &self,
        worker: usize,
        block: u32,
        mut path: Vec<u8>,
        above: Option<Arc<Layer>>,
        mut next: impl FnMut(Task),
    ) {
        if let Err(reason) = self.cancel.heartbeat() {
            *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
            return;
        }
        let mut guard = self.gathered[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let gathered = &mut *guard;
        let first = gathered.words.len() as u32;
        if let Err(error) = gathered.listing.fill(path_of(&path)) {
            // A folder that vanished since its parent was listed is not a problem worth telling.
            if error.kind() != std::io::ErrorKind::NotFound {
                let shown = text_of(path.get(self.root_skip..).unwrap_or_default()).into_owned();
                gathered.notes.problems.push_io(shown, &error);
            }
            gathered.blocks.push((block, Block { first, end: first }));
            return;
        }
        let own = if self.policy.gitignore {
            self.outside.layer_of(&path, &gathered.listing, above, &mut gathered.notes)
        } else {
            None
        };
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        let folder_len = path.len();
        let policy = self.policy;
        let (outside, listing) = (&self.outside, &mut gathered.listing);
        listing.retain_sorted(|name, kind| {
            if name == b".git" || (!policy.hidden && name.starts_with(b".")) {
                return false;
            }
            let is_dir = kind == Kind::Directory;
            if is_dir && !policy.node_modules && name == b"node_modules" {
                return false;
            }
            if !policy.gitignore {
                return true;
            }
            path.truncate(folder_len);
            path.extend_from_slice(name);
            !outside.hides(own.as_ref(), &path, is_dir)
        });
        path.truncate(folder_len);
        if let Some(on_folder) = self.on_folder {
            let mut names = listing.items().iter().map(|item| (listing.name(*item), item.kind));
            on_folder(&path[self.root_skip.min(folder_len)..], &mut names);
        }
        for item in listing.items() {
            let name = listing.name(*item);
            gathered.names.extend_from_slice(name);
            gathered.ends.push(gathered.names.len() as u32);
            let child = if item.kind == Kind::Directory {
                let number = self.next_block.fetch_add(1, Ordering::Relaxed);
                next((number, [path.as_slice(), name].concat(), own.clone()));
                number
            } else {
                0
            };
            gathered.words.push(pack(item.kind, child));
        }
        gathered.blocks.push((block, Block { first, end: gathered.words.len() as u32 }));
    }

    /// Joins the workers' arrays. Offsets and entry numbers shift by what was joined before.
    fn join(self, root: &Path, (began, identity): (SystemTime, Option<(u64, u64)>)) -> Snapshot {
        let mut all: Vec<Gathered> =
            self.gathered.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut snapshot = Snapshot {
            root: root.to_owned(),
            blocks: vec![Block::default(); self.next_block.into_inner() as usize],
            outside_rules: self.outside.notes.stamps,
            problems: self.outside.notes.problems,
            began: Some(began),
            identity,
            ..Snapshot::default()
        };
        snapshot.names.reserve_exact(all.iter().map(|part| part.names.len()).sum());
        snapshot.ends.reserve_exact(all.iter().map(|part| part.ends.len()).sum());
        snapshot.words.reserve_exact(all.iter().map(|part| part.words.len()).sum());
        for part in &mut all {
            let name_shift = snapshot.names.len() as u32;
            let entry_shift = snapshot.words.len() as u32;
            snapshot.names.append(&mut part.names);
            snapshot.ends.extend(part.ends.drain(..).map(|end| end + name_shift));
            snapshot.words.append(&mut part.words);
            for (number, block) in part.blocks.drain(..) {
                if let Some(slot) = snapshot.blocks.get_mut(number as usize) {
                    *slot = Block { first: block.first + entry_shift, end: block.end + entry_shift };
                }
            }
            snapshot.problems.merge(std::mem::take(&mut part.notes.problems));
            snapshot.outside_rules.append(&mut part.notes.stamps);
        }
        snapshot
    }
}
