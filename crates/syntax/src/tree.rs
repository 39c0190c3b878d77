//! A syntax tree as plain data, for callers that read a text themselves (the shell command reader does).

use serde::Serialize;
use tenon_cancel::CancelToken;
use tree_sitter::TreeCursor;

use crate::document::Document;
use crate::error::SyntaxError;

/// One node: kind, field name in its parent, byte span, and whether it is named, an error or missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeNode {
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    pub start: usize,
    pub end: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeNode>,
}

/// Deeper nodes are left out and their ancestor is marked as an error: the recursion must not outgrow the stack.
const MAX_DEPTH: usize = 400;

/// The whole tree of a document.
pub fn tree(document: &Document, cancel: &CancelToken) -> Result<TreeNode, SyntaxError> {
    let mut cursor = document.root().walk();
    node_at(&mut cursor, 0, cancel)
}

fn node_at(cursor: &mut TreeCursor<'_>, depth: usize, cancel: &CancelToken) -> Result<TreeNode, SyntaxError> {
    cancel.heartbeat()?;
    let node = cursor.node();
    let mut children = Vec::new();
    let too_deep = depth >= MAX_DEPTH && node.child_count() > 0;
    if !too_deep && cursor.goto_first_child() {
        loop {
            children.push(node_at(cursor, depth + 1, cancel)?);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
    Ok(TreeNode {
        kind: node.kind().to_owned(),
        field: cursor.field_name().map(str::to_owned),
        start: node.start_byte(),
        end: node.end_byte(),
        anonymous: !node.is_named(),
        error: node.is_error() || too_deep,
        missing: node.is_missing(),
        children,
    })
}
