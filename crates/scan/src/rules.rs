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
//! Every layer matches against the tail of one absolute path, so a check allocates nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::Problems;
use crate::git_config::{GitConfig, Repository};
use crate::ignore_file::IgnoreFile;
use crate::listing::Listing;
use crate::paths::{bytes_of, path_of, text_of};
use crate::snapshot::Kind;

/// The rule files of one folder, linked to those of the folders above.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Where the path relative to this folder starts inside an absolute path.
    skip: usize,
    /// True where the repository ignores the case of letters.
    fold: bool,
    dot_ignore: Option<IgnoreFile>,
    gitignore: Option<IgnoreFile>,
    /// Set where a repository starts.
    repository: Option<Excludes>,
    parent: Option<Arc<Layer>>,
}

/// The rules that a repository has outside of its tree.
#[derive(Debug, Default)]
struct Excludes {
    /// Its `info/exclude`.
    own: Option<IgnoreFile>,
    /// The file that `core.excludesFile` names.
    user: Option<IgnoreFile>,
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
    /// What counts where there is no repository: the user's excludes file, relative to the root.
    user: Option<IgnoreFile>,
    fold: bool,
    root_skip: usize,
    pub notes: Notes,
}

/// What reading rule files leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub problems: Problems,
    /// Files outside the watched folders that the rules depend on.
    pub stamps: Vec<Stamp>,
}

/// Which rule files a folder has; saves looking for files that are not there.
#[derive(Debug, Clone, Copy, Default)]
struct Present {
    dot_ignore: bool,
    gitignore: bool,
    dot_git: bool,
}

impl Present {
    fn note(&mut self, name: &[u8], kind: Kind) {
        match name {
            b".ignore" => self.dot_ignore = matches!(kind, Kind::File | Kind::Symlink),
            // Git does not follow a link here: what it leads to is not part of the tree.
            b".gitignore" => self.gitignore = kind == Kind::File,
            b".git" => self.dot_git = true,
            _ => {}
        }
    }

    fn of(folder: &Path) -> Self {
        let mut present = Self::default();
        for name in [".ignore", ".gitignore", ".git"] {
            if let Ok(meta) = folder.join(name).symlink_metadata() {
                let kind = if meta.is_file() {
                    Kind::File
                } else if meta.is_symlink() {
                    Kind::Symlink
                } else {
                    Kind::Directory
                };
                present.note(name.as_bytes(), kind);
            }
        }
        present
    }
}

impl Outside {
    /// Reads the rule files between the repository's top and `root`.
    pub fn of(root: &Path) -> Self {
        let mut notes = Notes::default();
        let mut outside = Self { root_skip: skip_of(root), ..Self::default() };
        if Repository::at(root).is_none() {
            let above: Vec<&Path> = root.ancestors().skip(1).collect();
            if let Some(top) = above.iter().position(|folder| Repository::at(folder).is_some()) {
                for folder in above[..=top].iter().rev() {
                    notes.stamps.push(Stamp::of(&folder.join(".gitignore")));
                    notes.stamps.push(Stamp::of(&folder.join(".ignore")));
                    let present = Present::of(folder);
                    outside.layer = outside.layer_with(folder, present, outside.layer.clone(), &mut notes);
                }
            } else {
                let config = GitConfig::read(None, root, &mut notes.problems);
                outside.fold = config.ignore_case;
                outside.user = notes.user_rules(config);
            }
        }
        outside.notes = notes;
        outside
    }

    /// The layer of a folder that was just listed, or its parent's when it has no rule files.
    pub fn layer_of(
        &self,
        folder: &[u8],
        listing: &Listing,
        parent: Option<Arc<Layer>>,
        notes: &mut Notes,
    ) -> Option<Arc<Layer>> {
        let mut present = Present::default();
        for item in listing.items() {
            present.note(listing.name(*item), item.kind);
        }
        self.layer_with(path_of(folder), present, parent, notes)
    }

    fn layer_with(
        &self,
        folder: &Path,
        present: Present,
        parent: Option<Arc<Layer>>,
        notes: &mut Notes,
    ) -> Option<Arc<Layer>> {
        let repository = if present.dot_git { Repository::at(folder) } else { None };
        if !present.dot_ignore && !present.gitignore && repository.is_none() {
            return parent;
        }
        let mut fold = parent.as_ref().map_or(self.fold, |parent| parent.fold);
        let excludes = repository.map(|repository| {
            let config = GitConfig::read(Some(&repository), folder, &mut notes.problems);
            fold = config.ignore_case;
            let own = repository.common_dir.join("info").join("exclude");
            notes.stamps.push(Stamp::of(&own));
            Excludes { own: notes.read(&own, fold), user: notes.user_rules(config) }
        });
        let mut read = |wanted: bool, name: &str, fold| wanted.then(|| notes.read(&folder.join(name), fold)).flatten();
        Some(Arc::new(Layer {
            skip: skip_of(folder),
            fold,
            dot_ignore: read(present.dot_ignore, ".ignore", false),
            gitignore: read(present.gitignore, ".gitignore", fold),
            repository: excludes,
            parent,
        }))
    }

    /// True when the rules hide the entry at the absolute path `full`.
    pub fn hides(&self, layer: Option<&Arc<Layer>>, full: &[u8], is_dir: bool) -> bool {
        let verdict = |rules: &Option<IgnoreFile>, skip: usize| rules.as_ref()?.verdict(&full[skip..], is_dir);
        let mut next = layer;
        while let Some(current) = next {
            if let Some(hidden) = verdict(&current.dot_ignore, current.skip) {
                return hidden;
            }
            next = current.parent.as_ref();
        }
        let mut next = layer;
        while let Some(current) = next {
            if let Some(hidden) = verdict(&current.gitignore, current.skip) {
                return hidden;
            }
            if let Some(Excludes { own, user }) = &current.repository {
                return verdict(own, current.skip).or_else(|| verdict(user, current.skip)).unwrap_or(false);
            }
            next = current.parent.as_ref();
        }
        verdict(&self.user, self.root_skip).unwrap_or(false)
    }
}

/// Where the path relative to `folder` starts inside an absolute path.
fn skip_of(folder: &Path) -> usize {
    let bytes = bytes_of(folder);
    bytes.len() + usize::from(!bytes.ends_with(b"/"))
}

impl Notes {
    fn user_rules(&mut self, config: GitConfig) -> Option<IgnoreFile> {
        self.stamps.extend(config.looked_at.iter().chain(&config.excludes_file).map(|path| Stamp::of(path)));
        self.read(&config.excludes_file?, config.ignore_case)
    }

    /// A missing or empty file has no rules; one that cannot be read is reported.
    fn read(&mut self, path: &Path, fold: bool) -> Option<IgnoreFile> {
        use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
        match fs::read(path) {
            Ok(content) => IgnoreFile::new(&content, fold),
            Err(error) => {
                if !matches!(error.kind(), NotFound | IsADirectory | NotADirectory) {
                    self.problems.push_io(text_of(bytes_of(path)).into_owned(), &error);
                }
                None
            }
        }
    }
}
