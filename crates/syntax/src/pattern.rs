//! Patterns: code with metavariables, parsed by the target's own grammar.
//!
//! A pattern is often no complete program, and what a parser makes of it then depends on how it weighs errors,
//! which tree-sitter does by the number of bytes. The WebAssembly twin can only parse UTF-16, so patterns are
//! parsed as UTF-16 here as well: the same pattern gives the same tree in both.

use std::ops::Range;

use ast_grep_core::AstGrep;
use ast_grep_core::Language;
use ast_grep_core::matcher::{KindMatcher, Pattern, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use tree_sitter::{Node, Parser};

use crate::error::SyntaxError;
use crate::language::{Lang, Misreading};
use crate::memory::install;
use crate::readings::{Reading, Replaced, is_blank, readings};

/// A pattern and, with a selector, the only kind of node that it fits.
pub struct CompiledPattern {
    pub pattern: Pattern,
    pub root_kind: Option<u16>,
}

const WIDER: &str = "write a whole expression or statement, or a wider pattern with a `selector`";

/// Compiles a pattern; the error says what to change. What is no code of its own may be something else in each context,
/// as `$A => $B` in an array and in a `match`: then there are several, and whatever fits one of them is meant.
pub fn compile_pattern(source: &str, selector: Option<&str>, lang: Lang) -> Result<Vec<CompiledPattern>, SyntaxError> {
    let source = source.trim();
    if source.is_empty() {
        return Err(SyntaxError::Pattern(
            "the pattern is empty; write code with `$NAME` for the parts that vary".to_owned(),
        ));
    }
    if let Some(selector) = selector {
        compile_kind(selector, lang)?;
    }
    let ways = readings(source, lang);
    let mut refusal = None;
    for tolerance in TOLERANCES {
        let mut patterns: Vec<CompiledPattern> = Vec::new();
        let mut first: Option<&Reading> = None;
        for reading in ways.iter().filter(|reading| reading.is_bare || !tolerance.misreadings) {
            if first.is_some_and(|first| first.is_bare || !first.is_similar(reading)) {
                continue;
            }
            match read_pattern(reading, source, selector, tolerance) {
                Ok((goal, kind)) => {
                    first = first.or(Some(reading));
                    if !patterns.iter().any(|known| is_same(&known.pattern.node, &goal)) {
                        let root_kind = selector.map(|_| kind);
                        patterns.push(CompiledPattern { pattern: pattern_of(goal, lang)?, root_kind });
                    }
                }
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        if let Some(first) = first {
            return beside_alone(patterns, first, &ways, source, selector);
        }
    }
    Err(refusal.unwrap_or_else(|| SyntaxError::Pattern(format!("`{source}` cannot be parsed"))))
}

/// Adds what the code means by itself to what it means in contexts; where that is what the first context says, the others do not
/// count. `*$A` of Go is a pointer's content and not a type, but `$A.$B`, a type by itself, may be a field as well.
fn beside_alone(
    mut patterns: Vec<CompiledPattern>,
    first: &Reading,
    ways: &[Reading],
    source: &str,
    selector: Option<&str>,
) -> Result<Vec<CompiledPattern>, SyntaxError> {
    let alone = ways.iter().find(|reading| reading.is_bare && reading.is_similar(first));
    if !first.is_bare
        && let Some(reading) = alone
        && let Ok((goal, kind)) = read_pattern(reading, source, selector, ALONE)
    {
        match patterns.iter().position(|known| is_same(&known.pattern.node, &goal)) {
            Some(0) => patterns.truncate(1),
            Some(_) => {}
            None => {
                let root_kind = selector.map(|_| kind);
                patterns.push(CompiledPattern { pattern: pattern_of(goal, reading.lang)?, root_kind });
            }
        }
    }
    Ok(patterns)
}

fn is_same(left: &PatternNode, right: &PatternNode) -> bool {
    match (left, right) {
        (PatternNode::MetaVar { meta_var: left }, PatternNode::MetaVar { meta_var: right }) => left == right,
        (
            PatternNode::Terminal { text, is_named, kind_id },
            PatternNode::Terminal { text: other, is_named: named, kind_id: kind },
        ) => text == other && is_named == named && kind_id == kind,
        (PatternNode::Internal { kind_id, children }, PatternNode::Internal { kind_id: kind, children: others }) => {
            kind_id == kind
                && children.len() == others.len()
                && children.iter().zip(others).all(|(left, right)| is_same(left, right))
        }
        _ => false,
    }
}

/// What a reading may have besides clean code; the later ones are tried only when no reading passes the earlier.
#[derive(Clone, Copy)]
struct Tolerance {
    /// Errors around the whole code.
    outer_errors: bool,
    /// Errors that are nothing but a variable, which may stand where no name can.
    variable_errors: bool,
    /// Kinds that show that the grammar took the code for something else.
    misreadings: bool,
}

const TOLERANCES: [Tolerance; 3] = [
    Tolerance { outer_errors: false, variable_errors: false, misreadings: false },
    Tolerance { outer_errors: true, variable_errors: true, misreadings: false },
    Tolerance { outer_errors: true, variable_errors: true, misreadings: true },
];
const ALONE: Tolerance = Tolerance { outer_errors: true, variable_errors: false, misreadings: false };

fn read_pattern(
    reading: &Reading,
    source: &str,
    selector: Option<&str>,
    tolerance: Tolerance,
) -> Result<(PatternNode, u16), SyntaxError> {
    let lang = reading.lang;
    install();
    let mut parser = Parser::new();
    let tree =
        parser.set_language(&lang.get_ts_language()).ok().and_then(|()| parser.parse_utf16_le(&reading.units, None));
    let Some(tree) = tree else {
        return Err(SyntaxError::Pattern(format!("`{source}` cannot be parsed")));
    };
    let root = tree.root_node();
    let node = match selector {
        Some(selector) => find_kind(root, lang.kind_to_id(selector)).ok_or_else(|| no_selected(source, selector))?,
        None => sole_node(root, reading)
            .ok_or_else(|| SyntaxError::Pattern(format!("`{source}` is not one {} node; {WIDER}", lang.id())))?,
    };
    let invalid = || SyntaxError::Pattern(format!("`{source}` is not valid {} on its own; {WIDER}", lang.id()));
    let builder = GoalBuilder { reading };
    let is_whole_code = span(node) == reading.own;
    let checked = if selector.is_some() || (tolerance.outer_errors && is_whole_code) { node } else { root };
    if builder.is_broken(checked, tolerance) {
        return Err(invalid());
    }
    let goal = match builder.loose_text(node) {
        LooseText::None | LooseText::Variables => builder.goal(node, &reading.lifted, true),
        // Compared as a whole, since none of its children holds these words.
        LooseText::Words if !source.contains('$') => {
            Some(PatternNode::Terminal { text: builder.text(node), is_named: node.is_named(), kind_id: node.kind_id() })
        }
        LooseText::Words => None,
    };
    let goal = goal.ok_or_else(invalid)?;
    if matches!(&goal, PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) }) {
        return Err(match selector {
            Some(selector) => no_selected(source, selector),
            None => SyntaxError::Pattern(format!(
                "`{source}` alone stands for any list of nodes; put it inside a larger pattern"
            )),
        });
    }
    Ok((goal, node.kind_id()))
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

/// The one node that is the code of a reading: from where it begins, down as long as a node has nothing beside one child.
fn sole_node<'t>(root: Node<'t>, reading: &Reading) -> Option<Node<'t>> {
    let own = 2 * reading.own.start..2 * reading.own.end;
    if reading.is_bare && own.start == 0 {
        return only_child(root).map(|outer| innermost(outer, &reading.units, only_child));
    }
    let step = |node| only_present(children(node).filter(|child| own.contains(&child.start_byte())));
    let mut around = root;
    while let Some(inner) = children(around).find(|child| child.start_byte() < own.start && child.end_byte() >= own.end)
    {
        around = inner;
    }
    // What the context closes too early is not the pattern as it was written.
    let outer = step(around).filter(|outer| outer.start_byte() == own.start && outer.end_byte() >= own.end)?;
    Some(innermost(outer, &reading.units, step))
}

/// Goes down as long as there is a step.
fn innermost<'t>(mut node: Node<'t>, units: &[u16], step: impl Fn(Node<'t>) -> Option<Node<'t>>) -> Node<'t> {
    while !has_loose_text(node, units)
        && let Some(inner) = step(node)
    {
        node = inner;
    }
    node
}

/// The parts of a node's text that are in none of its children, as the number of `10px`: they would not be compared.
fn loose_parts<'u>(node: Node<'_>, units: &'u [u16]) -> Vec<&'u [u16]> {
    if node.child_count() == 0 {
        return Vec::new();
    }
    let Range { start: mut at, end } = span(node);
    let borders = children(node).map(span).chain(std::iter::once(end..end));
    let gaps = borders.map(|next| units.get(std::mem::replace(&mut at, next.end)..next.start).unwrap_or_default());
    gaps.filter(|gap| !is_blank(gap)).collect()
}

fn has_loose_text(node: Node<'_>, units: &[u16]) -> bool {
    !loose_parts(node, units).is_empty()
}

/// What a node has besides its children.
enum LooseText {
    None,
    /// Nothing but variables, as in `<!DOCTYPE $A>`: then any text will do. They bind nothing, for there is no node.
    Variables,
    Words,
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

/// Turns nodes of one reading into goals.
struct GoalBuilder<'r> {
    reading: &'r Reading,
}

impl GoalBuilder<'_> {
    fn text(&self, node: Node<'_>) -> String {
        String::from_utf16_lossy(self.reading.units.get(span(node)).unwrap_or_default())
    }

    fn loose_text(&self, node: Node<'_>) -> LooseText {
        let is_variable = |part: &&[u16]| {
            let text = String::from_utf16_lossy(part);
            self.reading.lang.extract_meta_var(text.trim()).is_some()
        };
        match loose_parts(node, &self.reading.units) {
            parts if parts.is_empty() => LooseText::None,
            parts if parts.iter().all(is_variable) => LooseText::Variables,
            _ => LooseText::Words,
        }
    }

    /// The text of a node without the `;` of a context: a statement of a variable and that `;` is the variable.
    fn written_text(&self, node: Node<'_>) -> String {
        let Range { start, end } = span(node);
        String::from_utf16_lossy(self.reading.units.get(start..end.min(self.reading.own.end)).unwrap_or_default())
    }

    /// How a parser goes on after an error is its own affair; a pattern must not depend on it.
    fn is_broken(&self, node: Node<'_>, tolerance: Tolerance) -> bool {
        if node.is_missing() {
            return !self.reading.is_bare;
        }
        if node.is_error() {
            return !tolerance.variable_errors || self.reading.lang.extract_meta_var(&self.text(node)).is_none();
        }
        if !tolerance.misreadings && self.is_misread(node) {
            return true;
        }
        children(node).any(|child| self.is_broken(child, tolerance))
    }

    fn is_misread(&self, node: Node<'_>) -> bool {
        self.reading.lang.info().misreadings.iter().any(|Misreading { kind, child, text }| {
            kind == node.kind()
                && child.as_ref().is_none_or(|kind| children(node).any(|child| child.kind() == kind))
                && text.as_ref().is_none_or(|text| *text == self.text(node))
        })
    }

    /// The goal of a node with the variables that were replaced in it. An ellipsis goes between the children where it
    /// was, or after all of them at the end of the whole pattern; nothing when there is no such place.
    fn goal(&self, node: Node<'_>, lifted: &[Replaced], is_whole: bool) -> Option<PatternNode> {
        let text = self.text(node);
        let quote = self.reading.quoted.iter().find(|replaced| replaced.span == span(node));
        let variable = quote
            .map(|replaced| replaced.variable.clone())
            .or_else(|| self.reading.lang.extract_meta_var(&self.written_text(node)));
        if let (Some(meta_var), []) = (variable, lifted) {
            return Some(PatternNode::MetaVar { meta_var });
        }
        if node.child_count() == 0 {
            let leaf = PatternNode::Terminal { text, is_named: node.is_named(), kind_id: node.kind_id() };
            return lifted.is_empty().then_some(leaf);
        }
        let mut goals = Vec::new();
        let mut ellipses = 0;
        let mut waiting = lifted;
        for child in children(node) {
            let Range { start, end } = span(child);
            let before = waiting.partition_point(|replaced| replaced.span.start < start);
            if before > 0 && goals.is_empty() {
                return None;
            }
            goals.extend(waiting[..before].iter().map(ellipsis));
            ellipses += before;
            waiting = &waiting[before..];
            let (inside, rest) = waiting.split_at(waiting.partition_point(|replaced| replaced.span.start < end));
            waiting = rest;
            // What the context adds is not in the pattern.
            if child.is_missing() || (start >= self.reading.after && end > start) {
                continue;
            }
            // An empty body that the parser made up where the ellipsis was says nothing about real ones.
            if !lifted.is_empty() && child.is_named() && start == end {
                return None;
            }
            let goal = self.goal(child, inside, false)?;
            // Where more than tokens follows, the ellipsis would end too early: what it stands for is in a node that is
            // not there.
            if ellipses > 0 && !goal.is_trivial() {
                return None;
            }
            goals.push(goal);
        }
        if !waiting.is_empty() && !is_whole {
            return None;
        }
        goals.extend(waiting.iter().map(ellipsis));
        Some(PatternNode::Internal { kind_id: node.kind_id(), children: goals })
    }
}

fn ellipsis(replaced: &Replaced) -> PatternNode {
    PatternNode::MetaVar { meta_var: replaced.variable.clone() }
}

/// Where a node is, in UTF-16 units.
fn span(node: Node<'_>) -> Range<usize> {
    node.start_byte() / 2..node.end_byte() / 2
}
