//! Structural rewriting as a preview: what would change, never the change itself.
//!
//! Matches of several rules, or a match inside another, may overlap. Applying both would corrupt the text, so the
//! outermost, earliest match wins and the others are counted; a second run over the result picks them up.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ast_grep_core::replacer::TemplateFix;
use regex::Regex;
use serde::{Deserialize, Serialize};
use tenon_cancel::CancelToken;

use crate::document::{Document, Range};
use crate::error::SyntaxError;
use crate::search::{Query, for_each_match};

/// One replacement in one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The index of the operation that made it.
    pub op: usize,
    pub range: Range,
    pub before: String,
    pub after: String,
}

/// The edits of one text, in source order and free of overlaps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Preview {
    pub edits: Vec<Edit>,
    /// Matches left out because they overlap an edit.
    pub overlapping: usize,
}

/// Says which variable of a template its rule does not bind: it would vanish from the text without a word.
pub fn check_templates(query: &Query, templates: &[String]) -> Result<(), SyntaxError> {
    for (rule, template) in query.rules().iter().zip(templates) {
        let mut bound = BTreeSet::new();
        rule.rule.add_variables(&mut bound);
        if let Some(unbound) = template_variables(template).find(|variable| !bound.contains(variable)) {
            let known: Vec<String> = bound.iter().map(|variable| format!("`{variable}`")).collect();
            let known = if known.is_empty() { "no variable".to_owned() } else { known.join(", ") };
            return Err(SyntaxError::Pattern(format!(
                "the replacement has `{unbound}`, but the pattern binds {known}; use only what the pattern binds"
            )));
        }
    }
    Ok(())
}

/// The variables of a template, `$NAME` or `$$$NAME`.
fn template_variables(template: &str) -> impl Iterator<Item = String> {
    static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(\${1,3})([A-Z_][A-Z0-9_]*)").ok());
    let found = VARIABLE.as_ref().into_iter().flat_map(|regex| regex.captures_iter(template));
    found.map(|captures| {
        let sigil = if &captures[1] == "$$$" { "$$$" } else { "$" };
        format!("{sigil}{}", &captures[2])
    })
}

/// Plans the replacement of every match of rule `n` by template `n`.
pub fn preview(
    document: &Document,
    query: &Query,
    templates: &[String],
    cancel: &CancelToken,
) -> Result<Preview, SyntaxError> {
    let mut planned = Vec::new();
    for (op, (rule, template)) in query.rules().iter().zip(templates).enumerate() {
        let fix = match TemplateFix::try_new(template, &query.lang()) {
            Ok(fix) => fix,
            Err(error) => match error {},
        };
        for_each_match(document, rule, cancel, |found| {
            let edit = found.make_edit(&rule.rule, &fix);
            let after = String::from_utf8_lossy(&edit.inserted_text).into_owned();
            planned.push((edit.position, edit.position + edit.deleted_length, op, after));
            true
        })?;
    }
    planned.sort_by_key(|(start, end, op, _)| (*start, std::cmp::Reverse(*end), *op));

    let mut preview = Preview::default();
    let mut taken: Option<usize> = None;
    for (start, end, op, after) in planned {
        if taken.is_some_and(|last| start < last) {
            preview.overlapping += 1;
            continue;
        }
        let before = document.text(start..end);
        // A replacement by the same text still claims its place, so that inner matches do not slip in.
        taken = Some(end.max(start + usize::from(start == end)));
        if before != after {
            preview.edits.push(Edit { op, range: document.range(start..end), before: before.to_owned(), after });
        }
    }
    Ok(preview)
}

/// An edit as `apply` needs it.
#[derive(Debug, Clone, Deserialize)]
pub struct Replacement {
    pub byte_start: usize,
    pub byte_end: usize,
    pub before: String,
    pub after: String,
}

/// Applies edits to the text they were planned for; refuses when the text has changed since.
pub fn apply(source: &str, edits: &[Replacement]) -> Result<String, SyntaxError> {
    let mut result = String::with_capacity(source.len());
    let mut done = 0;
    for edit in edits {
        let fits = edit.byte_start >= done && source.get(edit.byte_start..edit.byte_end) == Some(&edit.before);
        if !fits {
            return Err(SyntaxError::Request(format!(
                "the text at byte {} is not what the preview saw; preview the rewrite again",
                edit.byte_start
            )));
        }
        result.push_str(&source[done..edit.byte_start]);
        result.push_str(&edit.after);
        done = edit.byte_end;
    }
    result.push_str(&source[done..]);
    Ok(result)
}
