//! Every operation with JSON text in and JSON text out, for the boundary to JavaScript.
//!
//! For results of many small objects a string and `JSON.parse` cost a fraction of creating every property through
//! N-API, so the bindings stay free of conversions and the shapes are defined once, by the types here. Results of
//! many sources are encoded by the workers and cross as one text per source: nothing is held twice, and one file
//! with wide characters does not double the size of all others in JavaScript's memory.

use ast_grep_core::tree_sitter::LanguageExt;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_cancel::CancelToken;

use crate::document::Document;
use crate::error::SyntaxError;
use crate::files::{self, Batch, Job};
use crate::language::Lang;
use crate::outline::{self, OutlineOptions};
use crate::pack::{PackedHeader, pack};
use crate::rule::RuleSpec;
use crate::{symbols, tree};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchRequest<'r> {
    #[serde(borrow)]
    job: Job<'r>,
    rules: Vec<RuleSpec>,
    max_text: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RewriteRequest<'r> {
    #[serde(borrow)]
    job: Job<'r>,
    ops: Vec<(RuleSpec, String)>,
    allow_errors: bool,
}

/// The matches of many sources.
#[derive(Debug)]
pub struct SearchAnswer {
    /// The batch; of every file what is needed to read its numbers.
    pub batch: String,
    /// The numbers of all files, one behind the other; see `pack`.
    pub numbers: Vec<u32>,
    /// Of every file the two texts that its matches show.
    pub texts: Vec<String>,
}

/// Structural search over many sources.
pub fn search(request: &str, cancel: &CancelToken) -> Result<SearchAnswer, SyntaxError> {
    let SearchRequest { job, rules, max_text } = parse(request)?;
    let batch = files::search_with(&job, &rules, max_text, cancel, |document, found| pack(document, &found))?;
    let mut numbers = Vec::with_capacity(batch.files.iter().map(|file| file.items.numbers.len()).sum());
    let mut texts = Vec::with_capacity(2 * batch.files.len());
    let batch = batch.map(|items| {
        numbers.extend_from_slice(&items.numbers);
        texts.extend([items.text, items.wide]);
        PackedHeader(items.count, items.words)
    });
    Ok(SearchAnswer { batch: text(&batch)?, numbers, texts })
}

/// Preview of a structural rewrite over many sources: the batch without its files, then every file.
pub fn rewrite(request: &str, cancel: &CancelToken) -> Result<Vec<String>, SyntaxError> {
    let RewriteRequest { job, ops, allow_errors } = parse(request)?;
    texts(files::rewrite(&job, &ops, allow_errors, cancel)?)
}

/// Symbols of many sources, in the form of `rewrite`.
pub fn index_symbols(request: &str, cancel: &CancelToken) -> Result<Vec<String>, SyntaxError> {
    texts(files::index_symbols_with(&parse(request)?, cancel, |symbol| encoded(&symbol))?)
}

fn encoded<T: Serialize>(value: &T) -> Option<Box<RawValue>> {
    // Plain data with text keys always encodes; a null would fail the reader's checks at once.
    serde_json::value::to_raw_value(value).ok()
}

fn texts<T: Serialize>(mut batch: Batch<Vec<T>>) -> Result<Vec<String>, SyntaxError> {
    let files = std::mem::take(&mut batch.files);
    let mut texts = Vec::with_capacity(files.len() + 1);
    texts.push(text(&batch)?);
    for file in files {
        texts.push(text(&file)?);
    }
    Ok(texts)
}

/// The outline of one text.
pub fn outline(content: String, language: &str, options: &str, cancel: &CancelToken) -> Result<String, SyntaxError> {
    let options: OutlineOptions = parse(options)?;
    on_text(content, language, cancel, |document| outline::outline(document, options, cancel))
}

/// The symbols of one text.
pub fn symbols(content: String, language: &str, cancel: &CancelToken) -> Result<String, SyntaxError> {
    on_text(content, language, cancel, |document| symbols::symbols(document, cancel))
}

/// The syntax tree of one text.
pub fn tree(content: String, language: &str, cancel: &CancelToken) -> Result<String, SyntaxError> {
    on_text(content, language, cancel, |document| tree::tree(document, cancel))
}

/// A text that the parser gave up on is an answer, too: `{"gaveUp": reason}`.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum TextAnswer<T> {
    Value(T),
    GaveUp { gave_up: String },
}

fn on_text<T: Serialize>(
    content: String,
    language: &str,
    cancel: &CancelToken,
    work: impl FnOnce(&Document) -> Result<T, SyntaxError>,
) -> Result<String, SyntaxError> {
    match Document::parse(content, Lang::find(language)?, cancel) {
        Ok(document) => text(&TextAnswer::Value(work(&document)?)),
        Err(SyntaxError::GaveUp(gave_up)) => text(&TextAnswer::<T>::GaveUp { gave_up }),
        Err(error) => Err(error),
    }
}

/// What tells one build of a grammar from another: its node kinds and its number of parse states.
pub fn grammar(language: &str) -> Result<String, SyntaxError> {
    let grammar = Lang::find(language)?.get_ts_language();
    let kinds: Vec<_> = (0..grammar.node_kind_count())
        .map(|id| u16::try_from(id).ok().and_then(|id| grammar.node_kind_for_id(id)))
        .collect();
    text(&(kinds, grammar.parse_state_count()))
}

fn parse<'r, T: Deserialize<'r>>(request: &'r str) -> Result<T, SyntaxError> {
    serde_json::from_str(request).map_err(|error| SyntaxError::Request(format!("the request is malformed: {error}")))
}

fn text<T: Serialize>(value: &T) -> Result<String, SyntaxError> {
    serde_json::to_string(value).map_err(|error| SyntaxError::Request(format!("the result cannot be encoded: {error}")))
}
