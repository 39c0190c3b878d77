//! A search with an index gives the answer of a search without, whatever happened to the files since it was built.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tenon_cancel::CancelToken;
use tenon_scan::{Policy, Scanner};
use tenon_search::{GrepOutcome, GrepRequest, IndexChoice, Mode, build_index, grep};

const POLICY: Policy = Policy { hidden: true, gitignore: false, node_modules: true };

fn request(root: &Path, pattern: &str, ignore_case: bool, index: Option<&Path>) -> GrepRequest {
    GrepRequest {
        root: root.to_owned(),
        pattern: pattern.into(),
        literal: false,
        ignore_case,
        multiline: None,
        globs: Vec::new(),
        policy: POLICY,
        cache: true,
        mode: Mode::Content,
        before: 0,
        after: 0,
        columns: 200,
        offset: 0,
        limit: 10_000,
        per_file: 1_000,
        bytes: 1 << 24,
        file_bytes: 1 << 20,
        index: index.map(|folder| IndexChoice { folder: folder.to_owned(), fewest_files: 1 }),
    }
}

/// Everything that callers see, in one order.
fn seen(outcome: &GrepOutcome) -> (Vec<String>, Vec<u32>, usize, usize, usize) {
    let paths = outcome.paths.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    let counts = outcome.files.chunks(7).flat_map(|words| words[..4].to_vec()).collect();
    (paths, counts, outcome.matches, outcome.searched, outcome.binary)
}

fn build(scanner: &Scanner, root: &Path, index: &Path) -> u64 {
    let scan = scanner.scan(root, POLICY, false, &CancelToken::default()).unwrap();
    build_index(index, &scan.snapshot, POLICY).unwrap()
}

/// Files that changed right before an index is built are not trusted; tests of what it knows need older ones.
fn let_time_pass() {
    std::thread::sleep(std::time::Duration::from_millis(80));
}

#[derive(Debug, Clone)]
enum Change {
    Write(usize, String),
    Remove(usize),
    Move(usize, usize),
    SwapFolders(usize, usize),
    Binary(usize),
    InPlace(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let file = 0_usize..24;
    prop_oneof![
        (file.clone(), text()).prop_map(|(file, text)| Change::Write(file, text)),
        file.clone().prop_map(Change::Remove),
        (file.clone(), file.clone()).prop_map(|(from, to)| Change::Move(from, to)),
        (0_usize..4, 0_usize..4).prop_map(|(a, b)| Change::SwapFolders(a, b)),
        file.clone().prop_map(Change::Binary),
        file.prop_map(Change::InPlace),
    ]
}

fn text() -> impl Strategy<Value = String> {
    "([a-d]{1,6}|K|ſ|task|Foo_Bar|é| |\n){0,20}"
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{3,5}",
        Just("task".into()),
        Just("foo_bar".into()),
        "[a-c]{2}\\.[a-c]{2}",
        "(abc|[a-d]{4})\\w*",
        "a[bc]d?a",
        Just("^$".into()),
        "[a-d]{2}\\n[a-d]{2}",
    ]
}

fn place(root: &Path, file: usize) -> std::path::PathBuf {
    root.join(format!("d{}", file % 4)).join(format!("f{file}.txt"))
}

fn apply(root: &Path, change: &Change) {
    match change {
        Change::Write(file, text) => {
            fs::create_dir_all(place(root, *file).parent().unwrap()).unwrap();
            fs::write(place(root, *file), text).unwrap();
        }
        Change::Remove(file) => drop(fs::remove_file(place(root, *file))),
        Change::Move(from, to) => drop(fs::rename(place(root, *from), place(root, *to))),
        Change::SwapFolders(a, b) => {
            let (a, b) = (root.join(format!("d{a}")), root.join(format!("d{b}")));
            if a != b && a.exists() && b.exists() {
                fs::rename(&a, root.join("between")).unwrap();
                fs::rename(&b, &a).unwrap();
                fs::rename(root.join("between"), &b).unwrap();
            }
        }
        Change::Binary(file) => drop(fs::write(place(root, *file), b"task\0abc")),
        Change::InPlace(file) => {
            // The same size, the same time of modification: only the system's own time tells.
            if let Ok(old) = fs::read(place(root, *file)) {
                let times = fs::metadata(place(root, *file)).unwrap().modified().unwrap();
                let new: Vec<u8> = old.iter().map(|byte| if *byte == b'a' { b'c' } else { *byte }).collect();
                fs::write(place(root, *file), new).unwrap();
                fs::File::open(place(root, *file)).unwrap().set_modified(times).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn answers_are_the_same_with_and_without_an_index(
        texts in proptest::collection::vec(text(), 24),
        rounds in proptest::collection::vec((proptest::collection::vec(change(), 0..4), pattern(), any::<bool>()), 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        let index = folder.path().join("index");
        for (file, text) in texts.iter().enumerate() {
            apply(&root, &Change::Write(file, text.clone()));
        }
        let_time_pass();
        let root = fs::canonicalize(root).unwrap();
        let scanner = Scanner::new();
        build(&scanner, &root, &index);
        for (changes, pattern, ignore_case) in rounds {
            for change in &changes {
                apply(&root, change);
            }
            // The list of files has a cache of its own, with a time limit; this is about contents.
            scanner.invalidate(Some(&root));
            let cancel = CancelToken::default();
            let plain = grep(&scanner, &request(&root, &pattern, ignore_case, None), &cancel).unwrap();
            let quick = grep(&scanner, &request(&root, &pattern, ignore_case, Some(&index)), &cancel).unwrap();
            prop_assert_eq!(seen(&quick), seen(&plain), "{} after {:?}", pattern, changes);
            let part = root.join("d1");
            if part.exists() {
                let plain = grep(&scanner, &request(&part, &pattern, ignore_case, None), &cancel).unwrap();
                let quick = grep(&scanner, &request(&part, &pattern, ignore_case, Some(&index)), &cancel).unwrap();
                prop_assert_eq!(seen(&quick), seen(&plain), "{} in a part after {:?}", pattern, changes);
            }
        }
    }
}

#[test]
fn an_index_spares_reading_what_cannot_match() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    for file in 0..400 {
        fs::write(root.join(format!("{file}.txt")), format!("{}\nneedle{file}x\n", "some words ".repeat(4_000)))
            .unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let scanner = Scanner::new();
    let index = folder.path().join("index");
    build(&scanner, &root, &index);
    let found = grep(&scanner, &request(&root, "needle123x", false, Some(&index)), &CancelToken::default()).unwrap();
    assert_eq!((found.matches, found.searched), (1, 400));
    assert!(found.spared > 390, "{} files were spared", found.spared);
    fs::write(root.join("7.txt"), "needle123x\n").unwrap();
    let found = grep(&scanner, &request(&root, "needle123x", false, Some(&index)), &CancelToken::default()).unwrap();
    assert_eq!(found.matches, 2);
    assert!(found.spared > 390, "{} files were spared", found.spared);
}

/// About the size of the pieces of a large file; they end with a line where there is one.
const PIECE: usize = 32 << 10;

#[test]
fn what_lies_across_the_pieces_of_a_large_file_is_found() {
    for filler in ["x y z\n", "x y z "] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir(&root).unwrap();
        let long = "0123456789abcdefghijklmnopqrstuvwxyz_".repeat(5);
        for shift in (0..300).step_by(7) {
            let mut text = filler.repeat(30_000);
            // Both needles begin somewhere before the border and end somewhere behind it.
            text.insert_str(PIECE - 250 + shift, &format!("|{long}|"));
            text.insert_str(2 * PIECE - 250 + shift, &format!("|short_needle_{shift}_end then much later the rest|"));
            text.push_str("\nlast line\n");
            fs::write(root.join(format!("{shift}.txt")), text).unwrap();
        }
        let_time_pass();
        let root = fs::canonicalize(root).unwrap();
        let (scanner, index) = (Scanner::new(), folder.path().join("index"));
        build(&scanner, &root, &index);
        let ask = |pattern: &str| {
            grep(&scanner, &request(&root, pattern, false, Some(&index)), &CancelToken::default()).unwrap()
        };
        assert_eq!(ask(&long).matches, 43);
        assert_eq!(ask("0123456789.*xyz_").matches, 43);
        assert_eq!(ask("0123456789[^\\n]*xyz_").matches, 43);
        for shift in (0..300).step_by(7) {
            assert_eq!(ask(&format!("short_needle_{shift}_end.*the rest")).matches, 1, "{shift}");
            assert_eq!(ask(&format!("short_needle_{shift}_end[\\s\\S]*\\nlast line")).matches, 1, "{shift}");
        }
        let found = ask("short_needle_7_end");
        assert!(found.spared > 38, "{} files were spared", found.spared);
    }
}

#[test]
fn large_files_whose_lines_never_hold_all_parts_of_a_pattern_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    let filler = "let value = compute(other, 12); // plain words\n".repeat(3 * PIECE / 47);
    for file in 0..40 {
        let text = format!("class Rare\n{filler}TimeoutError\n{filler} extends\n{filler}");
        fs::write(root.join(format!("{file}.ts")), text).unwrap();
    }
    // In one line, however long it is, they count.
    let line = filler.replace('\n', " ");
    fs::write(root.join("long.ts"), format!("class Rare{line}TimeoutError{line} extends")).unwrap();
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let (scanner, index) = (Scanner::new(), folder.path().join("index"));
    build(&scanner, &root, &index);
    let ask =
        |pattern: &str| grep(&scanner, &request(&root, pattern, false, Some(&index)), &CancelToken::default()).unwrap();
    let found = ask("class Rare.*TimeoutError.* extends");
    assert_eq!((found.matches, found.searched, found.spared), (1, 41, 40));
    // Across lines all of a file counts.
    assert_eq!(ask("class Rare[\\s\\S]*?TimeoutError[\\s\\S]*?\\n extends").matches, 40);
}

/// Forty files with a word each: the folder of all of it, the tree, and the file of its index.
fn forty_files() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    for file in 0..40 {
        fs::write(root.join(format!("{file}.txt")), format!("needle{file}x\n")).unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let index = folder.path().join("index");
    build(&Scanner::new(), &root, &index);
    let file = fs::read_dir(&index).unwrap().next().unwrap().unwrap().path();
    (folder, root, file)
}

#[test]
fn damaged_and_foreign_indexes_are_not_used() {
    let (folder, root, file) = forty_files();
    let whole = fs::read(&file).unwrap();
    for (name, bytes) in
        [("empty", Vec::new()), ("cut", whole[..whole.len() / 2].to_vec()), ("text", b"no index".repeat(20))]
    {
        // Each has a folder of its own: one that is in use is not opened again.
        let other = folder.path().join(name);
        fs::create_dir(&other).unwrap();
        fs::write(other.join(file.file_name().unwrap()), bytes).unwrap();
        let found =
            grep(&Scanner::new(), &request(&root, "needle7x", false, Some(&other)), &CancelToken::default()).unwrap();
        assert_eq!((found.matches, found.searched, found.spared), (1, 40, 0), "{name}");
    }
}

#[test]
fn an_index_that_somebody_cuts_or_overwrites_while_it_is_used_does_no_harm() {
    for (name, length, byte) in [("cut", Some(0), None), ("half", Some(30_000), None), ("changed", None, Some(-40_i64))]
    {
        let (_folder, root, file) = forty_files();
        let index = file.parent().unwrap();
        let scanner = Scanner::new();
        let ask = |pattern: &str| {
            let found = grep(&scanner, &request(&root, pattern, false, Some(index)), &CancelToken::default()).unwrap();
            (found.matches, found.searched, found.spared > 0)
        };
        assert_eq!(ask("needle7x"), (1, 40, true), "{name}");
        let mut open = fs::OpenOptions::new().read(true).write(true).open(&file).unwrap();
        if let Some(length) = length {
            open.set_len(length).unwrap();
        }
        if let Some(at) = byte {
            open.seek(SeekFrom::End(at)).unwrap();
            open.write_all(b"?").unwrap();
        }
        assert_eq!(ask("needle8x"), (1, 40, false), "{name}");
        assert_eq!(ask("needle9x"), (1, 40, false), "{name}");
    }
}

#[test]
fn an_index_whose_use_another_process_notes_or_replaces_stays_in_use() {
    let (_folder, root, file) = forty_files();
    let index = file.parent().unwrap();
    let scanner = Scanner::new();
    let spared = || {
        let found = grep(&scanner, &request(&root, "needle7x", false, Some(index)), &CancelToken::default()).unwrap();
        assert_eq!((found.matches, found.searched), (1, 40));
        found.spared > 0
    };
    assert!(spared());
    fs::File::open(&file).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    assert!(spared());
    let other = file.with_extension("part");
    fs::write(&other, "something else").unwrap();
    fs::rename(other, &file).unwrap();
    assert!(spared());
}

#[test]
fn an_index_of_another_process_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    for file in 0..40 {
        fs::write(root.join(format!("{file}.txt")), format!("needle{file}x\n")).unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    for file in 0..40 {
        fs::write(root.join(format!("{file}.txt")), format!("{}needle{file}x\n", "words ".repeat(4_000))).unwrap();
    }
    let_time_pass();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    build(&Scanner::new(), &root, &first);
    // Copied, it is one that this process has not opened.
    fs::create_dir(&second).unwrap();
    let name = fs::read_dir(&first).unwrap().next().unwrap().unwrap().file_name();
    fs::copy(first.join(&name), second.join(&name)).unwrap();
    fs::write(root.join("7.txt"), "changed\n").unwrap();
    let scanner = Scanner::new();
    for (pattern, matches) in [("needle7x", 0), ("needle8x", 1), ("changed", 1)] {
        let found = grep(&scanner, &request(&root, pattern, false, Some(&second)), &CancelToken::default()).unwrap();
        assert_eq!(found.matches, matches, "{pattern}");
        assert!(found.spared > 30, "{pattern}: {} files were spared", found.spared);
    }
}

/// Large files have a block for each piece; only the lines around those that may match are looked at.
#[test]
fn lines_of_large_files_are_found_wherever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    let line = "let value = compute(other, 12); // plain words\n";
    let filler = |bytes: usize| line.repeat(bytes / line.len() + 1)[..bytes].to_owned();
    let needle = |number: usize| format!("\nclass Rare{number}TimeoutError  extends Base {{}}\n");
    let with_needle_at = |at: usize, number: usize| format!("{}{}{}", filler(at), needle(number), filler(5 * PIECE));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (number, at) in
        [0, 1, PIECE - 60, PIECE - 20, PIECE, PIECE + 1, 2 * PIECE - 30, 3 * PIECE + 77].into_iter().enumerate()
    {
        files.push((format!("at-{at}.ts"), with_needle_at(at, number).into_bytes()));
        files.push((format!("marked-{at}.ts"), format!("\u{feff}{}", with_needle_at(at, number)).into_bytes()));
    }
    // At the very end without a line break; in a line that is longer than any margin; in UTF-16; with the parts of it far apart.
    files.push(("end.ts".into(), format!("{}{}", filler(4 * PIECE), needle(20).trim()).into_bytes()));
    let long = filler(2 * PIECE).replace('\n', " ");
    files.push((
        "long.ts".into(),
        format!("{}{long}{}{long}\n{}", filler(PIECE), needle(21).trim(), filler(3 * PIECE)).into_bytes(),
    ));
    let wide = with_needle_at(PIECE / 2, 22);
    files.push((
        "wide.ts".into(),
        [0xff, 0xfe].into_iter().chain(wide.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
    ));
    let apart =
        format!("{}\nclass Rare\n{}\nTimeoutError\n{}\n extends\n", filler(PIECE), filler(PIECE), filler(2 * PIECE));
    files.push(("apart.ts".into(), apart.into_bytes()));
    files.extend((0..60).map(|number| (format!("small-{number}.ts"), filler(3_000).into_bytes())));
    for (name, content) in &files {
        fs::write(root.join(name), content).unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let index = folder.path().join("index");
    let scanner = Scanner::new();
    build(&scanner, &root, &index);
    let patterns = [
        "class\\s+\\w+TimeoutError\\s+extends",
        "Rare2[0-9]Timeout",
        "TimeoutError",
        "^class Rare",
        "Rare\\d+Timeout.*Base|nowhere_at_all",
        "extends Base \\{\\}$",
        "Rare7Timeout[\\s\\S]*?\\n",
    ];
    for pattern in patterns {
        for mode in [Mode::Content, Mode::Files, Mode::Count] {
            let ask = |index: Option<&Path>| {
                let request =
                    GrepRequest { mode, before: 1, file_bytes: 1 << 24, ..request(&root, pattern, false, index) };
                grep(&scanner, &request, &CancelToken::default()).unwrap()
            };
            let (plain, quick) = (ask(None), ask(Some(&index)));
            assert_eq!(seen(&plain), seen(&quick), "{pattern}, {mode:?}");
            assert!(quick.spared >= 60, "{pattern}: {} files were spared", quick.spared);
            assert!(plain.matches > 0, "{pattern}");
        }
    }
}

/// In a line that is longer than any margin, only what lies between bytes that no match holds is looked at.
#[test]
fn matches_in_long_lines_are_found_wherever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    let words = "let value=compute(other,12);";
    let filler = |bytes: usize| words.repeat(bytes / words.len() + 1)[..bytes].to_owned();
    let needle = "function isRareArrayBufferView(a){return needle_of_it}";
    for shift in (0..9_000).step_by(601) {
        let text = format!("{}{needle}{}", filler(PIECE - 4_500 + shift), filler(3 * PIECE));
        fs::write(root.join(format!("inner-{shift}.js")), &text).unwrap();
        fs::write(root.join(format!("marked-{shift}.js")), format!("\u{feff}{text}\n")).unwrap();
    }
    // A word that no margin holds, on either side of what is rare in it, and parts without the rest.
    let word = "x".repeat(PIECE);
    let wide = format!("{}function is{word}ArrayBuffer{word}(){}", filler(PIECE), filler(PIECE));
    fs::write(root.join("wide.js"), wide).unwrap();
    let apart = format!("{}function isRare;{}ArrayBuffer(;é{}", filler(PIECE), filler(9), filler(2 * PIECE));
    fs::write(root.join("apart.js"), apart).unwrap();
    let ends = format!("{needle}{}{needle}", filler(4 * PIECE));
    fs::write(root.join("ends.js"), ends).unwrap();
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let (scanner, index) = (Scanner::new(), folder.path().join("index"));
    build(&scanner, &root, &index);
    let patterns = [
        ("function\\s+is\\w+ArrayBuffer\\w*\\(", false),
        ("function\\s+is\\w+arraybuffer\\w*\\(", true),
        ("\\bis\\w+ArrayBuffer\\w*\\b", false),
        ("\\B\\w+ArrayBufferView\\B", false),
        ("isRare[^;]*ArrayBuffer", false),
        ("isRare.*ArrayBuffer", false),
        ("isRare\\W+ArrayBuffer", false),
        ("^function isRareArrayBuffer", false),
        ("needle_of_it\\}$", false),
        ("(^|;)function isRare|needle_of_it", false),
        ("[é;]ArrayBuffer\\(;é", false),
    ];
    for (pattern, ignore_case) in patterns {
        for mode in [Mode::Content, Mode::Files, Mode::Count] {
            let ask = |index: Option<&Path>| {
                let plain = request(&root, pattern, ignore_case, index);
                grep(&scanner, &GrepRequest { mode, ..plain }, &CancelToken::default()).unwrap()
            };
            assert_eq!(seen(&ask(Some(&index))), seen(&ask(None)), "{pattern}, {mode:?}");
        }
    }
}

/// A limit below the size of an indexed file: the file is reported, as without an index.
#[test]
fn files_above_the_limit_are_reported_with_an_index_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("large.txt"), "needle_of_it\n".repeat(3 * PIECE)).unwrap();
    for file in 0..40 {
        fs::write(root.join(format!("{file}.txt")), "some words\n".repeat(200)).unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let (scanner, index) = (Scanner::new(), folder.path().join("index"));
    build(&scanner, &root, &index);
    for pattern in ["needle_of_it", "nowhere_at_all"] {
        for mode in [Mode::Content, Mode::Files, Mode::Count] {
            let ask = |index: Option<&Path>| {
                let plain = request(&root, pattern, false, index);
                let found =
                    grep(&scanner, &GrepRequest { mode, file_bytes: 2 * PIECE, ..plain }, &CancelToken::default());
                let found = found.unwrap();
                (seen(&found), found.problems.count())
            };
            assert_eq!(ask(Some(&index)), ask(None), "{pattern}, {mode:?}");
        }
    }
}

/// What lies in the place of an index is used only if it is a file of this user.
#[test]
fn what_is_no_file_of_the_user_is_not_taken_for_an_index() {
    use std::os::unix::fs::{MetadataExt, chown, symlink};
    let (folder, root, file) = forty_files();
    let spared = |name: &str, make: &dyn Fn(&Path)| {
        let other = folder.path().join(name);
        fs::create_dir(&other).unwrap();
        make(&other.join(file.file_name().unwrap()));
        let found = grep(&Scanner::new(), &request(&root, "needle7x", false, Some(&other)), &CancelToken::default());
        let found = found.unwrap();
        assert_eq!((found.matches, found.searched), (1, 40), "{name}");
        found.spared
    };
    let copy = |place: &Path| fs::write(place, fs::read(&file).unwrap()).unwrap();
    assert!(spared("copy", &copy) > 0);
    assert_eq!(spared("link", &|place| symlink(&file, place).unwrap()), 0);
    assert_eq!(spared("pipe", &|place| rustix::fs::mkfifoat(rustix::fs::CWD, place, 0o600.into()).unwrap()), 0);
    // Only the system's administrator can give a file away.
    if fs::metadata(&root).unwrap().uid() == 0 {
        let foreign = |place: &Path| {
            copy(place);
            chown(place, Some(12_345), None).unwrap();
        };
        assert_eq!(spared("foreign", &foreign), 0);
    }
}

/// Whatever a byte becomes, an answer is that of a search without: a damaged index is not used.
#[test]
fn an_index_with_a_changed_byte_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    for file in 0..40 {
        let text = format!("{}needle{file}x\n", "some words\n".repeat(500 * (file % 8)));
        fs::write(root.join(format!("{file}.txt")), text).unwrap();
    }
    let_time_pass();
    let root = fs::canonicalize(root).unwrap();
    let index = folder.path().join("index");
    build(&Scanner::new(), &root, &index);
    let file = fs::read_dir(&index).unwrap().next().unwrap().unwrap();
    let whole = fs::read(file.path()).unwrap();
    // All of the header, the trigrams that have no list because most files hold them, and some of the rest.
    let common = (48 + 40 * 40..).take(1 << 15).filter(|at| whole[*at] != 0);
    let some = (48..whole.len()).step_by(whole.len() / 97).chain(whole.len() - 200..whole.len());
    for at in (0..48).chain(common).chain(some) {
        let other = folder.path().join(at.to_string());
        fs::create_dir(&other).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= if bytes[at] == 0 { 0x41 } else { 0xff };
        fs::write(other.join(file.file_name()), bytes).unwrap();
        let found = grep(&Scanner::new(), &request(&root, "needle7x", false, Some(&other)), &CancelToken::default());
        let found = found.unwrap();
        assert_eq!((found.matches, found.searched, found.spared), (1, 40, 0), "byte {at}");
        fs::remove_dir_all(other).unwrap();
    }
}

/// Containers that share a cache have processes of the same number; a link in the place of their file leads anywhere.
#[test]
fn building_an_index_writes_to_no_file_that_is_there_already() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file.txt"), "needle\n").unwrap();
    let root = fs::canonicalize(root).unwrap();
    let index = folder.path().join("index");
    build(&Scanner::new(), &root, &index);
    let file = fs::read_dir(&index).unwrap().next().unwrap().unwrap().path();
    let other = folder.path().join("other.txt");
    fs::write(&other, "somebody's\n").unwrap();
    std::os::unix::fs::symlink(&other, file.with_extension(format!("{}.part", std::process::id()))).unwrap();
    build(&Scanner::new(), &root, &index);
    assert_eq!(fs::read_to_string(&other).unwrap(), "somebody's\n");
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
}
