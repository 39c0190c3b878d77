//! The outline of a text: which lines to keep and which to leave out, so that its shape shows.
//!
//! Bodies of functions, long literals and long comments go; signatures, types and the lines with the braces stay.
//! The result is a list of line segments, not text: the reader that prints it also prints line anchors.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use tenon_cancel::CancelToken;
use tree_sitter::Node;

use crate::document::Document;
use crate::error::SyntaxError;

/// From how many lines on something is elided.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OutlineOptions {
    pub min_body_lines: usize,
    pub min_literal_lines: usize,
    pub min_comment_lines: usize,
}

impl Default for OutlineOptions {
    fn default() -> Self {
        Self { min_body_lines: 3, min_literal_lines: 6, min_comment_lines: 6 }
    }
}

/// What surrounds an elided region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// The kept lines before and after hold the opening and the closing delimiter.
    Brace,
    /// The region is set off by indentation or keywords only.
    Indent,
    Comment,
}

/// A run of lines, 1-based and inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    pub start_line: usize,
    pub end_line: usize,
    /// Present on elided segments only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elided: Option<Context>,
}

/// The outline of one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    pub language: &'static str,
    pub line_count: usize,
    pub elided_lines: usize,
    pub elided_regions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error_line: Option<usize>,
    pub segments: Vec<Segment>,
}

struct Region {
    start: usize,
    end: usize,
    context: Context,
}

/// Computes the outline.
pub fn outline(document: &Document, options: OutlineOptions, cancel: &CancelToken) -> Result<Outline, SyntaxError> {
    let line_count = document.line_count();
    let mut regions = regions(document, options, cancel)?;
    regions.sort_by_key(|region| region.start);

    let mut segments = Vec::new();
    let mut next = 1;
    let mut elided_lines = 0;
    let mut elided_regions = 0;
    for region in regions {
        if region.start < next || region.end > line_count {
            continue;
        }
        if region.start > next {
            segments.push(Segment { start_line: next, end_line: region.start - 1, elided: None });
        }
        segments.push(Segment { start_line: region.start, end_line: region.end, elided: Some(region.context) });
        elided_lines += region.end - region.start + 1;
        elided_regions += 1;
        next = region.end + 1;
    }
    if next <= line_count {
        segments.push(Segment { start_line: next, end_line: line_count, elided: None });
    }
    Ok(Outline {
        language: document.lang().id(),
        line_count,
        elided_lines,
        elided_regions,
        first_error_line: document.first_error_line(),
        segments,
    })
}

fn regions(document: &Document, options: OutlineOptions, cancel: &CancelToken) -> Result<Vec<Region>, SyntaxError> {
    let spec = &document.lang().info().outline;
    let set = |kinds: &'static [String]| kinds.iter().map(String::as_str).collect::<HashSet<&str>>();
    let (bodies, transparent) = (set(&spec.bodies), set(&spec.transparent));
    let (comments, literals) = (set(&spec.comments), set(&spec.literals));

    let mut regions = Vec::new();
    let mut comment_runs: Vec<(usize, usize)> = Vec::new();
    // Kind and literal depth of every open ancestor; the walk itself keeps no recursion.
    let mut ancestors: Vec<(&str, usize)> = Vec::new();
    let mut cursor = document.root().walk();
    let mut visited = 0_usize;
    'walk: loop {
        visited += 1;
        if visited.is_multiple_of(1024) {
            cancel.heartbeat()?;
        }
        let node = cursor.node();
        let (parent, literal_depth) = ancestors.last().copied().unwrap_or(("", 0));
        let kind = if node.is_named() { node.kind() } else { "" };
        let mut inner_depth = literal_depth;
        let mut enter = true;
        if comments.contains(kind) {
            enter = false;
            add_comment(document, &node, &mut comment_runs);
        } else if bodies.contains(kind) && !transparent.contains(parent) {
            enter = false;
            regions.extend(region(&node, spec.indent, options.min_body_lines));
        } else if literals.contains(kind) {
            enter = literal_depth < spec.literal_depth;
            inner_depth += 1;
            if !enter {
                regions.extend(region(&node, spec.indent, options.min_literal_lines));
            }
        }
        if enter && cursor.goto_first_child() {
            ancestors.push((node.kind(), inner_depth));
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            ancestors.pop();
        }
    }
    for (first, last) in comment_runs {
        // The first and the last line stay: they open and close the comment and often say what it is.
        if last + 1 - first >= options.min_comment_lines && last - first >= 2 {
            regions.push(Region { start: first + 1, end: last - 1, context: Context::Comment });
        }
    }
    Ok(regions)
}

/// The lines of a node that can go: those between its delimiter lines, or all of an indented body.
fn region(node: &Node<'_>, indent: bool, min_lines: usize) -> Option<Region> {
    let first = node.start_position().row + 1;
    let last = last_line(node);
    let own_lines = indent && node.prev_sibling().is_none_or(|before| last_line(&before) < first);
    let (start, end, context) =
        if own_lines { (first, last, Context::Indent) } else { (first + 1, last.saturating_sub(1), Context::Brace) };
    (end + 1 >= start + min_lines.max(1)).then_some(Region { start, end, context })
}

/// The 1-based last line that a node has text on.
fn last_line(node: &Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && node.end_byte() > node.start_byte() { end.row } else { end.row + 1 }
}

/// Joins comments that stand alone on consecutive lines.
fn add_comment(document: &Document, node: &Node<'_>, runs: &mut Vec<(usize, usize)>) {
    let start = node.start_position();
    let line_start = node.start_byte() - start.column;
    if !document.text(line_start..node.start_byte()).bytes().all(|byte| byte == b' ' || byte == b'\t') {
        return;
    }
    let (first, last) = (start.row + 1, last_line(node));
    match runs.last_mut() {
        Some(run) if run.1 + 1 == first => run.1 = last,
        _ => runs.push((first, last)),
    }
}
