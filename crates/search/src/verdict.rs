//! What is known about files before they are read.

/// What is known about one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) enum Verdict {
    /// It may match, or nothing is known.
    Read,
    NoMatch,
    Binary,
}

/// A verdict on each file of a selection.
#[derive(Debug)]
pub(crate) struct Filter {
    pub verdicts: Vec<Verdict>,
    /// Files that the index has never seen.
    #[cfg_attr(not(unix), allow(dead_code))]
    pub unknown: usize,
}

impl Filter {
    pub fn verdict(&self, file: usize) -> Verdict {
        self.verdicts.get(file).copied().unwrap_or(Verdict::Read)
    }
}
