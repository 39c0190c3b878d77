/**
 * Photos made fit for a model: decoded, turned, shrunk to 1,568 pixels, written as JPEG. Ours beside jimp (our twin in JavaScript) and
 * sharp (libvips), which decodes a JPEG at half its size where that is enough.
 */
import { takeTurns } from './grep-peers.mjs';

const SIDE = 1_568;
/** Width and height of what cameras and screens give. */
const PHOTO = [4_000, 3_000];
const SCREEN = [2_560, 1_440];

/** @param {{ quick: boolean, log: (text: string) => void, load: (name: string, kind: string) => Promise<any> }} ctx */
export async function run({ quick, log, load }) {
  const { default: sharp } = await import('sharp');
  const [native, js] = [await load('images', 'native'), await load('images', 'js')];
  const cases = {
    'a photo of 12 megapixels, JPEG': await sharp(photo(...PHOTO), raw(PHOTO))
      .jpeg({ quality: 90 })
      .toBuffer(),
    'a screenshot of 3.7 megapixels, PNG': await sharp(screenshot(...SCREEN), raw(SCREEN))
      .png()
      .toBuffer(),
  };
  const rows = [];
  for (const [name, bytes] of Object.entries(cases)) {
    const isPhoto = name.includes('JPEG');
    const fit = async (/** @type {any} */ images) => {
      const made = await images.fit(bytes);
      if (!made.ok || Math.max(made.value.width, made.value.height) !== SIDE) throw new Error(JSON.stringify(made));
      return made.value;
    };
    const bySharp = () => {
      const shrunk = sharp(bytes).rotate().resize(SIDE, SIDE, { fit: 'inside' });
      return (isPhoto ? shrunk.jpeg({ quality: 85 }) : shrunk.png()).toBuffer();
    };
    const { mimeType, bytes: small } = await fit(native);
    log(
      `${name}: ${bytes.length} bytes become ${small.length} (${mimeType}); sharp's have ${(await bySharp()).length}`,
    );
    const ways = { ours: () => fit(native), jimp: () => fit(js), sharp: bySharp };
    const times = await takeTurns(ways, quick ? 1 : 7);
    const { ours, ...peers } = times;
    rows.push({ case: name, ours, peers, ratio: peers.jimp / ours });
  }
  return { name: 'images', title: 'An image made fit for a model', unit: 'ms', rows };
}

/** @param {number[]} size */
function raw([width, height]) {
  return { raw: { width, height, channels: /** @type {const} */ (3) } };
}

/** Soft shapes with the noise of a sensor. @param {number} width @param {number} height */
function photo(width, height) {
  const pixels = Buffer.alloc(width * height * 3);
  let seed = 11;
  for (let at = 0; at < pixels.length; at += 3) {
    const x = (at / 3) % width;
    const y = Math.floor(at / 3 / width);
    seed = (seed * 48_271) % 2_147_483_647;
    const noise = seed % 9;
    pixels[at] = 120 + 90 * Math.sin(x / 310) * Math.cos(y / 270) + noise;
    pixels[at + 1] = 110 + 80 * Math.sin((x + y) / 190) + noise;
    pixels[at + 2] = 100 + 70 * Math.cos(y / 120) + noise;
  }
  return pixels;
}

/** Lines of small dark blocks on a light ground. @param {number} width @param {number} height */
function screenshot(width, height) {
  const pixels = Buffer.alloc(width * height * 3, 250);
  let seed = 5;
  for (let y = 8; y + 12 < height; y += 20) {
    for (let x = 16; x + 8 < width; x += 9) {
      seed = (seed * 48_271) % 2_147_483_647;
      if (seed % 5 === 0) continue;
      for (let row = 0; row < 12; row += 1) {
        const from = ((y + row) * width + x) * 3;
        if (((seed >> (row % 8)) & 1) === 1) pixels.fill(30 + (seed % 60), from, from + 6 * 3);
      }
    }
  }
  return pixels;
}
