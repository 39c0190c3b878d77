//! Text as a terminal and a model see it: columns, escape sequences, tokens.
//!
//! Only what pays for the way across the N-API boundary is here: work on whole outputs and documents. Measuring or
//! cutting a single line is quicker where the string already is, so that stays in `native/src/text/` (see
//! `docs/design/text.md` for the numbers). [`width`] is here because [`wrap`] is built on it.
//!
//! All functions are one pass over memory with constant work per character, so none takes a cancel token.

pub mod link;
pub mod sanitize;
pub mod style;
pub mod tables;
pub mod tokens;
pub mod width;
pub mod wrap;

pub use sanitize::{Keep, sanitize};
pub use tokens::estimate_tokens;
pub use width::{char_width, text_width};
pub use wrap::wrap;
