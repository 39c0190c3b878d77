//! What the header of a picture says.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::error::ImageFault;

/// What is known of a picture without decoding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub mime_type: &'static str,
    /// As it is shown: after turning it as its EXIF says.
    pub width: u32,
    pub height: u32,
    /// Its pixels must be turned or mirrored to be upright.
    pub is_turned: bool,
    /// The file can say how transparent a pixel is.
    pub has_alpha: bool,
}

/// Memory that a decoder may take beside the pixels.
const DECODER_MEMORY: u64 = 64 << 20;

/// The formats that are read, by their first bytes; a file's name says nothing.
pub(crate) fn format_of(bytes: &[u8]) -> Result<(ImageFormat, &'static str), ImageFault> {
    let format = image::guess_format(bytes).map_err(|_| ImageFault::Unknown)?;
    let mime_type = match format {
        ImageFormat::Png => "image/png",
        ImageFormat::Jpeg => "image/jpeg",
        ImageFormat::Gif => "image/gif",
        ImageFormat::WebP => "image/webp",
        ImageFormat::Bmp => "image/bmp",
        ImageFormat::Tiff => "image/tiff",
        _ => return Err(ImageFault::Unknown),
    };
    Ok((format, mime_type))
}

pub(crate) fn damaged(error: image::ImageError) -> ImageFault {
    // One line, and no more of it than a reader needs: the text may quote the file.
    let text: String = error.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect();
    ImageFault::Damaged(text)
}

/// A decoder that has read the header, within limits.
pub(crate) fn decoder(
    bytes: &[u8],
    format: ImageFormat,
    most_pixels: u64,
) -> Result<impl ImageDecoder + '_, ImageFault> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(most_pixels.saturating_mul(16).saturating_add(DECODER_MEMORY));
    reader.limits(limits);
    reader.into_decoder().map_err(damaged)
}

/// Reads the header.
pub fn facts(bytes: &[u8]) -> Result<Facts, ImageFault> {
    let (format, mime_type) = format_of(bytes)?;
    let mut decoder = decoder(bytes, format, u64::from(u32::MAX))?;
    let (width, height) = decoder.dimensions();
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let (width, height) = upright(width, height, orientation);
    let is_turned = orientation != Orientation::NoTransforms;
    Ok(Facts { mime_type, width, height, is_turned, has_alpha: decoder.color_type().has_alpha() })
}

fn upright(width: u32, height: u32, orientation: Orientation) -> (u32, u32) {
    use Orientation as O;
    match orientation {
        O::Rotate90 | O::Rotate270 | O::Rotate90FlipH | O::Rotate270FlipH => (height, width),
        _ => (width, height),
    }
}
