//! Which files of a tree changed since the last question.
//!
//! As [`crate::TreeWatch`], with names: whoever keeps something about every file reads again only what changed. The kernel queues the
//! events, nothing listens in the background. What a queue does not tell (see there) is found by the walk that users do from time to time.

/// What happened since the last question.
#[derive(Debug, PartialEq, Eq)]
pub enum Changes {
    /// These files, relative to the root, each once; also such as are gone or new.
    Files(Vec<Vec<u8>>),
    /// Folders or ignore rules changed, or events were lost: only a walk tells.
    Unknown,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeSet, HashMap};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

    use super::Changes;
    use crate::paths::{WatchedRoot, bytes_of, path_of};

    /// Watches of a set of folders.
    #[derive(Debug)]
    pub struct ChangeWatch {
        root: WatchedRoot,
        queue: OwnedFd,
        folders: HashMap<i32, Box<[u8]>>,
    }

    impl ChangeWatch {
        /// Watches a folder and those below it that are named (relative); none when not all can be watched.
        pub fn new<'f>(root: &Path, folders: impl ExactSizeIterator<Item = &'f [u8]>) -> Option<Self> {
            if !crate::tree_watch::is_local(root) || folders.len() >= crate::watch::most_watches() {
                return None;
            }
            let watched_root = WatchedRoot::new(root)?;
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let events = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            let mut known = HashMap::with_capacity(folders.len() + 1);
            known.insert(inotify::add_watch(&queue, root, events).ok()?, Box::default());
            let mut path = bytes_of(root).to_owned();
            path.push(b'/');
            let base = path.len();
            for folder in folders {
                path.truncate(base);
                path.extend_from_slice(folder);
                let same = known.insert(inotify::add_watch(&queue, path_of(&path), events).ok()?, folder.into());
                // One folder in two places, by a mount: an event does not tell in which of them the file changed.
                if same.is_some() {
                    return None;
                }
            }
            Some(Self { root: watched_root, queue, folders: known })
        }

        /// Reads the queue.
        pub fn changes(&self) -> Changes {
            let mut files = BTreeSet::new();
            let mut unknown = !self.root.is_there();
            let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
            let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => return Changes::Unknown,
                };
                let name = event.file_name().map(std::ffi::CStr::to_bytes).unwrap_or_default();
                let is_rule = matches!(name, b".gitignore" | b".ignore");
                match self.folders.get(&event.wd()) {
                    Some(folder) if !name.is_empty() && !is_rule && !event.events().contains(ReadFlags::ISDIR) => {
                        let mut path = folder.to_vec();
                        if !path.is_empty() {
                            path.push(b'/');
                        }
                        path.extend_from_slice(name);
                        files.insert(path);
                    }
                    _ => unknown = true,
                }
            }
            if unknown { Changes::Unknown } else { Changes::Files(files.into_iter().collect()) }
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::ChangeWatch;

/// No watching here.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct ChangeWatch;

#[cfg(not(target_os = "linux"))]
impl ChangeWatch {
    /// Never.
    pub fn new<'f>(_root: &std::path::Path, _folders: impl ExactSizeIterator<Item = &'f [u8]>) -> Option<Self> {
        None
    }

    /// Never known.
    pub fn changes(&self) -> Changes {
        Changes::Unknown
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::expect_used)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn changed_files_are_named_and_changed_folders_are_unknown() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir(root.join("sub")).expect("created");
        fs::write(root.join("sub/a.ts"), "1").expect("written");
        let Some(watch) = ChangeWatch::new(root, [b"sub".as_slice()].into_iter()) else {
            return; // A file system that other machines change.
        };
        assert_eq!(watch.changes(), Changes::Files(Vec::new()));
        fs::write(root.join("sub/a.ts"), "2").expect("written");
        fs::write(root.join("b.ts"), "2").expect("written");
        assert_eq!(watch.changes(), Changes::Files(vec![b"b.ts".to_vec(), b"sub/a.ts".to_vec()]));
        fs::remove_file(root.join("b.ts")).expect("removed");
        assert_eq!(watch.changes(), Changes::Files(vec![b"b.ts".to_vec()]));
        fs::write(root.join(".gitignore"), "x").expect("written");
        assert_eq!(watch.changes(), Changes::Unknown);
        fs::create_dir(root.join("new")).expect("created");
        assert_eq!(watch.changes(), Changes::Unknown);
        assert_eq!(watch.changes(), Changes::Files(Vec::new()));
    }

    #[test]
    fn nothing_is_known_once_a_folder_above_the_root_is_another_one() {
        let folder = tempfile::tempdir().expect("a folder");
        for above in ["one", "other"] {
            fs::create_dir_all(folder.path().join(above).join("tree")).expect("created");
        }
        let Some(watch) = ChangeWatch::new(&folder.path().join("one/tree"), std::iter::empty()) else {
            return; // A file system that other machines change.
        };
        assert_eq!(watch.changes(), Changes::Files(Vec::new()));
        fs::rename(folder.path().join("one"), folder.path().join("away")).expect("renamed");
        fs::rename(folder.path().join("other"), folder.path().join("one")).expect("renamed");
        assert_eq!(watch.changes(), Changes::Unknown);
    }

    #[test]
    fn a_folder_that_is_in_the_tree_twice_is_not_watched() {
        use std::ffi::{CString, c_char, c_int, c_ulong, c_void};
        use std::os::unix::ffi::OsStrExt;
        unsafe extern "C" {
            fn unshare(flags: c_int) -> c_int;
            fn mount(
                from: *const c_char,
                to: *const c_char,
                kind: *const c_char,
                flags: c_ulong,
                data: *const c_void,
            ) -> c_int;
        }
        const NEW_MOUNTS: c_int = 0x2_0000;
        const PRIVATE_BELOW: c_ulong = 0x4_4000;
        const BIND: c_ulong = 0x1000;
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["one", "two"] {
            fs::create_dir(folder.path().join(name)).expect("created");
        }
        let watch = |root: &Path| ChangeWatch::new(root, [b"one".as_slice(), b"two"].into_iter());
        if watch(folder.path()).is_none() {
            return; // A file system that other machines change.
        }
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).expect("no zero");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (one, two) = (text(&folder.path().join("one")), text(&folder.path().join("two")));
                let nothing = std::ptr::null();
                // SAFETY: all texts end with a zero; the mounts are those of this thread alone.
                let is_bound = unsafe {
                    unshare(NEW_MOUNTS) == 0
                        && mount(nothing, c"/".as_ptr(), nothing, PRIVATE_BELOW, nothing.cast()) == 0
                        && mount(one.as_ptr(), two.as_ptr(), nothing, BIND, nothing.cast()) == 0
                };
                // Only the system's administrator may.
                assert!(!is_bound || watch(folder.path()).is_none());
            });
        });
    }
}
