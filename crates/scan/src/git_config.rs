//! What git's configuration says about ignore files: `core.excludesFile` and `core.ignoreCase`.
//!
//! Files are read in git's order: of the machine, of the user, of the repository, of the work tree, then the variables
//! `GIT_CONFIG_COUNT`…; the last value wins. `include` and `includeIf` are followed where they stand. Every path that
//! was looked at is kept, also a missing one, so that a watched snapshot notices when one changes.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config_file::entries_of;
use crate::error::Problems;
use crate::paths::{bytes_of, path_of, text_of};
use crate::wildmatch::Wildcards;

/// Where a repository keeps its files. In a work tree the two differ.
#[derive(Debug)]
pub(crate) struct Repository {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
}

impl Repository {
    /// The repository whose top is `folder`; nothing where `.git` is something else, as for git.
    pub fn at(folder: &Path) -> Option<Self> {
        let dot_git = folder.join(".git");
        let git_dir = match fs::read(&dot_git) {
            Ok(link) => folder.join(path_of(trimmed(link.strip_prefix(b"gitdir:")?))),
            // A folder cannot be read as a file.
            Err(_) => dot_git,
        };
        let common = fs::read(git_dir.join("commondir")).ok();
        let common_dir = common.map_or_else(|| git_dir.clone(), |link| git_dir.join(path_of(trimmed(&link))));
        let is_whole = git_dir.join("HEAD").symlink_metadata().is_ok()
            && common_dir.join("objects").exists()
            && common_dir.join("refs").exists();
        is_whole.then_some(Self { git_dir, common_dir })
    }
}

/// What git's configuration says about ignore files.
#[derive(Debug, Default)]
pub(crate) struct GitConfig {
    /// The user's own ignore file.
    pub excludes_file: Option<PathBuf>,
    pub ignore_case: bool,
    /// Every configuration file that was looked for.
    pub looked_at: Vec<PathBuf>,
}

/// Files that include files that include files…
const DEEPEST: usize = 10;

struct Reader<'a> {
    repository: Option<&'a Repository>,
    problems: &'a mut Problems,
    config: GitConfig,
    excludes_file: Option<Vec<u8>>,
    has_worktree_file: bool,
    /// Git would have given up; files that include each other several times would take long.
    is_too_deep: bool,
    /// Set while the addresses of remotes are gathered for `hasconfig`.
    urls: Option<Vec<Vec<u8>>>,
}

impl GitConfig {
    /// Reads the configuration for a repository whose top is `folder`, or for a folder without one.
    pub fn read(repository: Option<&Repository>, folder: &Path, problems: &mut Problems) -> Self {
        let config = Self { looked_at: Vec::new(), ..Self::default() };
        let mut reader = Reader {
            repository,
            problems,
            config,
            excludes_file: None,
            has_worktree_file: false,
            is_too_deep: false,
            urls: None,
        };
        reader.all();
        let mut config = reader.config;
        config.excludes_file = match reader.excludes_file {
            Some(value) if value.is_empty() => None,
            Some(value) => Some(folder.join(path_of(&value))),
            None => user_folder().map(|user| user.join("git").join("ignore")),
        };
        config
    }
}

impl Reader<'_> {
    fn all(&mut self) {
        if !env::var_os("GIT_CONFIG_NOSYSTEM").is_some_and(|value| is_true(Some(value.as_encoded_bytes()))) {
            let system = env::var_os("GIT_CONFIG_SYSTEM").map_or_else(|| "/etc/gitconfig".into(), PathBuf::from);
            self.file(&system, 0);
        }
        if let Some(global) = env::var_os("GIT_CONFIG_GLOBAL") {
            self.file(Path::new(&global), 0);
        } else {
            let user = user_folder().map(|user| user.join("git/config"));
            for file in user.into_iter().chain(home().map(|home| home.join(".gitconfig"))) {
                self.file(&file, 0);
            }
        }
        if let Some(Repository { git_dir, common_dir }) = self.repository {
            self.file(&common_dir.join("config"), 0);
            if self.has_worktree_file {
                self.file(&git_dir.join("config.worktree"), 0);
            }
        }
        let count = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0_usize);
        for index in 0..count {
            let Some(key) = env::var_os(format!("GIT_CONFIG_KEY_{index}")) else { break };
            let Some(value) = env::var_os(format!("GIT_CONFIG_VALUE_{index}")) else { break };
            let key = key.as_encoded_bytes().to_ascii_lowercase();
            self.set(&key, Some(value.as_encoded_bytes()), Path::new("GIT_CONFIG_COUNT"));
        }
    }

    fn file(&mut self, path: &Path, depth: usize) {
        self.config.looked_at.push(path.to_owned());
        let content = match fs::read(path) {
            Ok(content) => content,
            Err(error) => {
                let is_absent = matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied
                );
                // Git goes on without the files of the user and the machine that it may not read.
                if !is_absent && self.urls.is_none() {
                    self.problems.push_io(text_of(bytes_of(path)).into_owned(), &error);
                }
                return;
            }
        };
        let (entries, wrong) = entries_of(&content);
        for entry in entries {
            let value = entry.value.as_deref();
            let is_included = match entry.key.strip_prefix(b"includeif.").and_then(|rest| rest.strip_suffix(b".path")) {
                Some(condition) => self.holds(condition, path),
                None => entry.key == b"include.path",
            };
            if !is_included {
                self.set(&entry.key, value, path);
            } else if let Some(target) = self.expanded(value, "an included path", path)
                && !self.is_too_deep
            {
                let included = beside(path, &target);
                if depth < DEEPEST {
                    self.file(&included, depth + 1);
                } else if included.symlink_metadata().is_ok() {
                    self.is_too_deep = true;
                    self.refuse(path, "files include each other too deeply".to_owned());
                }
            }
        }
        if let Some(line) = wrong {
            self.refuse(path, format!("line {line} is no git configuration"));
        }
    }

    /// Tells about something that git would not work with.
    fn refuse(&mut self, path: &Path, what: String) {
        if self.urls.is_none() {
            self.problems.push(text_of(bytes_of(path)).into_owned(), format!("{what}; git config --list says more"));
        }
    }

    fn expanded(&mut self, value: Option<&[u8]>, what: &str, path: &Path) -> Option<Vec<u8>> {
        let target = value.and_then(expanded);
        if target.is_none() {
            self.refuse(path, format!("{what} leads nowhere"));
        }
        target
    }

    fn set(&mut self, key: &[u8], value: Option<&[u8]>, path: &Path) {
        match key {
            b"core.excludesfile" => self.excludes_file = self.expanded(value, "core.excludesFile", path),
            b"core.ignorecase" => self.config.ignore_case = is_true(value),
            b"extensions.worktreeconfig" => self.has_worktree_file = is_true(value),
            key if key.starts_with(b"remote.") && key.ends_with(b".url") => {
                if let (Some(urls), Some(value)) = (&mut self.urls, value) {
                    urls.push(value.to_vec());
                }
            }
            _ => {}
        }
    }

    /// True when an `includeIf` in the file at `path` applies.
    fn holds(&mut self, condition: &[u8], path: &Path) -> bool {
        let Some(repository) = self.repository else { return false };
        if let Some(pattern) = condition.strip_prefix(b"gitdir:") {
            return is_git_dir(repository, pattern, path, false);
        }
        if let Some(pattern) = condition.strip_prefix(b"gitdir/i:") {
            return is_git_dir(repository, pattern, path, true);
        }
        if let Some(pattern) = condition.strip_prefix(b"onbranch:") {
            let head = fs::read(repository.git_dir.join("HEAD")).unwrap_or_default();
            let name = head.strip_prefix(b"ref:").map(trimmed).and_then(|name| name.strip_prefix(b"refs/heads/"));
            return name.is_some_and(|name| matches(&with_everything_below(pattern.to_vec()), name, false));
        }
        match (condition.strip_prefix(b"hasconfig:remote.*.url:"), &self.urls) {
            (Some(pattern), None) => self.remotes().iter().any(|url| matches(pattern, url, false)),
            _ => false,
        }
    }

    /// The addresses of all remotes, from all files that do not themselves depend on them.
    fn remotes(&mut self) -> Vec<Vec<u8>> {
        let mut problems = Problems::default();
        let mut gathering = Reader {
            repository: self.repository,
            problems: &mut problems,
            config: GitConfig::default(),
            excludes_file: None,
            has_worktree_file: false,
            is_too_deep: false,
            urls: Some(Vec::new()),
        };
        gathering.all();
        gathering.urls.unwrap_or_default()
    }
}

fn is_git_dir(repository: &Repository, condition: &[u8], path: &Path, fold: bool) -> bool {
    let mut pattern = match condition.strip_prefix(b"~") {
        Some(rest) if rest.is_empty() || rest.starts_with(b"/") => {
            let Some(home) = home() else { return false };
            [bytes_of(&fs::canonicalize(&home).unwrap_or(home)), rest].concat()
        }
        _ => expanded(condition).unwrap_or_default(),
    };
    // What the dot stands for is compared letter by letter: its folders may have names with asterisks.
    let mut plain = 0;
    if pattern.starts_with(b"./") {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = bytes_of(real.parent().unwrap_or(&real)).to_vec();
        plain = folder.len() + 1;
        pattern = [folder.as_slice(), &pattern[1..]].concat();
    } else if !pattern.starts_with(b"/") {
        pattern = [b"**/".as_slice(), &pattern].concat();
    }
    let pattern = with_everything_below(pattern);
    let real = fs::canonicalize(&repository.git_dir).unwrap_or_else(|_| repository.git_dir.clone());
    [real.as_path(), &repository.git_dir].into_iter().any(|folder| {
        let text = bytes_of(folder);
        let (Some(start), Some(wanted)) = (text.get(..plain), pattern.get(..plain)) else { return false };
        let is_same = if fold { start.eq_ignore_ascii_case(wanted) } else { start == wanted };
        is_same && matches(&pattern[plain..], &text[plain..], fold)
    })
}

fn matches(pattern: &[u8], text: &[u8], fold: bool) -> bool {
    Wildcards::new(pattern, fold).is_some_and(|wildcards| wildcards.matches(text))
}

fn with_everything_below(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.ends_with(b"/") {
        pattern.extend_from_slice(b"**");
    }
    pattern
}

/// An included path, relative to the file that names it.
fn beside(file: &Path, target: &[u8]) -> PathBuf {
    file.parent().unwrap_or(file).join(path_of(target))
}

/// A path with its `~` or `~name` replaced; nothing when that home is not known.
fn expanded(path: &[u8]) -> Option<Vec<u8>> {
    let Some(rest) = path.strip_prefix(b"~") else { return Some(path.to_vec()) };
    let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
    let base = if end == 0 { bytes_of(&home()?).to_vec() } else { home_of(&rest[..end])? };
    Some([base.as_slice(), &rest[end..]].concat())
}

fn home_of(user: &[u8]) -> Option<Vec<u8>> {
    let users = fs::read("/etc/passwd").ok()?;
    let mut lines = users.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':'));
    lines.find_map(|mut fields| (fields.next()? == user).then(|| fields.nth(4))?).map(<[u8]>::to_vec)
}

fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from)
}

fn user_folder() -> Option<PathBuf> {
    let set = env::var_os("XDG_CONFIG_HOME").filter(|folder| folder != OsStr::new(""));
    set.map(PathBuf::from).or_else(|| home().map(|home| home.join(".config")))
}

/// A key alone is true; so are `true`, `yes`, `on` and every number but zero.
fn is_true(value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return true };
    let value = value.to_ascii_lowercase();
    let digits = value.strip_prefix(b"-").or_else(|| value.strip_prefix(b"+")).unwrap_or(&value);
    matches!(value.as_slice(), b"true" | b"yes" | b"on")
        || digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().any(|byte| matches!(byte, b'1'..=b'9'))
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}
