//! What tells whether a file is still the one that was indexed.

use rustix::fs::{AtFlags, Mode, OFlags};
use tenon_scan::path_of;

/// Size, time of the last change and number. The system alone sets that time, so nothing that writes a file can hide it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub size: u64,
    /// Nanoseconds since the epoch.
    pub changed: i64,
    pub inode: u64,
}

/// Asks about files; those of one folder in a row share its handle.
#[derive(Debug, Default)]
pub(crate) struct FolderStats {
    open: Option<(u32, Option<std::os::fd::OwnedFd>)>,
}

impl FolderStats {
    /// The stamp of a regular file; none when there is none.
    pub fn stat(&mut self, number: u32, folder: impl FnOnce() -> Vec<u8>, name: &[u8]) -> Option<Stamp> {
        if self.open.as_ref().is_none_or(|(known, _)| *known != number) {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.open = Some((number, rustix::fs::open(path_of(&folder()), flags, Mode::empty()).ok()));
        }
        let handle = self.open.as_ref()?.1.as_ref()?;
        let stat = rustix::fs::statat(handle, path_of(name), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile)
            .then(|| stamp_of(&stat))
    }
}

// The numbers are narrower on some platforms.
#[allow(clippy::unnecessary_cast)]
pub(super) fn stamp_of(stat: &rustix::fs::Stat) -> Stamp {
    Stamp {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        changed: (stat.st_ctime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_ctime_nsec as i64),
        inode: stat.st_ino,
    }
}
