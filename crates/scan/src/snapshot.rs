//! A walked tree in a few flat arrays.
//!
//! A million `PathBuf`s cost a hundred megabytes and a million allocations. Here an entry is its name in one byte
//! arena, the offset where that name ends (4 bytes), and one word that holds its kind and, for a directory, the
//! number of the block with its children. Siblings lie side by side; a block is just the range of its entries.
//! With the usual 15-byte names that is about 23 bytes per entry, and no path is stored twice.
//!
//! Order is part of the contract: [`Snapshot::visit`] goes through the tree depth first with siblings ordered by
//! their name's bytes, so that every consumer, in every run and in the JavaScript twin, sees the same order.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::error::Problems;

/// What a directory entry is. Links are never followed, so a link is its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    File = 0,
    Directory = 1,
    Symlink = 2,
    Other = 3,
}

impl Kind {
    fn from_bits(bits: u32) -> Self {
        match bits {
            0 => Self::File,
            1 => Self::Directory,
            2 => Self::Symlink,
            _ => Self::Other,
        }
    }
}

const KIND_BITS: u32 = 2;

/// The word of an entry: its kind, and for directories the block of its children.
pub(crate) fn pack(kind: Kind, block: u32) -> u32 {
    (block << KIND_BITS) | kind as u32
}

/// The entries of one directory: `first..end` in the entry arrays.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    pub first: u32,
    pub end: u32,
}

/// One entry during a visit.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Relative to the root, `/`-separated bytes.
    pub path: &'a [u8],
    /// Where the name starts inside `path`.
    pub name_at: usize,
    /// What it is.
    pub kind: Kind,
    /// The directory it lies in, as a number that is the same for all siblings.
    pub folder: u32,
}

impl Entry<'_> {
    /// The last component.
    pub fn name(&self) -> &[u8] {
        &self.path[self.name_at..]
    }
}

/// The outcome of one walk.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Canonical.
    pub root: PathBuf,
    /// What the walk could not read.
    pub problems: Problems,
    pub(crate) names: Vec<u8>,
    pub(crate) ends: Vec<u32>,
    pub(crate) words: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Rule files that no directory watch covers; see [`crate::rules`].
    pub(crate) outside_rules: Vec<crate::rules::Stamp>,
    /// When the walk began, by the wall clock that file times use.
    pub(crate) began: Option<std::time::SystemTime>,
    /// Which folder the root was then.
    pub(crate) identity: Option<(u64, u64)>,
}

impl Snapshot {
    /// Number of entries, directories included.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True for an empty folder.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Number of directories, the root included.
    pub fn directories(&self) -> usize {
        self.blocks.len()
    }

    /// What the snapshot holds in memory.
    pub fn bytes(&self) -> usize {
        self.names.capacity()
            + (self.ends.capacity() + self.words.capacity()) * size_of::<u32>()
            + self.blocks.capacity() * size_of::<Block>()
    }

    /// Goes through all entries depth first, siblings ordered by the bytes of their names.
    pub fn visit<B>(&self, mut on_entry: impl FnMut(&Entry<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut path: Vec<u8> = Vec::with_capacity(256);
        // Each level: the entries that are left, the folder's block, and the length of the folder's path.
        let mut levels: Vec<(u32, u32, u32, usize)> = Vec::new();
        if let Some(root) = self.blocks.first() {
            levels.push((root.first, root.end, 0, 0));
        }
        while let Some((next, end, folder, base)) = levels.last_mut() {
            if next == end {
                levels.pop();
                continue;
            }
            let index = *next as usize;
            *next += 1;
            let (folder, base) = (*folder, *base);
            path.truncate(base);
            let name_at = if base == 0 {
                0
            } else {
                path.push(b'/');
                base + 1
            };
            let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
            path.extend_from_slice(&self.names[start..self.ends[index] as usize]);
            let word = self.words[index];
            let kind = Kind::from_bits(word & ((1 << KIND_BITS) - 1));
            on_entry(&Entry { path: &path, name_at, kind, folder })?;
            if kind == Kind::Directory {
                let block_number = word >> KIND_BITS;
                let block = self.blocks[block_number as usize];
                levels.push((block.first, block.end, block_number, path.len()));
            }
        }
        ControlFlow::Continue(())
    }
}
