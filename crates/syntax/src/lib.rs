//! Structure-aware reading of source text: search, rewrite, outline, symbols and plain syntax trees.
//!
//! The matching engine is `ast-grep-core` over tree-sitter grammars that are linked in. This crate adds what an
//! agent needs around it: many files in parallel with bounded memory, prefilters that keep most files from being
//! parsed at all, rewrite previews that never touch a file, outlines with bodies elided, and symbol lists.
//!
//! What a language is called, which files it owns and which node kinds carry its structure is data
//! (`languages.json`), shared with the WebAssembly twin, so that both give the same answers.

mod around;
pub mod document;
pub mod error;
pub mod files;
pub mod json;
pub mod language;
mod memory;
pub mod outline;
mod pack;
mod parse;
mod pattern;
mod prefilter;
mod readings;
mod related;
pub mod rewrite;
pub mod rule;
pub mod search;
pub mod symbols;
pub mod tree;
mod turns;
mod walk;

pub use document::{Document, Range};
pub use error::{Issue, IssueKind, SyntaxError};
pub use language::{Lang, detect, languages};
