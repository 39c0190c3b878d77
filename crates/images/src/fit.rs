//! Shrinking and encoding.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, RgbaImage};
use tenon_cancel::CancelToken;

use crate::error::ImageFault;
use crate::facts::{damaged, decoder, format_of};

/// What a picture must fit.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The longest side in pixels.
    pub max_side: u32,
    /// The encoded file.
    pub max_bytes: usize,
    /// Larger pictures are not decoded at all.
    pub max_pixels: u64,
}

/// A picture that fits.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The new file; none when the picture fits as it is.
    pub bytes: Option<Vec<u8>>,
    pub mime_type: &'static str,
    pub width: u32,
    pub height: u32,
    /// Of the original, upright.
    pub original_width: u32,
    pub original_height: u32,
}

/// What models take as it is.
const TAKEN: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];
/// A PNG beyond this is compared with a JPEG of the same picture.
const LARGE_PNG: usize = 1_000_000;
const QUALITIES: &[u8] = &[85, 70, 55, 40];
/// How often the sides are cut to three quarters to fit the bytes.
const MOST_ROUNDS: usize = 10;

/// Makes a picture fit.
pub fn fit(bytes: &[u8], wanted: &Wanted, cancel: &CancelToken) -> Result<Fitted, ImageFault> {
    cancel.heartbeat()?;
    let (format, mime_type) = format_of(bytes)?;
    let mut decoder = decoder(bytes, format, wanted.max_pixels)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > wanted.max_pixels || width == 0 || height == 0 {
        return Err(ImageFault::TooLarge { width, height, most: wanted.max_pixels });
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let fits = width.max(height) <= wanted.max_side && bytes.len() <= wanted.max_bytes;
    if fits && orientation == Orientation::NoTransforms && TAKEN.contains(&mime_type) {
        return Ok(Fitted { bytes: None, mime_type, width, height, original_width: width, original_height: height });
    }
    cancel.heartbeat()?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    cancel.heartbeat()?;
    picture.apply_orientation(orientation);
    let picture = picture.into_rgba8();
    let (original_width, original_height) = picture.dimensions();
    let is_opaque = picture.pixels().all(|pixel| pixel.0[3] == u8::MAX);
    let is_photo = matches!(mime_type, "image/jpeg" | "image/webp" | "image/tiff") && is_opaque;
    let mut side = original_width.max(original_height).min(wanted.max_side.max(1));
    for _ in 0..MOST_ROUNDS {
        cancel.heartbeat()?;
        let small = shrink(&picture, side)?;
        if let Some((encoded, mime_type)) = encode(&small, is_photo, is_opaque, wanted.max_bytes, cancel)? {
            let (width, height) = small.dimensions();
            return Ok(Fitted { bytes: Some(encoded), mime_type, width, height, original_width, original_height });
        }
        side = (side * 3 / 4).max(1);
    }
    Err(ImageFault::DoesNotFit(wanted.max_bytes))
}

/// The sides with the longer one cut to `side`; neither becomes nothing.
pub(crate) fn sides(width: u32, height: u32, side: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= side {
        return (width, height);
    }
    let scaled = |length: u32| {
        let exact = (u64::from(length) * u64::from(side) * 2 + u64::from(longest)) / (u64::from(longest) * 2);
        u32::try_from(exact).unwrap_or(side).max(1)
    };
    (scaled(width), scaled(height))
}

fn shrink(picture: &RgbaImage, side: u32) -> Result<RgbaImage, ImageFault> {
    let (width, height) = sides(picture.width(), picture.height(), side);
    if (width, height) == picture.dimensions() {
        return Ok(picture.clone());
    }
    let fault = |reason: String| ImageFault::Damaged(reason);
    let source = ImageRef::new(picture.width(), picture.height(), picture.as_raw(), PixelType::U8x4)
        .map_err(|error| fault(error.to_string()))?;
    let mut target = Image::new(width, height, PixelType::U8x4);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3)).use_alpha(true);
    Resizer::new().resize(&source, &mut target, &options).map_err(|error| fault(error.to_string()))?;
    RgbaImage::from_raw(width, height, target.into_vec()).ok_or_else(|| fault("the sizes do not agree".to_owned()))
}

/// Encodes within the bytes, or not at all.
fn encode(
    picture: &RgbaImage,
    is_photo: bool,
    is_opaque: bool,
    most: usize,
    cancel: &CancelToken,
) -> Result<Option<(Vec<u8>, &'static str)>, ImageFault> {
    let mut best = None;
    if !is_photo {
        let png = png(picture, is_opaque)?;
        if png.len() <= LARGE_PNG.min(most) {
            return Ok(Some((png, "image/png")));
        }
        best = (png.len() <= most).then_some((png, "image/png"));
        if !is_opaque && best.is_some() {
            return Ok(best);
        }
    }
    let flat = flatten(picture);
    for quality in QUALITIES {
        cancel.heartbeat()?;
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, *quality)
            .write_image(&flat, picture.width(), picture.height(), ExtendedColorType::Rgb8)
            .map_err(damaged)?;
        if jpeg.len() <= most {
            let smaller = best.as_ref().is_none_or(|(png, _)| jpeg.len() < png.len());
            return Ok(if smaller { Some((jpeg, "image/jpeg")) } else { best });
        }
        if best.is_some() {
            return Ok(best);
        }
    }
    Ok(None)
}

fn png(picture: &RgbaImage, is_opaque: bool) -> Result<Vec<u8>, ImageFault> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, PngFilter::Adaptive);
    let (width, height) = picture.dimensions();
    let written = if is_opaque {
        encoder.write_image(&flatten(picture), width, height, ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(picture.as_raw(), width, height, ExtendedColorType::Rgba8)
    };
    written.map_err(damaged)?;
    Ok(bytes)
}

/// Without transparency: over white, as a page would show it.
fn flatten(picture: &RgbaImage) -> Vec<u8> {
    let mut flat = Vec::with_capacity(picture.as_raw().len() / 4 * 3);
    for pixel in picture.pixels() {
        let [red, green, blue, alpha] = pixel.0;
        let over =
            |value: u8| ((u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha)) + 127) / 255) as u8;
        flat.extend_from_slice(&[over(red), over(green), over(blue)]);
    }
    flat
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use image::{ImageFormat, Rgba};
    use proptest::prelude::*;

    use super::*;

    const WANTED: Wanted = Wanted { max_side: 100, max_bytes: 200_000, max_pixels: 10_000_000 };

    fn file(width: u32, height: u32, format: ImageFormat, alpha: u8) -> Vec<u8> {
        let mut picture = RgbaImage::new(width, height);
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            *pixel = Rgba([(x * 7) as u8, (y * 3) as u8, 128, alpha]);
        }
        let picture = DynamicImage::ImageRgba8(picture);
        let picture = if format == ImageFormat::Jpeg { DynamicImage::ImageRgb8(picture.into_rgb8()) } else { picture };
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).expect("encoded");
        bytes.into_inner()
    }

    #[test]
    fn a_picture_that_fits_stays_as_it_is() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
            let fitted = fit(&file(100, 40, format, 255), &WANTED, &CancelToken::new()).expect("fits");
            assert!(fitted.bytes.is_none());
            assert_eq!((fitted.width, fitted.height), (100, 40));
        }
    }

    #[test]
    fn every_format_is_read_and_shrunk_to_the_longest_side() {
        for format in [
            ImageFormat::Png,
            ImageFormat::Jpeg,
            ImageFormat::Gif,
            ImageFormat::WebP,
            ImageFormat::Bmp,
            ImageFormat::Tiff,
        ] {
            let fitted = fit(&file(400, 300, format, 255), &WANTED, &CancelToken::new()).expect("shrunk");
            assert_eq!((fitted.width, fitted.height, fitted.original_width), (100, 75, 400), "{format:?}");
            let again = image::load_from_memory(&fitted.bytes.expect("new bytes")).expect("decodes");
            assert_eq!((again.width(), again.height()), (100, 75));
        }
    }

    #[test]
    fn what_models_do_not_take_becomes_a_png() {
        let fitted = fit(&file(20, 20, ImageFormat::Bmp, 255), &WANTED, &CancelToken::new()).expect("converted");
        assert_eq!((fitted.mime_type, fitted.width), ("image/png", 20));
    }

    #[test]
    fn transparency_is_kept() {
        let fitted = fit(&file(400, 300, ImageFormat::Png, 10), &WANTED, &CancelToken::new()).expect("shrunk");
        let again = image::load_from_memory(&fitted.bytes.expect("new bytes")).expect("decodes").into_rgba8();
        assert!(again.pixels().all(|pixel| pixel.0[3].abs_diff(10) <= 1));
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_decoded() {
        // The header of a PNG of 60,000 by 60,000 pixels, with nothing behind it.
        let mut bomb = file(1, 1, ImageFormat::Png, 255);
        let sizes = bomb.get_mut(16..24).expect("a header");
        sizes.copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let sum = crc(bomb.get(12..29).expect("a header"));
        bomb.get_mut(29..33).expect("a sum").copy_from_slice(&sum.to_be_bytes());
        let fault = fit(&bomb, &WANTED, &CancelToken::new()).expect_err("refused");
        assert_eq!(fault, ImageFault::TooLarge { width: 60_000, height: 60_000, most: 10_000_000 });
    }

    #[test]
    fn the_bytes_are_a_limit_as_well() {
        let mut noise = RgbaImage::new(600, 600);
        let mut seed = 1_u32;
        for pixel in noise.pixels_mut() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *pixel = Rgba([(seed >> 24) as u8, (seed >> 16) as u8, (seed >> 8) as u8, 255]);
        }
        let mut bytes = std::io::Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(noise).write_to(&mut bytes, ImageFormat::Png).expect("encoded");
        let wanted = Wanted { max_side: 600, max_bytes: 20_000, max_pixels: 1_000_000 };
        let fitted = fit(&bytes.into_inner(), &wanted, &CancelToken::new()).expect("shrunk");
        assert!(fitted.bytes.expect("new bytes").len() <= 20_000);
        let none = Wanted { max_bytes: 10, ..wanted };
        let fault = fit(&file(300, 300, ImageFormat::Png, 255), &none, &CancelToken::new());
        assert_eq!(fault.expect_err("refused"), ImageFault::DoesNotFit(10));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..400, value: u8, kind in 0_usize..4) {
            let formats = [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp];
            let _ = fit(&bytes, &WANTED, &CancelToken::new());
            let mut broken = file(150, 9, *formats.get(kind).expect("a format"), 255);
            let place = at % broken.len();
            *broken.get_mut(place).expect("a byte") = value;
            let _ = fit(&broken, &WANTED, &CancelToken::new());
            broken.truncate(place);
            let _ = fit(&broken, &WANTED, &CancelToken::new());
        }

        #[test]
        fn sides_keep_their_ratio_and_never_vanish(width in 1_u32..20_000, height in 1_u32..20_000, side in 1_u32..3_000) {
            let (new_width, new_height) = sides(width, height, side);
            prop_assert!(new_width >= 1 && new_height >= 1);
            prop_assert!(new_width.max(new_height) <= side.max(1) || (new_width, new_height) == (width, height));
        }
    }

    fn crc(bytes: &[u8]) -> u32 {
        let mut sum = u32::MAX;
        for byte in bytes {
            sum ^= u32::from(*byte);
            for _ in 0..8 {
                sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            }
        }
        !sum
    }
}
