//! The one cdylib of the project: thin N-API bindings over the pure crates.
//!
//! A binding converts arguments, calls one function of a pure crate inside the task wrapper, and converts the
//! result. Logic belongs in `crates/*`, where it is tested without Node. Nothing runs at module load.

use napi_derive::napi;

mod shared_text;
mod task;

mod code_map;
mod hashline;
mod images;
mod memory;
mod sandbox;
mod scan;
mod search;
mod shell;
mod syntax;
mod text;

/// The content hash of the sources this addon was built from; the loader refuses any other.
#[napi]
pub fn source_hash() -> &'static str {
    env!("TENON_NATIVE_HASH")
}
