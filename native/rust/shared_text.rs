//! Text that JavaScript reads where Rust has put it.
//!
//! A string that crosses is copied, and the results of a search are mostly text: for a moment all of it would be there twice. Node can
//! use ASCII text in place instead. It exports that function since 20.4, but calls it part of its stable interface only since 22, so the
//! function is looked up by its name, and text is copied where it is missing.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use napi::bindgen_prelude::*;
use napi::sys;

/// Shorter texts are copied: the bookkeeping for a shared one costs about as much.
const LEAST_SHARED: usize = 256;

/// A string in JavaScript, without a copy where that is possible.
pub struct SharedText(pub String);

impl TypeName for SharedText {
    fn type_name() -> &'static str {
        "String"
    }

    fn value_type() -> ValueType {
        ValueType::String
    }
}

impl ToNapiValue for SharedText {
    unsafe fn to_napi_value(env: sys::napi_env, Self(text): Self) -> Result<sys::napi_value> {
        match sharing() {
            // SAFETY: the environment is the caller's.
            Some(share_latin1) if text.len() >= LEAST_SHARED && text.is_ascii() => unsafe {
                share(share_latin1, env, text)
            },
            // SAFETY: as above.
            _ => unsafe { String::to_napi_value(env, text) },
        }
    }
}

/// `node_api_create_external_string_latin1`.
type ShareLatin1 = unsafe extern "C" fn(
    env: sys::napi_env,
    text: *mut c_char,
    length: usize,
    finalize: sys::napi_finalize,
    hint: *mut c_void,
    result: *mut sys::napi_value,
    copied: *mut bool,
) -> sys::napi_status;

unsafe fn share(share_latin1: ShareLatin1, env: sys::napi_env, text: String) -> Result<sys::napi_value> {
    let length = text.len();
    let start = Box::into_raw(text.into_boxed_str()).cast::<c_void>();
    let mut result = ptr::null_mut();
    let mut copied = false;
    // SAFETY: the text stays where it is until `release` is called for it, once.
    let status = unsafe {
        share_latin1(env, start.cast(), length, Some(release), length as *mut c_void, &raw mut result, &raw mut copied)
    };
    if status == sys::Status::napi_ok {
        return Ok(result);
    }
    // SAFETY: Node has not taken the text.
    unsafe { release(env, start, length as *mut c_void) };
    Err(Error::new(Status::from(status), "a text could not be handed to JavaScript"))
}

/// Gives a text back; `hint` is its length.
unsafe extern "C" fn release(_env: sys::napi_env, start: *mut c_void, hint: *mut c_void) {
    // SAFETY: `share` made both of a boxed text.
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(start.cast::<u8>(), hint as usize)) });
}

#[cfg(target_os = "linux")]
fn sharing() -> Option<ShareLatin1> {
    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    static FOUND: OnceLock<Option<ShareLatin1>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: a null library stands for all that are loaded; the name ends with a zero.
        let found = unsafe { dlsym(ptr::null_mut(), c"node_api_create_external_string_latin1".as_ptr()) };
        // SAFETY: whoever exports this name means Node's function, whose parameters are those of the type.
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, ShareLatin1>(found) })
    })
}

#[cfg(not(target_os = "linux"))]
fn sharing() -> Option<ShareLatin1> {
    None
}
