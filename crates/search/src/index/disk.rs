//! The index in a file: written once under another name, then renamed, so that whoever maps it sees all of it and never sees it change.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use memmap2::Mmap;
use tenon_scan::bytes_of;
use xxhash_rust::xxh3::Xxh3;

use super::build::numbers;
use super::grams::SPACE;
use super::stamp::Stamp;

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

/// The hash that stands at the end, worked out anew. Reading leaves the pages to the system; through the mapping all of them would count as memory of this process.
fn hash_of(mut file: &File) -> io::Result<u64> {
    let mut rest = file.metadata()?.len().saturating_sub(FOOTER as u64) as usize;
    let mut hash = Xxh3::new();
    let mut bytes = vec![0; 256 << 10];
    while rest > 0 {
        let next = rest.min(bytes.len());
        let next = &mut bytes[..next];
        file.read_exact(next)?;
        hash.update(next);
        rest -= next.len();
    }
    Ok(hash.digest())
}

/// An index that was read from its file.
pub(crate) struct IndexFile {
    map: Mmap,
    docs: usize,
    pub blocks: usize,
    starts_at: usize,
    root_at: usize,
    paths_at: usize,
    lists_at: usize,
    lists_end: usize,
}

impl IndexFile {
    /// Opens the index of a root; none when there is none, or none that can be used.
    pub fn open(place: &Path, root: &Path) -> Option<Self> {
        let file = own_file(place)?;
        // A bit that has flipped would pass over files without a word.
        let hash = hash_of(&file).ok()?;
        // SAFETY: the file was written under another name and renamed; nothing of ours changes or shortens it afterwards.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        let index = Self::over(map, hash)?;
        (index.map.get(index.root_at..index.paths_at)? == bytes_of(root)).then_some(index)
    }

    fn over(map: Mmap, hash: u64) -> Option<Self> {
        let body = map.len().checked_sub(FOOTER)?;
        if map.get(..8)? != MAGIC || map.get(body + 8..)? != MAGIC || word(&map, 8)? != VERSION {
            return None;
        }
        if map.get(body..body + 8)? != hash.to_le_bytes() {
            return None;
        }
        let docs = word(&map, 12)? as usize;
        let blocks = word(&map, 16)? as usize;
        let root = word(&map, 20)? as usize;
        let long = |at: usize| usize::try_from(u64::from_le_bytes(map.get(at..at + 8)?.try_into().ok()?)).ok();
        let (paths, lists) = (long(24)?, long(32)?);
        let starts_at = HEADER + docs.checked_mul(DOC)? + COMMON + OFFSETS;
        let root_at = starts_at.checked_add(blocks.checked_mul(4)?)?;
        let paths_at = root_at.checked_add(root)?;
        let lists_at = paths_at.checked_add(paths)?;
        let lists_end = lists_at.checked_add(lists)?;
        (lists_end == body).then_some(Self { map, docs, blocks, starts_at, root_at, paths_at, lists_at, lists_end })
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.docs
    }

    /// One file; what is damaged counts as one that each search reads.
    pub fn doc(&self, doc: usize) -> Doc {
        let at = HEADER + doc * DOC;
        let long =
            |at: usize| self.map.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        Doc {
            stamp: Stamp { size: long(at + 16), changed: long(at + 24) as i64, inode: long(at + 32) },
            kind: match word(&self.map, at + 8) {
                Some(1) => DocKind::Text,
                Some(2) => DocKind::Binary,
                _ => DocKind::Always,
            },
            block: word(&self.map, at + 4).unwrap_or(NO_BLOCK),
            blocks: word(&self.map, at + 12).unwrap_or(0),
        }
    }

    /// Where a block begins; the first one of a file, or one that several files share, at its start.
    pub fn start(&self, block: usize) -> BlockStart {
        BlockStart(word(&self.map, self.starts_at + block * 4).unwrap_or(0))
    }

    /// The path of a file, relative to the root.
    pub fn path(&self, doc: usize) -> &[u8] {
        let end = |doc: usize| word(&self.map, HEADER + doc * DOC).unwrap_or(0) as usize;
        let start = if doc == 0 { 0 } else { end(doc - 1) };
        self.map[self.paths_at..self.lists_at].get(start..end(doc)).unwrap_or_default()
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
        let mut lists: Vec<&[u8]> = grams.iter().filter_map(|gram| self.list(*gram)).collect();
        // The shortest first: it leaves the least to compare with.
        lists.sort_unstable_by_key(|list| list.len());
        let mut blocks: Option<Vec<u32>> = None;
        for list in lists {
            blocks = Some(match blocks {
                None => numbers(list).collect(),
                // So few are read sooner than a long list.
                Some(few) if few.len() <= FEW_BLOCKS => return Some(few),
                Some(known) => both(&known, numbers(list)),
            });
        }
        blocks
    }

    /// Where a trigram occurs; none for common ones.
    fn list(&self, gram: u32) -> Option<&[u8]> {
        let gram = gram as usize;
        let tables = HEADER + self.docs * DOC;
        if self.map.get(tables + gram / 8)? & (1 << (gram % 8)) != 0 {
            return None;
        }
        let offset = |gram: usize| word(&self.map, tables + COMMON + gram * 4).map(|offset| offset as usize);
        self.map[self.lists_at..self.lists_end].get(offset(gram)?..offset(gram + 1)?)
    }
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
