/**
 * Content-addressed storage for what is too big for a line: images, and texts beyond half a million characters. A line holds
 * `blob:sha256:<hash>` in their place. Nothing is cut off.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '@tenon/state-files';
import missingImage from './prompts/missing-image.md';
import missingText from './prompts/missing-text.md';

const REFERENCE = /^blob:sha256:([0-9a-f]{64})$/;
/** Base64 shorter than this is cheaper in the line than in a file. */
const MIN_IMAGE_CHARS = 1_024;
/** The point at which other readers of this format cut a text off. */
const MIN_TEXT_CHARS = 500_000;
/** Fields that only live while an answer is streamed. */
const TRANSIENT = new Set(['partialJson', 'jsonlEvents']);

/** True for what stands in a line in place of something big. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** Bytes by their hash. Writes are atomic; the same bytes are written once. */
export class BlobStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Keeps bytes and gives their reference. */
  put(bytes: Uint8Array): string {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file = join(this.folder, hash);
    if (!existsSync(file)) replaceFileSync(file, bytes);
    return `blob:sha256:${hash}`;
  }

  /** The bytes behind a reference, or nothing when they are gone. */
  get(reference: string): Buffer | undefined {
    const hash = REFERENCE.exec(reference)?.[1];
    const file = hash === undefined ? undefined : join(this.folder, hash);
    return file !== undefined && existsSync(file) ? readFileSync(file) : undefined;
  }

  /** A copy of `value` in which big images and texts are references. */
  externalize<T>(value: T): T {
    return transform(value, (text, isImage) => {
      if (isImage && text.length >= MIN_IMAGE_CHARS && !REFERENCE.test(text))
        return this.put(Buffer.from(text, 'base64'));
      // A text that looks like a reference is kept as one, so that it comes back as the text it is.
      const big = text.length > MIN_TEXT_CHARS || (!isImage && REFERENCE.test(text));
      return big && text.isWellFormed() ? this.put(Buffer.from(text, 'utf8')) : text;
    }) as T;
  }

  /** A copy of `value` with the references filled in. Where the bytes are gone a text says so, to the model and to people. */
  resolve<T>(value: T, onMissing: (reference: string) => void = () => undefined): T {
    return transform(value, (text, isImage) => {
      if (!REFERENCE.test(text)) return text;
      const bytes = this.get(text);
      if (bytes) return bytes.toString(isImage ? 'base64' : 'utf8');
      onMissing(text);
      return isImage ? undefined : missingText.trim();
    }) as T;
  }
}

/** Copies a value, changing its texts. `isImage` is true for the data of image blocks; one without data becomes a text. */
function transform(value: unknown, change: (text: string, isImage: boolean) => string | undefined): unknown {
  const visit = (item: unknown, isImage: boolean): unknown => {
    if (typeof item === 'string') return change(item, isImage);
    if (Array.isArray(item)) return item.map((inner) => visit(inner, false));
    if (typeof item !== 'object' || item === null) return item;
    const { type, data } = item as { type?: unknown; data?: unknown };
    const holdsImage = type === 'image' && typeof data === 'string';
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(item)) {
      if (!TRANSIENT.has(key)) copy[key] = visit(inner, holdsImage && key === 'data');
    }
    if (holdsImage && copy['data'] === undefined) return { type: 'text', text: missingImage.trim() };
    return copy;
  };
  return visit(value, false);
}
