//! From what the workers found to the answer.
//!
//! Usually everything fits: then the workers' chunks are the answer and no line is copied. Otherwise the page is
//! copied out, because a page of a hundred lines must not keep megabytes of others alive; a chunk is dropped as soon as
//! its last file was looked at, so that never all of it exists twice.

use crate::fair::{Chosen, choose, fitting, trim};
use crate::grep::{GrepOutcome, GrepRequest, Mode};
use crate::hits::{Chunk, Chunks, FileHits};
use crate::select::Selection;

/// Deals the page and applies the byte budget. `hits` are in path order.
pub(crate) fn pack(
    request: &GrepRequest,
    selection: &Selection,
    hits: &[FileHits],
    chunks: Vec<Chunk>,
    outcome: &mut GrepOutcome,
) {
    let counts: Vec<u32> =
        hits.iter().map(|file| if request.mode == Mode::Content { file.matches } else { 1 }).collect();
    let page = choose(&counts, request.offset, request.limit);
    let is_whole = page.iter().zip(&counts).all(|(chosen, count)| *chosen == Chosen { first: 0, end: *count });
    if is_whole && hits.iter().map(FileHits::bytes).sum::<usize>() <= request.bytes {
        for file in hits {
            push(request, selection, file, outcome);
        }
        outcome.chunks = chunks;
    } else {
        copy_page(request, selection, hits, &page, chunks, outcome);
    }
}

fn copy_page(
    request: &GrepRequest,
    selection: &Selection,
    hits: &[FileHits],
    page: &[Chosen],
    mut chunks: Vec<Chunk>,
    outcome: &mut GrepOutcome,
) {
    let mut waiting = vec![0_usize; chunks.len()];
    for file in hits.iter().filter(|file| file.line_count > 0) {
        waiting[file.chunk as usize] += 1;
    }
    let mut out = Chunks::default();
    let mut left = request.bytes;
    let nothing = Chunk::default();
    for (file, chosen) in hits.iter().zip(page) {
        let chunk = chunks.get(file.chunk as usize).unwrap_or(&nothing);
        copy_file(request, selection, file, *chosen, chunk, &mut left, &mut out, outcome);
        if file.line_count > 0 {
            let number = file.chunk as usize;
            waiting[number] -= 1;
            if waiting[number] == 0 {
                chunks[number] = Chunk::default();
            }
        }
    }
    outcome.chunks = out.into_vec();
}

#[allow(clippy::too_many_arguments)]
fn copy_file(
    request: &GrepRequest,
    selection: &Selection,
    file: &FileHits,
    chosen: Chosen,
    chunk: &Chunk,
    left: &mut usize,
    out: &mut Chunks,
    outcome: &mut GrepOutcome,
) {
    let (on_page, fitted);
    let mut lines = chunk.lines_of(file);
    let (mut matches, mut more) = (file.matches, file.more);
    let count = if request.mode == Mode::Content { matches } else { 1 };
    outcome.limited |= chosen.end < count;
    if chosen.end == chosen.first {
        return;
    }
    if request.mode == Mode::Content && chosen != (Chosen { first: 0, end: count }) {
        on_page = trim(lines, chosen, request.before, request.after);
        lines = on_page.all();
        more |= chosen.end < matches;
        matches = chosen.end - chosen.first;
    }
    if lines.bytes() > *left {
        let end = fitting(lines, *left);
        outcome.limited = true;
        *left = 0;
        if end == 0 {
            return;
        }
        fitted = trim(lines, Chosen { first: 0, end }, request.before, request.after);
        lines = fitted.all();
        more |= end < matches;
        matches = end;
    }
    *left = left.saturating_sub(lines.bytes());
    let (number, target) = out.open();
    let mut copied = FileHits { file: file.file, matches, more, chunk: number, ..target.begin() };
    target.append(lines);
    target.end(&mut copied);
    push(request, selection, &copied, outcome);
}

fn push(request: &GrepRequest, selection: &Selection, file: &FileHits, outcome: &mut GrepOutcome) {
    outcome.limited |= file.more && request.mode == Mode::Content;
    outcome.paths.extend(selection.path(file.file as usize));
    outcome.paths.push(0);
    outcome.files.extend([
        file.matches,
        file.line_count,
        file.byte_count,
        u32::from(file.more),
        file.chunk,
        file.first_line,
        file.first_byte,
    ]);
    outcome.matches += file.matches as usize;
}
