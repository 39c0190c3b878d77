//! Limits that let every file speak.
//!
//! With a limit of a hundred, the first file must not use it up. The matches are dealt in rounds: the first match of
//! every file in path order, then every second match, and so on. `offset` and `limit` cut a page out of that
//! sequence; the page is then shown in path order. The sequence is fixed by the files alone, so pages fit together.

use crate::hits::{Chunk, LineHit, Lines, MATCH};

/// Which matches of a file are on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    pub first: u32,
    pub end: u32,
}

/// Deals `counts[file]` matches per file and cuts out the page.
pub(crate) fn choose(counts: &[u32], offset: usize, limit: usize) -> Vec<Chosen> {
    if offset == 0 && limit >= counts.iter().map(|count| *count as usize).sum() {
        return counts.iter().map(|count| Chosen { first: 0, end: *count }).collect();
    }
    let mut chosen = vec![Chosen { first: 0, end: 0 }; counts.len()];
    let mut active: Vec<usize> = (0..counts.len()).filter(|file| counts[*file] > 0).collect();
    let end = offset.saturating_add(limit);
    let (mut dealt, mut round) = (0_usize, 0_u32);
    while dealt < end && !active.is_empty() {
        for file in &active {
            if dealt >= end {
                break;
            }
            let slot = &mut chosen[*file];
            if dealt < offset {
                *slot = Chosen { first: round + 1, end: round + 1 };
            } else {
                slot.end = round + 1;
            }
            dealt += 1;
        }
        round += 1;
        active.retain(|file| counts[*file] > round);
    }
    chosen
}

/// Reduces a file's lines to the chosen matches and the context that belongs to them.
pub(crate) fn trim(lines: Lines<'_>, chosen: Chosen, before: usize, after: usize) -> Chunk {
    let mut trimmed = Chunk::default();
    let file = trimmed.begin();
    let lines: Vec<(LineHit<'_>, bool)> = with_choice(lines, chosen);
    let kept: Vec<u32> = lines.iter().filter(|(_, kept)| *kept).map(|(line, _)| line.number).collect();
    for (line, is_chosen) in &lines {
        if *is_chosen {
            trimmed.push(&file, *line);
            continue;
        }
        let low = line.number.saturating_sub(after as u32);
        let high = u64::from(line.number) + before as u64;
        // A context line stays when a chosen match is close enough; a match that was not chosen is context now.
        let near = kept.partition_point(|number| *number < low);
        if kept.get(near).is_some_and(|number| u64::from(*number) <= high) {
            trimmed.push(&file, LineHit { column: 0, flags: line.flags & !MATCH, ..*line });
        }
    }
    trimmed
}

fn with_choice(lines: Lines<'_>, chosen: Chosen) -> Vec<(LineHit<'_>, bool)> {
    let mut seen = 0_u32;
    lines
        .decoded()
        .map(|line| {
            if line.column > 0 {
                seen += 1;
            }
            let is_match = line.flags & MATCH != 0;
            (line, is_match && seen > chosen.first && seen <= chosen.end)
        })
        .collect()
}

/// The number of leading matches that fit into `budget` bytes.
pub(crate) fn fitting(lines: Lines<'_>, budget: usize) -> u32 {
    let mut used = 0;
    let mut matches = 0;
    for line in lines.decoded() {
        used += line.text.len() + 1 + crate::hits::LINE_WORDS * size_of::<u32>();
        if used > budget {
            break;
        }
        if line.column > 0 {
            matches += 1;
        }
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amounts(counts: &[u32], offset: usize, limit: usize) -> Vec<(u32, u32)> {
        choose(counts, offset, limit).into_iter().map(|part| (part.first, part.end)).collect()
    }

    #[test]
    fn every_file_gets_a_turn_before_any_gets_a_second() {
        assert_eq!(amounts(&[9, 1, 9], 0, 4), [(0, 2), (0, 1), (0, 1)]);
        assert_eq!(amounts(&[9, 9, 9], 0, 2), [(0, 1), (0, 1), (0, 0)]);
    }

    #[test]
    fn the_next_page_continues_where_the_last_one_ended() {
        assert_eq!(amounts(&[3, 1, 2], 2, 3), [(1, 2), (1, 1), (0, 2)]);
    }

    proptest! {
        #[test]
        fn pages_partition_all_matches(counts in prop::collection::vec(0_u32..5, 0..6), size in 1_usize..5) {
            let total: usize = counts.iter().map(|count| *count as usize).sum();
            let mut ends = vec![0_u32; counts.len()];
            let mut offset = 0;
            while offset < total {
                let page = choose(&counts, offset, size);
                let on_page: u32 = page.iter().map(|part| part.end - part.first).sum();
                prop_assert_eq!(on_page as usize, size.min(total - offset));
                for (part, end) in page.iter().zip(&mut ends) {
                    if part.end > part.first {
                        prop_assert_eq!(part.first, *end);
                        *end = part.end;
                    }
                }
                offset += size;
            }
            prop_assert_eq!(ends, counts);
        }
    }
}
