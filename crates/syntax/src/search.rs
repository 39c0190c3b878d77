//! Structural search in one text.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::Arc;

use ast_grep_core::meta_var::{MetaVarEnv, MetaVariable};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_core::{Matcher, Node, NodeMatch};
use tenon_cancel::CancelToken;

use crate::document::{Document, Range};
use crate::error::SyntaxError;
use crate::language::Lang;
use crate::prefilter::{Prefilter, any_admits};
use crate::related::Visit;
use crate::rule::{Rule, RuleSpec};
use crate::walk::{WantedKinds, walk};

/// One place where a rule fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match<'d> {
    /// The index of the rule that fits.
    pub rule: usize,
    pub kind: Cow<'d, str>,
    pub excerpt: Excerpt<'d>,
    pub captures: Vec<Capture<'d>>,
}

/// A piece of the source with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt<'d> {
    pub text: Cow<'d, str>,
    /// True when the text was cut to the caller's limit; the range still covers all of it.
    pub truncated: bool,
    pub range: Range,
}

/// What a metavariable stands for in one match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture<'d> {
    pub name: String,
    /// The node of a `$NAME`.
    pub excerpt: Option<Excerpt<'d>>,
    /// The nodes of a `$$$NAME`, separators included.
    pub nodes: Option<Vec<Excerpt<'d>>>,
}

impl Match<'_> {
    /// The same match, to be kept longer than its document.
    pub fn into_owned(self) -> Match<'static> {
        let captures = self.captures.into_iter().map(|capture| Capture {
            name: capture.name,
            excerpt: capture.excerpt.map(Excerpt::into_owned),
            nodes: capture.nodes.map(|nodes| nodes.into_iter().map(Excerpt::into_owned).collect()),
        });
        let kind = Cow::Owned(self.kind.into_owned());
        Match { rule: self.rule, kind, captures: captures.collect(), excerpt: self.excerpt.into_owned() }
    }
}

impl Excerpt<'_> {
    fn into_owned(self) -> Excerpt<'static> {
        Excerpt { text: Cow::Owned(self.text.into_owned()), truncated: self.truncated, range: self.range }
    }
}

/// Larger files are looked through in pieces of this size before one is read whole.
pub(crate) const WINDOW: usize = 32 * 1024;

/// Rules compiled for one language, ready for many texts.
pub struct Query {
    rules: Vec<QueryRule>,
    lang: Lang,
}

/// A rule with what can be said about its matches without looking at them.
pub(crate) struct QueryRule {
    pub rule: Rule,
    prefilter: Prefilter,
    /// None: a match may be of any kind.
    kinds: Option<WantedKinds>,
    /// A variable stands in several places, so what it stands for is compared.
    compares: bool,
}

/// ast-grep compares what a variable stands for level by level, on the stack of a thread that is not ours. The twin has the same limit.
const MOST_COMPARED_LEVELS: usize = 2_000;

impl QueryRule {
    fn new(rule: Rule, lang: Lang) -> Self {
        let kinds = rule.potential_kinds().map(|kinds| WantedKinds::new(&kinds, &lang.get_ts_language()));
        let mut names = Vec::new();
        rule.for_each_variable(&mut |name| names.push(name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        Self { prefilter: rule.prefilter(), kinds, rule, compares: names.len() < count }
    }
}

impl Query {
    /// Compiles all rules or says which one cannot be used.
    pub fn compile(specs: &[RuleSpec], lang: Lang) -> Result<Arc<Self>, SyntaxError> {
        if specs.is_empty() {
            return Err(SyntaxError::Pattern("give at least one pattern or rule".to_owned()));
        }
        let rules = specs.iter().map(|spec| Ok(QueryRule::new(Rule::compile(spec, lang)?, lang)));
        Ok(Arc::new(Self { rules: rules.collect::<Result<_, SyntaxError>>()?, lang }))
    }

    /// The language of the query.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// False when the text cannot match, so that parsing it would be wasted.
    pub fn admits(&self, text: &str) -> bool {
        self.rules.iter().any(|rule| rule.prefilter.admits(text.as_bytes()))
    }

    /// As `admits`, for a text that is read piece by piece.
    pub fn admits_file(&self, file: &mut File) -> io::Result<bool> {
        let prefilters: Vec<&Prefilter> = self.rules.iter().map(|rule| &rule.prefilter).collect();
        any_admits(&prefilters, file, WINDOW)
    }

    pub(crate) fn rules(&self) -> &[QueryRule] {
        &self.rules
    }

    /// All matches in source order, at most `limit`, each text cut to `max_text` UTF-16 units.
    pub fn matches<'d>(
        &self,
        document: &'d Document,
        limit: usize,
        max_text: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Match<'d>>, SyntaxError> {
        let mut matches = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if !rule.prefilter.admits(document.source().as_bytes()) {
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
    rule: &QueryRule,
    cancel: &CancelToken,
    mut visit: impl FnMut(NodeMatch<'d, StrDoc<Lang>>) -> bool,
) -> Result<(), SyntaxError> {
    if rule.compares && document.is_deeper_than(MOST_COMPARED_LEVELS) {
        return Err(SyntaxError::GaveUp(format!(
            "it has more than {MOST_COMPARED_LEVELS} levels, too many to compare the code that a repeated variable stands for"
        )));
    }
    let mut state = Visit::new(document.source().len(), cancel);
    // Says whether to go on.
    let mut look_at = |node| {
        let mut env = Cow::Owned(MetaVarEnv::new());
        let found = rule.rule.fit(node, &mut env, &mut state);
        !state.is_over() && found.is_none_or(|node| visit(NodeMatch::new(node, env.into_owned())))
    };
    if let Some(kinds) = &rule.kinds {
        walk(document.root(), kinds, cancel, |node| look_at(document.ast().adopt(node)))?;
    } else {
        for (count, node) in document.ast().root().dfs().enumerate() {
            if count % 1024 == 0 {
                cancel.heartbeat()?;
            }
            if !look_at(node) {
                break;
            }
        }
    }
    state.into_end().map_or(Ok(()), Err)
}

fn describe<'d>(document: &'d Document, rule: usize, found: NodeMatch<'d, StrDoc<Lang>>, max_text: usize) -> Match<'d> {
    let env = found.get_env();
    let excerpt = |node: &Node<'_, StrDoc<Lang>>| excerpt_of(document, node.range(), max_text);
    let mut captures: Vec<Capture<'d>> = env
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
    let kind = Cow::Borrowed(found.get_inner_node().kind());
    Match { rule, kind, excerpt: excerpt_of(document, found.range(), max_text), captures }
}

fn excerpt_of(document: &Document, span: std::ops::Range<usize>, max_text: usize) -> Excerpt<'_> {
    let full = document.text(span.clone());
    let text = cut(full, max_text);
    Excerpt { truncated: text.len() < full.len(), text: Cow::Borrowed(text), range: document.range(span) }
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
