//! Any bytes as a patch: no panic, and what is understood is consistent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_hashline::{OpKind, parse};

fuzz_target!(|input: &[u8]| {
    let Ok(patch) = parse(input, Some("fallback")) else { return };
    assert!(!patch.sections.is_empty());
    for section in patch.sections {
        assert!(!section.path.is_empty() && !section.ops.is_empty());
        for op in &section.ops {
            let payload = &section.payload[op.payload.clone()];
            assert_eq!(payload.is_empty(), op.kind == OpKind::Delete);
            assert!(payload.is_empty() || payload.ends_with(b"\n"));
        }
    }
});
