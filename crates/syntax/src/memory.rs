//! Memory for one tree at a time.
//!
//! A tree is millions of small blocks that all end together. With the system's allocator, taking them one by one and giving
//! them back one by one costs a third of a search. Here a thread that reads a text takes them from one piece of memory,
//! one behind the other, and when it is done with the text, all of them are gone at once. The pieces go from thread to thread, since new
//! ones cost a page fault for every four kilobytes. Outside of that, tree-sitter's memory comes from the system as before.

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::ffi::c_int;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, Mutex, Once, PoisonError};

use memmap2::MmapMut;
use tree_sitter::Allocator;

/// The size of a piece; a tree has about ten times the size of its text, so those of most texts fit into one.
const PIECE: usize = 1 << 17;
/// A tree that needs more pieces gets larger ones.
const MOST_SMALL_PIECES: usize = 32;
const LARGEST_PIECE: usize = 16 << 20;
/// Pieces that are kept until all threads are done; more are needed for a moment at most.
const MOST_KEPT: usize = 64;
/// No type of tree-sitter's needs more, and with more every second node of a tree would have a gap behind it.
const ALIGN: usize = 8;
/// A piece begins with a bit for each place where a block may begin: most nodes are a hundred bytes, so their sizes would take far more.
const PLACES_PER_WORD: usize = u64::BITS as usize;
const BYTES_PER_WORD: usize = PLACES_PER_WORD * ALIGN;
/// Blocks up to this size are used again when they are given back.
const LARGEST_REUSED: usize = 1024;
/// Sizes are added to without a check of overflow, so larger ones are refused.
const LARGEST: usize = isize::MAX as usize / 2;
const CLASSES: usize = LARGEST_REUSED / ALIGN + 1;

thread_local! {
    /// The arena of the text that this thread reads.
    static ACTIVE: Cell<*mut Arena> = const { Cell::new(ptr::null_mut()) };
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// Pieces of memory that nobody uses just now; for the threads that share it.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Piece>>);

impl Pool {
    fn take(&self) -> Option<Piece> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give_back(&self, pieces: impl Iterator<Item = Piece>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_KEPT.saturating_sub(kept.len());
        kept.extend(pieces.filter(|piece| piece.0.len() == PIECE).take(room));
    }
}

/// Pieces of memory that blocks are cut from.
pub(crate) struct Arena {
    pool: Arc<Pool>,
    pieces: Vec<Piece>,
    /// The free rest of the last piece.
    at: *mut u8,
    end: *mut u8,
    /// Blocks that were given back, by size; the first word of each is the next one.
    returned: [*mut u8; CLASSES],
}

/// Straight from the system, so that it goes back there when a large text is done.
struct Piece(MmapMut);

// SAFETY: an arena owns its memory, and only the thread that has it uses it.
unsafe impl Send for Arena {}

impl Default for Arena {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Arena {
    /// An arena that takes its pieces from a pool.
    pub fn new(pool: Arc<Pool>) -> Self {
        install();
        let none = ptr::null_mut();
        Self { pool, pieces: Vec::new(), at: none, end: none, returned: [none; CLASSES] }
    }

    /// Runs `work` with tree-sitter's memory from here; all of it is gone afterwards.
    ///
    /// Nothing that `work` makes with tree-sitter may outlive it, and nothing of tree-sitter's that lives longer may
    /// grow in it: no parser that is kept, no cursor, no tree. A text that is read while another one is read shares its memory.
    pub fn with<T>(&mut self, work: impl FnOnce() -> T) -> T {
        if !ACTIVE.get().is_null() {
            return work();
        }
        let scope = Scope(self);
        ACTIVE.set(scope.0);
        work()
    }

    fn reset(&mut self) {
        // The first one is taken again at once.
        let is_usual = self.pieces.first().is_some_and(|first| first.0.len() == PIECE);
        self.pool.give_back(self.pieces.drain(usize::from(is_usual)..));
        (self.at, self.end) = match self.pieces.first_mut() {
            Some(piece) => piece.clear(),
            None => (ptr::null_mut(), ptr::null_mut()),
        };
        self.returned = [ptr::null_mut(); CLASSES];
    }

    /// The piece that a block is from.
    fn piece_of(&self, block: *mut u8) -> Option<&Piece> {
        self.pieces.iter().rev().find(|piece| (block as usize).wrapping_sub(piece.start() as usize) < piece.0.len())
    }

    /// A block of at least `size` bytes.
    fn take(&mut self, size: usize) -> *mut u8 {
        let room = room_for(size);
        if let Some(first) = self.returned.get_mut(room / ALIGN)
            && !first.is_null()
        {
            let block = *first;
            // SAFETY: a returned block of this class is ours, unused, and holds the next one in its first word.
            *first = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        if (self.end as usize) - (self.at as usize) < room {
            self.grow(room);
        }
        let block = self.at;
        // SAFETY: the rest of the piece holds `room` bytes.
        unsafe { self.end_blocks_at(block.add(room)) };
        block
    }

    /// Where the free rest of the last piece begins from here on.
    ///
    /// # Safety
    /// It is a place in the last piece, or its end.
    unsafe fn end_blocks_at(&mut self, at: *mut u8) {
        self.at = at;
        if let Some(piece) = self.pieces.last_mut() {
            piece.mark(at, true);
        }
    }

    /// Gives a block of one of the pieces back.
    fn give_back(&mut self, block: *mut u8, room: usize) {
        // SAFETY: the block has that much room, at least a word.
        unsafe {
            if block.add(room) == self.at {
                self.forget_end();
                self.at = block;
            } else if let Some(first) = self.returned.get_mut(room / ALIGN) {
                block.cast::<*mut u8>().write(*first);
                *first = block;
            }
        }
    }

    fn forget_end(&mut self) {
        let at = self.at;
        if let Some(piece) = self.pieces.last_mut() {
            piece.mark(at, false);
        }
    }

    /// Gives a block of one of the pieces more room.
    fn resize(&mut self, block: *mut u8, old: usize, size: usize) -> *mut u8 {
        if size <= old {
            return block;
        }
        let room = room_for(size);
        // SAFETY: the block has `old` bytes, and both blocks have room for what is copied.
        unsafe {
            let is_last = block.add(old) == self.at;
            if is_last && (self.end as usize) - (block as usize) >= room {
                self.forget_end();
                self.end_blocks_at(block.add(room));
                return block;
            }
            let larger = self.take(size);
            ptr::copy_nonoverlapping(block, larger, old);
            self.give_back(block, old);
            larger
        }
    }

    #[cold]
    fn grow(&mut self, room: usize) {
        let further = (self.pieces.len() + 1).saturating_sub(MOST_SMALL_PIECES);
        let size = (PIECE << further.min(8)).min(LARGEST_PIECE).max(room + room / 32 + BYTES_PER_WORD);
        let kept = if size == PIECE { self.pool.take() } else { None };
        let mut piece = kept.unwrap_or_else(|| Piece::new(size));
        (self.at, self.end) = piece.clear();
        self.pieces.push(piece);
    }
}

/// A multiple of the alignment, with room for a word. No system has more than `LARGEST` to give.
fn room_for(size: usize) -> usize {
    if size > LARGEST {
        out_of_memory(size);
    }
    size.max(ALIGN).next_multiple_of(ALIGN)
}

impl Piece {
    fn new(size: usize) -> Self {
        match MmapMut::map_anon(size) {
            Ok(map) => Self(map),
            Err(_) => out_of_memory(size),
        }
    }

    fn start(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut()
    }

    /// How many words of bits it begins with.
    fn words(&self) -> usize {
        self.0.len().div_ceil(BYTES_PER_WORD)
    }

    /// Forgets all blocks; gives the borders of the room for new ones.
    fn clear(&mut self) -> (*mut u8, *mut u8) {
        let (bits, end) = (self.words() * size_of::<u64>(), self.0.len() / ALIGN * ALIGN);
        self.0[..bits].fill(0);
        let room = self.0[bits..end].as_mut_ptr_range();
        self.mark(room.start, true);
        (room.start, room.end)
    }

    /// Which bit says whether a block begins at a place: its word, and the place in it.
    fn bit_of(&self, place: *mut u8) -> (usize, u32) {
        let number = ((place as usize) - (self.start() as usize)) / ALIGN;
        (number / PLACES_PER_WORD, (number % PLACES_PER_WORD) as u32)
    }

    fn word(&self, at: usize) -> u64 {
        let at = at * size_of::<u64>();
        self.0.get(at..at + size_of::<u64>()).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_ne_bytes)
    }

    /// Notes that a block begins at a place, or no longer does. Nothing begins at the end of the piece.
    fn mark(&mut self, place: *mut u8, begins: bool) {
        let (at, bit) = self.bit_of(place);
        if at < self.words() {
            let word = self.word(at) & !(1 << bit) | u64::from(begins) << bit;
            let at = at * size_of::<u64>();
            self.0[at..at + size_of::<u64>()].copy_from_slice(&word.to_ne_bytes());
        }
    }

    /// The room of a block: up to where the next one begins, or the free rest.
    fn room_of(&self, block: *mut u8) -> usize {
        let (first, bit) = self.bit_of(block);
        let behind = self.word(first) & u64::MAX.checked_shl(bit + 1).unwrap_or(0);
        let mut at = first;
        let mut word = behind;
        while word == 0 && at + 1 < self.words() {
            at += 1;
            word = self.word(at);
        }
        let next = if word == 0 { self.0.len() / ALIGN } else { at * PLACES_PER_WORD + word.trailing_zeros() as usize };
        (next - first * PLACES_PER_WORD - bit as usize) * ALIGN
    }
}

fn out_of_memory(size: usize) -> ! {
    handle_alloc_error(Layout::array::<u8>(size).unwrap_or(Layout::new::<u8>()))
}

/// Lets the system have the pages of memory that nothing is in, but for `kept` bytes; the memory stays with its owner. To free it would not do:
/// glibc keeps what a thread has freed, and each worker would hold its largest text to the end.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub(crate) fn give_pages_back(memory: &mut [MaybeUninit<u8>], kept: usize) {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn getpagesize() -> c_int;
            fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
        }
        const DONT_NEED: c_int = 4;
        // SAFETY: it has no conditions.
        let page = usize::try_from(unsafe { getpagesize() }).unwrap_or(usize::MAX);
        let Some(memory) = memory.get_mut(kept..).filter(|memory| memory.len() > page) else { return };
        let first = (memory.as_ptr() as usize).wrapping_neg() % page;
        let length = (memory.len() - first) / page * page;
        // SAFETY: these are whole pages of memory in which nothing is, and which nobody else uses meanwhile. What happens if they stay is nothing.
        unsafe { madvise(memory.as_mut_ptr().add(first).cast(), length, DONT_NEED) };
    }
}

/// Ends the use of an arena, also when the work panicked.
struct Scope(*mut Arena);

impl Drop for Scope {
    fn drop(&mut self) {
        ACTIVE.set(ptr::null_mut());
        // SAFETY: `with` has borrowed the arena for longer than this lives, and nobody uses it any more.
        unsafe { (*self.0).reset() }
    }
}

/// Lets tree-sitter ask here for its memory. Everything of ours that uses tree-sitter calls this first.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let ours = Allocator { malloc: take, calloc: take_cleared, realloc: resize, free: give_back };
        // SAFETY: blocks from before come from the system, and what is not an arena's goes back there.
        unsafe { tree_sitter::set_allocator(Some(ours)) };
    });
}

/// The arena of this thread.
fn active<'a>() -> Option<&'a mut Arena> {
    // SAFETY: the pointer is set only within `Arena::with`, which holds the arena; tree-sitter's calls do not nest.
    unsafe { ACTIVE.get().as_mut() }
}

fn or_abort(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() && size > 0 {
        out_of_memory(size);
    }
    block
}

unsafe extern "C" fn take(size: usize) -> *mut c_void {
    match active() {
        Some(arena) => arena.take(size).cast(),
        // SAFETY: any size may be asked for.
        None => or_abort(unsafe { malloc(size) }, size),
    }
}

unsafe extern "C" fn take_cleared(count: usize, size: usize) -> *mut c_void {
    match active() {
        Some(arena) => {
            let size = count.saturating_mul(size);
            let block = arena.take(size);
            // SAFETY: the block holds that many bytes.
            unsafe { block.write_bytes(0, size) };
            block.cast()
        }
        // SAFETY: any size may be asked for.
        None => or_abort(unsafe { calloc(count, size) }, count.saturating_mul(size)),
    }
}

unsafe extern "C" fn resize(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as for a new block.
        return unsafe { take(size) };
    }
    match active().and_then(|arena| Some((arena.piece_of(block.cast())?.room_of(block.cast()), arena))) {
        Some((room, arena)) => arena.resize(block.cast(), room, size).cast(),
        // SAFETY: what is no arena's block is the system's.
        None => or_abort(unsafe { realloc(block, size) }, size),
    }
}

unsafe extern "C" fn give_back(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    match active().and_then(|arena| Some((arena.piece_of(block.cast())?.room_of(block.cast()), arena))) {
        Some((room, arena)) => arena.give_back(block.cast(), room),
        // SAFETY: what is no arena's block is the system's.
        None => unsafe { free(block) },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Take(usize),
        Clear(usize),
        Resize(usize, usize),
        GiveBack(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let size = prop_oneof![20 => 0_usize..200, 5 => 500_usize..3_000, 1 => 900_000_usize..1_200_000];
        prop_oneof![
            4 => size.clone().prop_map(Step::Take),
            1 => size.clone().prop_map(Step::Clear),
            2 => (any::<usize>(), size).prop_map(|(at, size)| Step::Resize(at, size)),
            3 => any::<usize>().prop_map(Step::GiveBack),
        ]
    }

    /// A block with what was written into it.
    struct Held(*mut u8, usize, u8);

    impl Held {
        fn fill(block: *mut u8, size: usize, mark: u8) -> Self {
            unsafe { block.write_bytes(mark, size) };
            Self(block, size, mark)
        }

        fn is_whole(&self) -> bool {
            let content = unsafe { std::slice::from_raw_parts(self.0, self.1) };
            content.iter().all(|byte| *byte == self.2)
        }
    }

    proptest! {
        #[test]
        fn blocks_are_aligned_keep_what_is_in_them_and_never_overlap(steps in prop::collection::vec(step(), 0..60)) {
            let mut arena = Arena::default();
            for round in 0..2 {
                arena.with(|| {
                    let mut held: Vec<Held> = Vec::new();
                    for (mark, step) in steps.iter().enumerate() {
                        let mark = (mark + round) as u8;
                        match *step {
                            Step::Take(size) => held.push(Held::fill(unsafe { take(size) }.cast(), size, mark)),
                            Step::Clear(size) => {
                                let block: *mut u8 = unsafe { take_cleared(1, size) }.cast();
                                prop_assert!(Held(block, size, 0).is_whole());
                                held.push(Held::fill(block, size, mark));
                            }
                            Step::Resize(at, size) if !held.is_empty() => {
                                let Held(block, old, mark) = held.swap_remove(at % held.len());
                                let block = unsafe { resize(block.cast(), size) }.cast();
                                prop_assert!(Held(block, old.min(size), mark).is_whole());
                                held.push(Held::fill(block, size, mark));
                            }
                            Step::GiveBack(at) if !held.is_empty() => {
                                let Held(block, ..) = held.swap_remove(at % held.len());
                                unsafe { give_back(block.cast()) };
                            }
                            Step::Resize(..) | Step::GiveBack(_) => {}
                        }
                    }
                    // Had two of them overlapped, one would hold what was written into the other.
                    prop_assert!(held.iter().all(|held| held.is_whole() && (held.0 as usize).is_multiple_of(ALIGN)));
                    Ok(())
                })?;
                prop_assert!(arena.pieces.len() <= 1);
            }
        }
    }

    #[test]
    fn pieces_go_from_one_arena_to_the_next_and_most_of_a_large_tree_goes_back_to_the_system() {
        let pool = Arc::new(Pool::default());
        let (mut first, mut second) = (Arena::new(Arc::clone(&pool)), Arena::new(Arc::clone(&pool)));
        let free = || pool.0.lock().map_or(0, |pieces| pieces.len());
        let fill = |count: usize| (0..count).for_each(|_| assert!(!unsafe { take(PIECE / 2) }.is_null()));
        first.with(|| fill(6));
        // The first one stays where it is.
        assert_eq!((first.pieces.len(), free()), (1, 5));
        second.with(|| {
            fill(4);
            assert_eq!(free(), 1);
        });
        assert_eq!((second.pieces.len(), free()), (1, 4));
        first.with(|| {
            second.with(|| fill(9 * MOST_KEPT));
        });
        assert!(free() <= MOST_KEPT && first.pieces.len() == 1);
    }

    #[test]
    fn memory_of_the_system_may_be_given_back_and_grow_while_a_text_is_read() {
        let mut arena = Arena::default();
        let (kept, dropped) = unsafe { (take(10), take(10)) };
        let grown = arena.with(|| unsafe {
            give_back(dropped);
            resize(kept, 1_000)
        });
        assert!(!grown.is_null() && arena.piece_of(grown.cast()).is_none());
        unsafe { give_back(grown) };
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pages_that_are_given_back_are_not_in_memory_and_can_be_used_again() {
        unsafe extern "C" {
            fn getpagesize() -> c_int;
            fn mincore(start: *mut c_void, length: usize, states: *mut u8) -> c_int;
        }
        let page = unsafe { getpagesize() } as usize;
        for (size, kept) in [(40 * page, 8 * page), (3 * page + 100, page), (page / 2, 100), (10, 20)] {
            let mut text = vec![7_u8; size];
            let resident = |text: &Vec<u8>| {
                let first = (text.as_ptr() as usize).wrapping_neg() % page;
                let pages = text.capacity().saturating_sub(first) / page;
                let mut states = vec![0_u8; pages];
                let start = unsafe { text.as_ptr().add(first) }.cast_mut().cast();
                assert!(pages == 0 || unsafe { mincore(start, pages * page, states.as_mut_ptr()) } == 0);
                states.iter().filter(|state| **state & 1 != 0).count()
            };
            let before = resident(&text);
            text.clear();
            give_pages_back(text.spare_capacity_mut(), kept);
            let most = kept / page + 2;
            assert!(resident(&text) <= before.min(most), "{size} bytes: {} of {before} pages", resident(&text));
            text.resize(size, 9);
            assert!(text.iter().all(|byte| *byte == 9));
        }
    }

    #[test]
    fn a_panic_ends_the_use_of_an_arena() {
        let mut arena = Arena::default();
        let work = || {
            unsafe { take(PIECE * 3) };
            panic!("on purpose");
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| arena.with(work)));
        assert!(outcome.is_err() && active().is_none());
        assert_eq!(arena.pieces.len(), 0);
    }
}
