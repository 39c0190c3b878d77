use std::fmt;

use tenon_cancel::Cancelled;
use tenon_scan::ScanError;

/// Why there is no map.
#[derive(Debug)]
pub enum MapError {
    /// The caller stopped it or its time ran out. What was read until then is kept.
    Cancelled(Cancelled),
    /// The folder cannot be walked.
    Scan(ScanError),
    /// The request itself is malformed.
    Request(String),
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(reason) => reason.fmt(f),
            Self::Scan(error) => error.fmt(f),
            Self::Request(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for MapError {}

impl From<Cancelled> for MapError {
    fn from(reason: Cancelled) -> Self {
        Self::Cancelled(reason)
    }
}

impl From<ScanError> for MapError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Cancelled(reason) => Self::Cancelled(reason),
            other => Self::Scan(other),
        }
    }
}
