//! Reading one directory into flat, reusable memory.
//!
//! On Linux the kernel's records are read straight into a stack buffer: no per-entry allocation and no `stat`,
//! since the record already says what kind of thing it names. Elsewhere the standard library does the job.

use std::io;
use std::path::Path;

use crate::snapshot::Kind;
use crate::stats::Stat;

/// A name inside a [`Listing`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    start: u32,
    len: u16,
    pub kind: Kind,
}

/// The names of one directory; cleared and filled again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    names: Vec<u8>,
    items: Vec<Item>,
}

impl Listing {
    pub fn name(&self, item: Item) -> &[u8] {
        let start = item.start as usize;
        &self.names[start..start + usize::from(item.len)]
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Keeps what `keep` accepts, ordered by name.
    pub fn retain_sorted(&mut self, mut keep: impl FnMut(&[u8], Kind) -> bool) {
        let names = std::mem::take(&mut self.names);
        let name = |item: &Item| &names[item.start as usize..item.start as usize + usize::from(item.len)];
        self.items.retain(|item| keep(name(item), item.kind));
        self.items.sort_unstable_by(|a, b| name(a).cmp(name(b)));
        self.names = names;
    }

    fn push(&mut self, name: &[u8], kind: Kind) {
        let start = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.items.push(Item { start, len: name.len() as u16, kind });
    }

    pub fn fill(&mut self, path: &Path) -> io::Result<()> {
        self.fill_open(path).map(drop)
    }

    /// The same, and keeps the directory open, so that its entries can be asked about.
    #[cfg(target_os = "linux")]
    pub fn fill_open(&mut self, path: &Path) -> io::Result<Folder> {
        use rustix::fs::{FileType, Mode, OFlags, RawDir};
        self.names.clear();
        self.items.clear();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let directory = rustix::fs::open(path, flags, Mode::empty())?;
        let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); 32 * 1024];
        let mut records = RawDir::new(&directory, &mut buffer);
        while let Some(record) = records.next() {
            let record = record?;
            let name = record.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = match record.file_type() {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Directory,
                FileType::Symlink => Kind::Symlink,
                // Some file systems leave the kind out of the record.
                FileType::Unknown => {
                    match rustix::fs::statat(&directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
                        Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                            FileType::RegularFile => Kind::File,
                            FileType::Directory => Kind::Directory,
                            FileType::Symlink => Kind::Symlink,
                            _ => Kind::Other,
                        },
                        // It vanished between the two calls.
                        Err(_) => continue,
                    }
                }
                _ => Kind::Other,
            };
            self.push(name.to_bytes(), kind);
        }
        Ok(Folder { directory })
    }

    #[cfg(not(target_os = "linux"))]
    pub fn fill_open(&mut self, path: &Path) -> io::Result<Folder> {
        self.names.clear();
        self.items.clear();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            // An entry that vanished between the two calls is left out.
            let Ok(file_type) = entry.file_type() else { continue };
            let kind = if file_type.is_file() {
                Kind::File
            } else if file_type.is_dir() {
                Kind::Directory
            } else if file_type.is_symlink() {
                Kind::Symlink
            } else {
                Kind::Other
            };
            self.push(entry.file_name().as_encoded_bytes(), kind);
        }
        Ok(Folder {})
    }
}

/// A directory whose entries can be asked about.
#[derive(Debug)]
pub(crate) struct Folder {
    #[cfg(target_os = "linux")]
    directory: std::os::fd::OwnedFd,
}

impl Folder {
    /// The facts about an entry; a link is not followed. `path` is the whole path to `name`.
    #[cfg(target_os = "linux")]
    pub fn stat(&self, name: &[u8], _path: &Path) -> io::Result<Stat> {
        use rustix::fs::{AtFlags, FileType};
        let stat = rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let mode = stat.st_mode;
        if FileType::from_raw_mode(mode) == FileType::Directory {
            return Ok(Stat { mode, ..Stat::default() });
        }
        let nanoseconds = |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        Ok(Stat {
            size: stat.st_size as u64,
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            mode,
        })
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn stat(&self, _name: &[u8], path: &Path) -> io::Result<Stat> {
        use std::os::unix::fs::MetadataExt;
        let stat = path.symlink_metadata()?;
        let mode = stat.mode();
        if stat.is_dir() {
            return Ok(Stat { mode, ..Stat::default() });
        }
        let nanoseconds = |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        Ok(Stat {
            size: stat.size(),
            modified: nanoseconds(stat.mtime(), stat.mtime_nsec()),
            changed: nanoseconds(stat.ctime(), stat.ctime_nsec()),
            inode: stat.ino(),
            mode,
        })
    }

    #[cfg(not(unix))]
    pub fn stat(&self, _name: &[u8], path: &Path) -> io::Result<Stat> {
        let stat = path.symlink_metadata()?;
        let kind = if stat.is_dir() {
            0o040_000
        } else if stat.is_symlink() {
            0o120_000
        } else {
            0o100_000
        };
        let mode = kind | if stat.permissions().readonly() { 0o444 } else { 0o666 };
        if stat.is_dir() {
            return Ok(Stat { mode, ..Stat::default() });
        }
        let since = stat.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(Stat { size: stat.len(), modified: since.as_nanos() as i64, mode, ..Stat::default() })
    }
}
