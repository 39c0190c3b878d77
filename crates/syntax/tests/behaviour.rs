//! What the crate promises, seen from outside.
#![allow(clippy::expect_used)]

use proptest::prelude::*;
use tenon_cancel::CancelToken;
use tenon_syntax::files::{self, Job, Source};
use tenon_syntax::outline::{Context, OutlineOptions, outline};
use tenon_syntax::rewrite::{Replacement, apply, preview};
use tenon_syntax::rule::{RuleSpec, Strictness};
use tenon_syntax::search::Query;
use tenon_syntax::symbols::symbols;
use tenon_syntax::tree::tree;
use tenon_syntax::{Document, IssueKind, Lang, SyntaxError};

fn document(source: &str, language: &str) -> Document {
    Document::parse(source.to_owned(), Lang::find(language).expect("linked in"), &CancelToken::new()).expect("parses")
}

fn pattern(code: &str) -> RuleSpec {
    RuleSpec { pattern: Some(code.to_owned()), ..RuleSpec::default() }
}

fn rule(json: &str) -> RuleSpec {
    serde_json::from_str(json).expect("a rule")
}

fn texts(source: &str, language: &str, spec: RuleSpec) -> Vec<String> {
    let query = Query::compile(&[spec], Lang::find(language).expect("linked in")).expect("compiles");
    let document = document(source, language);
    let found = query.matches(&document, usize::MAX, usize::MAX, &CancelToken::new()).expect("finds");
    found.into_iter().map(|found| found.excerpt.text.into_owned()).collect()
}

fn job<'s>(sources: &[(&'s str, &'s str)]) -> Job<'s> {
    let sources = sources.iter().map(|(path, content)| Source {
        path: (*path).into(),
        language: None,
        content: Some((*content).into()),
    });
    Job {
        sources: sources.collect(),
        language: None,
        root: None,
        max_file_bytes: 1_000_000,
        enough: 100,
        threads: Some(3),
    }
}

#[test]
fn a_metavariable_stands_for_the_same_code_everywhere() {
    assert_eq!(texts("f(a, a); f(a, b)", "typescript", pattern("f($X, $X)")), ["f(a, a)"]);
    assert_eq!(texts("f(1, 2, 3); f()", "javascript", pattern("f($$$A)")), ["f(1, 2, 3)", "f()"]);
}

#[test]
fn languages_that_do_not_take_a_dollar_still_take_metavariables() {
    assert_eq!(texts("x = f(1)\n", "python", pattern("f($A)")), ["f(1)"]);
    assert_eq!(texts("fn a() { f(1); }", "rust", pattern("f($A)")), ["f(1)"]);
    assert_eq!(texts("package a\nfunc b() { f(1) }\n", "go", pattern("f($A)")), ["f(1)"]);
    assert_eq!(texts("<?php echo f($x);", "php", pattern("f($A)")), ["f($x)"]);
    assert_eq!(texts("a { color: red; }", "css", pattern("color: $V;")), ["color: red;"]);
    assert_eq!(texts("int x = f(1);", "c", pattern("f($A)")), ["f(1)"]);
    assert_eq!(texts("FROM alpine\n", "dockerfile", pattern("FROM $I")), ["FROM alpine"]);
}

#[test]
fn strictness_decides_what_may_be_passed_over() {
    let source = "foo(a)\nfoo(a,)\nfoo(/* c */ a)\nbar(b)";
    let with = |strictness| texts(source, "typescript", RuleSpec { strictness: Some(strictness), ..pattern("foo(a)") });
    assert_eq!(with(Strictness::Cst), ["foo(a)"]);
    assert_eq!(with(Strictness::Smart), ["foo(a)", "foo(a,)", "foo(/* c */ a)"]);
    assert_eq!(with(Strictness::Ast), ["foo(a)", "foo(a,)"]);
    assert_eq!(with(Strictness::Relaxed), ["foo(a)", "foo(a,)", "foo(/* c */ a)"]);
    assert_eq!(with(Strictness::Signature), ["foo(a)", "foo(a,)", "foo(/* c */ a)", "bar(b)"]);
}

#[test]
fn relations_look_one_step_far_unless_told_otherwise() {
    let source = "function a() { if (x) { log(1) } }\nlog(2)";
    let near = r#"{"pattern": "log($A)", "inside": {"kind": "function_declaration"}}"#;
    let far = r#"{"pattern": "log($A)", "inside": {"kind": "function_declaration", "stopBy": "end"}}"#;
    let stopped =
        r#"{"pattern": "log($A)", "inside": {"kind": "function_declaration", "stopBy": {"kind": "if_statement"}}}"#;
    assert!(texts(source, "javascript", rule(near)).is_empty());
    assert_eq!(texts(source, "javascript", rule(far)), ["log(1)"]);
    assert!(texts(source, "javascript", rule(stopped)).is_empty());
}

#[test]
fn bindings_of_a_failed_alternative_do_not_reach_the_next() {
    let spec = r#"{"any": [{"all": [{"pattern": "f($A, $B)"}, {"kind": "string"}]}, {"pattern": "f($B, $A)"}]}"#;
    let lang = Lang::find("javascript").expect("linked in");
    let query = Query::compile(&[rule(spec)], lang).expect("compiles");
    let document = document("f(x, y)", "javascript");
    let found = query.matches(&document, 10, 10, &CancelToken::new()).expect("finds");
    let captured: Vec<_> = found[0].captures.iter().map(|c| c.excerpt.as_ref().map_or("", |e| &*e.text)).collect();
    assert_eq!(captured, ["y", "x"]);
}

#[test]
fn a_pattern_that_cannot_be_used_says_what_to_change() {
    let reason = |code: &str| Query::compile(&[pattern(code)], Lang::find("typescript").expect("linked in")).err();
    for (code, part) in [("", "is empty"), ("$$$A", "larger pattern"), ("a; b", "not one"), ("f(", "not valid")] {
        let Some(SyntaxError::Pattern(text)) = reason(code) else { panic!("{code} compiled") };
        assert!(text.contains(part), "{code}: {text}");
    }
}

#[test]
fn an_edit_keeps_indentation_and_the_outermost_match_wins() {
    let source = "if (x) {\n  f(f(1))\n}\n";
    let lang = Lang::find("typescript").expect("linked in");
    let query = Query::compile(&[pattern("f($A)")], lang).expect("compiles");
    let templates = ["g(\n  $A\n)".to_owned()];
    let planned = preview(&document(source, "typescript"), &query, &templates, &CancelToken::new()).expect("plans");
    assert_eq!(planned.overlapping, 1);
    let edits: Vec<_> = planned.edits.iter().map(replacement).collect();
    assert_eq!(apply(source, &edits).expect("applies"), "if (x) {\n  g(\n    f(1)\n  )\n}\n");
    assert!(apply("something else", &edits).is_err());
}

fn replacement(edit: &tenon_syntax::rewrite::Edit) -> Replacement {
    Replacement {
        byte_start: edit.range.byte_start,
        byte_end: edit.range.byte_end,
        before: edit.before.clone(),
        after: edit.after.clone(),
    }
}

#[test]
fn an_outline_elides_bodies_and_names_their_surroundings() {
    let braces = "fn a() {\n  b();\n  c();\n  d();\n}\n";
    let outlined =
        outline(&document(braces, "rust"), OutlineOptions::default(), &CancelToken::new()).expect("outlines");
    let elided: Vec<_> =
        outlined.segments.iter().filter_map(|s| s.elided.map(|c| (s.start_line, s.end_line, c))).collect();
    assert_eq!(elided, [(2, 4, Context::Brace)]);

    let indented = "class A:\n  def m(self):\n    a()\n    b()\n    c()\n";
    let outlined =
        outline(&document(indented, "python"), OutlineOptions::default(), &CancelToken::new()).expect("outlines");
    let elided: Vec<_> =
        outlined.segments.iter().filter_map(|s| s.elided.map(|c| (s.start_line, s.end_line, c))).collect();
    assert_eq!(elided, [(3, 5, Context::Indent)]);
}

#[test]
fn symbols_know_what_encloses_them() {
    let found =
        symbols(&document("class A { m() { let x = 1 } }\nconst f = () => 1", "typescript"), &CancelToken::new());
    let found = found.expect("lists");
    let listed: Vec<_> = found.iter().map(|s| (s.kind.as_str(), s.name.as_str(), s.parent)).collect();
    assert_eq!(listed, [("class", "A", None), ("method", "m", Some(0)), ("function", "f", None)]);
}

#[test]
fn many_sources_come_back_in_order_and_stop_when_there_is_enough() {
    let sources: Vec<_> = (0..50).map(|at| (format!("{at}.ts"), "f(1); f(2)".to_owned())).collect();
    let borrowed: Vec<_> = sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut job = job(&borrowed);
    job.enough = 5;
    let batch = files::search(&job, &[pattern("f($A)")], 100, &CancelToken::new()).expect("searches");
    assert_eq!(batch.files.iter().map(|file| file.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(batch.processed, 3);
}

#[test]
fn sources_that_cannot_be_used_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bad.ts"), [0x66, 0xff]).expect("written");
    let long = "f(1);".repeat(300);
    let mut job = job(&[("x.kt", "f(1)"), ("x.unknown", "f(1)"), ("broken.ts", "f(1); let ="), ("big.ts", &long)]);
    job.max_file_bytes = 1_000;
    job.root = Some(folder.path().to_owned());
    job.sources.push(Source { path: "bad.ts".into(), language: None, content: None });
    job.sources.push(Source { path: "gone.ts".into(), language: None, content: None });
    let batch = files::search(&job, &[pattern("f($A)")], 100, &CancelToken::new()).expect("searches");
    assert_eq!(batch.deferred, [(0, "kotlin")]);
    assert_eq!(batch.skipped, [1]);
    let issues: Vec<_> = batch.files.iter().flat_map(|f| f.issues.iter().map(|issue| (f.index, issue.kind))).collect();
    let expected =
        [(2, IssueKind::SyntaxError), (3, IssueKind::TooLarge), (4, IssueKind::NotUtf8), (5, IssueKind::Unreadable)];
    assert_eq!(issues, expected);
}

#[test]
fn a_cancelled_token_ends_the_work() {
    let token = CancelToken::new();
    token.cancel();
    let error = files::search(&job(&[("a.ts", "f(1)")]), &[pattern("f($A)")], 100, &token).expect_err("cancelled");
    assert!(matches!(error, SyntaxError::Cancelled(_)));
    let lang = Lang::find("json").expect("linked in");
    assert!(Document::parse("[1]".to_owned(), lang, &token).is_err());
}

#[test]
fn very_deep_sources_neither_overflow_nor_hang() {
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let document = document(&deep, "javascript");
    let token = CancelToken::new();
    assert!(outline(&document, OutlineOptions::default(), &token).is_ok());
    assert!(symbols(&document, &token).is_ok());
    assert!(tree(&document, &token).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_outline_covers_every_line_once(source in "[a-z(){};\\n \"/*#é]{0,200}", language in prop::sample::select(vec!["typescript", "python", "rust", "bash", "yaml"])) {
        let document = document(&source, language);
        let options = OutlineOptions { min_body_lines: 1, min_literal_lines: 1, min_comment_lines: 1 };
        let outlined = outline(&document, options, &CancelToken::new()).expect("outlines");
        let mut next = 1;
        for segment in &outlined.segments {
            prop_assert_eq!(segment.start_line, next);
            prop_assert!(segment.end_line >= segment.start_line);
            next = segment.end_line + 1;
        }
        prop_assert_eq!(next - 1, outlined.line_count);
    }

    #[test]
    fn edits_apply_to_the_text_they_were_planned_for(source in "(f\\([a-c\"é, ]{0,6}\\);?[ \\n]?){0,12}") {
        let lang = Lang::find("javascript").expect("linked in");
        let query = Query::compile(&[pattern("f($$$A)"), pattern("f($A)")], lang).expect("compiles");
        let templates = ["g($$$A)".to_owned(), "$A".to_owned()];
        let planned = preview(&document(&source, "javascript"), &query, &templates, &CancelToken::new()).expect("plans");
        let edits: Vec<_> = planned.edits.iter().map(replacement).collect();
        prop_assert!(apply(&source, &edits).is_ok());
    }

    #[test]
    // All names begin with x: `if(a)` is no call.
    fn the_prefilter_never_hides_a_match(name in "x[a-z]{0,2}", source in "(x[a-z]{0,2}\\((x[a-z])?\\); ?){0,8}") {
        let lang = Lang::find("javascript").expect("linked in");
        let query = Query::compile(&[pattern(&format!("{name}($$$A)"))], lang).expect("compiles");
        let parsed = document(&source, "javascript");
        let all = Query::compile(&[pattern("$F($$$A)")], lang).expect("compiles");
        let calls = all.matches(&parsed, usize::MAX, usize::MAX, &CancelToken::new()).expect("finds");
        let expected = calls.iter().filter(|call| call.excerpt.text.starts_with(&format!("{name}("))).count();
        prop_assert_eq!(query.matches(&parsed, usize::MAX, usize::MAX, &CancelToken::new()).expect("finds").len(), expected);
        prop_assert!(expected == 0 || query.admits(&source));
    }
}

#[test]
fn blocks_that_are_deeper_than_a_scanner_can_remember_do_not_end_the_process() {
    let is_clean = |source: &str, language: &str| !document(source, language).root().has_error();
    for (levels, clean) in [(253, true), (254, false), (3_000, false)] {
        assert_eq!(is_clean(&format!("{}x\n", "- ".repeat(levels)), "yaml"), clean, "{levels} levels of YAML");
    }
    for (levels, clean) in [(510, true), (511, false), (512, false), (700, false)] {
        let blocks = (0..levels).map(|level| format!("{}if a:\n", " ".repeat(level))).collect::<String>();
        // What is inside of a string is part of what the scanner remembers.
        let source = format!("{blocks}{}f\"{{b}}\"\n", " ".repeat(levels));
        assert_eq!(is_clean(&source, "python"), clean, "{levels} levels of Python");
    }
}
