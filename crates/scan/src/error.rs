//! What can go wrong with a scan, and the list of things that went wrong inside one that still succeeded.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use tenon_cancel::Cancelled;

/// A scan that could not be done at all.
#[derive(Debug)]
pub enum ScanError {
    /// The root does not exist, is no directory, or cannot be read.
    Root { path: PathBuf, reason: String },
    /// The caller gave up or the time ran out.
    Cancelled(Cancelled),
}

impl ScanError {
    /// Says in words what is wrong with a root.
    pub(crate) fn root(path: &Path, error: &io::Error) -> Self {
        Self::Root { path: path.to_owned(), reason: describe(error) }
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root { path, reason } => {
                write!(f, "cannot scan {}: {reason}; give an existing directory", path.display())
            }
            Self::Cancelled(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for ScanError {}

impl From<Cancelled> for ScanError {
    fn from(reason: Cancelled) -> Self {
        Self::Cancelled(reason)
    }
}

/// One file or folder that a scan or search had to leave out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Relative to the root, `/`-separated; absolute for rule files outside it.
    pub path: String,
    /// A short phrase: `permission denied`, `not found`, …
    pub reason: String,
}

/// How many problems are kept in words; the rest is only counted.
const KEPT_PROBLEMS: usize = 100;

/// The problems of one scan or search: all counted, the first hundred by path kept.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// Adds one and keeps memory bounded: twice the limit is trimmed back to the smallest paths.
    pub fn push(&mut self, path: String, reason: String) {
        self.count += 1;
        self.kept.push(Problem { path, reason });
        if self.kept.len() >= KEPT_PROBLEMS * 2 {
            self.trim();
        }
    }

    /// Takes over the problems of another list.
    pub fn merge(&mut self, other: Problems) {
        self.count += other.count;
        self.kept.extend(other.kept);
        self.trim();
    }

    /// The kept ones, ordered by path.
    pub fn list(&self) -> Vec<Problem> {
        let mut sorted = self.clone();
        sorted.trim();
        sorted.kept
    }

    /// How many there were in all.
    pub fn count(&self) -> usize {
        self.count
    }

    fn trim(&mut self) {
        self.kept.sort();
        self.kept.truncate(KEPT_PROBLEMS);
    }
}

/// The same few phrases on every platform and in the JavaScript twin.
pub(crate) fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "not found".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// The phrase for a file that another crate could not read.
impl Problems {
    /// Adds an input/output failure in words.
    pub fn push_io(&mut self, path: String, error: &io::Error) {
        self.push(path, describe(error));
    }
}
