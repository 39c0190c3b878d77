use super::*;
use crate::anchor::letters_of;
use crate::patch::parse;

/// Writes `{3}` in a patch as the anchor of line 3 of `file`.
fn patch_for(file: &[u8], patch: &str) -> Section {
    let text = Text::new(file);
    let mut written = String::from("@@ f\n");
    let mut rest = patch;
    while let Some((before, after)) = rest.split_once('{') {
        let (number, after) = after.split_once('}').expect("closed");
        let number: u32 = number.parse().expect("a number");
        let line = text.line(number as usize - 1).expect("the line exists");
        let [one, two] = letters_of(line_code(line.text, number));
        written.push_str(&format!("{before}{number}{}{}", char::from(one), char::from(two)));
        rest = after;
    }
    written.push_str(rest);
    parse(written.as_bytes(), None).expect("well formed").sections.remove(0)
}

fn edit(file: &str, patch: &str) -> String {
    let section = patch_for(file.as_bytes(), patch);
    let applied = apply(file.as_bytes(), &section, None).expect("applies");
    String::from_utf8(applied.assemble(file.as_bytes())).expect("UTF-8")
}

fn recover(base: &str, now: &str, patch: &str) -> Result<String, String> {
    let section = patch_for(base.as_bytes(), patch);
    apply(now.as_bytes(), &section, Some(base.as_bytes()))
        .map(|applied| String::from_utf8(applied.assemble(now.as_bytes())).expect("UTF-8"))
        .map_err(|refusal| refusal.message)
}

#[test]
fn every_operation_lands_on_its_line() {
    assert_eq!(edit("a\nb\nc\n", "+ {2}\n~x\n~y"), "a\nb\nx\ny\nc\n");
    assert_eq!(edit("a\nb\nc\n", "< {2}\n~x"), "a\nx\nb\nc\n");
    assert_eq!(edit("a\nb\nc\n", "- {1}..{2}"), "c\n");
    assert_eq!(edit("a\nb\nc\n", "= {2}..{3}\n~x"), "a\nx\n");
    assert_eq!(edit("a\nb\n", "= {2}..{2}"), "a\n\n");
    assert_eq!(edit("a\n", "+ BOF\n~x\n+ EOF\n~y"), "x\na\ny\n");
    assert_eq!(edit("", "+ BOF\n~x\n+ EOF\n~y"), "x\ny\n");
}

#[test]
fn several_operations_use_the_numbers_of_the_file_as_read() {
    assert_eq!(edit("a\nb\nc\nd\n", "- {1}..{1}\n+ {3}\n~x\n= {4}..{4}\n~D"), "b\nc\nx\nD\n");
    assert_eq!(edit("a\nb\n", "+ {1}\n~1\n< {2}\n~2\n= {2}..{2}\n~B\n+ {2}\n~3"), "a\n1\n2\nB\n3\n");
}

#[test]
fn line_endings_are_taken_from_the_lines_next_to_the_edit() {
    assert_eq!(edit("a\r\nb\nc\r\n", "+ {1}\n~x\n+ {2}\n~y"), "a\r\nx\r\nb\ny\nc\r\n");
    assert_eq!(edit("a\r\nb\nc\n", "= {1}..{2}\n~x\n~y"), "x\r\ny\nc\n");
}

#[test]
fn a_missing_last_newline_stays_missing() {
    assert_eq!(edit("a\nb", "+ {2}\n~x"), "a\nb\nx");
    assert_eq!(edit("a\r\nb", "+ EOF\n~x\n~y"), "a\r\nb\r\nx\r\ny");
    assert_eq!(edit("a\nb", "- {2}..{2}"), "a");
    assert_eq!(edit("a\r\nb", "- {2}..{2}"), "a");
    assert_eq!(edit("a\nb", "= {2}..{2}\n~x\n~y"), "a\nx\ny");
    assert_eq!(edit("a", "= {1}..{1}\n~b"), "b");
    assert_eq!(edit("a\nb", "= {1}..{1}\n~x"), "x\nb");
    assert_eq!(edit("a\nb", "- {2}..{2}\n+ EOF\n~x"), "a\nx");
    assert_eq!(edit("a\nb", "- {1}..{2}"), "");
}

#[test]
fn an_empty_last_line_keeps_its_ending_because_it_is_nothing_else() {
    assert_eq!(edit("a\n\nb", "- {3}..{3}"), "a\n\n");
    assert_eq!(edit("a", "+ EOF\n~"), "a\n\n");
}

#[test]
fn a_byte_order_mark_stays_first_and_is_in_no_anchor() {
    assert_eq!(edit("\u{feff}a\n", "+ BOF\n~x"), "\u{feff}x\na\n");
    assert_eq!(edit("\u{feff}a\n", "- {1}..{1}"), "\u{feff}");
    assert_eq!(patch_for("\u{feff}a\n".as_bytes(), "- {1}..{1}"), patch_for(b"a\n", "- {1}..{1}"));
}

#[test]
fn a_stale_anchor_changes_nothing_and_shows_what_is_there() {
    let section = patch_for(b"a\nb\nc\n", "- {2}..{2}\n+ {3}\n~x");
    let refusal = apply(b"a\nB\nc\n", &section, None).expect_err("stale");
    assert_eq!(refusal.code, RefusalCode::Stale);
    assert_eq!(refusal.stale.len(), 1);
    assert!(refusal.message.contains("1 of 2 anchors"), "{}", refusal.message);
    assert!(refusal.message.contains("|B\n"), "{}", refusal.message);
}

#[test]
fn overlapping_operations_are_refused_and_named() {
    for patch in
        ["- {1}..{3}\n= {2}..{2}\n~x", "= {1}..{2}\n~x\n- {2}..{3}", "- {1}..{3}\n+ {1}\n~x", "- {1}..{3}\n- {1}..{3}"]
    {
        let section = patch_for(b"a\nb\nc\nd\n", patch);
        let refusal = apply(b"a\nb\nc\nd\n", &section, None).expect_err("overlap");
        assert_eq!(refusal.code, RefusalCode::Overlap, "{patch}");
        assert!(refusal.message.contains("lines 2 and "), "{}", refusal.message);
    }
}

#[test]
fn an_edit_that_changes_nothing_is_refused() {
    let section = patch_for(b"a\n", "= {1}..{1}\n~a");
    assert_eq!(apply(b"a\n", &section, None).map_err(|refusal| refusal.code), Err(RefusalCode::NoChange));
}

#[test]
fn a_payload_that_repeats_its_neighbour_is_written_and_warned_of() {
    let section = patch_for(b"one\ntwo\nthree\n", "= {2}..{2}\n~one\n~TWO\n~three");
    let applied = apply(b"one\ntwo\nthree\n", &section, None).expect("applies");
    assert_eq!(applied.assemble(b"one\ntwo\nthree\n"), b"one\none\nTWO\nthree\nthree\n");
    assert_eq!(applied.warnings.len(), 2);
}

#[test]
fn an_edit_made_for_an_older_file_is_placed_by_what_did_not_change() {
    let base = "import a\n\nfn one\n  body 1\nend\nfn two\n  body 2\nend\n";
    let now = "import a\nimport b\n\nfn one\n  body 1\nend\nfn two\n  body 2\nend\n";
    assert_eq!(recover(base, now, "= {7}..{7}\n~  BODY 2"), Ok(now.replace("body 2", "BODY 2")));
}

#[test]
fn an_edit_whose_lines_changed_meanwhile_is_refused() {
    let base = "a\nb\nc\nd\ne\n";
    let message = recover(base, "x\na\nb\nC\nd\ne\n", "= {3}..{3}\n~z").expect_err("refused");
    assert!(message.contains("cannot be placed with certainty: the lines it names"), "{message}");
}

#[test]
fn lines_inside_a_range_are_held_to_the_snapshot_too() {
    let base = "a\nb\nc\nd\ne\n";
    recover(base, "a\nb\nC\nd\ne\n", "- {2}..{4}").expect_err("line 3 changed inside the range");
    assert_eq!(recover(base, "a\nb\nc\nd\nE\n", "- {2}..{3}"), Ok("a\nd\nE\n".into()));
}

#[test]
fn a_brace_at_the_same_line_number_is_not_mistaken_for_the_one_that_was_read() {
    // Punctuation-only anchors depend on the line number only, so the letters of line 3 fit both files.
    let base = "f {\n  a\n}\ng {\n  b\n}\n";
    let now = "g {\n  b\n}\nf {\n  a\n}\n";
    let message = recover(base, now, "+ {3}\n~// end of f").expect_err("refused");
    assert!(message.contains("cannot be placed with certainty"), "{message}");
}

#[test]
fn anchors_from_a_newer_view_than_the_snapshot_are_checked_against_the_file() {
    let section = patch_for(b"new\nb\n", "= {1}..{1}\n~newer");
    let applied = apply(b"new\nb\n", &section, Some(b"old\nb\n")).expect("applies");
    assert_eq!(applied.assemble(b"new\nb\n"), b"newer\nb\n");
    assert!(!applied.recovered);
}
