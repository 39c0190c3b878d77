//! Rules about the nodes around one: how they look, and how far.
//!
//! The nodes before and after one are the same for all of its siblings but for where one stands. So a rule looks at each child of a
//! node once, and remembers for all of them which is the closest that fits ([`Row`]). As for the nodes around one, see [`Around`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::ptr;

use ast_grep_core::meta_var::MetaVarEnv;
use ast_grep_core::{Doc, Node};
use tenon_cancel::CancelToken;

use crate::around::Around;
use crate::error::SyntaxError;
use crate::rule::Rule;

/// How far a relational rule looks.
pub enum Reach {
    Neighbor,
    End,
    Until(Box<Rule>),
}

/// Where a relational rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Inside,
    Has,
    Follows,
    Precedes,
}

/// A rule about nodes around the one that it is asked about.
pub struct Related {
    relation: Relation,
    pub inner: Rule,
    reach: Reach,
    /// The variables of its rules, without their `$`. While none of them is bound, whether a node fits depends on nothing but the node.
    variables: Vec<String>,
}

impl Related {
    pub fn new(relation: Relation, inner: Rule, reach: Reach) -> Self {
        let mut related = Self { relation, inner, reach, variables: Vec::new() };
        let mut variables = Vec::new();
        related.for_each_variable(&mut |name| variables.push(name.trim_start_matches('$').to_owned()));
        related.variables = variables;
        related
    }

    /// Visits every place of a variable, as it is written.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(String)) {
        self.inner.for_each_variable(visit);
        if let Reach::Until(stop) = &self.reach {
            stop.for_each_variable(visit);
        }
    }

    pub fn fits<'t, D: Doc>(
        &self,
        node: &Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        match (self.relation, &self.reach) {
            (Relation::Has, Reach::Neighbor) => self.has(node, env, visit),
            // One after the other, `parent` would begin at the root each time.
            (Relation::Inside, Reach::Neighbor) => self.looks(node.parent(), env, visit),
            (Relation::Has | Relation::Inside, _) => self.has_around(node, env, visit),
            (Relation::Follows, Reach::Neighbor) => self.looks(node.prev(), env, visit),
            (Relation::Precedes, Reach::Neighbor) => self.looks(node.next(), env, visit),
            (Relation::Follows | Relation::Precedes, _) => {
                node.parent().is_some_and(|parent| self.has_neighbour(node, &parent, env, visit))
            }
        }
    }

    /// Is none of the variables bound? Whether a node fits depends on nothing but the node then.
    fn is_unbound<D: Doc>(&self, env: &MetaVarEnv<'_, D>) -> bool {
        !self.variables.iter().any(|name| env.get_match(name).is_some() || env.get_labels(name).is_some())
    }

    /// Looks up or down, however far.
    fn has_around<'t, D: Doc>(
        &self,
        node: &Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        let is_unbound = self.is_unbound(env);
        if is_unbound && visit.looks_often(self) {
            let key = ptr::from_ref(self);
            if !visit.around.contains_key(&key) {
                let root = node.ancestors().last().unwrap_or_else(|| node.clone());
                let around = match self.relation {
                    Relation::Has => Around::inside(self, root, visit),
                    _ => Around::outside(self, root, visit),
                };
                visit.around.insert(key, around);
            }
            let closest = visit.around.get(&key).and_then(|around| around.of(node));
            return closest.is_some_and(|found| self.inner.fit(found, env, visit).is_some());
        }
        let before = visit.steps;
        let (has, above) = if self.relation == Relation::Has {
            (self.has(node, env, visit), 0)
        } else {
            // All of them are worked out, also when the first one fits.
            let ancestors: Vec<_> = node.ancestors().collect();
            let count = ancestors.len();
            (self.looks(ancestors, env, visit), count)
        };
        if is_unbound {
            *visit.looks.entry(ptr::from_ref(self)).or_default() += visit.steps - before + above;
        }
        has
    }

    /// Looks at the siblings on one side, the closest first.
    fn has_neighbour<'t, D: Doc>(
        &self,
        node: &Node<'t, D>,
        parent: &Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        if parent.children().len() >= LONG_ROW && self.is_unbound(env) {
            let key = (ptr::from_ref(self), parent.node_id());
            if !visit.rows.contains_key(&key) {
                let row = self.row(parent, visit);
                visit.rows.insert(key, row);
            }
            let closest = visit.rows.get(&key).and_then(|row| row.closest(node));
            return closest.is_some_and(|neighbour| self.inner.fit(neighbour, env, visit).is_some());
        }
        let is_other = |sibling: &Node<'t, D>| sibling.node_id() != node.node_id();
        if self.relation == Relation::Follows {
            let before: Vec<_> = parent.children().take_while(is_other).collect();
            self.looks(before.into_iter().rev(), env, visit)
        } else {
            self.looks(parent.children().skip_while(is_other).skip(1), env, visit)
        }
    }

    /// Looks at every child of a node once, so that none has to be looked at again for each of the others.
    fn row<'t, D: Doc>(&self, parent: &Node<'t, D>, visit: &mut Visit<'_, 't, D>) -> Row<'t, D> {
        let children: Vec<_> = parent.children().collect();
        let places = children.iter().enumerate().map(|(at, child)| (child.node_id(), at)).collect();
        let mut closest = vec![None; children.len()];
        let mut known = None;
        let mut add = |at: usize, child: &Node<'t, D>| {
            closest[at] = known;
            let unbound = MetaVarEnv::new();
            if self.inner.fit(child.clone(), &mut Cow::Borrowed(&unbound), visit).is_some() {
                known = Some(at);
            } else if self.stops(child, &unbound, visit) {
                known = None;
            }
        };
        if self.relation == Relation::Follows {
            children.iter().enumerate().for_each(|(at, child)| add(at, child));
        } else {
            children.iter().enumerate().rev().for_each(|(at, child)| add(at, child));
        }
        Row { children, places, closest }
    }

    /// Looks at one node after the other until one fits or the reach ends.
    fn looks<'t, D: Doc>(
        &self,
        candidates: impl IntoIterator<Item = Node<'t, D>>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        for candidate in candidates {
            if self.inner.fit(candidate.clone(), env, visit).is_some() {
                return true;
            }
            if self.stops(&candidate, env, visit) {
                return false;
            }
        }
        false
    }

    /// Looks through the children, and through theirs when the reach allows it. Sources may be deeper than a stack.
    fn has<'t, D: Doc>(
        &self,
        node: &Node<'t, D>,
        env: &mut Cow<MetaVarEnv<'t, D>>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        let mut waiting: Vec<Node<'t, D>> = node.children().collect();
        waiting.reverse();
        while let Some(child) = waiting.pop() {
            if self.inner.fit(child.clone(), env, visit).is_some() {
                return true;
            }
            if !self.stops(&child, env, visit) {
                let known = waiting.len();
                waiting.extend(child.children());
                waiting[known..].reverse();
            }
        }
        false
    }

    /// Does the reach end at this node, or the whole search?
    pub(crate) fn stops<'t, D: Doc>(
        &self,
        node: &Node<'t, D>,
        env: &MetaVarEnv<'t, D>,
        visit: &mut Visit<'_, 't, D>,
    ) -> bool {
        if visit.step() {
            return true;
        }
        match &self.reach {
            Reach::Neighbor => true,
            Reach::End => false,
            Reach::Until(rule) => rule.fit(node.clone(), &mut Cow::Borrowed(env), visit).is_some(),
        }
    }
}

/// Nodes with fewer children are looked through each time.
const LONG_ROW: usize = 32;

/// The token is shared by all threads.
const STEPS_PER_BEAT: usize = 32;

/// What a rule knows about the children of one node.
struct Row<'t, D: Doc> {
    children: Vec<Node<'t, D>>,
    /// Where each of them is, by its id.
    places: HashMap<usize, usize>,
    /// For each of them the closest one on the rule's side that fits.
    closest: Vec<Option<usize>>,
}

impl<'t, D: Doc> Row<'t, D> {
    fn closest(&self, child: &Node<'t, D>) -> Option<Node<'t, D>> {
        let at = (*self.closest.get(*self.places.get(&child.node_id())?)?)?;
        self.children.get(at).cloned()
    }
}

/// How much one rule may look around in one text, by its length: relations inside of relations may look at all of it for each of its nodes.
/// Ordinary rules need a tenth of it at most. The twin has the same limit.
const STEPS_PER_BYTE: usize = 1_000;
/// So that short texts have room.
const FREE_BYTES: usize = 5_000;

/// A search of one rule in one document: what was found out on the way, and whether to go on.
pub struct Visit<'c, 't, D: Doc> {
    rows: HashMap<(*const Related, usize), Row<'t, D>>,
    around: HashMap<*const Related, Around<'t, D>>,
    /// How often each rule has looked at a node.
    looks: HashMap<*const Related, usize>,
    cancel: &'c CancelToken,
    steps: usize,
    /// The length of the text, with something for short ones.
    length: usize,
    end: Option<SyntaxError>,
}

impl<'c, D: Doc> Visit<'c, '_, D> {
    /// `bytes` is the length of the text.
    pub fn new(bytes: usize, cancel: &'c CancelToken) -> Self {
        let length = bytes.saturating_add(FREE_BYTES);
        let (rows, around, looks) = Default::default();
        Self { rows, around, looks, cancel, steps: 0, length, end: None }
    }

    /// Has a rule looked at more nodes than the text can have? To look at each of them once is less work than to go on.
    fn looks_often(&self, rule: &Related) -> bool {
        self.looks.get(&ptr::from_ref(rule)).is_some_and(|count| *count > self.length)
    }

    /// Counts one node that a relation has looked at; says whether it should look no further.
    pub(crate) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps > self.length.saturating_mul(STEPS_PER_BYTE) {
            self.end.get_or_insert_with(|| SyntaxError::GaveUp(LOOKS_TOO_FAR.to_owned()));
        } else if self.steps.is_multiple_of(STEPS_PER_BEAT) && self.end.is_none() {
            self.end = self.cancel.heartbeat().err().map(SyntaxError::from);
        }
        self.is_over()
    }

    /// Must the search end? What it found last may be wrong then.
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Why the search had to end, if it had to.
    pub fn into_end(self) -> Option<SyntaxError> {
        self.end
    }
}

const LOOKS_TOO_FAR: &str = "the rule looks around in it far more than its length allows; \
    give `inside`, `has`, `follows` or `precedes` a nearer `stopBy`, or nest fewer of them";
