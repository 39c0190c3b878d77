use std::fmt;

use tenon_cancel::Cancelled;

/// Why a picture cannot be had. Every text says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageFault {
    /// The caller stopped it or its time ran out.
    Cancelled(Cancelled),
    /// The bytes are not a picture of a known format.
    Unknown,
    /// More pixels than may be decoded.
    TooLarge { width: u32, height: u32, most: u64 },
    /// The file is damaged or uses what the decoder does not know.
    Damaged(String),
    /// No size of it fits into that many bytes.
    DoesNotFit(usize),
}

impl fmt::Display for ImageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(reason) => reason.fmt(f),
            Self::Unknown => {
                f.write_str("it is not a picture in a format that Tenon can read (PNG, JPEG, GIF, WebP, BMP, TIFF)")
            }
            Self::TooLarge { width, height, most } => {
                write!(
                    f,
                    "it has {width}x{height} pixels, more than the {most} that are decoded; shrink it or cut a part out"
                )
            }
            Self::Damaged(reason) => write!(f, "it cannot be decoded: {reason}; convert it with another program"),
            Self::DoesNotFit(most) => write!(f, "it does not fit into {most} bytes; allow more, or cut a part out"),
        }
    }
}

impl std::error::Error for ImageFault {}

impl From<Cancelled> for ImageFault {
    fn from(reason: Cancelled) -> Self {
        Self::Cancelled(reason)
    }
}
