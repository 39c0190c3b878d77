//! A snapshot, a drifted file and one edit, lines being single bytes: a recovered edit stands between the same lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_hashline::{Anchor, Op, OpKind, Place, Section, Text, apply, line_code};

fuzz_target!(|input: &[u8]| {
    let [at, split, lines @ ..] = input else { return };
    let (base, now) = lines.split_at(usize::from(*split).min(lines.len()));
    let (base, now) = (as_lines(base), as_lines(now));
    let count = Text::new(&base).count();
    if count == 0 {
        return;
    }
    let index = usize::from(*at) % count;
    let Some(line) = Text::new(&base).line(index) else { return };
    let anchor = Anchor { line: index as u32 + 1, code: line_code(line.text, index as u32 + 1) };
    let op = Op { kind: OpKind::Replace, patch_line: 1, start: Place::At(anchor), end: Some(anchor), payload: 0..4 };
    let section = Section { path: "f".into(), ops: vec![op], payload: b"NEW\n".to_vec() };
    let Ok(applied) = apply(&now, &section, Some(&base)) else { return };
    if !applied.recovered {
        return;
    }
    let edited = applied.assemble(&now);
    let place = applied.first_changed_line - 1;
    let text = |content: &[u8], at: Option<usize>| {
        at.and_then(|at| Text::new(content).line(at)).map(|line| line.text.to_vec())
    };
    assert_eq!(text(&now, Some(place)), text(&base, Some(index)), "the replaced line is the one that was read");
    assert_eq!(text(&edited, Some(place)), Some(b"NEW".to_vec()));
    assert_eq!(text(&now, place.checked_sub(1)), text(&base, index.checked_sub(1)), "with the same line above");
    assert_eq!(text(&now, Some(place + 1)), text(&base, Some(index + 1)), "and below");
});

/// Few different lines, one of them punctuation only.
fn as_lines(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| [b"abcd}"[usize::from(byte % 5)], b'\n']).collect()
}
