//! What to look for: a pattern, or a rule that combines patterns, node kinds, text and position in the tree.
//!
//! A rule is a conjunction of whatever parts it has. The relational parts (`inside`, `has`, `follows`,
//! `precedes`) look at neighbours by default and further when `stopBy` says so. Metavariables that any positive
//! part binds are shared by the whole rule: the same name must stand for the same code everywhere.

use std::borrow::Cow;
use std::collections::BTreeSet;

use ast_grep_core::matcher::{KindMatcher, Pattern, PatternNode};
use ast_grep_core::meta_var::{MetaVarEnv, MetaVariable};
use ast_grep_core::{Doc, MatchStrictness, Matcher, Node};
use bit_set::BitSet;
use regex::Regex;
use serde::Deserialize;
use tenon_cancel::CancelToken;

use crate::error::SyntaxError;
use crate::language::Lang;
use crate::pattern::{compile_kind, compile_pattern};
use crate::prefilter::Prefilter;
use crate::related::{Reach, Related, Relation, Visit};

/// A rule as a caller writes it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleSpec {
    pub pattern: Option<String>,
    /// With a pattern: the node kind inside the parsed pattern that is the pattern proper.
    pub selector: Option<String>,
    pub strictness: Option<Strictness>,
    pub kind: Option<String>,
    pub regex: Option<String>,
    pub all: Option<Vec<RuleSpec>>,
    pub any: Option<Vec<RuleSpec>>,
    pub not: Option<Box<RuleSpec>>,
    pub inside: Option<Box<RuleSpec>>,
    pub has: Option<Box<RuleSpec>>,
    pub follows: Option<Box<RuleSpec>>,
    pub precedes: Option<Box<RuleSpec>>,
    /// For a rule under `inside`, `has`, `follows` or `precedes`: how far to look.
    pub stop_by: Option<StopBySpec>,
}

/// How far a relational rule looks.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum StopBySpec {
    Word(StopWord),
    Rule(Box<RuleSpec>),
}

/// The named reaches.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWord {
    Neighbor,
    End,
}

/// How exactly a pattern has to fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// Every token counts.
    Cst,
    /// Tokens of the pattern count, other tokens and comments of the source do not.
    #[default]
    Smart,
    /// Only named nodes count.
    Ast,
    /// As `ast`, and comments do not count.
    Relaxed,
    /// As `relaxed`, and text does not count, only kinds.
    Signature,
}

impl From<Strictness> for MatchStrictness {
    fn from(strictness: Strictness) -> Self {
        match strictness {
            Strictness::Cst => Self::Cst,
            Strictness::Smart => Self::Smart,
            Strictness::Ast => Self::Ast,
            Strictness::Relaxed => Self::Relaxed,
            Strictness::Signature => Self::Signature,
        }
    }
}

/// A rule compiled for one language.
pub enum Rule {
    /// A pattern and, with a selector, the only kind of node that it fits.
    Pattern(Box<Pattern>, Option<u16>),
    Kind(KindMatcher),
    Regex(Regex),
    All(Vec<Rule>),
    Any(Vec<Rule>),
    Not(Box<Rule>),
    #[doc(hidden)]
    Related(Box<Related>),
}

impl Rule {
    /// Compiles a rule; the error says what to change.
    pub fn compile(spec: &RuleSpec, lang: Lang) -> Result<Self, SyntaxError> {
        let mut parts = Vec::new();
        if let Some(pattern) = &spec.pattern {
            let strictness: MatchStrictness = spec.strictness.unwrap_or_default().into();
            let compiled = compile_pattern(pattern, spec.selector.as_deref(), lang)?.into_iter().map(|compiled| {
                Self::Pattern(Box::new(compiled.pattern.with_strictness(strictness.clone())), compiled.root_kind)
            });
            let mut ways: Vec<Self> = compiled.collect();
            parts.extend(if ways.len() == 1 { ways.pop() } else { Some(Self::Any(ways)) });
        } else if spec.selector.is_some() || spec.strictness.is_some() {
            return Err(SyntaxError::Pattern("`selector` and `strictness` need a `pattern` beside them".to_owned()));
        }
        if let Some(kind) = &spec.kind {
            parts.push(Self::Kind(compile_kind(kind, lang)?));
        }
        if let Some(regex) = &spec.regex {
            parts.push(Self::Regex(Regex::new(regex).map_err(|error| {
                SyntaxError::Pattern(format!("the regular expression `{regex}` does not compile: {error}"))
            })?));
        }
        if let Some(all) = &spec.all {
            parts.push(Self::All(compile_list(all, lang)?));
        }
        if let Some(any) = &spec.any {
            parts.push(Self::Any(compile_list(any, lang)?));
        }
        if let Some(not) = &spec.not {
            parts.push(Self::Not(Box::new(Self::compile(not, lang)?)));
        }
        let related = [
            (Relation::Inside, &spec.inside),
            (Relation::Has, &spec.has),
            (Relation::Follows, &spec.follows),
            (Relation::Precedes, &spec.precedes),
        ];
        for (relation, inner) in related {
            if let Some(inner) = inner {
                let reach = match &inner.stop_by {
                    None | Some(StopBySpec::Word(StopWord::Neighbor)) => Reach::Neighbor,
                    Some(StopBySpec::Word(StopWord::End)) => Reach::End,
                    Some(StopBySpec::Rule(stop)) => Reach::Until(Box::new(Self::compile(stop, lang)?)),
                };
                parts.push(Self::Related(Box::new(Related::new(relation, Self::compile(inner, lang)?, reach))));
            }
        }
        match parts.len() {
            0 => Err(SyntaxError::Pattern(
                "the rule is empty; give it a `pattern`, `kind`, `regex`, `all`, `any`, `not` or a relation".to_owned(),
            )),
            1 => parts.pop().ok_or_else(|| SyntaxError::Pattern("the rule is empty".to_owned())),
            _ => Ok(Self::All(parts)),
        }
    }

    /// What a file's text must contain for the rule to match anywhere in it.
    pub(crate) fn prefilter(&self) -> Prefilter {
        match self {
            Self::Pattern(pattern, _) => Prefilter::of_pattern(pattern),
            Self::All(parts) => Prefilter::All(parts.iter().map(Self::prefilter).collect()),
            Self::Any(parts) => Prefilter::Any(parts.iter().map(Self::prefilter).collect()),
            // The related node is in the same file, so its texts are needed as well.
            Self::Related(related) => related.inner.prefilter(),
            Self::Kind(_) | Self::Regex(_) | Self::Not(_) => Prefilter::Open,
        }
    }

    /// Adds the variables that a match of the rule binds, as they are written.
    pub(crate) fn add_variables(&self, names: &mut BTreeSet<String>) {
        match self {
            Self::Pattern(pattern, _) => for_each_pattern_variable(&pattern.node, &mut |name| {
                names.insert(name);
            }),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.add_variables(names)),
            Self::Related(related) => related.inner.add_variables(names),
            Self::Kind(_) | Self::Regex(_) | Self::Not(_) => {}
        }
    }

    /// Visits every place of a variable, as it is written.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(String)) {
        match self {
            Self::Pattern(pattern, _) => for_each_pattern_variable(&pattern.node, visit),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.for_each_variable(visit)),
            Self::Related(related) => related.for_each_variable(visit),
            Self::Not(inner) => inner.for_each_variable(visit),
            Self::Kind(_) | Self::Regex(_) => {}
        }
    }
}

fn for_each_pattern_variable(node: &PatternNode, visit: &mut dyn FnMut(String)) {
    match node {
        PatternNode::MetaVar { meta_var: MetaVariable::Capture(name, _) } => visit(format!("${name}")),
        PatternNode::MetaVar { meta_var: MetaVariable::MultiCapture(name) } => visit(format!("$$${name}")),
        PatternNode::Internal { children, .. } => {
            children.iter().for_each(|child| for_each_pattern_variable(child, visit));
        }
        PatternNode::MetaVar { .. } | PatternNode::Terminal { .. } => {}
    }
}

fn compile_list(specs: &[RuleSpec], lang: Lang) -> Result<Vec<Rule>, SyntaxError> {
    if specs.is_empty() {
        return Err(SyntaxError::Pattern("`all` and `any` need at least one rule".to_owned()));
    }
    specs.iter().map(|spec| Rule::compile(spec, lang)).collect()
}

impl Rule {
    /// The node when the rule fits it; binds the variables only then.
    pub(crate) fn fit<'t, D: Doc>(
        &self,
        node: Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> Option<Node<'t, D>> {
        match self {
            Self::Pattern(_, Some(kind)) if node.kind_id() != *kind => None,
            Self::Pattern(pattern, _) => pattern.match_node_with_env(node, env),
            Self::Kind(kind) => kind.match_node_with_env(node, env),
            Self::Regex(regex) => regex.is_match(&node.text()).then_some(node),
            Self::All(parts) => {
                // Bindings of a rule that fails half-way must not reach the alternatives of an enclosing `any`.
                let mut trial = env.clone();
                for part in parts {
                    part.fit(node.clone(), &mut trial, visit)?;
                }
                *env = Cow::Owned(trial.into_owned());
                Some(node)
            }
            Self::Any(parts) => parts.iter().find_map(|part| part.fit(node.clone(), env, visit)),
            Self::Not(inner) => {
                let mut unseen = env.clone();
                inner.fit(node.clone(), &mut unseen, visit).is_none().then_some(node)
            }
            Self::Related(related) => related.fits(&node, env, visit).then_some(node),
        }
    }
}

impl Matcher for Rule {
    fn match_node_with_env<'t, D: Doc>(
        &self,
        node: Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
    ) -> Option<Node<'t, D>> {
        self.fit(node, env, &mut Visit::new(usize::MAX, &CancelToken::new()))
    }

    fn potential_kinds(&self) -> Option<BitSet> {
        match self {
            Self::Pattern(_, Some(kind)) => Some(BitSet::from_iter([usize::from(*kind)])),
            Self::Pattern(pattern, None) => pattern.potential_kinds(),
            Self::Kind(kind) => kind.potential_kinds(),
            Self::All(parts) => parts.iter().filter_map(Matcher::potential_kinds).reduce(|mut left, right| {
                left.intersect_with(&right);
                left
            }),
            Self::Any(parts) => {
                let mut union = BitSet::new();
                for part in parts {
                    union.union_with(&part.potential_kinds()?);
                }
                Some(union)
            }
            Self::Regex(_) | Self::Not(_) | Self::Related(_) => None,
        }
    }

    /// The matched length leaves out trailing punctuation, as the pattern alone would.
    fn get_match_len<D: Doc>(&self, node: Node<'_, D>) -> Option<usize> {
        match self {
            Self::Pattern(pattern, _) => pattern.get_match_len(node),
            _ => None,
        }
    }
}
