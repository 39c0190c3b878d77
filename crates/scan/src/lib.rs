//! Walking a tree, remembering the walk, and answering questions about paths from it.
//!
//! One walk serves three consumers: `glob` filters it, `fuzzy_find` ranks it, and grep (in `tenon-search`) picks
//! the files to read from it. So the walk is the thing worth making fast and worth keeping:
//!
//! * [`walk`] reads directories on all cores and applies the ignore rules ([`rules`]) as it goes;
//! * the outcome is a [`Snapshot`], a few flat arrays instead of a million path strings;
//! * [`Scanner`] keeps snapshots by root and policy, and drops one when it is too old or when the kernel says
//!   that the tree changed ([`watch`]).
//!
//! Nothing here knows about JavaScript; errors are values, and every loop beats the caller's cancel token.

mod cache;
mod change_watch;
mod config_file;
mod error;
mod find;
mod fuzzy;
mod git_config;
mod glob;
mod ignore_file;
mod listing;
mod paths;
mod pool;
mod rules;
mod snapshot;
mod stats;
mod tree_watch;
mod walk;
mod watch;
mod wildmatch;

pub use cache::{CacheReport, Scan, Scanner, Source, WatchReport};
pub use change_watch::{ChangeWatch, Changes};
pub use error::{Problem, Problems, ScanError};
pub use find::{GlobOutcome, GlobRequest, SortBy, glob};
pub use fuzzy::{FuzzyHit, FuzzyOutcome, FuzzyRequest, Needle, fuzzy_find};
pub use glob::GlobSet;
pub use paths::{bytes_of, path_of};
pub use pool::{pool, workers};
pub use snapshot::{Entry, Kind, Snapshot};
pub use stats::{STAT_BYTES, StatOutcome, StatRequest, stat_tree};
pub use tree_watch::TreeWatch;
pub use walk::{Policy, walk};
