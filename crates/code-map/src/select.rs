//! The most important definitions that fit a budget of tokens, as text and as data.
//!
//! Definitions are taken by weight until the budget is used up; each brings the line of its file and of what encloses it. The text
//! of a definition is its line in the file, read when it is shown: the index does not hold it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::File as DiskFile;
use std::io::Read;
use std::path::Path;

use serde::Serialize;
use tenon_cancel::CancelToken;
use tenon_text::estimate_tokens;

use crate::error::MapError;
use crate::extract::KINDS;
use crate::index::{File, Index};
use crate::languages::info;
use crate::rank::{Graph, Ranks};

/// One definition of the map.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub struct MappedSymbol {
    pub name: String,
    pub kind: &'static str,
    pub line: u32,
    /// How deep it lies in other definitions of the map.
    pub depth: u32,
    /// Its line in the file, shortened.
    pub text: String,
    pub rank: f64,
}

/// One file of the map.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub struct MappedFile {
    pub path: String,
    pub language: &'static str,
    pub rank: f64,
    pub symbols: Vec<MappedSymbol>,
}

/// What to choose from and how much.
pub(crate) struct Selection<'a> {
    pub root: &'a Path,
    /// A file or folder, relative; empty for all.
    pub scope: &'a str,
    /// Paths of interest: their files show more of themselves.
    pub focus: &'a [u32],
    pub budget: u64,
    pub max_file_bytes: u64,
}

/// How many definitions of one file are shown, so that one large file does not fill the map.
const MOST_PER_FILE: usize = 12;
const MOST_PER_FOCUSED_FILE: usize = 60;
const LONGEST_LINE: usize = 140;
/// How far below the start of a definition its name may stand: annotations come first.
const NAME_WITHIN_LINES: usize = 8;

struct Candidate {
    file: u32,
    def: u32,
    weight: i64,
}

struct Chosen {
    file: u32,
    /// Places in the list of definitions.
    defs: Vec<u32>,
    lines: Vec<String>,
}

/// Chooses and gives the text with its estimated tokens.
pub(crate) fn select(
    index: &Index,
    graph: &Graph,
    ranks: &Ranks,
    selection: &Selection<'_>,
    cancel: &CancelToken,
) -> Result<(Vec<MappedFile>, String, u64), MapError> {
    let (candidates, files) = candidates(index, graph, ranks, selection);
    let mut spent = 0;
    let mut chosen: Vec<Chosen> = Vec::new();
    let mut places: HashMap<u32, usize> = HashMap::new();
    let single = files.len() == 1;
    let mut misses = 0;
    for candidate in candidates {
        cancel.heartbeat()?;
        let Some(file) = index.files.get(candidate.file as usize) else { continue };
        let known = places.get(&candidate.file).copied();
        let most = if single {
            usize::MAX
        } else if selection.focus.contains(&candidate.file) {
            MOST_PER_FOCUSED_FILE
        } else {
            MOST_PER_FILE
        };
        if known.and_then(|at| chosen.get(at)).is_some_and(|entry| entry.defs.len() >= most) {
            continue;
        }
        let mut lines = Vec::new();
        if known.is_none() {
            lines = read_lines(&selection.root.join(&*file.path), selection.max_file_bytes);
        }
        let held = known.and_then(|at| chosen.get(at));
        let wanted = with_parents(file, candidate.def, held.map(|entry| entry.defs.as_slice()).unwrap_or_default());
        let text_of = held.map_or(lines.as_slice(), |entry| entry.lines.as_slice());
        let mut cost: u64 = wanted.iter().map(|def| estimate_tokens(&shown(index, file, *def, text_of))).sum();
        if known.is_none() {
            cost += estimate_tokens(&file.path) + 1;
        }
        if wanted.is_empty() {
            continue;
        }
        if spent + cost > selection.budget {
            misses += 1;
            // A few long lines must not end it while shorter ones still fit.
            if misses > 20 {
                break;
            }
            continue;
        }
        spent += cost;
        let at = known.unwrap_or_else(|| {
            places.insert(candidate.file, chosen.len());
            chosen.push(Chosen { file: candidate.file, defs: Vec::new(), lines });
            chosen.len() - 1
        });
        if let Some(entry) = chosen.get_mut(at) {
            entry.defs.extend(wanted);
        }
    }
    Ok(render(index, graph, ranks, chosen, selection.budget))
}

/// Weights as whole numbers: sums in another order differ in their last bits, and the order of the map must not.
fn whole(rank: f64) -> i64 {
    (rank * 1e9).round() as i64
}

fn is_in(path: &str, scope: &str) -> bool {
    scope.is_empty() || path == scope || path.strip_prefix(scope).is_some_and(|rest| rest.starts_with('/'))
}

/// All definitions in scope, heaviest first, and the files that they come from.
fn candidates(index: &Index, graph: &Graph, ranks: &Ranks, selection: &Selection<'_>) -> (Vec<Candidate>, Vec<u32>) {
    let mut list = Vec::new();
    let mut files = Vec::new();
    for (number, file) in index.files.iter().enumerate() {
        if file.is_gone || !is_in(&file.path, selection.scope) {
            continue;
        }
        let number = number as u32;
        files.push(number);
        let of_file = ranks.files.get(number as usize).copied().unwrap_or(0.0);
        for (at, def) in file.defs.iter().enumerate() {
            // What nobody uses comes last, by the weight of its file.
            let of_name = if def.is_private { 0.0 } else { graph.of_name(ranks, def.name) };
            let weight = whole(of_name) * 1_000 + whole(of_file) / 1_000;
            list.push(Candidate { file: number, def: at as u32, weight });
        }
    }
    // No budget takes more than this many lines; the rest need not be sorted.
    let most = (selection.budget as usize).clamp(64, 50_000);
    let path = |candidate: &Candidate| index.files.get(candidate.file as usize).map(|file| &*file.path);
    let order = |a: &Candidate, b: &Candidate| -> Ordering {
        b.weight.cmp(&a.weight).then_with(|| path(a).cmp(&path(b))).then_with(|| a.def.cmp(&b.def))
    };
    if list.len() > most {
        list.select_nth_unstable_by(most, order);
        list.truncate(most);
    }
    list.sort_unstable_by(order);
    (list, files)
}

/// A definition and those around it, as far as they are not there yet.
fn with_parents(file: &File, def: u32, held: &[u32]) -> Vec<u32> {
    let mut wanted = Vec::new();
    let mut at = Some(def);
    while let Some(place) = at {
        if held.contains(&place) || wanted.contains(&place) {
            break;
        }
        wanted.push(place);
        at = file.defs.get(place as usize).and_then(|def| u32::from(def.parent).checked_sub(1));
    }
    wanted
}

fn depth(file: &File, def: u32) -> u32 {
    let mut depth = 0;
    let mut at = file.defs.get(def as usize).map_or(0, |def| def.parent);
    while let Some(place) = at.checked_sub(1) {
        depth += 1;
        if depth > 20 {
            break;
        }
        at = file.defs.get(usize::from(place)).map_or(0, |def| def.parent);
    }
    depth
}

/// The line of a definition as the map shows it.
fn shown(index: &Index, file: &File, def: u32, lines: &[String]) -> String {
    let Some(entry) = file.defs.get(def as usize) else { return String::new() };
    let indent = "  ".repeat(depth(file, def) as usize + 1);
    format!("{indent}{}: {}\n", entry.line, text_of(index.text(entry.name), entry.line, lines))
}

/// The first line from the definition's start on that has its name.
fn text_of(name: &str, line: u32, lines: &[String]) -> String {
    let from = (line as usize).saturating_sub(1);
    let near = lines.get(from..).unwrap_or_default().iter().take(NAME_WITHIN_LINES);
    let text = near.into_iter().find(|line| line.contains(name)).map_or(name, |line| line.trim());
    let text = text.trim_end_matches(['{', ' ', '\t']);
    let short: String = text.chars().filter(|letter| !letter.is_control()).take(LONGEST_LINE).collect();
    if short.chars().count() == LONGEST_LINE { format!("{short}…") } else { short }
}

/// The lines of a file, none when it cannot be read any more.
fn read_lines(path: &Path, most: u64) -> Vec<String> {
    let mut bytes = Vec::new();
    // It was a plain file when it was indexed; a link put in its place leads elsewhere.
    if !std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return Vec::new();
    }
    let Ok(file) = DiskFile::open(path) else { return Vec::new() };
    if file.take(most).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

fn render(
    index: &Index,
    graph: &Graph,
    ranks: &Ranks,
    mut chosen: Vec<Chosen>,
    budget: u64,
) -> (Vec<MappedFile>, String, u64) {
    let rank_of = |file: u32| ranks.files.get(file as usize).copied().unwrap_or(0.0);
    let path_of = |file: u32| index.files.get(file as usize).map(|file| &*file.path);
    chosen.sort_by(|a, b| {
        whole(rank_of(b.file)).cmp(&whole(rank_of(a.file))).then_with(|| path_of(a.file).cmp(&path_of(b.file)))
    });
    let mut files = Vec::new();
    let mut text = String::new();
    for entry in &mut chosen {
        let Some(file) = index.files.get(entry.file as usize) else { continue };
        entry.defs.sort_unstable();
        let mut part = format!("{}\n", file.path);
        for def in &entry.defs {
            part.push_str(&shown(index, file, *def, &entry.lines));
        }
        // The parts were counted one by one; together they must not cost more.
        if estimate_tokens(&text) + estimate_tokens(&part) > budget {
            continue;
        }
        text.push_str(&part);
        let symbols = entry.defs.iter().filter_map(|at| {
            let def = file.defs.get(*at as usize)?;
            Some(MappedSymbol {
                name: index.text(def.name).to_owned(),
                kind: KINDS.get(usize::from(def.kind)).copied().unwrap_or_default(),
                line: def.line,
                depth: depth(file, *at),
                text: text_of(index.text(def.name), def.line, &entry.lines),
                rank: if def.is_private { 0.0 } else { graph.of_name(ranks, def.name) },
            })
        });
        files.push(MappedFile {
            path: file.path.to_string(),
            language: info(file.language).map_or("", |info| &info.id),
            rank: rank_of(entry.file),
            symbols: symbols.collect(),
        });
    }
    let tokens = estimate_tokens(&text);
    (files, text, tokens)
}
