//! Reading one directory into flat, reusable memory.
//!
//! On Linux the kernel's records are read straight into a stack buffer: no per-entry allocation and no `stat`,
//! since the record already says what kind of thing it names. Elsewhere the standard library does the job.

use std::io;
use std::path::Path;

use crate::snapshot::Kind;

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

    #[cfg(target_os = "linux")]
    pub fn fill(&mut self, path: &Path) -> io::Result<()> {
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
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub fn fill(&mut self, path: &Path) -> io::Result<()> {
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
        Ok(())
    }
}
