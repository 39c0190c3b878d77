/** Pixels as sixels: bands of six rows, one line of characters for each colour in a band. */

/** Decoded pixels: four bytes each, red, green, blue, alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

const BAND = 6;
const MOST_COLOURS = 256;
/** Thresholds that spread what is between two colours of the fixed palette. */
const DITHER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
/** Steps of red, green and blue in the fixed palette: 252 colours; the eye tells greens apart best. */
const STEPS = [6, 7, 6] as const;
const CLEAR = -1;

/** The image as one sequence; where it is transparent, what is below shows. */
export function encodeSixel(pixels: Pixels): string {
  const { colours, indexes } = reduceColours(pixels);
  const { width, height } = pixels;
  let out = `\x1bP0;1q"1;1;${width};${height}`;
  for (const [at, colour] of colours.entries()) {
    const [red, green, blue] = [colour >> 16, (colour >> 8) & 255, colour & 255].map((part) => Math.round(part / 2.55));
    out += `#${at};2;${red};${green};${blue}`;
  }
  for (let top = 0; top < height; top += BAND) out += encodeBand(indexes, width, top, Math.min(BAND, height - top));
  return `${out}\x1b\\`;
}

function encodeBand(indexes: Int16Array, width: number, top: number, rows: number): string {
  const used = new Set(indexes.subarray(top * width, (top + rows) * width));
  used.delete(CLEAR);
  let out = '';
  for (const colour of used) {
    out += `#${colour}`;
    let run = 0;
    let last = 0;
    for (let x = 0; x <= width; x += 1) {
      let bits = -1;
      if (x < width) {
        bits = 0;
        for (let y = 0; y < rows; y += 1) if (indexes[(top + y) * width + x] === colour) bits |= 1 << y;
      }
      if (bits === last) run += 1;
      else {
        // Nothing has to be said of what is clear up to the end.
        if (x < width || last !== 0) out += repeated(String.fromCodePoint(63 + last), run);
        last = bits;
        run = 1;
      }
    }
    out += '$';
  }
  return `${out}-`;
}

const repeated = (character: string, times: number): string =>
  times > 3 ? `!${times}${character}` : character.repeat(times);

/** The image's own colours if there are few enough, else those of a fixed palette, dithered. */
function reduceColours(pixels: Pixels): { colours: number[]; indexes: Int16Array } {
  const own = ownColours(pixels);
  if (own) return own;
  const { width, height, rgba } = pixels;
  const indexes = new Int16Array(width * height).fill(CLEAR);
  for (let at = 0; at < indexes.length; at += 1) {
    if ((rgba[at * 4 + 3] ?? 0) < 128) continue;
    const threshold = ((DITHER[(Math.floor(at / width) % 4) * 4 + ((at % width) % 4)] ?? 0) + 0.5) / 16;
    let index = 0;
    for (const [part, steps] of STEPS.entries()) {
      const exact = ((rgba[at * 4 + part] ?? 0) / 255) * (steps - 1);
      index = index * steps + Math.min(steps - 1, Math.floor(exact + threshold));
    }
    indexes[at] = index;
  }
  return { colours: fixedPalette(), indexes };
}

function ownColours({ width, height, rgba }: Pixels): { colours: number[]; indexes: Int16Array } | undefined {
  const known = new Map<number, number>();
  const indexes = new Int16Array(width * height).fill(CLEAR);
  for (let at = 0; at < indexes.length; at += 1) {
    if ((rgba[at * 4 + 3] ?? 0) < 128) continue;
    const colour = ((rgba[at * 4] ?? 0) << 16) | ((rgba[at * 4 + 1] ?? 0) << 8) | (rgba[at * 4 + 2] ?? 0);
    let index = known.get(colour);
    if (index === undefined) {
      if (known.size === MOST_COLOURS) return undefined;
      index = known.size;
      known.set(colour, index);
    }
    indexes[at] = index;
  }
  return { colours: [...known.keys()], indexes };
}

function fixedPalette(): number[] {
  const [reds, greens, blues] = STEPS;
  const level = (step: number, steps: number): number => Math.round((step / (steps - 1)) * 255);
  return Array.from({ length: reds * greens * blues }, (_, at) => {
    const red = level(Math.floor(at / (greens * blues)), reds);
    const green = level(Math.floor(at / blues) % greens, greens);
    return (red << 16) | (green << 8) | level(at % blues, blues);
  });
}

/** The pixels in another size; each one is the mean of those that it covers. */
export function resizePixels(pixels: Pixels, width: number, height: number): Pixels {
  if (width === pixels.width && height === pixels.height) return pixels;
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const [fromY, toY] = covered(y, height, pixels.height);
    for (let x = 0; x < width; x += 1) {
      const [fromX, toX] = covered(x, width, pixels.width);
      const sums = [0, 0, 0, 0];
      for (let sy = fromY; sy < toY; sy += 1) {
        for (let sx = fromX; sx < toX; sx += 1) {
          const at = (sy * pixels.width + sx) * 4;
          for (let part = 0; part < 4; part += 1) sums[part] = (sums[part] ?? 0) + (pixels.rgba[at + part] ?? 0);
        }
      }
      const count = (toY - fromY) * (toX - fromX);
      for (let part = 0; part < 4; part += 1) rgba[(y * width + x) * 4 + part] = (sums[part] ?? 0) / count;
    }
  }
  return { width, height, rgba };
}

function covered(at: number, size: number, source: number): readonly [number, number] {
  const from = Math.floor((at * source) / size);
  return [from, Math.max(from + 1, Math.floor(((at + 1) * source) / size))];
}
