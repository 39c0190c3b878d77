//! Patterns: code with metavariables, parsed by the target's own grammar.
//!
//! A pattern is often no complete program, and what a parser makes of it then depends on how it weighs errors,
//! which tree-sitter does by the number of bytes. The WebAssembly twin can only parse UTF-16, so patterns are
//! parsed as UTF-16 here as well: the same pattern gives the same tree in both.

use ast_grep_core::AstGrep;
use ast_grep_core::Language;
use ast_grep_core::matcher::{KindMatcher, Pattern, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use tree_sitter::{Node, Parser};

use crate::error::SyntaxError;
use crate::language::Lang;

/// A pattern and, with a selector, the only kind of node that it fits.
pub struct CompiledPattern {
    pub pattern: Pattern,
    pub root_kind: Option<u16>,
}

const WIDER: &str = "write a whole expression or statement, or a wider pattern with a `selector`";

/// Compiles a pattern; the error says what to change.
pub fn compile_pattern(source: &str, selector: Option<&str>, lang: Lang) -> Result<CompiledPattern, SyntaxError> {
    let source = source.trim();
    if source.is_empty() {
        return Err(SyntaxError::Pattern(
            "the pattern is empty; write code with `$NAME` for the parts that vary".to_owned(),
        ));
    }
    let info = lang.info();
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let code = units(&lang.pre_process_pattern(source));
    let prefix = units(&info.pattern_prefix);
    let whole = [&prefix[..], &code[..], &units(&info.pattern_suffix)[..]].concat();
    let mut parser = Parser::new();
    let tree = parser.set_language(&lang.get_ts_language()).ok().and_then(|()| parser.parse_utf16_le(&whole, None));
    let Some(tree) = tree else {
        return Err(SyntaxError::Pattern(format!("`{source}` cannot be parsed")));
    };
    let root = tree.root_node();
    let node = match selector {
        Some(selector) => {
            compile_kind(selector, lang)?;
            find_kind(root, lang.kind_to_id(selector)).ok_or_else(|| no_selected(source, selector))?
        }
        None if whole.len() == code.len() => innermost(only_child(root), source, lang, only_child)?,
        None => {
            let own = 2 * prefix.len()..2 * (prefix.len() + code.len());
            let step = |node| only_present(children(node).filter(|child| own.contains(&child.start_byte())));
            innermost(step(root), source, lang, step)?
        }
    };
    if has_error(node) {
        return Err(SyntaxError::Pattern(format!("`{source}` is not valid {} on its own; {WIDER}", lang.id())));
    }
    let goal = to_goal(node, &whole, lang);
    if matches!(&goal, PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) }) {
        return Err(match selector {
            Some(selector) => no_selected(source, selector),
            None => SyntaxError::Pattern(format!(
                "`{source}` alone stands for any list of nodes; put it inside a larger pattern"
            )),
        });
    }
    Ok(CompiledPattern { pattern: pattern_of(goal, lang)?, root_kind: selector.map(|_| node.kind_id()) })
}

/// The matcher of a node kind.
pub fn compile_kind(kind: &str, lang: Lang) -> Result<KindMatcher, SyntaxError> {
    KindMatcher::try_new(kind, lang).map_err(|_| {
        SyntaxError::Pattern(format!(
            "`{kind}` is not a node kind of {}; `syntaxTree` shows the kinds of a text",
            lang.id()
        ))
    })
}

/// A pattern can only be made from a parsed node; its goal is then exchanged for the one that was built here.
fn pattern_of(goal: PatternNode, lang: Lang) -> Result<Pattern, SyntaxError> {
    let doc = StrDoc::try_new("x", lang).map_err(SyntaxError::Language)?;
    let mut pattern = Pattern::from(AstGrep::doc(doc).root());
    pattern.node = goal;
    Ok(pattern)
}

fn no_selected(source: &str, selector: &str) -> SyntaxError {
    SyntaxError::Pattern(format!("the pattern `{source}` has no `{selector}` node for the selector"))
}

fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    (0..node.child_count()).filter_map(move |at| node.child(at))
}

fn find_kind<'t>(node: Node<'t>, kind: u16) -> Option<Node<'t>> {
    if node.kind_id() == kind { Some(node) } else { children(node).find_map(|child| find_kind(child, kind)) }
}

fn has_error(node: Node<'_>) -> bool {
    node.is_error() || children(node).any(has_error)
}

/// Goes down as long as a node has nothing beside its one child.
fn innermost<'t>(
    outer: Option<Node<'t>>,
    source: &str,
    lang: Lang,
    step: impl Fn(Node<'t>) -> Option<Node<'t>>,
) -> Result<Node<'t>, SyntaxError> {
    let Some(mut node) = outer else {
        return Err(SyntaxError::Pattern(format!("`{source}` is not one {} node; {WIDER}", lang.id())));
    };
    while let Some(inner) = step(node) {
        node = inner;
    }
    Ok(node)
}

fn made_up(node: Node<'_>) -> bool {
    node.is_missing() || node.kind().is_empty()
}

/// The first child of a node that has no other, or just an empty one that the parser made up.
fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut children = children(node);
    let first = children.next()?;
    let alone = match (children.next(), children.next()) {
        (None, _) => true,
        (Some(second), None) => made_up(second),
        _ => false,
    };
    alone.then_some(first)
}

/// The one node among others that the parser made up.
fn only_present<'t>(nodes: impl Iterator<Item = Node<'t>>) -> Option<Node<'t>> {
    let mut present = nodes.filter(|node| !made_up(*node));
    let first = present.next()?;
    present.next().is_none().then_some(first)
}

fn to_goal(node: Node<'_>, units: &[u16], lang: Lang) -> PatternNode {
    let text = String::from_utf16_lossy(units.get(node.start_byte() / 2..node.end_byte() / 2).unwrap_or_default());
    if let Some(meta_var) = lang.extract_meta_var(&text) {
        return PatternNode::MetaVar { meta_var };
    }
    if node.child_count() == 0 {
        return PatternNode::Terminal { text, is_named: node.is_named(), kind_id: node.kind_id() };
    }
    let present = children(node).filter(|child| !child.is_missing());
    PatternNode::Internal {
        kind_id: node.kind_id(),
        children: present.map(|child| to_goal(child, units, lang)).collect(),
    }
}
