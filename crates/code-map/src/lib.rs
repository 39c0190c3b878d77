//! The map of a tree of code: which files define what, who refers to it, and what therefore matters most.
//!
//! * [`extract`] reads one text: the definitions it makes and the names it uses;
//! * [`index::Index`] keeps that for every file in packed form, and [`store`] writes it to disk;
//! * [`rank`] gives every file and every definition a weight (PageRank over "file uses name, name is defined in file");
//! * [`select`] takes the most important definitions that fit a budget of tokens;
//! * [`CodeMap`] keeps the index up to date: from the disk at first, then by asking the kernel which files changed.
//!
//! Nothing here knows about JavaScript; errors are values, and every loop beats the caller's cancel token.

mod error;
mod extract;
mod index;
mod languages;
mod map;
mod names;
mod rank;
mod select;
mod store;

pub use error::MapError;
pub use map::{CodeMap, Limits, MapAnswer, MapRequest, Totals, Update};
pub use select::{MappedFile, MappedSymbol};
