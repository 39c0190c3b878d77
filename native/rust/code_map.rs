//! Bindings of `tenon-code-map`: questions and answers cross as JSON text.

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_code_map::{CodeMap, Limits, MapError};

use crate::task::{Blocking, CancelHandle, blocking, cancelled, failure};

/// The map of one tree; nothing is read before the first question.
#[napi]
pub struct NativeCodeMap {
    map: Arc<CodeMap>,
}

#[napi]
impl NativeCodeMap {
    /// The index is kept in the file `store`, if any.
    #[napi(constructor)]
    pub fn new(root: String, store: Option<String>, max_file_bytes: u32, max_files: u32, watch: bool) -> Self {
        let limits = Limits { max_file_bytes: u64::from(max_file_bytes), max_files: max_files as usize, watch };
        Self { map: Arc::new(CodeMap::new(root.into(), store.map(PathBuf::from), limits)) }
    }

    /// Brings the index up to date and answers.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn map(&self, request: String, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<String>> {
        let map = Arc::clone(&self.map);
        blocking("codeMap", cancel, move |token| {
            let request = serde_json::from_str(&request).map_err(failure)?;
            let answer = map.map(&request, token).map_err(|error| match error {
                MapError::Cancelled(reason) => cancelled(reason),
                error => failure(error),
            })?;
            serde_json::to_string(&answer).map_err(failure)
        })
    }

    /// Writes what is not on disk yet, and stops watching.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn close(&self) -> AsyncTask<Blocking<bool>> {
        let map = Arc::clone(&self.map);
        blocking("codeMapClose", None, move |_| map.close().map(|()| true).map_err(failure))
    }
}
