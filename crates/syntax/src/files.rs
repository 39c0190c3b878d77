//! The same work over many files, in parallel, with bounded memory.
//!
//! Workers take files in order, but for large ones that wait for others (`turns.rs`). A file is read, checked against the prefilter,
//! parsed, searched and dropped before the next one, so memory holds one tree per worker however many files there are. Results
//! are kept in file order: as soon as the files from the start on hold enough of them, all workers stop, and
//! the answer is the same as one worker's would have been.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tenon_cancel::CancelToken;

use crate::document::{Document, Reader};
use crate::error::{Issue, IssueKind, SyntaxError};
use crate::language::{Lang, LanguageInfo, detect, languages};
use crate::rewrite::{Edit, check_templates, preview};
use crate::rule::RuleSpec;
use crate::search::{Match, Query, WINDOW};
use crate::symbols::{Symbol, symbols};
use crate::turns::{Turn, Turns};

/// One text to work on. A request often names thousands, so they refer to its text where they can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source<'r> {
    /// As it is reported; read from disk relative to the root when there is no `content`.
    pub path: Cow<'r, str>,
    /// Overrides detection by name and first line.
    pub language: Option<Cow<'r, str>>,
    pub content: Option<Cow<'r, str>>,
}

/// A path alone is a source, too.
impl<'de: 'r, 'r> Deserialize<'de> for Source<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PathOrFields;

        #[derive(Deserialize)]
        struct Fields<'r> {
            #[serde(borrow)]
            path: Cow<'r, str>,
            #[serde(borrow)]
            language: Option<Cow<'r, str>>,
            #[serde(borrow)]
            content: Option<Cow<'r, str>>,
        }

        impl<'de> Visitor<'de> for PathOrFields {
            type Value = Source<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a path or an object with a path")
            }

            fn visit_borrowed_str<E: de::Error>(self, path: &'de str) -> Result<Self::Value, E> {
                Ok(Source { path: Cow::Borrowed(path), language: None, content: None })
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<Self::Value, E> {
                Ok(Source { path: Cow::Owned(path.to_owned()), language: None, content: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let Fields { path, language, content } = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Source { path, language, content })
            }
        }

        deserializer.deserialize_any(PathOrFields)
    }
}

/// What all kinds of work over files share.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job<'r> {
    #[serde(borrow)]
    pub sources: Vec<Source<'r>>,
    /// The language of all sources, whatever they say themselves.
    pub language: Option<String>,
    pub root: Option<PathBuf>,
    /// Larger files are reported and left out.
    pub max_file_bytes: u64,
    /// Stop once the files from the start on hold this many results.
    pub enough: usize,
    /// At most this many workers; the machine's cores when absent.
    pub threads: Option<usize>,
}

/// What a file holds, in whatever form.
pub trait Items {
    /// How many results there are.
    fn count(&self) -> usize;

    /// Is there none?
    fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

impl<T> Items for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

/// The results of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileResult<I: Items> {
    /// The position in `sources`.
    pub index: usize,
    pub language: &'static str,
    #[serde(skip_serializing_if = "Items::is_empty")]
    pub items: I,
    #[serde(skip_serializing_if = "is_zero")]
    pub overlapping: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The results of a job. Files without results or issues are not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch<I: Items> {
    pub files: Vec<FileResult<I>>,
    /// Files of no known language.
    pub skipped: Vec<usize>,
    /// Files whose language is known but not linked in: for another implementation.
    pub deferred: Vec<(usize, &'static str)>,
    /// Rules that do not compile for a language, with the reason; its files were left out.
    pub pattern_issues: BTreeMap<&'static str, String>,
    /// How many sources, from the start on, the results cover.
    pub processed: usize,
}

impl<I: Items> Batch<I> {
    /// The same with the results of every file in another form.
    pub fn map<J: Items>(self, mut form: impl FnMut(I) -> J) -> Batch<J> {
        let Self { files, skipped, deferred, pattern_issues, processed } = self;
        let files = files.into_iter().map(|FileResult { index, language, items, overlapping, issues }| FileResult {
            index,
            language,
            items: form(items),
            overlapping,
            issues,
        });
        Batch { files: files.collect(), skipped, deferred, pattern_issues, processed }
    }
}

struct Found<I> {
    items: I,
    overlapping: usize,
    issues: Vec<Issue>,
}

impl<I: Default> Found<I> {
    fn nothing() -> Self {
        Self { items: I::default(), overlapping: 0, issues: Vec::new() }
    }

    fn issue(issue: Issue) -> Self {
        Self { issues: vec![issue], ..Self::nothing() }
    }
}

enum Outcome<I> {
    Found(&'static str, Found<I>),
    Skipped,
    Deferred(&'static str),
}

/// Searches all sources.
pub fn search(
    job: &Job<'_>,
    rules: &[RuleSpec],
    max_text: usize,
    cancel: &CancelToken,
) -> Result<Batch<Vec<Match<'static>>>, SyntaxError> {
    let owned = |_: &Document, found: Vec<Match<'_>>| found.into_iter().map(Match::into_owned).collect();
    search_with(job, rules, max_text, cancel, owned)
}

/// As `search`; the worker that found the matches of a source puts them into another form, so that they need not be kept.
pub fn search_with<I: Items + Default + Send>(
    job: &Job<'_>,
    rules: &[RuleSpec],
    max_text: usize,
    cancel: &CancelToken,
    form: impl Fn(&Document, Vec<Match<'_>>) -> I + Sync,
) -> Result<Batch<I>, SyntaxError> {
    let queries = Queries::new(rules);
    let admits = |lang, file: &mut File| queries.admits(lang, file);
    let mut batch = run(job, cancel, admits, |reader, lang, source| {
        let Some(query) = queries.get(lang) else { return Ok(Found::nothing()) };
        if !query.admits(&source) {
            reader.take_back(source);
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let items = form(document, query.matches(document, job.enough, max_text, cancel)?);
            Ok(Found { items, overlapping: 0, issues: syntax_issue(document, "matches may be missing") })
        })
    })?;
    batch.pattern_issues = queries.into_issues();
    Ok(batch)
}

/// Previews the rewriting of all sources; a source with a syntax error is left out unless `allow_errors`.
pub fn rewrite(
    job: &Job<'_>,
    ops: &[(RuleSpec, String)],
    allow_errors: bool,
    cancel: &CancelToken,
) -> Result<Batch<Vec<Edit>>, SyntaxError> {
    let rules: Vec<RuleSpec> = ops.iter().map(|(rule, _)| rule.clone()).collect();
    let templates: Vec<String> = ops.iter().map(|(_, template)| template.clone()).collect();
    let queries = Queries { templates: &templates, ..Queries::new(&rules) };
    let admits = |lang, file: &mut File| queries.admits(lang, file);
    let mut batch = run(job, cancel, admits, |reader, lang, source| {
        let Some(query) = queries.get(lang) else { return Ok(Found::nothing()) };
        if !query.admits(&source) {
            reader.take_back(source);
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let issues = syntax_issue(document, "it was left as it is");
            if !issues.is_empty() && !allow_errors {
                return Ok(Found { issues, ..Found::nothing() });
            }
            let preview = preview(document, &query, &templates, cancel)?;
            Ok(Found { items: preview.edits, overlapping: preview.overlapping, issues })
        })
    })?;
    batch.pattern_issues = queries.into_issues();
    Ok(batch)
}

/// Lists the symbols of all sources.
pub fn index_symbols(job: &Job<'_>, cancel: &CancelToken) -> Result<Batch<Vec<Symbol>>, SyntaxError> {
    index_symbols_with(job, cancel, |symbol| symbol)
}

/// As `index_symbols`, with every symbol in another form.
pub fn index_symbols_with<T: Send>(
    job: &Job<'_>,
    cancel: &CancelToken,
    form: impl Fn(Symbol) -> T + Sync,
) -> Result<Batch<Vec<T>>, SyntaxError> {
    let admits = |_, _: &mut File| Ok(true);
    run(job, cancel, admits, |reader, lang, source| {
        if lang.info().symbols.is_empty() {
            return Ok(Found::nothing());
        }
        reader.read(source, lang, cancel, |document| {
            let items = symbols(document, cancel)?.into_iter().map(&form).collect();
            let issues = syntax_issue(document, "symbols may be missing");
            Ok(Found { items, overlapping: 0, issues })
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

    /// False only when a file cannot match.
    fn admits(&self, lang: Lang, file: &mut File) -> io::Result<bool> {
        self.get(lang).map_or(Ok(true), |query| query.admits_file(file))
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

/// How far the files from the start on are done, and what they hold.
struct Progress<I: Items> {
    batch: Batch<I>,
    /// Results of files behind one that is not done yet.
    waiting: BTreeMap<usize, Outcome<I>>,
    items: usize,
    error: Option<SyntaxError>,
}

impl<I: Items> Progress<I> {
    fn new() -> Self {
        let batch = Batch {
            files: Vec::new(),
            skipped: Vec::new(),
            deferred: Vec::new(),
            pattern_issues: BTreeMap::new(),
            processed: 0,
        };
        Self { batch, waiting: BTreeMap::new(), items: 0, error: None }
    }

    fn add(&mut self, index: usize, outcome: Outcome<I>, enough: usize) {
        self.waiting.insert(index, outcome);
        // A worker that was still busy when there was enough must not add to it: the answer would depend on who was quick.
        while self.items < enough.max(1)
            && let Some(outcome) = self.waiting.remove(&self.batch.processed)
        {
            self.collect(outcome);
        }
    }

    /// Takes the results of the next file.
    fn collect(&mut self, outcome: Outcome<I>) {
        let index = self.batch.processed;
        self.batch.processed += 1;
        match outcome {
            Outcome::Skipped => self.batch.skipped.push(index),
            Outcome::Deferred(language) => self.batch.deferred.push((index, language)),
            Outcome::Found(language, Found { items, overlapping, issues }) => {
                self.items += items.count();
                if !items.is_empty() || !issues.is_empty() || overlapping > 0 {
                    self.batch.files.push(FileResult { index, language, items, overlapping, issues });
                }
            }
        }
    }
}

/// ast-grep compares the code of a repeated variable level by level, so workers get more than the default stack.
const WORKER_STACK: usize = 16 * 1024 * 1024;

fn run<I: Items + Default + Send>(
    job: &Job<'_>,
    cancel: &CancelToken,
    admits: impl Fn(Lang, &mut File) -> io::Result<bool> + Sync,
    work: impl Fn(&mut Reader, Lang, String) -> Result<Found<I>, SyntaxError> + Sync,
) -> Result<Batch<I>, SyntaxError> {
    let workers = worker_count(job);
    let turns = Turns::new(job.sources.len(), workers);
    let stop = AtomicBool::new(false);
    let progress = Mutex::new(Progress::new());
    let pool = Arc::default();
    let worker = || {
        let mut reader = Reader::sharing(&pool);
        while !stop.load(Ordering::Relaxed) {
            let Some(mut turn) = turns.take() else { break };
            let Some(source) = job.sources.get(turn.index) else { break };
            let outcome = cancel
                .heartbeat()
                .map_err(SyntaxError::from)
                .and_then(|()| one(job, source, &mut turn, &mut reader, &admits, &work));
            let mut progress = lock(&progress);
            match outcome {
                Ok(Some(outcome)) => progress.add(turn.index, outcome, job.enough),
                Ok(None) => {}
                Err(error) => {
                    progress.error = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            if progress.items >= job.enough {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    // No worker runs on the caller's stack, whose size is not ours to choose.
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().stack_size(WORKER_STACK).spawn_scoped(scope, worker);
        let started: Vec<_> = (0..workers).flat_map(start).collect();
        // Workers that cannot start leave their share to the others; without any, the caller does the work.
        if started.is_empty() {
            worker();
        }
        for worker in started {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
    });
    let progress = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    match progress.error {
        Some(error) => Err(error),
        None => Ok(progress.batch),
    }
}

fn worker_count(job: &Job<'_>) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    job.threads.unwrap_or(cores).clamp(1, 16).min(job.sources.len().div_ceil(4))
}

/// The results of a source; none when it is put off.
fn one<I: Items + Default>(
    job: &Job<'_>,
    source: &Source<'_>,
    turn: &mut Turn<'_>,
    reader: &mut Reader,
    admits: &impl Fn(Lang, &mut File) -> io::Result<bool>,
    work: &impl Fn(&mut Reader, Lang, String) -> Result<Found<I>, SyntaxError>,
) -> Result<Option<Outcome<I>>, SyntaxError> {
    let named = job.language.as_deref().or(source.language.as_deref());
    let given = named.and_then(|name| languages().iter().find(|info| info.id == name));
    let by_path = given.or_else(|| detect(&source.path, None));
    if let Some(info) = by_path
        && !info.native
    {
        return Ok(Some(Outcome::Deferred(&info.id)));
    }
    let text = match read(job, source, by_path, turn, reader.room(), admits) {
        Ok(Content::Text(text)) => text,
        Ok(Content::NoScript) => return Ok(Some(Outcome::Skipped)),
        Ok(Content::CannotMatch(lang)) => return Ok(Some(Outcome::Found(lang.id(), Found::nothing()))),
        Ok(Content::Later) => return Ok(None),
        Err(issue) => return Ok(Some(Outcome::Found(by_path.map_or("", |info| &info.id), Found::issue(issue)))),
    };
    let Some(info) = by_path.or_else(|| detect(&source.path, text.split('\n').next())) else {
        return Ok(Some(Outcome::Skipped));
    };
    if !info.native {
        return Ok(Some(Outcome::Deferred(&info.id)));
    }
    let lang = Lang::find(&info.id)?;
    match work(reader, lang, text) {
        Ok(found) => Ok(Some(Outcome::Found(lang.id(), found))),
        Err(SyntaxError::GaveUp(reason)) => {
            Ok(Some(Outcome::Found(lang.id(), Found::issue(Issue::new(IssueKind::GaveUp, reason)))))
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

/// What is to be done with a source.
enum Content {
    Text(String),
    /// Its language is unknown, and it does not start with `#!`.
    NoScript,
    CannotMatch(Lang),
    /// Too many large texts are being parsed.
    Later,
}

fn read(
    job: &Job<'_>,
    source: &Source<'_>,
    known: Option<&LanguageInfo>,
    turn: &mut Turn<'_>,
    bytes: &mut Vec<u8>,
    admits: &impl Fn(Lang, &mut File) -> io::Result<bool>,
) -> Result<Content, Issue> {
    let too_large = |size: u64| {
        let limit = job.max_file_bytes;
        Issue::new(
            IssueKind::TooLarge,
            format!("{size} bytes, over the limit of {limit}; raise the limit to include it"),
        )
    };
    if let Some(content) = &source.content {
        let size = content.len() as u64;
        return if size > job.max_file_bytes {
            Err(too_large(size))
        } else if !turn.begin(size) {
            Ok(Content::Later)
        } else {
            Ok(Content::Text(content.clone().into_owned()))
        };
    }
    let path = job.root.as_deref().unwrap_or(Path::new("")).join(&*source.path);
    let mut file = File::open(&path).map_err(unreadable)?;
    bytes.clear();
    if known.is_none() {
        // Most files of no known name are no scripts: two bytes tell, and the rest is not read.
        file.by_ref().take(2).read_to_end(bytes).map_err(unreadable)?;
        if bytes != b"#!" {
            return Ok(Content::NoScript);
        }
    }
    let size = file.metadata().map_err(unreadable)?.len();
    if size > job.max_file_bytes {
        return Err(too_large(size));
    }
    if size > WINDOW as u64
        && !turn.has_room()
        && let Some(Ok(lang)) = known.map(|info| Lang::find(&info.id))
    {
        if !admits(lang, &mut file).map_err(unreadable)? {
            return Ok(Content::CannotMatch(lang));
        }
        file.rewind().map_err(unreadable)?;
    }
    if !turn.begin(size) {
        return Ok(Content::Later);
    }
    let size = usize::try_from(size).unwrap_or(0);
    if bytes.capacity() < size {
        // What is there need not be copied to a larger place.
        let known = std::mem::take(bytes);
        bytes.reserve_exact(size);
        bytes.extend_from_slice(&known);
    }
    file.read_to_end(bytes).map_err(unreadable)?;
    String::from_utf8(std::mem::take(bytes))
        .map(Content::Text)
        .map_err(|_| Issue::new(IssueKind::NotUtf8, "is not UTF-8 text; convert it to search its structure"))
}
