//! Reading files into one buffer per worker.
//!
//! `read` into memory that is already there beats mapping: mapping a small file costs more than copying it, and a
//! mapped file that shrinks kills the process. Files are opened relative to their folder, which spares the kernel
//! the walk down a long path, and a file whose first bytes hold a NUL is left before the rest is read.

use std::io;

use memchr::memchr;
use tenon_scan::path_of;

/// A NUL within this many bytes makes a file binary.
const BINARY_WINDOW: usize = 64 * 1024;

/// What the workers' buffers may keep between files, all together. More costs memory, less costs page faults.
const KEPT_BUFFERS: usize = 16 << 20;

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// UTF-8, or bytes without a NUL near the start.
    Text(&'a [u8]),
    Binary,
    TooLarge,
}

/// One worker's buffers and open folder.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    bytes: Vec<u8>,
    decoded: Vec<u8>,
    /// What a buffer has beyond this is given back after use.
    kept: usize,
    #[cfg(unix)]
    folder: Option<Folder>,
}

/// A folder that stays open for its files.
#[cfg(unix)]
#[derive(Debug)]
struct Folder {
    number: u32,
    handle: std::os::fd::OwnedFd,
    /// See [`short_reads_end`].
    short_reads_end: bool,
}

impl Reader {
    /// The reader of one of so many workers.
    pub fn new(workers: usize) -> Self {
        Self { kept: (KEPT_BUFFERS / workers.max(1)).max(2 * BINARY_WINDOW), ..Self::default() }
    }

    /// Reads a file of the folder `number`, which lies at `folder`; files of one folder in a row share its handle.
    #[cfg(unix)]
    pub fn read(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
    ) -> io::Result<Content<'_>> {
        use rustix::fs::{Mode, OFlags};
        let access = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        if self.folder.as_ref().is_none_or(|known| known.number != number) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let handle = rustix::fs::open(path_of(&folder()), flags, Mode::empty())?;
            self.folder = Some(Folder { number, short_reads_end: short_reads_end(&handle), handle });
        }
        let Some(folder) = &self.folder else { return Err(io::ErrorKind::NotFound.into()) };
        let file = rustix::fs::openat(&folder.handle, path_of(name), access, Mode::empty())?;
        let size = || rustix::fs::fstat(&file).map_or(0, |stat| usize::try_from(stat.st_size).unwrap_or(0));
        fill(&mut self.bytes, most, folder.short_reads_end, size, |bytes| {
            loop {
                match rustix::io::read(&file, rustix::buffer::spare_capacity(bytes)) {
                    Err(rustix::io::Errno::INTR) => {}
                    outcome => return Ok(outcome?),
                }
            }
        })?;
        Ok(self.content(most))
    }

    /// Reads a file of the folder at `folder`.
    #[cfg(not(unix))]
    pub fn read(
        &mut self,
        _number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
    ) -> io::Result<Content<'_>> {
        use std::io::Read;
        let file = std::fs::File::open(path_of(&folder()).join(path_of(name)))?;
        let size = || file.metadata().map_or(0, |data| usize::try_from(data.len()).unwrap_or(0));
        fill(&mut self.bytes, most, false, size, |bytes| {
            let room = (bytes.capacity() - bytes.len()) as u64;
            (&file).take(room).read_to_end(bytes)
        })?;
        Ok(self.content(most))
    }

    fn content(&mut self, most: usize) -> Content<'_> {
        if self.bytes.len() > most {
            return Content::TooLarge;
        }
        match self.bytes.as_slice() {
            [0xef, 0xbb, 0xbf, rest @ ..] => text_or_binary(rest),
            [0xff, 0xfe, rest @ ..] => {
                decode_utf16(rest, u16::from_le_bytes, &mut self.decoded);
                Content::Text(&self.decoded)
            }
            [0xfe, 0xff, rest @ ..] => {
                decode_utf16(rest, u16::from_be_bytes, &mut self.decoded);
                Content::Text(&self.decoded)
            }
            plain => text_or_binary(plain),
        }
    }

    /// Gives back what large files needed. Shrinking returns it to the system at once. Freeing would teach glibc to keep
    /// blocks of that size, and the results that are allocated in between would pin them.
    pub fn release(&mut self) {
        for buffer in [&mut self.bytes, &mut self.decoded] {
            if buffer.capacity() > self.kept {
                buffer.clear();
                buffer.shrink_to(self.kept);
            }
        }
    }
}

/// A file that ends within its first page is either given whole or not at all.
const PAGE: usize = 4096;

/// Whether a read of less than a page, when more was asked for, is the whole file, so that the read that only says
/// "end" can be spared: for nine of ten source files one system call of four. True for file systems that read through
/// the page cache; a kernel's or a program's made-up files come in pieces of any size.
#[cfg(target_os = "linux")]
fn short_reads_end(folder: &std::os::fd::OwnedFd) -> bool {
    const EXT: u32 = 0xef53;
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683e;
    const F2FS: u32 = 0xf2f5_2010;
    const TMPFS: u32 = 0x0102_1994;
    const OVERLAY: u32 = 0x794c_7630;
    rustix::fs::fstatfs(folder)
        .is_ok_and(|system| matches!(system.f_type as u32, EXT | XFS | BTRFS | F2FS | TMPFS | OVERLAY))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn short_reads_end(_folder: &std::os::fd::OwnedFd) -> bool {
    false
}

/// Reads until the end, one byte past `most`, or the first sign of a binary file. `size` is only asked when the file
/// turns out to be large.
fn fill(
    bytes: &mut Vec<u8>,
    most: usize,
    short_reads_end: bool,
    size: impl Fn() -> usize,
    mut read: impl FnMut(&mut Vec<u8>) -> io::Result<usize>,
) -> io::Result<()> {
    bytes.clear();
    bytes.reserve(BINARY_WINDOW + 1);
    let mut judged = false;
    loop {
        if bytes.len() == bytes.capacity() {
            // With a byte more than the file has, the read that finds the end needs no more memory.
            let rest = (size().min(most) + 2).saturating_sub(bytes.len());
            if rest > 1 {
                bytes.reserve_exact(rest);
            } else {
                bytes.reserve(bytes.len());
            }
        }
        let count = read(bytes)?;
        if count == 0 || bytes.len() > most || (short_reads_end && bytes.len() < PAGE) {
            return Ok(());
        }
        if !judged && bytes.len() >= BINARY_WINDOW {
            judged = true;
            if !is_utf16(bytes) && memchr(0, &bytes[..BINARY_WINDOW]).is_some() {
                bytes.truncate(BINARY_WINDOW);
                return Ok(());
            }
        }
    }
}

fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

fn text_or_binary(bytes: &[u8]) -> Content<'_> {
    match memchr(0, &bytes[..bytes.len().min(BINARY_WINDOW)]) {
        Some(_) => Content::Binary,
        None => Content::Text(bytes),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, out: &mut Vec<u8>) {
    out.clear();
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut encoded = [0; 4];
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut encoded).as_bytes());
    }
    if !rest.is_empty() {
        out.extend_from_slice("\u{fffd}".as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), content).unwrap();
        match Reader::new(1).read(0, || tenon_scan::bytes_of(folder.path()).to_owned(), b"f", 1 << 20).unwrap() {
            Content::Text(text) => Some(text.to_owned()),
            Content::Binary | Content::TooLarge => None,
        }
    }

    #[test]
    fn byte_order_marks_are_understood_and_removed() {
        assert_eq!(read(b"\xef\xbb\xbfab").unwrap(), b"ab");
        assert_eq!(read(b"\xff\xfea\0\n\0").unwrap(), b"a\n");
        assert_eq!(read(b"\xfe\xff\0a\xd8\x3d\xde\0").unwrap(), "a😀".as_bytes());
        assert_eq!(read(b"\xff\xfea\0b").unwrap(), "a\u{fffd}".as_bytes());
    }

    #[test]
    fn a_nul_near_the_start_makes_a_file_binary_and_a_late_one_does_not() {
        assert!(read(b"ab\0c").is_none());
        let late = [b"a".repeat(BINARY_WINDOW), b"\0b".to_vec()].concat();
        assert_eq!(read(&late).unwrap(), late);
        assert!(read(&[b"a".repeat(BINARY_WINDOW - 1), b"\0b".to_vec()].concat()).is_none());
    }

    #[test]
    fn a_file_above_the_limit_is_not_read_to_the_end() {
        assert!(read(&b"a".repeat((1 << 20) + 1)).is_none());
        assert!(read(&b"a".repeat(1 << 20)).is_some());
    }
}
