//! Reading every file once, and writing down which trigrams it holds.
//!
//! Small neighbours share a block: what they have in common is listed once, and a search that gets a false hint reads a few files
//! more. A trigram that most blocks hold tells nothing and gets no list. Both keep the index small.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use memchr::memrchr;

use super::disk::{BlockStart, Doc, DocKind, Parts};
use super::grams::{GramSet, SPACE};
use super::query::LONGEST_STRING;
use super::stamp::{FolderStats, Stamp};
use crate::read::{Content, Reader};
use crate::select::Selection;

/// Files are dealt to the threads in runs.
const RUN: usize = 32;
/// A block is closed when it holds this much text.
const BLOCK_BYTES: usize = 4 << 10;
/// A larger file has a block for each piece of about this size: a file of a megabyte holds nearly every trigram somewhere.
const PIECE_BYTES: usize = 32 << 10;
/// A piece ends with a line, if one ends this close to where it must.
const LINE_BYTES: usize = 4 << 10;
/// Pieces overlap, so that each short string lies within one of them.
pub(crate) const OVERLAP: usize = LONGEST_STRING;
/// Larger files are not indexed: a search reads them each time.
const MOST_FILE_BYTES: usize = 64 << 20;
/// A trigram in more of a hundred blocks than this is common.
const COMMON_PERCENT: usize = 60;
/// So many blocks must be there before a trigram counts as common while the index is built.
const BLOCKS_TO_JUDGE: usize = 1_024;
/// How much the threads give way.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
/// A file that changed this close to the start could have changed again without showing.
const RACY_NANOSECONDS: i64 = 50_000_000;
/// The same where times are full seconds, or every second one, as on some file systems.
const RACY_COARSE_NANOSECONDS: i64 = 2_050_000_000;

/// Blocks that hold one trigram, as differences of their numbers.
#[derive(Default, Clone)]
struct List {
    bytes: Vec<u8>,
    last: u32,
    count: u32,
    is_common: bool,
}

impl List {
    fn push(&mut self, block: u32) {
        let step = if self.count == 0 { block } else { block - self.last };
        push_number(&mut self.bytes, step);
        self.last = block;
        self.count += 1;
    }
}

/// Appends a number, seven bits to the byte.
pub(crate) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Goes through a list of differences; a list that is cut off ends early.
pub(crate) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let mut rest = bytes.iter();
    let mut last = 0_u32;
    std::iter::from_fn(move || {
        let (mut step, mut shift) = (0_u32, 0_u32);
        loop {
            let byte = *rest.next()?;
            step |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        last = last.checked_add(step)?;
        Some(last)
    })
}

/// What one thread has gathered.
struct Gathered {
    lists: Vec<List>,
    blocks: usize,
    /// Of large files: the first block, and where each begins.
    starts: Vec<(u32, Vec<BlockStart>)>,
    runs: Vec<(usize, Vec<Doc>)>,
}

struct Builder<'a> {
    root: &'a Path,
    selection: &'a Selection,
    stop: &'a AtomicBool,
    next: AtomicUsize,
    /// Blocks are numbered in the order in which they are begun, so each thread's own numbers rise.
    blocks: AtomicU32,
    began: i64,
}

/// Indexes the files of a selection, on so many threads of its own. `stop` ends it early with an error.
pub(crate) fn build(root: &Path, selection: &Selection, threads: usize, stop: &AtomicBool) -> io::Result<Parts> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let began = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    let builder = Builder { root, selection, stop, next: AtomicUsize::new(0), blocks: AtomicU32::new(0), began };
    let gathered: Vec<Gathered> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(|| builder.work(threads))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().map_err(|_| io::Error::other("the index thread failed")))
            .collect::<io::Result<_>>()
    })?;
    if stop.load(Ordering::Relaxed) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let blocks = builder.blocks.into_inner();
    Ok(join(gathered, blocks))
}

impl Builder<'_> {
    fn work(&self, threads: usize) -> Gathered {
        give_way();
        let mut gathered =
            Gathered { lists: vec![List::default(); SPACE], blocks: 0, starts: Vec::new(), runs: Vec::new() };
        let mut reader = Reader::new(threads);
        let mut set = GramSet::new();
        let mut folder = FolderStats::default();
        while !self.stop.load(Ordering::Relaxed) {
            let run = self.next.fetch_add(1, Ordering::Relaxed);
            let first = run * RUN;
            if first >= self.selection.len() {
                break;
            }
            let mut docs = Vec::with_capacity(RUN);
            let mut shared = SharedBlock::default();
            for file in first..(first + RUN).min(self.selection.len()) {
                let number = self.selection.folder(file);
                let place = || self.selection.absolute(self.root, number);
                let Some(stamp) = folder.stat(number, place, self.selection.name(file)) else {
                    docs.push(Doc::default());
                    continue;
                };
                let mut doc = Doc { stamp, ..Doc::default() };
                if !is_racy(stamp.changed, self.began) && stamp.size <= MOST_FILE_BYTES as u64 {
                    match reader.read(number, place, self.selection.name(file), MOST_FILE_BYTES) {
                        Ok(Content::Text(text)) if text.len() > PIECE_BYTES => {
                            shared.close(&mut gathered, &mut set);
                            doc = self.large(stamp, text, &mut gathered, &mut set);
                        }
                        Ok(Content::Text(text)) => {
                            let block =
                                *shared.number.get_or_insert_with(|| self.blocks.fetch_add(1, Ordering::Relaxed));
                            set.add(text);
                            shared.held += text.len();
                            doc = Doc { stamp, kind: DocKind::Text, block, blocks: 1 };
                        }
                        Ok(Content::Binary) => doc.kind = DocKind::Binary,
                        // Unreadable ones are told about by each search.
                        Ok(Content::TooLarge | Content::Nothing) | Err(_) => {}
                    }
                    reader.release();
                }
                docs.push(doc);
                if shared.held >= BLOCK_BYTES {
                    shared.close(&mut gathered, &mut set);
                }
            }
            shared.close(&mut gathered, &mut set);
            gathered.runs.push((run, docs));
        }
        gathered
    }

    fn large(&self, stamp: Stamp, text: &[u8], gathered: &mut Gathered, set: &mut GramSet) -> Doc {
        let starts = pieces(text);
        let blocks = starts.len() as u32;
        let block = self.blocks.fetch_add(blocks, Ordering::Relaxed);
        for (piece, start) in starts.iter().enumerate() {
            let end = starts.get(piece + 1).map_or(text.len(), |next| next.offset() + OVERLAP).min(text.len());
            set.add(&text[start.offset()..end]);
            gathered.close(block + piece as u32, set);
        }
        gathered.starts.push((block, starts));
        Doc { stamp, kind: DocKind::Text, block, blocks }
    }
}

/// Where the pieces of a large file begin.
fn pieces(text: &[u8]) -> Vec<BlockStart> {
    let mut starts = vec![BlockStart::default()];
    let mut start = 0;
    while text.len() - start > PIECE_BYTES {
        let most = start + PIECE_BYTES;
        let line = memrchr(b'\n', &text[most - LINE_BYTES..most]);
        start = line.map_or(most, |at| most - LINE_BYTES + at + 1);
        starts.push(BlockStart::new(start, line.is_none()));
    }
    starts
}

/// Whether a file whose last change has this time could change again, or have changed again, without another time.
fn is_racy(changed: i64, began: i64) -> bool {
    let is_coarse = changed % 1_000_000_000 == 0;
    changed.saturating_add(if is_coarse { RACY_COARSE_NANOSECONDS } else { RACY_NANOSECONDS }) >= began
}

/// The block of small neighbours that is being filled.
#[derive(Default)]
struct SharedBlock {
    number: Option<u32>,
    held: usize,
}

impl SharedBlock {
    fn close(&mut self, gathered: &mut Gathered, set: &mut GramSet) {
        if let Some(block) = std::mem::take(self).number {
            gathered.close(block, set);
        }
    }
}

/// The person works meanwhile. On Linux the priority is that of one thread.
fn give_way() {
    #[cfg(target_os = "linux")]
    // Where the system does not allow it, the threads take part like any other.
    let _allowed = rustix::process::setpriority_process(None, NICENESS);
}

impl Gathered {
    fn close(&mut self, block: u32, set: &mut GramSet) {
        self.blocks += 1;
        let most = if self.blocks < BLOCKS_TO_JUDGE { usize::MAX } else { self.blocks * COMMON_PERCENT / 100 };
        let lists = &mut self.lists;
        set.drain(|gram| {
            let list = &mut lists[gram as usize];
            if list.is_common {
                return;
            }
            list.push(block);
            if list.count as usize > most {
                *list = List { is_common: true, ..List::default() };
            }
        });
    }
}

fn join(gathered: Vec<Gathered>, blocks: u32) -> Parts {
    let mut runs: Vec<(usize, Vec<Doc>)> = Vec::new();
    let mut lists_of: Vec<Vec<List>> = Vec::new();
    let mut starts = vec![BlockStart::default(); blocks as usize];
    for part in gathered {
        runs.extend(part.runs);
        for (block, own) in part.starts {
            starts[block as usize..][..own.len()].copy_from_slice(&own);
        }
        lists_of.push(part.lists);
    }
    runs.sort_unstable_by_key(|(run, _)| *run);
    let docs: Vec<Doc> = runs.into_iter().flat_map(|(_, docs)| docs).collect();
    let most = (blocks as usize * COMMON_PERCENT / 100).max(1);
    let mut parts = Parts::new(docs, starts);
    let mut merged: Vec<u32> = Vec::new();
    for gram in 0..SPACE {
        merged.clear();
        let mut is_common = false;
        for lists in &mut lists_of {
            let list = std::mem::take(&mut lists[gram]);
            is_common |= list.is_common;
            merged.extend(numbers(&list.bytes));
        }
        if is_common || merged.len() > most {
            parts.push_common(gram);
        } else {
            merged.sort_unstable();
            parts.push_list(&merged);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_as_they_were_written(mut list in proptest::collection::btree_set(any::<u32>(), 0..40)) {
            let mut bytes = Vec::new();
            let mut last = 0;
            for (at, number) in list.iter().enumerate() {
                push_number(&mut bytes, if at == 0 { *number } else { number - last });
                last = *number;
            }
            prop_assert_eq!(numbers(&bytes).collect::<std::collections::BTreeSet<_>>(), std::mem::take(&mut list));
        }

        #[test]
        fn pieces_cover_a_text_and_begin_with_a_line_or_say_that_they_do_not(
            lines in proptest::collection::vec(prop_oneof![9 => 0_usize..200, 1 => 4_000_usize..9_000, 1 => Just(3 * PIECE_BYTES)], 1..60),
        ) {
            let text = lines.iter().map(|length| [vec![b'a'; *length], b"\n".to_vec()].concat()).collect::<Vec<_>>().concat();
            let starts = pieces(&text);
            prop_assert_eq!(starts[0], BlockStart::default());
            for pair in starts.windows(2) {
                let (before, next) = (pair[0].offset(), pair[1].offset());
                prop_assert!(next > before && next - before <= PIECE_BYTES);
                prop_assert_eq!(pair[1].is_inside_a_line(), text[next - 1] != b'\n');
            }
            prop_assert!(text.len() - starts[starts.len() - 1].offset() <= PIECE_BYTES);
        }

        #[test]
        fn a_time_that_a_later_change_could_have_as_well_is_not_trusted(
            granule in prop_oneof![Just(1_i64), Just(4_000_000), Just(10_000_000), Just(1_000_000_000), Just(2_000_000_000)],
            began in 1_000_000_000_000_000_000_i64..2_000_000_000_000_000_000, before in 0_i64..4_000_000_000, after in 0_i64..50_000_000,
        ) {
            let time_of = |change: i64| change / granule * granule;
            // A change before the build, and another one when the file was read already.
            if time_of(began - before) == time_of(began + after) {
                prop_assert!(is_racy(time_of(began - before), began));
            }
        }

        #[test]
        fn bytes_that_are_no_list_end_without_a_crash(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert!(numbers(&bytes).count() <= bytes.len());
        }
    }
}
