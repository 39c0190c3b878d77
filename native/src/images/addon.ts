import type { CancelHandle } from '../addon.ts';
import type { FittedImage, ImageFacts } from './contract.ts';

/** The raw exports of the addon for pictures. */
export interface ImagesAddon {
  imagesFacts(bytes: Uint8Array, cancel?: CancelHandle): Promise<ImageFacts & { readonly hasAlpha: boolean }>;
  imagesFit(
    bytes: Uint8Array,
    maxSide: number,
    maxBytes: number,
    maxPixels: number,
    cancel?: CancelHandle,
  ): Promise<FittedImage>;
}
