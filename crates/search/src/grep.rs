//! `grep`: one pattern over many files.
//!
//! Files are dealt to the workers in small runs, in path order. When a limit is set, a search may end early: as soon
//! as the finished runs from the start on hold enough, later files cannot change the answer. So ending early saves
//! time but never shows.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_cancel::{CancelToken, Cancelled};
use tenon_scan::{GlobSet, Policy, Problems, Scan, ScanError, Scanner, bytes_of, pool};

use crate::hits::{Chunk, Chunks, FileHits};
#[cfg(unix)]
use crate::index;
use crate::lines::{Keep, any_line_matches, search};
use crate::pack::pack;
use crate::pattern::{Pattern, PatternError};
use crate::read::{Content, Look, Reader};
use crate::select::Selection;
use crate::verdict::{Filter, Verdict};

/// What a search gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Lines.
    Content,
    /// Only which files match.
    Files,
    /// How many lines of each file match.
    Count,
}

/// A question for [`grep`].
#[derive(Debug, Clone)]
pub struct GrepRequest {
    /// A folder, or one file.
    pub root: PathBuf,
    pub pattern: String,
    /// Take the pattern literally.
    pub literal: bool,
    pub ignore_case: bool,
    /// Unset: across lines when the pattern names a line break.
    pub multiline: Option<bool>,
    /// Which files; see [`GlobSet`].
    pub globs: Vec<String>,
    pub policy: Policy,
    /// May the list of files come from the cache?
    pub cache: bool,
    pub mode: Mode,
    pub before: usize,
    pub after: usize,
    /// Widest line, in UTF-16 units.
    pub columns: usize,
    /// Matches (files, in the other modes) to pass over.
    pub offset: usize,
    /// Matches (files, in the other modes) to give.
    pub limit: usize,
    /// Matches per file.
    pub per_file: usize,
    /// Bytes of results to give.
    pub bytes: usize,
    /// Larger files are reported, not searched.
    pub file_bytes: usize,
    /// Where indexes of large folders are kept; without it every file is read.
    pub index: Option<IndexChoice>,
}

/// Whether and where a search uses an index.
#[derive(Debug, Clone)]
pub struct IndexChoice {
    /// Where indexes are kept.
    pub folder: PathBuf,
    /// Folders with fewer files are searched without.
    pub fewest_files: usize,
}

/// A search that could not be done.
#[derive(Debug)]
pub enum GrepError {
    Pattern(PatternError),
    Scan(ScanError),
    Cancelled(Cancelled),
}

impl fmt::Display for GrepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(error) => error.fmt(f),
            Self::Scan(error) => error.fmt(f),
            Self::Cancelled(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for GrepError {}

impl From<ScanError> for GrepError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Cancelled(reason) => Self::Cancelled(reason),
            other => Self::Scan(other),
        }
    }
}

/// The answer, packed: a few arrays however many matches there are.
#[derive(Debug, Default)]
pub struct GrepOutcome {
    /// Paths relative to the root, each followed by NUL.
    pub paths: Vec<u8>,
    /// Seven words per file: matches, lines, bytes of text, 1 when it has more matches than are given, and where its
    /// lines are: chunk, first line and first byte in it.
    pub files: Vec<u32>,
    /// The lines, in an order that only `files` knows.
    pub chunks: Vec<Chunk>,
    /// Matches in the answer.
    pub matches: usize,
    /// There is more than the answer shows.
    pub limited: bool,
    pub searched: usize,
    /// Files among them that were not read, because the index rules them out.
    pub spared: usize,
    pub binary: usize,
    pub problems: Problems,
    /// The pattern as it was understood, when that differs from what was typed.
    pub repaired: Option<String>,
    /// Missing when a single file was searched.
    pub scan: Option<Scan>,
}

/// Files per run. Small enough to balance large files, large enough to share a folder's handle.
const RUN: usize = 32;

/// Searches the files below a folder, or one file.
pub fn grep(scanner: &Scanner, request: &GrepRequest, cancel: &CancelToken) -> Result<GrepOutcome, GrepError> {
    let pattern = Pattern::new(&request.pattern, request.literal, request.ignore_case, request.multiline)
        .map_err(GrepError::Pattern)?;
    if request.root.is_file() {
        let given = std::path::absolute(&request.root).unwrap_or_else(|_| request.root.clone());
        // A link that is named is meant; the reader follows none by itself.
        let file = std::fs::canonicalize(&given).unwrap_or_else(|_| given.clone());
        let name = |path: &Path| path.file_name().map(|name| bytes_of(Path::new(name)).to_owned()).unwrap_or_default();
        let selection = Selection::single(&name(&file), &name(&given));
        let folder = file.parent().unwrap_or(Path::new("/"));
        return run(request, &pattern, folder, &selection, None, Problems::default(), cancel);
    }
    let globs = GlobSet::new(&request.globs);
    let mut scan = match &request.index {
        Some(_) if !request.cache => scanner.scan_watched(&request.root, request.policy, cancel)?,
        _ => scanner.scan(&request.root, request.policy, request.cache, cancel)?,
    };
    let mut selection = Selection::shared(&scan.snapshot, &globs);
    if selection.len() == 0
        && let Some(fresh) = scanner.recheck(&request.root, request.policy, Some(&scan), cancel)?
    {
        selection = Selection::shared(&fresh.snapshot, &globs);
        scan = fresh;
    }
    let problems = scan.snapshot.problems.clone();
    let filter = filter(request, &pattern, &scan, &selection, cancel)?;
    let mut outcome = run(request, &pattern, &scan.snapshot.root, &selection, filter, problems, cancel)?;
    outcome.scan = Some(scan);
    Ok(outcome)
}

#[cfg(unix)]
fn filter(
    request: &GrepRequest,
    pattern: &Pattern,
    scan: &Scan,
    selection: &Arc<Selection>,
    cancel: &CancelToken,
) -> Result<Option<Filter>, GrepError> {
    let (Some(choice), Some(parsed)) = (&request.index, pattern.parsed()) else { return Ok(None) };
    let (query, is_exact) = index::Query::of(&parsed);
    if query == index::Query::All {
        return Ok(None);
    }
    let (is_multiline, file_bytes) = (pattern.multiline, request.file_bytes);
    let between = &index::bytes_between_matches(&parsed);
    let wanted = index::Wanted { query: &query, is_exact, is_multiline, between, file_bytes };
    let (snapshot, policy) = (&scan.snapshot, request.policy);
    let question = index::Question { choice, snapshot, policy, selection, wanted };
    index::filter(&question, cancel).map_err(GrepError::Cancelled)
}

#[cfg(not(unix))]
fn filter(
    _request: &GrepRequest,
    _pattern: &Pattern,
    _scan: &Scan,
    _selection: &Arc<Selection>,
    _cancel: &CancelToken,
) -> Result<Option<Filter>, GrepError> {
    Ok(None)
}

struct Search<'a> {
    request: &'a GrepRequest,
    pattern: &'a Pattern,
    root: &'a Path,
    selection: &'a Selection,
    filter: Option<Filter>,
    cancel: &'a CancelToken,
    keep: Keep,
    next: AtomicUsize,
    stop: AtomicBool,
    progress: Mutex<Progress>,
}

/// What the finished runs hold.
#[derive(Default)]
struct Progress {
    /// Runs finished out of order: files with matches, and bytes.
    waiting: BTreeMap<usize, (usize, usize)>,
    runs: usize,
    files: usize,
    bytes: usize,
    cancelled: Option<Cancelled>,
}

#[derive(Default)]
struct Part {
    hits: Vec<FileHits>,
    chunks: Chunks,
    searched: usize,
    spared: usize,
    binary: usize,
    problems: Problems,
}

fn run(
    request: &GrepRequest,
    pattern: &Pattern,
    root: &Path,
    selection: &Selection,
    filter: Option<Filter>,
    problems: Problems,
    cancel: &CancelToken,
) -> Result<GrepOutcome, GrepError> {
    let wanted = request.offset.saturating_add(request.limit);
    let keep = Keep {
        matches: match request.mode {
            Mode::Content => request.per_file.min(wanted),
            Mode::Files => 1,
            Mode::Count => usize::MAX,
        },
        before: request.before,
        after: request.after,
        columns: request.columns.max(1),
        bytes: request.bytes,
        count_only: request.mode != Mode::Content,
    };
    let search = Search {
        request,
        pattern,
        root,
        selection,
        filter,
        cancel,
        keep,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        progress: Mutex::default(),
    };
    let parts: Vec<Part> = match pool() {
        // A single run is done sooner by this thread than handed over.
        Some(pool) if selection.len() > RUN => pool.broadcast(|_| search.work()),
        _ => vec![search.work()],
    };
    if let Some(reason) = search.progress.lock().unwrap_or_else(PoisonError::into_inner).cancelled {
        return Err(GrepError::Cancelled(reason));
    }
    let stopped_early = search.stop.load(Ordering::Relaxed);
    let mut outcome = GrepOutcome { problems, repaired: pattern.repaired.clone(), ..GrepOutcome::default() };
    let (mut hits, mut chunks): (Vec<FileHits>, Vec<Chunk>) = Default::default();
    for part in parts {
        let before = chunks.len() as u32;
        hits.extend(part.hits.into_iter().map(|file| FileHits { chunk: file.chunk + before, ..file }));
        chunks.extend(part.chunks.into_vec());
        outcome.searched += part.searched;
        outcome.spared += part.spared;
        outcome.binary += part.binary;
        outcome.problems.merge(part.problems);
    }
    hits.sort_unstable_by_key(|file| file.file);
    outcome.limited = stopped_early;
    pack(request, selection, &hits, chunks, &mut outcome);
    Ok(outcome)
}

impl Search<'_> {
    fn work(&self) -> Part {
        let mut part = Part::default();
        let mut reader = Reader::new(pool().map_or(1, rayon::ThreadPool::current_num_threads));
        let pattern = self.pattern.clone();
        loop {
            let run = self.next.fetch_add(1, Ordering::Relaxed);
            let first = run * RUN;
            if first >= self.selection.len() || self.stop.load(Ordering::Relaxed) {
                return part;
            }
            let (mut files, mut bytes) = (0, 0);
            for file in first..(first + RUN).min(self.selection.len()) {
                if let Err(reason) = self.cancel.heartbeat() {
                    self.progress.lock().unwrap_or_else(PoisonError::into_inner).cancelled = Some(reason);
                    self.stop.store(true, Ordering::Relaxed);
                    return part;
                }
                let verdict = self.filter.as_ref().map_or(Verdict::Read, |filter| filter.verdict(file));
                if verdict != Verdict::Read {
                    part.spared += 1;
                    part.searched += usize::from(verdict == Verdict::NoMatch);
                    part.binary += usize::from(verdict == Verdict::Binary);
                } else if let Some(hits) = self.file(file, &pattern, &mut reader, &mut part) {
                    files += 1;
                    bytes += hits.bytes();
                    part.hits.push(hits);
                }
            }
            self.finished(run, files, bytes);
        }
    }

    fn file(&self, file: usize, pattern: &Pattern, reader: &mut Reader, part: &mut Part) -> Option<FileHits> {
        let folder = self.selection.folder(file);
        let path = || String::from_utf8_lossy(&self.selection.path(file)).into_owned();
        let place = || self.selection.absolute(self.root, folder);
        let name = self.selection.name(file);
        let look = |lines: &[u8]| match any_line_matches(pattern, lines) {
            false => Look::Nothing,
            true if self.keep.count_only && self.keep.matches == 1 => Look::Enough,
            true => Look::Whole,
        };
        let most = self.request.file_bytes;
        let parts = self.filter.as_ref().and_then(|filter| filter.parts_of(file));
        let content = match parts {
            _ if pattern.multiline => reader.read(folder, place, name, most),
            Some(parts) => reader.read_parts_if(folder, place, name, most, &parts, look),
            None => reader.read_if(folder, place, name, most, look),
        };
        match content {
            Ok(Content::Nothing) => {
                part.searched += 1;
                None
            }
            Ok(Content::Text(text)) => {
                part.searched += 1;
                let (number, chunk) = part.chunks.open();
                let hits = search(pattern, text, self.keep, chunk);
                reader.release();
                (hits.matches > 0).then_some(FileHits { file: file as u32, chunk: number, ..hits })
            }
            Ok(Content::Binary) => {
                part.binary += 1;
                None
            }
            Ok(Content::TooLarge) => {
                reader.release();
                part.problems.push(path(), format!("larger than {most} bytes; raise maxFileBytes to search it"));
                None
            }
            // A file that vanished since the scan has no content to miss.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                part.problems.push_io(path(), &error);
                None
            }
        }
    }

    /// Notes a finished run, and stops the others when the runs from the start on hold enough.
    fn finished(&self, run: usize, files: usize, bytes: usize) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.waiting.insert(run, (files, bytes));
        while let Some((files, bytes)) = {
            let next = progress.runs;
            progress.waiting.remove(&next)
        } {
            progress.runs += 1;
            progress.files += files;
            progress.bytes += bytes;
        }
        let wanted = self.request.offset.saturating_add(self.request.limit);
        let all = progress.runs * RUN >= self.selection.len();
        if !all && (progress.files > wanted || progress.bytes > self.request.bytes) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
