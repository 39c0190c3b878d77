//! Hashline: edit a file by naming its lines, and be refused when they are not what was read.
//!
//! A reader shows each line as `LINEhh|TEXT`: the line's number and two letters that are a hash of its text. An
//! editor sends operations that name such anchors. Before anything is written, every anchor is checked against the
//! file as it is now, so an edit made for an older file is refused instead of landing on the wrong line.
//!
//! The crate is a chain of pure functions, one file each:
//! [`anchor`] (two letters for a line) → [`format`] (a file with anchors) → [`patch`] (text to operations) →
//! [`apply`] (operations to new bytes), with [`locate`] finding moved lines by proof and [`report`] showing what is
//! there now when they cannot be found.
//!
//! Everything works on bytes. A file need not be UTF-8, and every byte that no operation names comes out as it went
//! in: byte order mark, CRLF or mixed line endings, a missing last newline, tabs, NUL, broken encodings.
//! No function here is long-running: all of them are a few passes over memory, and the one search that could grow
//! (see [`locate`]) has a fixed budget. That is why none takes a cancel token.

pub mod anchor;
pub mod apply;
pub mod format;
pub mod locate;
pub mod patch;
pub mod report;
pub mod text;

pub use anchor::{code_of, hash_lines, letters_of, line_code};
pub use apply::{Applied, Piece, Refusal, RefusalCode, apply};
pub use format::format_lines;
pub use patch::{Anchor, Op, OpKind, Patch, PatchError, Place, Section, parse};
pub use report::Stale;
pub use text::Text;

#[cfg(test)]
mod laws;
