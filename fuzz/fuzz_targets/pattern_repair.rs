//! Any text as a search pattern: repairing it only adds backslashes, and a repaired pattern needs no further repair.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_search::repair;

fuzz_target!(|pattern: &str| {
    let repaired = repair(pattern);
    let mut wanted = pattern.chars().peekable();
    for character in repaired.chars() {
        if wanted.peek() == Some(&character) {
            wanted.next();
        } else {
            assert_eq!(character, '\\', "something else than a backslash was added");
        }
    }
    assert!(wanted.next().is_none(), "something was left out");
    assert_eq!(repair(&repaired), repaired);
});
