//! Pictures made fit for a model: looked at without decoding, turned upright, shrunk, and written again.
//!
//! A picture is hostile input. Its size in pixels is read from its header and checked *before* anything is decoded, and the
//! decoders get a limit of memory on top. Pixels are only touched when the picture does not fit as it is: then it is decoded (the
//! first frame of an animation), turned as its EXIF says, shrunk by averaging with Lanczos' kernel, and encoded as PNG or
//! JPEG, whichever suits its content. Whatever else the file carried (places, thumbnails, comments) does not survive that.

mod error;
mod facts;
mod fit;

pub use error::ImageFault;
pub use facts::{Facts, facts};
pub use fit::{Fitted, Wanted, fit};
