//! `glob`: the entries of a tree whose path matches, by path or newest first.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;

use rayon::prelude::*;
use tenon_cancel::CancelToken;

use crate::cache::{Scan, Scanner};
use crate::error::ScanError;
use crate::glob::GlobSet;
use crate::paths::{bytes_of, path_of};
use crate::pool::pool;
use crate::snapshot::Kind;
use crate::walk::Policy;

/// The order of the matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    /// Depth first, siblings by the bytes of their names.
    Path,
    /// Newest first, then by path.
    Modified,
}

/// A question for [`glob`].
#[derive(Debug, Clone)]
pub struct GlobRequest {
    /// The folder to look in.
    pub root: PathBuf,
    /// See [`GlobSet`].
    pub patterns: Vec<String>,
    /// What to walk.
    pub policy: Policy,
    /// May the answer come from the cache?
    pub cache: bool,
    /// Only entries of this kind.
    pub kind: Option<Kind>,
    /// At most this many matches; the rest is only counted.
    pub limit: usize,
    /// The order, which decides what the limit keeps.
    pub sort: SortBy,
    /// Give modification times even when not sorting by them.
    pub times: bool,
}

/// The answer of [`glob`], packed: one string for all paths instead of one allocation each.
#[derive(Debug, Default)]
pub struct GlobOutcome {
    /// Paths relative to the root, each followed by NUL.
    pub paths: Vec<u8>,
    /// One [`Kind`] per path.
    pub kinds: Vec<u8>,
    /// Milliseconds since the epoch per path, when asked for.
    pub times: Option<Vec<f64>>,
    /// How many entries matched before the limit.
    pub total: usize,
    /// The scan that the answer was taken from.
    pub scan: Option<Scan>,
}

/// Paths go to a listener in batches of at least this many.
const BATCH: usize = 256;

/// Receives NUL-terminated paths in no particular order while the walk runs.
pub type OnBatch<'a> = &'a (dyn Fn(Vec<u8>) + Sync);

/// Answers a glob request. A listener gets every match early; the answer itself is ordered and limited.
pub fn glob(
    scanner: &Scanner,
    request: &GlobRequest,
    on_batch: Option<OnBatch<'_>>,
    cancel: &CancelToken,
) -> Result<GlobOutcome, ScanError> {
    let set = GlobSet::new(&request.patterns);
    let stream = on_batch.map(|send| Stream { send, set: &set, kind: request.kind, pending: Mutex::default() });
    let listener = stream.as_ref().map(|stream| {
        move |folder: &[u8], names: &mut dyn Iterator<Item = (&[u8], Kind)>| stream.folder(folder, names)
    });
    let scan = match &listener {
        Some(listener) => scanner.scan_with(&request.root, request.policy, request.cache, cancel, Some(listener))?,
        None => scanner.scan(&request.root, request.policy, request.cache, cancel)?,
    };
    if let (Some(stream), false) = (&stream, scan.source.is_walk()) {
        stream.replay(&scan);
    }
    let mut outcome = select(&set, request, scan, cancel)?;
    if outcome.total == 0
        && let Some(fresh) = scanner.recheck(&request.root, request.policy, outcome.scan.as_ref(), cancel)?
    {
        if let Some(stream) = &stream {
            stream.replay(&fresh);
        }
        outcome = select(&set, request, fresh, cancel)?;
    }
    if let Some(stream) = stream {
        stream.finish();
    }
    Ok(outcome)
}

fn select(set: &GlobSet, request: &GlobRequest, scan: Scan, cancel: &CancelToken) -> Result<GlobOutcome, ScanError> {
    let mut outcome = GlobOutcome::default();
    let timed = request.times || request.sort == SortBy::Modified;
    let everything = set.is_everything();
    let mut beats = 0_u32;
    let stopped = scan.snapshot.visit(|entry| {
        beats = beats.wrapping_add(1);
        if beats.is_multiple_of(4096)
            && let Err(reason) = cancel.heartbeat()
        {
            return ControlFlow::Break(reason);
        }
        if request.kind.is_some_and(|kind| kind != entry.kind)
            || !(everything || set.matches(entry.path, entry.name_at))
        {
            return ControlFlow::Continue(());
        }
        outcome.total += 1;
        // Times are read before the limit applies, since entries that vanished do not count towards it.
        if timed || outcome.kinds.len() < request.limit {
            outcome.paths.extend_from_slice(entry.path);
            outcome.paths.push(0);
            outcome.kinds.push(entry.kind as u8);
        }
        ControlFlow::Continue(())
    });
    if let ControlFlow::Break(reason) = stopped {
        return Err(reason.into());
    }
    if timed {
        outcome = with_times(outcome, request, &scan);
    }
    outcome.scan = Some(scan);
    Ok(outcome)
}

fn with_times(found: GlobOutcome, request: &GlobRequest, scan: &Scan) -> GlobOutcome {
    let paths: Vec<&[u8]> = found.paths.split(|byte| *byte == 0).take(found.kinds.len()).collect();
    let root = bytes_of(&scan.snapshot.root);
    let read = || -> Vec<Option<f64>> {
        paths.par_iter().with_min_len(64).map(|path| modified(&[root, b"/", path].concat())).collect()
    };
    let times = pool().map_or_else(read, |pool| pool.install(read));
    let mut order: Vec<(usize, f64)> =
        times.iter().enumerate().filter_map(|(index, time)| time.map(|time| (index, time))).collect();
    let total = order.len();
    if request.sort == SortBy::Modified {
        // Stable, so equal times stay ordered by path.
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    order.truncate(request.limit);
    let mut outcome = GlobOutcome { total, times: Some(Vec::with_capacity(order.len())), ..GlobOutcome::default() };
    for (index, time) in order {
        outcome.paths.extend_from_slice(paths[index]);
        outcome.paths.push(0);
        outcome.kinds.push(found.kinds[index]);
        if let Some(times) = &mut outcome.times {
            times.push(time);
        }
    }
    outcome
}

/// The same number that Node's `mtimeMs` gives.
#[cfg(unix)]
fn modified(path: &[u8]) -> Option<f64> {
    let stat = rustix::fs::lstat(path_of(path)).ok()?;
    Some(stat.st_mtime as f64 * 1e3 + stat.st_mtime_nsec as f64 / 1e6)
}

#[cfg(not(unix))]
fn modified(path: &[u8]) -> Option<f64> {
    let time = path_of(path).symlink_metadata().ok()?.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_secs() as f64 * 1e3 + f64::from(since.subsec_nanos()) / 1e6)
}

/// Matches on their way to a listener.
struct Stream<'a> {
    send: OnBatch<'a>,
    set: &'a GlobSet,
    kind: Option<Kind>,
    pending: Mutex<(usize, Vec<u8>)>,
}

impl Stream<'_> {
    fn folder(&self, folder: &[u8], names: &mut dyn Iterator<Item = (&[u8], Kind)>) {
        let mut path = folder.to_owned();
        let mut found: (usize, Vec<u8>) = (0, Vec::new());
        for (name, kind) in names {
            path.truncate(folder.len());
            path.extend_from_slice(name);
            if self.kind.is_none_or(|wanted| wanted == kind) && self.set.matches(&path, folder.len()) {
                found.0 += 1;
                found.1.extend_from_slice(&path);
                found.1.push(0);
            }
        }
        self.add(found);
    }

    fn replay(&self, scan: &Scan) {
        let _done: ControlFlow<()> = scan.snapshot.visit(|entry| {
            if self.kind.is_none_or(|wanted| wanted == entry.kind) && self.set.matches(entry.path, entry.name_at) {
                self.add((1, [entry.path, b"\0"].concat()));
            }
            ControlFlow::Continue(())
        });
    }

    fn add(&self, found: (usize, Vec<u8>)) {
        let batch = {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.0 += found.0;
            pending.1.extend(found.1);
            (pending.0 >= BATCH).then(|| std::mem::take(&mut *pending))
        };
        if let Some((_, paths)) = batch {
            (self.send)(paths);
        }
    }

    fn finish(self) {
        let (count, paths) = self.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        if count > 0 {
            (self.send)(paths);
        }
    }
}
