//! Noticing changes without walking again.
//!
//! On Linux one inotify instance watches every directory of a snapshot. Nothing listens in the background: the
//! kernel queues the events, and whoever wants to use the snapshot reads the queue first. So a watched snapshot is
//! never stale by more than a system call, and an idle one costs nothing but the kernel's memory.
//!
//! Only events that change the *set of paths* are asked for, plus writes in directories that hold rule files. The
//! number of watches is bounded; a tree that needs more stays on its time limit, and the report says so.
//!
//! What another machine changes on a shared file system gives no event here, so nothing is watched there, as little as in a tree that has
//! such a file system mounted somewhere in it.
//!
//! Between the walk and the last watch a change could slip through. Therefore a directory that was changed about
//! when the walk began, or later, makes the snapshot stale at once.

/// What the event queue says about a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing happened.
    Unchanged,
    /// Paths changed; the watches are still right for a new walk.
    Changed,
    /// Directories moved or events were lost; the watches must be set up anew.
    Lost,
}

/// How many directories one snapshot may watch, unless `TENON_SCAN_MAX_WATCHES` says otherwise. Zero turns
/// watching off.
const MOST_WATCHES: usize = 32_768;

pub(crate) fn most_watches() -> usize {
    std::env::var("TENON_SCAN_MAX_WATCHES").ok().and_then(|text| text.parse().ok()).unwrap_or(MOST_WATCHES)
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Watcher;
#[cfg(target_os = "linux")]
pub(crate) use linux::Watcher;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::mem::MaybeUninit;
    use std::ops::ControlFlow;
    use std::os::fd::OwnedFd;
    use std::time::{Duration, UNIX_EPOCH};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

    use super::{Verdict, most_watches};
    use crate::paths::{bytes_of, path_of};
    use crate::snapshot::{Kind, Snapshot};

    /// File times come from a coarse clock that may lag behind the one that dates the walk.
    const CLOCK_SLACK: Duration = Duration::from_millis(20);

    /// The watches of one snapshot.
    #[derive(Debug)]
    pub(crate) struct Watcher {
        queue: OwnedFd,
        path_of_watch: HashMap<i32, u64>,
        watched: HashSet<u64>,
    }

    impl Watcher {
        /// A watcher without watches.
        pub fn new() -> Result<Self, String> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
                .map_err(|error| format!("no inotify instance is left: {error}"))?;
            Ok(Self { queue, path_of_watch: HashMap::new(), watched: HashSet::new() })
        }

        /// Watches every directory of the snapshot that is not watched yet; says whether the snapshot still holds.
        pub fn arm(&mut self, snapshot: &Snapshot) -> Result<Verdict, String> {
            if !crate::tree_watch::is_local(&snapshot.root) {
                return Err(
                    "a part of the tree is on a file system that others may change without any event".to_owned()
                );
            }
            let most = most_watches();
            if snapshot.directories() > most {
                return Err(format!(
                    "{} directories are more than the {most} that may be watched",
                    snapshot.directories()
                ));
            }
            let Some(began) = snapshot.began.and_then(|time| time.checked_sub(CLOCK_SLACK)) else {
                return Ok(Verdict::Changed);
            };
            let began_ns = began.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i128;
            let mut fresh: Vec<Vec<u8>> = Vec::new();
            let mut full = bytes_of(&snapshot.root).to_owned();
            // Block 0 is the root; the others follow in the order of the visit, each when its entry is met.
            self.add(&full, &mut fresh)?;
            let root_len = full.len();
            let walked = snapshot.visit(|entry| {
                if entry.kind != Kind::Directory {
                    return ControlFlow::Continue(());
                }
                full.truncate(root_len);
                full.push(b'/');
                full.extend_from_slice(entry.path);
                match self.add(&full, &mut fresh) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(reason) => ControlFlow::Break(reason),
                }
            });
            if let ControlFlow::Break(reason) = walked {
                return Err(reason);
            }
            // A rule file can change without its folder changing, so a fresh watch looks at those as well.
            for folder in &fresh {
                for rule_file in ["", "/.gitignore", "/.ignore"] {
                    let path = [folder.as_slice(), rule_file.as_bytes()].concat();
                    if let Ok(stat) = rustix::fs::stat(path_of(&path)) {
                        let changed_ns = i128::from(stat.st_mtime) * 1_000_000_000 + stat.st_mtime_nsec as i128;
                        if changed_ns >= began_ns {
                            return Ok(Verdict::Changed);
                        }
                    } else if rule_file.is_empty() {
                        return Ok(Verdict::Changed);
                    }
                }
            }
            Ok(self.drain())
        }

        fn add(&mut self, path: &[u8], fresh: &mut Vec<Vec<u8>>) -> Result<(), String> {
            let key = hash_of(path);
            if self.watched.contains(&key) {
                return Ok(());
            }
            // Writes are asked for everywhere: which folders hold rule files may change, and names are filtered.
            let events = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            match inotify::add_watch(&self.queue, path_of(path), events) {
                Ok(watch) => {
                    self.path_of_watch.insert(watch, key);
                    self.watched.insert(key);
                    fresh.push(path.to_owned());
                    Ok(())
                }
                // Gone or unreadable by now: the check of the folder's time will notice.
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::ACCESS) => {
                    fresh.push(path.to_owned());
                    Ok(())
                }
                Err(error) => Err(format!("the system refuses more watches: {error}")),
            }
        }

        /// Reads the queue.
        pub fn drain(&mut self) -> Verdict {
            let mut verdict = Verdict::Unchanged;
            let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
            let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(rustix::io::Errno::AGAIN) => return verdict,
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => return Verdict::Lost,
                };
                let happened = event.events();
                if happened.contains(ReadFlags::IGNORED)
                    && let Some(key) = self.path_of_watch.remove(&event.wd())
                {
                    self.watched.remove(&key);
                }
                let moved = ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
                let moved_folder = happened.contains(ReadFlags::ISDIR) && happened.intersects(moved);
                if moved_folder || happened.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::MOVE_SELF) {
                    verdict = Verdict::Lost;
                    continue;
                }
                let names_rules =
                    event.file_name().is_some_and(|name| matches!(name.to_bytes(), b".gitignore" | b".ignore"));
                let writes_only = (happened - ReadFlags::CLOSE_WRITE).is_empty();
                if (!writes_only || names_rules) && verdict == Verdict::Unchanged {
                    verdict = Verdict::Changed;
                }
            }
        }
    }

    fn hash_of(path: &[u8]) -> u64 {
        use std::hash::{DefaultHasher, Hasher};
        let mut hasher = DefaultHasher::new();
        hasher.write(path);
        hasher.finish()
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Verdict, most_watches};
    use crate::snapshot::Snapshot;

    /// No watching here: snapshots live by their time limit.
    #[derive(Debug)]
    pub(crate) struct Watcher;

    impl Watcher {
        pub fn new() -> Result<Self, String> {
            Err(format!("file watching is only built for Linux (limit {})", most_watches()))
        }

        pub fn arm(&mut self, _snapshot: &Snapshot) -> Result<Verdict, String> {
            Ok(Verdict::Lost)
        }

        pub fn drain(&mut self) -> Verdict {
            Verdict::Lost
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::expect_used)]
mod tests {
    use std::path::Path;

    use tenon_cancel::CancelToken;

    use super::*;
    use crate::walk::{Policy, walk_with};

    #[test]
    fn a_tree_that_changes_without_events_is_not_watched() {
        let policy = Policy { hidden: true, gitignore: false, node_modules: true };
        let watched = |root: &Path| {
            let snapshot = walk_with(root, policy, &CancelToken::default(), None).expect("a walk");
            Watcher::new().and_then(|mut watcher| watcher.arm(&snapshot)).is_ok()
        };
        assert!(!watched(Path::new("/proc/sys/fs")));
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(watched(folder.path()), crate::tree_watch::is_local(folder.path()));
    }
}
