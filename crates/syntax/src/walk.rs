//! Finding the nodes of some kinds in a tree; the walk itself is in `walk.c`.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use bit_set::BitSet;
use tenon_cancel::{CancelToken, Cancelled};
use tree_sitter::{Language, Node, ffi};

/// A bit per symbol; symbols are numbers of sixteen bits.
const BYTES: usize = (1 << 16) / 8;
/// Nodes that cross the border to C at once.
const BATCH: usize = 64;
/// After so many children the walk looks whether it should stop.
const STEPS: u32 = 1 << 16;

/// Kinds of nodes of one language, as its trees name them.
pub struct WantedKinds(Box<[u8; BYTES]>);

unsafe extern "C" {
    fn tenon_wanted_symbols(language: *const ffi::TSLanguage, kinds: *const u8, symbols: *mut u8);
    fn tenon_walk_new(tree: *const ffi::TSTree, wanted: *const u8) -> *mut c_void;
    fn tenon_walk_delete(walk: *mut c_void);
    fn tenon_walk_next(walk: *mut c_void, nodes: *mut ffi::TSNode, room: u32, steps: u32, is_done: *mut bool) -> u32;
}

impl WantedKinds {
    /// Prepares kinds for walks.
    pub fn new(kinds: &BitSet, language: &Language) -> Self {
        let mut bits = Box::new([0_u8; BYTES]);
        for kind in kinds.iter().filter(|kind| *kind < BYTES * 8) {
            bits[kind / 8] |= 1 << (kind % 8);
        }
        let mut symbols = Box::new([0_u8; BYTES]);
        let language = language.clone().into_raw();
        // SAFETY: the language is a valid one, and both bitmaps have a bit for every number that a symbol can be.
        unsafe {
            tenon_wanted_symbols(language, bits.as_ptr(), symbols.as_mut_ptr());
            drop(Language::from_raw(language));
        }
        Self(symbols)
    }
}

/// Visits the nodes of a tree that are of a wanted kind, in source order, until `visit` says stop. `root` is the root of the tree.
pub fn walk<'t>(
    root: Node<'t>,
    wanted: &WantedKinds,
    cancel: &CancelToken,
    mut visit: impl FnMut(Node<'t>) -> bool,
) -> Result<(), Cancelled> {
    // SAFETY: the tree lives as long as its node, and the kinds as long as this call.
    let state = Walk(unsafe { tenon_walk_new(root.into_raw().tree, wanted.0.as_ptr()) });
    let mut nodes = [const { MaybeUninit::<ffi::TSNode>::uninit() }; BATCH];
    let mut is_done = false;
    while !is_done {
        cancel.heartbeat()?;
        // SAFETY: there is room for as many nodes as are asked for.
        let count =
            unsafe { tenon_walk_next(state.0, nodes.as_mut_ptr().cast(), BATCH as u32, STEPS, &raw mut is_done) };
        for node in &nodes[..count as usize] {
            // SAFETY: the walk wrote the first `count` nodes; they are nodes of the tree, which lives for 't.
            if !visit(unsafe { Node::from_raw(node.assume_init_read()) }) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The state of a walk.
struct Walk(*mut c_void);

impl Drop for Walk {
    fn drop(&mut self) {
        // SAFETY: it was made by `tenon_walk_new` and is deleted once.
        unsafe { tenon_walk_delete(self.0) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ast_grep_core::tree_sitter::LanguageExt;
    use proptest::prelude::*;

    use super::*;
    use crate::document::Document;
    use crate::language::{Lang, languages};

    type Seen = (usize, std::ops::Range<usize>, (usize, usize), u16, String);

    fn seen(node: &Node<'_>) -> Seen {
        let start = node.start_position();
        (node.id(), node.byte_range(), (start.row, start.column), node.kind_id(), node.kind().to_owned())
    }

    /// The same by tree-sitter's own cursor.
    fn by_cursor(document: &Document, kinds: &BitSet) -> Vec<Seen> {
        let root = document.ast().root();
        root.dfs()
            .map(|node| node.get_inner_node())
            .filter(|node| kinds.contains(node.kind_id().into()))
            .map(|node| seen(&node))
            .collect()
    }

    fn by_walk(document: &Document, kinds: &BitSet) -> Vec<Seen> {
        let wanted = WantedKinds::new(kinds, &document.lang().get_ts_language());
        let mut all = Vec::new();
        walk(document.root(), &wanted, &CancelToken::new(), |node| {
            all.push(seen(&node));
            true
        })
        .unwrap();
        all
    }

    /// Text that every grammar makes something of, errors included.
    const TEXTS: &[&str] = &[
        "",
        "\n\n  ",
        "export interface A { b: C<D>; e?(f: number): void }\nimport g, { type h } from 'i';\n",
        "class K extends L { async *m() { return <N>{o}</N> ? `p${q}` : /r/g; } } // s\n",
        "def f(a, *b):\n    return [x for x in a if x]\n",
        "fn main() { let x: Vec<_> = (0..3).map(|i| i * 2).collect(); println!(\"{x:?}\"); }",
        "<?php function t($u) { return $u->v['w']; } ?> <p class=\"x\">y</p>",
        "key: [1, 'two', {three: 3}]\n- item\n",
        "SELECT a FROM b WHERE ((( ]]] }}} \"",
        "if [ -n \"$A\" ]; then echo $(cat <<E\nb\nE\n); fi",
    ];

    #[test]
    fn the_walk_finds_in_every_grammar_what_the_cursor_finds() {
        for info in languages().iter().filter(|info| info.native) {
            let lang = Lang::find(&info.id).unwrap();
            let count = lang.get_ts_language().node_kind_count();
            for text in TEXTS {
                let document = Document::parse((*text).to_owned(), lang, &CancelToken::new()).unwrap();
                for part in 0..3 {
                    let mut kinds: BitSet = (0..count).filter(|kind| part == 0 || kind % 3 == part).collect();
                    if part != 1 {
                        kinds.insert(usize::from(u16::MAX));
                    }
                    assert_eq!(by_walk(&document, &kinds), by_cursor(&document, &kinds), "{}: {text:?}", info.id);
                }
            }
        }
    }

    #[test]
    fn a_walk_ends_when_it_is_told_to() {
        let lang = Lang::find("typescript").unwrap();
        let document = Document::parse("a(b(c(d())))".to_owned(), lang, &CancelToken::new()).unwrap();
        let kinds = (0..lang.get_ts_language().node_kind_count()).collect();
        let wanted = WantedKinds::new(&kinds, &lang.get_ts_language());
        let mut visited = 0;
        walk(document.root(), &wanted, &CancelToken::new(), |_| {
            visited += 1;
            visited < 3
        })
        .unwrap();
        assert_eq!(visited, 3);
        let stopped = CancelToken::new();
        stopped.cancel();
        assert!(walk(document.root(), &wanted, &stopped, |_| true).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn the_walk_finds_in_damaged_code_what_the_cursor_finds(
            parts in prop::collection::vec(prop::sample::select(vec![
                "import ", "{ a }", " from 'b';\n", "interface ", "C ", "<T>", "(x: y)", " => ", "é", "}", ")", "\n", "`${", "class ", "@d ", "/* e */", "\"",
            ]), 0..30),
        ) {
            let lang = Lang::find("typescript").unwrap();
            let document = Document::parse(parts.concat(), lang, &CancelToken::new()).unwrap();
            let mut kinds: BitSet = (0..lang.get_ts_language().node_kind_count()).collect();
            kinds.insert(usize::from(u16::MAX));
            prop_assert_eq!(by_walk(&document, &kinds), by_cursor(&document, &kinds));
        }
    }
}
