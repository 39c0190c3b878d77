/** Pictures: shrunk before they are sent, and described by a model that can see. */
export { type FitLimits, fitImage, type FittingImage } from './fit-images.ts';
