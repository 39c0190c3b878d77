//! Any bytes as terminal output: cleaned text has no controls, cleaning is stable, wrapped lines fit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_text::{Keep, estimate_tokens, sanitize, text_width, wrap};

fuzz_target!(|input: &[u8]| {
    let clean = sanitize(input, Keep::default());
    assert!(clean.chars().all(|character| matches!(character, '\n' | '\t') || !character.is_control()));
    assert_eq!(sanitize(clean.as_bytes(), Keep::default()), clean);
    assert_eq!(estimate_tokens(&clean) == 0, clean.is_empty());

    let all = Keep { style: true, links: true };
    let styled = sanitize(input, all);
    assert_eq!(sanitize(styled.as_bytes(), all), styled);
    let width = 2 + input.len() % 30;
    for line in wrap(&styled, width, 4) {
        let bare = sanitize(line.as_bytes(), Keep::default());
        // A style inside a cluster splits it for wrapping, so its parts may join again once the style is gone.
        assert!(text_width(&bare) <= width * 2, "{line:?}");
    }
    for line in wrap(&clean, width, 4) {
        assert!(text_width(&line) <= width, "{line:?}");
    }
});
