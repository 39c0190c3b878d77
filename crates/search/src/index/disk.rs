//! The index in a file: written once under another name, then renamed, so that whoever opens it sees all of it.
//!
//! What each search needs is kept in memory, lists are read when they are asked for. Nothing is mapped: the system ends a process that
//! looks at a mapped file which somebody has cut, or whose disk has an error.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::SystemTime;

use tenon_scan::bytes_of;
use xxhash_rust::xxh3::Xxh3;

use super::build::numbers;
use super::grams::SPACE;
use super::stamp::{Stamp, stamp_of};

const MAGIC: &[u8; 8] = b"tenongrm";
/// Raised with every change of the format or of what a trigram is.
const VERSION: u32 = 5;
const HEADER: usize = 48;
/// The hash of all that stands before it, and the magic once more.
const FOOTER: usize = 16;
const DOC: usize = 40;
const COMMON: usize = SPACE / 8;
const OFFSETS: usize = (SPACE + 1) * 4;
/// Of files whose trigrams are not in the index.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// What the index knows of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum DocKind {
    /// Each search reads it.
    #[default]
    Always,
    Text,
    Binary,
}

/// One file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doc {
    pub stamp: Stamp,
    pub kind: DocKind,
    /// The first of its blocks.
    pub block: u32,
    /// More than one when it is large.
    pub blocks: u32,
}

impl Default for Doc {
    fn default() -> Self {
        Self { stamp: Stamp::default(), kind: DocKind::Always, block: NO_BLOCK, blocks: 0 }
    }
}

/// Where the text of a block begins in its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BlockStart(u32);

impl BlockStart {
    const INSIDE: u32 = 1 << 31;

    /// `is_inside_a_line`: the line at its start began in the block before.
    pub fn new(offset: usize, is_inside_a_line: bool) -> Self {
        Self(offset as u32 | if is_inside_a_line { Self::INSIDE } else { 0 })
    }

    pub fn offset(self) -> usize {
        (self.0 & !Self::INSIDE) as usize
    }

    pub fn is_inside_a_line(self) -> bool {
        self.0 & Self::INSIDE != 0
    }
}

/// An index before it is written.
pub(crate) struct Parts {
    docs: Vec<Doc>,
    starts: Vec<BlockStart>,
    common: Vec<u8>,
    offsets: Vec<u32>,
    lists: Vec<u8>,
}

impl Parts {
    pub fn new(docs: Vec<Doc>, starts: Vec<BlockStart>) -> Self {
        Self { docs, starts, common: vec![0; COMMON], offsets: vec![0], lists: Vec::new() }
    }

    pub fn push_common(&mut self, gram: usize) {
        self.common[gram / 8] |= 1 << (gram % 8);
        self.offsets.push(self.lists.len() as u32);
    }

    pub fn push_list(&mut self, blocks: &[u32]) {
        let mut last = 0;
        for (at, block) in blocks.iter().enumerate() {
            super::build::push_number(&mut self.lists, if at == 0 { *block } else { block - last });
            last = *block;
        }
        self.offsets.push(self.lists.len() as u32);
    }

    /// Writes the index; `path_of` gives the path of a file, relative to the root.
    pub fn write(&self, place: &Path, root: &Path, mut path_of: impl FnMut(usize, &mut Vec<u8>)) -> io::Result<()> {
        let mut paths = Vec::new();
        let mut ends = Vec::with_capacity(self.docs.len());
        for doc in 0..self.docs.len() {
            path_of(doc, &mut paths);
            ends.push(u32::try_from(paths.len()).map_err(|_| io::Error::other("too many paths for an index"))?);
        }
        if u32::try_from(self.lists.len()).is_err() {
            return Err(io::Error::other("too much text for an index"));
        }
        let root = bytes_of(root);
        let unfinished = place.with_extension(format!("{}.part", unique()));
        let file = private_file(&unfinished)?;
        let write = || -> io::Result<()> {
            let mut out = Hashed { out: BufWriter::with_capacity(1 << 20, file), hash: Xxh3::new() };
            out.write_all(MAGIC)?;
            for word in [VERSION, self.docs.len() as u32, self.starts.len() as u32, root.len() as u32] {
                out.write_all(&word.to_le_bytes())?;
            }
            for length in [paths.len(), self.lists.len(), 0] {
                out.write_all(&(length as u64).to_le_bytes())?;
            }
            for (doc, end) in self.docs.iter().zip(&ends) {
                for word in [*end, doc.block, doc.kind as u32, doc.blocks] {
                    out.write_all(&word.to_le_bytes())?;
                }
                out.write_all(&doc.stamp.size.to_le_bytes())?;
                out.write_all(&doc.stamp.changed.to_le_bytes())?;
                out.write_all(&doc.stamp.inode.to_le_bytes())?;
            }
            out.write_all(&self.common)?;
            for offset in &self.offsets {
                out.write_all(&offset.to_le_bytes())?;
            }
            for start in &self.starts {
                out.write_all(&start.0.to_le_bytes())?;
            }
            out.write_all(root)?;
            out.write_all(&paths)?;
            out.write_all(&self.lists)?;
            let hash = out.hash.digest();
            out.write_all(&hash.to_le_bytes())?;
            out.write_all(MAGIC)?;
            out.out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&unfinished, place)
        };
        let outcome = write();
        if outcome.is_err() {
            // What could not be finished is of no use; the error that is told is the first one.
            let _gone = fs::remove_file(&unfinished);
        }
        outcome
    }
}

/// A file that was not there before: nobody else's is written to, wherever a link may lead.
fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The number of a process is not enough: containers that share a cache have the same ones.
fn unique() -> String {
    use std::hash::BuildHasher;
    let random = std::hash::RandomState::new().hash_one(std::process::id());
    format!("{}-{random:016x}", std::process::id())
}

/// Knows the hash of what was written.
struct Hashed<W> {
    out: W,
    hash: Xxh3,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A regular file of this user: another one could make a search pass over files, or keep it waiting at a pipe.
fn own_file(path: &Path) -> Option<File> {
    use rustix::fs::{FileType, Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let is_own = stat.st_uid == rustix::process::geteuid().as_raw();
    (is_own && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then(|| file.into())
}

/// The lengths of what a file holds.
struct Layout {
    docs: usize,
    blocks: usize,
    starts_at: usize,
    root_at: usize,
    paths_at: usize,
    lists_at: usize,
    lists_end: usize,
}

impl Layout {
    /// None when the file is no index of this version, or not as long as its header says.
    fn of(header: &[u8; HEADER], length: usize) -> Option<Self> {
        if header[..8] != *MAGIC || word(header, 8)? != VERSION {
            return None;
        }
        let (docs, blocks, root) = (word(header, 12)? as usize, word(header, 16)? as usize, word(header, 20)? as usize);
        let (paths, lists) = (usize::try_from(long(header, 24)?).ok()?, usize::try_from(long(header, 32)?).ok()?);
        let starts_at = HEADER + docs.checked_mul(DOC)? + COMMON + OFFSETS;
        let root_at = starts_at.checked_add(blocks.checked_mul(4)?)?;
        let paths_at = root_at.checked_add(root)?;
        let lists_at = paths_at.checked_add(paths)?;
        let lists_end = lists_at.checked_add(lists)?;
        let layout = Self { docs, blocks, starts_at, root_at, paths_at, lists_at, lists_end };
        (lists_end.checked_add(FOOTER)? == length).then_some(layout)
    }
}

/// An index that was read from its file.
pub(crate) struct IndexFile {
    file: File,
    /// All that stands before the lists.
    head: Vec<u8>,
    layout: Layout,
    /// How the file looked when its hash was right.
    known: Stamp,
}

impl IndexFile {
    /// Opens the index of a root; none when there is none, or none that can be used.
    pub fn open(place: &Path, root: &Path) -> Option<Self> {
        let file = own_file(place)?;
        // Its time says when it was used last; whoever may not write it cannot say so.
        let _noted = file.set_modified(SystemTime::now());
        let known = stamp_of_file(&file)?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let layout = Layout::of(&header, usize::try_from(known.size).ok()?)?;
        let mut head = vec![0; layout.lists_at];
        file.read_exact_at(&mut head, 0).ok()?;
        let index = Self { file, head, layout, known };
        let is_of_root = index.head.get(index.layout.root_at..index.layout.paths_at)? == bytes_of(root);
        // A bit that has flipped would pass over files without a word.
        (is_of_root && index.has_right_hash().ok()?).then_some(index)
    }

    /// Whether the lists that were read until now are those that were written. Nothing of ours changes them, but somebody may.
    pub fn is_whole(&mut self) -> bool {
        let Some(now) = stamp_of_file(&self.file) else { return false };
        // Another process may have noted its use, or put a newer index in its place.
        let is_whole = now == self.known || (now.size == self.known.size && self.has_right_hash().unwrap_or(false));
        if is_whole {
            self.known = now;
        }
        is_whole
    }

    /// Works out the hash of all that stands before the footer: of the head as it is in memory, of the lists as they are in the file.
    fn has_right_hash(&self) -> io::Result<bool> {
        let mut hash = Xxh3::new();
        hash.update(&self.head);
        let mut bytes = vec![0; 256 << 10];
        let mut at = self.layout.lists_at;
        while at < self.layout.lists_end {
            let next = (self.layout.lists_end - at).min(bytes.len());
            let next = &mut bytes[..next];
            self.file.read_exact_at(next, at as u64)?;
            hash.update(next);
            at += next.len();
        }
        let mut footer = [0; FOOTER];
        self.file.read_exact_at(&mut footer, at as u64)?;
        Ok(footer[..8] == hash.digest().to_le_bytes() && footer[8..] == *MAGIC)
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.layout.blocks
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.layout.docs
    }

    /// One file; what is damaged counts as one that each search reads.
    pub fn doc(&self, doc: usize) -> Doc {
        let at = HEADER + doc * DOC;
        let long = |at: usize| long(&self.head, at).unwrap_or(0);
        Doc {
            stamp: Stamp { size: long(at + 16), changed: long(at + 24) as i64, inode: long(at + 32) },
            kind: match word(&self.head, at + 8) {
                Some(1) => DocKind::Text,
                Some(2) => DocKind::Binary,
                _ => DocKind::Always,
            },
            block: word(&self.head, at + 4).unwrap_or(NO_BLOCK),
            blocks: word(&self.head, at + 12).unwrap_or(0),
        }
    }

    /// Where a block begins; the first one of a file, or one that several files share, at its start.
    pub fn start(&self, block: usize) -> BlockStart {
        BlockStart(word(&self.head, self.layout.starts_at + block * 4).unwrap_or(0))
    }

    /// The path of a file, relative to the root.
    pub fn path(&self, doc: usize) -> &[u8] {
        let end = |doc: usize| word(&self.head, HEADER + doc * DOC).unwrap_or(0) as usize;
        let start = if doc == 0 { 0 } else { end(doc - 1) };
        self.head.get(self.layout.paths_at..).and_then(|paths| paths.get(start..end(doc))).unwrap_or_default()
    }

    /// The blocks that hold all trigrams of one of these sets, in order, and perhaps some more; none when all may.
    pub fn blocks_with_one_of(&self, sets: &[Vec<u32>]) -> Option<Vec<u32>> {
        let (first, others) = sets.split_first()?;
        let is_common = |gram: &u32| others.iter().all(|set| set.contains(gram));
        let common: Vec<u32> = first.iter().copied().filter(is_common).collect();
        let base = self.blocks_with(&common);
        if base.as_ref().is_some_and(|base| base.len() <= FEW_BLOCKS) {
            return base;
        }
        // What tells the sets apart: mostly one or two trigrams each.
        let mut all = Vec::new();
        for set in sets {
            let own: Vec<u32> = set.iter().copied().filter(|gram| !common.contains(gram)).collect();
            let Some(blocks) = self.blocks_with(&own) else { return base };
            match &base {
                Some(base) => all.extend(both(base, blocks.into_iter())),
                None => all.extend(blocks),
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// The blocks that hold all of these trigrams, in order, and perhaps some more; none when all may.
    fn blocks_with(&self, grams: &[u32]) -> Option<Vec<u32>> {
        let mut lists: Vec<Range<usize>> = grams.iter().filter_map(|gram| self.list(*gram)).collect();
        // The shortest first: it leaves the least to compare with.
        lists.sort_unstable_by_key(Range::len);
        let mut bytes = Vec::new();
        let mut blocks: Option<Vec<u32>> = None;
        for list in lists {
            // So few are read sooner than a long list.
            if blocks.as_ref().is_some_and(|few| few.len() <= FEW_BLOCKS) {
                break;
            }
            bytes.resize(list.len(), 0);
            // A list that cannot be read rules nothing out.
            if self.file.read_exact_at(&mut bytes, list.start as u64).is_ok() {
                blocks = Some(match blocks {
                    None => numbers(&bytes).collect(),
                    Some(known) => both(&known, numbers(&bytes)),
                });
            }
        }
        blocks
    }

    /// Where the list of a trigram stands; none for common ones.
    fn list(&self, gram: u32) -> Option<Range<usize>> {
        let gram = gram as usize;
        let tables = HEADER + self.layout.docs * DOC;
        if self.head.get(tables + gram / 8)? & (1 << (gram % 8)) != 0 {
            return None;
        }
        let place = |gram: usize| {
            let offset = word(&self.head, tables + COMMON + gram * 4)? as usize;
            Some(self.layout.lists_at + offset).filter(|at| *at <= self.layout.lists_end)
        };
        let (start, end) = (place(gram)?, place(gram + 1)?);
        (start <= end).then_some(start..end)
    }
}

fn stamp_of_file(file: &File) -> Option<Stamp> {
    rustix::fs::fstat(file).ok().map(|stat| stamp_of(&stat))
}

const FEW_BLOCKS: usize = 4;

fn both(known: &[u32], other: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rest = known.iter().copied().peekable();
    let mut found = Vec::new();
    for block in other {
        while rest.next_if(|known| *known < block).is_some() {}
        match rest.peek() {
            None => break,
            Some(known) if *known == block => found.push(block),
            Some(_) => {}
        }
    }
    found
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
