//! The closest node around each one that fits a rule, for all nodes of a text at once.
//!
//! What is inside of a node is inside of all that are around it. So a rule that looks up or down as far as the text goes may look at all
//! of it for each of its nodes. One that has looked often looks at every node once instead, and remembers the answers.

use std::borrow::Cow;
use std::collections::HashMap;

use ast_grep_core::meta_var::MetaVarEnv;
use ast_grep_core::{Doc, Node};

use crate::related::{Related, Visit};

/// For each node the one that a rule finds from there; nodes from where it finds none are left out.
pub struct Around<'t, D: Doc> {
    fitting: Vec<Node<'t, D>>,
    places: HashMap<usize, usize>,
}

/// A node whose children are looked at.
struct Open<'t, D: Doc> {
    id: usize,
    /// The last one is the next.
    children: Vec<Node<'t, D>>,
    /// The place of what is found from the node.
    found: Option<usize>,
    /// What is found from here, is it found from the parent?
    counts_above: bool,
}

impl<'t, D: Doc> Around<'t, D> {
    /// The node that the rule finds from this one.
    pub fn of(&self, node: &Node<'t, D>) -> Option<Node<'t, D>> {
        self.fitting.get(*self.places.get(&node.node_id())?).cloned()
    }

    /// The closest node outside of each that fits.
    pub fn outside(rule: &Related, root: Node<'t, D>, visit: &mut Visit<'_, 't, D>) -> Self {
        let mut around = Self { fitting: Vec::new(), places: HashMap::new() };
        let mut waiting = vec![(root, None)];
        while let Some((node, above)) = waiting.pop() {
            if visit.step() {
                break;
            }
            if let Some(place) = above {
                around.places.insert(node.node_id(), place);
            }
            let children = node.children();
            if children.len() == 0 {
                continue;
            }
            let below = match around.judge(rule, &node, visit) {
                Judgement::Fits(place) => Some(place),
                Judgement::Ends => None,
                Judgement::GoesOn => above,
            };
            waiting.extend(node.children().map(|child| (child, below)));
        }
        around
    }

    /// The first node inside of each that fits.
    pub fn inside(rule: &Related, root: Node<'t, D>, visit: &mut Visit<'_, 't, D>) -> Self {
        let mut around = Self { fitting: Vec::new(), places: HashMap::new() };
        let open = |node: &Node<'t, D>, counts_above| {
            let mut children: Vec<_> = node.children().collect();
            children.reverse();
            Open { id: node.node_id(), children, found: None, counts_above }
        };
        let mut path = vec![open(&root, false)];
        while let Some(last) = path.last_mut() {
            if let Some(child) = last.children.pop() {
                if visit.step() {
                    break;
                }
                let judgement = around.judge(rule, &child, visit);
                if let Judgement::Fits(place) = judgement {
                    last.found.get_or_insert(place);
                }
                path.push(open(&child, matches!(judgement, Judgement::GoesOn)));
            } else if let Some(Open { id, found: Some(place), counts_above, .. }) = path.pop() {
                around.places.insert(id, place);
                if let Some(above) = path.last_mut().filter(|_| counts_above) {
                    above.found.get_or_insert(place);
                }
            }
        }
        around
    }

    fn judge(&mut self, rule: &Related, node: &Node<'t, D>, visit: &mut Visit<'_, 't, D>) -> Judgement {
        let unbound = MetaVarEnv::new();
        if rule.inner.fit(node.clone(), &mut Cow::Borrowed(&unbound), visit).is_some() {
            self.fitting.push(node.clone());
            Judgement::Fits(self.fitting.len() - 1)
        } else if rule.stops(node, &unbound, visit) {
            Judgement::Ends
        } else {
            Judgement::GoesOn
        }
    }
}

/// What a node means to a rule that comes across it.
enum Judgement {
    /// It is what the rule looks for: its place among those.
    Fits(usize),
    /// The rule looks no further.
    Ends,
    GoesOn,
}
