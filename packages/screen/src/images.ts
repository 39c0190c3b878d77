/** Images as rows, in the form that the terminal knows: kitty's graphics, iTerm2's files, or sixels. */
import type { TerminalFacts } from './facts.ts';
import { markedRows } from './image-rows.ts';
import { throughTmux } from './sequences.ts';
import { encodeSixel, type Pixels, resizePixels } from './sixel.ts';

/** An image; which of its forms is needed depends on the terminal. */
export interface TerminalImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** The file's bytes: PNG for kitty, any kind for iTerm2. */
  readonly file?: { readonly bytes: Uint8Array; readonly kind: 'png' | 'jpeg' | 'gif' | 'webp' };
  /** Decoded pixels, for sixels; kitty takes them, too. */
  readonly rgba?: Uint8Array;
}

/** How large an image may become, and how it gets to the terminal. */
export interface ImageLimits {
  readonly maxColumns: number;
  readonly maxRows: number;
  /** tmux passes sequences on (`allow-passthrough`); without it no image is shown there, but for tmux's own sixels. */
  readonly passthrough?: boolean;
}

/** A way to show images. */
export type ImageProtocol = 'kitty' | 'iterm2' | 'sixel';

type Known = Pick<TerminalFacts, 'name' | 'multiplexer' | 'kind' | 'sixel' | 'cell'>;

const PROTOCOLS: Readonly<Record<string, ImageProtocol>> = {
  kitty: 'kitty',
  ghostty: 'kitty',
  konsole: 'kitty',
  warp: 'kitty',
  iterm2: 'iterm2',
  wezterm: 'iterm2',
  mintty: 'iterm2',
  vscode: 'iterm2',
};
const FALLBACK_CELL = { width: 8, height: 16 };
const KITTY_CHUNK = 4096;
/** Beyond that a terminal is busy for too long. */
const MOST_BYTES = 16 * 1024 * 1024;
const SIXEL_BAND = 6;

let lastId = 0;

/** The way in which this terminal shows images, if any. */
export function imageProtocol(facts: Known, passthrough = false): ImageProtocol | undefined {
  if (facts.kind !== 'full' || facts.multiplexer === 'screen') return undefined;
  const own = PROTOCOLS[facts.name ?? ''];
  if (own && (!facts.multiplexer || passthrough)) return own;
  return facts.sixel ? 'sixel' : undefined;
}

/**
 * The rows of an image: the first draws it, the others are blank and keep its place. Make them once, keep them, and
 * append or render them together. Nothing when the terminal shows no images, or not in a form that is given.
 */
export function imageRows(image: TerminalImage, facts: Known, limits: ImageLimits): string[] | undefined {
  const protocol = imageProtocol(facts, limits.passthrough);
  const cell = facts.cell ?? FALLBACK_CELL;
  const size = cellsOf(image, cell, limits);
  if (!protocol || !size) return undefined;
  lastId = (lastId % 0x7fff_fffe) + 1;
  const drawing = draw(protocol, image, size, cell);
  if (drawing === undefined) return undefined;
  const isWrapped = facts.multiplexer === 'tmux' && limits.passthrough && protocol !== 'sixel';
  const sent = isWrapped ? drawing.map(throughTmux) : drawing;
  // Room is made and blank before: an image at the foot of the screen would scroll it, and erasing would cut the image.
  const below = size.rows - 1;
  const room = `${'\n\x1b[K'.repeat(below)}${below > 0 ? `\x1b[${below}A` : ''}`;
  const id = protocol === 'kitty' ? lastId : 0;
  return markedRows({ ...size, id, sequence: `${room}\x1b7${sent.join('')}\x1b8` });
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** As large as the image is, or as the limits allow; never larger. */
function cellsOf(image: TerminalImage, cell: Pixel, limits: ImageLimits): Size | undefined {
  const [columns, rows] = [Math.floor(limits.maxColumns), Math.floor(limits.maxRows)];
  if (!(image.width > 0 && image.height > 0 && columns > 0 && rows > 0)) return undefined;
  const scale = Math.min(1, (columns * cell.width) / image.width, (rows * cell.height) / image.height);
  const fit = (length: number, unit: number, most: number): number =>
    Math.min(most, Math.max(1, Math.ceil((length * scale) / unit - 1e-9)));
  return { columns: fit(image.width, cell.width, columns), rows: fit(image.height, cell.height, rows) };
}

interface Pixel {
  readonly width: number;
  readonly height: number;
}

/** The sequences that draw the image from the cursor on. */
function draw(protocol: ImageProtocol, image: TerminalImage, size: Size, cell: Pixel): string[] | undefined {
  const { file, rgba } = image;
  const pixels = rgba && rgba.length === image.width * image.height * 4 ? { ...image, rgba } : undefined;
  if ((file?.bytes.length ?? 0) > MOST_BYTES || (pixels?.rgba.length ?? 0) > MOST_BYTES * 4) return undefined;
  if (protocol === 'kitty') {
    if (file?.kind === 'png') return kitty('f=100', file.bytes, size);
    return pixels && kitty(`f=32,s=${image.width},v=${image.height}`, pixels.rgba, size);
  }
  if (protocol === 'iterm2') return file && [iterm2(file.bytes, size)];
  return pixels && [sixel(pixels, size, cell)];
}

function kitty(format: string, bytes: Uint8Array, { columns, rows }: Size): string[] {
  const payload = base64(bytes);
  const parts: string[] = [];
  for (let at = 0; at < payload.length || at === 0; at += KITTY_CHUNK) {
    const more = at + KITTY_CHUNK < payload.length ? 1 : 0;
    // No answers (q), and the cursor stays (C).
    const head = at === 0 ? `a=T,${format},q=2,C=1,c=${columns},r=${rows},i=${lastId},` : 'q=2,';
    parts.push(`\x1b_G${head}m=${more};${payload.slice(at, at + KITTY_CHUNK)}\x1b\\`);
  }
  return parts;
}

function iterm2(bytes: Uint8Array, { columns, rows }: Size): string {
  const settings = `inline=1;size=${bytes.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${settings}:${base64(bytes)}\x07`;
}

/** In whole bands that end inside the last row: a band that reaches below it would scroll the screen. */
function sixel(pixels: Pixels, { columns, rows }: Size, cell: Pixel): string {
  const most = { width: columns * cell.width, height: Math.floor((rows * cell.height) / SIXEL_BAND) * SIXEL_BAND };
  const scale = Math.min(1, most.width / pixels.width, Math.max(1, most.height) / pixels.height);
  const width = Math.max(1, Math.floor(pixels.width * scale));
  return encodeSixel(resizePixels(pixels, width, Math.max(1, Math.floor(pixels.height * scale))));
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
