/** Pictures made fit for a model: looked at without decoding, turned upright, shrunk, written again. */
import type { CallLimits } from '../task.ts';

/** What the header of a picture says. */
export interface ImageFacts {
  readonly mimeType: string;
  /** As it is shown: after turning it as its EXIF says. */
  readonly width: number;
  readonly height: number;
  /** Its pixels must be turned or mirrored to be upright. */
  readonly isTurned: boolean;
}

/** What a picture must fit. */
export interface FitOptions extends CallLimits {
  /** The longest side in pixels; 1,568 when absent. */
  readonly maxSide?: number | undefined;
  /** The encoded file; 3,500,000 when absent, which is below 5 MB in base64. */
  readonly maxBytes?: number | undefined;
  /** Larger pictures are refused before they are decoded; 50,000,000 when absent. */
  readonly maxPixels?: number | undefined;
}

/** A picture that fits. */
export interface FittedImage {
  /** The new file; absent when the picture fits as it is. */
  readonly bytes?: Uint8Array;
  /** PNG or JPEG when it was written again. */
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  /** Of the original, upright. */
  readonly originalWidth: number;
  readonly originalHeight: number;
}

/** A picture, or why there is none: the reason is part of a sentence that begins with the picture. */
export type ImageResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Works on pictures; every implementation gives pictures of the same size that look the same. */
export interface Images {
  /** Reads the header; nothing is decoded. */
  facts(bytes: Uint8Array, limits?: CallLimits): Promise<ImageResult<ImageFacts>>;
  /** Makes a picture fit. PNG, JPEG, GIF and WebP that fit stay as they are. */
  fit(bytes: Uint8Array, options?: FitOptions): Promise<ImageResult<FittedImage>>;
}

/** What stands for options that are absent. */
export const FIT_DEFAULTS = { maxSide: 1_568, maxBytes: 3_500_000, maxPixels: 50_000_000 } as const;
