//! Which source a worker takes next.
//!
//! A tree has about ten times the size of its text, so what a search needs is decided by the large texts that are parsed at the same
//! time. They share an allowance: one for which there is no room is put off, and comes when others are done. Nobody waits
//! for that. When nothing else is left to do, a text goes without room.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts up to this size need no room.
const LARGEST_FREE: u64 = 32 * 1024;
/// What the large texts that are parsed at the same time may have together, for each worker.
const ROOM_PER_WORKER: u64 = 160_000;
/// With more of them waiting, the smallest goes without room.
const MOST_PUT_OFF: usize = 64;
/// Results are in the order of the sources, so none may wait until all others are done.
const LONGEST_LEAD: usize = 512;

/// The sources of a job, shared by its workers.
pub(crate) struct Turns(Mutex<State>);

struct State {
    next: usize,
    count: usize,
    room: u64,
    taken: u64,
    put_off: Vec<PutOff>,
}

/// A source that waits for room.
#[derive(Clone, Copy)]
struct PutOff {
    index: usize,
    size: u64,
}

/// A source that one worker has taken; its room is free again when it goes out of scope.
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    pub index: usize,
    /// The room that it has; none while its size is not known, or needs none.
    room: Option<u64>,
}

impl Turns {
    pub fn new(count: usize, workers: usize) -> Self {
        let room = ROOM_PER_WORKER * workers as u64;
        Self(Mutex::new(State { next: 0, count, room, taken: 0, put_off: Vec::new() }))
    }

    /// The next source; none when all are taken.
    pub fn take(&self) -> Option<Turn<'_>> {
        let mut state = self.lock();
        let Some(PutOff { index, size }) = state.put_off() else {
            let index = state.next;
            state.next += 1;
            return (index < state.count).then_some(Turn { turns: self, index, room: None });
        };
        state.taken += size;
        Some(Turn { turns: self, index, room: Some(size) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn fits(&self, size: u64) -> bool {
        self.taken == 0 || self.taken + size <= self.room
    }

    /// The source that is to be taken now of those that were put off, if any.
    fn put_off(&mut self) -> Option<PutOff> {
        let places = 0..self.put_off.len();
        let size = |at: &usize| self.put_off[*at].size;
        let late = places.clone().find(|at| self.next - self.put_off[*at].index > LONGEST_LEAD);
        let largest = || places.clone().filter(|at| self.fits(size(at))).max_by_key(size);
        let is_full = self.put_off.len() >= MOST_PUT_OFF || self.next >= self.count;
        let smallest = || places.clone().filter(|_| is_full).min_by_key(size);
        let at = late.or_else(largest).or_else(smallest)?;
        Some(self.put_off.swap_remove(at))
    }
}

impl Turn<'_> {
    /// Was it put off before? Whether its text can match is known then.
    pub fn has_room(&self) -> bool {
        self.room.is_some()
    }

    /// May a text of this size be parsed now? If not, its source comes again.
    pub fn begin(&mut self, size: u64) -> bool {
        if size <= LARGEST_FREE || self.has_room() {
            return true;
        }
        let mut state = self.turns.lock();
        if state.fits(size) {
            state.taken += size;
            self.room = Some(size);
            return true;
        }
        state.put_off.push(PutOff { index: self.index, size });
        false
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(room) = self.room {
            self.turns.lock().taken -= room;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LARGE: u64 = ROOM_PER_WORKER;

    #[test]
    fn a_large_text_waits_for_room_while_small_ones_go_on() {
        let turns = Turns::new(4, 1);
        let mut first = turns.take().unwrap();
        assert!(first.begin(LARGE));
        let mut second = turns.take().unwrap();
        assert!(!second.begin(LARGE));
        drop(second);
        let mut third = turns.take().unwrap();
        assert_eq!(third.index, 2);
        assert!(third.begin(LARGEST_FREE));
        drop(first);
        let again = turns.take().unwrap();
        assert_eq!((again.index, again.has_room()), (1, true));
        assert_eq!(turns.take().unwrap().index, 3);
    }

    #[test]
    fn a_text_that_is_larger_than_the_room_goes_alone() {
        let turns = Turns::new(2, 1);
        let mut first = turns.take().unwrap();
        assert!(first.begin(9 * LARGE));
        assert!(!turns.take().unwrap().begin(LARGEST_FREE + 1));
    }

    #[test]
    fn nobody_waits_when_only_large_texts_are_left() {
        let turns = Turns::new(2, 1);
        let mut first = turns.take().unwrap();
        assert!(first.begin(LARGE));
        assert!(!turns.take().unwrap().begin(LARGE));
        assert_eq!(turns.take().unwrap().index, 1);
        assert!(turns.take().is_none());
    }

    #[test]
    fn a_text_does_not_wait_until_all_others_are_done() {
        let turns = Turns::new(10 * LONGEST_LEAD, 1);
        let mut first = turns.take().unwrap();
        assert!(first.begin(LARGE));
        assert!(!turns.take().unwrap().begin(LARGE));
        let again = (0..).find(|_| turns.take().unwrap().index == 1).unwrap();
        assert!(again <= LONGEST_LEAD, "{again}");
    }

    proptest! {
        #[test]
        fn every_source_is_parsed_once_and_all_room_is_free_in_the_end(
            sizes in prop::collection::vec(prop_oneof![0..LARGEST_FREE, LARGEST_FREE..4 * LARGE], 0..300),
            workers in 1_usize..5,
            choices in prop::collection::vec(any::<prop::sample::Index>(), 700),
        ) {
            let turns = Turns::new(sizes.len(), workers);
            let mut busy: Vec<Turn<'_>> = Vec::new();
            let mut parsed = Vec::new();
            for choice in choices {
                if busy.len() == workers {
                    busy.swap_remove(choice.index(workers));
                }
                match turns.take() {
                    Some(mut turn) => {
                        if turn.begin(sizes[turn.index]) {
                            parsed.push(turn.index);
                            busy.push(turn);
                        }
                    }
                    None => break,
                }
            }
            parsed.sort_unstable();
            prop_assert!(parsed.iter().copied().eq(0..sizes.len()));
            drop(busy);
            prop_assert_eq!(turns.lock().taken, 0);
        }
    }
}
