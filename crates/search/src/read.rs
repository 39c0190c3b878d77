//! Reading files into one buffer per worker.
//!
//! `read` into memory that is already there beats mapping: mapping a small file costs more than copying it, and a
//! mapped file that shrinks kills the process. Files are opened relative to their folder, which spares the kernel
//! the walk down a long path, and a file whose first bytes hold a NUL is left before the rest is read. A large file is looked
//! through window by window: each is searched while the processor still has it at hand, and only a file with a match is
//! read as a whole.

use std::io;
use std::ops::Range;

use memchr::{memchr, memrchr};
use tenon_scan::path_of;

use crate::verdict::PartsOf;

/// A NUL within this many bytes makes a file binary.
const BINARY_WINDOW: usize = 64 * 1024;

/// What the workers' buffers may keep between files, all together. More costs memory, less costs page faults.
const KEPT_BUFFERS: usize = 16 << 20;

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// UTF-8, or bytes without a NUL near the start.
    Text(&'a [u8]),
    /// Text of which no line is wanted.
    Nothing,
    Binary,
    TooLarge,
}

/// What somebody who looks at some lines of a file makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) enum Look {
    /// None of them is wanted.
    Nothing,
    /// These lines are all that is needed.
    Enough,
    /// The whole file is wanted.
    Whole,
}

/// One worker's buffers and open folder.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    bytes: Vec<u8>,
    decoded: Vec<u8>,
    #[cfg(unix)]
    window: Vec<u8>,
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
        let (file, short_reads_end) = self.open(number, folder, name)?;
        self.read_all(&file, short_reads_end, most)
    }

    /// As [`Self::read`], for who wants the file only if some of its lines are of interest: `look` sees the lines of a large file,
    /// some at a time. A file that fits into the window is given without asking.
    #[cfg(unix)]
    pub fn read_if(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
        look: impl FnMut(&[u8]) -> Look,
    ) -> io::Result<Content<'_>> {
        let (file, short_reads_end) = self.open(number, folder, name)?;
        self.read_windows(&file, short_reads_end, most, look)
    }

    #[cfg(unix)]
    fn read_windows(
        &mut self,
        file: &std::os::fd::OwnedFd,
        short_reads_end: bool,
        most: usize,
        look: impl FnMut(&[u8]) -> Look,
    ) -> io::Result<Content<'_>> {
        match look_through(file, &mut self.window, short_reads_end, most, look)? {
            Windows::Small => Ok(content(&self.window, &mut self.decoded, most)),
            Windows::Enough(lines) => Ok(Content::Text(&self.window[lines])),
            Windows::Nothing => Ok(Content::Nothing),
            Windows::Binary => Ok(Content::Binary),
            Windows::TooLarge => Ok(Content::TooLarge),
            Windows::Whole => {
                rustix::fs::seek(file, rustix::fs::SeekFrom::Start(0))?;
                self.read_all(file, short_reads_end, most)
            }
        }
    }

    /// As [`Self::read_if`], for a file of which it is known that every line of interest has a byte in one of these parts of its text.
    #[cfg(unix)]
    pub fn read_parts_if(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
        parts: &PartsOf<'_>,
        mut look: impl FnMut(&[u8]) -> Look,
    ) -> io::Result<Content<'_>> {
        let (file, short_reads_end) = self.open(number, folder, name)?;
        match look_at_parts(&file, &mut self.window, parts, &mut look)? {
            Parts::Nothing => return Ok(Content::Nothing),
            Parts::Enough(lines) => return Ok(Content::Text(&self.window[lines])),
            Parts::Whole => return self.read_all(&file, short_reads_end, most),
            Parts::Unclear => {}
        }
        self.read_windows(&file, short_reads_end, most, look)
    }

    #[cfg(unix)]
    fn open(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
    ) -> io::Result<(std::os::fd::OwnedFd, bool)> {
        use rustix::fs::{Mode, OFlags};
        let access = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        if self.folder.as_ref().is_none_or(|known| known.number != number) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let handle = rustix::fs::open(path_of(&folder()), flags, Mode::empty())?;
            self.folder = Some(Folder { number, short_reads_end: short_reads_end(&handle), handle });
        }
        let Some(folder) = &self.folder else { return Err(io::ErrorKind::NotFound.into()) };
        Ok((rustix::fs::openat(&folder.handle, path_of(name), access, Mode::empty())?, folder.short_reads_end))
    }

    #[cfg(unix)]
    fn read_all(&mut self, file: &std::os::fd::OwnedFd, short_reads_end: bool, most: usize) -> io::Result<Content<'_>> {
        fill(&mut self.bytes, most, short_reads_end, || size_of_file(file), |bytes| read_some(file, bytes))?;
        Ok(content(&self.bytes, &mut self.decoded, most))
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
        Ok(content(&self.bytes, &mut self.decoded, most))
    }

    /// As [`Self::read`]: here every file is read as a whole.
    #[cfg(not(unix))]
    pub fn read_if(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
        _look: impl FnMut(&[u8]) -> Look,
    ) -> io::Result<Content<'_>> {
        self.read(number, folder, name, most)
    }

    /// As [`Self::read`]: here every file is read as a whole.
    #[cfg(not(unix))]
    pub fn read_parts_if(
        &mut self,
        number: u32,
        folder: impl FnOnce() -> Vec<u8>,
        name: &[u8],
        most: usize,
        _parts: &PartsOf<'_>,
        _look: impl FnMut(&[u8]) -> Look,
    ) -> io::Result<Content<'_>> {
        self.read(number, folder, name, most)
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

fn content<'a>(bytes: &'a [u8], decoded: &'a mut Vec<u8>, most: usize) -> Content<'a> {
    if bytes.len() > most {
        return Content::TooLarge;
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => {
            decode_utf16(rest, u16::from_le_bytes, decoded);
            Content::Text(decoded)
        }
        [0xfe, 0xff, rest @ ..] => {
            decode_utf16(rest, u16::from_be_bytes, decoded);
            Content::Text(decoded)
        }
        plain => text_or_binary(&plain[mark_of(plain)..]),
    }
}

/// The length of the byte order mark of UTF-8, if there is one.
fn mark_of(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// How much of a large file is looked at at once: it stays in the processor's second cache.
#[cfg(unix)]
const WINDOW: usize = 128 * 1024;

/// What looking through a file came to.
#[cfg(unix)]
enum Windows {
    /// All of it is in the window.
    Small,
    /// These bytes of the window are all that is needed.
    Enough(Range<usize>),
    Nothing,
    Binary,
    TooLarge,
    Whole,
}

#[cfg(unix)]
fn look_through(
    file: &std::os::fd::OwnedFd,
    window: &mut Vec<u8>,
    short_reads_end: bool,
    most: usize,
    mut look: impl FnMut(&[u8]) -> Look,
) -> io::Result<Windows> {
    window.clear();
    window.reserve_exact(WINDOW);
    let mut read = 0;
    let mut is_first = true;
    loop {
        let is_end = fill_window(file, window, short_reads_end, &mut read)?;
        let mut start = 0;
        if is_first {
            if is_end {
                return Ok(Windows::Small);
            }
            if size_of_file(file) > most {
                return Ok(Windows::TooLarge);
            }
            if is_utf16(window) {
                return Ok(Windows::Whole);
            }
            start = mark_of(window);
            if memchr(0, &window[start..][..BINARY_WINDOW]).is_some() {
                return Ok(Windows::Binary);
            }
            is_first = false;
        }
        if read > most {
            return Ok(Windows::TooLarge);
        }
        let end = if is_end { Some(window.len()) } else { memrchr(b'\n', window).map(|at| at + 1) };
        // A line that is longer than the window cannot be judged by its parts.
        let Some(end) = end else { return Ok(Windows::Whole) };
        match look(&window[start..end]) {
            Look::Whole => return Ok(Windows::Whole),
            Look::Enough => return Ok(Windows::Enough(start..end)),
            Look::Nothing if is_end => return Ok(Windows::Nothing),
            Look::Nothing => {
                window.copy_within(end.., 0);
                window.truncate(window.len() - end);
            }
        }
    }
}

/// What looking at some parts of a file came to.
#[cfg(unix)]
enum Parts {
    Nothing,
    /// These bytes of the window are all that is needed.
    Enough(Range<usize>),
    Whole,
    /// The lines around the parts are too long for this pattern, or the file is no UTF-8.
    Unclear,
}

/// How far the line, or what a match can be, may reach beyond the border of a part.
#[cfg(unix)]
const MARGIN: usize = 4 * 1024;

#[cfg(unix)]
fn look_at_parts(
    file: &std::os::fd::OwnedFd,
    window: &mut Vec<u8>,
    parts: &PartsOf<'_>,
    look: &mut impl FnMut(&[u8]) -> Look,
) -> io::Result<Parts> {
    read_at(file, window, 0..4)?;
    if is_utf16(window) {
        return Ok(Parts::Unclear);
    }
    let mark = mark_of(window);
    for part in parts.parts {
        let (start, end) = (part.range.start + mark, part.range.end + mark);
        // From the margin before the part, or from the start of the text, to the margin behind it.
        let from = start.saturating_sub(MARGIN).max(mark);
        let is_end = read_at(file, window, from..end + MARGIN)?;
        if window.len() <= start - from || !parts.may_match(part, window) {
            continue;
        }
        let first = if from == mark { Some(0) } else { memrchr(b'\n', &window[..start - from]).map(|at| at + 1) };
        let behind = (end - 1 - from).min(window.len());
        let last = memchr(b'\n', &window[behind..]).map(|at| behind + at + 1).or(is_end.then_some(window.len()));
        // Of a line that goes further it is enough to look from one byte that no match holds to another: with both of them, since
        // a pattern may ask for the border of a word or a line, and there no line begins or ends.
        let is_between = |byte: &u8| parts.between.has(*byte);
        let first = first.or_else(|| window[..start - from].iter().rposition(is_between));
        let last = last.or_else(|| window[behind..].iter().position(is_between).map(|at| behind + at + 1));
        let (Some(first), Some(last)) = (first, last) else { return Ok(Parts::Unclear) };
        match look(&window[first..last]) {
            Look::Nothing => {}
            Look::Enough => return Ok(Parts::Enough(first..last)),
            Look::Whole => return Ok(Parts::Whole),
        }
    }
    Ok(Parts::Nothing)
}

/// Fills the window with these bytes of a file and no more; true when the file ends before they do.
#[cfg(unix)]
fn read_at(file: &std::os::fd::OwnedFd, window: &mut Vec<u8>, bytes: Range<usize>) -> io::Result<bool> {
    window.resize(bytes.len(), 0);
    let mut filled = 0;
    while filled < window.len() {
        match rustix::io::pread(file, &mut window[filled..], (bytes.start + filled) as u64) {
            Ok(0) => {
                window.truncate(filled);
                return Ok(true);
            }
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Fills the window; true at the end of the file. `read` counts all bytes of the file so far.
#[cfg(unix)]
fn fill_window(
    file: &std::os::fd::OwnedFd,
    window: &mut Vec<u8>,
    short_reads_end: bool,
    read: &mut usize,
) -> io::Result<bool> {
    while window.len() < window.capacity() {
        let room = window.capacity() - window.len();
        let count = read_some(file, window)?;
        *read += count;
        if count == 0 || (short_reads_end && count < room && !read.is_multiple_of(PAGE)) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(unix)]
fn size_of_file(file: &std::os::fd::OwnedFd) -> usize {
    rustix::fs::fstat(file).map_or(0, |stat| usize::try_from(stat.st_size).unwrap_or(0))
}

/// Reads into the room that is left in a buffer.
#[cfg(unix)]
fn read_some(file: &std::os::fd::OwnedFd, bytes: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        match rustix::io::read(file, rustix::buffer::spare_capacity(bytes)) {
            Err(rustix::io::Errno::INTR) => {}
            outcome => return Ok(outcome?),
        }
    }
}

/// A read that fails half-way gives whole pages.
const PAGE: usize = 4096;

/// Whether a read that gives less than was asked for, and does not end between two pages, has reached the end, so that the read
/// that only says "end" can be spared: for nearly all source files one system call of four. True for file systems that read
/// through the page cache; a kernel's or a program's made-up files come in pieces of any size.
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
        let room = bytes.capacity() - bytes.len();
        let count = read(bytes)?;
        let is_end = count == 0 || (short_reads_end && count < room && !bytes.len().is_multiple_of(PAGE));
        if is_end || bytes.len() > most {
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
            Content::Nothing | Content::Binary | Content::TooLarge => None,
        }
    }

    /// What comes of a file when lines that hold `wanted` make all of it wanted, and what was looked at.
    #[cfg(unix)]
    fn read_if(content: &[u8], wanted: &[u8], found: Look) -> (String, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), content).unwrap();
        let mut seen = Vec::new();
        let mut reader = Reader::new(1);
        let place = || tenon_scan::bytes_of(folder.path()).to_owned();
        let outcome = reader.read_if(0, place, b"f", 1 << 20, |lines| {
            seen.extend_from_slice(lines);
            if memchr::memmem::find(lines, wanted).is_some() { found } else { Look::Nothing }
        });
        let outcome = match outcome.unwrap() {
            Content::Text(text) if text == content => "whole".to_owned(),
            Content::Text(text) => format!("{} bytes", text.len()),
            other => format!("{other:?}"),
        };
        (outcome, seen)
    }

    #[cfg(unix)]
    #[test]
    fn a_large_file_is_looked_at_line_by_line_and_read_again_when_it_is_wanted() {
        let line = b"some words on a line\n".as_slice();
        let large = [line.repeat(20_000), b"the end".to_vec()].concat();
        assert_eq!(read_if(&large, b"nowhere", Look::Whole), ("Nothing".to_owned(), large.clone()));
        let (outcome, seen) = read_if(&large, b"the end", Look::Whole);
        assert_eq!((outcome.as_str(), seen == large), ("whole", true));
        let (outcome, seen) = read_if(&large, b"words", Look::Enough);
        assert_eq!((outcome, seen.len()), (format!("{} bytes", WINDOW / 21 * 21), WINDOW / 21 * 21));
        assert_eq!(read_if(line, b"words", Look::Nothing), ("whole".to_owned(), Vec::new()));
        let long_line = b"x".repeat(WINDOW * 2);
        assert_eq!(read_if(&long_line, b"y", Look::Nothing), ("whole".to_owned(), Vec::new()));
        assert_eq!(read_if(&b"a\n".repeat(1 << 20), b"a", Look::Whole).0, "TooLarge");
        assert_eq!(read_if(&[b"\0".to_vec(), large.clone()].concat(), b"words", Look::Whole).0, "Binary");
        let (_, seen) = read_if(&[b"\xef\xbb\xbf".to_vec(), large.clone()].concat(), b"nowhere", Look::Whole);
        assert_eq!(seen, large);
    }

    #[cfg(unix)]
    #[test]
    fn files_of_every_size_around_a_page_and_a_window_are_read_to_their_end() {
        for size in [
            0,
            1,
            PAGE - 1,
            PAGE,
            PAGE + 1,
            2 * PAGE,
            BINARY_WINDOW,
            BINARY_WINDOW + 1,
            WINDOW - 1,
            WINDOW,
            WINDOW + 1,
            WINDOW + PAGE,
        ] {
            let content: Vec<u8> =
                (0..size).map(|at| if at % 50 == 0 { b'\n' } else { b'a' + (at % 26) as u8 }).collect();
            assert_eq!(read(&content).unwrap(), content, "{size}");
            assert_eq!(read_if(&content, b"a", Look::Whole).0, "whole", "{size}");
            let (_, seen) = read_if(&content, b"-", Look::Whole);
            assert!(size < WINDOW || seen == content, "{size}");
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
