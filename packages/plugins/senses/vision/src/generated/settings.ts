// Made by `npm run generate` from `tenon.settings` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface VisionSettings {
  readonly send: boolean;
  readonly maxSide: number;
  readonly maxKilobytes: number;
  readonly maxMegapixels: number;
}
