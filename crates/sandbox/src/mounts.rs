//! Which paths a wrapped command sees: one ordered list that both command-line builders render.
//!
//! The rule is "the nearest listed ancestor decides". To let mounts (bubblewrap) and last-match-wins rules (Seatbelt)
//! express that, entries are ordered from shallow to deep: whatever comes later is nested in, or apart from, what came
//! before. A path that is listed twice keeps its strictest wish: deny over write over read, and any of those over a
//! link or a private `/proc`, `/dev` or `/tmp`.

use crate::policy::{CommandPolicy, PolicyError};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The host's file or folder, read-only.
    Read,
    /// The host's file or folder.
    Write,
    /// Nothing of the host; `directory` says what to hide it behind.
    Deny {
        /// Whether a folder or a file is hidden.
        directory: bool,
    },
    /// A link with this text.
    Link(String),
    /// A fresh process file system.
    Proc,
    /// A minimal device folder.
    Dev,
    /// An empty folder in memory.
    Tmp,
}

/// A path together with what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// An absolute path in normal form.
    pub path: String,
    /// What stands there.
    pub entry: Entry,
}

/// The mounts of a policy, shallow before deep, each path once.
pub fn mounts(policy: &CommandPolicy) -> Result<Vec<Mount>, PolicyError> {
    let mut table = Vec::new();
    if policy.proc {
        put(&mut table, "/proc", Entry::Proc)?;
    }
    if policy.dev {
        put(&mut table, "/dev", Entry::Dev)?;
    }
    if policy.tmp {
        put(&mut table, "/tmp", Entry::Tmp)?;
    }
    for link in &policy.links {
        if link.target.contains('\0') {
            return Err(PolicyError::NulInArgument(link.target.clone()));
        }
        put(&mut table, &link.path, Entry::Link(link.target.clone()))?;
    }
    for path in &policy.read {
        put(&mut table, path, Entry::Read)?;
    }
    for path in &policy.write {
        put(&mut table, path, Entry::Write)?;
    }
    for denied in &policy.deny {
        put(&mut table, &denied.path, Entry::Deny { directory: denied.directory })?;
    }
    table.sort_by_key(|mount| depth(&mount.path));
    Ok(table)
}

/// The entry that decides about `path`: its nearest listed ancestor, or itself.
pub fn deciding<'a>(table: &'a [Mount], path: &str) -> Option<&'a Mount> {
    table.iter().rev().find(|mount| covers(&mount.path, path))
}

/// Whether `inner` is `outer` or lies beneath it. Both are in normal form.
pub fn covers(outer: &str, inner: &str) -> bool {
    match inner.strip_prefix(outer) {
        Some(rest) => rest.is_empty() || outer == "/" || rest.starts_with('/'),
        None => false,
    }
}

/// The normal form of an absolute path: no double, trailing or `.` parts. `..` is refused, because what it means
/// depends on links that only the file system knows.
pub fn normal(path: &str) -> Result<String, PolicyError> {
    let refuse = |problem| Err(PolicyError::BadPath { path: path.to_owned(), problem });
    if !path.starts_with('/') {
        return refuse("is not absolute; resolve it first");
    }
    if path.contains('\0') {
        return refuse("contains NUL; no file can have that name");
    }
    let mut out = String::with_capacity(path.len());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return refuse("contains '..'; resolve it first"),
            name => {
                out.push('/');
                out.push_str(name);
            }
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    Ok(out)
}

fn put(table: &mut Vec<Mount>, path: &str, entry: Entry) -> Result<(), PolicyError> {
    let path = normal(path)?;
    match table.iter_mut().find(|mount| mount.path == path) {
        Some(known) => known.entry = entry,
        None => table.push(Mount { path, entry }),
    }
    Ok(())
}

fn depth(path: &str) -> usize {
    if path == "/" { 0 } else { path.matches('/').count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_brought_into_normal_form_and_dots_upward_are_refused() {
        assert_eq!(normal("//a/./b//").as_deref(), Ok("/a/b"));
        assert_eq!(normal("/").as_deref(), Ok("/"));
        assert!(normal("/a/../b").is_err());
        assert!(normal("a").is_err());
        assert!(normal("").is_err());
        assert!(normal("/a\0b").is_err());
    }

    #[test]
    fn covering_respects_whole_names() {
        assert!(covers("/a", "/a/b"));
        assert!(covers("/", "/a"));
        assert!(!covers("/a", "/ab"));
        assert!(!covers("/a/b", "/a"));
    }

    #[test]
    fn deny_wins_over_write_and_write_over_read_for_the_same_path() {
        let policy = CommandPolicy {
            read: vec!["/a".into(), "/b".into()],
            write: vec!["/b/".into()],
            deny: vec![crate::policy::DeniedPath { path: "/a".into(), directory: true }],
            ..CommandPolicy::default()
        };
        let table = mounts(&policy).expect("plain paths");
        assert_eq!(deciding(&table, "/a/x").map(|m| &m.entry), Some(&Entry::Deny { directory: true }));
        assert_eq!(deciding(&table, "/b/x").map(|m| &m.entry), Some(&Entry::Write));
        assert_eq!(deciding(&table, "/c"), None);
    }
}
