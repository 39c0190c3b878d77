//! The map of real folders: what it shows, and that it stays right while files change.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;
use tenon_cancel::CancelToken;
use tenon_code_map::{CodeMap, Limits, MapAnswer, MapError, MapRequest};

const LIMITS: Limits = Limits { max_file_bytes: 100_000, max_files: 1_000, watch: true };

fn put(root: &Path, path: &str, text: &str) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        put(folder.path(), path, text);
    }
    folder
}

fn ask(map: &CodeMap, budget: u64, scope: &str, focus: &[&str]) -> MapAnswer {
    let focus = focus.iter().map(|path| (*path).to_owned()).collect();
    map.map(&MapRequest { budget, scope: scope.to_owned(), focus }, &CancelToken::new()).unwrap()
}

fn paths(answer: &MapAnswer) -> Vec<&str> {
    answer.files.iter().map(|file| file.path.as_str()).collect()
}

const CORE: &str = "export class CoreEngine {\n  startEngine(): void {}\n}\nexport function unusedHelper(): void {}\n";

fn users() -> Vec<(String, String)> {
    (0..5)
        .map(|at| {
            let text = format!("import {{ CoreEngine }} from './core';\nexport function useNumber{at}() {{ new CoreEngine().startEngine(); }}\n");
            (format!("src/user{at}.ts"), text)
        })
        .collect()
}

fn sample() -> TempDir {
    let folder = tree(&[
        ("src/core.ts", CORE),
        ("README.md", "# CoreEngine"),
        ("node_modules/x/index.js", "export const CoreEngine = 1;"),
    ]);
    for (path, text) in users() {
        put(folder.path(), &path, &text);
    }
    folder
}

#[test]
fn what_many_files_use_comes_first_with_its_line() {
    let folder = sample();
    let answer = ask(&CodeMap::new(folder.path().into(), None, LIMITS), 1_000, "", &[]);
    assert_eq!(paths(&answer).first(), Some(&"src/core.ts"));
    assert!(
        answer.text.starts_with("src/core.ts\n  1: export class CoreEngine\n    2: startEngine(): void {}\n"),
        "{}",
        answer.text
    );
    assert_eq!(answer.totals.files, 6);
}

#[test]
fn the_text_never_costs_more_than_the_budget() {
    let folder = sample();
    let map = CodeMap::new(folder.path().into(), None, LIMITS);
    for budget in [0, 5, 12, 20, 33, 50, 100, 1_000] {
        let answer = ask(&map, budget, "", &[]);
        assert!(answer.tokens <= budget, "{} of {budget}", answer.tokens);
    }
    assert_eq!(paths(&ask(&map, 20, "", &[])), ["src/core.ts"]);
}

#[test]
fn a_scope_shows_only_what_lies_in_it_and_a_focus_changes_the_order() {
    let folder = sample();
    put(folder.path(), "lib/far.ts", "export function farAwayThing(): void {}\n");
    put(folder.path(), "lib/use.ts", "import { farAwayThing } from './far';\nfarAwayThing();\n");
    let map = CodeMap::new(folder.path().into(), None, LIMITS);
    assert_eq!(paths(&ask(&map, 1_000, "lib", &[])), ["lib/far.ts"]);
    assert_eq!(paths(&ask(&map, 1_000, "", &["lib/use.ts"])).first(), Some(&"lib/far.ts"));
    assert_eq!(ask(&map, 100, "", &["nowhere.ts"]).unknown_focus, ["nowhere.ts"]);
}

#[test]
fn names_of_other_languages_and_private_ones_do_not_count() {
    let folder = tree(&[
        ("a.py", "class SharedName:\n    pass\n"),
        ("b.ts", "class SharedName {}\nexport const other = 1;\n"),
        ("c.ts", "export class SharedName {}\n"),
        ("d.ts", "import { SharedName } from './c';\nnew SharedName();\n"),
    ]);
    let answer = ask(&CodeMap::new(folder.path().into(), None, LIMITS), 1_000, "", &[]);
    let rank = |path: &str| answer.files.iter().find(|file| file.path == path).map_or(0.0, |file| file.symbols[0].rank);
    assert!(rank("c.ts") > 0.0);
    assert_eq!((rank("a.py"), rank("b.ts")), (0.0, 0.0));
}

#[test]
fn a_change_is_seen_at_once_and_only_that_file_is_read() {
    let folder = sample();
    let map = CodeMap::new(folder.path().into(), None, LIMITS);
    ask(&map, 1_000, "", &[]);
    put(folder.path(), "src/core.ts", "export class OtherEngine {}\n");
    let answer = ask(&map, 1_000, "src/core.ts", &[]);
    assert_eq!(answer.text, "src/core.ts\n  1: export class OtherEngine {}\n");
    if answer.update.by == "watch" {
        assert_eq!(answer.update.read, 1);
    }
    put(folder.path(), "src/new.ts", "export class NewEngine {}\n");
    fs::remove_file(folder.path().join("src/core.ts")).unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    put(folder.path(), "deep/er.ts", "export class DeepEngine {}\n");
    let answer = ask(&map, 1_000, "", &[]);
    let all = paths(&answer);
    assert!(all.contains(&"src/new.ts") && all.contains(&"deep/er.ts") && !all.contains(&"src/core.ts"), "{all:?}");
}

#[test]
fn ignore_rules_and_limits_hold() {
    let folder = sample();
    put(folder.path(), ".gitignore", "user1.ts\n");
    put(folder.path(), "big.ts", &"export const largeValue = 1;\n".repeat(5_000));
    let answer = ask(&CodeMap::new(folder.path().into(), None, LIMITS), 1_000, "", &[]);
    assert!(!paths(&answer).contains(&"src/user1.ts"));
    assert_eq!((answer.totals.files, answer.totals.left_out), (5, 1));
}

#[test]
fn an_index_comes_back_from_the_disk_and_a_damaged_one_is_made_anew() {
    let folder = sample();
    let place = tempfile::tempdir().unwrap();
    let store = place.path().join("maps/index");
    let open = || CodeMap::new(folder.path().into(), Some(store.clone()), Limits { watch: false, ..LIMITS });
    std::thread::sleep(std::time::Duration::from_millis(80));
    let first = open();
    let before = ask(&first, 1_000, "", &[]);
    first.close().unwrap();
    let after = ask(&open(), 1_000, "", &[]);
    assert!(after.update.loaded);
    assert_eq!((after.update.read, after.text), (0, before.text.clone()));
    let mut bytes = fs::read(&store).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&store, &bytes).unwrap();
    let anew = ask(&open(), 1_000, "", &[]);
    assert!(!anew.update.loaded);
    assert_eq!((anew.update.read, anew.text), (6, before.text));
}

#[test]
fn it_stops_when_asked_and_goes_on_later() {
    let folder = sample();
    let map = CodeMap::new(folder.path().into(), None, LIMITS);
    let token = CancelToken::new();
    token.cancel();
    let request = MapRequest { budget: 100, scope: String::new(), focus: Vec::new() };
    assert!(matches!(map.map(&request, &token), Err(MapError::Cancelled(_))));
    assert_eq!(ask(&map, 1_000, "", &[]).totals.files, 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever edits came, a map that followed them shows what a new one shows.
    #[test]
    fn following_edits_gives_what_a_new_map_gives(edits in prop::collection::vec((0_usize..6, 0_usize..5, 0_usize..5), 1..8)) {
        let folder = sample();
        let map = CodeMap::new(folder.path().into(), None, LIMITS);
        ask(&map, 2_000, "", &[]);
        for (file, defines, uses) in edits {
            let path = format!("src/user{file}.ts");
            if defines == 0 {
                let _ = fs::remove_file(folder.path().join(&path));
            } else {
                put(folder.path(), &path, &format!("export function madeName{defines}() {{ madeName{uses}(); new CoreEngine(); }}\n"));
            }
            ask(&map, 2_000, "", &[]);
        }
        let followed = ask(&map, 2_000, "", &[]);
        let anew = ask(&CodeMap::new(folder.path().into(), None, LIMITS), 2_000, "", &[]);
        let weights = |answer: &MapAnswer| {
            let mut list: Vec<(String, i64)> = answer.files.iter().map(|file| (file.path.clone(), (file.rank * 1e3).round() as i64)).collect();
            list.sort();
            list
        };
        for ((path, rank), (other, new)) in weights(&followed).iter().zip(&weights(&anew)) {
            prop_assert_eq!(path, other);
            prop_assert!(rank.abs_diff(*new) <= 1, "{} {} {}", path, rank, new);
        }
        prop_assert_eq!(followed.files.len(), anew.files.len());
    }
}
