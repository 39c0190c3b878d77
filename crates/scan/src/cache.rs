//! Snapshots that are kept between calls.
//!
//! The key is the canonical root together with the policy. A snapshot is served while it is younger than the time
//! limit, or for as long as its watcher sees no change. The policy is global and comes from the environment:
//!
//! | variable | default | meaning |
//! |---|---|---|
//! | `TENON_SCAN_TTL_MS` | 1000 | age up to which an unwatched snapshot serves; 0 turns the cache off |
//! | `TENON_SCAN_EMPTY_RECHECK_MS` | 200 | an empty answer from an older unwatched snapshot is checked by a new walk |
//! | `TENON_SCAN_MAX_ENTRIES` | 16 | number of snapshots that are kept; the oldest goes first |
//! | `TENON_SCAN_MAX_WATCHES` | 32768 | directories that one snapshot may watch; 0 turns watching off |
//!
//! Watches are only set up when a snapshot is asked for a second time, on a thread of their own: most roots are
//! asked once, and a first answer should not wait.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tenon_cancel::CancelToken;

use crate::error::ScanError;
use crate::paths::{canonical, identity};
use crate::snapshot::Snapshot;
use crate::walk::{OnFolder, Policy, walk_with};
use crate::watch::{Verdict, Watcher};

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The tree was walked for this call.
    Walk,
    /// A snapshot within its time limit.
    Recent,
    /// A snapshot whose watcher saw no change.
    Watched,
}

impl Source {
    /// True when the tree was walked for this call.
    pub fn is_walk(self) -> bool {
        self == Self::Walk
    }
}

/// A snapshot and how it was come by.
#[derive(Debug, Clone)]
pub struct Scan {
    pub snapshot: Arc<Snapshot>,
    pub age: Duration,
    pub source: Source,
}

/// The state of a cached snapshot's watcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchReport {
    /// Asked for only once so far.
    NotYet,
    /// Watches are being set up.
    Arming,
    /// Changes are noticed at once.
    Live,
    /// The time limit decides; the reason says why.
    Off(String),
}

/// One line of the cache's report.
#[derive(Debug, Clone)]
pub struct CacheReport {
    pub root: PathBuf,
    pub policy: Policy,
    pub entries: usize,
    pub directories: usize,
    pub bytes: usize,
    pub age: Duration,
    pub watch: WatchReport,
}

type Key = (PathBuf, Policy);

#[derive(Debug)]
enum Watch {
    NotYet,
    Arming,
    Live(Watcher),
    /// The watches are right but the tree changed while they were set up.
    Outdated(Watcher),
    Off(String),
}

#[derive(Debug)]
struct Cached {
    snapshot: Arc<Snapshot>,
    created: Instant,
    watch: Watch,
}

/// Walks trees and keeps the results. Clones share one cache.
#[derive(Debug, Clone, Default)]
pub struct Scanner {
    cached: Arc<Mutex<HashMap<Key, Cached>>>,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn time_limit() -> Duration {
    Duration::from_millis(setting("TENON_SCAN_TTL_MS", 1000))
}

impl Scanner {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entries below `root`; from the cache when `cache` allows it and a snapshot is fresh enough.
    pub fn scan(&self, root: &Path, policy: Policy, cache: bool, cancel: &CancelToken) -> Result<Scan, ScanError> {
        self.scan_with(root, policy, cache, cancel, None)
    }

    /// As [`Self::scan`], but a snapshot is used only while its watches vouch for it: the answer is that of a new walk.
    pub fn scan_watched(&self, root: &Path, policy: Policy, cancel: &CancelToken) -> Result<Scan, ScanError> {
        let root = std::fs::canonicalize(root).map_err(|error| ScanError::root(root, &error))?;
        if time_limit().is_zero() {
            return Ok(fresh(walk_with(&root, policy, cancel, None)?));
        }
        let key = (root, policy);
        let is_hopeless = |entry: &Cached| matches!(entry.watch, Watch::Off(_) | Watch::Arming);
        if self.lock().get(&key).is_some_and(is_hopeless) {
            return Ok(fresh(walk_with(&key.0, policy, cancel, None)?));
        }
        let (hit, reused) = self.look_up(&key);
        if let Some(hit) = hit.filter(|hit| hit.source == Source::Watched) {
            return Ok(hit);
        }
        let scan = fresh(walk_with(&key.0, policy, cancel, None)?);
        // A snapshot whose watches are being set up stays: the next call may use it.
        if !self.lock().get(&key).is_some_and(is_hopeless) {
            self.store(&key, &scan);
            if let Some(watcher) = reused {
                self.arm(&key, watcher);
            }
        }
        Ok(scan)
    }

    pub(crate) fn scan_with(
        &self,
        root: &Path,
        policy: Policy,
        cache: bool,
        cancel: &CancelToken,
        on_folder: Option<OnFolder<'_>>,
    ) -> Result<Scan, ScanError> {
        let root = std::fs::canonicalize(root).map_err(|error| ScanError::root(root, &error))?;
        if !cache || time_limit().is_zero() {
            return Ok(fresh(walk_with(&root, policy, cancel, on_folder)?));
        }
        let key = (root, policy);
        let (hit, reused) = self.look_up(&key);
        if let Some(hit) = hit {
            return Ok(hit);
        }
        let known = reused.is_some();
        let scan = fresh(walk_with(&key.0, policy, cancel, on_folder)?);
        self.store(&key, &scan);
        if known {
            self.arm(&key, reused.flatten());
        }
        Ok(scan)
    }

    /// An empty answer from an unwatched snapshot that is not brand-new deserves a second look: gives a new walk.
    pub fn recheck(
        &self,
        root: &Path,
        policy: Policy,
        scan: Option<&Scan>,
        cancel: &CancelToken,
    ) -> Result<Option<Scan>, ScanError> {
        let patience = Duration::from_millis(setting("TENON_SCAN_EMPTY_RECHECK_MS", 200));
        if !scan.is_some_and(|scan| scan.source == Source::Recent && scan.age >= patience) {
            return Ok(None);
        }
        let root = std::fs::canonicalize(root).map_err(|error| ScanError::root(root, &error))?;
        let scan = fresh(walk_with(&root, policy, cancel, None)?);
        self.store(&(root, policy), &scan);
        Ok(Some(scan))
    }

    /// Drops the snapshots that could show `path`, or all. A watched one stays when its watcher saw no change:
    /// the kernel queues an event before the change's system call returns. Gives how many were dropped.
    pub fn invalidate(&self, path: Option<&Path>) -> usize {
        let target = path.map(canonical);
        let mut cached = self.lock();
        let mut stale: Vec<Key> = Vec::new();
        for (key, entry) in cached.iter_mut() {
            if !target.as_ref().is_none_or(|target| target.starts_with(&key.0)) {
                continue;
            }
            let unchanged = match &mut entry.watch {
                Watch::Live(watcher) if target.is_some() => watcher.drain() == Verdict::Unchanged,
                _ => false,
            };
            if !unchanged {
                stale.push(key.clone());
            }
        }
        for key in &stale {
            discard(cached.remove(key));
        }
        stale.len()
    }

    /// What is cached right now, newest first.
    pub fn report(&self) -> Vec<CacheReport> {
        let mut lines: Vec<CacheReport> = self
            .lock()
            .iter()
            .map(|((root, policy), entry)| CacheReport {
                root: root.clone(),
                policy: *policy,
                entries: entry.snapshot.len(),
                directories: entry.snapshot.directories(),
                bytes: entry.snapshot.bytes(),
                age: entry.created.elapsed(),
                watch: match &entry.watch {
                    Watch::NotYet => WatchReport::NotYet,
                    Watch::Arming | Watch::Outdated(_) => WatchReport::Arming,
                    Watch::Live(_) => WatchReport::Live,
                    Watch::Off(reason) => WatchReport::Off(reason.clone()),
                },
            })
            .collect();
        lines.sort_by_key(|line| line.age);
        lines
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Cached>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A usable snapshot, or what is left of a stale one: its watcher, if that is still of use.
    fn look_up(&self, key: &Key) -> (Option<Scan>, Option<Option<Watcher>>) {
        let mut cached = self.lock();
        let Some(entry) = cached.get_mut(key) else { return (None, None) };
        let age = entry.created.elapsed();
        let serve = |source| Scan { snapshot: Arc::clone(&entry.snapshot), age, source };
        let verdict = match &mut entry.watch {
            // A folder above was moved, and another one has its name: nothing happened to the folders that are watched.
            Watch::Live(_) if identity(&key.0) != entry.snapshot.identity => Verdict::Lost,
            Watch::Live(watcher) if entry.snapshot.outside_rules.iter().all(crate::rules::Stamp::holds) => {
                watcher.drain()
            }
            Watch::Live(_) | Watch::Outdated(_) => Verdict::Changed,
            Watch::NotYet | Watch::Arming | Watch::Off(_) if age < time_limit() => {
                let hit = serve(Source::Recent);
                let first_hit = matches!(entry.watch, Watch::NotYet);
                drop(cached);
                if first_hit {
                    self.arm(key, None);
                }
                return (Some(hit), None);
            }
            Watch::NotYet | Watch::Arming | Watch::Off(_) => Verdict::Lost,
        };
        if verdict == Verdict::Unchanged {
            return (Some(serve(Source::Watched)), None);
        }
        let stale = cached.remove(key);
        drop(cached);
        match (stale, verdict) {
            (Some(Cached { watch: Watch::Live(watcher) | Watch::Outdated(watcher), .. }), Verdict::Changed) => {
                (None, Some(Some(watcher)))
            }
            (stale, _) => {
                discard(stale);
                (None, Some(None))
            }
        }
    }

    fn store(&self, key: &Key, scan: &Scan) {
        let most = setting("TENON_SCAN_MAX_ENTRIES", 16) as usize;
        let mut cached = self.lock();
        let entry = Cached { snapshot: Arc::clone(&scan.snapshot), created: Instant::now(), watch: Watch::NotYet };
        discard(cached.insert(key.clone(), entry));
        while cached.len() > most {
            let Some(oldest) = cached.iter().min_by_key(|(_, entry)| entry.created).map(|(key, _)| key.clone()) else {
                break;
            };
            discard(cached.remove(&oldest));
        }
    }

    /// Sets up the watches of a stored snapshot on a thread of their own.
    fn arm(&self, key: &Key, reused: Option<Watcher>) {
        let snapshot = {
            let mut cached = self.lock();
            let Some(entry) = cached.get_mut(key) else { return };
            // What could not be read may become readable without any event.
            if entry.snapshot.problems.count() > 0 {
                entry.watch = Watch::Off("parts of the tree cannot be read, so not every change would be seen".into());
                return;
            }
            entry.watch = Watch::Arming;
            Arc::clone(&entry.snapshot)
        };
        let (scanner, key_of_thread) = (self.clone(), key.clone());
        let started = std::thread::Builder::new()
            .name("tenon-watch".into())
            .spawn(move || scanner.armed(&key_of_thread, &snapshot, reused));
        if let Err(error) = started
            && let Some(entry) = self.lock().get_mut(key)
        {
            entry.watch = Watch::Off(format!("no thread for setting up watches: {error}"));
        }
    }

    fn armed(&self, key: &Key, snapshot: &Arc<Snapshot>, reused: Option<Watcher>) {
        let outcome = reused.map_or_else(Watcher::new, Ok).and_then(|mut watcher| {
            let verdict = watcher.arm(snapshot)?;
            Ok((watcher, verdict))
        });
        let mut cached = self.lock();
        let Some(entry) = cached.get_mut(key).filter(|entry| Arc::ptr_eq(&entry.snapshot, snapshot)) else {
            // Replaced meanwhile: these watches belong to nothing. The lock is released before they are closed.
            drop(cached);
            return;
        };
        match outcome {
            Ok((watcher, Verdict::Unchanged)) => entry.watch = Watch::Live(watcher),
            // The tree changed while the watches were set up; the next call walks again and keeps the watches.
            Ok((watcher, Verdict::Changed)) => entry.watch = Watch::Outdated(watcher),
            Ok((_, Verdict::Lost)) => {
                cached.remove(key);
            }
            Err(reason) => entry.watch = Watch::Off(reason),
        }
    }
}

fn fresh(snapshot: Snapshot) -> Scan {
    Scan { snapshot: Arc::new(snapshot), age: Duration::ZERO, source: Source::Walk }
}

/// Closing thousands of watches takes milliseconds, so it happens off the caller's path where possible.
fn discard(entry: Option<Cached>) {
    let Some(Cached { watch: Watch::Live(watcher) | Watch::Outdated(watcher), .. }) = entry else { return };
    let _closing = std::thread::Builder::new().name("tenon-unwatch".into()).spawn(move || drop(watcher));
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::expect_used)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_watched_tree_is_walked_again_when_a_folder_above_it_is_another_one() {
        let folder = tempfile::tempdir().expect("a folder");
        for (above, file) in [("one", "old"), ("other", "new")] {
            fs::create_dir_all(folder.path().join(above).join("tree")).expect("created");
            fs::write(folder.path().join(above).join("tree").join(file), "").expect("written");
        }
        let root = folder.path().join("one/tree");
        let policy = Policy { hidden: true, gitignore: false, node_modules: true };
        let scanner = Scanner::new();
        let names = || {
            let scan = scanner.scan(&root, policy, true, &CancelToken::default()).expect("a scan");
            let mut names = Vec::new();
            let _all = scan.snapshot.visit(|entry| {
                names.push(String::from_utf8_lossy(entry.path).into_owned());
                std::ops::ControlFlow::<()>::Continue(())
            });
            (names, scan.source)
        };
        // Right after it was made, a folder may change without another time.
        std::thread::sleep(Duration::from_millis(80));
        while names().1 != Source::Watched {
            if scanner.report().iter().any(|line| matches!(line.watch, WatchReport::Off(_))) {
                return; // A file system that other machines change.
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        fs::rename(folder.path().join("one"), folder.path().join("away")).expect("renamed");
        fs::rename(folder.path().join("other"), folder.path().join("one")).expect("renamed");
        assert_eq!(names(), (vec!["new".to_owned()], Source::Walk));
    }
}
