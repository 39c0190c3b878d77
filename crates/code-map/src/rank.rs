//! How much every file and every definition matters: PageRank over "a file uses a name, the name is defined in files".
//!
//! A file shares its weight among the names that it uses and others define; a name hands on what it got to the files that
//! define it, in equal parts. Definitions get their weight on the way, without a second pass. A name that many files define says
//! little about where a reader should look, so it gets less to begin with, and beyond a limit nothing.
//!
//! The graph is kept between calls. When only the uses of some files changed, their rows are replaced; the ranks of last
//! time are the start, so a small change converges within a step or two. The result is right to `PRECISION` either way.

use std::thread;

use tenon_cancel::{CancelToken, Cancelled};

use crate::index::{File, Index, defined, offered, uses};

/// The share of a file's weight that goes along its uses; the rest goes to all files, or to those of interest.
const DAMPING: f64 = 0.8;
/// Steps end when all ranks together move by less than this.
const PRECISION: f64 = 1e-5;
const MOST_STEPS: usize = 60;
/// A name that more files define connects nothing.
pub(crate) const MOST_DEFINERS: u32 = 20;

/// One row: the uses of a file, as a range of edges.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    start: u32,
    end: u32,
}

/// The uses of all files, for names that somebody else defines.
#[derive(Default)]
pub(crate) struct Graph {
    shape: u64,
    rows: Vec<Row>,
    /// The compact number of a name and the share of the file's weight that it gets.
    edges: Vec<(u32, f32)>,
    /// The compact number of each name, or `NONE`.
    compact: Vec<u32>,
    /// Per compact name: where its definers are in `definers`.
    starts: Vec<u32>,
    definers: Vec<u32>,
    /// Per compact name: what one use is worth.
    worth: Vec<f32>,
    wasted: usize,
}

const NONE: u32 = u32::MAX;

/// The rows of some files: how many edges each has, and the edges.
type Part = (Vec<u32>, Vec<(u32, f32)>);

/// The weights of one question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranks {
    /// Per file; together 1.
    pub files: Vec<f64>,
    /// Per compact name: what each of its definitions got.
    names: Vec<f64>,
}

impl Graph {
    /// Brings the graph up to date with the index.
    pub fn update(&mut self, index: &mut Index, cancel: &CancelToken) -> Result<(), Cancelled> {
        let touched = std::mem::take(&mut index.touched);
        let fits =
            self.shape == index.shape && self.rows.len() == index.files.len() && self.wasted * 4 <= self.edges.len();
        if !fits {
            return self.rebuild(index, cancel);
        }
        for number in touched {
            let row = self.row(index, number);
            if let Some(slot) = self.rows.get_mut(number as usize) {
                self.wasted += (slot.end - slot.start) as usize;
                *slot = row;
            }
        }
        Ok(())
    }

    fn rebuild(&mut self, index: &Index, cancel: &CancelToken) -> Result<(), Cancelled> {
        let connects = |count: u32| (1..=MOST_DEFINERS).contains(&count);
        self.compact.clear();
        self.starts.clear();
        self.worth.clear();
        let mut places = 0_u32;
        for (name, count) in index.definers.iter().enumerate() {
            if connects(*count) {
                self.compact.push(u32::try_from(self.starts.len()).unwrap_or(NONE));
                self.starts.push(places);
                self.worth.push((index.telling(name as u32) / f64::from(*count)) as f32);
                places += count;
            } else {
                self.compact.push(NONE);
            }
        }
        self.starts.push(places);
        self.definers.clear();
        self.definers.resize(places as usize, 0);
        let mut filled = self.starts.clone();
        for (number, file) in index.files.iter().enumerate() {
            for name in offered(&file.defs) {
                let Some(next) = self.compact_of(name).and_then(|at| filled.get_mut(at as usize)) else { continue };
                if let Some(slot) = self.definers.get_mut(*next as usize) {
                    *slot = number as u32;
                }
                *next += 1;
            }
        }
        self.edges.clear();
        self.rows.clear();
        self.wasted = 0;
        cancel.heartbeat()?;
        // Each core makes the rows of some files in a row; put together they are as if made by one.
        let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
        let share = index.files.len().div_ceil(workers).max(1);
        let graph = &*self;
        let parts: Vec<Part> = thread::scope(|scope| {
            let started: Vec<_> =
                index.files.chunks(share).map(|files| scope.spawn(move || graph.rows_of(files))).collect();
            // A worker that panicked is a defect; its panic goes on here.
            started
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        for (lengths, edges) in parts {
            for length in lengths {
                let start = self.rows.last().map_or(0, |row| row.end);
                self.rows.push(Row { start, end: start + length });
            }
            self.edges.extend_from_slice(&edges);
        }
        self.shape = index.shape;
        Ok(())
    }

    fn rows_of(&self, files: &[File]) -> Part {
        let mut edges = Vec::new();
        let lengths = files.iter().map(|file| {
            let start = edges.len();
            self.add_edges(file, &mut edges);
            (edges.len() - start) as u32
        });
        (lengths.collect(), edges)
    }

    /// Appends the edges of one file to those of the graph.
    fn row(&mut self, index: &Index, number: u32) -> Row {
        let mut edges = std::mem::take(&mut self.edges);
        let start = edges.len() as u32;
        if let Some(file) = index.files.get(number as usize) {
            self.add_edges(file, &mut edges);
        }
        self.edges = edges;
        Row { start, end: self.edges.len() as u32 }
    }

    /// Appends the edges of a file. What it defines itself it does not need from others.
    fn add_edges(&self, file: &File, edges: &mut Vec<(u32, f32)>) {
        let start = edges.len();
        let own = defined(&file.defs);
        let mut total = 0.0;
        for (name, count) in uses(&file.uses) {
            let Some(at) = self.compact_of(name) else { continue };
            if own.binary_search(&name).is_ok() {
                continue;
            }
            let worth = self.worth.get(at as usize).copied().unwrap_or(0.0);
            let weight = f64::from(count).sqrt() * f64::from(worth);
            total += weight;
            edges.push((at, weight as f32));
        }
        for edge in edges.get_mut(start..).unwrap_or_default() {
            edge.1 = (f64::from(edge.1) / total) as f32;
        }
    }

    fn compact_of(&self, name: u32) -> Option<u32> {
        self.compact.get(name as usize).copied().filter(|at| *at != NONE)
    }

    /// What each definition of a name got.
    pub fn of_name(&self, ranks: &Ranks, name: u32) -> f64 {
        self.compact_of(name).and_then(|at| ranks.names.get(at as usize)).copied().unwrap_or(0.0)
    }

    /// Ranks all files, from the point of view of those of interest or of all alike. `start` is an earlier answer.
    pub fn rank(
        &self,
        index: &Index,
        focus: &[u32],
        start: Option<&Ranks>,
        cancel: &CancelToken,
    ) -> Result<Ranks, Cancelled> {
        let count = self.rows.len();
        let live = index.len();
        if live == 0 {
            return Ok(Ranks { files: vec![0.0; count], names: Vec::new() });
        }
        let mut home = vec![0.0; count];
        if focus.is_empty() {
            for (slot, file) in home.iter_mut().zip(&index.files) {
                *slot = if file.is_gone { 0.0 } else { 1.0 / live as f64 };
            }
        } else {
            for number in focus {
                if let Some(slot) = home.get_mut(*number as usize) {
                    *slot = 1.0 / focus.len() as f64;
                }
            }
        }
        let mut files = match start {
            Some(ranks) if ranks.files.len() == count => ranks.files.clone(),
            _ => home.clone(),
        };
        let mut names = vec![0.0; self.starts.len().saturating_sub(1)];
        let mut next = vec![0.0; count];
        for _ in 0..MOST_STEPS {
            cancel.heartbeat()?;
            self.step(&files, &home, &mut names, &mut next);
            let moved: f64 = files.iter().zip(&next).map(|(before, after)| (before - after).abs()).sum();
            std::mem::swap(&mut files, &mut next);
            if moved < PRECISION {
                break;
            }
        }
        Ok(Ranks { files, names })
    }

    fn step(&self, files: &[f64], home: &[f64], names: &mut [f64], next: &mut [f64]) {
        names.fill(0.0);
        let mut spread = 0.0;
        for (row, rank) in self.rows.iter().zip(files) {
            let edges = self.edges.get(row.start as usize..row.end as usize).unwrap_or_default();
            let flow = DAMPING * rank;
            if edges.is_empty() || flow == 0.0 {
                continue;
            }
            spread += flow;
            for (name, share) in edges {
                if let Some(slot) = names.get_mut(*name as usize) {
                    *slot += flow * f64::from(*share);
                }
            }
        }
        // What files without uses would hand on goes home, like the undamped part.
        let rest = files.iter().sum::<f64>() - spread;
        for (slot, share) in next.iter_mut().zip(home) {
            *slot = share * rest;
        }
        for (score, places) in names.iter_mut().zip(self.starts.windows(2)) {
            let &[from, to] = places else { continue };
            if *score == 0.0 || to == from {
                continue;
            }
            *score /= f64::from(to - from);
            for file in self.definers.get(from as usize..to as usize).unwrap_or_default() {
                if let Some(slot) = next.get_mut(*file as usize) {
                    *slot += *score;
                }
            }
        }
    }

    /// Roughly what it holds in memory.
    pub fn memory(&self) -> usize {
        self.edges.capacity() * 8
            + (self.compact.capacity() + self.starts.capacity() + self.definers.capacity()) * 4
            + self.rows.capacity() * size_of::<Row>()
    }

    /// How many uses connect files.
    pub fn connections(&self) -> usize {
        self.edges.len() - self.wasted
    }
}
