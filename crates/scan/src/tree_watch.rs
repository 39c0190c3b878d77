//! Whether anything at all happened in a set of folders: names, contents or permissions of what lies in them.
//!
//! Undo takes a snapshot before every call that may change files, and most of the time nothing changed. Asking each of fifty
//! thousand files takes longer than reading an empty event queue. Nothing listens in the background; the kernel queues the events.
//!
//! What the queue does not tell: writes through a memory mapping that was made before, and through a second name (hard link)
//! in a folder that is not watched. Therefore whoever uses it walks the tree from time to time all the same. On file
//! systems that other machines change, there is no watching at all.

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

    use crate::paths::{WatchedRoot, bytes_of, path_of};

    /// ext, xfs, btrfs, tmpfs, f2fs, overlay, zfs, bcachefs: only this machine changes them.
    const LOCAL: [u64; 8] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0xf2f5_2010, 0x794c_7630, 0x2fc1_2fc1, 0xca45_1a4e];

    /// The same as the list of mounts names them; there, a server that does not answer keeps nobody waiting.
    const LOCAL_NAMES: [&[u8]; 10] =
        [b"ext2", b"ext3", b"ext4", b"xfs", b"btrfs", b"tmpfs", b"f2fs", b"overlay", b"zfs", b"bcachefs"];

    /// Whether only this machine changes what lies in a folder and below it.
    pub(crate) fn is_local(folder: &Path) -> bool {
        rustix::fs::statfs(folder).is_ok_and(|found| LOCAL.contains(&(found.f_type as u64 & 0xffff_ffff)))
            && std::fs::read("/proc/thread-self/mountinfo").is_ok_and(|mounts| has_local_mounts_only(folder, &mounts))
    }

    fn has_local_mounts_only(folder: &Path, mounts: &[u8]) -> bool {
        mounts.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).all(|line| {
            let mut words = line.split(|byte| *byte == b' ');
            let place = words.nth(4).map(unescaped).unwrap_or_default();
            // Behind the dash, which follows any number of other words, stands the type.
            let kind = words.skip_while(|word| *word != b"-").nth(1).unwrap_or_default();
            let place = path_of(&place);
            LOCAL_NAMES.contains(&kind) || place == folder || !place.starts_with(folder)
        })
    }

    /// The list of mounts writes blanks and backslashes as three octal digits.
    fn unescaped(word: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(word.len());
        let mut rest = word;
        while let Some((byte, behind)) = rest.split_first() {
            let digits = behind.get(..3).filter(|_| *byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
            match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
                Some(escaped) => {
                    bytes.push(escaped);
                    rest = &behind[3..];
                }
                None => {
                    bytes.push(*byte);
                    rest = behind;
                }
            }
        }
        bytes
    }

    /// Watches of a set of folders.
    #[derive(Debug)]
    pub struct TreeWatch {
        root: WatchedRoot,
        queue: OwnedFd,
        is_outdated: AtomicBool,
    }

    impl TreeWatch {
        /// Watches a folder and those below it that are named, each followed by NUL; none when not all can be watched.
        pub fn new(root: &Path, folders: &[u8]) -> Option<Self> {
            if !is_local(root) {
                return None;
            }
            let names: Vec<&[u8]> = folders.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
            if names.len() >= crate::watch::most_watches() {
                return None;
            }
            let watched_root = WatchedRoot::new(root)?;
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let events = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            inotify::add_watch(&queue, root, events).ok()?;
            let mut path = bytes_of(root).to_owned();
            path.push(b'/');
            let base = path.len();
            for name in names {
                path.truncate(base);
                path.extend_from_slice(name);
                inotify::add_watch(&queue, path_of(&path), events).ok()?;
            }
            Some(Self { root: watched_root, queue, is_outdated: AtomicBool::new(false) })
        }

        /// Reads the queue: true when nothing happened since it was read last.
        pub fn is_unchanged(&self) -> bool {
            let mut unchanged = self.root.is_there();
            let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
            let mut reader = inotify::Reader::new(&self.queue, &mut buffer);
            loop {
                match reader.next() {
                    Ok(event) => {
                        let happened = event.events();
                        // A watch that was taken away told so with an event of its own.
                        unchanged &= happened == ReadFlags::IGNORED;
                        if concerns_folders(happened) {
                            self.is_outdated.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(rustix::io::Errno::AGAIN) => return unchanged,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }

        /// True once a folder came, went or was moved, as far as the queue was read: a watch follows the folder, not its name, so another
        /// folder may have the name now, and nobody watches that one. So also for a folder above the root, of which the queue tells nothing.
        pub fn is_outdated(&self) -> bool {
            self.is_outdated.load(Ordering::Relaxed) || !self.root.is_there()
        }
    }

    fn concerns_folders(happened: ReadFlags) -> bool {
        let itself = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED | ReadFlags::UNMOUNT;
        let named = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        happened.intersects(itself | ReadFlags::QUEUE_OVERFLOW)
            || (happened.contains(ReadFlags::ISDIR) && happened.intersects(named))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_folder_is_local_only_with_all_that_is_mounted_below_it() {
            let mounts = b"22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/root rw\n\
                23 22 0:21 / /proc rw - proc proc rw\n\
                24 22 0:22 / /srv/one rw,nosuid master:2 propagate_from:3 - fuse.host host rw\n\
                25 22 0:23 / /srv/two\\040words rw - tmpfs tmpfs rw\n\
                26 25 0:24 / /srv/two\\040words/three rw - 9p share rw\n";
            let is_local = |folder: &str| has_local_mounts_only(Path::new(folder), mounts);
            assert!(is_local("/home"));
            assert!(is_local("/srv/one/below"));
            assert!(is_local("/srv/two words/other"));
            assert!(!is_local("/"));
            assert!(!is_local("/srv"));
            assert!(!is_local("/srv/two words"));
        }

        #[test]
        fn nothing_is_watched_where_the_kernel_itself_makes_the_files() {
            // What lies in `/proc` changes without any event.
            assert!(!is_local(Path::new("/proc/sys")));
            assert!(!is_local(Path::new("/")));
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::TreeWatch;
#[cfg(target_os = "linux")]
pub(crate) use linux::is_local;

/// Nothing is watched here, so nothing is vouched for.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_local(_folder: &std::path::Path) -> bool {
    false
}

/// No watching here.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct TreeWatch;

#[cfg(not(target_os = "linux"))]
impl TreeWatch {
    /// Never.
    pub fn new(_root: &std::path::Path, _folders: &[u8]) -> Option<Self> {
        None
    }

    /// Never known.
    pub fn is_unchanged(&self) -> bool {
        false
    }

    /// Always.
    pub fn is_outdated(&self) -> bool {
        true
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::expect_used)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_above_the_root_that_is_another_one_makes_the_watch_outdated() {
        let folder = tempfile::tempdir().expect("a folder");
        for above in ["one", "other"] {
            fs::create_dir_all(folder.path().join(above).join("tree")).expect("created");
        }
        let Some(watch) = TreeWatch::new(&folder.path().join("one/tree"), b"") else {
            return; // A file system that other machines change.
        };
        assert!(watch.is_unchanged() && !watch.is_outdated());
        fs::rename(folder.path().join("one"), folder.path().join("away")).expect("renamed");
        assert!(!watch.is_unchanged() && watch.is_outdated());
        fs::rename(folder.path().join("other"), folder.path().join("one")).expect("renamed");
        assert!(!watch.is_unchanged() && watch.is_outdated());
    }

    #[test]
    fn a_folder_that_takes_the_name_of_another_makes_the_watch_outdated() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir(root.join("sub")).expect("created");
        let Some(watch) = TreeWatch::new(root, b"sub\0") else {
            return; // A file system that other machines change.
        };
        assert!(watch.is_unchanged());
        fs::write(root.join("sub/a"), "1").expect("written");
        fs::rename(root.join("sub/a"), root.join("sub/b")).expect("renamed");
        assert!(!watch.is_unchanged());
        assert!(!watch.is_outdated(), "files alone do not");
        fs::rename(root.join("sub"), root.join("other")).expect("renamed");
        fs::create_dir(root.join("sub")).expect("created");
        assert!(!watch.is_unchanged());
        assert!(watch.is_outdated());
        fs::write(root.join("sub/a"), "1").expect("written");
        assert!(watch.is_unchanged(), "what the watch cannot see");
        assert!(watch.is_outdated(), "it stays so");
    }
}
