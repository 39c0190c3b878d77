//! Output memory that is used again and again.
//!
//! A command's output is read straight into one of a few slots, and the consumer looks at it there. A slot is free
//! again when its [`Chunk`] is dropped; while none is free nothing is read, so the pipe fills and the writer waits.
//! That is the whole of back-pressure: memory is fixed at the start, whatever a command prints.

use std::cell::UnsafeCell;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::sys;

/// The memory of one session or terminal.
pub struct Slab {
    memory: Box<[UnsafeCell<u8>]>,
    slot_bytes: usize,
    /// One bit per slot, set while it is free.
    free: AtomicU32,
    /// Set while the reader waits for a slot.
    starved: AtomicBool,
    /// Writing to it wakes the reader.
    wake: OwnedFd,
}

// SAFETY: a slot's bytes are written only by whoever took its bit out of `free`, before the chunk exists, and read
// only through that chunk; the bit goes back when the chunk is dropped.
unsafe impl Sync for Slab {}
// SAFETY: the memory is plain bytes, owned by the box.
unsafe impl Send for Slab {}

impl Slab {
    /// `slots` must be at most 32.
    pub(crate) fn new(slots: u32, slot_bytes: usize, wake: OwnedFd) -> Arc<Self> {
        let memory = (0..slots as usize * slot_bytes).map(|_| UnsafeCell::new(0)).collect();
        let free = u32::MAX >> (32 - slots.clamp(1, 32));
        Arc::new(Self { memory, slot_bytes, free: AtomicU32::new(free), starved: AtomicBool::new(false), wake })
    }

    /// Where the memory lies, for a consumer that cannot hold chunks as values (a JavaScript buffer).
    pub fn memory(&self) -> (*mut u8, usize) {
        (UnsafeCell::raw_get(self.memory.as_ptr()), self.memory.len())
    }

    /// Bytes per slot: slot n begins at n times this.
    pub fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    /// False when no slot is free; then the reader is woken once one is.
    pub(crate) fn has_room(&self) -> bool {
        if self.free.load(Ordering::Acquire) != 0 {
            return true;
        }
        // Said before the second look: a chunk dropped in between either is seen or wakes us.
        self.starved.store(true, Ordering::SeqCst);
        self.free.load(Ordering::SeqCst) != 0
    }

    /// Reads at most `limit` bytes into a free slot. `None`: nothing to read, no room, or the end of the stream.
    pub(crate) fn read(self: &Arc<Self>, fd: &OwnedFd, limit: usize) -> std::io::Result<Option<Chunk>> {
        let free = self.free.load(Ordering::Acquire);
        if free == 0 {
            return Ok(None);
        }
        let slot = free.trailing_zeros();
        self.free.fetch_and(!(1 << slot), Ordering::AcqRel);
        let mut chunk = Chunk { slab: Arc::clone(self), slot, length: 0 };
        let start = slot as usize * self.slot_bytes;
        // SAFETY: the slot's bit was just taken by us, the only reader, so nobody else looks at these bytes.
        let target = unsafe {
            let first = UnsafeCell::raw_get(self.memory.as_ptr().add(start));
            std::slice::from_raw_parts_mut(first, limit.min(self.slot_bytes))
        };
        let read = sys::read(fd, target)?;
        chunk.length = read.unwrap_or(0);
        Ok(read.is_some().then_some(chunk))
    }

    pub(crate) fn wake(&self) {
        // A full pipe already holds a wake-up, and a closed one has nobody left to wake.
        let _ = sys::write(&self.wake, b"!");
    }
}

/// A piece of output in its slot. Dropping it lets more come.
pub struct Chunk {
    slab: Arc<Slab>,
    slot: u32,
    length: usize,
}

impl Chunk {
    /// Which slot it lies in.
    pub fn slot(&self) -> u32 {
        self.slot
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let start = self.slot as usize * self.slab.slot_bytes;
        // SAFETY: the slot belongs to this chunk and its first `length` bytes were written before the chunk was given away.
        unsafe {
            let first = UnsafeCell::raw_get(self.slab.memory.as_ptr().add(start));
            std::slice::from_raw_parts(first, self.length)
        }
    }
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chunk").field("slot", &self.slot).field("length", &self.length).finish()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        self.slab.free.fetch_or(1 << self.slot, Ordering::SeqCst);
        if self.slab.starved.swap(false, Ordering::SeqCst) {
            self.slab.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_handed_out_until_none_is_left_and_come_back_when_dropped() {
        let (read, write) = sys::pipe().expect("a pipe");
        let (wake_read, wake) = sys::pipe().expect("a pipe");
        sys::set_nonblocking(&wake_read).expect("a flag");
        let slab = Slab::new(2, 4, wake);
        sys::write(&write, b"abcdefghij").expect("room");
        let first = slab.read(&read, 99).expect("read").expect("a slot");
        let second = slab.read(&read, 2).expect("read").expect("a slot");
        assert_eq!((&*first, &*second), (b"abcd".as_slice(), b"ef".as_slice()));
        assert!(!slab.has_room());
        assert!(slab.read(&read, 4).expect("no error").is_none());
        drop(first);
        assert_eq!(sys::read(&wake_read, &mut [0; 8]).expect("read"), Some(1));
        assert_eq!(&*slab.read(&read, 4).expect("read").expect("a slot"), b"ghij");
        assert_eq!(&*second, b"ef");
    }
}
