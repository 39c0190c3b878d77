//! Laws that hold for every file and every patch, checked on generated ones.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::anchor::{letters_of, line_code, trim_end};
use crate::{RefusalCode, Text, apply, format_lines, hash_lines, parse};

/// Few different lines, so that repeats (the hard case) are common; odd bytes, so that nothing assumes UTF-8.
fn line_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::sample::select(vec!["", "}", "  }", "a", "b", "return x;", "\tif y {", "é", "日本"]).prop_map(|s| s.as_bytes().to_vec()),
        1 => vec(prop::sample::select(vec![0u8, 9, 13, 32, 65, 0xff, 0xed, 0xa0, 0x80]), 0..6),
        2 => "[a-z]{1,12} = [0-9]{1,4};".prop_map(String::into_bytes),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let lines = vec((line_text(), prop::sample::select(vec!["\n", "\n", "\r\n"])), 0..24);
    (any::<bool>(), lines, any::<bool>()).prop_map(|(bom, lines, open_end)| {
        let mut out = if bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        let count = lines.len();
        for (at, (text, ending)) in lines.iter().enumerate() {
            out.extend_from_slice(text);
            if !(open_end && at + 1 == count) {
                out.extend_from_slice(ending.as_bytes());
            }
        }
        out
    })
}

#[derive(Debug, Clone)]
struct Change {
    kind: char,
    at: prop::sample::Index,
    length: usize,
    payload: Vec<Vec<u8>>,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let payload = vec(
        line_text().prop_map(|mut text| {
            text.retain(|&byte| byte != 13);
            text
        }),
        1..4,
    );
    let change = (prop::sample::select(vec!['+', '<', '-', '=']), any::<prop::sample::Index>(), 1usize..4, payload)
        .prop_map(|(kind, at, length, payload)| Change { kind, at, length, payload });
    vec(change, 1..5)
}

fn texts(content: &[u8]) -> Vec<Vec<u8>> {
    Text::new(content).lines().map(|line| line.text.to_vec()).collect()
}

fn anchor(lines: &[Vec<u8>], index: usize) -> String {
    let [one, two] = letters_of(line_code(&lines[index], index as u32 + 1));
    format!("{}{}{}", index + 1, char::from(one), char::from(two))
}

/// The patch text for non-overlapping changes, and the lines expected of it, spliced from the bottom up.
fn patch_and_model(content: &[u8], changes: &[Change]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let lines = texts(content);
    let mut taken = vec![false; lines.len() + 1];
    let mut patch = b"@@ f\n".to_vec();
    let mut splices: Vec<(usize, usize, Vec<Vec<u8>>)> = Vec::new();
    for change in changes {
        let at = change.at.index(lines.len());
        let end = (at + change.length).min(lines.len());
        // Claiming the gap after the range as well keeps the model free of ordering questions.
        if taken[at..=end].iter().any(|&taken| taken) {
            continue;
        }
        taken[at..=end].fill(true);
        let (from, to, payload) = match change.kind {
            '+' => (at + 1, at + 1, change.payload.clone()),
            '<' => (at, at, change.payload.clone()),
            '-' => (at, end, Vec::new()),
            _ => (at, end, change.payload.clone()),
        };
        let target = match change.kind {
            '+' | '<' => anchor(&lines, at),
            _ => format!("{}..{}", anchor(&lines, at), anchor(&lines, end - 1)),
        };
        patch.extend_from_slice(format!("{} {target}\n", change.kind).as_bytes());
        for line in &payload {
            patch.push(b'~');
            patch.extend_from_slice(line);
            patch.push(b'\n');
        }
        splices.push((from, to, payload));
    }
    splices.sort_by_key(|splice| splice.0);
    let mut model = lines;
    for (from, to, payload) in splices.into_iter().rev() {
        model.splice(from..to, payload);
    }
    (patch, model)
}

proptest! {
    #[test]
    fn applying_gives_exactly_the_spliced_lines(content in file(), changes in changes()) {
        prop_assume!(Text::new(&content).count() > 0);
        let (patch, model) = patch_and_model(&content, &changes);
        let section = parse(&patch, None).expect("generated patches are well formed").sections.remove(0);
        match apply(&content, &section, None) {
            Ok(applied) => {
                let edited = applied.assemble(&content);
                // A line that ends in a lone carriage return may lend it to a newline that follows.
                let trimmed = |lines: &[Vec<u8>]| lines.iter().map(|line| trim_end(line).to_vec()).collect::<Vec<_>>();
                prop_assert_eq!(trimmed(&texts(&edited)), trimmed(&model));
                prop_assert_eq!(edited.starts_with(b"\xef\xbb\xbf"), content.starts_with(b"\xef\xbb\xbf"));
            }
            Err(refusal) => {
                prop_assert_eq!(refusal.code, RefusalCode::NoChange);
                prop_assert_eq!(texts(&content), model);
            }
        }
    }

    #[test]
    fn bytes_before_and_after_the_edited_lines_are_untouched(content in file(), change in changes()) {
        let text = Text::new(&content);
        prop_assume!(text.count() > 0);
        let (patch, _) = patch_and_model(&content, &change[..1]);
        let section = parse(&patch, None).expect("well formed").sections.remove(0);
        let Ok(applied) = apply(&content, &section, None) else { return Ok(()) };
        let edited = applied.assemble(&content);
        let at = change[0].at.index(text.count());
        let end = if matches!(change[0].kind, '+' | '<') { at + 1 } else { (at + change[0].length).min(text.count()) };
        let head = text.bom().len() + text.start(at);
        // Up to the line before, whose ending goes when an open-ended file loses its last lines.
        let kept_head = if end == text.count() { head.saturating_sub(2) } else { head };
        prop_assert_eq!(&edited[..kept_head], &content[..kept_head]);
        prop_assert!(edited.ends_with(&text.body()[text.start(end)..]));
    }

    #[test]
    fn what_is_shown_can_be_named(content in file()) {
        let shown = format_lines(&content, 1, usize::MAX);
        let codes = hash_lines(&content);
        let rows: Vec<&[u8]> = shown.split(|&byte| byte == b'\n').take(codes.len()).collect();
        for (row, code) in rows.iter().zip(&codes) {
            let anchor: Vec<u8> = row.iter().copied().take_while(|&byte| byte != b'|').collect();
            prop_assert!(anchor.ends_with(&letters_of(*code)));
            let patch = [b"@@ f\n+ ", anchor.as_slice(), b"\n~a new line"].concat();
            let section = parse(&patch, None).expect("an anchor that was shown is readable").sections.remove(0);
            prop_assert!(apply(&content, &section, None).is_ok());
        }
    }

    #[test]
    fn an_edit_that_names_a_changed_line_is_never_applied(content in file(), changes in changes(), fresh in "[A-Z]{6}") {
        prop_assume!(Text::new(&content).count() > 0);
        let (patch, _) = patch_and_model(&content, &changes[..1]);
        let section = parse(&patch, None).expect("well formed").sections.remove(0);
        let named = changes[0].at.index(Text::new(&content).count());
        let text = Text::new(&content);
        prop_assume!(line_code(fresh.as_bytes(), 1) != line_code(text.line(named).expect("exists").text, named as u32 + 1));
        let start = text.bom().len() + text.start(named);
        let mut changed = content.clone();
        changed.splice(start..start + text.line(named).expect("exists").text.len(), fresh.bytes());
        let refused = |outcome: Result<crate::Applied, crate::Refusal>| outcome.map_err(|refusal| refusal.code);
        prop_assert_eq!(refused(apply(&changed, &section, None)), Err(RefusalCode::Stale));
        prop_assert_eq!(refused(apply(&changed, &section, Some(&content))), Err(RefusalCode::Stale));
    }

    #[test]
    fn recovery_gives_the_true_merge_or_refuses(content in file(), changes in changes(), drift in vec((any::<prop::sample::Index>(), any::<bool>()), 1..4)) {
        let lines = texts(&content);
        prop_assume!(!lines.is_empty());
        let (patch, _) = patch_and_model(&content, &changes[..1]);
        let section = parse(&patch, None).expect("well formed").sections.remove(0);
        // The other side inserts or replaces lines that occur nowhere else, so that the true merge is known.
        let mut drifted: Vec<(Option<usize>, Vec<u8>)> = lines.iter().cloned().enumerate().map(|(at, line)| (Some(at), line)).collect();
        for (number, (at, replaces)) in drift.iter().enumerate() {
            let at = at.index(drifted.len());
            let line = (None, format!("drift {number}").into_bytes());
            drifted.splice(at..at + usize::from(*replaces), [line]);
        }
        let now: Vec<u8> = drifted.iter().flat_map(|(_, line)| [line.as_slice(), b"\n"].concat()).collect();
        let Ok(applied) = apply(&now, &section, Some(&content)) else { return Ok(()) };
        prop_assume!(applied.recovered);
        let change = &changes[0];
        let at = change.at.index(lines.len());
        let end = (at + change.length).min(lines.len());
        let place = |index: usize| drifted.iter().position(|(origin, _)| *origin == Some(index));
        let mut merged: Vec<Vec<u8>> = drifted.iter().map(|(_, line)| line.clone()).collect();
        match change.kind {
            '+' => { let gap = place(at).expect("kept") + 1; merged.splice(gap..gap, change.payload.clone()); }
            '<' => { let gap = place(at).expect("kept"); merged.splice(gap..gap, change.payload.clone()); }
            kind => {
                let (from, to) = (place(at).expect("kept"), place(end - 1).expect("kept") + 1);
                prop_assert_eq!(to - from, end - at, "nothing was inserted inside the range");
                merged.splice(from..to, if kind == '-' { Vec::new() } else { change.payload.clone() });
            }
        }
        let trimmed = |lines: Vec<Vec<u8>>| lines.iter().map(|line| trim_end(line).to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(trimmed(texts(&applied.assemble(&now))), trimmed(merged));
    }

    #[test]
    fn no_input_makes_the_parser_or_apply_panic(patch in vec(any::<u8>(), 0..200), lines in "([-+<=~@] ?[0-9]{0,2}[a-z]{0,2}(\\.\\.)?[0-9]?[a-z]{0,2}\n){0,8}", content in file()) {
        for input in [patch, [b"@@ f\n", lines.as_bytes()].concat()] {
            if let Ok(patch) = parse(&input, Some("f")) {
                for section in patch.sections {
                    let _ = apply(&content, &section, Some(b"a\n}\nb\n"));
                }
            }
        }
    }
}
