//! Paths as bytes. Trees are stored and matched as `/`-separated bytes, which on Unix is what the kernel gives;
//! on Windows the platform's own lossless encoding is used, so a name always leads back to its file.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The bytes of a path in the platform's lossless encoding.
pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path for bytes that came from [`bytes_of`] or from a directory listing, joined by separators only.
pub fn path_of(bytes: &[u8]) -> &Path {
    // SAFETY: the bytes were taken from `OsStr::as_encoded_bytes` (or from the kernel on Unix, where any bytes
    // are valid) and are only ever joined and cut at ASCII separators, which the encoding allows.
    Path::new(unsafe { OsStr::from_encoded_bytes_unchecked(bytes) })
}

/// The text shown for a path; names that are not UTF-8 show replacement characters.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Canonical where it exists; a missing file keeps its name under its canonical parent, so that a deleted path
/// still names the same place as before.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(found) = std::fs::canonicalize(&absolute) {
        return found;
    }
    match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => canonical(parent).join(name),
        _ => absolute,
    }
}

/// Which folder a path leads to: another one may be put in its place, or in the place of one above it.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// Not known here.
#[cfg(not(unix))]
pub(crate) fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}

/// The folder at the root of a watch. When one above it is moved, nothing happens to the folders that are watched.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct WatchedRoot {
    path: PathBuf,
    identity: (u64, u64),
}

#[cfg(target_os = "linux")]
impl WatchedRoot {
    /// None when there is no such folder. To be made before its watches: a folder put there in between counts as another one.
    pub(crate) fn new(path: &Path) -> Option<Self> {
        Some(Self { path: path.to_owned(), identity: identity(path)? })
    }

    /// Whether its path still leads to it.
    pub(crate) fn is_there(&self) -> bool {
        identity(&self.path) == Some(self.identity)
    }
}
