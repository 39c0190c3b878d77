//! Bindings of `tenon-text`: the parts that are quicker on this side of the boundary.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_text as text;

use crate::task::guard;

/// Terminal output as plain text; styles (SGR) and safe links (OSC 8) stay on request.
#[napi]
pub fn text_sanitize(bytes: &[u8], keep_style: bool, keep_links: bool) -> Result<String> {
    guard("textSanitize", || Ok(text::sanitize(bytes, text::Keep { style: keep_style, links: keep_links })))
}

/// Text broken into lines of at most `width` columns, joined by newlines: one string crosses quicker than many.
#[napi]
pub fn text_wrap(content: String, width: u32, tab_width: u32) -> Result<String> {
    guard("textWrap", || Ok(text::wrap(&content, width as usize, tab_width as usize).join("\n")))
}

/// An estimate of the tokens that UTF-8 text costs a model.
#[napi]
pub fn text_estimate_tokens(bytes: &[u8]) -> Result<f64> {
    guard("textEstimateTokens", || Ok(text::estimate_tokens(&String::from_utf8_lossy(bytes)) as f64))
}
