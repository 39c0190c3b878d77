//! Binding of `tenon-memory`.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::task::guard;

/// Gives memory that a waiting process does not need back to the system; the bytes of code that are no longer mapped.
#[napi]
pub fn memory_release() -> Result<f64> {
    guard("memoryRelease", || Ok(tenon_memory::release().code_bytes as f64))
}
