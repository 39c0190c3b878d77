//! The same work over many files, in parallel, with bounded memory.
//!
//! Workers take files in order from one counter. A file is read, checked against the prefilter, parsed, searched
//! and dropped before the next one, so memory holds one tree per worker however many files there are. Results
//! are kept in file order: as soon as the files from the start on hold enough of them, all workers stop, and
//! the answer is the same as one worker's would have been.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};
use tenon_cancel::CancelToken;

use crate::document::{Document, Reader};
use crate::error::{Issue, IssueKind, SyntaxError};
use crate::language::{Lang, LanguageInfo, detect, languages};
use crate::rewrite::{Edit, check_templates, preview};
use crate::rule::RuleSpec;
use crate::search::{Match, Query};
use crate::symbols::{Symbol, symbols};

/// One text to work on.
#[derive(Debug, Clone, Deserialize)]
pub struct Source {
    /// As it is reported; read from disk relative to the root when there is no `content`.
    pub path: String,
    /// Overrides detection by name and first line.
    pub language: Option<String>,
    pub content: Option<String>,
}

/// What all kinds of work over files share.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub sources: Vec<Source>,
    pub root: Option<PathBuf>,
    /// Larger files are reported and left out.
    pub max_file_bytes: u64,
    /// Stop once the files from the start on hold this many results.
    pub enough: usize,
    /// At most this many workers; the machine's cores when absent.
    pub threads: Option<usize>,
}

/// The results of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileResult<T> {
    /// The position in `sources`.
    pub index: usize,
    pub language: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<T>,
    #[serde(skip_serializing_if = "is_zero")]
    pub overlapping: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// What the items refer to; see `pack`.
    #[serde(skip)]
    pub text: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The results of a job. Files without results or issues are not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch<T> {
    pub files: Vec<FileResult<T>>,
    /// Files of no known language.
    pub skipped: Vec<usize>,
    /// Files whose language is known but not linked in: for another implementation.
    pub deferred: Vec<(usize, &'static str)>,
    /// Rules that do not compile for a language, with the reason; its files were left out.
    pub pattern_issues: BTreeMap<&'static str, String>,
    /// How many sources, from the start on, the results cover.
    pub processed: usize,
}

struct Found<T> {
    items: Vec<T>,
    overlapping: usize,
    issues: Vec<Issue>,
    text: String,
}

impl<T> Found<T> {
    fn nothing() -> Self {
        Self { items: Vec::new(), overlapping: 0, issues: Vec::new(), text: String::new() }
    }

    fn issue(issue: Issue) -> Self {
        Self { issues: vec![issue], ..Self::nothing() }
    }
}

enum Outcome<T> {
    Found(&'static str, Found<T>),
    Skipped,
    Deferred(&'static str),
}

/// Searches all sources.
pub fn search(
    job: &Job,
    rules: &[RuleSpec],
    max_text: usize,
    cancel: &CancelToken,
) -> Result<Batch<Match<'static>>, SyntaxError> {
    let owned =
        |_: &Document, found: Vec<Match<'_>>| (found.into_iter().map(Match::into_owned).collect(), String::new());
    search_with(job, rules, max_text, cancel, owned)
}

/// As `search`; the worker that found the matches of a source puts them into another form, with a text beside them, so that
/// they need not be kept.
pub fn search_with<T: Send>(
    job: &Job,
    rules: &[RuleSpec],
    max_text: usize,
    cancel: &CancelToken,
    form: impl Fn(&Document, Vec<Match<'_>>) -> (Vec<T>, String) + Sync,
) -> Result<Batch<T>, SyntaxError> {
    let queries = Queries::new(rules);
    let mut batch = run(job, cancel, |reader, lang, source| {
        let Some(query) = queries.get(lang) else { return Ok(Found::nothing()) };
        if !query.admits(&source) {
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let (items, text) = form(document, query.matches(document, job.enough, max_text, cancel)?);
            Ok(Found { items, overlapping: 0, issues: syntax_issue(document, "matches may be missing"), text })
        })
    })?;
    batch.pattern_issues = queries.into_issues();
    Ok(batch)
}

/// Previews the rewriting of all sources; a source with a syntax error is left out unless `allow_errors`.
pub fn rewrite(
    job: &Job,
    ops: &[(RuleSpec, String)],
    allow_errors: bool,
    cancel: &CancelToken,
) -> Result<Batch<Edit>, SyntaxError> {
    let rules: Vec<RuleSpec> = ops.iter().map(|(rule, _)| rule.clone()).collect();
    let templates: Vec<String> = ops.iter().map(|(_, template)| template.clone()).collect();
    let queries = Queries { templates: &templates, ..Queries::new(&rules) };
    let mut batch = run(job, cancel, |reader, lang, source| {
        let Some(query) = queries.get(lang) else { return Ok(Found::nothing()) };
        if !query.admits(&source) {
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let issues = syntax_issue(document, "it was left as it is");
            if !issues.is_empty() && !allow_errors {
                return Ok(Found { issues, ..Found::nothing() });
            }
            let preview = preview(document, &query, &templates, cancel)?;
            Ok(Found { items: preview.edits, overlapping: preview.overlapping, issues, text: String::new() })
        })
    })?;
    batch.pattern_issues = queries.into_issues();
    Ok(batch)
}

/// Lists the symbols of all sources.
pub fn index_symbols(job: &Job, cancel: &CancelToken) -> Result<Batch<Symbol>, SyntaxError> {
    index_symbols_with(job, cancel, |symbol| symbol)
}

/// As `index_symbols`, with every symbol in another form.
pub fn index_symbols_with<T: Send>(
    job: &Job,
    cancel: &CancelToken,
    form: impl Fn(Symbol) -> T + Sync,
) -> Result<Batch<T>, SyntaxError> {
    run(job, cancel, |reader, lang, source| {
        if lang.info().symbols.is_empty() {
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let items = symbols(document, cancel)?.into_iter().map(&form).collect();
            let issues = syntax_issue(document, "symbols may be missing");
            Ok(Found { items, overlapping: 0, issues, text: String::new() })
        })
    })
}

fn syntax_issue(document: &Document, effect: &str) -> Vec<Issue> {
    document
        .first_error_line()
        .map(|line| Issue::new(IssueKind::SyntaxError, format!("syntax error at line {line}; {effect}")))
        .into_iter()
        .collect()
}

/// Rules compiled once per language that turns up.
struct Queries<'r> {
    rules: &'r [RuleSpec],
    /// What the matches become; none in a search.
    templates: &'r [String],
    compiled: Mutex<BTreeMap<&'static str, Result<Arc<Query>, SyntaxError>>>,
}

impl<'r> Queries<'r> {
    fn new(rules: &'r [RuleSpec]) -> Self {
        Self { rules, templates: &[], compiled: Mutex::new(BTreeMap::new()) }
    }

    fn get(&self, lang: Lang) -> Option<Arc<Query>> {
        let mut compiled = lock(&self.compiled);
        let compile = || {
            let query = Query::compile(self.rules, lang)?;
            check_templates(&query, self.templates)?;
            Ok(query)
        };
        compiled.entry(lang.id()).or_insert_with(compile).as_ref().ok().cloned()
    }

    fn into_issues(self) -> BTreeMap<&'static str, String> {
        let compiled = self.compiled.into_inner().unwrap_or_else(PoisonError::into_inner);
        compiled.into_iter().filter_map(|(id, query)| query.err().map(|error| (id, error.to_string()))).collect()
    }
}

/// A poisoned lock means that another worker panicked; its panic is reported by the scope, not by this lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far the files from the start on are done.
struct Progress<T> {
    outcomes: BTreeMap<usize, Outcome<T>>,
    prefix: usize,
    items: usize,
    error: Option<SyntaxError>,
}

/// Deeply nested sources recurse in the matcher, so workers get more than the default stack.
const WORKER_STACK: usize = 16 * 1024 * 1024;

fn run<T: Send>(
    job: &Job,
    cancel: &CancelToken,
    work: impl Fn(&mut Reader, Lang, String) -> Result<Found<T>, SyntaxError> + Sync,
) -> Result<Batch<T>, SyntaxError> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let progress = Mutex::new(Progress { outcomes: BTreeMap::new(), prefix: 0, items: 0, error: None });
    let worker = || {
        let mut reader = Reader::default();
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = job.sources.get(index) else { break };
            let outcome =
                cancel.heartbeat().map_err(SyntaxError::from).and_then(|()| one(job, source, &mut reader, &work));
            let mut progress = lock(&progress);
            match outcome {
                Ok(outcome) => {
                    progress.outcomes.insert(index, outcome);
                }
                Err(error) => {
                    progress.error = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            // A worker that was still busy when there was enough must not add to it: the answer would depend on who was quick.
            while progress.items < job.enough.max(1)
                && let Some(outcome) = progress.outcomes.get(&progress.prefix)
            {
                let items = if let Outcome::Found(_, found) = outcome { found.items.len() } else { 0 };
                progress.prefix += 1;
                progress.items += items;
            }
            if progress.items >= job.enough {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let workers = worker_count(job);
    if workers <= 1 {
        worker();
    } else {
        thread::scope(|scope| {
            for _ in 1..workers {
                // A worker that cannot start leaves its share to the others.
                let _started = thread::Builder::new().stack_size(WORKER_STACK).spawn_scoped(scope, worker);
            }
            worker();
        });
    }
    let progress = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    match progress.error {
        Some(error) => Err(error),
        None => Ok(collect(progress)),
    }
}

fn worker_count(job: &Job) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    job.threads.unwrap_or(cores).clamp(1, 16).min(job.sources.len().div_ceil(4))
}

fn collect<T>(progress: Progress<T>) -> Batch<T> {
    let mut batch = Batch {
        files: Vec::new(),
        skipped: Vec::new(),
        deferred: Vec::new(),
        pattern_issues: BTreeMap::new(),
        processed: progress.prefix,
    };
    for (index, outcome) in progress.outcomes.into_iter().take_while(|(index, _)| *index < progress.prefix) {
        match outcome {
            Outcome::Skipped => batch.skipped.push(index),
            Outcome::Deferred(language) => batch.deferred.push((index, language)),
            Outcome::Found(language, found) => {
                if !found.items.is_empty() || !found.issues.is_empty() || found.overlapping > 0 {
                    let Found { items, overlapping, issues, text } = found;
                    batch.files.push(FileResult { index, language, items, overlapping, issues, text });
                }
            }
        }
    }
    batch
}

fn one<T>(
    job: &Job,
    source: &Source,
    reader: &mut Reader,
    work: &impl Fn(&mut Reader, Lang, String) -> Result<Found<T>, SyntaxError>,
) -> Result<Outcome<T>, SyntaxError> {
    let given = source.language.as_deref().and_then(|name| languages().iter().find(|info| info.id == name));
    let by_path = given.or_else(|| detect(&source.path, None));
    if let Some(info) = by_path
        && !info.native
    {
        return Ok(Outcome::Deferred(&info.id));
    }
    let text = match read(job, source, by_path) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(Outcome::Skipped),
        Err(issue) => return Ok(Outcome::Found(by_path.map_or("", |info| &info.id), Found::issue(issue))),
    };
    let Some(info) = by_path.or_else(|| detect(&source.path, text.split('\n').next())) else {
        return Ok(Outcome::Skipped);
    };
    if !info.native {
        return Ok(Outcome::Deferred(&info.id));
    }
    let lang = Lang::find(&info.id)?;
    match work(reader, lang, text) {
        Ok(found) => Ok(Outcome::Found(lang.id(), found)),
        Err(SyntaxError::GaveUp(reason)) => {
            Ok(Outcome::Found(lang.id(), Found::issue(Issue::new(IssueKind::GaveUp, reason))))
        }
        Err(error) => Err(error),
    }
}

fn unreadable(error: std::io::Error) -> Issue {
    use std::io::ErrorKind as E;
    let reason = match error.kind() {
        E::NotFound => "there is no such file",
        E::PermissionDenied => "permission denied",
        E::IsADirectory => "it is a folder",
        _ => "input/output error",
    };
    Issue::new(IssueKind::Unreadable, format!("cannot be read: {reason}"))
}

/// The text of a source; nothing when its language is unknown and it does not start with `#!`.
fn read(job: &Job, source: &Source, known: Option<&LanguageInfo>) -> Result<Option<String>, Issue> {
    let too_large = |size: u64| {
        let limit = job.max_file_bytes;
        Issue::new(
            IssueKind::TooLarge,
            format!("{size} bytes, over the limit of {limit}; raise the limit to include it"),
        )
    };
    if let Some(content) = &source.content {
        let size = content.len() as u64;
        return if size > job.max_file_bytes { Err(too_large(size)) } else { Ok(Some(content.clone())) };
    }
    let path = job.root.as_deref().unwrap_or(Path::new("")).join(&source.path);
    let mut file = File::open(&path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    if known.is_none() {
        // Most files of no known name are no scripts: two bytes tell, and the rest is not read.
        file.by_ref().take(2).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes != b"#!" {
            return Ok(None);
        }
    }
    let size = file.metadata().map_err(unreadable)?.len();
    if size > job.max_file_bytes {
        return Err(too_large(size));
    }
    bytes.reserve(usize::try_from(size).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Issue::new(IssueKind::NotUtf8, "is not UTF-8 text; convert it to search its structure"))
}
