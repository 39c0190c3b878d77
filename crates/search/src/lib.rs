//! Searching file contents.
//!
//! The files come from a [`tenon_scan::Snapshot`]; this crate reads them on all cores and finds the lines. Four
//! decisions shape it:
//!
//! * A whole file is searched at once, not line by line: the regex engine's literal search runs over the buffer, and
//!   only around a hit are line borders looked for ([`lines`]).
//! * Results are written into flat arrays while searching ([`hits`]). Three hundred thousand matches are a few dozen
//!   allocations, and cross into JavaScript without being copied ([`pack`]).
//! * Large folders get an index of trigrams, so that files which cannot match are not read ([`index`]).
//! * Limits are fair and answers are deterministic: the same call gives the same answer on any number of cores
//!   ([`fair`]).

mod excerpt;
mod fair;
mod grep;
mod hits;
#[cfg(unix)]
mod index;
mod lines;
mod pack;
mod pattern;
mod read;
mod select;
mod verdict;

pub use fair::Chosen;
pub use grep::{GrepError, GrepOutcome, GrepRequest, IndexChoice, Mode, grep};
pub use hits::{CUT, Chunk, LINE_WORDS, MATCH};
#[cfg(unix)]
pub use index::build_index;
pub use pattern::{Pattern, PatternError, repair};
