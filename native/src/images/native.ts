/** The addon's work on pictures. */
import type { Addon } from '../addon.ts';
import { callNative, NativeError } from '../task.ts';
import { FIT_DEFAULTS, type ImageResult, type Images } from './contract.ts';

/** Adapts the addon to the contract. */
export function fromAddon(addon: Addon): Images {
  return {
    facts: (bytes, limits) =>
      result(async () => {
        const { mimeType, width, height, isTurned } = await callNative(
          addon,
          (cancel) => addon.imagesFacts(bytes, cancel),
          limits,
        );
        return { mimeType, width, height, isTurned };
      }),
    fit: (bytes, { maxSide, maxBytes, maxPixels, ...limits } = {}) =>
      result(() =>
        callNative(
          addon,
          (cancel) =>
            addon.imagesFit(
              bytes,
              bounded(maxSide, FIT_DEFAULTS.maxSide),
              bounded(maxBytes, FIT_DEFAULTS.maxBytes),
              bounded(maxPixels, FIT_DEFAULTS.maxPixels),
              cancel,
            ),
          limits,
        ),
      ),
  };
}

/** A damaged picture is an answer; a defect of ours is not. */
async function result<T>(work: () => Promise<T>): Promise<ImageResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    // Decoders meet hostile bytes: one that panics refuses the picture, as one does that fails.
    return { ok: false, reason: error.kind === 'panic' ? 'the decoder broke on it' : error.message };
  }
}

function bounded(value: number | undefined, standard: number): number {
  return Math.min(Math.max(1, Math.floor(value ?? standard)), 2 ** 31);
}
