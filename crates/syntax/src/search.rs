//! Structural search in one text.

use std::sync::Arc;

use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Matcher, Node, NodeMatch};
use serde::Serialize;
use tenon_cancel::CancelToken;

use crate::document::{Document, Range};
use crate::error::SyntaxError;
use crate::language::Lang;
use crate::prefilter::Prefilter;
use crate::rule::{Rule, RuleSpec};

/// One place where a rule fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The index of the rule that fits.
    pub rule: usize,
    pub kind: String,
    #[serde(flatten)]
    pub excerpt: Excerpt,
    pub captures: Vec<Capture>,
}

/// A piece of the source with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    pub text: String,
    /// True when the text was cut to the caller's limit; the range still covers all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    pub range: Range,
}

/// What a metavariable stands for in one match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capture {
    pub name: String,
    /// The node of a `$NAME`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// The nodes of a `$$$NAME`, separators included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<Excerpt>>,
}

/// Rules compiled for one language, ready for many texts.
pub struct Query {
    rules: Vec<Rule>,
    prefilters: Vec<Prefilter>,
    lang: Lang,
}

impl Query {
    /// Compiles all rules or says which one cannot be used.
    pub fn compile(specs: &[RuleSpec], lang: Lang) -> Result<Arc<Self>, SyntaxError> {
        if specs.is_empty() {
            return Err(SyntaxError::Pattern("give at least one pattern or rule".to_owned()));
        }
        let rules = specs.iter().map(|spec| Rule::compile(spec, lang)).collect::<Result<Vec<_>, _>>()?;
        let prefilters = rules.iter().map(Rule::prefilter).collect();
        Ok(Arc::new(Self { rules, prefilters, lang }))
    }

    /// The language of the query.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// False when the text cannot match, so that parsing it would be wasted.
    pub fn admits(&self, text: &str) -> bool {
        self.prefilters.iter().any(|prefilter| prefilter.admits(text.as_bytes()))
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// All matches in source order, at most `limit`, each text cut to `max_text` UTF-16 units.
    pub fn find(
        &self,
        document: &Document,
        limit: usize,
        max_text: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Match>, SyntaxError> {
        let mut matches = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if !self.prefilters.get(index).is_none_or(|prefilter| prefilter.admits(document.source().as_bytes())) {
                continue;
            }
            let mut found = 0;
            for_each_match(document, rule, cancel, |node| {
                matches.push(describe(document, index, node, max_text));
                found += 1;
                found < limit
            })?;
        }
        matches.sort_by_key(|found| {
            let range = &found.excerpt.range;
            (range.byte_start, std::cmp::Reverse(range.byte_end), found.rule)
        });
        matches.truncate(limit);
        Ok(matches)
    }
}

/// Visits the matches of one rule in source order until `visit` says stop.
pub(crate) fn for_each_match<'d>(
    document: &'d Document,
    rule: &Rule,
    cancel: &CancelToken,
    mut visit: impl FnMut(NodeMatch<'d, StrDoc<Lang>>) -> bool,
) -> Result<(), SyntaxError> {
    let kinds = rule.potential_kinds();
    let root = document.ast().root();
    for (count, node) in root.dfs().enumerate() {
        if count % 1024 == 0 {
            cancel.heartbeat()?;
        }
        if kinds.as_ref().is_some_and(|kinds| !kinds.contains(node.kind_id().into())) {
            continue;
        }
        let mut env = std::borrow::Cow::Owned(ast_grep_core::meta_var::MetaVarEnv::new());
        if let Some(node) = rule.match_node_with_env(node, &mut env)
            && !visit(NodeMatch::new(node, env.into_owned()))
        {
            break;
        }
    }
    Ok(())
}

fn describe(document: &Document, rule: usize, found: NodeMatch<'_, StrDoc<Lang>>, max_text: usize) -> Match {
    let env = found.get_env();
    let excerpt = |node: &Node<'_, StrDoc<Lang>>| excerpt_of(document, node.range(), max_text);
    let mut captures: Vec<Capture> = env
        .get_matched_variables()
        .filter_map(|variable| match variable {
            MetaVariable::Capture(name, _) => {
                let excerpt = env.get_match(&name).map(&excerpt);
                Some(Capture { name, excerpt, nodes: None })
            }
            MetaVariable::MultiCapture(name) => {
                let nodes = env.get_multiple_matches(&name).iter().map(&excerpt).collect();
                Some(Capture { name, excerpt: None, nodes: Some(nodes) })
            }
            _ => None,
        })
        .collect();
    captures.sort_by(|left, right| (&left.name, left.nodes.is_some()).cmp(&(&right.name, right.nodes.is_some())));
    Match { rule, kind: found.kind().into_owned(), excerpt: excerpt_of(document, found.range(), max_text), captures }
}

fn excerpt_of(document: &Document, span: std::ops::Range<usize>, max_text: usize) -> Excerpt {
    let full = document.text(span.clone());
    let text = cut(full, max_text);
    Excerpt { truncated: text.len() < full.len(), text: text.to_owned(), range: document.range(span) }
}

/// The longest start of `text` with at most `limit` UTF-16 units.
fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > limit {
            return &text[..at];
        }
    }
    text
}
