//! Bindings of `tenon-syntax`: requests and results cross as JSON text, see `tenon_syntax::json`; matches as numbers and texts.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_syntax::{SyntaxError, json};

use crate::shared_text::SharedText;
use crate::task::{Blocking, CancelHandle, blocking, cancelled, failure, guard};

/// The matches of a structural search; see `tenon_syntax::pack`.
#[napi(object, object_from_js = false)]
pub struct RawSyntaxMatches {
    pub batch: String,
    pub numbers: Uint32Array,
    #[napi(ts_type = "string[]")]
    pub texts: Vec<SharedText>,
}

/// Structural search over many sources.
#[napi]
pub fn syntax_search(request: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<RawSyntaxMatches>> {
    blocking("syntaxSearch", cancel, move |token| {
        let json::SearchAnswer { batch, numbers, texts } = answer(json::search(&request, token))?;
        let texts = texts.into_iter().map(SharedText).collect();
        Ok(RawSyntaxMatches { batch, numbers: Uint32Array::new(numbers), texts })
    })
}

/// Preview of a structural rewrite over many sources.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn syntax_rewrite(request: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<Vec<String>>> {
    blocking("syntaxRewrite", cancel, move |token| answer(json::rewrite(&request, token)))
}

/// Symbols of many sources.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn syntax_index(request: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<Vec<String>>> {
    blocking("syntaxIndex", cancel, move |token| answer(json::index_symbols(&request, token)))
}

/// The outline of one text.
#[napi(ts_return_type = "Promise<string>")]
pub fn syntax_outline(
    content: String,
    language: String,
    options: String,
    cancel: Option<&CancelHandle>,
) -> AsyncTask<Blocking<String>> {
    blocking("syntaxOutline", cancel, move |token| answer(json::outline(content, &language, &options, token)))
}

/// The symbols of one text.
#[napi(ts_return_type = "Promise<string>")]
pub fn syntax_symbols(content: String, language: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<String>> {
    blocking("syntaxSymbols", cancel, move |token| answer(json::symbols(content, &language, token)))
}

/// The syntax tree of one text as plain data.
#[napi(ts_return_type = "Promise<string>")]
pub fn syntax_tree(content: String, language: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<String>> {
    blocking("syntaxTree", cancel, move |token| answer(json::tree(content, &language, token)))
}

/// The node kinds and the number of parse states of a linked-in grammar, to compare it with its WASM build.
#[napi]
pub fn syntax_grammar(language: String) -> Result<String> {
    guard("syntaxGrammar", || answer(json::grammar(&language)))
}

fn answer<T>(result: std::result::Result<T, SyntaxError>) -> Result<T> {
    result.map_err(|error| match error {
        SyntaxError::Cancelled(reason) => cancelled(reason),
        error => failure(error),
    })
}
