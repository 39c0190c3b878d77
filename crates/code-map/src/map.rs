//! A map that stays up to date.
//!
//! The first question loads the index from disk, walks the tree and reads the files that are new or changed. Then the folders are
//! watched: later questions read only what the kernel names. Without watching (other systems, network folders, too many folders) every
//! question walks. A walk also comes from time to time, because a queue does not tell everything.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenon_cancel::CancelToken;
use tenon_scan::{ChangeWatch, Changes, STAT_BYTES, StatRequest, stat_tree};
use tenon_syntax::document::Reader;

use crate::error::MapError;
use crate::extract::{Extract, extract, is_broken};
use crate::index::{Index, Stamp};
use crate::languages::{info, language_of};
use crate::rank::{Graph, Ranks};
use crate::select::{MappedFile, Selection, select};
use crate::store;

/// What a map may take.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Larger files are generated or data; they are left out.
    pub max_file_bytes: u64,
    /// Files beyond this many are left out, in the order of the walk.
    pub max_files: usize,
    /// Watch the folders, for questions to come; a process that asks once need not.
    pub watch: bool,
}

/// A question.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapRequest {
    /// Estimated tokens of the text.
    pub budget: u64,
    /// A file or folder, relative to the root; empty for everything.
    #[serde(default)]
    pub scope: String,
    /// Files and folders, relative to the root, from whose point of view the rest is ranked.
    #[serde(default)]
    pub focus: Vec<String>,
}

/// How the index was brought up to date.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    /// `walk` or `watch`.
    pub by: &'static str,
    /// The index came from the disk in this call.
    pub loaded: bool,
    pub read: usize,
    pub removed: usize,
}

/// The size of what is indexed.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub files: usize,
    pub definitions: usize,
    pub names: usize,
    pub connections: usize,
    /// Roughly, in bytes.
    pub memory: usize,
    /// Files that did not fit the limits.
    pub left_out: usize,
}

/// The answer.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MapAnswer {
    pub text: String,
    pub tokens: u64,
    pub files: Vec<MappedFile>,
    pub totals: Totals,
    pub update: Update,
    /// Paths of interest that hold no code.
    pub unknown_focus: Vec<String>,
    /// Grammars that broke and were taken out.
    pub broken_languages: Vec<String>,
    /// The index could not be written to disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_saved: Option<String>,
}

/// A walk comes at least this often.
const WALK_EVERY: Duration = Duration::from_secs(300);
/// A file written this shortly before it was read could be written again within the same tick of its clock.
const TICK: i64 = 50_000_000;
/// After this many changed files the index is written to disk at once, otherwise when the map is closed.
const SAVE_AFTER: usize = 200;
/// How much a walk looks at before it stops.
const MOST_ENTRIES: usize = 3_000_000;

#[derive(Default)]
struct State {
    index: Index,
    graph: Graph,
    ranks: Option<Ranks>,
    watch: Option<ChangeWatch>,
    walked: Option<Instant>,
    is_loaded: bool,
    unsaved: usize,
    left_out: usize,
}

/// The map of one tree.
pub struct CodeMap {
    root: PathBuf,
    store: Option<PathBuf>,
    limits: Limits,
    state: Mutex<State>,
}

struct Job {
    path: String,
    language: u8,
    stamp: Stamp,
}

impl CodeMap {
    /// A map of the code below a folder; nothing is read yet. The index is kept in `store`.
    pub fn new(root: PathBuf, store: Option<PathBuf>, limits: Limits) -> Self {
        Self { root, store, limits, state: Mutex::default() }
    }

    /// Brings the index up to date and answers.
    pub fn map(&self, request: &MapRequest, cancel: &CancelToken) -> Result<MapAnswer, MapError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut update = Update::default();
        let updated = self.update(state, &mut update, cancel);
        state.unsaved += update.read + update.removed;
        // Also when it was stopped: what was read need not be read again.
        let not_saved = if state.unsaved >= SAVE_AFTER { self.save_state(state).err() } else { None };
        updated?;
        state.graph.update(&mut state.index, cancel)?;
        let ranks = state.graph.rank(&state.index, &[], state.ranks.as_ref(), cancel)?;
        let (focus, unknown_focus) = self.focus(&state.index, &request.focus);
        let focused =
            if focus.is_empty() { None } else { Some(state.graph.rank(&state.index, &focus, None, cancel)?) };
        state.ranks = Some(ranks);
        let State { index, graph, ranks: Some(all), left_out, .. } = &*state else {
            return Err(MapError::Request("the ranks are missing".to_owned()));
        };
        let selection = Selection {
            root: &self.root,
            scope: request.scope.trim_matches('/'),
            focus: &focus,
            budget: request.budget,
            max_file_bytes: self.limits.max_file_bytes,
        };
        let (files, text, tokens) = select(index, graph, focused.as_ref().unwrap_or(all), &selection, cancel)?;
        Ok(MapAnswer {
            text,
            tokens,
            files,
            totals: Totals {
                files: index.len(),
                definitions: index.files.iter().map(|file| file.defs.len()).sum(),
                names: index.names.len(),
                connections: graph.connections(),
                memory: index.memory() + graph.memory(),
                left_out: *left_out,
            },
            update,
            unknown_focus,
            broken_languages: broken_languages(),
            not_saved: not_saved.map(|error| error.to_string()),
        })
    }

    /// Writes what is not on disk yet, and stops watching. The map still answers afterwards.
    pub fn close(&self) -> std::io::Result<()> {
        let mut state = self.lock();
        state.watch = None;
        state.walked = None;
        if state.unsaved == 0 { Ok(()) } else { self.save_state(&mut state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save_state(&self, state: &mut State) -> std::io::Result<()> {
        let Some(path) = &self.store else { return Ok(()) };
        store::save(&state.index, &self.root.to_string_lossy(), self.format(), path)?;
        state.unsaved = 0;
        Ok(())
    }

    /// What else the stored index depends on.
    fn format(&self) -> u64 {
        self.limits.max_file_bytes
    }

    fn update(&self, state: &mut State, update: &mut Update, cancel: &CancelToken) -> Result<(), MapError> {
        if !state.is_loaded {
            state.is_loaded = true;
            let stored = self.store.as_deref();
            if let Some(index) = stored.and_then(|path| store::load(&self.root.to_string_lossy(), self.format(), path))
            {
                state.index = index;
                update.loaded = true;
            }
        }
        let is_recent = state.walked.is_some_and(|at| at.elapsed() < WALK_EVERY);
        let changes = state.watch.as_ref().filter(|_| is_recent).map(ChangeWatch::changes);
        if let Some(Changes::Files(paths)) = changes
            && let Some(jobs) = self.watched_jobs(state, &paths, update)
        {
            update.by = "watch";
            let read = self.read(&mut state.index, jobs, cancel);
            return self.finish(state, update, read);
        }
        update.by = "walk";
        // Whatever happens from here on is seen by the new watch or by the walk.
        state.walked = None;
        let jobs = self.walk(state, update, cancel)?;
        let read = self.read(&mut state.index, jobs, cancel);
        self.finish(state, update, read)?;
        state.walked = Some(Instant::now());
        Ok(())
    }

    fn finish(
        &self,
        state: &mut State,
        update: &mut Update,
        read: (usize, Result<(), MapError>),
    ) -> Result<(), MapError> {
        let (count, result) = read;
        update.read = count;
        if result.is_err() {
            // Some files that the queue named were not read; only a walk finds them again.
            state.walked = None;
        }
        result
    }

    /// The named files that must be read; none when only a walk can tell, as for a new file that rules may hide.
    fn watched_jobs(&self, state: &mut State, paths: &[Vec<u8>], update: &mut Update) -> Option<Vec<Job>> {
        let mut jobs = Vec::new();
        let mut gone = Vec::new();
        for bytes in paths {
            let Ok(path) = std::str::from_utf8(bytes) else { continue };
            let Some(language) = language_of(path) else { continue };
            let known = state.index.file(path).map(|file| file.stamp);
            match (self.stamp(path), known) {
                (Some(_), None) => return None,
                (Some(stamp), Some(before)) if stamp != before || stamp.modified == 0 => {
                    jobs.push(Job { path: path.to_owned(), language, stamp });
                }
                (None, Some(_)) => gone.push(path),
                _ => {}
            }
        }
        for path in gone {
            update.removed += usize::from(state.index.remove(path));
        }
        Some(jobs)
    }

    fn stamp(&self, path: &str) -> Option<Stamp> {
        let found = fs::symlink_metadata(self.root.join(path)).ok()?;
        if !found.is_file() || found.len() > self.limits.max_file_bytes {
            return None;
        }
        let modified = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(fresh(Stamp { size: found.len(), modified: i64::try_from(modified).ok()? }, now()))
    }

    /// Walks the tree: takes out what is gone, names what must be read, and watches the folders from then on.
    fn walk(&self, state: &mut State, update: &mut Update, cancel: &CancelToken) -> Result<Vec<Job>, MapError> {
        let request = StatRequest {
            root: self.root.clone(),
            without: vec![".git".to_owned(), "node_modules".to_owned()],
            max_entries: MOST_ENTRIES,
            ..StatRequest::default()
        };
        let mut outcome = stat_tree(&request, cancel)?;
        state.watch = None;
        if self.limits.watch {
            // The watch must be older than the walk, or a change between them is lost. Its folders come from a walk before.
            let folders = folders_of(&outcome.paths, &outcome.stats);
            let watch = ChangeWatch::new(&self.root, folders.iter().map(Vec::as_slice));
            if watch.is_some() {
                outcome = stat_tree(&request, cancel)?;
                state.watch = watch.filter(|_| folders_of(&outcome.paths, &outcome.stats) == folders);
            }
        }
        let now = now();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut jobs = Vec::new();
        state.left_out = 0;
        for (path, stat) in outcome.paths.split(|byte| *byte == 0).zip(outcome.stats.chunks_exact(STAT_BYTES)) {
            let Some((size, modified, is_file, is_ignored)) = facts(stat) else { continue };
            let Ok(path) = std::str::from_utf8(path) else { continue };
            if !is_file || is_ignored || path.starts_with('.') || path.contains("/.") {
                continue;
            }
            let Some(language) = language_of(path) else { continue };
            if size > self.limits.max_file_bytes || seen.len() >= self.limits.max_files {
                state.left_out += 1;
                continue;
            }
            seen.insert(path);
            let stamp = fresh(Stamp { size, modified }, now);
            if stamp.modified == 0 || state.index.file(path).map(|file| file.stamp) != Some(stamp) {
                jobs.push(Job { path: path.to_owned(), language, stamp });
            }
        }
        let gone: Vec<Box<str>> =
            state.index.by_path.keys().filter(|path| !seen.contains(path.as_ref())).cloned().collect();
        for path in gone {
            update.removed += usize::from(state.index.remove(&path));
        }
        Ok(jobs)
    }

    /// Reads files on all cores into the index. Gives how many, and whether it was stopped.
    fn read(&self, index: &mut Index, jobs: Vec<Job>, cancel: &CancelToken) -> (usize, Result<(), MapError>) {
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let index = Mutex::new(index);
        let stopped: Mutex<Option<MapError>> = Mutex::new(None);
        let work = || {
            let mut reader = Reader::default();
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let extracted = self.extract(&mut reader, job, cancel);
                let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
                match extracted {
                    Ok(Some(extract)) => index.put(&job.path, job.language, job.stamp, extract),
                    Ok(None) => drop(index.remove(&job.path)),
                    Err(error) => {
                        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
                done.fetch_add(1, Ordering::Relaxed);
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from).min(16).min(jobs.len().div_ceil(4));
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        let stopped = stopped.into_inner().unwrap_or_else(PoisonError::into_inner);
        (done.into_inner(), stopped.map_or(Ok(()), Err))
    }

    /// What a file contributes; nothing when it cannot be read or is no text.
    fn extract(&self, reader: &mut Reader, job: &Job, cancel: &CancelToken) -> Result<Option<Extract>, MapError> {
        cancel.heartbeat()?;
        let Some(language) = info(job.language) else { return Ok(None) };
        let Some(source) = read_text(&self.root.join(&job.path), self.limits.max_file_bytes) else { return Ok(None) };
        extract(reader, job.language, language, source, cancel).map(Some)
    }

    /// The files of interest, and the paths that have none.
    fn focus(&self, index: &Index, paths: &[String]) -> (Vec<u32>, Vec<String>) {
        let mut numbers = Vec::new();
        let mut unknown = Vec::new();
        for path in paths {
            let wanted = path.trim_matches('/');
            let before = numbers.len();
            if let Some(number) = index.by_path.get(wanted) {
                numbers.push(*number);
            } else {
                let folder = format!("{wanted}/");
                numbers.extend(
                    index.by_path.iter().filter(|(path, _)| path.starts_with(&folder)).map(|(_, number)| *number),
                );
            }
            if numbers.len() == before {
                unknown.push(path.clone());
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        (numbers, unknown)
    }
}

fn broken_languages() -> Vec<String> {
    (0..64).filter(|number| is_broken(*number)).filter_map(info).map(|info| info.id.clone()).collect()
}

fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or(i64::MAX)
}

/// Leaves the time of a very fresh file out, so that it is read again next time.
fn fresh(stamp: Stamp, now: i64) -> Stamp {
    if now.saturating_sub(stamp.modified) < TICK { Stamp { modified: 0, ..stamp } } else { stamp }
}

/// Size, time, whether it is a plain file and whether it is ignored, of a packed entry of `stat_tree`.
fn facts(stat: &[u8]) -> Option<(u64, i64, bool, bool)> {
    let size = u64::from_le_bytes(stat.get(..8)?.try_into().ok()?);
    let modified = i64::from_le_bytes(stat.get(8..16)?.try_into().ok()?);
    let mode = u32::from_le_bytes(stat.get(32..36)?.try_into().ok()?);
    let flags = u32::from_le_bytes(stat.get(36..40)?.try_into().ok()?);
    Some((size, modified, mode & 0o170_000 == 0o100_000, flags & 1 != 0))
}

/// The folders of a walk that are neither ignored nor hidden.
fn folders_of(paths: &[u8], stats: &[u8]) -> Vec<Vec<u8>> {
    paths
        .split(|byte| *byte == 0)
        .zip(stats.chunks_exact(STAT_BYTES))
        .filter(|(path, stat)| {
            let mode = stat.get(32..36).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
            let is_hidden = path.starts_with(b".") || path.windows(2).any(|pair| pair == b"/.");
            mode & 0o170_000 == 0o040_000 && !is_hidden && facts(stat).is_some_and(|(_, _, _, is_ignored)| !is_ignored)
        })
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// The text of a plain file; none when it is none, is no UTF-8 or has grown beyond the limit.
fn read_text(path: &Path, most: u64) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > most {
        return None;
    }
    String::from_utf8(bytes).ok()
}
