/** Images in messages, made fit for a model. */
import { loadAccelerator } from '@tenon/native';
import { plainLine } from '@tenon/wording';

/** What an image must fit. */
export interface FitLimits {
  readonly maxSide: number;
  readonly maxBytes: number;
  readonly maxPixels: number;
}

/** An image as messages have it. */
export interface FittingImage {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** An image that fits, or why there is none: part of a sentence that begins with the image. */
export type Fitting = { readonly image: FittingImage } | { readonly problem: string };

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Why there is no image where the user sends none to models. */
export const NOT_SENT = 'the setting vision.send is off, so no image goes to a model';

/** How many answers are kept: the same images go out with every request of a conversation. */
const MOST_KEPT = 64;

/** Makes images fit, and remembers those that it has seen. */
export class ImageFitter {
  readonly #limits: FitLimits;
  /** By what tells images apart; `true` for one that fits as it is. The one used last is at the end. */
  readonly #seen = new Map<string, true | Fitting>();

  constructor(limits: FitLimits) {
    this.#limits = limits;
  }

  /** The image, as it is or smaller. */
  async fit(image: FittingImage, signal?: AbortSignal): Promise<Fitting> {
    const key = await keyOf(image);
    const seen = this.#seen.get(key);
    this.#seen.delete(key);
    const fitting = seen ?? (await this.#fit(image, signal));
    this.#seen.set(key, fitting);
    if (this.#seen.size > MOST_KEPT) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return fitting === true ? { image } : fitting;
  }

  /** The parts of a message without its images; each becomes a line of text. */
  static without<T extends { readonly type: string }>(parts: readonly T[]): readonly (T | TextPart)[] {
    return parts.some(isImage) ? parts.map((part) => (isImage(part) ? leftOut(NOT_SENT) : part)) : parts;
  }

  /** The parts of a message with fitting images; an image that cannot be had becomes a line of text. */
  async parts<T extends { readonly type: string }>(
    parts: readonly T[],
    signal?: AbortSignal,
  ): Promise<readonly (T | FittingImage | TextPart)[]> {
    if (!parts.some(isImage)) return parts;
    const fitted = [];
    for (const part of parts) fitted.push(isImage(part) ? await this.#part(part, signal) : part);
    return fitted.every((part, at) => part === parts[at]) ? parts : fitted;
  }

  async #part(image: FittingImage, signal?: AbortSignal) {
    const fitting = await this.fit(image, signal);
    return 'image' in fitting ? fitting.image : leftOut(fitting.problem);
  }

  async #fit(image: FittingImage, signal: AbortSignal | undefined): Promise<true | Fitting> {
    const fitting = await fitImage(image, this.#limits, signal);
    return 'image' in fitting && fitting.image === image ? true : fitting;
  }
}

const leftOut = (problem: string): TextPart => ({
  type: 'text',
  text: `[An image was left out: ${plainLine(problem)}]`,
});

function isImage(part: { readonly type: string }): part is FittingImage {
  return part.type === 'image' && 'data' in part && typeof part.data === 'string';
}

async function keyOf({ data, mimeType }: FittingImage): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(mimeType).update('\0').update(data).digest('base64');
}

/** Makes one image fit; the same object comes back when it fits as it is. */
export async function fitImage(image: FittingImage, limits: FitLimits, signal?: AbortSignal): Promise<Fitting> {
  const images = await loadAccelerator('images');
  const result = await images.fit(Buffer.from(image.data, 'base64'), { ...limits, signal });
  if (!result.ok) return { problem: result.reason };
  const { bytes, mimeType } = result.value;
  // The type is that of the bytes: providers refuse a request whose image claims another one.
  if (bytes === undefined && mimeType === image.mimeType) return { image };
  const data = bytes === undefined ? image.data : Buffer.from(bytes).toString('base64');
  return { image: { type: 'image', data, mimeType } };
}
