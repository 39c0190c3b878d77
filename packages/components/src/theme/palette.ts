/** Colours as numbers: the terminal's palettes, distances, contrast. */
import type { ColorValue } from './theme-file.ts';

/** Red, green and blue, 0–255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The first 16 colours as xterm has them; terminals differ, so distances to them are a guess. */
const FIRST_16: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const CUBE_STEPS = [0, 95, 135, 175, 215, 255];
/** Below this difference between the strongest and the weakest part a colour looks grey. */
const GREY_SPREAD = 24;

/** The colour as numbers; nothing for the terminal's own. */
export function toRgb(color: ColorValue): Rgb | undefined {
  if (typeof color === 'number') return paletteColor(color);
  if (color === '') return undefined;
  const bits = Number.parseInt(color.slice(1), 16);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255];
}

function paletteColor(index: number): Rgb {
  const first = FIRST_16[index];
  if (first) return first;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  const step = (at: number): number => CUBE_STEPS[at] ?? 0;
  return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
}

/** The nearest of the colours 16–255, which are the same in every terminal. */
export function nearest256(color: Rgb): number {
  const part = (value: number): number => nearestIndex(CUBE_STEPS, value);
  const [red, green, blue] = color;
  const cube = 16 + 36 * part(red) + 6 * part(green) + part(blue);
  const grey = 232 + Math.min(Math.max(Math.round(((red + green + blue) / 3 - 8) / 10), 0), 23);
  return distance(paletteColor(grey), color) < distance(paletteColor(cube), color) ? grey : cube;
}

function nearestIndex(steps: readonly number[], value: number): number {
  let best = 0;
  for (const [at, step] of steps.entries())
    if (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value)) best = at;
  return best;
}

/** The nearest of the first 16 colours; what has a hue keeps one, because a grey would drop its meaning. */
export function nearest16(color: Rgb): number {
  const hued = Math.max(...color) - Math.min(...color) >= GREY_SPREAD * 2;
  let best = hued ? 1 : 0;
  for (const [at, candidate] of FIRST_16.entries()) {
    const grey = Math.max(...candidate) === Math.min(...candidate);
    if (grey !== hued && distance(candidate, color) < distance(FIRST_16[best] ?? candidate, color)) best = at;
  }
  return best;
}

/** A distance that weighs the parts about as eyes do. */
function distance(left: Rgb, right: Rgb): number {
  const mean = (left[0] + right[0]) / 2;
  const [red, green, blue] = [left[0] - right[0], left[1] - right[1], left[2] - right[2]];
  return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue;
}

/** How light a colour is, 0 to 1, as WCAG defines it. */
export function luminance([red, green, blue]: Rgb): number {
  const part = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}

/** The contrast of two colours, 1 to 21, as WCAG defines it. */
export function contrast(left: Rgb, right: Rgb): number {
  const [one, other] = [luminance(left), luminance(right)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** True when light text reads better on this background than dark text. */
export function backgroundIsDark(red: number, green: number, blue: number): boolean {
  const color: Rgb = [red, green, blue];
  return contrast(color, [255, 255, 255]) >= contrast(color, [0, 0, 0]);
}
