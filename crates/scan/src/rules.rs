//! Which entries the ignore files hide.
//!
//! Rules come, strongest first, from: `.ignore` files, `.gitignore` files (nearer folders beat farther ones, and
//! later lines beat earlier ones), the repository's `info/exclude`, and the user's global excludes file. Three
//! decisions are ours:
//!
//! * `.gitignore` counts without a repository too. An agent meets unpacked archives and fresh folders, and their
//!   authors meant those files.
//! * Folders above the root count up to the repository that the root lies in, and no farther.
//! * A nested repository starts over: git does not apply the outer `.gitignore` inside it, and neither do we.
//!   `.ignore` files have no such border.
//!
//! A hidden directory is not descended into, so a negated rule cannot bring back what lies below it, as in git.
//!
//! Every layer matches against the tail of one absolute path, so a check allocates nothing. As in git a `?` is one byte,
//! not one character.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use crate::error::Problems;
use crate::paths::{bytes_of, path_of, text_of};

/// The rule files of one folder, linked to those of the folders above.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Where the path relative to this folder starts inside an absolute path.
    skip: usize,
    dot_ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    /// Set where a repository starts: its own `info/exclude`, if it has one.
    repository: Option<Option<Gitignore>>,
    parent: Option<Arc<Layer>>,
}

/// The state of a rule file outside the watched folders when it was read; a missing file has no state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stamp {
    path: PathBuf,
    state: Option<(Option<SystemTime>, u64)>,
}

impl Stamp {
    fn of(path: &Path) -> Self {
        let state = fs::metadata(path).ok().map(|meta| (meta.modified().ok(), meta.len()));
        Self { path: path.to_owned(), state }
    }

    /// True while the file is as it was.
    pub fn holds(&self) -> bool {
        *self == Self::of(&self.path)
    }
}

/// What a walk needs to know about rules before it reads its root.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    pub layer: Option<Arc<Layer>>,
    global: Option<Gitignore>,
    /// Global rules are relative to the repository, or to the root where there is none.
    global_skip: usize,
    pub stamps: Vec<Stamp>,
}

/// Which rule files a listing showed; saves looking for files that are not there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Present {
    pub dot_ignore: bool,
    pub gitignore: bool,
    pub repository: bool,
}

impl Present {
    /// True when the folder has rules of its own.
    pub fn any(self) -> bool {
        self.dot_ignore || self.gitignore || self.repository
    }

    fn of(folder: &Path) -> Self {
        let exists = |name: &str| folder.join(name).symlink_metadata().is_ok();
        Self { dot_ignore: exists(".ignore"), gitignore: exists(".gitignore"), repository: exists(".git") }
    }
}

impl Outside {
    /// Reads the global excludes and the rule files between the repository's top and `root`.
    pub fn of(root: &Path, problems: &mut Problems) -> Self {
        let mut outside = Self { global_skip: skip_of(root), ..Self::default() };
        if let Some(path) = gitconfig_excludes_path() {
            outside.global = read_rules(&path, problems);
            outside.stamps.push(Stamp::of(&path));
        }
        let above: Vec<&Path> = root.ancestors().skip(1).collect();
        let in_itself = root.join(".git").symlink_metadata().is_ok();
        let top = above.iter().position(|folder| folder.join(".git").symlink_metadata().is_ok());
        if let (false, Some(top)) = (in_itself, top) {
            outside.global_skip = skip_of(above[top]);
            for folder in above[..=top].iter().rev() {
                outside.stamps.push(Stamp::of(&folder.join(".gitignore")));
                outside.stamps.push(Stamp::of(&folder.join(".ignore")));
                let present = Present::of(folder);
                outside.layer = layer(folder, present, outside.layer.take(), problems);
            }
            outside.stamps.push(Stamp::of(&exclude_file(above[top])));
        }
        if in_itself {
            outside.stamps.push(Stamp::of(&exclude_file(root)));
        }
        outside
    }

    /// True when the rules hide the entry at the absolute path `full`.
    pub fn hides(&self, layer: Option<&Arc<Layer>>, full: &[u8], is_dir: bool) -> bool {
        if layer.is_none() && self.global.is_none() {
            return false;
        }
        self.decide(layer, |skip| path_of(&full[skip..]), is_dir)
    }

    fn decide<'p>(&self, layer: Option<&Arc<Layer>>, tail: impl Fn(usize) -> &'p Path, is_dir: bool) -> bool {
        let mut next = layer;
        while let Some(current) = next {
            if let Some(hidden) = verdict(current.dot_ignore.as_ref(), tail(current.skip), is_dir) {
                return hidden;
            }
            next = current.parent.as_ref();
        }
        let mut next = layer;
        while let Some(current) = next {
            if let Some(hidden) = verdict(current.gitignore.as_ref(), tail(current.skip), is_dir) {
                return hidden;
            }
            if let Some(exclude) = &current.repository {
                if let Some(hidden) = verdict(exclude.as_ref(), tail(current.skip), is_dir) {
                    return hidden;
                }
                break;
            }
            next = current.parent.as_ref();
        }
        verdict(self.global.as_ref(), tail(self.global_skip), is_dir).unwrap_or(false)
    }
}

/// Where the path relative to `folder` starts inside an absolute path.
fn skip_of(folder: &Path) -> usize {
    let bytes = bytes_of(folder);
    bytes.len() + usize::from(!bytes.ends_with(b"/"))
}

/// `Some(true)` hides, `Some(false)` shows, `None` leaves it to the next source.
fn verdict(rules: Option<&Gitignore>, path: &Path, is_dir: bool) -> Option<bool> {
    match rules?.matched(path, is_dir) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    }
}

/// The layer of a folder, or its parent's when it has no rule files.
pub(crate) fn layer(
    folder: &Path,
    present: Present,
    parent: Option<Arc<Layer>>,
    problems: &mut Problems,
) -> Option<Arc<Layer>> {
    if !present.any() {
        return parent;
    }
    let mut read = |wanted: bool, name: &str| wanted.then(|| read_rules(&folder.join(name), problems)).flatten();
    Some(Arc::new(Layer {
        skip: skip_of(folder),
        dot_ignore: read(present.dot_ignore, ".ignore"),
        gitignore: read(present.gitignore, ".gitignore"),
        repository: present.repository.then(|| read_rules(&exclude_file(folder), problems)),
        parent,
    }))
}

/// A missing or empty file has no rules; one that cannot be read is reported.
fn read_rules(path: &Path, problems: &mut Problems) -> Option<Gitignore> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory) => {
            return None;
        }
        Err(error) => {
            problems.push_io(text_of(bytes_of(path)).into_owned(), &error);
            return None;
        }
    };
    let text = String::from_utf8_lossy(content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content)).into_owned();
    let mut builder = GitignoreBuilder::new("");
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        // A line that is no valid pattern matches nothing, as in git; the other lines still count.
        if let Some(pattern) = in_matcher_dialect(line) {
            let _invalid = builder.add_line(None, &pattern);
        }
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// The matcher reads a few things differently from git: it knows `{a,b}`, and it counts asterisks by the letter.
/// Gives the line in its dialect, or nothing when git would never match it.
fn in_matcher_dialect(line: &str) -> Option<String> {
    let bare = line.strip_prefix('!').unwrap_or(line).trim_end_matches(' ');
    // The matcher would take a lone `!` or `/` for everything.
    if bare.chars().all(|character| character == '/') {
        return None;
    }
    if line.starts_with('#') {
        return None;
    }
    let characters: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len() + 8);
    let mut at = usize::from(line.starts_with('!'));
    out.extend(&characters[..at]);
    // A name matches at any depth. Said openly, because a separator inside a set below would be taken for a path's.
    if !bare.trim_end_matches('/').contains('/') {
        out.push_str("**/");
    }
    while let Some(character) = characters.get(at) {
        match character {
            '\\' => {
                out.push('\\');
                at += 1;
                out.push(*characters.get(at)?);
            }
            '{' | '}' => {
                out.push('\\');
                out.push(*character);
            }
            '[' => {
                let end = set_end(&characters, at)?;
                let mut members = at + 1;
                if matches!(characters.get(members), Some('!' | '^')) {
                    // A negated set of the matcher would take the separator in. A bracket right at the start is a member.
                    members += 1 + usize::from(characters.get(members + 1) == Some(&']'));
                    out.extend(&characters[at..members]);
                    out.push('/');
                    at = members;
                }
                out.extend(&characters[at..=end]);
                at = end;
            }
            '*' => {
                let run = characters[at..].iter().take_while(|next| **next == '*').count();
                let starts = at == 0 || characters[at - 1] == '/' || (at == 1 && characters[0] == '!');
                let ends = matches!(characters.get(at + run), None | Some('/'));
                // Two or more fill a whole component, or count as one.
                out.push_str(if run >= 2 && starts && ends { "**" } else { "*" });
                at += run - 1;
            }
            other => out.push(*other),
        }
        at += 1;
    }
    Some(out)
}

/// The bracket that closes a set, by git's reading: one right at the start is a member.
fn set_end(characters: &[char], start: usize) -> Option<usize> {
    let mut at = start + 1;
    if matches!(characters.get(at), Some('!' | '^')) {
        at += 1;
    }
    let first = at;
    while let Some(character) = characters.get(at) {
        match character {
            '\\' => at += 1,
            '[' if characters.get(at + 1) == Some(&':') => {
                // A named class such as [:alpha:] has brackets of its own.
                let close = characters[at + 2..].windows(2).position(|pair| pair == [':', ']']);
                at = close.map_or(at, |offset| at + 3 + offset);
            }
            ']' if at > first => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// `info/exclude` of the repository at `folder`. In a work tree `.git` is a file that leads to the main one.
fn exclude_file(folder: &Path) -> PathBuf {
    let dot_git = folder.join(".git");
    let common = fs::read_to_string(&dot_git).ok().and_then(|text| {
        let git_dir = folder.join(text.lines().next()?.strip_prefix("gitdir:")?.trim());
        let common = fs::read_to_string(git_dir.join("commondir")).ok();
        Some(common.map_or_else(|| git_dir.clone(), |text| git_dir.join(text.trim())))
    });
    common.unwrap_or(dot_git).join("info").join("exclude")
}
