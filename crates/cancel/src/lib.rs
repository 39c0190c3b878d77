//! Cooperative cancellation shared by every accelerator.
//!
//! Long loops call [`CancelToken::heartbeat`] once per unit of work (a file, a directory, a few thousand
//! lines). The call is one relaxed atomic load, plus a clock read only when a deadline was set and only
//! every 64th beat, so it is cheap enough to leave in hot loops.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Why a piece of work was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// The caller no longer wants the result.
    Aborted,
    /// The deadline given at the start has passed.
    TimedOut,
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cancelled::Aborted => "the operation was aborted",
            Cancelled::TimedOut => "the operation ran past its time limit",
        })
    }
}

impl std::error::Error for Cancelled {}

#[derive(Debug, Default)]
struct State {
    aborted: AtomicBool,
    beats: AtomicU32,
    deadline: Option<Instant>,
}

/// A cloneable handle: one side cancels, the other side beats.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<State>);

/// The clock is read on every n-th beat only.
const BEATS_PER_CLOCK_READ: u32 = 64;

impl CancelToken {
    /// A token that only stops when [`CancelToken::cancel`] is called.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that also stops once `limit` has passed.
    pub fn with_timeout(limit: Duration) -> Self {
        Self(Arc::new(State { deadline: Instant::now().checked_add(limit), ..State::default() }))
    }

    /// Asks all holders of this token to stop at their next heartbeat.
    pub fn cancel(&self) {
        self.0.aborted.store(true, Ordering::Relaxed);
    }

    /// Returns an error when the work should stop. Call it once per unit of work.
    pub fn heartbeat(&self) -> Result<(), Cancelled> {
        if self.0.aborted.load(Ordering::Relaxed) {
            return Err(Cancelled::Aborted);
        }
        if let Some(deadline) = self.0.deadline {
            let beat = self.0.beats.fetch_add(1, Ordering::Relaxed);
            if beat.is_multiple_of(BEATS_PER_CLOCK_READ) && Instant::now() >= deadline {
                return Err(Cancelled::TimedOut);
            }
        }
        Ok(())
    }

    /// True when a heartbeat would fail right now; reads the clock each time.
    pub fn is_cancelled(&self) -> bool {
        self.0.aborted.load(Ordering::Relaxed) || self.0.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_sees_the_cancel_of_its_origin() {
        let token = CancelToken::new();
        let clone = token.clone();
        assert_eq!(clone.heartbeat(), Ok(()));
        token.cancel();
        assert_eq!(clone.heartbeat(), Err(Cancelled::Aborted));
    }

    #[test]
    fn a_deadline_in_the_past_stops_the_first_beat() {
        let token = CancelToken::with_timeout(Duration::ZERO);
        assert_eq!(token.heartbeat(), Err(Cancelled::TimedOut));
        assert!(token.is_cancelled());
    }

    #[test]
    fn a_passed_deadline_is_noticed_within_64_beats() {
        let token = CancelToken::with_timeout(Duration::from_millis(5));
        std::thread::sleep(Duration::from_millis(10));
        assert!((0..BEATS_PER_CLOCK_READ).any(|_| token.heartbeat().is_err()));
    }
}
