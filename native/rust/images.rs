//! Bindings of `tenon-images`.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use tenon_images::{ImageFault, Wanted};

use crate::task::{Blocking, CancelHandle, blocking, cancelled, failure};

/// What the header of a picture says.
#[napi(object)]
pub struct RawImageFacts {
    pub mime_type: String,
    pub width: u32,
    pub height: u32,
    pub is_turned: bool,
    pub has_alpha: bool,
}

/// A picture that fits; `bytes` is absent when it fits as it is.
#[napi(object)]
pub struct RawFittedImage {
    pub bytes: Option<Buffer>,
    pub mime_type: String,
    pub width: u32,
    pub height: u32,
    pub original_width: u32,
    pub original_height: u32,
}

/// Reads the header of a picture.
#[napi(ts_return_type = "Promise<RawImageFacts>")]
pub fn images_facts(bytes: Uint8Array, cancel: Option<&CancelHandle>) -> AsyncTask<Blocking<RawImageFacts>> {
    let bytes = bytes.to_vec();
    blocking("imagesFacts", cancel, move |_| {
        let facts = tenon_images::facts(&bytes).map_err(image_error)?;
        Ok(RawImageFacts {
            mime_type: facts.mime_type.to_owned(),
            width: facts.width,
            height: facts.height,
            is_turned: facts.is_turned,
            has_alpha: facts.has_alpha,
        })
    })
}

/// Makes a picture fit.
#[napi(ts_return_type = "Promise<RawFittedImage>")]
pub fn images_fit(
    bytes: Uint8Array,
    max_side: u32,
    max_bytes: u32,
    max_pixels: u32,
    cancel: Option<&CancelHandle>,
) -> AsyncTask<Blocking<RawFittedImage>> {
    let bytes = bytes.to_vec();
    blocking("imagesFit", cancel, move |token| {
        let wanted = Wanted { max_side, max_bytes: max_bytes as usize, max_pixels: u64::from(max_pixels) };
        let fitted = tenon_images::fit(&bytes, &wanted, token).map_err(image_error)?;
        Ok(RawFittedImage {
            bytes: fitted.bytes.map(Into::into),
            mime_type: fitted.mime_type.to_owned(),
            width: fitted.width,
            height: fitted.height,
            original_width: fitted.original_width,
            original_height: fitted.original_height,
        })
    })
}

fn image_error(fault: ImageFault) -> Error {
    match fault {
        ImageFault::Cancelled(reason) => cancelled(reason),
        other => failure(other),
    }
}
