//! How much every file and every definition matters: PageRank over "a file uses a name, the name is defined in files".
//!
//! A file shares its weight among the names that it uses and others define; a name hands on what it got to the files that
//! define it, in equal parts. Definitions get their weight on the way, without a second pass. A name that many files define says
//! little about where a reader should look, so it gets less to begin with, and beyond a limit nothing.
//!
//! The graph is kept between calls. The rows of changed files are replaced, and so are those of the files that use a name which
//! is now defined more or less often; the ranks of last time are the start, so a small change converges within a step or two. The
//! result is right to `PRECISION` either way.

use std::thread;

use tenon_cancel::{CancelToken, Cancelled};

use crate::index::{Changes, File, Index, Redefinition, defined, offered, uses};

/// The share of a file's weight that goes along its uses; the rest goes to all files, or to those of interest.
const DAMPING: f64 = 0.8;
/// Steps end when all ranks together move by less than this.
const PRECISION: f64 = 1e-5;
const MOST_STEPS: usize = 60;
/// A name that more files define connects nothing.
pub(crate) const MOST_DEFINERS: u32 = 20;

/// A part of a list: the uses of a file among the edges, or the files of a name among the definers.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn len(self) -> u32 {
        self.end - self.start
    }

    fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// The uses of all files, for names that somebody else defines.
#[derive(Default)]
pub(crate) struct Graph {
    is_made: bool,
    /// Per file: its edges.
    rows: Vec<Span>,
    /// The compact number of a name and the share of the file's weight that it gets.
    edges: Vec<(u32, f32)>,
    /// The compact number of each name, or `NONE`.
    compact: Vec<u32>,
    /// Per compact name: where its definers are in `definers`.
    places: Vec<Span>,
    definers: Vec<u32>,
    /// Per compact name: what one use is worth.
    worth: Vec<f32>,
    /// Edges and definers that nothing refers to any more.
    wasted: usize,
    wasted_places: usize,
}

const NONE: u32 = u32::MAX;

/// Fewer files than this are not worth a thread.
const LEAST_SHARE: usize = 500;

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
        let changes = std::mem::take(&mut index.changes);
        let fits = self.is_made
            && !changes.is_large
            && self.wasted * 4 <= self.edges.len()
            && self.wasted_places * 4 <= self.definers.len();
        if fits && self.follow(index, changes) { Ok(()) } else { self.rebuild(index, cancel) }
    }

    /// Takes the changes over one by one. False when only the whole index tells what is right.
    fn follow(&mut self, index: &Index, mut changes: Changes) -> bool {
        // Names that were met since are used by the changed files alone.
        let known = self.compact.len();
        self.compact.resize(index.definers.len(), NONE);
        self.rows.resize(index.files.len(), Span::default());
        let mut revalued = Vec::new();
        changes.redefined.sort_by_key(|change| change.name);
        for of_name in changes.redefined.chunk_by(|one, other| one.name == other.name) {
            let Some(first) = of_name.first() else { continue };
            match self.redefine(index, first.name, of_name) {
                Some(true) if (first.name as usize) < known => revalued.push(first.name),
                Some(_) => {}
                None => return false,
            }
        }
        let mut files = changes.files;
        files.extend(users_of(index, &revalued));
        files.sort_unstable();
        files.dedup();
        for number in files {
            let row = self.row(index, number);
            if let Some(slot) = self.rows.get_mut(number as usize) {
                self.wasted += slot.len() as usize;
                *slot = row;
            }
        }
        true
    }

    /// Gives a name its present definers. Says whether a use of it is worth something else than before; none when the
    /// definers are not known here, as those of a name that too many files defined.
    fn redefine(&mut self, index: &Index, name: u32, changes: &[Redefinition]) -> Option<bool> {
        let count = index.definers.get(name as usize).copied().unwrap_or(0);
        let before = self.compact_of(name);
        let place = before.and_then(|at| self.places.get(at as usize)).copied().unwrap_or_default();
        if before.is_none() && !connects(count) {
            return Some(false);
        }
        let mut files = place.of(&self.definers).to_vec();
        for Redefinition { file, adds, .. } in changes {
            match (files.binary_search(file), adds) {
                (Err(at), true) => files.insert(at, *file),
                (Ok(at), false) => drop(files.remove(at)),
                _ => {}
            }
        }
        if files.len() != count as usize {
            return None;
        }
        self.wasted_places += place.len() as usize;
        if !connects(count) {
            if let (Some(at), Some(slot)) = (before, self.compact.get_mut(name as usize)) {
                *slot = NONE;
                *self.places.get_mut(at as usize)? = Span::default();
            }
            return Some(true);
        }
        let start = self.definers.len() as u32;
        self.definers.extend_from_slice(&files);
        let place = Span { start, end: start + count };
        let worth = worth_of(index, name, count);
        if let Some(at) = before {
            *self.places.get_mut(at as usize)? = place;
            let old = std::mem::replace(self.worth.get_mut(at as usize)?, worth);
            return Some(old.to_bits() != worth.to_bits());
        }
        *self.compact.get_mut(name as usize)? = u32::try_from(self.places.len()).ok()?;
        self.places.push(place);
        self.worth.push(worth);
        Some(true)
    }

    fn rebuild(&mut self, index: &Index, cancel: &CancelToken) -> Result<(), Cancelled> {
        self.is_made = false;
        self.compact.clear();
        self.places.clear();
        self.worth.clear();
        let mut places = 0_u32;
        for (name, count) in index.definers.iter().enumerate() {
            if connects(*count) {
                self.compact.push(u32::try_from(self.places.len()).unwrap_or(NONE));
                // Filled below.
                self.places.push(Span { start: places, end: places });
                self.worth.push(worth_of(index, name as u32, *count));
                places += count;
            } else {
                self.compact.push(NONE);
            }
        }
        self.definers.clear();
        self.definers.resize(places as usize, 0);
        for (number, file) in index.files.iter().enumerate() {
            for name in offered(&file.defs) {
                let Some(at) = self.compact_of(name) else { continue };
                let Some(place) = self.places.get_mut(at as usize) else { continue };
                if let Some(slot) = self.definers.get_mut(place.end as usize) {
                    *slot = number as u32;
                }
                place.end += 1;
            }
        }
        self.wasted_places = 0;
        self.edges.clear();
        self.rows.clear();
        self.wasted = 0;
        cancel.heartbeat()?;
        let graph = &*self;
        let parts: Vec<Part> = in_parts(&index.files, |files, _| graph.rows_of(files));
        for (lengths, edges) in parts {
            for length in lengths {
                let start = self.rows.last().map_or(0, |row| row.end);
                self.rows.push(Span { start, end: start + length });
            }
            self.edges.extend_from_slice(&edges);
        }
        self.is_made = true;
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
    fn row(&mut self, index: &Index, number: u32) -> Span {
        let mut edges = std::mem::take(&mut self.edges);
        let start = edges.len() as u32;
        if let Some(file) = index.files.get(number as usize) {
            self.add_edges(file, &mut edges);
        }
        self.edges = edges;
        Span { start, end: self.edges.len() as u32 }
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
        // Steps keep the sum as it is: what does not add up to 1, as the ranks of an empty tree, is no start.
        let mut files = match start {
            Some(ranks) if (ranks.files.iter().sum::<f64>() - 1.0).abs() < 1e-3 => ranks.files.clone(),
            _ => home.clone(),
        };
        files.resize(count, 0.0);
        let mut names = vec![0.0; self.places.len()];
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
            let edges = row.of(&self.edges);
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
        for (score, place) in names.iter_mut().zip(&self.places) {
            if *score == 0.0 || place.len() == 0 {
                continue;
            }
            *score /= f64::from(place.len());
            for file in place.of(&self.definers) {
                if let Some(slot) = next.get_mut(*file as usize) {
                    *slot += *score;
                }
            }
        }
    }

    /// Roughly what it holds in memory.
    pub fn memory(&self) -> usize {
        self.edges.capacity() * 8
            + (self.compact.capacity() + self.definers.capacity() + self.worth.capacity()) * 4
            + (self.rows.capacity() + self.places.capacity()) * size_of::<Span>()
    }

    /// How many uses connect files.
    pub fn connections(&self) -> usize {
        self.edges.len() - self.wasted
    }
}

/// Whether a name that so many files define connects those that use it with them.
fn connects(definers: u32) -> bool {
    (1..=MOST_DEFINERS).contains(&definers)
}

fn worth_of(index: &Index, name: u32, definers: u32) -> f32 {
    (index.telling(name) / f64::from(definers)) as f32
}

/// The files that use any of these names, which are sorted.
fn users_of(index: &Index, names: &[u32]) -> Vec<u32> {
    let Some(last) = names.last() else { return Vec::new() };
    let is_user = |file: &File| {
        uses(&file.uses).take_while(|(name, _)| name <= last).any(|(name, _)| names.binary_search(&name).is_ok())
    };
    in_parts(&index.files, |files, first| {
        let users = files.iter().enumerate().filter(|(_, file)| is_user(file));
        users.map(|(at, _)| first + at as u32).collect::<Vec<u32>>()
    })
    .concat()
}

/// Each core works on some files in a row; the results come in the order of the files.
fn in_parts<T: Send>(files: &[File], work: impl Fn(&[File], u32) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = files.len().div_ceil(workers).max(LEAST_SHARE);
    let work = &work;
    thread::scope(|scope| {
        let started: Vec<_> = files
            .chunks(share)
            .enumerate()
            .map(|(part, files)| scope.spawn(move || work(files, (part * share) as u32)))
            .collect();
        // A worker that panicked is a defect; its panic goes on here.
        started
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract::{Definition, Extract};
    use crate::index::Stamp;
    use crate::languages::language_of;

    /// What happens to one of 30 files: it defines and uses some of 12 names, or goes. Few names, so that some are defined by
    /// more than `MOST_DEFINERS` files for a while.
    #[derive(Debug, Clone)]
    enum Edit {
        Put { file: u8, defines: Vec<u8>, uses: Vec<u8> },
        Remove { file: u8 },
    }

    fn edit() -> impl Strategy<Value = Edit> {
        let names = || prop::collection::vec(0..12_u8, 0..6);
        prop_oneof![
            6 => (0..30_u8, names(), names()).prop_map(|(file, defines, uses)| Edit::Put { file, defines, uses }),
            1 => (0..30_u8).prop_map(|file| Edit::Remove { file }),
        ]
    }

    fn apply(index: &mut Index, edit: &Edit) {
        let language = language_of("a.ts").expect("a language");
        let name = |number: &u8| format!("someName{number}");
        match edit {
            Edit::Put { file, defines, uses } => {
                let definition = |number: &u8| Definition {
                    name: name(number),
                    kind: 0,
                    is_private: number % 5 == 4,
                    line: 1,
                    parent: None,
                };
                let uses = uses.iter().map(|number| (name(number), u32::from(*number) + 1)).collect();
                let extract = Extract { definitions: defines.iter().map(definition).collect(), uses };
                index.put(&format!("file{file}.ts"), language, Stamp::default(), extract);
            }
            Edit::Remove { file } => drop(index.remove(&format!("file{file}.ts"))),
        }
    }

    #[allow(clippy::type_complexity)]
    fn edges_of(graph: &Graph, index: &Index) -> Vec<(u32, Vec<(u32, f32)>, Vec<u32>)> {
        let names = 0..u32::try_from(index.names.len()).expect("few names");
        let compact: Vec<(u32, u32)> = names.filter_map(|name| Some((graph.compact_of(name)?, name))).collect();
        let name_of = |at: u32| compact.iter().find(|(number, _)| *number == at).map(|(_, name)| *name);
        let rows = graph.rows.iter().map(|row| {
            let edges = row.of(&graph.edges).iter();
            // An edge to a number that no name has would lose weight.
            let mut edges: Vec<_> = edges.map(|(at, share)| (name_of(*at).expect("a name"), *share)).collect();
            edges.sort_by_key(|edge| edge.0);
            edges
        });
        let mut all: Vec<_> = rows.enumerate().map(|(file, edges)| (file as u32, edges, Vec::new())).collect();
        for (at, name) in &compact {
            let place = graph.places.get(*at as usize).expect("a place");
            all.push((*name, Vec::new(), place.of(&graph.definers).to_vec()));
        }
        all.sort_by_key(|(number, edges, _)| (*number, edges.len()));
        all
    }

    proptest! {
        #[test]
        fn a_graph_that_follows_is_the_one_that_is_made_anew(
            rounds in prop::collection::vec(prop::collection::vec(edit(), 1..25), 1..12),
        ) {
            let cancel = CancelToken::new();
            let mut index = Index::default();
            let mut followed = Graph::default();
            let mut ranks: Option<Ranks> = None;
            for edits in rounds {
                edits.iter().for_each(|edit| apply(&mut index, edit));
                followed.update(&mut index, &cancel).expect("not cancelled");
                let mut anew = Graph::default();
                anew.rebuild(&index, &cancel).expect("not cancelled");
                let (mut ours, mut theirs) = (edges_of(&followed, &index), edges_of(&anew, &index));
                ours.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
                theirs.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
                prop_assert_eq!(ours, theirs);
                let now = followed.rank(&index, &[], ranks.as_ref(), &cancel).expect("not cancelled");
                let fresh = anew.rank(&index, &[], None, &cancel).expect("not cancelled");
                let apart: f64 = now.files.iter().zip(&fresh.files).map(|(a, b)| (a - b).abs()).sum();
                prop_assert!(apart < 1e-3, "{} apart", apart);
                ranks = Some(now);
            }
        }
    }
}
