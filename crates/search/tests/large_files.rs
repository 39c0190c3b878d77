//! Large files whose matches, line ends, marks and stray bytes lie around the borders of pieces and windows: an index never shows.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use tenon_cancel::CancelToken;
use tenon_scan::{Policy, Scanner};
use tenon_search::{GrepOutcome, GrepRequest, IndexChoice, LINE_WORDS, Mode, build_index, grep};

const POLICY: Policy = Policy { hidden: true, gitignore: false, node_modules: true };
const PIECE: usize = 32 << 10;

/// What is written over the filler of a file, and where: near a border of pieces or windows, or anywhere.
#[derive(Debug, Clone)]
struct Patch {
    at: usize,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
struct Made {
    /// Stands again and again where no patch is.
    filler: &'static str,
    size: usize,
    patches: Vec<Patch>,
    mark: &'static [u8],
    is_wide: bool,
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let mut text: Vec<u8> = self.filler.bytes().cycle().take(self.size).collect();
        for Patch { at, bytes } in &self.patches {
            let at = (*at).min(text.len());
            let end = (at + bytes.len()).min(text.len());
            text.splice(at..end, bytes.iter().copied());
        }
        if self.is_wide {
            let units = String::from_utf8_lossy(&text).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
            return [b"\xff\xfe".as_slice(), &units].concat();
        }
        [self.mark, &text].concat()
    }
}

fn place() -> impl Strategy<Value = usize> {
    let border = select(vec![0, PIECE, 2 * PIECE, 3 * PIECE, 4 * PIECE, 8 * PIECE, PIECE - 4096, PIECE + 4096]);
    prop_oneof![
        6 => (border, -80_isize..80).prop_map(|(border, shift)| border.saturating_add_signed(shift)),
        2 => 0..6 * PIECE,
    ]
}

fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = select(vec![
        b"needle".as_slice(),
        b"Needle_of",
        b"function ",
        b"is",
        b"ArrayBuffer",
        b"(",
        b";",
        b" ",
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b"\xc3\xa9",
        b"\xff",
        b"\xc5\xbf",
        b"\xe2\x84\xaa",
        b"kK",
        b"sS",
        b"\0",
        b"0123456789abcdef",
        b"xyz",
    ]);
    prop_oneof![
        8 => proptest::collection::vec(word, 1..8).prop_map(|words| words.concat()),
        1 => (select(vec![b'x', b'_', b'\n', b' ', b';']), select(vec![4090, 4096, 4100, 9000, PIECE])).prop_map(|(byte, count)| vec![byte; count]),
    ]
}

fn made() -> impl Strategy<Value = Made> {
    let filler = select(vec!["x", "let a=b(c,1);", "some words on a line\n", "word word ", "a;b\r\n", "é ", "k1_"]);
    let size = prop_oneof![
        (select(vec![PIECE, 2 * PIECE, 4 * PIECE, 8 * PIECE]), -2_isize..3)
            .prop_map(|(size, more)| size.saturating_add_signed(more)),
        0..6 * PIECE,
    ];
    let patches = proptest::collection::vec((place(), words()).prop_map(|(at, bytes)| Patch { at, bytes }), 0..8);
    let mark = select(vec![b"".as_slice(), b"", b"\xef\xbb\xbf"]);
    (filler, size, patches, mark, proptest::bool::weighted(0.1))
        .prop_map(|(filler, size, patches, mark, is_wide)| Made { filler, size, patches, mark, is_wide })
}

fn pattern() -> impl Strategy<Value = String> {
    let part = select(vec![
        "needle",
        "Needle",
        "(?i:needle)",
        "function",
        "\\s+",
        "is\\w+",
        "ArrayBuffer",
        "\\(",
        ";",
        "[^;]*",
        "\\w*",
        "\\b",
        "\\B",
        "^",
        "$",
        ".*",
        ".",
        "\\W+",
        "é",
        "[é;]",
        "k",
        "ſ",
        "0123456789",
        "(xyz|needle|\\(is)",
        "x{3}",
        "(abc)?",
        "[a-c]{3}",
        "word\\s?",
        "_of",
    ]);
    proptest::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

fn request(root: &Path, pattern: &str, index: Option<&Path>) -> GrepRequest {
    GrepRequest {
        root: root.to_owned(),
        pattern: pattern.into(),
        literal: false,
        ignore_case: false,
        multiline: None,
        globs: Vec::new(),
        policy: POLICY,
        cache: true,
        mode: Mode::Content,
        before: 0,
        after: 0,
        columns: 80,
        offset: 0,
        limit: 10_000,
        per_file: 1_000,
        bytes: 1 << 24,
        file_bytes: 1 << 24,
        index: index.map(|folder| IndexChoice { folder: folder.to_owned(), fewest_files: 1 }),
    }
}

/// All that a caller gets, lines included; workers may have put them into different chunks.
fn seen(outcome: &GrepOutcome) -> String {
    let paths: Vec<_> = outcome.paths.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let lines: Vec<_> = outcome
        .files
        .as_chunks::<7>()
        .0
        .iter()
        .map(|[matches, count, bytes, more, chunk, first, from]| {
            let own = |start: u32, length: u32, size: usize| start as usize * size..(start + length) as usize * size;
            let held = outcome.chunks.get(*chunk as usize).map(|held| {
                let words = held.lines.get(own(*first, *count, LINE_WORDS)).map(<[u32]>::to_vec);
                let text = held.text.get(own(*from, *bytes, 1)).map(|text| String::from_utf8_lossy(text).into_owned());
                (words, text)
            });
            (*matches, *more, held)
        })
        .collect();
    let counts = (outcome.matches, outcome.searched, outcome.binary, outcome.limited, outcome.problems.count());
    format!("{paths:?} {lines:?} {counts:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn large_files_are_searched_alike_with_and_without_an_index(
        files in proptest::collection::vec(made(), 1..6),
        patterns in proptest::collection::vec((pattern(), any::<bool>(), 0_usize..3), 12),
        most in prop_oneof![4 => Just(1_usize << 24), 1 => 0..5 * PIECE],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir(&root).unwrap();
        for (number, file) in files.iter().enumerate() {
            fs::write(root.join(format!("{number}.txt")), file.bytes()).unwrap();
        }
        // What changed right before an index is built is not trusted.
        std::thread::sleep(std::time::Duration::from_millis(80));
        let root = fs::canonicalize(root).unwrap();
        let (scanner, index, cancel) = (Scanner::new(), folder.path().join("index"), CancelToken::default());
        let scan = scanner.scan(&root, POLICY, false, &cancel).unwrap();
        build_index(&index, &scan.snapshot, POLICY).unwrap();
        for (pattern, ignore_case, context) in patterns {
            for mode in [Mode::Content, Mode::Files, Mode::Count] {
                let ask = |index: Option<&Path>| {
                    let plain = GrepRequest { mode, ignore_case, before: context, after: context, file_bytes: most, ..request(&root, &pattern, index) };
                    grep(&scanner, &plain, &cancel).map(|found| seen(&found)).map_err(|error| error.to_string())
                };
                prop_assert_eq!(ask(Some(&index)), ask(None), "{} {} {:?}", pattern, ignore_case, mode);
            }
        }
    }
}
