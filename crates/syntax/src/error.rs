//! Failures of this crate, as values.
//!
//! [`SyntaxError`] ends a whole call (bad request, cancelled). An [`Issue`] belongs to one file or one pattern and
//! travels beside the results: one unreadable file must not hide the matches of a thousand others.

use std::fmt;

use serde::Serialize;
use tenon_cancel::Cancelled;

/// Why a call could not be carried out at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxError {
    /// The caller stopped it or its time ran out.
    Cancelled(Cancelled),
    /// The language is not known or not linked in.
    Language(String),
    /// The pattern, kind or expression cannot be used; the text says what to change.
    Pattern(String),
    /// The request itself is malformed.
    Request(String),
    /// The parser could not get through one text within its limits.
    GaveUp(String),
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(reason) => reason.fmt(f),
            Self::Language(text) | Self::Pattern(text) | Self::Request(text) | Self::GaveUp(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SyntaxError {}

impl From<Cancelled> for SyntaxError {
    fn from(reason: Cancelled) -> Self {
        Self::Cancelled(reason)
    }
}

/// What an [`Issue`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IssueKind {
    Unreadable,
    NotUtf8,
    TooLarge,
    SyntaxError,
    GaveUp,
}

/// Something that limits a result without ending the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    pub kind: IssueKind,
    pub message: String,
}

impl Issue {
    /// An issue with its message.
    pub fn new(kind: IssueKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
