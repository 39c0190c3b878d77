//! A file and a patch in one input, split at the first `@`: whatever is applied keeps the lines that no operation names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_hashline::{OpKind, Piece, Place, Text, apply, format_lines, parse};

fuzz_target!(|input: &[u8]| {
    let at = input.iter().position(|&byte| byte == b'@').unwrap_or(input.len());
    let (content, patch) = input.split_at(at);
    let shown = format_lines(content, 1, usize::MAX);
    assert!(shown.len() >= Text::new(content).body().len() / 2);
    let Ok(patch) = parse(&with_real_anchors(patch, &shown), Some("f")) else { return };
    for section in patch.sections {
        let Ok(applied) = apply(content, &section, None) else { continue };
        let edited = applied.assemble(content);
        let before = Text::new(content).count();
        assert_eq!(Text::new(&edited).count(), before - applied.lines_removed + applied.lines_added);
        // Kept pieces come in order and never twice.
        let mut last = 0;
        for piece in &applied.pieces {
            if let Piece::Kept(range) = piece {
                assert!(range.start >= last && range.end <= content.len());
                last = range.end;
            }
        }
        let deletes = section.ops.iter().any(|op| matches!(op.kind, OpKind::Delete | OpKind::Replace));
        assert!(deletes || applied.lines_removed == 0);
        assert!(section.ops.iter().all(|op| op.end.is_none() || matches!(op.start, Place::At(_))));
    }
});

/// Random letters would almost never fit, so `7??` in a patch stands for the real anchor of line 7.
fn with_real_anchors(patch: &[u8], shown: &[u8]) -> Vec<u8> {
    let anchors: Vec<&[u8]> =
        shown.split(|&byte| byte == b'\n').filter_map(|row| row.split(|&byte| byte == b'|').next()).collect();
    let mut out = Vec::new();
    let mut rest = patch;
    while let [first, tail @ ..] = rest {
        match tail {
            [b'?', b'?', after @ ..] if first.is_ascii_digit() => {
                let line = usize::from(first - b'0').saturating_sub(1);
                out.extend_from_slice(anchors.get(line).copied().unwrap_or(b"1aa"));
                rest = after;
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}
