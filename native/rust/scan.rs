//! Bindings of `tenon-scan`.
//!
//! Paths cross as one NUL-separated buffer: a string per path would cost an N-API call each.

use std::sync::OnceLock;

use napi::bindgen_prelude::*;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use tenon_scan::{
    FuzzyRequest, GlobRequest, Kind, Policy, Problems, Scan, ScanError, Scanner, SortBy, Source, StatRequest,
    TreeWatch, WatchReport,
};

use crate::task::{Blocking, CancelHandle, blocking, cancelled, failure};

/// The cache that scan and search share.
pub(crate) fn scanner() -> &'static Scanner {
    static SCANNER: OnceLock<Scanner> = OnceLock::new();
    SCANNER.get_or_init(Scanner::new)
}

pub(crate) fn scan_error(error: ScanError) -> Error {
    match error {
        ScanError::Cancelled(reason) => cancelled(reason),
        other => failure(other),
    }
}

/// What to walk.
#[napi(object)]
pub struct RawPolicy {
    pub hidden: bool,
    pub gitignore: bool,
    pub node_modules: bool,
}

impl From<RawPolicy> for Policy {
    fn from(raw: RawPolicy) -> Self {
        Self { hidden: raw.hidden, gitignore: raw.gitignore, node_modules: raw.node_modules }
    }
}

impl From<Policy> for RawPolicy {
    fn from(policy: Policy) -> Self {
        Self { hidden: policy.hidden, gitignore: policy.gitignore, node_modules: policy.node_modules }
    }
}

/// A file or folder that had to be left out.
#[napi(object)]
pub struct RawProblem {
    pub path: String,
    pub reason: String,
}

pub(crate) fn raw_problems(problems: &Problems) -> Vec<RawProblem> {
    problems.list().into_iter().map(|problem| RawProblem { path: problem.path, reason: problem.reason }).collect()
}

/// Where an answer came from.
#[napi(object)]
pub struct RawScanInfo {
    /// `walk`, `recent` or `watched`.
    pub source: String,
    pub age_ms: f64,
    pub entries: u32,
}

pub(crate) fn raw_scan(scan: Option<&Scan>) -> Option<RawScanInfo> {
    scan.map(|scan| RawScanInfo {
        source: match scan.source {
            Source::Walk => "walk",
            Source::Recent => "recent",
            Source::Watched => "watched",
        }
        .to_owned(),
        age_ms: scan.age.as_secs_f64() * 1e3,
        entries: scan.snapshot.len() as u32,
    })
}

fn kind_of(number: Option<u32>) -> Option<Kind> {
    match number? {
        0 => Some(Kind::File),
        1 => Some(Kind::Directory),
        2 => Some(Kind::Symlink),
        _ => Some(Kind::Other),
    }
}

/// A glob request; the JavaScript side fills in all defaults.
#[napi(object)]
pub struct RawGlobRequest {
    pub path: String,
    pub patterns: Vec<String>,
    pub policy: RawPolicy,
    pub cache: bool,
    pub kind: Option<u32>,
    pub limit: u32,
    pub newest_first: bool,
    pub times: bool,
}

/// A packed glob answer.
#[napi(object)]
pub struct RawGlobResult {
    pub paths: Buffer,
    pub kinds: Buffer,
    pub times: Option<Float64Array>,
    pub total: u32,
    pub problems: Vec<RawProblem>,
    pub problem_count: u32,
    pub scan: Option<RawScanInfo>,
}

/// Receives batches of NUL-terminated paths.
type BatchListener = ThreadsafeFunction<Buffer, (), Buffer, Status, false, true>;

/// Paths that match a glob.
#[napi]
pub fn scan_glob(
    request: RawGlobRequest,
    on_batch: Option<BatchListener>,
    cancel: Option<&CancelHandle>,
) -> AsyncTask<Blocking<RawGlobResult>> {
    blocking("glob", cancel, move |cancel| {
        let request = GlobRequest {
            root: request.path.into(),
            patterns: request.patterns,
            policy: request.policy.into(),
            cache: request.cache,
            kind: kind_of(request.kind),
            limit: request.limit as usize,
            sort: if request.newest_first { SortBy::Modified } else { SortBy::Path },
            times: request.times,
        };
        let send = on_batch.map(|listener| {
            move |paths: Vec<u8>| {
                listener.call(paths.into(), ThreadsafeFunctionCallMode::NonBlocking);
            }
        });
        let listener = send.as_ref().map(|send| send as &(dyn Fn(Vec<u8>) + Sync));
        let outcome = tenon_scan::glob(scanner(), &request, listener, cancel).map_err(scan_error)?;
        let problems = outcome.scan.as_ref().map(|scan| &scan.snapshot.problems);
        Ok(RawGlobResult {
            problems: problems.map(raw_problems).unwrap_or_default(),
            problem_count: problems.map_or(0, |problems| problems.count() as u32),
            scan: raw_scan(outcome.scan.as_ref()),
            paths: outcome.paths.into(),
            kinds: outcome.kinds.into(),
            times: outcome.times.map(Float64Array::new),
            total: outcome.total as u32,
        })
    })
}

/// A fuzzy request; the JavaScript side fills in all defaults.
#[napi(object)]
pub struct RawFuzzyRequest {
    pub path: String,
    pub query: String,
    pub policy: RawPolicy,
    pub cache: bool,
    pub kind: Option<u32>,
    pub limit: u32,
}

/// One ranked path.
#[napi(object)]
pub struct RawFuzzyHit {
    pub path: String,
    pub kind: u32,
    pub score: i32,
}

/// The ranked paths.
#[napi(object)]
pub struct RawFuzzyResult {
    pub hits: Vec<RawFuzzyHit>,
    pub total: u32,
    pub problems: Vec<RawProblem>,
    pub problem_count: u32,
    pub scan: Option<RawScanInfo>,
}

/// Paths ranked by a few typed letters.
#[napi]
pub fn scan_fuzzy(request: RawFuzzyRequest, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<RawFuzzyResult>> {
    blocking("fuzzyFind", cancel, move |cancel| {
        let request = FuzzyRequest {
            root: request.path.into(),
            query: request.query,
            policy: request.policy.into(),
            cache: request.cache,
            kind: kind_of(request.kind),
            limit: request.limit as usize,
        };
        let outcome = tenon_scan::fuzzy_find(scanner(), &request, cancel).map_err(scan_error)?;
        let problems = outcome.scan.as_ref().map(|scan| &scan.snapshot.problems);
        Ok(RawFuzzyResult {
            problems: problems.map(raw_problems).unwrap_or_default(),
            problem_count: problems.map_or(0, |problems| problems.count() as u32),
            scan: raw_scan(outcome.scan.as_ref()),
            hits: outcome
                .hits
                .into_iter()
                .map(|hit| RawFuzzyHit { path: hit.path, kind: hit.kind as u32, score: hit.score })
                .collect(),
            total: outcome.total as u32,
        })
    })
}

/// A request for the stat of every entry; the JavaScript side fills in all defaults.
#[napi(object)]
pub struct RawStatRequest {
    pub path: String,
    pub all_ignored: bool,
    pub small_folder: u32,
    pub generated: Vec<String>,
    pub without: Vec<String>,
    pub except: Vec<String>,
    pub max_entries: u32,
}

/// Every entry of a tree with its stat, packed.
#[napi(object)]
pub struct RawStatResult {
    pub root: Buffer,
    pub paths: Buffer,
    pub stats: Buffer,
    pub count: u32,
    pub left_out: Buffer,
    pub is_cut: bool,
    pub problems: Vec<RawProblem>,
    pub problem_count: u32,
}

/// Every entry of a tree with its stat.
#[napi]
pub fn scan_stats(request: RawStatRequest, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<RawStatResult>> {
    blocking("statTree", cancel, move |cancel| {
        let request = StatRequest {
            root: request.path.into(),
            all_ignored: request.all_ignored,
            small_folder: request.small_folder as usize,
            generated: request.generated,
            without: request.without,
            except: request.except.into_iter().map(Into::into).collect(),
            max_entries: request.max_entries as usize,
        };
        let outcome = tenon_scan::stat_tree(&request, cancel).map_err(scan_error)?;
        Ok(RawStatResult {
            problems: raw_problems(&outcome.problems),
            problem_count: outcome.problems.count() as u32,
            root: tenon_scan::bytes_of(&outcome.root).to_vec().into(),
            paths: outcome.paths.into(),
            stats: outcome.stats.into(),
            count: outcome.count as u32,
            left_out: outcome.left_out.into(),
            is_cut: outcome.is_cut,
        })
    })
}

/// Watches of a set of folders; nothing happens in the background.
#[napi]
pub struct ScanTreeWatch {
    watch: Option<TreeWatch>,
}

#[napi]
impl ScanTreeWatch {
    /// Watches a folder and those below it that are named, each followed by NUL.
    #[napi(constructor)]
    pub fn new(root: String, folders: Buffer) -> Self {
        Self { watch: TreeWatch::new(std::path::Path::new(&root), &folders) }
    }

    /// Whether everything is watched.
    #[napi]
    pub fn is_live(&self) -> bool {
        self.watch.is_some()
    }

    /// Whether nothing happened since this was asked last.
    #[napi]
    pub fn is_unchanged(&self) -> bool {
        self.watch.as_ref().is_some_and(TreeWatch::is_unchanged)
    }

    /// Whether folders came, went or were moved since, so that others must be watched.
    #[napi]
    pub fn is_outdated(&self) -> bool {
        self.watch.as_ref().is_none_or(TreeWatch::is_outdated)
    }

    /// Ends the watching.
    #[napi]
    pub fn close(&mut self) {
        self.watch = None;
    }
}

/// Drops cached scans that could show `path`, or all; gives how many.
#[napi]
pub fn scan_invalidate(path: Option<String>) -> u32 {
    scanner().invalidate(path.as_deref().map(std::path::Path::new)) as u32
}

/// One cached scan.
#[napi(object)]
pub struct RawCacheLine {
    pub root: String,
    pub policy: RawPolicy,
    pub entries: u32,
    pub directories: u32,
    pub bytes: f64,
    pub age_ms: f64,
    /// `not-yet`, `arming`, `live` or `off`.
    pub watch: String,
    pub reason: Option<String>,
}

/// What is cached right now.
#[napi]
pub fn scan_cache_report() -> Vec<RawCacheLine> {
    let lines = scanner().report().into_iter();
    lines
        .map(|line| {
            let (watch, reason) = match line.watch {
                WatchReport::NotYet => ("not-yet", None),
                WatchReport::Arming => ("arming", None),
                WatchReport::Live => ("live", None),
                WatchReport::Off(reason) => ("off", Some(reason)),
            };
            RawCacheLine {
                root: line.root.to_string_lossy().into_owned(),
                policy: line.policy.into(),
                entries: line.entries as u32,
                directories: line.directories as u32,
                bytes: line.bytes as f64,
                age_ms: line.age.as_secs_f64() * 1e3,
                watch: watch.to_owned(),
                reason,
            }
        })
        .collect()
}
