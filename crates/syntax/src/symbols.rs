//! The symbols of a text: what it declares, where, and inside what.

use serde::Serialize;
use tenon_cancel::CancelToken;
use tree_sitter::Node;

use crate::document::{Document, Range};
use crate::error::SyntaxError;
use crate::language::Lang;

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    pub name: String,
    pub kind: String,
    pub range: Range,
    /// The index of the enclosing symbol in the same list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// Longer names are cut: a selector list or a heading can run on for a long time.
const MAX_NAME: usize = 200;

/// Symbols inside these make a function a method.
const TYPE_LIKE: &[&str] = &["class", "interface", "struct", "trait", "impl", "enum"];

/// Declarations inside these are local.
const FUNCTION_LIKE: &[&str] = &["function", "method", "constructor"];

/// All symbols in source order.
pub fn symbols(document: &Document, cancel: &CancelToken) -> Result<Vec<Symbol>, SyntaxError> {
    if document.lang().info().symbols.is_empty() {
        return Ok(Vec::new());
    }
    symbols_and_leaves(document, cancel, |_| ())
}

/// All symbols in source order; `leaf` sees every node without children on the way, so that a second walk is not needed.
pub fn symbols_and_leaves<'t>(
    document: &'t Document,
    cancel: &CancelToken,
    mut leaf: impl FnMut(&Node<'t>),
) -> Result<Vec<Symbol>, SyntaxError> {
    let lang = document.lang();
    let mut symbols: Vec<Symbol> = Vec::new();
    // The enclosing symbol of every open ancestor.
    let mut ancestors: Vec<Option<usize>> = Vec::new();
    let mut cursor = document.root().walk();
    let mut visited = 0_usize;
    loop {
        visited += 1;
        if visited.is_multiple_of(1024) {
            cancel.heartbeat()?;
        }
        let node = cursor.node();
        let parent = ancestors.last().copied().flatten();
        let found = if node.is_named() { symbol(document, lang, &node, parent, &symbols) } else { None };
        let inner = match found {
            Some(symbol) => {
                symbols.push(symbol);
                Some(symbols.len() - 1)
            }
            None => parent,
        };
        if cursor.goto_first_child() {
            ancestors.push(inner);
            continue;
        }
        leaf(&node);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(symbols);
            }
            ancestors.pop();
        }
    }
}

fn symbol(
    document: &Document,
    lang: Lang,
    node: &Node<'_>,
    parent: Option<usize>,
    symbols: &[Symbol],
) -> Option<Symbol> {
    let spec = lang.symbol_spec(node.kind_id())?;
    if let Some(field) = &spec.requires {
        node.child_by_field_name(field)?;
    }
    let enclosing = || std::iter::successors(parent, |at| symbols.get(*at).and_then(|symbol| symbol.parent));
    if spec.outer
        && enclosing().filter_map(|at| symbols.get(at)).any(|symbol| FUNCTION_LIKE.contains(&symbol.kind.as_str()))
    {
        return None;
    }
    if spec.max_depth.is_some_and(|limit| enclosing().count() >= limit) {
        return None;
    }
    let name_node = name_node(*node, &spec.name)?;
    if spec.only.as_ref().is_some_and(|kinds| !kinds.iter().any(|kind| kind == name_node.kind())) {
        return None;
    }
    let name = clean_name(document.text(name_node.byte_range()));
    if name.is_empty() {
        return None;
    }
    let refined = spec.refine.as_ref().and_then(|refine| {
        let field = node.child_by_field_name(&refine.field)?;
        refine.kinds.get(field.kind())
    });
    let kind = refined.unwrap_or(&spec.symbol).as_str();
    let in_type = parent.and_then(|at| symbols.get(at)).is_some_and(|symbol| TYPE_LIKE.contains(&symbol.kind.as_str()));
    let kind = if kind == "function" && in_type { "method" } else { kind };
    Some(Symbol { name, kind: kind.to_owned(), range: document.range(node.byte_range()), parent })
}

/// Follows the steps of a name path: `field`, `field*` (as long as there is one), `@kind|kind` (the first named
/// child of such a kind) and `.` (the node itself).
fn name_node<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    let mut current = node;
    for step in path.split('/') {
        if step == "." {
            continue;
        }
        if let Some(kinds) = step.strip_prefix('@') {
            let mut cursor = current.walk();
            let child =
                current.named_children(&mut cursor).find(|child| kinds.split('|').any(|kind| kind == child.kind()));
            current = child?;
        } else if let Some(field) = step.strip_suffix('*') {
            current = current.child_by_field_name(field)?;
            while let Some(inner) = current.child_by_field_name(field) {
                current = inner;
            }
        } else {
            current = current.child_by_field_name(step)?;
        }
    }
    Some(current)
}

/// The first line, without surrounding blanks and quotes.
fn clean_name(text: &str) -> String {
    let line = text.split('\n').next().unwrap_or_default();
    let line = line.trim_matches([' ', '\t', '\r']).trim_matches(['"', '\'', '`']);
    let mut units = 0;
    line.chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= MAX_NAME
        })
        .collect()
}
